"""Test that texts beside points find room, or are left out."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes

from tests.plots.layout import faults
from timectx.plots.labels import PointLabel, place_labels
from timectx.plots.style import LIGHT, styled


@pytest.fixture
def ax() -> Axes:
    """Return axes from 0 to 1 in both directions."""
    with styled(None, LIGHT, "points") as made:
        made.set_xlim(0, 1)
        made.set_ylim(0, 1)
    return made


def label(x: float, y: float, text: str = "a label", **marks: object) -> PointLabel:
    """Return a label in plain ink."""
    return PointLabel(x=x, y=y, text=text, color="#000000", **marks)


def test_texts_of_points_close_together_keep_apart(ax: Axes) -> None:
    """Eight points on a short line have eight labels, none over another."""
    wanted = [label(0.3 + at / 25, 0.5) for at in range(8)]
    assert place_labels(ax, wanted) == []
    assert (len(ax.texts), faults(ax)) == (8, [])


def test_a_text_without_room_is_left_out_unless_it_must_be_there(ax: Axes) -> None:
    """Of many at one point the first ones stay; what was left out is returned."""
    crowd = [label(0.5, 0.5, f"crowd {at}") for at in range(40)]
    left_out = place_labels(ax, crowd)
    assert left_out == crowd[len(ax.texts) :]
    assert faults(ax) == []
    assert place_labels(ax, [label(0.5, 0.5, must=True)]) == []


@pytest.mark.parametrize("corner", [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
def test_a_text_stays_inside_the_plot(ax: Axes, corner: tuple[float, float]) -> None:
    """In every corner a label goes to the side where it fits."""
    place_labels(ax, [label(*corner)])
    assert faults(ax) == []


def test_no_text_covers_a_mark(ax: Axes) -> None:
    """With a mark to the right of a point its label goes elsewhere."""
    place_labels(ax, [label(0.5, 0.5)], marks=[(0.5, 0.5), (0.54, 0.52)])
    assert ax.texts[0].xyann != (7, 5)

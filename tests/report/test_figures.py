"""Test how figures get into a page."""

from __future__ import annotations

from base64 import b64decode

import pytest

from tests.plots.samples import sample_run
from tests.report.reading import Page
from timectx.plots import Palette, plot_growth
from timectx.report import figures


def draw(palette: Palette) -> object:
    """Draw one sample."""
    return plot_growth(sample_run("bug-hunt"), palette=palette)


@pytest.mark.parametrize(("largest", "kind", "begins"), [(10**9, "svg+xml", b"<?xml"), (1, "png", b"\x89PNG")])
def test_a_drawing_too_large_becomes_an_image_of_dots(
    monkeypatch: pytest.MonkeyPatch, largest: int, kind: str, begins: bytes
) -> None:
    """Sessions of thousands of steps do not make pages of many megabytes."""
    monkeypatch.setattr(figures, "_LARGEST_SVG", largest)
    page = Page(figures.figure("f", draw, "what is seen", "how to read it"))
    images = [value for _, name, value in page.attributes if name in ("src", "srcset")]
    assert [value.partition(";base64,")[0] for value in images] == [f"data:image/{kind}"] * 2
    light, dark = (b64decode(value.partition(",")[2]) for value in images[::-1])
    assert light.startswith(begins)
    assert light != dark


def test_a_figure_keeps_its_room_before_it_is_drawn() -> None:
    """Width and height are those of the drawing, so that the page does not jump."""
    page = Page(figures.figure("f", draw, "seen", "caption"))
    assert {
        name: value for tag, name, value in page.attributes if tag == "img" and name in ("width", "height", "alt")
    } == {
        "width": "768",
        "height": "432",
        "alt": "seen",
    }

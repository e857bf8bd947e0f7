"""Put short texts beside points so that none covers another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from timectx.plots.style import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PointLabel", "place_labels"]

_GAP: Final = 7
"""Points of room between a mark and its text."""

_MARK: Final = 4
"""Half the width of a mark, in points."""

_STRIDE: Final = 5
"""Points between two places of a line that is kept free."""

_LINE: Final = 1.3
"""Height of a line, in sizes of its letters."""

_SLACK: Final = 2
_INCH: Final = 72


class PointLabel(Struct, frozen=True, kw_only=True):
    """
    Hold a text and the point it belongs to, in the units of the data.

    `must` is True for a text that is shown even where it covers something.
    """

    x: float
    y: float
    text: str
    color: str
    size: float = 9.0
    bold: bool = False
    must: bool = False


class _Box(NamedTuple):
    """Hold a rectangle in points."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        """Tell whether two rectangles share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def holds(self, other: _Box) -> bool:
        """Tell whether another one lies within this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.bottom <= other.bottom
            and other.top <= self.top
        )


def place_labels(
    ax: Axes,
    labels: Iterable[PointLabel],
    marks: Iterable[tuple[float, float]] = (),
    line: Sequence[tuple[float, float]] = (),
) -> list[PointLabel]:
    """
    Write texts beside their points, the first ones first.

    Parameters
    ----------
    ax : Axes
        With its limits, scales and place in the figure settled.
    labels : iterable of PointLabel
        The most important first.
    marks : iterable of tuple
        Points that no text may cover, in the units of the data.
    line : sequence of tuple, optional
        The corners of a line that no text may cover.

    Returns
    -------
    list of PointLabel
        Those that had no room and were left out.
    """
    frame = _frame(ax)
    taken = [_around(*_points(ax, *mark)) for mark in marks]
    taken += [_around(*at, half=1) for at in _along([_points(ax, *corner) for corner in line])]
    left_out = []
    for label in labels:
        at = _points(ax, label.x, label.y)
        spots = _spots(at, *_extent(label))
        free = (box for box in spots if frame.holds(box) and not any(box.meets(other) for other in taken))
        box = next(free, next((box for box in spots if frame.holds(box)), spots[0]) if label.must else None)
        if box is None:
            left_out.append(label)
            continue
        taken.append(box)
        _write(ax, label, box.left - at[0], box.bottom - at[1])
    return left_out


def _frame(ax: Axes) -> _Box:
    box = ax.get_window_extent()
    scale = _INCH / ax.figure.dpi
    return _Box(box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale)


def _points(ax: Axes, x: float, y: float) -> tuple[float, float]:
    placed = ax.transData.transform((x, y)) * (_INCH / ax.figure.dpi)
    return float(placed[0]), float(placed[1])


def _around(x: float, y: float, half: float = _MARK) -> _Box:
    return _Box(x - half, y - half, x + half, y + half)


def _along(corners: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield places along a line, close enough that no text fits between them."""
    for (x0, y0), (x1, y1) in pairwise(corners):
        parts = max(1, int(hypot(x1 - x0, y1 - y0) / _STRIDE))
        yield from ((x0 + (x1 - x0) * at / parts, y0 + (y1 - y0) * at / parts) for at in range(parts + 1))


def _extent(label: PointLabel) -> tuple[float, float]:
    """Return width and height of a text in points."""
    return text_width(label.text, label.size, bold=label.bold) + _SLACK, _LINE * label.size


def _spots(at: tuple[float, float], width: float, height: float) -> Sequence[_Box]:
    x, y = at
    right, left, center = x + _GAP, x - _GAP - width, x - width / 2
    above, below, middle = y + _GAP - 2, y - _GAP + 2 - height, y - height / 2
    corners = (
        *((right, above), (right, middle), (right, below), (center, above), (center, below)),
        *((left, below), (left, middle), (left, above)),
    )
    far = ((right + _GAP, above + height), (left - _GAP, below - height), (center, above + height))
    return [_Box(x0, y0, x0 + width, y0 + height) for x0, y0 in (*corners, *far)]


def _write(ax: Axes, label: PointLabel, right: float, up: float) -> None:
    ax.annotate(
        label.text,
        (label.x, label.y),
        xytext=(right, up),
        textcoords="offset points",
        ha="left",
        va="bottom",
        color=label.color,
        fontsize=label.size,
        fontweight="bold" if label.bold else "normal",
        fontfamily=["DejaVu Sans"],
        annotation_clip=False,
        zorder=6,
    )

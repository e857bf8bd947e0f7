"""Give every plot its colours, its type and its axes, whatever the surroundings are set to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DARK", "LIGHT", "Palette", "drawing_settings", "plain_label", "styled", "text_width"]

_LONGEST_LABEL: Final = 40

_SIZE_INCHES: Final = (8.0, 4.5)
_MARGINS: Final = {"left": 0.1, "right": 0.97, "bottom": 0.155}
"""Fixed, so that a label that was placed stays where it was placed."""

_FONT: Final = "DejaVu Sans"
"""It comes with matplotlib, so it is the same one everywhere."""

_INCH: Final = 72
_LEGEND_SIZE: Final = 9
_LEGEND_MARK: Final = 5 * _LEGEND_SIZE
_TITLE_PAD: Final = 8
_TITLE_HEIGHT: Final = 24
_LEGEND_ROW: Final = 19
"""Room for a legend between plot and title, and for what stands before each name, in points."""


class Palette(Struct, frozen=True, kw_only=True):
    """
    Name the colours of a plot.

    `paper` is the background, `ink` the text, `faint` what stands back (axes, points off the front),
    `grid` the lines behind. `first` marks what the plot is about, `second` what it is compared with,
    `third` what is picked out; `series` colours lines that stand side by side, in this order. All are
    told apart with red-green and blue-yellow blindness, and differ in lightness for print.
    """

    paper: str
    ink: str
    faint: str
    grid: str
    first: str
    second: str
    third: str
    series: tuple[str, ...]


LIGHT: Final = Palette(
    paper="#ffffff",
    ink="#1b1f24",
    faint="#6b7480",
    grid="#e4e7eb",
    first="#0b62a8",
    second="#7d8794",
    third="#c8480a",
    series=("#0b62a8", "#c8480a", "#00795a", "#8a4a86", "#b27a00", "#3d4650"),
)
"""Dark marks on white, for screens and for print."""

DARK: Final = Palette(
    paper="#14181d",
    ink="#e6e9ed",
    faint="#98a2ae",
    grid="#2b323a",
    first="#6cb6f5",
    second="#8b95a1",
    third="#ff9a5c",
    series=("#6cb6f5", "#ff9a5c", "#4cc9a0", "#d79ad2", "#e6bd5c", "#c3cad2"),
)
"""Light marks on a dark page."""

LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
"""Line styles that go with `Palette.series`, so that lines differ without colour, too."""


@contextmanager
def styled(ax: Axes | None, palette: Palette, title: str) -> Iterator[Axes]:
    """
    Hand out axes to draw on, and finish them.

    Parameters
    ----------
    ax : Axes or None
        Where to draw; None makes a figure of its own, which no list of open figures knows.
    palette : Palette
        The colours.
    title : str
        What the plot shows, at its upper left.

    Yields
    ------
    Axes
        The given ones, styled as they are; or new ones in the project's own style.
    """
    if ax is not None:
        yield ax
        _finish(ax, title, own=False)
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with drawing_settings(palette):
        figure = Figure(figsize=_SIZE_INCHES, dpi=100)
        FigureCanvasAgg(figure)
        figure.subplots_adjust(**_MARGINS)
        made = figure.add_subplot()
        yield made
        _finish(made, title, own=True)


@contextmanager
def drawing_settings(palette: Palette = LIGHT) -> Iterator[None]:
    """
    Set matplotlib to the project's style for as long as the block lasts.

    Parameters
    ----------
    palette : Palette, optional
        The colours.

    Yields
    ------
    None
        Settings of the user's own files and styles do not count inside, so that the same data gives
        the same bytes anywhere.
    """
    from matplotlib import style

    with style.context(["default", _settings(palette)]):
        yield


def plain_label(text: str) -> str:
    r"""
    Make text from elsewhere safe to stand in a plot.

    Parameters
    ----------
    text : str
        Anything, such as the id of a session.

    Returns
    -------
    str
        At most 40 characters or so: no formula, nothing that a font lacks, nothing that hides it from
        a legend.

    Examples
    --------
    >>> plain_label("$x^2$"), plain_label("_id"), plain_label("時計")
    ('\\$x^2\\$', ' _id', '\\u6642\\u8a08')
    """
    ascii_only = text.encode("ascii", "backslashreplace").decode()
    shown = "".join(char if char.isprintable() else "?" for char in ascii_only)
    if len(shown) > _LONGEST_LABEL:
        half = _LONGEST_LABEL // 2
        shown = f"{shown[:half]}…{shown[1 - half :]}"
    return (" " if shown.startswith("_") else "") + shown.replace("$", r"\$")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """
    Measure how wide a text is drawn, by its letters and not by a screen.

    Parameters
    ----------
    text : str
        One line.
    size : float
        Of its letters, in points.
    bold : bool, optional
        Whether they are.

    Returns
    -------
    float
        In points.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family=[_FONT], weight="bold" if bold else "normal", size=size)
    return float(TextPath((0, 0), text, prop=font).get_extents().width)


def _finish(ax: Axes, title: str, *, own: bool) -> None:
    """Put a legend of what has a label into rows above the plot, and the title above that."""
    named = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    rows = 0
    if named:
        room = ax.get_window_extent().width * _INCH / ax.figure.dpi
        columns = _columns_for([text_width(name, _LEGEND_SIZE) + _LEGEND_MARK for name in named], room)
        rows = -(-len(named) // columns)
        row = {"frameon": False, "borderaxespad": 0.2, "handlelength": 2.4, "columnspacing": 1.6}
        ax.legend(named.values(), named, loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, **row)
    above = _TITLE_PAD + _LEGEND_ROW * rows
    ax.set_title(title, loc="left", pad=above)
    if own:
        ax.figure.subplots_adjust(top=1 - (above + _TITLE_HEIGHT) / _INCH / _SIZE_INCHES[1])


def _columns_for(widths: list[float], room: float) -> int:
    """Return how many columns of names fit beside each other; a legend gives the first ones one more, if need be."""
    for rows in range(1, len(widths)):
        columns = -(-len(widths) // rows)
        long, used = len(widths) - columns * (rows - 1), 0.0
        begin = 0
        for column in range(columns):
            end = begin + (rows if column < long else rows - 1)
            used += max(widths[begin:end], default=0.0)
            begin = end
        if used <= room:
            return columns
    return 1


def _settings(palette: Palette) -> dict[str, Any]:
    return {
        "axes.axisbelow": True,
        "axes.edgecolor": palette.faint,
        "axes.facecolor": palette.paper,
        "axes.grid": True,
        "axes.labelcolor": palette.ink,
        "axes.labelsize": 10,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": palette.ink,
        "axes.titlesize": 12,
        "axes.titleweight": "bold",
        "figure.facecolor": palette.paper,
        "font.family": [_FONT],
        "font.size": 9.5,
        "grid.color": palette.grid,
        "grid.linewidth": 0.8,
        "legend.edgecolor": palette.grid,
        "legend.facecolor": palette.paper,
        "legend.fontsize": _LEGEND_SIZE,
        "legend.framealpha": 0.9,
        "legend.labelcolor": palette.ink,
        "lines.linewidth": 1.8,
        "savefig.facecolor": palette.paper,
        "svg.fonttype": "path",  # letters as shapes: no font has to be there
        "svg.hashsalt": "timectx",  # names inside the drawing are the same in every run
        "text.color": palette.ink,
        "xtick.color": palette.faint,
        "xtick.labelcolor": palette.ink,
        "ytick.color": palette.faint,
        "ytick.labelcolor": palette.ink,
    }

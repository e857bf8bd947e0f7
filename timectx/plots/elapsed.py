"""Show the elapsed times that readings print, and which of them read unavailable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from timectx.plots.scales import count_scale, duration_scale
from timectx.plots.style import LIGHT, Palette, styled
from timectx.plots.tracks import Plotted, Track, reading_tracks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_elapsed"]

_NEEDED: Final = ("elapsed_ms",)
_MARKS: Final = ("o", "s", "^", "D", "v", "P")
_BELOW_MS: Final = -700
"""Where those without a value stand: below 0, in the linear part of the axis."""


def plot_elapsed(plotted: Plotted, *, ax: Axes | None = None, palette: Palette = LIGHT) -> Axes:
    """
    Show the elapsed time that each reading prints.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        One run or several, or a frame of `timectx.readings_frame`.
    ax : Axes, optional
        Where to draw; None makes a figure of its own.
    palette : Palette, optional
        The colours.

    Returns
    -------
    Axes
        Readings in their order from left to right, elapsed time upwards. One that reads
        ``unavailable`` is a cross below 0, and the legend counts them.

    Raises
    ------
    FrameError
        If a frame lacks a column.

    Examples
    --------
    >>> from timectx import readings_frame
    >>> plot_elapsed(readings_frame([])).get_xlabel()
    'reading of the session'
    """
    tracks = reading_tracks(plotted, _NEEDED)
    with styled(ax, palette, "Elapsed time that readings print") as drawn:
        for at, track in enumerate(tracks):
            _draw(drawn, track, at, palette)
        known = (each for track in tracks for each in track.columns["elapsed_ms"] if each is not None)
        duration_scale(drawn, "y", known)
        if any(None in track.columns["elapsed_ms"] for track in tracks):
            drawn.set_ylim(bottom=2 * _BELOW_MS)
        count_scale(drawn, 0, max((len(track.columns["elapsed_ms"]) for track in tracks), default=1) + 1)
        drawn.set_xlabel("reading of the session")
        drawn.set_ylabel("elapsed time")
    return drawn


def _draw(ax: Axes, track: Track, at: int, palette: Palette) -> None:
    color = palette.series[at % len(palette.series)]
    elapsed = list(enumerate(track.columns["elapsed_ms"], 1))
    known = [(place, value) for place, value in elapsed if value is not None]
    gone = [place for place, value in elapsed if value is None]
    label = f"{track.label}: {len(known):,} with a value"
    mark: dict[str, Any] = {"linestyle": "none", "markersize": 5, "color": color}
    ax.plot([each[0] for each in known], [each[1] for each in known], marker=_MARKS[at % 6], label=label, **mark)
    if gone:
        below = [_BELOW_MS] * len(gone)
        ax.plot(gone, below, marker="x", label=f"{track.label}: {len(gone):,} unavailable", **mark)

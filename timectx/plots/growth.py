"""Show how the conversation grows step by step, and how much of it is readings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from timectx.plots.scales import count_scale
from timectx.plots.style import LIGHT, LINES, Palette, styled
from timectx.plots.tracks import Plotted, Track, step_tracks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_growth"]

_NEEDED: Final = ("surface_tokens", "reading_tokens", "header_tokens")


def plot_growth(plotted: Plotted, *, ax: Axes | None = None, palette: Palette = LIGHT) -> Axes:
    """
    Show the tokens of each step's request, the part that is readings, and where compactions cut it.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        One run or several, or a frame of `timectx.steps_frame`, which does not know of compactions.
    ax : Axes, optional
        Where to draw; None makes a figure of its own.
    palette : Palette, optional
        The colours.

    Returns
    -------
    Axes
        Steps of the session from left to right, tokens upwards. One run is drawn as layers: header,
        messages, readings. Of several runs the readings alone are drawn, a line each.

    Raises
    ------
    FrameError
        If a frame lacks a column.

    Examples
    --------
    >>> from timectx import steps_frame
    >>> plot_growth(steps_frame([])).get_ylabel()
    'tokens in the request'
    """
    tracks = step_tracks(plotted, _NEEDED)
    alone = len(tracks) == 1
    title = "What each request holds" if len(tracks) <= 1 else "Readings in each request"
    with styled(ax, palette, title) as drawn:
        if alone:
            _draw_layers(drawn, tracks[0], palette)
        for at, track in enumerate(tracks if not alone else ()):
            _draw_line(drawn, track, at, palette)
        _mark_compactions(drawn, tracks, palette)
        longest = max((len(track.columns["surface_tokens"]) for track in tracks), default=0)
        count_scale(drawn, 1, max(2, longest))
        drawn.set_ylim(bottom=0)
        drawn.set_xlabel("step of the session")
        drawn.set_ylabel("tokens in the request" if len(tracks) <= 1 else "tokens of visible readings")
        drawn.yaxis.set_major_formatter("{x:,.0f}")
    return drawn


def _draw_layers(ax: Axes, track: Track, palette: Palette) -> None:
    header, surface, readings = (track.columns[name] for name in ("header_tokens", "surface_tokens", "reading_tokens"))
    places = range(1, len(surface) + 1)
    messages = [all_of_it - part for all_of_it, part in zip(surface, readings, strict=True)]
    colors = (palette.grid, palette.first, palette.third)
    layers = ax.stackplot(places, header, messages, readings, colors=colors, step="mid")
    for layer, label in zip(layers, ("header", "messages", "readings"), strict=True):
        layer.set_label(label)
        layer.set_linewidth(0)
    layers[1].set_alpha(0.55)
    layers[2].set_hatch("////")
    layers[2].set_edgecolor(palette.paper)


def _draw_line(ax: Axes, track: Track, at: int, palette: Palette) -> None:
    readings = track.columns["reading_tokens"]
    style, color = LINES[at % len(LINES)], palette.series[at % len(palette.series)]
    places = range(1, len(readings) + 1)
    ax.step(places, readings, where="mid", linestyle=style, color=color, label=track.label)


def _mark_compactions(ax: Axes, tracks: list[Track], palette: Palette) -> None:
    label = "compaction"
    for place in sorted({place for track in tracks for place in track.compactions}):
        ax.axvline(place + 0.5, color=palette.ink, linewidth=1, linestyle=(0, (2, 2)), label=label)
        label = "_"  # one line of the legend stands for all

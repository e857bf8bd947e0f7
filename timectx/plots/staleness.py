"""Show how old the newest reading is that the model sees: step by step, or over all steps of many sessions."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, cast

from timectx.errors import FrameError
from timectx.plots.names import setting_name
from timectx.plots.scales import count_scale, duration_scale, elapsed_scale
from timectx.plots.style import LIGHT, LINES, Palette, plain_label, styled
from timectx.plots.tracks import Plotted, Track, forward_ms, step_tracks
from timectx.results.edges import BEYOND_MS, STALENESS_EDGES_MS, unpack_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["plot_staleness"]

_NEEDED: Final = ("now_ms", "added", "staleness_ms")
_MANY_STEPS: Final = 150
_COUNTED: Final = ("scenario", "steps", "staleness_counts")


def plot_staleness(
    plotted: Plotted, *, ax: Axes | None = None, over: Literal["time", "steps"] = "time", palette: Palette = LIGHT
) -> Axes:
    """
    Show staleness over time with blind steps shaded, or how many steps see a reading of which staleness.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        One run or several, or a frame of `timectx.steps_frame`: over time. A frame of
        `timectx.sweep_sessions`: the share of steps, a line for each scenario; pick a few first.
    ax : Axes, optional
        Where to draw; None makes a figure of its own.
    over : {"time", "steps"}, optional
        What runs from left to right: time, or the steps one after the other, which leaves out the
        pauses between them. A frame of a sweep has neither.
    palette : Palette, optional
        The colours.

    Returns
    -------
    Axes
        Over time: the time by which the clock went forward since the first step against staleness; a
        step is a point, a line holds those together that see the same reading, a stretch of blind
        steps is a shade. Of a sweep: staleness against the
        share of steps that see a reading at most that old; a line that ends below 100 % leaves the
        rest blind.

    Raises
    ------
    FrameError
        If a frame lacks a column.

    Examples
    --------
    >>> from timectx import steps_frame
    >>> plot_staleness(steps_frame([])).get_xlabel()
    'time since the first step'
    """
    if "staleness_counts" in getattr(plotted, "columns", ()):
        return _plot_shares(cast("DataFrame", plotted), ax, palette)
    tracks = step_tracks(plotted, _NEEDED)
    with styled(ax, palette, "Staleness: how old is the newest reading the model sees") as drawn:
        places = [_places(track, over) for track in tracks]
        for at, (track, place) in enumerate(zip(tracks, places, strict=True)):
            _draw_over_time(drawn, track, place, at, palette)
        if len(tracks) == 1:
            _shade_blind(drawn, tracks[0], places[0], palette)
        known = [each for track in tracks for each in track.columns["staleness_ms"] if each is not None]
        duration_scale(drawn, "y", known, linear=len(tracks) == 1)
        _scale_places(drawn, max((each[-1] for each in places if each), default=0), over)
        drawn.set_ylabel("staleness")
    return drawn


def _places(track: Track, over: Literal["time", "steps"]) -> list[int]:
    instants = track.columns["now_ms"]
    return forward_ms(instants) if over == "time" else list(range(1, len(instants) + 1))


def _scale_places(ax: Axes, last: int, over: Literal["time", "steps"]) -> None:
    if over == "time":
        elapsed_scale(ax, last)
        ax.set_xlabel("time since the first step")
    else:
        count_scale(ax, 0.5, max(2, last) + 0.5)
        ax.set_xlabel("step of the session")


def _draw_over_time(ax: Axes, track: Track, places: list[int], at: int, palette: Palette) -> None:
    x: list[float] = []
    y: list[float] = []
    last_ms = 0
    columns = track.columns
    for place, staleness_ms, added in zip(places, columns["staleness_ms"], columns["added"], strict=True):
        if added or staleness_ms is None or staleness_ms < last_ms:  # a gap: another reading, or none
            x.append(place)
            y.append(float("nan"))
        if staleness_ms is not None:
            x.append(place)
            y.append(staleness_ms)
        last_ms = staleness_ms or 0
    style, color = LINES[at % len(LINES)], palette.series[at % len(palette.series)]
    size, width = (3.5, 1.2) if len(places) <= _MANY_STEPS else (1.6, 0.7)
    ax.plot(x, y, linestyle=style, color=color, label=track.label, marker="o", markersize=size, linewidth=width)


def _shade_blind(ax: Axes, track: Track, places_ms: list[int], palette: Palette) -> None:
    """Shade from each blind step to the next one that sees a reading."""
    label = "blind steps"
    blind = [each is None for each in track.columns["staleness_ms"]]
    at = 0
    while at < len(blind):
        end = at
        while end < len(blind) and blind[end]:
            end += 1
        if end > at:
            right = places_ms[min(end, len(blind) - 1)]
            ax.axvspan(places_ms[at], right, facecolor=palette.faint, alpha=0.35, hatch="xx", label=label)
            label = "_"  # one line of the legend stands for all
        at = end + 1


def _plot_shares(frame: DataFrame, ax: Axes | None, palette: Palette) -> Axes:
    missing = [name for name in _COUNTED if name not in frame.columns]
    if missing:
        raise FrameError(f"this plot needs the columns {', '.join(missing)}, which the frame lacks", kind="columns")
    with styled(ax, palette, "How stale the reading is that a step sees") as drawn:
        longest = 0
        for at, (name, rows) in enumerate(frame.groupby("scenario", sort=False)):
            longest = max(longest, _draw_shares(drawn, str(name), rows, at, palette))
        duration_scale(drawn, "x", [longest])
        drawn.set_ylim(0, 102)
        drawn.set_xlabel("staleness")
        drawn.set_ylabel("steps that see a reading at most that old, %")
    return drawn


def _draw_shares(ax: Axes, name: str, rows: DataFrame, at: int, palette: Palette) -> int:
    """Draw one scenario and return where it ends."""
    counts: Counter[int] = Counter()
    for packed in rows["staleness_counts"]:
        counts.update(unpack_counts(packed))
    steps = int(rows["steps"].sum())
    if not steps or not counts:
        return 0
    edges = [STALENESS_EDGES_MS[each] for each in sorted(counts)]
    edges = [each if each != BEYOND_MS else 2 * STALENESS_EDGES_MS[-2] for each in edges]
    shares = [100 * each / steps for each in accumulate(counts[each] for each in sorted(counts))]
    style, color = LINES[at % len(LINES)], palette.series[at % len(palette.series)]
    ax.step(
        [0, *edges], [0, *shares], where="post", linestyle=style, color=color, label=plain_label(setting_name(name))
    )
    return edges[-1]

"""Show when turns ran, when steps were prepared, which of them got a reading, and where compactions stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from timectx.plots.scales import round_spacing
from timectx.plots.style import LIGHT, Palette, styled
from timectx.plots.tracks import Plotted, Track, forward_ms, step_tracks
from timectx.reading import format_timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

__all__ = ["plot_timeline"]

_NEEDED: Final = ("turn", "now_ms", "added", "staleness_ms")
_DAY_MS: Final = 86_400_000
_MINUTE_MS: Final = 60_000
_MOST_TICKS: Final = 7
_BAND: Final = 0.7
"""Height of a turn's band, where a lane has 1."""


def plot_timeline(
    plotted: Plotted, *, ax: Axes | None = None, zone: str | None = None, palette: Palette = LIGHT
) -> Axes:
    """
    Show what happened when, a lane for each run.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        One run or several, or a frame of `timectx.steps_frame`, which does not know of compactions.
    ax : Axes, optional
        Where to draw; None makes a figure of its own.
    zone : str, optional
        Zone of the times below the plot; None takes that of the first run, UTC for a frame.
    palette : Palette, optional
        The colours.

    Returns
    -------
    Axes
        Time from left to right as it passed, so that an hour is as wide on the day clocks change as
        on any other; where the clock itself went back, no width is lost or gained. Turns are bands,
        steps are ticks, readings are dots on them, blind steps are crosses.

    Raises
    ------
    FrameError
        If a frame lacks a column.
    ZoneError
        If `zone` is unknown.

    Examples
    --------
    >>> from timectx import steps_frame
    >>> plot_timeline(steps_frame([])).get_xlabel()
    'time in UTC'
    """
    tracks = step_tracks(plotted, _NEEDED)
    shown = zone or next((_zone_of(track) for track in tracks), "UTC")
    with styled(ax, palette, "Turns, steps and readings over time") as drawn:
        for lane, track in enumerate(tracks):
            _draw_lane(drawn, track, lane, palette)
        drawn.set_yticks([])
        drawn.spines["left"].set_visible(False)
        drawn.set_ylim(max(1, len(tracks)) - 0.5, -0.6)
        drawn.grid(visible=False, axis="y")
        _label_times(drawn, tracks, shown)
    return drawn


def _zone_of(track: Track) -> str:
    zone = track.run.scenario.time_zone if track.run else None
    return zone if isinstance(zone, str) else "UTC"


def _draw_lane(ax: Axes, track: Track, lane: int, palette: Palette) -> None:
    places = forward_ms(track.columns["now_ms"])
    added, staleness, turns = (track.columns[name] for name in ("added", "staleness_ms", "turn"))
    for begin, end in _turn_bands(turns, places):
        ax.barh(
            lane,
            end - begin,
            left=begin,
            height=_BAND,
            facecolor=palette.grid,
            edgecolor=palette.grid,
            linewidth=1.5,
            label="turn",
        )
    ticks: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 9, "color": palette.faint}
    ax.plot(places, [lane + 0.08] * len(places), label="step", **ticks)
    with_reading = [place for place, each in zip(places, added, strict=True) if each]
    dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 5, "color": palette.third}
    ax.plot(with_reading, [lane - 0.12] * len(with_reading), label="reading", **dots)
    blind = [place for place, each in zip(places, staleness, strict=True) if each is None]
    if blind:
        crosses: dict[str, Any] = {"linestyle": "none", "marker": "x", "markersize": 5, "color": palette.ink}
        ax.plot(blind, [lane + 0.26] * len(blind), label="blind step", **crosses)
    for at in track.compactions:
        here = places[min(at, len(places) - 1)]
        ax.plot([here, here], [lane - _BAND / 2, lane + _BAND / 2], color=palette.first, label="compaction")
    name = f"{track.label}: {sum(map(bool, added)):,} readings, {len(places):,} steps"
    ax.text(0, lane - _BAND / 2 - 0.03, name, transform=ax.get_yaxis_transform(), color=palette.ink, va="bottom")


def _turn_bands(turns: Sequence[int], places: Sequence[int]) -> list[tuple[int, int]]:
    """Return where each turn's steps begin and end."""
    bands: list[tuple[int, int]] = []
    for at, place in enumerate(places):
        if at and turns[at] == turns[at - 1]:
            bands[-1] = (bands[-1][0], place)
        else:
            bands.append((place, place))
    return bands


def _label_times(ax: Axes, tracks: Sequence[Track], zone: str) -> None:
    instants = max((track.columns["now_ms"] for track in tracks), key=len, default=[])
    places = forward_ms(instants)
    last = max((forward_ms(track.columns["now_ms"])[-1] for track in tracks if track.columns["now_ms"]), default=1)
    ticks = _round_places(instants, last)
    ax.set_xticks(ticks, _time_labels([_instant_at(place, places, instants) for place in ticks], zone))
    ax.set_xlim(-0.015 * max(1, last), 1.015 * max(1, last))
    ax.set_xlabel(f"time in {zone}")


def _round_places(instants: Sequence[int], last: int) -> list[int]:
    """Return places of round instants, those of whole hours or days where the span is long."""
    if not instants:
        return []
    spacing = max(round_spacing(last, _MOST_TICKS), 1000)
    begin = -(-instants[0] // spacing) * spacing - instants[0]
    return list(range(begin, last + 1, spacing))


def _instant_at(place: int, places: Sequence[int], instants: Sequence[int]) -> int:
    """Return what the clock read at a place: after the last step up to it, as far on as the place is."""
    at = max((at for at, each in enumerate(places) if each <= place), default=0)
    return instants[at] + place - places[at]


def _time_labels(instants: Sequence[int], zone: str) -> list[str]:
    """Write times of day, with the date where it is a new one and the offset where it is not the same throughout."""
    written = [format_timestamp(each, zone).partition("[")[0] for each in instants]
    days, times = [each[:10] for each in written], [each[11:16] for each in written]
    offsets = [each[19:] for each in written]
    seconds = any(each % _MINUTE_MS for each in instants)
    labels = []
    for at, time in enumerate(times):
        label = written[at][11:19] if seconds else time
        label += offsets[at] if len(set(offsets)) > 1 else ""
        labels.append(label + (f"\n{days[at]}" if at == 0 or days[at] != days[at - 1] else ""))
    return labels

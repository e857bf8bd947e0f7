"""Take runs or frames apart into the tracks that plots draw, at places that never go backwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from timectx.errors import FrameError
from timectx.plots.names import EVERY_ATTEMPT
from timectx.plots.style import plain_label
from timectx.replay import Run, RunCompaction, RunStep
from timectx.results.frames import readings_frame, steps_frame
from timectx.units import format_interval

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Plotted", "Track", "as_runs", "forward_ms", "reading_tracks", "step_tracks"]

Plotted: TypeAlias = "Run | Iterable[Run] | DataFrame"
"""What plots take: one run, several, or a frame with a row for each step or reading."""


@dataclass(frozen=True)
class Track:
    """
    Hold the rows of one run by column, and the run where it is known.

    `columns` has a list for each column, with None where there is no value.
    """

    label: str
    columns: dict[str, list[Any]]
    run: Run | None = None

    @property
    def compactions(self) -> tuple[int, ...]:
        """The steps, counted from 0, before which a compaction stood; none where the run is not known."""
        return tuple(_step_after(self.run.steps, each) for each in self.run.compactions) if self.run else ()


def as_runs(plotted: Plotted) -> list[Run] | None:
    """
    Return what is plotted as runs.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        What a plot was given.

    Returns
    -------
    list of Run or None
        None for a frame.
    """
    if isinstance(plotted, Run):
        return [plotted]
    return None if hasattr(plotted, "columns") else list(plotted)


def step_tracks(plotted: Plotted, needed: Sequence[str]) -> list[Track]:
    """
    Return a track of steps for each run.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        Runs, or a frame of `steps_frame`.
    needed : sequence of str
        Columns the plot cannot do without.

    Returns
    -------
    list of Track
        In the order given, labelled by what tells them apart.

    Raises
    ------
    FrameError
        Kind ``columns`` if a frame lacks some of those.
    """
    runs = as_runs(plotted)
    return _tracks(cast("DataFrame", plotted) if runs is None else steps_frame(runs), runs, needed)


def reading_tracks(plotted: Plotted, needed: Sequence[str]) -> list[Track]:
    """
    Return a track of readings for each run.

    Parameters
    ----------
    plotted : Run, iterable of Run or DataFrame
        Runs, or a frame of `readings_frame`.
    needed : sequence of str
        Columns the plot cannot do without.

    Returns
    -------
    list of Track
        In the order given; a run without readings has no track.

    Raises
    ------
    FrameError
        Kind ``columns`` if a frame lacks some of those.
    """
    runs = as_runs(plotted)
    return _tracks(cast("DataFrame", plotted) if runs is None else readings_frame(runs), None, needed)


def forward_ms(instants: Iterable[int]) -> list[int]:
    """
    Place instants on a scale that only goes forward.

    Parameters
    ----------
    instants : iterable of int
        Epoch milliseconds in the order of a log.

    Returns
    -------
    list of int
        Milliseconds that had passed since the first, counting only those by which the clock went
        forward. Where it never went back, that is the time since the first.

    Examples
    --------
    >>> forward_ms([5_000, 8_000, 1_000, 2_000])
    [0, 3000, 3000, 4000]
    """
    listed = list(instants)
    passed = (max(0, later - earlier) for earlier, later in pairwise(listed))
    return list(accumulate(passed, initial=0)) if listed else []


def _tracks(frame: DataFrame, runs: list[Run] | None, needed: Sequence[str]) -> list[Track]:
    missing = [name for name in ("session", "interval_ms", *needed) if name not in frame.columns]
    if missing:
        raise FrameError(f"this plot needs the columns {', '.join(missing)}, which the frame lacks", kind="columns")
    parts = _by_run(frame) if runs is None else [_rows_of(frame, at, runs) for at in range(len(runs))]
    keys = [_key(part, run) for part, run in zip_longest(parts, runs or ())]
    return [
        Track(label, {str(name): _plain(part, str(name)) for name in part.columns}, runs[at] if runs else None)
        for at, (label, part) in enumerate(zip(_labels(keys), parts, strict=True))
    ]


def _by_run(frame: DataFrame) -> list[DataFrame]:
    groups = frame.groupby(["session", "interval_ms"], sort=False, dropna=False)
    return [part for _, part in groups]


def _rows_of(frame: DataFrame, at: int, runs: Sequence[Run]) -> DataFrame:
    begin = sum(len(run.steps) for run in runs[:at])
    return frame.iloc[begin : begin + len(runs[at].steps)]


def _plain(frame: DataFrame, name: str) -> list[Any]:
    column = frame[name]
    return [None if gone else value for value, gone in zip(column.tolist(), column.isna().tolist(), strict=True)]


def _key(part: DataFrame, run: Run | None) -> tuple[str, str]:
    if run is not None:
        scenario = run.scenario
        return run.session_id, "as recorded" if scenario.policy == "recorded" else _interval(scenario.interval_ms)
    return (str(part["session"].iloc[0]), _interval(part["interval_ms"].iloc[0])) if len(part) else ("", "")


def _interval(interval_ms: Any) -> str:
    return EVERY_ATTEMPT if interval_ms == 0 else format_interval(int(interval_ms))


def _labels(keys: Sequence[tuple[str, str]]) -> list[str]:
    """Name runs by their interval, and by their session where there are several."""
    if len({session for session, _ in keys}) <= 1:
        return [interval for _, interval in keys]
    if len({interval for _, interval in keys}) <= 1:
        return [plain_label(session) for session, _ in keys]
    return [f"{plain_label(session)}, {interval}" for session, interval in keys]


def _step_after(steps: Sequence[RunStep], compaction: RunCompaction) -> int:
    turn = compaction.turn
    for at, step in enumerate(steps):
        later_turn = turn is not None and step.turn > turn
        if later_turn or (turn in (None, step.turn) and step.now_ms >= compaction.time_ms):
            return _drop_near(steps, at)
    return len(steps)


def _drop_near(steps: Sequence[RunStep], at: int) -> int:
    """Return the step before the one found where the surface shrank there: it was prepared just before."""
    shrank = at >= 2 and steps[at - 1].surface_tokens < steps[at - 2].surface_tokens
    still = at >= 1 and steps[at].surface_tokens >= steps[at - 1].surface_tokens
    return at - 1 if shrank and still else at

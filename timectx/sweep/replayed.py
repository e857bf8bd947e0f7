"""Measure a session by replaying it in full, which every scenario allows, into the columns that the kernel fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from timectx.cost import PriceList, bill_run
from timectx.replay import Compaction, Run, Scenario, Timeline, replay_timeline, resolve_scenario, timeline_for
from timectx.replay.measures import measure_run
from timectx.replay.recorded_walk import RecordedWalk
from timectx.replay.run import Measures
from timectx.replay.simulated_walk import SimulatedWalk
from timectx.replay.timeline import Cue
from timectx.results.edges import bin_of, pack_counts
from timectx.session import Session
from timectx.sweep.labels import zone_words

__all__ = ["replay_columns"]

_OF_AN_ATTEMPT: Final = ("compact", "decide", "insert")


def replay_columns(
    session: Session,
    scenarios: Sequence[Scenario],
    *,
    inherited: Session | None = None,
    prices: PriceList | None = None,
) -> dict[str, list[Any]]:
    """
    Replay a session under each of several scenarios.

    Parameters
    ----------
    session : Session
        The session.
    scenarios : sequence of Scenario
        Any, each whole.
    inherited : Session, optional
        The leading part that counts elsewhere; None counts everything.
    prices : PriceList, optional
        None = the list that comes with the package.

    Returns
    -------
    dict of str to list
        By the names of a sweep's columns, one value a scenario; None where there is none.
    """
    rows = [_row(session, scenario, inherited, prices) for scenario in scenarios]
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _row(session: Session, scenario: Scenario, inherited: Session | None, prices: PriceList | None) -> dict[str, Any]:
    timeline = timeline_for(session, scenario)
    resolved = resolve_scenario(timeline, scenario)
    before = replay_timeline(timeline_for(inherited, resolved), resolved) if inherited else None
    own = _own(timeline, resolved, before)
    bill = bill_run(own.run, prices, skip_requests=own.requests, skip_compactions=own.compactions)
    return {
        "time_zone": zone_words(resolved.time_zone),
        "inherited_steps": own.steps,
        **asdict(own.measures),
        "cached_input_tokens": bill.cached_input_tokens,
        "written_input_tokens": bill.written_input_tokens,
        "uncached_input_tokens": bill.uncached_input_tokens,
        "output_tokens": bill.output_tokens,
        "cost_usd": bill.cost_usd,
        "unpriced_tokens": bill.unpriced_tokens,
        "staleness_counts": _counts(own.run, own.steps),
    }


class _Own(Struct, frozen=True):
    """Hold a run, how much of its beginning counts elsewhere, and the measures of the rest."""

    run: Run
    measures: Measures
    steps: int = 0
    requests: int = 0
    compactions: int = 0


def _own(timeline: Timeline, scenario: Scenario, before: Run | None) -> _Own:
    """
    Replay a session, and measure what it did itself.

    A replay of the beginning is the beginning of the replay, so the rest is the session's own; of the tokens resent its
    own requests pay also those of readings that it took over.
    """
    if before is None:
        run = replay_timeline(timeline, scenario)
        return _Own(run, run.measures)
    run, peak_tokens, first_compaction = _walked(timeline, scenario, len(before.attempts))
    own = measure_run(
        run.attempts[len(before.attempts) :],
        run.readings[len(before.readings) :],
        run.steps[len(before.steps) :],
        run.compactions[len(before.compactions) :],
        run.requests[len(before.requests) :],
        peak_pressure_tokens=peak_tokens,
        first_compaction_step=first_compaction,
    )
    resent = run.measures.resent_tokens - before.measures.resent_tokens
    ratio = (own.reading_tokens + resent) / own.input_tokens if own.input_tokens else 0.0
    extra = run.measures.extra_tokens - before.measures.extra_tokens
    measures = replace(own, resent_tokens=resent, reading_ratio=ratio, extra_tokens=extra)
    return _Own(run, measures, len(before.steps), len(before.requests), len(before.compactions))


def _walked(timeline: Timeline, scenario: Scenario, attempts: int) -> tuple[Run, int, int | None]:
    """Return the run, and of the part behind some attempts what only a walk knows: its peak and first compaction."""
    walk: RecordedWalk | SimulatedWalk
    if isinstance(scenario.compaction, Compaction):
        walk = SimulatedWalk(timeline, scenario, scenario.compaction)
    else:
        walk = RecordedWalk(timeline, scenario)
    is_own = False
    for cue in timeline.cues:
        if not is_own and _is_own(cue, timeline.session.header.seed_length or 0, attempts):
            is_own, walk.peak_pressure_tokens, walk.first_compaction_step = True, 0, None
        walk.follow(cue)
    peak_tokens, first_compaction = walk.peak_pressure_tokens, walk.first_compaction_step
    return walk.run(), peak_tokens if is_own else 0, first_compaction if is_own else None


def _is_own(cue: Cue, seed_length: int, attempts: int) -> bool:
    if cue.act in _OF_AN_ATTEMPT:
        return cue.index >= attempts
    return cue.event is not None and cue.event.seq >= seed_length


def _counts(run: Run, inherited_steps: int) -> bytes:
    counts: dict[int, int] = {}
    for step in run.steps[inherited_steps:]:
        if step.staleness_ms is not None:
            counts[bin_of(step.staleness_ms)] = counts.get(bin_of(step.staleness_ms), 0) + 1
    return pack_counts(counts)

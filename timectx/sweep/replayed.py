"""Measure a session by replaying it in full, which every scenario allows, into the columns that the kernel fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from timectx.replay import Run, Scenario, replay_timeline, timeline_for
from timectx.replay.measures import measure_run
from timectx.replay.run import Measures
from timectx.results.edges import bin_of, pack_counts
from timectx.session import Session
from timectx.sweep.labels import zone_words

__all__ = ["own_measures", "replay_columns"]


def replay_columns(
    session: Session, scenarios: Sequence[Scenario], *, inherited: Session | None = None
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

    Returns
    -------
    dict of str to list
        By the names of a sweep's columns, one value a scenario; None where there is none.
    """
    rows = [_row(session, scenario, inherited) for scenario in scenarios]
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def own_measures(run: Run, inherited: Run | None) -> Measures:
    """
    Return the measures of what a session did itself.

    Parameters
    ----------
    run : Run
        Of the whole session.
    inherited : Run or None
        Of the leading part it took over from another, under the same scenario; None for nothing.

    Returns
    -------
    Measures
        A replay of the beginning is the beginning of the replay, so the rest is the session's own; of the
        tokens resent its own requests pay also those of readings that it took over.
    """
    if inherited is None:
        return run.measures
    own = measure_run(
        run.attempts[len(inherited.attempts) :],
        run.readings[len(inherited.readings) :],
        run.steps[len(inherited.steps) :],
        run.compactions[len(inherited.compactions) :],
    )
    resent = run.measures.resent_tokens - inherited.measures.resent_tokens
    ratio = (own.reading_tokens + resent) / own.input_tokens if own.input_tokens else 0.0
    return msgspec.structs.replace(own, resent_tokens=resent, reading_ratio=ratio)


def _row(session: Session, scenario: Scenario, inherited: Session | None) -> dict[str, Any]:
    run = replay_timeline(timeline_for(session, scenario), scenario)
    before = replay_timeline(timeline_for(inherited, run.scenario), run.scenario) if inherited else None
    counts: dict[int, int] = {}
    for step in run.steps[len(before.steps) if before else 0 :]:
        if step.staleness_ms is not None:
            counts[bin_of(step.staleness_ms)] = counts.get(bin_of(step.staleness_ms), 0) + 1
    return {
        "time_zone": zone_words(run.scenario.time_zone),
        "inherited_steps": len(before.steps) if before else 0,
        **msgspec.structs.asdict(own_measures(run, before)),
        "staleness_counts": pack_counts(counts),
    }

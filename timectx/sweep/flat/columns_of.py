"""Turn a session into flat columns, by walking once through what happens in it."""

from __future__ import annotations

from typing import Any

from timectx.reading import zone_database_release
from timectx.replay import Compaction, Scenario, resolve_scenario, timeline_for
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.deliveries import clock_call, clock_tool_tokens, forward_ms
from timectx.session import Session
from timectx.sweep.flat.columns import Columns, make_columns
from timectx.sweep.flat.plain_steps import add_plain_steps, add_request_sums
from timectx.sweep.flat.recorded_ledger import RecordedLedger
from timectx.sweep.flat.simulated_ledger import SimulatedLedger
from timectx.sweep.labels import compaction_word, zone_words

__all__ = ["columns_key", "columns_of"]


def columns_of(session: Session, scenario: Scenario) -> Columns:
    """
    Turn a session into flat columns.

    Parameters
    ----------
    session : Session
        A recorded history.
    scenario : Scenario
        Of its knobs only those in `columns_key` matter.

    Returns
    -------
    Columns
        For every scenario with the same key. Where no kernel can replay the session, they say why.

    Raises
    ------
    TimectxError
        As `timectx.replay.replay_session`.

    Examples
    --------
    >>> from timectx.synthetic import synthetic_session
    >>> columns = columns_of(synthetic_session(1, steps=20), Scenario())
    >>> columns.unfit, len(columns.lists["a_now"])
    ('', 20)
    """
    timeline = timeline_for(session, scenario)
    resolved = resolve_scenario(timeline, scenario)
    compaction = scenario.compaction
    ledger: RecordedLedger | SimulatedLedger
    if isinstance(compaction, Compaction):
        ledger = SimulatedLedger(timeline, resolved, compaction)
    else:
        ledger = RecordedLedger(timeline, resolved)
    for cue in timeline.cues:
        ledger.follow(cue)
    columns = ledger.finish()
    simulated = isinstance(ledger, SimulatedLedger)
    add_request_sums(columns, reported=scenario.meter == "reported")
    add_plain_steps(columns, simulated=simulated, note=scenario.edition == "note")
    return make_columns(
        {
            "session_id": session.header.id,
            "edition": scenario.edition,
            "compaction": compaction_word(compaction),
            "time_zone": zone_words(resolved.time_zone),
            "scale": timeline.prices.scale,
            "attempts": len(columns["a_now"]),
            "steps": len(timeline.session.steps),
            "zone_database": zone_database_release(),
            "unfit": ledger.unfit,
            "models": tuple(ledger.models),
            "capacities": tuple(ledger.capacities.values()) if isinstance(ledger, SimulatedLedger) else (),
            "reported": scenario.meter == "reported",
            "called": scenario.delivery == "tool",
            "steady": ledger.steady,
            "schema_tokens": clock_tool_tokens(timeline.prices.memory),
            "call_tokens": price_message(clock_call(), scenario.edition, timeline.prices.memory),
            "forward_ms": forward_ms(moment.now_ms for moment in timeline.moments.moments),
            "system_head": isinstance(ledger, SimulatedLedger) and ledger.system_head,
        },
        columns,
    )


def columns_key(scenario: Scenario) -> tuple[Any, ...]:
    """
    Return what of a scenario its columns depend on.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    tuple
        Equal for scenarios whose columns of any session are the same.

    Examples
    --------
    >>> columns_key(Scenario(interval_ms=0)) == columns_key(Scenario(interval_ms=60_000, delivery="replaced"))
    True
    """
    compaction = scenario.compaction
    pruning = compaction.pruning if isinstance(compaction, Compaction) else None
    return (
        scenario.edition,
        _zone_key(scenario.time_zone),
        scenario.skip_empty,
        scenario.counter,
        compaction_word(compaction),
        None if pruning is None else tuple(sorted(pruning.items())),
        scenario.meter == "reported",
        scenario.meter == "scaled",
        scenario.delivery == "tool",
        scenario.scale,
    )


def _zone_key(zone: object) -> object:
    """Return a zone with the clock it shows: labels may be equal over clocks that are not."""
    if isinstance(zone, tuple):
        return tuple((seq, _zone_key(name)) for seq, name in zone)
    return zone, getattr(zone, "clock", None)

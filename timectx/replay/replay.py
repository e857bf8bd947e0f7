"""Replay a recorded session under a scenario: what would have been added, and what the model would have seen."""

from __future__ import annotations

from timectx.errors import ScenarioError
from timectx.replay.deliveries import forward_ms, too_many_ticks
from timectx.replay.empty_turns import without_empty_turns
from timectx.replay.prices import PriceBook
from timectx.replay.recorded_walk import RecordedWalk
from timectx.replay.resolve import resolve_scenario
from timectx.replay.run import Run
from timectx.replay.scale import fit_problems, fit_scale
from timectx.replay.scenario import Scenario
from timectx.replay.simulated_walk import SimulatedWalk
from timectx.replay.simulation import Compaction
from timectx.replay.timeline import Timeline, timeline_of
from timectx.replay.walk import Walk
from timectx.session import Problem, Session

__all__ = ["replay_session", "replay_timeline", "timeline_for"]


def replay_session(session: Session, scenario: Scenario) -> Run:
    """
    Replay a session as it would have gone under a scenario.

    Parameters
    ----------
    session : Session
        A recorded history; it is not changed.
    scenario : Scenario
        Every knob; an unresolved zone is resolved from the session first.

    Returns
    -------
    Run
        Readings, attempts, steps, compactions and measures. The recorded readings that belong
        to an attempt are taken away and those the scenario gives are added.

    Raises
    ------
    ScenarioError
        Kind ``timer`` as `replay_timeline`.

    Examples
    --------
    >>> from timectx.session import Session, SessionHeader
    >>> replay_session(Session(SessionHeader(id="empty"), ()), Scenario()).measures.readings
    0
    """
    return replay_timeline(timeline_for(session, scenario), scenario)


def timeline_for(session: Session, scenario: Scenario) -> Timeline:
    """
    Settle the order of a session for a scenario, and for all that differ from it only in when a reading is due.

    Parameters
    ----------
    session : Session
        A recorded history.
    scenario : Scenario
        Its edition, counter, scale, compaction and empty turns matter here.

    Returns
    -------
    Timeline
        For `replay_timeline`.
    """
    kept = without_empty_turns(session) if scenario.skip_empty else session
    whole = isinstance(scenario.compaction, Compaction)
    prices, problems = _prices(session, scenario)
    return timeline_of(kept, scenario.edition, prices, whole=whole, problems=problems)


def replay_timeline(timeline: Timeline, scenario: Scenario) -> Run:
    """
    Replay a session whose order was settled before; for many scenarios of one edition.

    Parameters
    ----------
    timeline : Timeline
        Of the session, as `timeline_for` makes it.
    scenario : Scenario
        Every knob.

    Returns
    -------
    Run
        As `replay_session`.

    Raises
    ------
    ScenarioError
        Kind ``edition`` when the timeline was made for another edition or counter, ``scale`` when for
        another factor, ``timer`` when a timer would make more than `timectx.replay.deliveries.MOST_TICKS` readings.
    """
    if timeline.edition != scenario.edition or timeline.prices.counter != scenario.counter:
        raise ScenarioError(
            f"the timeline was made for edition {timeline.edition} and its counter, not for {scenario.edition}",
            kind="edition",
        )
    if (timeline.prices.scale is None) is (scenario.meter == "scaled") or scenario.scale not in (
        None,
        timeline.prices.scale,
    ):
        raise ScenarioError(
            f"the timeline was made for the scale {timeline.prices.scale}, not for {scenario.scale}", kind="scale"
        )
    if scenario.delivery == "timer":
        refusal = too_many_ticks(forward_ms(each.now_ms for each in timeline.moments.moments), scenario.interval)
        if refusal:
            raise ScenarioError(refusal, kind="timer")
    walk = _walk(timeline, resolve_scenario(timeline, scenario))
    walk.problems.extend(timeline.problems)
    for cue in timeline.cues:
        walk.follow(cue)
    return walk.run()


def _prices(session: Session, scenario: Scenario) -> tuple[PriceBook, tuple[Problem, ...]]:
    """Return the prices of a session, times the factor that the scenario asks for, with what is odd about it."""
    prices = PriceBook(scenario.counter)
    if scenario.meter != "scaled":
        return prices, ()
    if scenario.scale is not None:
        return prices.scaled(scenario.scale), ()
    fitted = fit_scale(session, prices)
    return prices.scaled(fitted or 1.0), fit_problems(fitted)


def _walk(timeline: Timeline, scenario: Scenario) -> Walk:
    if not isinstance(scenario.compaction, Compaction):
        return RecordedWalk(timeline, scenario)
    if not timeline.whole:
        raise ScenarioError("a simulated compaction needs a timeline with whole=True", kind="whole")
    return SimulatedWalk(timeline, scenario, scenario.compaction)

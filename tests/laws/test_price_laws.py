"""What holds for prices, whatever counts them and whatever happened in a session."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from tests.laws.test_delivery_laws import anything, scenarios
from timectx.replay import Compaction, FixedText, Run, Scenario, replay_session
from timectx.replay.counters import NamedCounter
from timectx.session import Session
from timectx.session.events import AssistantMessage, Event


def compaction(window: int) -> Compaction:
    """Return a compaction whose sizes are all shares of its window."""
    shares = {"thresholdRatio": 0.5, "retainRatio": 0.1}
    return Compaction(settings=shares, context_window=window, summary=FixedText("so far, so good"))


def uncounted(session: Session) -> Session:
    """Return a session of which no provider reported anything."""
    return Session(session.header, tuple(map(_without_usage, session.events)))


def _without_usage(event: Event) -> Event:
    if not isinstance(event, AssistantMessage):
        return event
    return replace(event, data=replace(event.data, usage=None))


def tokens_of(run: Run) -> dict[str, Any]:
    """Return every number of tokens that a run holds."""
    rows = {"measures": (run.measures,), "steps": run.steps, "readings": run.readings, "requests": run.requests}
    rows |= {"compactions": run.compactions}
    return {
        kind: [{name: value for name, value in asdict(row).items() if name.endswith("_tokens")} for row in found]
        for kind, found in rows.items()
    }


def doubled(tokens: dict[str, Any]) -> dict[str, Any]:
    """Return twice each number."""
    return {
        kind: [{name: None if value is None else 2 * value for name, value in row.items()} for row in rows]
        for kind, rows in tokens.items()
    }


@given(anything, scenarios(), st.sampled_from(("recorded", "off", "simulated")))
@settings(max_examples=60)
def test_a_factor_of_two_doubles_every_number_of_tokens(session: Session, scenario: Scenario, mode: Any) -> None:
    """Headers, nodes, readings, checkpoints, bills of summaries and tools alike: nothing is left in other tokens."""
    session = uncounted(session)
    one, two = (compaction(window) if mode == "simulated" else mode for window in (1500, 3000))
    single = replay_session(session, scenario.replace(compaction=one))
    double = replay_session(session, scenario.replace(compaction=two, meter="scaled", scale=2.0))
    assert tokens_of(double) == doubled(tokens_of(single))
    assert [reading.text for reading in double.readings] == [reading.text for reading in single.readings]


@given(anything, scenarios())
@settings(max_examples=40)
def test_what_is_remembered_is_what_a_counter_says(session: Session, scenario: Scenario) -> None:
    """Once a text or once a form of reading: the run is the same as with a counter that is asked each time."""
    named = NamedCounter("cjk")
    runs = [replay_session(session, scenario.replace(counter=counter)) for counter in (named, lambda text: named(text))]
    assert tokens_of(runs[0]) == tokens_of(runs[1])


@given(anything, scenarios(delivery="appended"), st.sampled_from(("estimate", "scaled")))
@settings(max_examples=40)
def test_every_prompt_is_the_sum_of_its_parts(session: Session, scenario: Scenario, meter: str) -> None:
    """Whatever counts: header and surface make up each first request, and the prices of readings their sum."""
    run = replay_session(session, scenario.replace(counter="cjk", meter=meter))
    for step in run.steps:
        assert step.input_tokens == step.requests * (step.header_tokens + step.surface_tokens)
    assert run.measures.reading_tokens == sum(reading.price_tokens for reading in run.readings)

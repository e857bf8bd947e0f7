"""Test the two listeners alone: what the one adds, and what the other survives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loop.scenes import EDITIONS, LATE, agent, play, readings
from timectx.errors import StoreError
from timectx.loop import Call, CompactionPlan, Decision, Enter, PreStep, Prompt, Reply
from timectx.reading import Edition
from timectx.session import Message

LONG = CompactionPlan(settings={"thresholdRatio": 0.5, "retainTokens": 0}, summary="short")


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_reading_is_due_again_at_exactly_the_interval(edition: Edition) -> None:
    """Ten seconds of interval, a step each five: every other step gets one."""
    step = Reply(calls=(Call(takes=3000),), takes=2000)
    session = play(step, step, step, step, Reply(text="ok"), edition=edition, interval="10s")
    steps = [text.split(":")[0] for text in readings(session)]
    assert steps == [f"Time sampled while preparing turn 1, step {step}" for step in (1, 3, 5)]


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_clock_that_went_back_makes_a_reading_due(edition: Edition) -> None:
    """It counts from nothing: elapsed is 0s."""
    prompts = (Prompt(say="one"), Prompt(say="two", after="-1m"))
    session = play(edition=edition, interval="1h", prompts=prompts)
    assert len(readings(session)) == 2
    assert readings(session)[1].endswith("0s.")


@pytest.mark.parametrize("edition", LATE)
def test_the_reading_joins_what_the_others_let_in_and_sees_their_zones(edition: Edition) -> None:
    """It comes last; in three lines a browser's zone that only a listener brought counts."""
    built = agent(edition=edition)
    source = {"kind": "user", "rpcId": "r", "clientTimeZone": "Asia/Tokyo"}
    extra = Message(content=({"type": "text", "text": "x"},), source=source, role="user", id="x")

    def add(call: PreStep, go_on: Any) -> Decision:
        decision = go_on(call)
        return Enter((*decision.messages, extra)) if isinstance(decision, Enter) else decision

    built.pre_step.register(add)
    built.send("hi")
    built.run([Reply(text="ok")])
    (text,) = readings(built.log.session())
    assert ("+09:00[Asia/Tokyo]" in text) == (edition != "note-v2")


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_default_interval_is_the_edition_s(edition: Edition) -> None:
    """Ten minutes in `current`, none in the others."""
    session = play(Reply(calls=(Call(),)), Reply(text="ok"), edition=edition, interval=None)
    assert len(readings(session)) == (1 if edition == "current" else 2)


def test_the_process_s_zone_is_taken_where_a_script_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, when the agent is set up."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    built = agent(time_zone=None)
    monkeypatch.setenv("TZ", "UTC")
    built.send("hi")
    built.run([Reply(text="ok")])
    assert "1970-01-01T05:30:00+05:30[Asia/Calcutta]" in readings(built.log.session())[0]


# Compaction


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Any:
    """Return an agent whose compaction fails in a way of its own."""
    built = agent(compaction=LONG, context_window=1000)
    assert built.compactor is not None

    def fail() -> None:
        raise error

    monkeypatch.setattr(built.compactor, "relieve_pressure", fail)
    built.send("hi")
    return built


def test_whatever_fails_a_compaction_the_turn_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure is told once for each step."""
    built = failing(monkeypatch, RuntimeError("odd"))
    built.run([Reply(calls=(Call(),)), Reply(text="ok")])
    assert built.warnings == [
        "turn 1, step 1: compaction failed, the turn goes on: odd",
        "turn 1, step 2: compaction failed, the turn goes on: odd",
    ]
    assert built.log.session().turns[0].reason == "completed"


def test_a_log_that_cannot_be_written_stops_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing could be logged about it."""
    built = failing(monkeypatch, StoreError("the disk is full", kind="disk-full"))
    with pytest.raises(StoreError):
        built.run([Reply(text="ok")])


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"context_window": None}, "the context window of scripted/scripted is not known"),
        ({"context_window": 1000, "edition": "current", "interval": 0}, "leave nothing of a window of 1000"),
    ],
    ids=["unknown", "too small"],
)
def test_a_window_that_cannot_be_compacted_is_told_once(fields: dict[str, Any], told: str) -> None:
    """It is the same at every step."""
    built = agent(compaction=CompactionPlan(summary="short"), **fields)
    for _ in range(3):
        built.send("hi")
        built.run([Reply(text="ok")])
    (warning,) = built.warnings
    assert told in warning
    assert warning.startswith("turn 2, step 1: ")


def test_compaction_that_is_not_automatic_waits_to_be_asked() -> None:
    """Pressure alone does nothing."""
    plan = CompactionPlan(settings={"auto": False, "thresholdRatio": 0.5, "retainTokens": 0}, summary="short")
    session = play(prompts=(Prompt(say="x" * 3000), Prompt(say="two")), compaction=plan, context_window=1000)
    assert "compaction/start" not in [event.type for event in session.events]

"""Turns and steps follow from their marks; requests are counted from retries, failures and output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.builders import LogBuilder, log
from timectx.session.data import Usage
from timectx.session.turns import Step, Turn, turns_of


def only_step(built: LogBuilder) -> Step:
    """Return the one step of a log."""
    (turn,) = turns_of(built.events())
    (step,) = turn.steps
    return step


def test_a_log_of_two_turns_is_grouped_whole() -> None:
    """Numbers, places, times, ends and requests of every turn and step."""
    built = log(tick_ms=10).turn().prompt("a").step().reply("b", calls=["c"]).tool("c").step().reply("d").end_turn()
    built.turn().prompt("e").step().reply("f").end_turn("max-tokens")
    done: dict[str, Any] = {"has_output": True, "reached": True}
    assert turns_of(built.events()) == (
        Turn(
            turn=1,
            start_seq=0,
            start_ms=0,
            end_seq=10,
            end_ms=100,
            reason="completed",
            steps=(
                Step(turn=1, step=1, start_seq=1, start_ms=10, request_seqs=(3,), end_seq=6, end_ms=60, **done),
                Step(turn=1, step=2, start_seq=7, start_ms=70, request_seqs=(8,), end_seq=9, end_ms=90, **done),
            ),
        ),
        Turn(
            turn=2,
            start_seq=11,
            start_ms=110,
            end_seq=16,
            end_ms=160,
            reason="max-tokens",
            steps=(
                Step(turn=2, step=1, start_seq=12, start_ms=120, request_seqs=(14,), end_seq=15, end_ms=150, **done),
            ),
        ),
    )


def test_an_empty_log_has_no_turn() -> None:
    """Nor has one of other events alone."""
    assert turns_of([]) == turns_of(log().prompt("a").event("todo/write", {"todos": []}).events()) == ()


@pytest.mark.parametrize("reason", ["blocked", "error", "aborted", "completed", "interrupted"])
def test_a_turn_may_end_without_any_step(reason: str) -> None:
    """Its reason says why."""
    built = log().turn().prompt("lost").end_turn(reason)
    assert turns_of(built.events()) == (
        Turn(turn=1, start_seq=0, start_ms=0, end_seq=1, end_ms=0, reason=reason, steps=()),
    )


@pytest.mark.parametrize("kind", [None, 5, ["completed"]], ids=str)
def test_a_reason_that_is_no_word_is_none(kind: object) -> None:
    """Odd data costs the reason, not the turn."""
    events = log().turn().event("turn/end", {"turn": 1, "reason": {"kind": kind}}).events()
    assert [(turn.end_seq, turn.reason) for turn in turns_of(events)] == [(1, None)]


def test_an_unclosed_turn_and_step_have_no_end() -> None:
    """A log may stop anywhere; the request of a step without output would have come next."""
    built = log(tick_ms=10).turn().prompt("a").step()
    step = Step(turn=1, step=1, start_seq=1, start_ms=10, request_seqs=(3,), reached=True)
    assert turns_of(built.events()) == (Turn(turn=1, start_seq=0, start_ms=0, steps=(step,)),)


def test_a_new_turn_closes_an_open_one_without_an_end() -> None:
    """So does a second step/start: what was open stays open in the result."""
    built = log().turn().step().event("step/start", {"turn": 1, "step": 2}).event("turn/start", {"turn": 2})
    first, second = turns_of(built.events())
    assert [(step.step, step.start_seq, step.end_seq) for step in first.steps] == [(1, 1, None), (2, 2, None)]
    assert (first.end_seq, second.turn, second.steps) == (None, 2, ())


def test_a_step_outside_any_turn_gets_a_turn_of_its_number() -> None:
    """Logs without turn/start, and steps that name another turn than the open one, still group."""
    built = log()
    for turn, step in [(1, 1), (1, 2), (4, 1)]:
        built.event("step/start", {"turn": turn, "step": step}).event("step/end", {"turn": turn, "step": step})
    built.event("turn/end", {"turn": 4, "reason": {"kind": "completed"}})
    assert [
        (turn.turn, turn.start_seq, turn.end_seq, [(step.turn, step.step) for step in turn.steps])
        for turn in turns_of(built.events())
    ] == [(1, 0, None, [(1, 1), (1, 2)]), (4, 4, 6, [(4, 1)])]


def test_ends_without_a_start_are_nothing() -> None:
    """A log that begins in the middle loses only what it does not hold."""
    built = log().event("step/end", {"turn": 1, "step": 3}).event("turn/end", {"turn": 1, "reason": {"kind": "error"}})
    assert [turn.turn for turn in turns_of(built.turn(2).events())] == [2]


# Requests


@dataclass(frozen=True)
class Case:
    """A step, and the seqs of the first output of each of its requests."""

    built: LogBuilder
    request_seqs: tuple[int, ...]
    has_output: bool = True


def step() -> LogBuilder:
    """Return a log with an open step; its next entry has seq 2."""
    return log().turn().step()


@pytest.mark.parametrize(
    "case",
    [
        Case(step().reply("a").end_step(), (2,)),
        Case(step().header().chunk("block-start").chunk("text-delta").reply("a").end_step(), (3,)),
        Case(step().end_step(), (2,), has_output=False),
        Case(step().header().end_step(), (3,), has_output=False),
        Case(step().chunk("text-delta").failure().chunk("text-delta").reply("a").end_step(), (2, 4)),
        Case(step().failure().failure().reply("a").end_step(), (2, 3, 4)),
        Case(step().failure().end_step(), (2,)),
        Case(step().failure().prompt("b").reply("a").end_step(), (2, 4)),
        Case(step().failure().event("llm/retry", {}).retry().chunk("text-delta").reply("a").end_step(), (2, 5)),
        Case(step().failure().retry().failure().retry().reply("a").end_step(), (2, 4, 6)),
        Case(step().failure().retry().retry().reply("a").end_step(), (2, 4, 5)),
        Case(step().failure().retry().end_step(), (2, 4)),
        Case(step().retry().end_step(), (3, 3), has_output=False),
        Case(step().chunk("finish", reason={"kind": "stop"}).chunk("usage", usage={}).end_step(), (2,)),
        Case(step().chunk("finish", reason="error").reply("a").end_step(), (2,)),
    ],
    ids=[
        "one reply", "output starts with its first chunk", "no output", "no output after a header",
        "a failed try", "two failed tries", "a failure at the end", "a message between failure and output",
        "retry marks win over failures", "two retries", "a retry without output between", "a retry without output",
        "a retry as first thing", "no failure", "an odd reason",
    ],
)  # fmt: skip
def test_requests_are_counted_by_what_the_step_holds(case: Case) -> None:
    """One, and one more for each retry mark; where there is none, for each failure that output followed."""
    found = only_step(case.built)
    assert (found.request_seqs, found.has_output) == (case.request_seqs, case.has_output)
    assert (found.requests, found.request_seq) == (len(case.request_seqs), case.request_seqs[-1])


@pytest.mark.parametrize(
    "case",
    [
        Case(step().skip(5).reply("a").end_step(), (2,)),
        Case(step().skip(5).end_step(), (2,)),
        Case(step().header().skip(1).chunk("finish", reason={"kind": "stop"}).reply("a").end_step(), (3,)),
        Case(step().skip(3).failure().skip(3).reply("a").end_step(), (2, 6)),
        Case(step().skip(3).retry().skip(3).reply("a").end_step(), (2, 6)),
        Case(step().skip(3).event("turn/end", {"turn": 1, "reason": {"kind": "aborted"}}), (2,)),
        Case(step().end_step().skip(3).end_turn(), (2,), has_output=False),
    ],
    ids=[
        "before the reply", "before the step's end", "after the header", "after a failure", "after a retry",
        "before the turn's end", "after the step",
    ],
)  # fmt: skip
def test_a_gap_in_the_seqs_is_streamed_output(case: Case) -> None:
    """Output that was not decoded still is output, of the step in which it is missing."""
    found = only_step(case.built)
    assert (found.request_seqs, found.has_output) == (case.request_seqs, case.has_output)


def test_a_log_may_stop_amid_streamed_output() -> None:
    """The seq of its last entry tells so, and that may be the output of a further try."""
    first, again = step().events(), step().failure().events()
    assert [turns_of(events, (9, 0))[0].steps[0].request_seqs for events in (first, again)] == [(2,), (2, 3)]
    assert [turns_of(first, last)[0].steps[0].has_output for last in (None, (1, 0), (2, 0))] == [False, False, True]


@pytest.mark.parametrize(
    ("built", "reached"),
    [
        (step().end_step(), False),
        (step().event("todo/write", {"todos": []}).end_step(), False),
        (step().prompt("a").end_step(), True),
        (step().header().end_step(), True),
        (step().event("request/context", {"provider": "p", "model": "m"}).end_step(), True),
        (step().skip(1).end_step(), True),
        (step().reply("a").end_step(), True),
    ],
    ids=["nothing", "bookkeeping", "a message", "a header", "a model", "streamed output", "a reply"],
)
def test_a_step_is_reached_by_a_message_or_a_request(built: LogBuilder, reached: bool) -> None:
    """A step that was given up at once holds neither."""
    assert only_step(built).reached is reached


# Usage


def test_the_usage_of_the_reply_replaces_that_of_a_chunk() -> None:
    """They report the same request: counting both would count it twice."""
    built = step().chunk("usage", usage={"inputTokens": 5, "outputTokens": 1})
    assert only_step(built).usage == Usage(input_tokens=5, output_tokens=1)
    built.reply("a", usage={"inputTokens": 7, "outputTokens": 2})
    assert only_step(built).usage == Usage(input_tokens=7, output_tokens=2)


def test_the_last_usage_counts_and_an_unreadable_one_does_not() -> None:
    """A reply without usage leaves that of its chunks; unknown parts are kept."""
    built = step().chunk("usage", usage={"inputTokens": 5}).chunk("usage", usage={"inputTokens": 6, "new": 1})
    built.chunk("usage", usage={"inputTokens": "many"}).chunk("usage").reply("a")
    assert only_step(built).usage == Usage(input_tokens=6, extra={"new": 1})


def test_a_step_without_usage_reports_none() -> None:
    """None is not zero."""
    assert only_step(step().reply("a")).usage is None

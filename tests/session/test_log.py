"""A session answers from its log alone: turns, attempts, the surface, and what the model saw."""

from __future__ import annotations

import dataclasses
import pickle
from types import MappingProxyType

import pytest

from tests.builders import log
from timectx.errors import SessionError
from timectx.session.events import ToolResult
from timectx.session.header import SessionHeader
from timectx.session.log import Problem, Session
from timectx.session.surface import Surface


def ids(session: Session, turn: int, step: int) -> list[str]:
    """Return the ids of the messages a step's last request carried."""
    return [message.id for message in session.request_at(turn, step)]


def test_a_session_derives_everything_from_its_events() -> None:
    """Turns, steps, attempts and the surface are folds, computed once."""
    session = log(session_id="abc").turn().prompt("a").step().reading("now").reply("b").end_turn("blocked").build()
    assert repr(session) == "<Session 'abc': 7 events, 1 turns>"
    assert [(turn.turn, turn.reason, turn.steps) for turn in session.turns] == [(1, "blocked", session.steps)]
    assert [(found.kind, found.readings) for found in session.attempts] == [("step", (3,)), ("turn-end", ())]
    assert session.surface == Surface((2, 3, 4))
    assert session.turns is session.turns
    assert session.attempts is session.attempts


def test_an_empty_session_answers_too() -> None:
    """A log of a header alone has no turn, no step, no surface, and nothing to close."""
    session = Session(SessionHeader(id="abc"), ())
    assert (session.turns, session.steps, session.attempts, session.surface) == ((), (), (), Surface())
    assert (session.closed() is session, session.position(3), session.find(3)) == (True, 0, None)
    assert repr(session) == "<Session 'abc': 0 events, 0 turns>"


def test_a_session_cannot_be_changed() -> None:
    """Nor do its sessions compare by content: one log is one session."""
    built = log().turn()
    session = built.build()
    for name in ("path", "events"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(session, name, ())
    assert session != built.build()


def test_a_session_travels_between_processes() -> None:
    """A pool of workers gets it whole, skipped counts included."""
    built = log().turn().prompt("a").step().reply("b")
    problem = Problem(3, "torn", "half a line")
    session = built.build(problems=(problem,), path="x", skipped=MappingProxyType({"text-chunks": 4}))
    assert session.turns
    again = pickle.loads(pickle.dumps(session))
    names = [field.name for field in dataclasses.fields(Session)]
    assert [getattr(again, name) for name in names] == [getattr(session, name) for name in names]
    assert (again.turns, again.request_at(1, 1)) == (session.turns, session.request_at(1, 1))


@pytest.mark.parametrize(
    ("seq", "position", "found"),
    [(0, 0, "turn/start"), (1, 1, "step/start"), (2, 2, None), (6, 2, None), (7, 2, "assistant/message"), (8, 3, None)],
)
def test_an_event_is_found_by_its_seq(seq: int, position: int, found: str | None) -> None:
    """Streamed output that was left out has seqs, but no event."""
    session = log().turn().step().skip(5).reply("a").build()
    event = session.find(seq)
    assert (session.position(seq), event and event.type) == (position, found)


# Requests


def test_a_request_is_the_surface_before_the_output_of_its_step() -> None:
    """Prompts, readings, replies and results in the order the model saw them; later ones are not there."""
    built = log().turn().prompt("a").step().reading("now").header().reply("b", calls=["c"]).tool("c")
    session = built.step().reading("later").reply("d").end_turn().build()
    assert ids(session, 1, 1) == ["m1", "m3"]
    assert ids(session, 1, 2) == ["m1", "m3", "m5", "t-c", "m10"]


def test_a_request_of_the_early_layout_holds_what_came_before_its_step() -> None:
    """Its messages have no ids; their texts tell."""
    session = log("early").turn().prompt("a").reading("now").step().reply("b").end_turn().build()
    assert [message.content[0]["text"] for message in session.request_at(1, 1)] == ["a", "now"]


def test_the_last_request_of_a_step_counts() -> None:
    """What a retry saw, not what the failed try saw."""
    built = log().turn().prompt("a").step().failure().prompt("b").retry().reply("c").end_turn()
    assert ids(built.build(), 1, 1) == ["m1", "m4"]


def test_of_two_steps_with_one_number_the_last_counts() -> None:
    """A log stitched together by hand may number a turn twice."""
    built = log().turn().prompt("a").step().reply("b").end_turn().turn(1).prompt("c").step().reply("d")
    assert ids(built.build(), 1, 1) == ["m1", "m3", "m7"]


def test_a_request_after_a_compaction_sees_the_checkpoint_in_place() -> None:
    """Shadowed nodes are gone from it, kept ones stay in order."""
    built = log().turn().prompt("a").step().reply("b").prompt("c").reply("d").end_step().compaction(2, 3)
    session = built.step().reply("e").end_turn().build()
    assert ids(session, 1, 1) == ["m1"]
    assert ids(session, 1, 2) == ["m9", "m4", "m5"]


def test_a_reply_without_content_is_not_sent() -> None:
    """It is a node all the same."""
    session = log().turn().prompt("a").step().reply().end_step().step().reply("b").build()
    assert (ids(session, 1, 2), session.surface.nodes) == (["m1"], (2, 3, 6))


def test_a_step_without_output_would_have_sent_what_stands() -> None:
    """Its request is taken at the step's end, or where the log stops."""
    assert ids(log().turn().prompt("a").step().end_turn("aborted").build(), 1, 1) == ["m1"]
    assert ids(log().turn().prompt("a").step().build(), 1, 1) == ["m1"]


@pytest.mark.parametrize(("turn", "step"), [(1, 2), (2, 1), (0, 0)])
def test_a_step_that_is_not_there_is_named(turn: int, step: int) -> None:
    """The message says which session and which step."""
    session = log(session_id="abc").turn().step().reply("a").build()
    with pytest.raises(SessionError, match=f"session 'abc' has no turn {turn}, step {step}") as caught:
        session.request_at(turn, step)
    assert caught.value.kind == "no-such-step"


# Closing


def test_a_closed_session_is_the_same_one() -> None:
    """Nothing to add, nothing copied."""
    session = log().turn().step().reply("a").end_turn().build()
    assert session.closed() is session


def test_closing_adds_events_in_memory() -> None:
    """The open session stays as it is; the closed one keeps header, problems and path."""
    built = log().turn().prompt("a").step().reply("b", calls=["c"])
    session = built.build(path="x.jsonl", problems=(Problem(9, "torn", "half a line"),))
    closed = session.closed()
    assert [event.type for event in closed.events[len(session.events) :]] == ["tool/result", "step/end", "turn/end"]
    assert (session.turns[0].end_seq, closed.turns[0].end_seq, closed.turns[0].reason) == (None, 6, "interrupted")
    assert (closed.header, closed.problems, closed.path) == (session.header, session.problems, "x.jsonl")
    assert closed.closed() is closed
    assert isinstance(closed.find(closed.surface.nodes[-1]), ToolResult)


def test_closing_after_streamed_output_leaves_its_gap() -> None:
    """The last entry was not decoded: seqs and time go on from it, and the step has output."""
    session = log().turn().step().build(tail=(11, 700))
    closed = session.closed()
    assert [(event.seq, event.time_ms) for event in closed.events[2:]] == [(12, 700), (13, 700)]
    assert closed.tail is None
    assert [one.steps[0].has_output for one in (session, closed)] == [True, True]
    assert [one.steps[0].request_seq for one in (session, closed)] == [2, 2]


def test_a_session_that_stands_still_overnight_keeps_its_times() -> None:
    """Nothing is sorted, and nothing is made up: spans are for whoever asks, from the events as they are."""
    built = log(start_ms=5000).turn().step().reply("a").end_turn().wait(28 * 86_400_000).turn().step().reply("b")
    session = built.at(100).end_turn().build()
    assert [(turn.start_ms, turn.end_ms) for turn in session.turns] == [(5000, 5000), (28 * 86_400_000 + 5000, 100)]

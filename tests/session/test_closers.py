"""A log that stops inside a turn is closed in memory: calls answered, step and turn ended."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from timectx.session.closers import NOT_STARTED_TEXT, OUTCOME_UNKNOWN_TEXT, closing_events
from timectx.session.events import Event
from timectx.session.records import record_of


def told(events: tuple[Event, ...]) -> list[object]:
    """Return what closing events say: a step's or turn's end, or which call has which fate."""
    return [
        (record["data"]["message"]["source"]["callId"], record["data"]["error"]["code"], record.get("sourceEventSeqs"))
        if record["type"] == "tool/result"
        else record["type"]
        for record in map(record_of, events)
    ]


UNKNOWN, UNSTARTED = "TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED"


@pytest.mark.parametrize(
    ("built", "closing"),
    [
        (log(), []),
        (log().prompt("a"), []),
        (log().turn().step().reply("a").end_turn(), []),
        (log().turn(), ["turn/end"]),
        (log().turn().prompt("a").step(), ["step/end", "turn/end"]),
        (log().turn().step().reply("a").end_step(), ["turn/end"]),
        (log().turn().step().reply(calls=["x"]), [("x", UNSTARTED, None), "step/end", "turn/end"]),
        (log().turn().step().reply(calls=["x"]).call("x"), [("x", UNKNOWN, [3]), "step/end", "turn/end"]),
        (log().turn().step().reply(calls=["x"]).tool("x"), ["step/end", "turn/end"]),
        (
            log().turn().step().reply(calls=["x", "y", "z"]).call("y").call("x").result("y"),
            [("x", UNKNOWN, [4]), ("z", UNSTARTED, None), "step/end", "turn/end"],
        ),
        (log().turn().step().reply(calls=["x"]).end_step(), ["turn/end"]),
        (log().turn().step().reply(calls=["x"]).end_turn().turn(), ["turn/end"]),
        (
            log().turn().step().reply(calls=["x"]).event("step/start", {"turn": 1, "step": 2}),
            [("x", UNSTARTED, None), "step/end", "turn/end"],
        ),
        (
            log().turn().step().reply(calls=["x"]).tool("x").reply(calls=["x"]),
            [("x", UNSTARTED, None), "step/end", "turn/end"],
        ),
        (log().turn().step().call("x").reply(calls=["x"]), [("x", UNSTARTED, None), "step/end", "turn/end"]),
        (log().event("step/start", {"turn": 1, "step": 1}).reply(calls=["x"]), []),
    ],
    ids=[
        "empty", "no turn", "closed", "turn", "step", "between steps", "call not started", "call running",
        "call answered", "parallel calls", "calls of an ended step", "calls of an ended turn", "a second step/start",
        "an id used again", "a run before its call", "a step without a turn",
    ],
)  # fmt: skip
def test_what_is_open_is_closed_in_order(built: LogBuilder, closing: list[object]) -> None:
    """Unanswered calls of the open step in the order the model made them, then the step, then the turn."""
    assert told(closing_events(built.events())) == closing


def test_closing_events_go_on_from_the_last_entry() -> None:
    """Seqs count on, every time is that of the last event, and the events are whole."""
    built = log(tick_ms=10).turn().step().reply(calls=["x"]).call("x")

    def event(seq: int, kind: str, data: dict[str, Any], **marks: object) -> dict[str, Any]:
        return {"type": kind, "seq": seq, "time": 30, "data": data, **marks}

    block = {
        "type": "tool-result",
        "toolCallId": "x",
        "isError": True,
        "content": [{"type": "text", "text": OUTCOME_UNKNOWN_TEXT}],
    }
    message = {
        "content": [block],
        "source": {"kind": "tool", "callId": "x"},
        "role": "user",
        "id": "interrupted-tool-result-x-4",
    }
    error = {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
    place = {"turn": 1, "step": 1}
    assert [record_of(closer) for closer in closing_events(built.events())] == [
        event(4, "tool/result", {**place, "message": message, "error": error}, sourceEventSeqs=[3], surfaceOp="append"),
        event(5, "step/end", place),
        event(6, "turn/end", {"turn": 1, "reason": {"kind": "interrupted"}}),
    ]


def test_a_log_may_stop_amid_streamed_output() -> None:
    """The closing events then follow that output, at its time."""
    events = log().turn().step().events()
    assert [(closer.seq, closer.time_ms) for closer in closing_events(events, (41, 900))] == [(42, 900), (43, 900)]
    assert closing_events([], (41, 900)) == ()


def test_a_call_that_never_started_says_so() -> None:
    """The model reads another text for it than for one that ran."""
    closer, *_ = closing_events(log().turn().step().reply(calls=["x"]).events())
    data = record_of(closer)["data"]
    assert data["message"]["content"][0]["content"] == [{"type": "text", "text": NOT_STARTED_TEXT}]
    assert data["error"] == {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}


def test_the_open_turn_is_closed_under_its_own_number() -> None:
    """Even where the log's steps and replies name another."""
    built = log().turn(7).event("step/start", {"turn": 9, "step": 4})
    reply = log().turn(9).step(3).reply(calls=["x"]).records()[-1]["data"]
    built.event("assistant/message", reply, surfaceOp="append")
    places = [
        {key: record_of(closer)["data"].get(key) for key in ("turn", "step")}
        for closer in closing_events(built.events())
    ]
    assert places == [{"turn": 7, "step": 3}, {"turn": 7, "step": 4}, {"turn": 7, "step": None}]


def test_no_call_is_left_without_a_result_after_a_crash() -> None:
    """Parallel calls included: a provider refuses a conversation with an orphan."""
    built = log().turn().step().reply(calls=["x", "y"]).tool("y")
    closed = built.build().closed()
    answered = {record["data"]["message"]["source"]["callId"] for record in map(record_of, closed.events[4:-2])}
    assert answered == {"x", "y"}


def test_the_texts_have_the_lengths_that_set_their_price() -> None:
    """Plain ASCII, so characters are UTF-16 units."""
    assert [(len(text), text.isascii()) for text in (OUTCOME_UNKNOWN_TEXT, NOT_STARTED_TEXT)] == [
        (313, True),
        (104, True),
    ]

"""Show what a line's beginning says, and that it never says more than the line holds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.logs import event, finish, line, piece, row, user
from timectx.errors import FormatError, SessionError
from timectx.formats.dsh_wire import decode_event, decode_other, decode_piece, decode_row, decode_stream, streamed_type
from timectx.session import StreamRow, event_from_record
from timectx.session.events import OtherEvent


def call_row(**fields: Any) -> dict[str, Any]:
    """Return a packed row of a tool call."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": [1], "id": "c", **fields, "args": ["a", "b"]}
    return {"type": "tool-call-chunks", "seq0": 3, "time0": 7, "data": data}


def chunk(kind: str, **fields: Any) -> dict[str, Any]:
    """Return a lone piece of some type."""
    return event("assistant/chunk", 12, {"turn": 10, "step": 200, "chunk": {"type": kind, **fields}})


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (row(0, "a"), "text-chunks"),
        ({**row(0, "a"), "type": "reasoning-chunks"}, "reasoning-chunks"),
        (call_row(), "tool-call-chunks"),
        (chunk("text-delta", index=0, text="finish"), "assistant/chunk"),
        (chunk("block-start", index=0, blockType="text"), "assistant/chunk"),
        (chunk("block-end", index=0, block={}), "assistant/chunk"),
        (chunk("something-new"), "assistant/chunk"),
        (chunk("finish-line"), "assistant/chunk"),
        (chunk("usage-like"), "assistant/chunk"),
        (chunk("finish", reason={}), None),
        (chunk("usage", usage={}), None),
        ({**row(0, "a"), "type": "text-chunks-2"}, None),
        ({**chunk("text-delta"), "type": "assistant/chunky"}, None),
        (user(0), None),
        (user(0, '"chunk":{"type":"text-delta"'), None),
        ({"seq": 1, "type": "text-chunks"}, None),
    ],
    ids=[
        *(
            "text",
            "reasoning",
            "call",
            "delta",
            "start",
            "end",
            "new",
            "finish-",
            "usage-",
            "finish",
            "usage",
            "text-2",
        ),
        *("chunky", "message", "quoted", "order"),
    ],
)
def test_a_line_shows_by_its_beginning_that_it_is_streamed(record: Any, kind: str | None) -> None:
    """Only ``finish`` and ``usage`` are decoded; a type that is merely alike is another type."""
    assert streamed_type(line(record)) == kind


def test_a_quoted_mark_is_no_mark() -> None:
    """Inside a text quotes are escaped, so a text cannot pass for structure."""
    record = chunk("finish", note='"chunk":{"type":"text-delta"')
    assert streamed_type(line(record)) is None


@pytest.mark.parametrize("record", [user(0), finish(0), event("turn/start", 0, {"turn": 1})])
def test_the_fast_decoder_gives_what_the_careful_path_gives(record: Any) -> None:
    """For every record that it takes."""
    assert decode_event(line(record)) == event_from_record(record)


@pytest.mark.parametrize(
    ("record", "taken"),
    [
        (event("todo/write", 0, {"todos": [1.0]}), True),
        (event("future", 0, None), True),
        (event("turn/start", 0, {"turn": "x"}), False),
        (event("future", 0, None, more=1), False),
        (event("future", -1, None), False),
        ({"type": "text-chunks", "seq": 0, "time": 0, "data": {}}, False),
    ],
    ids=["known", "unknown", "own class", "extra", "negative", "row"],
)
def test_types_without_a_class_are_taken_where_their_envelope_is_plain(record: Any, taken: bool) -> None:
    """Others need more care."""
    found = decode_other(line(record))
    assert (found is not None) == taken
    if found:
        assert found == OtherEvent(type=record["type"], seq=0, time_ms=0, data=record["data"])


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (row(3, "a", "b"), StreamRow("text", 3, 3000, 1, 1, 0, (10,), ("a", "b"))),
        (row(3, "a"), StreamRow("text", 3, 3000, 1, 1, 0, (), ("a",))),
        (call_row(), StreamRow("tool-call", 3, 7, 1, 1, 0, (1,), ("a", "b"), "c")),
        (call_row(name="n"), StreamRow("tool-call", 3, 7, 1, 1, 0, (1,), ("a", "b"), "c", "n")),
        (piece(5), StreamRow("event", 5, 5000, event=event_from_record(piece(5)))),
    ],
    ids=["row", "one", "call", "named", "piece"],
)
def test_streamed_output_is_decoded_into_rows(record: Any, found: StreamRow) -> None:
    """Packed ones as they are, a lone piece as its event."""
    assert decode_stream(line(record)) == found
    assert (decode_piece if record["type"] == "assistant/chunk" else decode_row)(line(record)) == found


@pytest.mark.parametrize(
    "change",
    [
        {"seq0": 0.0},
        {"seq0": 2**53 - 1},
        {"time0": 1e3},
        {"time0": -(2**53) + 1},
        {"data": {"turn": 1.5, "step": 1, "index": 0, "dt": [], "texts": ["x"]}},
        {"data": {"turn": 1, "step": 1, "index": 0, "dt": [2**40], "texts": ["x", "y"]}},
        {"data": {"turn": 1, "step": 1, "index": 0, "dt": [], "texts": ["\ud83d"]}},
    ],
    ids=["seq", "far seq", "time", "far time", "turn", "far gap", "surrogate"],
)
def test_unusual_numbers_and_texts_take_the_careful_path(change: Any) -> None:
    """They are decoded all the same."""
    record = {**row(3, "a"), **change}
    with pytest.raises(ValueError, match=r"\w"):
        decode_row(line(record))
    assert decode_stream(line(record)).seq0 == record["seq0"]


def test_what_breaks_a_rule_is_refused() -> None:
    """No JSON, a malformed row, a malformed piece."""
    with pytest.raises(FormatError):
        decode_stream(b'{"type":"text-chunks","seq')
    with pytest.raises(SessionError):
        decode_stream(line({**row(0, "a"), "seq0": -1}))
    with pytest.raises(SessionError):
        decode_stream(line({**piece(0), "seq": -1}))

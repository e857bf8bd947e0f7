"""A reply from its streamed pieces: the blocks, their order, and what a cap of tokens cuts off."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.replay.compaction.assembly import assemble_blocks, unpack_stream

TEXT = {"type": "text", "text": "hey"}
CALL = {"type": "tool-call", "id": "c", "name": "read", "arguments": "{}"}


def text(index: int, part: str) -> dict[str, Any]:
    """Return a piece of text."""
    return {"type": "text-delta", "index": index, "text": part}


def call(index: int, part: str, **named: str) -> dict[str, Any]:
    """Return a piece of a tool call."""
    return {"type": "tool-call-delta", "index": index, "argumentsDelta": part, **named}


def test_pieces_of_one_index_are_one_block() -> None:
    """They are joined in order, whatever stands between."""
    chunks = [text(0, "he"), {"type": "reasoning-delta", "index": 1, "text": "hm"}, text(0, "y")]
    assert assemble_blocks(chunks) == (TEXT, {"type": "reasoning", "text": "hm"})


def test_blocks_stand_in_the_order_in_which_the_stream_named_them() -> None:
    """Not in that of their index."""
    chunks = [{"type": "block-start", "index": 5, "blockType": "text"}, text(2, "b"), text(5, "a")]
    assert assemble_blocks(chunks) == ({"type": "text", "text": "a"}, {"type": "text", "text": "b"})


def test_a_block_sent_whole_at_its_end_counts_as_sent() -> None:
    """Its pieces before do not count, and later ones come too late."""
    whole = {"type": "text", "text": "HEY", "cached": True}
    ends = [{"type": "block-end", "index": 0, "block": whole}, {"type": "block-end", "index": 0, "block": TEXT}]
    assert assemble_blocks([text(0, "hey"), *ends, text(0, "!")]) == (whole,)


def test_a_tool_call_is_made_of_its_pieces() -> None:
    """The first id and name that came are its own; without them it is named after its index."""
    named = [call(0, "{", id="c", name="read"), call(0, "}", id="d", name="other")]
    assert assemble_blocks(named) == (CALL,)
    assert assemble_blocks([call(3, "{}")]) == ({"type": "tool-call", "id": "call-3", "name": "", "arguments": "{}"},)


@pytest.mark.parametrize(
    ("finishes", "kept"),
    [([], (TEXT, CALL)), (["stop"], (TEXT, CALL)), (["max-tokens"], (TEXT,)), (["max-tokens", "stop"], (TEXT, CALL))],
    ids=["none", "stop", "capped", "the-last-counts"],
)
def test_a_capped_reply_holds_no_tool_calls(finishes: list[str], kept: tuple[object, ...]) -> None:
    """They may be cut off in the middle, so that they never run."""
    ends = [{"type": "finish", "reason": {"kind": kind}} for kind in finishes]
    assert assemble_blocks([text(0, "hey"), call(1, "{}", id="c", name="read"), *ends]) == kept


def test_nothing_streamed_is_no_block() -> None:
    """Usage and the end alone make none."""
    assert assemble_blocks([{"type": "usage", "usage": {}}, {"type": "finish", "reason": {"kind": "stop"}}]) == ()


def test_a_stream_kept_in_the_reply_unpacks_to_the_same_pieces() -> None:
    """Runs of pieces of one block, and single chunks, in order."""
    records = [
        {"type": "chunk", "time": 1, "chunk": {"type": "block-start", "index": 0, "blockType": "text"}},
        {"type": "text-chunks", "time0": 1, "index": 0, "dt": [1], "texts": ["he", "y"]},
        {"type": "reasoning-chunks", "time0": 2, "index": 1, "dt": [], "texts": ["hm"]},
        {"type": "tool-call-chunks", "time0": 3, "index": 2, "dt": [], "id": "c", "name": "read", "args": ["{"]},
        {"type": "tool-call-chunks", "time0": 4, "index": 2, "dt": [], "id": "c", "args": ["}"]},
    ]
    assert assemble_blocks(unpack_stream(records)) == (TEXT, {"type": "reasoning", "text": "hm"}, CALL)

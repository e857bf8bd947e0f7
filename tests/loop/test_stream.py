"""Test the pieces a reply arrives in, and the blocks they make."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest

from timectx.loop import Call, Failure, Reply
from timectx.loop.stream import blocks_of, kept_blocks, pieces_of, visible_blocks
from timectx.replay.compaction.assembly import assemble_blocks
from timectx.session import Usage

WHOLE = Reply(reasoning="hm " * 40, text="x" * 100, calls=(Call(name="ls", arguments={"path": "é"}), Call(name="pwd")))
IDS = ("c0", "c1")


def kinds(pieces: list[dict[str, Any]]) -> list[str]:
    """Return the types of pieces in a row, with their number."""
    return [f"{kind} x{len(list(group))}" for kind, group in groupby(piece["type"] for piece in pieces)]


def test_the_blocks_of_a_reply_are_what_it_has_in_the_order_it_was_said() -> None:
    """Reasoning, text, calls; arguments given as an object are written as JSON, an empty part gives none."""
    assert blocks_of(WHOLE, IDS) == (
        {"type": "reasoning", "text": "hm " * 40},
        {"type": "text", "text": "x" * 100},
        {"type": "tool-call", "id": "c0", "name": "ls", "arguments": '{"path":"é"}'},
        {"type": "tool-call", "id": "c1", "name": "pwd", "arguments": "{}"},
    )
    assert blocks_of(Reply(), ()) == ()


def test_the_pieces_of_a_whole_reply_make_its_blocks_again() -> None:
    """In the way the original assembles them; usage and the reason come last."""
    reply = Reply(text=WHOLE.text, reasoning=WHOLE.reasoning, calls=WHOLE.calls, usage=Usage(input_tokens=9))
    blocks = blocks_of(reply, IDS)
    pieces = pieces_of(reply, blocks)
    assert assemble_blocks(pieces) == blocks
    assert kinds(pieces) == [
        "block-start x1", "reasoning-delta x3", "block-end x1", "block-start x1", "text-delta x3", "block-end x1",
        "block-start x1", "tool-call-delta x1", "block-end x1", "block-start x1", "tool-call-delta x1",
        "block-end x1", "usage x1", "finish x1",
    ]  # fmt: skip
    assert pieces[-2:] == [
        {"type": "usage", "usage": {"inputTokens": 9, "outputTokens": 0}},
        {"type": "finish", "reason": {"kind": "tool-calls"}},
    ]


def test_a_call_is_named_in_its_first_piece_alone() -> None:
    """Its id is in every one."""
    reply = Reply(calls=(Call(name="ls", arguments="y" * 60),))
    deltas = [piece for piece in pieces_of(reply, blocks_of(reply, ("c",))) if piece["type"] == "tool-call-delta"]
    assert deltas == [
        {"type": "tool-call-delta", "index": 0, "id": "c", "name": "ls", "argumentsDelta": "y" * 48},
        {"type": "tool-call-delta", "index": 0, "id": "c", "argumentsDelta": "y" * 12},
    ]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="ok"), {"kind": "stop"}),
        (Reply(calls=(Call(),)), {"kind": "tool-calls"}),
        (Reply(calls=(Call(),), finish="max-tokens"), {"kind": "max-tokens"}),
        (
            Reply(error=Failure(code="RATE", message="slow down")),
            {"kind": "error", "failure": {"message": "slow down", "code": "RATE"}},
        ),
    ],
    ids=["stop", "tools", "cap", "failure"],
)
def test_the_last_piece_says_why_the_stream_ended(reply: Reply, reason: dict[str, Any]) -> None:
    """A cap counts before calls, which are dropped then."""
    pieces = pieces_of(reply, blocks_of(reply, tuple(f"c{at}" for at in range(len(reply.calls)))))
    assert pieces[-1] == {"type": "finish", "reason": reason}


def test_a_reply_at_its_cap_keeps_no_calls() -> None:
    """Nothing runs; what was said stays."""
    capped = Reply(text="cut", calls=(Call(),), finish="max-tokens")
    blocks = blocks_of(capped, ("c",))
    assert kept_blocks(capped, blocks) == ({"type": "text", "text": "cut"},)
    assert kept_blocks(WHOLE, blocks) == blocks


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        (Reply(text="x" * 200, cancel="stream"), ({"type": "text", "text": "x" * 96},)),
        (Reply(text="short", cancel="stream"), ({"type": "text", "text": "short"},)),
        (Reply(text=" " * 200, cancel="stream"), ()),
        (Reply(calls=(Call(arguments="y" * 200),), cancel="stream"), ()),
        (Reply(cancel="stream"), ()),
        (
            Reply(reasoning="r" * 50, text="x" * 100, cancel="stream"),
            ({"type": "reasoning", "text": "r" * 50},),
        ),
    ],
    ids=["half", "short", "blank", "call", "nothing", "two blocks"],
)
def test_a_cancelled_reply_shows_the_beginning_of_its_texts(reply: Reply, seen: tuple[dict[str, Any], ...]) -> None:
    """Half of the pieces, at least the first with text; blanks and calls are not seen, and no end is told."""
    pieces = pieces_of(reply, blocks_of(reply, tuple(f"c{at}" for at in range(len(reply.calls)))))
    assert visible_blocks(pieces) == seen
    assert "finish" not in [piece["type"] for piece in pieces]

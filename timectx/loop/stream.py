"""Stream a scripted reply: the pieces as they are logged, and the message they make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from timectx.loop.script import Reply
from timectx.session.data import Block, JsonObject

__all__ = ["blocks_of", "chunks_of", "finish_of", "kept_blocks"]

_PIECE_CHARS: Final = 48
"""How much of a text one piece of a stream holds."""


def blocks_of(reply: Reply, call_ids: tuple[str, ...]) -> tuple[Block, ...]:
    """
    Return the content blocks a reply comes to.

    Parameters
    ----------
    reply : Reply
        The reply.
    call_ids : tuple of str
        An id for each of its tool calls.

    Returns
    -------
    tuple of dict
        Reasoning, text, tool calls; none for an empty part, and no calls where the reply was cut off.
    """
    blocks: list[Block] = []
    if reply.reasoning:
        blocks.append({"type": "reasoning", "text": reply.reasoning})
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for call_id, call in zip(call_ids, reply.calls, strict=True):
        blocks.append({"type": "tool-call", "id": call_id, "name": call.name, "arguments": _arguments(call.arguments)})
    return tuple(blocks)


def kept_blocks(reply: Reply, blocks: tuple[Block, ...], texts: dict[int, str]) -> tuple[Block, ...]:
    """
    Return what of a reply is kept.

    Parameters
    ----------
    reply : Reply
        The reply.
    blocks : tuple of dict
        All its blocks.
    texts : dict of int to str
        For a reply that was cancelled while it streamed, the text so far of each block; empty for a
        whole one.

    Returns
    -------
    tuple of dict
        All of a whole reply, without tool calls where it hit its cap; of a cancelled one the
        visible beginnings of texts alone.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/llm/src/assembler.ts.
    """
    if reply.cancel == "stream":
        kept = ({**blocks[at], "text": text} for at, text in sorted(texts.items()) if blocks[at]["type"] != "tool-call")
        return tuple(block for block in kept if block["text"].strip())
    if reply.finish == "max-tokens":
        return tuple(block for block in blocks if block["type"] != "tool-call")
    return blocks


def chunks_of(blocks: tuple[Block, ...]) -> Iterator[JsonObject]:
    """
    Yield the pieces in which blocks arrive.

    Parameters
    ----------
    blocks : tuple of dict
        A whole reply's blocks.

    Yields
    ------
    dict
        For each block its start, its text in pieces, and its end with the whole block.
    """
    for index, block in enumerate(blocks):
        yield {"type": "block-start", "index": index, "blockType": block["type"]}
        yield from _deltas(index, block)
        yield {"type": "block-end", "index": index, "block": block}


def finish_of(reply: Reply) -> JsonObject:
    """
    Return the last piece of a stream.

    Parameters
    ----------
    reply : Reply
        The reply.

    Returns
    -------
    dict
        A ``finish`` chunk that says why the stream ended.
    """
    if reply.error is not None:
        failure = {"message": reply.error.message, "code": reply.error.code}
        return {"type": "finish", "reason": {"kind": "error", "failure": failure}}
    kind = reply.finish or ("tool-calls" if reply.calls else "stop")
    return {"type": "finish", "reason": {"kind": kind}}


def _deltas(index: int, block: Block) -> Iterator[JsonObject]:
    if block["type"] == "tool-call":
        named = {"name": block["name"]}
        for piece in _pieces(block["arguments"]):
            delta = {"type": "tool-call-delta", "index": index, "id": block["id"], **named, "argumentsDelta": piece}
            named = {}
            yield delta
        return
    for piece in _pieces(block["text"]):
        yield {"type": f"{block['type']}-delta", "index": index, "text": piece}


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, max(1, len(text)), _PIECE_CHARS):
        yield text[at : at + _PIECE_CHARS]


def _arguments(arguments: str | JsonObject) -> str:
    return arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()

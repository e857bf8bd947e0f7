"""Stream a scripted reply: the pieces as they are logged, and the message they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from timectx.loop.script import Failure, Reply
from timectx.session.data import Block, JsonObject

__all__ = ["blocks_of", "failure_of", "kept_blocks", "pieces_of", "visible_blocks"]

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
        Reasoning, text, tool calls; none for an empty part.
    """
    blocks: list[Block] = []
    if reply.reasoning:
        blocks.append({"type": "reasoning", "text": reply.reasoning})
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for call_id, call in zip(call_ids, reply.calls, strict=True):
        blocks.append({"type": "tool-call", "id": call_id, "name": call.name, "arguments": _arguments(call.arguments)})
    return tuple(blocks)


def kept_blocks(reply: Reply, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """
    Return what of a whole reply is kept.

    Parameters
    ----------
    reply : Reply
        The reply.
    blocks : tuple of dict
        All its blocks.

    Returns
    -------
    tuple of dict
        All of them; without the tool calls where the reply hit its cap.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/llm/src/assembler.ts.
    """
    if reply.finish == "max-tokens":
        return tuple(block for block in blocks if block["type"] != "tool-call")
    return blocks


def failure_of(error: Failure) -> JsonObject:
    """
    Return a provider's failure as the log has it.

    Parameters
    ----------
    error : Failure
        What went wrong.

    Returns
    -------
    dict
        Its message and code.
    """
    return {"message": error.message, "code": error.code}


def pieces_of(reply: Reply, blocks: tuple[Block, ...]) -> list[JsonObject]:
    """
    Return the pieces in which a reply arrives, as far as it gets.

    Parameters
    ----------
    reply : Reply
        The reply.
    blocks : tuple of dict
        All its blocks.

    Returns
    -------
    list of dict
        For each block its start, its text in parts, and its end with the whole block; then what was used
        and why the stream ended. One that was cancelled stops half way, but not before its first part, and
        without an end; one that failed stops half way and says so.
    """
    whole = list(_chunks(blocks))
    if reply.cancel == "stream":
        return whole[: max(2, len(whole) // 2)]
    if reply.error is not None:
        return [*whole[: len(whole) // 2], _finish(reply)]
    return [*whole, *_usage(reply), _finish(reply)]


def visible_blocks(pieces: Iterable[JsonObject]) -> tuple[Block, ...]:
    """
    Return what a person saw of a reply that was cut off.

    Parameters
    ----------
    pieces : iterable of dict
        The pieces that arrived.

    Returns
    -------
    tuple of dict
        The beginnings of its texts and of its reasoning, without those that are blank.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/llm/src/assembler.ts.
    """
    texts: dict[int, Block] = {}
    for piece in pieces:
        kind = str(piece["type"]).removesuffix("-delta")
        if "text" in piece:
            before = texts.get(piece["index"], {"type": kind, "text": ""})
            texts[piece["index"]] = {"type": kind, "text": before["text"] + piece["text"]}
    return tuple(block for block in texts.values() if block["text"].strip())


def _chunks(blocks: tuple[Block, ...]) -> Iterator[JsonObject]:
    for index, block in enumerate(blocks):
        yield {"type": "block-start", "index": index, "blockType": block["type"]}
        yield from _deltas(index, block)
        yield {"type": "block-end", "index": index, "block": block}


def _usage(reply: Reply) -> Iterator[JsonObject]:
    if reply.usage is not None:
        told = {name: count for name, count in msgspec.to_builtins(reply.usage).items() if count is not None}
        yield {"type": "usage", "usage": told}


def _finish(reply: Reply) -> JsonObject:
    if reply.error is not None:
        return {"type": "finish", "reason": {"kind": "error", "failure": failure_of(reply.error)}}
    return {"type": "finish", "reason": {"kind": reply.finish or ("tool-calls" if reply.calls else "stop")}}


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

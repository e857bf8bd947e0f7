"""Put a reply together from the pieces in which it streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from timectx.session.events import Block, JsonObject

__all__ = ["assemble_blocks", "unpack_stream"]

_DELTAS: Final = {"text-delta": "text", "reasoning-delta": "reasoning", "tool-call-delta": "tool-call"}
_PACKED: Final = {
    "text-chunks": ("text-delta", "texts", "text"),
    "reasoning-chunks": ("reasoning-delta", "texts", "text"),
}


def assemble_blocks(chunks: Iterable[Mapping[str, Any]]) -> tuple[Block, ...]:
    """
    Put the blocks of a reply together.

    Parameters
    ----------
    chunks : iterable of Mapping
        Streamed pieces in order, as an ``assistant/chunk`` event carries them.

    Returns
    -------
    tuple of dict
        The blocks in the order in which the stream first named them. A block that was sent whole at
        its end counts as sent; one that never ended is made of its pieces. After a stream that hit
        the token cap tool calls are left out.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/llm/src/assembler.ts.

    Examples
    --------
    >>> assemble_blocks({"type": "text-delta", "index": 0, "text": text} for text in ("he", "y"))
    ({'type': 'text', 'text': 'hey'},)
    """
    parts: dict[Any, _Part] = {}
    reason: object = None
    for chunk in chunks:
        if chunk.get("type") == "finish":
            reason = chunk.get("reason")
        elif chunk.get("type") in ("block-start", "block-end", *_DELTAS):
            parts.setdefault(chunk.get("index"), _Part()).take(chunk)
    blocks = (part.block(index) for index, part in parts.items())
    cut = isinstance(reason, dict) and reason.get("kind") == "max-tokens"
    return tuple(block for block in blocks if not (cut and block.get("type") == "tool-call"))


def unpack_stream(records: Iterable[Mapping[str, Any]]) -> Iterator[JsonObject]:
    """
    Yield the pieces of a reply that keeps its stream in itself.

    Parameters
    ----------
    records : iterable of Mapping
        What a reply of ``current`` has in ``stream``: single chunks, and runs of pieces of one block.

    Yields
    ------
    dict
        One streamed piece each, as `assemble_blocks` takes them.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/chunk-rows.ts.
    """
    for record in records:
        kind, index = record.get("type"), record.get("index")
        if kind == "chunk":
            yield dict(record["chunk"])
        elif kind in _PACKED:
            single, members, member = _PACKED[kind]
            yield from ({"type": single, "index": index, member: text} for text in record[members])
        elif kind == "tool-call-chunks":
            named = {"name": record["name"]} if "name" in record else {}
            base = {"type": "tool-call-delta", "index": index, "id": record.get("id"), **named}
            yield from ({**base, "argumentsDelta": text} for text in record["args"])


class _Part(Struct):
    """One block on its way in."""

    kind: str = ""
    text: str = ""
    call_id: str | None = None
    name: str | None = None
    whole: Block | None = None

    def take(self, chunk: Mapping[str, Any]) -> None:
        """Take in a piece, unless the block has ended."""
        if self.whole is not None:
            return
        kind = str(chunk.get("type"))
        if kind == "block-end":
            self.whole = chunk.get("block")
            return
        self.kind = self.kind or str(_DELTAS.get(kind) or chunk.get("blockType") or "")
        if kind == "tool-call-delta":
            self.call_id = self.call_id or chunk.get("id")
            self.name = self.name or chunk.get("name")
        self.text += str(chunk.get("text") or chunk.get("argumentsDelta") or "")

    def block(self, index: object) -> Block:
        """Return the block as it stands."""
        if self.whole is not None:
            return self.whole
        if self.kind != "tool-call":
            return {"type": self.kind, "text": self.text}
        call_id = self.call_id or f"call-{index}"
        return {"type": "tool-call", "id": call_id, "name": self.name or "", "arguments": self.text}

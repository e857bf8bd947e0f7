"""Log a reply of a made-up session piece by piece, as it streams in."""

from __future__ import annotations

from typing import Final

from timectx.session.events import AssistantChunk, Block, ChunkData, JsonObject
from timectx.session.log import StreamRow
from timectx.synthetic.ledger import Ledger
from timectx.synthetic.plan import Place

__all__ = ["stream_blocks"]

_PIECE: Final = 6
"""Characters of a piece."""

_FEWEST: Final = 3
"""Pieces of one block from here on are packed into a row."""


def stream_blocks(ledger: Ledger, place: Place, blocks: list[Block], wait_ms: int, *, cut: bool) -> list[int]:
    """
    Log the blocks of a reply piece by piece.

    Parameters
    ----------
    ledger : Ledger
        The log.
    place : Place
        The step.
    blocks : list of Block
        The reply's blocks.
    wait_ms : int
        How long the reply takes, in milliseconds; the first third goes by before anything comes.
    cut : bool
        Whether the reply stops in the middle of its last block.

    Returns
    -------
    list of int
        The seqs of all pieces.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/chunk-rows.ts.
    """
    first = ledger.last_seq + 1
    ledger.wait(wait_ms // 3)
    texts = [str(block.get("text", block.get("arguments"))) for block in blocks]
    gap_ms = wait_ms // 3 // max(1, sum(len(text) // _PIECE + 1 for text in texts))
    for index, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        _piece(ledger, place, {"type": "block-start", "index": index, "blockType": block["type"]})
        _pieces(ledger, place, index, block, text, gap_ms)
        if not cut or index < len(blocks) - 1:
            _piece(ledger, place, {"type": "block-end", "index": index, "block": block})
    return list(range(first, ledger.last_seq + 1))


def _pieces(ledger: Ledger, place: Place, index: int, block: Block, text: str, gap_ms: int) -> None:
    about: JsonObject = {"type": f"{block['type']}-delta", "index": index}
    parts = tuple(text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    name = "text"
    if block["type"] == "tool-call":  # its first piece names the tool, and stands alone
        about, name = {**about, "id": block["id"]}, "argumentsDelta"
        _piece(ledger, place, {**about, "name": block["name"], name: parts[0]})
        parts = parts[1:]
    if len(parts) >= _FEWEST:
        ledger.skip(_row(ledger, place, index, block, parts, gap_ms))
        return
    for part in parts:
        _piece(ledger, place, {**about, name: part})


def _row(ledger: Ledger, place: Place, index: int, block: Block, parts: tuple[str, ...], gap_ms: int) -> StreamRow:
    return StreamRow(
        kind=block["type"],
        seq0=ledger.last_seq + 1,
        time0_ms=ledger.now_ms,
        turn=place.turn,
        step=place.step,
        index=index,
        dt_ms=(gap_ms,) * (len(parts) - 1),
        parts=parts,
        call_id=block.get("id"),
    )


def _piece(ledger: Ledger, place: Place, chunk: JsonObject) -> None:
    data = ChunkData(turn=place.turn, step=place.step, chunk=chunk)
    event = AssistantChunk(seq=ledger.last_seq + 1, time_ms=ledger.now_ms, data=data)
    ledger.skip(StreamRow(kind="event", seq0=event.seq, time0_ms=event.time_ms, event=event))

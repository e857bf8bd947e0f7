"""Shorten a made-up session the way its original does: replace old messages by a checkpoint, cut long tool results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from msgspec.structs import replace

from timectx.session.events import (
    AssistantMessage,
    CompactionEnd,
    CompactionEndData,
    CompactionPrune,
    CompactionStart,
    CompactionStartData,
    CompactionSummary,
    Message,
    PruneData,
    Replace,
    SeqRange,
    SummaryData,
    SurfaceEvent,
    ToolResult,
    Usage,
    UserMessage,
)
from timectx.synthetic.dice import Dice, Table
from timectx.synthetic.ledger import Ledger
from timectx.synthetic.words import Words

__all__ = ["compact", "prune"]

_PREAMBLE: Final = (
    "What follows in this message was written by the program, not by the person: it sums up the beginning of this "
    "session, whose messages were taken out to make room. Take it for what happened, do not repeat it or answer it, "
    "and go on with the work where the messages below leave off, as it was asked for."
)
"""Opens a checkpoint; with its length of 300 characters an empty one costs 98 tokens."""

_OPENING: Final = f"{_PREAMBLE}\n\n<compacted-summary>"
_CLOSING: Final = "</compacted-summary>"
_EMPTY_TOKENS: Final = 98
_BLOCK_TOKENS: Final = 4
_KEPT_PERCENT: Final = 16
_SUMMARY_CHARS: Final[Table] = ((0, 2400), (250, 3600), (500, 4800), (750, 5800), (1000, 7000))
_INSTRUCTION_TOKENS: Final = 459
_MARKER: Final = "\n\n[... tool result middle pruned ...]\n\n"


def compact(ledger: Ledger, dice: Dice, words: Words, *, turn: int, model: tuple[str, str], factor: int) -> None:
    """
    Replace the older part of the surface by a checkpoint.

    Parameters
    ----------
    ledger : Ledger
        The log.
    dice : Dice
        Draws how long the summary is and how long it takes.
    words : Words
        Writes it.
    turn : int
        The open turn.
    model : tuple of str
        Provider and model that write it.
    factor : int
        Tokens the provider counts for a thousand estimated ones.

    Notes
    -----
    The newest nodes that make up 16 % of the surface stay, and no call is parted from its result. Where the summary
    would not be smaller than what it replaces, the attempt is recorded as failed; where nothing can go, not at all.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/region.ts.
    """
    gone = _older_part(ledger)
    if not gone:
        return
    chars, spent_ms = dice.draw(_SUMMARY_CHARS), dice.between(6000, 40_000)
    compaction_id = ledger.ids.uuid()
    shadowed_tokens = sum(ledger.prices[node.seq] for node in gone)
    room = (shadowed_tokens - _EMPTY_TOKENS - _BLOCK_TOKENS - 1) * 4
    start = ledger.add(CompactionStart, CompactionStartData(compaction_id=compaction_id, turn=turn))
    ledger.wait(spent_ms)
    if room < 16:
        fault = f"the framed summary would need more than the {shadowed_tokens} tokens it replaces"
        ledger.add(CompactionEnd, CompactionEndData(compaction_id=compaction_id, turn=turn, error=fault))
        return
    text = words.prose(min(chars, room))
    span = SeqRange(gone[0].seq, gone[-1].seq)
    summary = ledger.add(
        CompactionSummary,
        SummaryData(
            compaction_id=compaction_id,
            summary=({"type": "text", "text": text},),
            shadowed_range=span,
            shadowed_seqs=tuple(node.seq for node in gone),
            shadowed_token_count=shadowed_tokens,
            provider=model[0],
            model=model[1],
            usage=_usage(ledger, shadowed_tokens, len(text), factor),
            extra={"rawOutput": [{"type": "text", "text": text}], "llmStreamCall": True, "maxTokens": 8192},
        ),
    )
    ledger.show(
        UserMessage,
        _checkpoint(ledger, text, compaction_id),
        sources=(start.seq, summary.seq, *(node.seq for node in gone)),
        op=Replace(span.start, span.end),
    )
    ledger.add(CompactionEnd, CompactionEndData(compaction_id=compaction_id, turn=turn))


def prune(ledger: Ledger, longest: int) -> None:
    """
    Shorten every tool result on the surface that is too long.

    Parameters
    ----------
    ledger : Ledger
        The log.
    longest : int
        Characters a result may have; of a longer one the first half of that many stay, and the last eighth.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-tool-result-pruner/src/index.ts.
    """
    for node in list(ledger.nodes):
        if not isinstance(node, ToolResult) or not node.data.message.content:
            continue
        block = node.data.message.content[0]
        text = str(block["content"][0]["text"])
        head, tail = longest // 2, longest // 8
        if len(text) <= longest or head + len(_MARKER) + tail > longest:
            continue
        short = f"{text[:head]}{_MARKER}{text[len(text) - tail :]}"
        content = ({**block, "content": [{"type": "text", "text": short}]},)
        span, price = SeqRange(node.seq, node.seq), ledger.prices[node.seq]
        ledger.add(
            CompactionPrune, PruneData(shadowed_range=span, shadowed_seqs=(node.seq,), shadowed_token_count=price)
        )
        data = replace(node.data, message=replace(node.data.message, content=content))
        ledger.show(ToolResult, data, sources=(node.seq,), op=Replace(node.seq, node.seq))


def _older_part(ledger: Ledger) -> Sequence[SurfaceEvent]:
    """Return the nodes before the newest ones that a compaction keeps."""
    nodes = ledger.nodes
    budget, keep = ledger.surface_tokens * _KEPT_PERCENT // 100, len(nodes)
    while keep > 0:
        keep -= 1
        budget -= ledger.prices[nodes[keep].seq]
        if budget <= 0:
            break
    open_calls = list(accumulate(map(_call_balance, nodes[:keep]), initial=0))
    while keep > 0 and open_calls[keep]:
        keep -= 1
    return nodes[:keep]


def _call_balance(node: SurfaceEvent) -> int:
    if isinstance(node, ToolResult):
        return -1
    if isinstance(node, AssistantMessage):
        return sum(block["type"] == "tool-call" for block in node.data.message.content)
    return 0


def _usage(ledger: Ledger, shadowed_tokens: int, chars: int, factor: int) -> Usage:
    prompt = (ledger.header_tokens + shadowed_tokens + _INSTRUCTION_TOKENS) * factor // 1000
    known = min(prompt, (ledger.header_tokens + min(shadowed_tokens, ledger.prefix_tokens)) * factor // 1000 // 64 * 64)
    return Usage(input_tokens=prompt - known, output_tokens=chars * factor // 4000, cache_read_tokens=known)


def _checkpoint(ledger: Ledger, text: str, compaction_id: str) -> Message:
    texts = (_OPENING, text, _CLOSING)
    return Message(
        content=tuple({"type": "text", "text": part} for part in texts),
        source={"kind": "plugin", "plugin": "compact", "compactionId": compaction_id},
        role="" if ledger.edition == "note" else "user",
        id="" if ledger.edition == "note" else ledger.ids.uuid(),
    )

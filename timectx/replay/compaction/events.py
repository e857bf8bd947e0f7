"""Write the events of one compaction: its start, its summary, its checkpoint and its end."""

from __future__ import annotations

from collections.abc import Sequence

from timectx.replay.compaction.checkpoint import Lifecycle
from timectx.replay.compaction.regions import Region
from timectx.replay.compaction.summaries import SummaryReply, SummaryRequest
from timectx.session.events import (
    Block,
    CompactionEnd,
    CompactionEndData,
    CompactionStart,
    CompactionStartData,
    CompactionSummary,
    Message,
    Replace,
    SeqRange,
    SummaryData,
    UserMessage,
)

__all__ = ["checkpoint_event", "end_event", "start_event", "summary_event"]


def start_event(life: Lifecycle, *, seq: int, time_ms: int) -> CompactionStart:
    """
    Return the event that opens a compaction.

    Parameters
    ----------
    life : Lifecycle
        The compaction.
    seq, time_ms : int
        The event's place and time, in epoch milliseconds.

    Returns
    -------
    CompactionStart
        The event.
    """
    data = CompactionStartData(compaction_id=life.compaction_id, turn=life.turn, extra=life.marks or None)
    return CompactionStart(seq=seq, time_ms=time_ms, data=data)


def summary_event(
    life: Lifecycle,
    region: Region,
    request: SummaryRequest,
    reply: SummaryReply,
    blocks: Sequence[Block],
    *,
    seq: int,
    time_ms: int,
) -> CompactionSummary:
    """
    Return the event that keeps a compaction's summary.

    Parameters
    ----------
    life : Lifecycle
        The compaction.
    region : Region
        What it shadows.
    request : SummaryRequest
        What was asked, of which model.
    reply : SummaryReply
        The whole answer; its usage is kept here alone and never counts as pressure.
    blocks : sequence of dict
        What of the answer is the summary.
    seq, time_ms : int
        The event's place and time, in epoch milliseconds.

    Returns
    -------
    CompactionSummary
        The event.
    """
    raw = {"rawOutput": list(reply.blocks), "llmStreamCall": True, "maxTokens": request.max_tokens}
    data = SummaryData(
        compaction_id=life.compaction_id,
        summary=tuple(blocks),
        shadowed_range=SeqRange(region.seqs[0], region.seqs[-1]),
        shadowed_seqs=region.seqs,
        shadowed_token_count=region.tokens,
        provider=request.provider,
        model=request.model,
        usage=reply.usage,
        extra={**life.marks, **raw},
    )
    return CompactionSummary(seq=seq, time_ms=time_ms, data=data)


def checkpoint_event(
    start: CompactionStart, summary: CompactionSummary, message: Message, *, seq: int, time_ms: int
) -> UserMessage:
    """
    Return the event that puts a checkpoint on the surface.

    Parameters
    ----------
    start, summary : Event
        The compaction's events so far.
    message : Message
        The checkpoint.
    seq, time_ms : int
        The event's place and time, in epoch milliseconds.

    Returns
    -------
    UserMessage
        It cites both events and every node that it shadows.
    """
    span = summary.data.shadowed_range
    return UserMessage(
        seq=seq,
        time_ms=time_ms,
        data=message,
        surface_op=Replace(span.start, span.end),
        source_event_seqs=(start.seq, summary.seq, *summary.data.shadowed_seqs),
    )


def end_event(life: Lifecycle, *, seq: int, time_ms: int, error: str | None = None) -> CompactionEnd:
    """
    Return the event that closes a compaction.

    Parameters
    ----------
    life : Lifecycle
        The compaction.
    seq, time_ms : int
        The event's place and time, in epoch milliseconds.
    error : str, optional
        Why it failed; None when it is done.

    Returns
    -------
    CompactionEnd
        The event.
    """
    data = CompactionEndData(compaction_id=life.compaction_id, turn=life.turn, error=error, extra=life.marks or None)
    return CompactionEnd(seq=seq, time_ms=time_ms, data=data)

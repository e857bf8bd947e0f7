"""Carry out one compaction on an open log, from its start to its end, whatever goes wrong between."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from timectx.replay.compaction.checkpoint import Lifecycle, check_smaller, checkpoint_message
from timectx.replay.compaction.events import checkpoint_event, end_event, start_event, summary_event
from timectx.replay.compaction.open_log import LogView, OpenLog
from timectx.replay.compaction.policy import CompactionPolicy
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.compaction.refusals import refusal
from timectx.replay.compaction.regions import Region
from timectx.replay.compaction.summaries import SummaryModel, SummaryRequest, instruction_message, summary_blocks
from timectx.session.events import Block

__all__ = ["Compacted", "carry_out", "error_chain", "summary_request"]


class Compacted(Struct, frozen=True, kw_only=True):
    """
    Describe a compaction that was carried out.

    The seqs are those of its four events, `region` is what it shadows, `summary` the text blocks that
    stand for it and `checkpoint_tokens` the price of the message around them.
    """

    life: Lifecycle
    start_seq: int
    summary_seq: int
    checkpoint_seq: int
    end_seq: int
    region: Region
    summary: tuple[Block, ...]
    checkpoint_tokens: int


def carry_out(
    log: OpenLog, view: LogView, region: Region, life: Lifecycle, policy: CompactionPolicy, summarize: SummaryModel
) -> Compacted:
    """
    Carry out one compaction on an open log.

    Parameters
    ----------
    log : OpenLog
        Where its events go.
    view : LogView
        Follows that log.
    region : Region
        What to shadow.
    life : Lifecycle
        The compaction.
    policy : CompactionPolicy
        Says which model writes the summary, and how long it may be.
    summarize : callable
        That model.

    Returns
    -------
    Compacted
        What was done.

    Raises
    ------
    CompactionError
        Rules ``surface-changed``, ``not-smaller``, ``system-head``, and those of `summary_blocks`. The
        log then has an end that says why, and its surface is as it was.

    Notes
    -----
    While the summary is written the log may grow. Inside a turn its surface has to stay the same; between
    turns only the nodes that are to be shadowed have to. Whatever else the model, or the log,
    raises ends the compaction the same way and goes on to the caller.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/region.ts, `compactSurfaceRegion`.
    """
    before = view.nodes()
    start = start_event(life, seq=view.next_seq, time_ms=log.now_ms)
    log.append(start)
    try:
        request = summary_request(view, region, policy)
        reply = summarize(request)
        blocks = summary_blocks(reply, view.edition)
        _check_unchanged(before, region, life, view)
        message = checkpoint_message(blocks, life, view.edition, log.new_id())
        tokens = check_smaller(message, region, view.edition, view.counter)
        summary = summary_event(life, region, request, reply, blocks, seq=view.next_seq, time_ms=log.now_ms)
        log.append(summary)
        _check_head(region, view)
        checkpoint = checkpoint_event(start, summary, message, seq=view.next_seq, time_ms=log.now_ms)
        log.append(checkpoint)
    except Exception as error:
        log.append(end_event(life, seq=view.next_seq, time_ms=log.now_ms, error=error_chain(error)))
        raise
    end = end_event(life, seq=view.next_seq, time_ms=log.now_ms)
    log.append(end)
    return Compacted(
        life=life,
        start_seq=start.seq,
        summary_seq=summary.seq,
        checkpoint_seq=checkpoint.seq,
        end_seq=end.seq,
        region=region,
        summary=blocks,
        checkpoint_tokens=tokens,
    )


def summary_request(view: LogView, region: Region, policy: CompactionPolicy) -> SummaryRequest:
    """
    Return what the summary of a region is asked for.

    Parameters
    ----------
    view : LogView
        Follows the log.
    region : Region
        What the summary would stand for.
    policy : CompactionPolicy
        Says which model writes it, and how long it may be.

    Returns
    -------
    SummaryRequest
        The region's messages and the instruction, under the header of the last request; where the
        system prompt is a message it comes first, unless it is empty.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/summarizer.ts.
    """
    head = [node for node in view.nodes()[:1] if node.is_system and node.tokens > 0]
    messages = (*view.messages(head), *view.messages(region.nodes), instruction_message())
    target = view.target
    return SummaryRequest(
        messages=messages,
        header=view.pressure.header,
        provider=policy.summarization_provider or target.provider,
        model=policy.summarization_model or target.model,
        max_tokens=policy.max_tokens,
        shadowed_tokens=region.tokens,
    )


def error_chain(error: BaseException) -> str:
    """
    Return what an error says, with what caused it.

    Parameters
    ----------
    error : BaseException
        Any error.

    Returns
    -------
    str
        Its text, and after a colon that of its cause, unless it only repeats.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `errorChain`.

    Examples
    --------
    >>> error = ValueError("no zone")
    >>> error.__cause__ = LookupError("no such file")
    >>> error_chain(error)
    'no zone: no such file'
    """
    text = str(error) or type(error).__name__
    cause = error.__cause__
    behind = text if cause is None else error_chain(cause)
    return text if behind == text else f"{text}: {behind}"


def _check_unchanged(before: Sequence[Node], region: Region, life: Lifecycle, view: LogView) -> None:
    now = tuple(node.seq for node in view.pressure.surface)
    if life.turn is None:
        low = now.index(region.seqs[0]) if region.seqs[0] in now else len(now)
        same = now[low : low + len(region.seqs)] == region.seqs
    else:
        same = now == tuple(node.seq for node in before)
    if not same:
        raise refusal("surface-changed", "the surface changed while its summary was written", view.edition)


def _check_head(region: Region, view: LogView) -> None:
    """Refuse to replace a system prompt that opens the surface: only another system prompt may."""
    if region.nodes[0].is_system and next(iter(view.pressure.surface)) == region.nodes[0]:
        message = f"the system prompt at seq {region.seqs[0]} opens the surface and stays there"
        raise refusal("system-head", message, view.edition)

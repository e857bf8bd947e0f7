"""Run the tools a scripted reply calls, in the order the original logs calls and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from timectx.loop.clocks import MovableClock
from timectx.loop.live_log import LiveLog
from timectx.loop.script import Call, Reply, span_ms
from timectx.session.data import Block, JsonObject, Message, StepData, ToolCallData, ToolResultData
from timectx.session.events import ToolCall, ToolResult

__all__ = ["NOT_DISPATCHED_TEXT", "run_tools"]

NOT_DISPATCHED_TEXT: Final = "Error: a call was stopped before it ran."
_NOT_DISPATCHED: Final[JsonObject] = {"name": "AbortError", "code": "ABORTED_BEFORE_DISPATCH"}
_MAX_PARALLEL: Final = 10


def run_tools(
    log: LiveLog,
    clock: MovableClock,
    place: StepData,
    reply: Reply,
    blocks: Sequence[Block],
    *,
    aborted: bool,
    before: Callable[[], object],
) -> None:
    """
    Run the tools of one reply.

    Parameters
    ----------
    log : LiveLog
        Where calls and results go.
    clock : MovableClock
        The log's clock.
    place : StepData
        The open step.
    reply : Reply
        The reply, for how long each tool takes and what it returns.
    blocks : sequence of dict
        The reply's tool-call blocks.
    aborted : bool
        Whether the turn was cancelled: each call then gets an error in place of a result.
    before : callable
        Called before each tool starts.

    Notes
    -----
    One after the other, each call is followed by its result. At once, all calls of a batch start first and
    their results are logged in the order of the calls, each no earlier than it was ready.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/tool-calls.ts.
    """
    pairs = list(zip(blocks, reply.calls, strict=False))
    size = _MAX_PARALLEL if reply.parallel and not aborted else 1
    for first in range(0, len(pairs), size):
        _run_batch(log, clock, place, pairs[first : first + size], aborted=aborted, before=before)


def _run_batch(
    log: LiveLog,
    clock: MovableClock,
    place: StepData,
    pairs: Sequence[tuple[Block, Call]],
    *,
    aborted: bool,
    before: Callable[[], object],
) -> None:
    started = []
    for block, _ in pairs:
        before()
        data = ToolCallData(
            turn=place.turn, step=place.step, call_id=block["id"], name=block["name"], arguments=block["arguments"]
        )
        started.append(log.add(ToolCall, data))
    spent_ms = 0
    for event, (block, call) in zip(started, pairs, strict=True):
        ready_ms = 0 if aborted else max(spent_ms, span_ms(call.takes))
        clock.advance(ready_ms - spent_ms)
        spent_ms = ready_ms
        log.add(
            ToolResult,
            _result(log, place, block["id"], call, aborted=aborted),
            surface_op="append",
            source_event_seqs=(event.seq,),
        )


def _result(log: LiveLog, place: StepData, call_id: str, call: Call, *, aborted: bool) -> ToolResultData:
    text = NOT_DISPATCHED_TEXT if aborted else call.result
    result = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": aborted or call.fails,
    }
    message = Message(source={"kind": "tool", "callId": call_id}, content=(result,), role="user", id=log.new_id())
    return ToolResultData(turn=place.turn, step=place.step, message=message, error=_NOT_DISPATCHED if aborted else None)

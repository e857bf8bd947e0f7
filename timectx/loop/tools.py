"""Run the tools a scripted reply calls, in the order the original logs calls and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Final

from timectx.loop.clocks import MovableClock
from timectx.loop.live_log import LiveLog
from timectx.loop.script import Call
from timectx.loop.spans import span_ms
from timectx.loop.waterfall import Signal
from timectx.session.data import Block, JsonObject, Message, StepData, ToolCallData, ToolResultData
from timectx.session.events import ToolCall, ToolResult

__all__ = ["NOT_DISPATCHED_TEXT", "ToolRuns"]

NOT_DISPATCHED_TEXT: Final = "Error: a call was stopped before it ran."
"""What the model reads for a call that was cancelled before it began; its length, 40 units, sets its price."""

_NOT_DISPATCHED: Final[JsonObject] = {"name": "AbortError", "code": "ABORTED_BEFORE_DISPATCH"}
_MOST_AT_ONCE: Final = 10


class ToolRuns:
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
    pairs : sequence of tuple
        Each tool-call block with what the script says of it.
    signal : Signal
        Tells whether the turn was cancelled: calls that have not begun then get an error for a result.
    flush : callable
        Called before each tool starts.

    Notes
    -----
    One after the other, each call is followed by its result. At once, calls start in their order, ten at
    most, the next as soon as one is ready; results are logged in the order of the calls, each as
    soon as those before it are there [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/tool-calls.ts.
    """

    def __init__(
        self,
        log: LiveLog,
        clock: MovableClock,
        place: StepData,
        pairs: Sequence[tuple[Block, Call]],
        *,
        signal: Signal,
        flush: Callable[[], object],
    ) -> None:
        self._log, self._clock, self._place, self._pairs = log, clock, place, pairs
        self._signal, self._flush = signal, flush
        self._started: list[int] = []

    def run(self, *, parallel: bool) -> bool:
        """
        Run them all.

        Parameters
        ----------
        parallel : bool
            Whether at once rather than one after the other.

        Returns
        -------
        bool
            Whether the result of one of them ends the turn.
        """
        (self._run_together if parallel else self._run_in_turn)()
        ran = len(self._started)
        for at in range(ran, len(self._pairs)):
            self._start(at)
            self._commit(at, skipped=True)
        return any(call.concludes for _, call in self._pairs[:ran])

    def _run_in_turn(self) -> None:
        for at, (_, call) in enumerate(self._pairs):
            if self._signal.aborted:
                return
            self._flush()
            self._start(at)
            self._clock.advance(span_ms(call.takes))
            self._commit(at)

    def _run_together(self) -> None:
        running, done = list[tuple[int, int]](), set[int]()
        spent_ms = committed = 0
        while True:
            while len(self._started) < len(self._pairs) and len(running) < _MOST_AT_ONCE and not self._signal.aborted:
                at = len(self._started)
                self._flush()
                self._start(at)
                heappush(running, (spent_ms + max(0, span_ms(self._pairs[at][1].takes)), at))
            if not running:
                return
            ready_ms, at = heappop(running)
            self._clock.advance(ready_ms - spent_ms)
            spent_ms = ready_ms
            done.add(at)
            while committed in done:
                self._commit(committed)
                committed += 1

    def _start(self, at: int) -> None:
        block, place = self._pairs[at][0], self._place
        data = ToolCallData(
            turn=place.turn, step=place.step, call_id=block["id"], name=block["name"], arguments=block["arguments"]
        )
        self._started.append(self._log.add(ToolCall, data).seq)

    def _commit(self, at: int, *, skipped: bool = False) -> None:
        block, call = self._pairs[at]
        result = {
            "type": "tool-result",
            "toolCallId": block["id"],
            "content": [{"type": "text", "text": NOT_DISPATCHED_TEXT if skipped else call.result}],
            "isError": skipped or call.fails,
        }
        source = {"kind": "tool", "callId": block["id"]}
        message = Message(source=source, content=(result,), role="user", id=self._log.new_id())
        data = ToolResultData(
            turn=self._place.turn, step=self._place.step, message=message, error=_NOT_DISPATCHED if skipped else None
        )
        self._log.add(ToolResult, data, surface_op="append", source_event_seqs=(self._started[at],))

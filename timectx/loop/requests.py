"""Ask the model in one step: the stream of its reply, what fails, and whether to ask again."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from timectx.loop.clocks import MovableClock
from timectx.loop.live_log import LiveLog
from timectx.loop.route import Announcer, Route
from timectx.loop.script import Failure, Reply
from timectx.loop.spans import span_ms
from timectx.loop.stream import blocks_of, failure_of, kept_blocks, pieces_of, visible_blocks
from timectx.loop.waterfall import Signal
from timectx.replay.compaction.compactor import Compactor
from timectx.session.data import AssistantData, Block, ChunkData, JsonObject, Message, RetryData, StepData
from timectx.session.events import AssistantChunk, AssistantMessage, OtherEvent, RetryStarted

__all__ = ["Answer", "CrashError", "RequestError", "Requests"]

_OVERFLOW = "CONTEXT_WINDOW_EXCEEDED"


class CrashError(Exception):
    """Stand for the end of the process in the middle of a step; nothing more is logged."""


class RequestError(Exception):
    """
    Say that a request failed for good.

    Parameters
    ----------
    failure : dict
        What the provider said, as the turn's end repeats it.
    """

    def __init__(self, failure: JsonObject) -> None:
        super().__init__(failure["message"])
        self.failure = failure


class Answer(Struct, frozen=True):
    """Hold the reply a step got, and the tool calls among its blocks."""

    reply: Reply
    calls: tuple[Block, ...]


class Requests:
    """
    Ask the model for one agent.

    Parameters
    ----------
    log : LiveLog
        Where everything is logged.
    clock : MovableClock
        The log's clock.
    compactor : Compactor or None
        Makes room after a request that did not fit; None = nothing does.
    warn : callable
        Takes the text of what failed without ending the turn.

    Notes
    -----
    `spare` is how many messages overflow recovery keeps beside the last. `overflows` counts the
    recoveries in a row; a reply starts it anew.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `step`.
    """

    def __init__(
        self, log: LiveLog, clock: MovableClock, compactor: Compactor | None, warn: Callable[[str], None]
    ) -> None:
        self._log, self._clock, self._compactor, self._warn = log, clock, compactor, warn
        self._announcer = Announcer(log)
        self.spare = self.overflows = 0

    def ask(
        self,
        place: StepData,
        route: Route,
        signal: Signal,
        *,
        reply_of: Callable[[], Reply],
        cancel: Callable[[], None],
        flush: Callable[[], object],
    ) -> Answer:
        """
        Send requests until one is answered.

        Parameters
        ----------
        place : StepData
            The open step.
        route : Route
            What each request carries.
        signal : Signal
            The turn's.
        reply_of : callable
            Returns what the model answers next.
        cancel : callable
            Cancels the turn, as a person would.
        flush : callable
            Called before each request.

        Returns
        -------
        Answer
            The reply, which is in the log.

        Raises
        ------
        RequestError
            If a request failed and is not sent again.
        AbortedError
            If the turn was cancelled; what a person saw of the reply is in the log.
        CrashError
            If the script says so.
        """
        retry = 0
        while True:
            self._announcer.announce(route)
            flush()
            reply = reply_of()
            if reply.crash:
                raise CrashError
            call_ids = tuple(f"call-{self._log.next_seq}-{at}" for at in range(len(reply.calls)))
            blocks = blocks_of(reply, call_ids)
            pieces = pieces_of(reply, blocks)
            sources = self._stream(place, reply, pieces, signal)
            if reply.cancel == "stream":
                cancel()
            if signal.aborted:
                self._keep_visible(place, route, pieces[: len(sources)], sources)
                signal.check()
            if reply.error is None:
                return self._settle(place, route, reply, kept_blocks(reply, blocks), sources)
            if not self._may_retry(place, route, reply.error, retry):
                raise RequestError(failure_of(reply.error))
            signal.check()
            retry += 1

    def _stream(self, place: StepData, reply: Reply, pieces: list[JsonObject], signal: Signal) -> tuple[int, ...]:
        """Log the pieces of a reply, spread over the time it takes, until the turn is cancelled; return their seqs."""
        whole_ms, spent_ms, seqs = span_ms(reply.takes), 0, list[int]()
        for at, piece in enumerate(pieces, start=1):
            due_ms = whole_ms * at // len(pieces)
            self._clock.advance(due_ms - spent_ms)
            spent_ms = due_ms
            if signal.aborted:
                break
            seqs.append(self._log.add(AssistantChunk, ChunkData(turn=place.turn, step=place.step, chunk=piece)).seq)
        if not pieces:
            self._clock.advance(whole_ms)
        return tuple(seqs)

    def _keep_visible(self, place: StepData, route: Route, pieces: list[JsonObject], sources: tuple[int, ...]) -> None:
        blocks = visible_blocks(pieces)
        if blocks:
            data = AssistantData(
                turn=place.turn, step=place.step, message=self._message(route, blocks), interrupted=True
            )
            self._log.add(AssistantMessage, data, surface_op="append", source_event_seqs=sources)
            self.overflows = 0

    def _settle(
        self, place: StepData, route: Route, reply: Reply, blocks: tuple[Block, ...], sources: tuple[int, ...]
    ) -> Answer:
        message = self._message(route, blocks)
        data = AssistantData(turn=place.turn, step=place.step, message=message, usage=reply.usage)
        self._log.add(AssistantMessage, data, surface_op="append", source_event_seqs=sources)
        self.overflows = 0
        return Answer(reply, tuple(block for block in blocks if block["type"] == "tool-call"))

    def _message(self, route: Route, blocks: tuple[Block, ...]) -> Message:
        source = {"kind": "model", "provider": route.provider, "model": route.model}
        return Message(content=blocks, source=source, role="assistant", id=self._log.new_id())

    def _may_retry(self, place: StepData, route: Route, error: Failure, retry: int) -> bool:
        """Make room or wait, where either lets the step ask again."""
        if error.code == _OVERFLOW and self._make_room():
            return True
        if error.retry:
            self._log_retry(place, route, error, retry)
        return error.retry

    def _make_room(self) -> bool:
        if self._compactor is None:
            return False
        room = self._compactor.retry_after_overflow(self.overflows, spare=self.spare)
        self.overflows += room.retry
        if room.failure is not None:
            self._warn(f"no room was made: {room.failure}")
        return room.retry

    def _log_retry(self, place: StepData, route: Route, error: Failure, retry: int) -> None:
        identity, wait_ms = self._log.new_id(), span_ms(error.wait)
        planned = {
            "retryId": identity,
            "turn": place.turn,
            "step": place.step,
            "provider": route.provider,
            "mode": "always",
            "policyKey": error.code,
            "retry": retry + 1,
            "delayMs": max(0, wait_ms),
            "failure": failure_of(error),
        }
        log = self._log
        log.append(OtherEvent(type="llm/retry", seq=log.next_seq, time_ms=log.now_ms, data=planned))
        self._clock.advance(wait_ms)
        started = {"retryId": identity, "retry": retry + 1}
        log.add(RetryStarted, RetryData(turn=place.turn, step=place.step, extra=started))

"""Run an agent's turns and steps, logging every event in the order the original logs it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from timectx.errors import TimectxError
from timectx.loop.clocks import MovableClock
from timectx.loop.inbox import Inbox
from timectx.loop.live_log import LiveLog
from timectx.loop.script import Failure, Reply, span_ms
from timectx.loop.stream import blocks_of, chunks_of, finish_of, kept_blocks
from timectx.loop.tools import run_tools
from timectx.loop.waterfall import Decision, Enter, Next, PreStep, Reject, Signal, Waterfall
from timectx.replay.compaction import Compactor
from timectx.session.data import (
    AssistantData,
    ChunkData,
    ContextData,
    HeaderData,
    JsonObject,
    RetryData,
    StepData,
    TurnData,
    TurnEndData,
)
from timectx.session.events import (
    AssistantChunk,
    AssistantMessage,
    Message,
    OtherEvent,
    RequestContext,
    RequestHeader,
    RetryStarted,
    StepEnd,
    StepStart,
    TurnEnd,
    TurnStart,
)
from timectx.session.header import canonical_header

__all__ = ["Agent", "CrashError", "Route"]

_OVERFLOW: Final = "CONTEXT_WINDOW_EXCEEDED"
_EMPTY: Final = Reply(text="done")


class CrashError(Exception):
    """Stand for the end of the process in the middle of a step; nothing more is logged."""


class ListenerError(TimectxError):
    """Signal that a listener failed on purpose, as a script asked for."""


class Route(Struct, frozen=True, kw_only=True):
    """
    Hold what every request carries beside its messages, and the model it goes to.

    `max_tokens` is what a reply may take, None = not said; `context_window` is in tokens, None =
    unknown.
    """

    provider: str
    model: str
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    max_tokens: int | None = None
    context_window: int | None = None

    def header(self) -> JsonObject:
        """
        Return the request header.

        Returns
        -------
        dict
            In canonical form.
        """
        limit = {} if self.max_tokens is None else {"maxTokens": self.max_tokens}
        config = {"provider": self.provider, "model": self.model, **limit}
        return canonical_header({"config": config, "system": self.system, "tools": list(self.tools)})


class _Outcome(Struct, frozen=True):
    """How a step ended: whether another must follow, and why the turn must end (None = it need not)."""

    goes_on: bool
    reason: JsonObject | None = None
    capped: bool = False


class Agent:
    """
    Run one agent on a log.

    Parameters
    ----------
    log : LiveLog
        Where everything is logged.
    clock : MovableClock
        The log's clock; replies and tools take their time on it.
    route : Route
        What requests carry.
    compactor : Compactor, optional
        Makes room after a request that did not fit; None = nothing does.

    Notes
    -----
    `pre_step` holds the listeners, `inbox` what waits, `replies` the answers still to come (none left: the
    model answers "done"). `warnings` collects what failed without ending a turn. `spare` is how many
    messages overflow recovery keeps beside the last, 0 as in the original.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts.
    """

    def __init__(self, log: LiveLog, clock: MovableClock, route: Route, *, compactor: Compactor | None = None) -> None:
        self.log, self.clock, self.route, self.compactor = log, clock, route, compactor
        self.pre_step = Waterfall()
        self.inbox = Inbox(log)
        self.replies: deque[Reply] = deque()
        self.warnings: list[str] = []
        self.checkpoint: Callable[[], object] = lambda: None
        self.spare = 0
        self.signal = Signal()
        self.overflows = 0
        self._turn = max((event.data.turn for event in log.events if isinstance(event, TurnStart)), default=0)
        self._header_sent = False
        self._answered = False
        contexts = (event.data for event in reversed(log.events) if isinstance(event, RequestContext))
        self._context: ContextData | None = next(contexts, None)
        self.pre_step.register(self._script_listener)

    def send(self, text: str, zone: str | None = None) -> None:
        """
        Let a prompt arrive.

        Parameters
        ----------
        text : str
            What the person wrote.
        zone : str, optional
            Time zone of the browser it came from; None = unknown.
        """
        self.inbox.insert("next-turn", self._prompt(text, zone))

    def steer(self, text: str, zone: str | None = None) -> None:
        """
        Let a message arrive for the open turn.

        Parameters
        ----------
        text : str
            What the person wrote.
        zone : str, optional
            As for `send`.
        """
        self.inbox.insert("next-step", self._prompt(text, zone))

    def run(self, replies: Iterable[Reply] = ()) -> None:
        """
        Run turns until nothing waits.

        Parameters
        ----------
        replies : iterable of Reply, optional
            The model's answers, in order.

        Raises
        ------
        CrashError
            Where a reply says so; the log is left as it stands.
        """
        self.replies.extend(replies)
        while self.inbox.waiting("next-turn") or self.inbox.waiting("next-step"):
            self._run_turn()
        self.overflows = 0

    def _prompt(self, text: str, zone: str | None) -> Message:
        content = ({"type": "text", "text": text},)
        identity = self.log.new_id()
        source: JsonObject = {"kind": "user"}
        if zone is not None:
            source |= {"rpcId": identity, "clientTimeZone": zone}
        if self.log.edition == "note":
            return Message(content=content, source=source)
        return Message(content=content, source=source, role="user", id=identity)

    def _script_listener(self, call: PreStep, go_on: Next) -> Decision:
        """Do to the step what the script says befalls it."""
        match self.replies[0].before if self.replies else None:
            case "reject":
                self.replies.popleft()
                return Reject()
            case "fail":
                self.replies.popleft()
                raise ListenerError("a listener failed before the step", kind="UNKNOWN")
            case "cancel":
                self.replies.popleft()
                call.signal.abort()
        return go_on(call)

    def _run_turn(self) -> None:
        self._turn += 1
        self.signal = Signal()
        self.log.add(TurnStart, TurnData(turn=self._turn))
        step, capped = 1, False
        while True:
            decision = self._prepare(step, self.inbox.claim(new_turn=step == 1))
            if not isinstance(decision, Enter):
                self._end_turn(decision)
                return
            if self._is_idle(step, decision):
                break
            outcome = self._run_step(step, decision.messages)
            capped = capped or outcome.capped
            if outcome.reason is not None:
                self._end_turn(outcome.reason)
                return
            if not outcome.goes_on and not self.inbox.waiting("next-step"):
                break
            self._answered = not outcome.goes_on
            step += 1
        self._end_turn({"kind": "max-tokens" if capped else "completed"})

    def _is_idle(self, step: int, decision: Enter) -> bool:
        """Tell whether a step has nothing to answer: no message, and no tool result that waits for the model."""
        if decision.messages or self.log.edition == "note":
            return False
        return step == 1 or self._answered

    def _prepare(self, step: int, claimed: tuple[Message, ...]) -> Enter | JsonObject:
        """Let the listeners decide; return the reason to end the turn where the step may not start."""
        call = PreStep(self._turn, step, claimed, self.signal)
        if self.log.edition == "note":
            for message in claimed:
                self.log.say(message)
            call = PreStep(self._turn, step, (), self.signal)
        self.checkpoint()
        try:
            decision = self.pre_step.run(call)
        except TimectxError as error:
            return {"kind": "error", "error": {"message": str(error), "code": "UNKNOWN"}}
        if self.signal.reason is not None:
            return {"kind": "aborted", "reason": self.signal.reason}
        return {"kind": "blocked"} if isinstance(decision, Reject) else decision

    def _run_step(self, step: int, messages: tuple[Message, ...]) -> _Outcome:
        place = StepData(turn=self._turn, step=step)
        self.log.add(StepStart, place)
        for message in messages:
            self.log.say(message)
        outcome = self._request(place)
        self.log.add(StepEnd, place)
        return outcome

    def _request(self, place: StepData) -> _Outcome:
        """Ask the model, again where a failure allows it, and run the tools it calls."""
        retry = 0
        while True:
            self._announce()
            self.checkpoint()
            reply = self.replies.popleft() if self.replies else _EMPTY
            if reply.crash:
                raise CrashError
            call_ids = tuple(f"call-{self.log.next_seq}-{at}" for at in range(len(reply.calls)))
            blocks = blocks_of(reply, call_ids)
            sources, texts = self._stream(place, reply, blocks)
            if reply.error is not None:
                if not self._may_retry(place, reply.error, retry):
                    failure = {"message": reply.error.message, "code": reply.error.code}
                    return _Outcome(False, {"kind": "error", "error": failure})
                retry += 1
                continue
            return self._settle(place, reply, kept_blocks(reply, blocks, texts), sources)

    def _announce(self) -> None:
        """Log the header and the model where they are new; nothing of it is on the surface."""
        header = self.route.header()
        known = self.log.view.pressure.header
        if not self._header_sent or header != known:
            reason = ("initial" if known is None else "resume") if not self._header_sent else "change"
            self.log.add(RequestHeader, HeaderData(header=header, reason=reason))
            self._header_sent = True
        route = self.route
        context = ContextData(provider=route.provider, model=route.model, context_window=route.context_window)
        if context != self._context:
            self.log.add(RequestContext, context)
            self._context = context

    def _stream(
        self, place: StepData, reply: Reply, blocks: tuple[JsonObject, ...]
    ) -> tuple[tuple[int, ...], dict[int, str]]:
        """Log the pieces of a reply over the time it takes; return their seqs and the text so far of each block."""
        pieces = [] if reply.error is not None else list(chunks_of(blocks))
        if reply.cancel == "stream":
            pieces = pieces[: max(1, len(pieces) // 2)]
        ending = [] if reply.cancel == "stream" else [*self._usage(reply), finish_of(reply)]
        whole_ms, spent_ms, seqs, texts = span_ms(reply.takes), 0, list[int](), dict[int, str]()
        for at, chunk in enumerate([*pieces, *ending], start=1):
            due_ms = whole_ms * at // (len(pieces) + len(ending))
            self.clock.advance(due_ms - spent_ms)
            spent_ms = due_ms
            seqs.append(self.log.add(AssistantChunk, ChunkData(turn=place.turn, step=place.step, chunk=chunk)).seq)
            if "text" in chunk:
                texts[chunk["index"]] = texts.get(chunk["index"], "") + chunk["text"]
        if reply.cancel == "stream":
            self.signal.abort()
        return tuple(seqs), texts

    def _usage(self, reply: Reply) -> list[JsonObject]:
        if reply.usage is None:
            return []
        from timectx.session.records import record_of

        told = AssistantMessage(
            seq=0,
            time_ms=0,
            data=AssistantData(turn=1, step=1, message=Message(content=(), source={}), usage=reply.usage),
        )
        return [{"type": "usage", "usage": record_of(told)["data"]["usage"]}]

    def _may_retry(self, place: StepData, error: Failure, retry: int) -> bool:
        """Make room or wait, where either lets the step ask again."""
        if error.code == _OVERFLOW and self.compactor is not None:
            room = self.compactor.retry_after_overflow(self.overflows, spare=self.spare)
            self.overflows += 1
            if room.failure is not None:
                self.warnings.append(f"turn {place.turn}, step {place.step}: no room was made: {room.failure}")
            return room.retry
        if not error.retry:
            return False
        self._log_retry(place, error, retry)
        return True

    def _log_retry(self, place: StepData, error: Failure, retry: int) -> None:
        identity, wait_ms = self.log.new_id(), span_ms(error.wait)
        planned = {
            "retryId": identity,
            "turn": place.turn,
            "step": place.step,
            "provider": self.route.provider,
            "mode": "always",
            "policyKey": error.code,
            "retry": retry + 1,
            "delayMs": wait_ms,
            "failure": {"message": error.message, "code": error.code},
        }
        self.log.append(OtherEvent(type="llm/retry", seq=self.log.next_seq, time_ms=self.log.now_ms, data=planned))
        self.clock.advance(wait_ms)
        started = {"retryId": identity, "retry": retry + 1}
        self.log.add(RetryStarted, RetryData(turn=place.turn, step=place.step, extra=started))

    def _settle(
        self, place: StepData, reply: Reply, blocks: tuple[JsonObject, ...], sources: tuple[int, ...]
    ) -> _Outcome:
        """Log the reply, let steering arrive and run the tools."""
        cut = reply.cancel == "stream"
        if blocks or not cut:
            source = {"kind": "model", "provider": self.route.provider, "model": self.route.model}
            message = Message(content=blocks, source=source, role="assistant", id=self.log.new_id())
            data = AssistantData(
                turn=place.turn,
                step=place.step,
                message=message,
                usage=None if cut else reply.usage,
                interrupted=True if cut else None,
            )
            self.log.add(AssistantMessage, data, surface_op="append", source_event_seqs=sources)
            self.overflows = 0
        for steer in reply.steers:
            self.steer(steer.say, steer.zone)
        if reply.cancel == "tools":
            self.signal.abort()
        called = [block for block in blocks if block["type"] == "tool-call"]
        run_tools(self.log, self.clock, place, reply, called, aborted=self.signal.aborted, before=self.checkpoint)
        if self.signal.reason is not None:
            return _Outcome(False, {"kind": "aborted", "reason": self.signal.reason})
        return _Outcome(bool(called), capped=reply.finish == "max-tokens")

    def _end_turn(self, reason: JsonObject) -> None:
        self.log.add(TurnEnd, TurnEndData(turn=self._turn, reason=reason))

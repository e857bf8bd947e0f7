"""Run an agent's turns and steps, logging every event in the order the original logs it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from msgspec.structs import replace

from timectx.errors import StoreError, TimectxError
from timectx.loop.clocks import MovableClock
from timectx.loop.inbox import Inbox
from timectx.loop.live_log import LiveLog
from timectx.loop.requests import CrashError, RequestError, Requests
from timectx.loop.route import Route
from timectx.loop.script import Reply
from timectx.loop.tools import ToolRuns
from timectx.loop.waterfall import Decision, Enter, Next, PreStep, Reject, Signal, Waterfall
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.transaction import Compacted, error_chain
from timectx.session.data import JsonObject, StepData, TurnData, TurnEndData
from timectx.session.events import Message, StepEnd, StepStart, TurnEnd, TurnStart

__all__ = ["Agent", "ListenerError"]

_DEFAULT: Final = Reply(text="done")
_COMPLETED: Final[JsonObject] = {"kind": "completed"}


class ListenerError(TimectxError):
    """Signal that a listener failed on purpose, as a script asked for."""


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
        What requests carry; another one may be set between turns.
    compactor : Compactor, optional
        Makes room after a request that did not fit; None = nothing does.

    Attributes
    ----------
    pre_step : Waterfall
        The listeners that decide what enters a step.
    turn_stopping : list of callable
        Called when a turn is about to end; one that steers lets it go on.
    inbox : Inbox
        What waits, what the log's history left there included.
    replies : deque of Reply
        The answers still to come; where none is left the model answers "done".
    warnings : list of str
        What failed without ending its turn, and which error nobody raised on purpose ended one.
    checkpoint : callable
        Called before each step is prepared, each request and each tool: the log is to be made durable.
    signal : Signal
        Whether the open turn was cancelled.
    requests : Requests
        Asks the model.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `turn` and `preStep`.
    """

    def __init__(self, log: LiveLog, clock: MovableClock, route: Route, *, compactor: Compactor | None = None) -> None:
        self.log, self.clock, self.route, self.compactor = log, clock, route, compactor
        self.pre_step = Waterfall()
        self.turn_stopping: list[Callable[[Agent], object]] = []
        self.inbox = Inbox(log)
        self.replies: deque[Reply] = deque()
        self.warnings: list[str] = []
        self.checkpoint: Callable[[], object] = lambda: None
        self.signal = Signal()
        self.requests = Requests(log, clock, compactor, self.warn)
        starts = (event.data.turn for event in reversed(log.events) if isinstance(event, TurnStart))
        self._turn, self._step = next(starts, 0), 0
        self._woken = self._steered = False
        self._held: Reply | None = None
        self.pre_step.register(self._script_listener)

    @property
    def spare(self) -> int:
        """How many messages overflow recovery keeps beside the last; 0, as in the original, loses the prompt."""
        return self.requests.spare

    @spare.setter
    def spare(self, count: int) -> None:
        self.requests.spare = count

    def send(self, text: str, zone: str | None = None) -> Message:
        """
        Let a prompt arrive.

        Parameters
        ----------
        text : str
            What the person wrote.
        zone : str, optional
            Time zone of the browser it came from; None = unknown.

        Returns
        -------
        Message
            What waits from now on.
        """
        message = self._prompt(text, zone)
        self.inbox.insert("next-turn", message)
        self._wake()
        return message

    def steer(self, text: str, zone: str | None = None) -> Message:
        """
        Let a message arrive for the open turn; once that was cancelled, for the next one.

        Parameters
        ----------
        text : str
            What the person wrote.
        zone : str, optional
            As for `send`.

        Returns
        -------
        Message
            What waits from now on.
        """
        if self.log.view.turn is not None and self.signal.aborted:
            return self.send(text, zone)
        message = self._prompt(text, zone)
        self.inbox.insert("next-step", message)
        self._wake()
        return message

    def cancel(self, kind: str = "user", *, keep_inbox: bool = False) -> None:
        """
        Cancel the open turn.

        Parameters
        ----------
        kind : str, optional
            Who cancels, as for `Signal.abort`.
        keep_inbox : bool, optional
            Whether what waits stays; otherwise it is cancelled too.
        """
        if not keep_inbox:
            self.inbox.clear()
            self._woken = False
        if self.log.view.turn is not None:
            self.signal.abort(kind)

    def run(self, replies: Iterable[Reply] = ()) -> None:
        """
        Run turns until nothing waits, or one was rejected, failed, was cancelled or had nothing to say.

        Parameters
        ----------
        replies : iterable of Reply, optional
            The model's answers, in order.

        Raises
        ------
        CrashError
            Where a reply says so; the log is left as it stands.
        StoreError
            If the log cannot be made durable.

        Notes
        -----
        A prompt that was sent opens its turn even if it was taken back meanwhile. What a turn that ended
        early leaves waiting waits for the next run.
        """
        self.replies.extend(replies)
        early = self.log.edition == "note"
        while not self.inbox.is_empty or (self._woken and not early):
            self._woken = False
            if not self._run_turn() and not self._woken:
                break
        self._woken = False
        self.requests.overflows = 0

    def compact_now(self, command_id: str | None = None) -> Compacted | None:
        """
        Compact between turns, because a person asked for it, and make that durable.

        Parameters
        ----------
        command_id : str, optional
            The command that asked; None = none did.

        Returns
        -------
        Compacted or None
            None when nothing is left to take, or the agent compacts nothing.

        Raises
        ------
        CompactionError
            As `Compactor.compact_now`.
        """
        done = None if self.compactor is None else self.compactor.compact_now(command_id)
        self.checkpoint()
        return done

    def warn(self, text: str) -> None:
        """
        Note what failed, with the place where it did.

        Parameters
        ----------
        text : str
            What failed.
        """
        place = "between turns" if self.log.view.turn is None else f"turn {self._turn}, step {self._step}"
        self.warnings.append(f"{place}: {text}")

    def _wake(self) -> None:
        """Let the next turn start by itself; an open one that goes on takes what arrives without that."""
        if self.log.view.turn is None or self.signal.aborted:
            self._woken = True

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
        before = self.replies[0].before if self.replies else None
        if before is None:
            return go_on(call)
        reply = self.replies.popleft()
        match before:
            case "reject":
                return Reject()
            case "fail":
                raise ListenerError("a listener failed before the step", kind="UNKNOWN")
            case "cancel":
                self.cancel()
                return go_on(call)
            case "empty":
                self._held = replace(reply, before=None)
                go_on(call)
                return Enter(())

    def _next_reply(self) -> Reply:
        if self._held is not None:
            reply, self._held = self._held, None
            return reply
        return self.replies.popleft() if self.replies else _DEFAULT

    def _run_turn(self) -> bool:
        """Run one turn; return whether the next one may follow by itself."""
        self._turn, self._step = self._turn + 1, 0
        self.signal, self._held = Signal(), None
        self.log.add(TurnStart, TurnData(turn=self._turn))
        try:
            reason, goes_on = self._run_steps()
        except (CrashError, StoreError):
            raise
        except Exception as error:  # whatever fails, the turn has an end that says so
            reason, goes_on = self._failed(error), False
        self.log.add(TurnEnd, TurnEndData(turn=self._turn, reason=reason))
        return goes_on

    def _run_steps(self) -> tuple[JsonObject, bool]:
        """Run the steps of a turn; return why it ends, and whether it came to its own end."""
        ending: JsonObject | None = None
        while True:
            self._step += 1
            messages = self._prepare()
            if messages is None:
                return {"kind": "blocked"}, False
            if not messages and self.log.edition != "note":
                if ending is not None:
                    return ending, True
                if self._step == 1:
                    return _COMPLETED, False
            after = self._run_step(messages)
            if ending is None or ending["kind"] != "max-tokens":  # which stays, whatever comes after it
                ending = after
            if ending is not None and not self._has_steering():
                for listener in tuple(self.turn_stopping):
                    listener(self)
                    self.signal.check()
                if not self._has_steering():
                    return ending, True

    def _prepare(self) -> tuple[Message, ...] | None:
        """Let the listeners decide what enters; None when they refuse the step."""
        is_early = self.log.edition == "note"
        claimed = self._claimed(new_turn=self._step == 1)
        self.checkpoint()
        decision = self.pre_step.run(PreStep(self._turn, self._step, () if is_early else claimed, self.signal))
        self.signal.check()
        if isinstance(decision, Reject):
            return None
        if not is_early:
            return decision.messages
        for message in decision.messages:
            self.log.say(message)
        return ()

    def _claimed(self, *, new_turn: bool) -> tuple[Message, ...]:
        """Take what waits for the step; in ``note`` it is in the log at once, steering before the step's end."""
        claimed = self.inbox.claim(new_turn=new_turn)
        if self.log.edition == "note":
            for message in claimed:
                self.log.say(message)
        return claimed

    def _run_step(self, messages: tuple[Message, ...]) -> JsonObject | None:
        """Run one step; return why the turn may end after it, None when it goes on."""
        place = StepData(turn=self._turn, step=self._step)
        self._steered = False
        self.log.add(StepStart, place)
        try:
            for message in messages:
                self.log.say(message)
            after = self._answer(place)
        except (CrashError, StoreError):
            raise
        except Exception:
            self.log.add(StepEnd, place)
            raise
        self.log.add(StepEnd, place)
        self.signal.check()
        return after

    def _answer(self, place: StepData) -> JsonObject | None:
        answer = self.requests.ask(
            place, self.route, self.signal, reply_of=self._next_reply, cancel=self.cancel, flush=self.checkpoint
        )
        for steer in answer.reply.steers:
            self.steer(steer.say, steer.zone)
        if answer.reply.cancel == "tools":
            self.cancel()
        concluded = not answer.calls
        if answer.calls:
            pairs = list(zip(answer.calls, answer.reply.calls, strict=True))
            runs = ToolRuns(self.log, self.clock, place, pairs, signal=self.signal, flush=self.checkpoint)
            concluded = runs.run(parallel=answer.reply.parallel)
        if self.log.edition == "note":
            self._steered = bool(self._claimed(new_turn=False))
        if answer.reply.finish is not None:
            return {"kind": answer.reply.finish}
        return _COMPLETED if concluded else None

    def _has_steering(self) -> bool:
        return self._steered or bool(self.inbox.waiting("next-step"))

    def _failed(self, error: Exception) -> JsonObject:
        if self.signal.reason is not None:
            return {"kind": "aborted", "reason": self.signal.reason}
        if isinstance(error, RequestError):
            return {"kind": "error", "error": error.failure}
        if not isinstance(error, TimectxError):
            self.warn(f"what nobody raised on purpose failed the turn: {error!r}")
        return {"kind": "error", "error": {"message": error_chain(error), "code": "UNKNOWN"}}

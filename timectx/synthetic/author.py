"""Write a whole made-up session, turn by turn, in the order the original writes one."""

from __future__ import annotations

from typing import Final

from timectx.errors import ZoneError
from timectx.reading import format_reading
from timectx.replay import is_due, reading_message
from timectx.session.closers import closing_events
from timectx.session.events import (
    ContextData,
    EndSeed,
    HeaderData,
    JsonObject,
    RequestContext,
    RequestHeader,
    SeedData,
    StepData,
    StepEnd,
    StepStart,
    TurnEnd,
    TurnEndData,
    UserMessage,
)
from timectx.synthetic.dice import Dice
from timectx.synthetic.happenings import Agenda, Happening, HappeningKind
from timectx.synthetic.inbox import Inbox
from timectx.synthetic.ledger import Ledger
from timectx.synthetic.plan import Place, Plan
from timectx.synthetic.replies import FAILURE, Model
from timectx.synthetic.shortening import compact, prune
from timectx.synthetic.words import Words, system_prompt, tool_list

__all__ = ["Author"]

_OPENERS: Final[tuple[HappeningKind, ...]] = ("pause", "resume")
_STOPS: Final[tuple[HappeningKind, ...]] = ("block", "error", "abort")
_ENDINGS: Final[tuple[HappeningKind, ...]] = ("max-tokens", "interrupt", "failure", "crash")
_STOP_REASONS: Final[dict[str, JsonObject]] = {
    "block": {"kind": "blocked"},
    "error": {"kind": "error", "error": {"message": "the step could not be prepared", "code": "UNKNOWN"}},
    "abort": {"kind": "aborted", "reason": {"kind": "user"}},
}
_RUNTIME_CONTEXT: Final = "The folder may be read and written. Commands run in a sandbox without a network."
_CONTEXT_WINDOW: Final = 1_000_000
_LONGEST_RESULT: Final = 8192
_RETRY_DELAY_MS: Final = 2000


class Author:
    """
    Write the events of one session.

    Parameters
    ----------
    seed : int
        Where every draw starts.
    plan : Plan
        What was asked for.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `turn`, `preStep` and `step`.
    """

    def __init__(self, seed: int, plan: Plan) -> None:
        self.plan = plan
        self.dice = Dice(seed, "behaviour")
        self.ledger = Ledger(plan.edition, plan.start_ms, Dice(seed, "names"))
        self.words = Words(Dice(seed, "words"), plan.habits.cjk_permille)
        self.model = Model(self.ledger, self.dice, plan.habits, self.words, stream=plan.stream)
        self.agenda = Agenda(plan.happenings)
        self.inbox = Inbox(plan, self.ledger, self.dice, self.words)
        self.at = 1
        self.turn = self.step = 0
        self.header_reason: str | None = "initial"
        self.logged_model = ""

    def write(self) -> Ledger:
        """
        Write it all.

        Returns
        -------
        Ledger
            The log.
        """
        if not self.plan.is_early:
            self.ledger.note("permission/preset", {"preset": "workspace-write"})
            self.ledger.note("approval/policy", {"policy": "ask"})
        while self.at <= self.plan.steps or self.agenda.has(self.at, *_STOPS):
            self._leave()
            self.turn, self.step = self.turn + 1, 0
            self.inbox.open_turn(self.turn)
            left = self.plan.habits.steps(self.dice)
            while self._step(is_last=self._is_last(left)):
                left -= 1
        return self.ledger

    def _leave(self) -> None:
        """Let the time pass until the next prompt."""
        idle_ms = self.plan.habits.idle(self.dice)
        resume, pause = self.agenda.take(self.at, "resume"), self.agenda.take(self.at, "pause")
        if resume is not None:
            self._reopen(resume.ms)
        if pause is not None:
            self.ledger.wait(pause.ms)
        elif self.turn:
            self.ledger.wait(idle_ms)

    def _reopen(self, away_ms: int) -> None:
        self.ledger.wait(away_ms)
        self.ledger.add(EndSeed, SeedData())
        self.header_reason = self.header_reason or "resume"

    def _is_last(self, left: int) -> bool:
        """Tell whether the turn is to end with the coming step, when nothing goes wrong in it."""
        following = self.at + 1
        opens = self.agenda.has(following, *_OPENERS)
        if self.at >= self.plan.steps and not self.agenda.has(following, *_STOPS):
            return True
        return opens or (left <= 1 and not self.agenda.has(following, "steer"))

    def _step(self, *, is_last: bool) -> bool:
        """Prepare a step and take it; return True when the turn goes on."""
        self.step += 1
        place, agenda = Place(self.turn, self.step), self.agenda
        for happening in agenda.take_all(self.at, "clock"):
            self.ledger.wait(happening.ms)
        self.ledger.wait(self.dice.below(12))
        self.inbox.claim()
        stop = agenda.take(self.at, *_STOPS)
        prepare = self._prepare_early if self.plan.is_early else self._prepare
        reason = prepare(place, stop)
        if reason is not None:
            return self._end_turn(reason)
        self.at += 1
        self._head()
        return self._body(place, agenda.take(self.at - 1, *_ENDINGS), is_last=is_last)

    def _prepare(self, place: Place, stop: Happening | None) -> JsonObject | None:
        """Shorten first, then take the reading, and let everything enter after the step's start."""
        self._shorten()
        entering = self.inbox.take()
        if stop is not None:
            return _STOP_REASONS[stop.kind]
        if self.header_reason == "initial":
            entering.append(self.ledger.message(_RUNTIME_CONTEXT, _snapshot("runtime", _RUNTIME_CONTEXT)))
        try:
            text = self._reading(place, tuple(message.source for message in entering))
        except ZoneError as error:
            return {"kind": "error", "error": {"message": str(error), "code": "UNKNOWN"}}
        self.ledger.wait(self.dice.between(0, self.plan.lag_ms))
        self.ledger.add(StepStart, StepData(turn=place.turn, step=place.step))
        for message in entering:
            self.ledger.show(UserMessage, message)
        self._add_reading(text)
        return None

    def _prepare_early(self, place: Place, stop: Happening | None) -> JsonObject | None:
        """Take the reading first and add it at once; it stays whatever happens next."""
        is_late_abort = stop is not None and stop.kind == "abort" and self.dice.chance(500)
        text = None if stop is not None and stop.kind == "abort" and not is_late_abort else self._reading(place, ())
        self.ledger.wait(self.dice.between(0, self.plan.lag_ms))
        self._add_reading(text)
        self._shorten()
        if stop is not None:
            return _STOP_REASONS[stop.kind]
        self.ledger.add(StepStart, StepData(turn=place.turn, step=place.step))
        return None

    def _reading(self, place: Place, entering: tuple[JsonObject, ...]) -> str | None:
        """Return the text of the reading that is due, None when none is."""
        context, now_ms = self.ledger.context, self.ledger.now_ms
        if not self.plan.readings or not is_due(now_ms, context.last_reading_ms, self.plan.interval_ms):
            return None
        zone = self.plan.time_zone
        return format_reading(context.reading_at(now_ms, place.turn, place.step, fallback=zone, entering=entering))

    def _add_reading(self, text: str | None) -> None:
        if text is not None:
            self.ledger.show(UserMessage, reading_message(text, self.plan.edition, self.ledger.ids.uuid()))

    def _shorten(self) -> None:
        for happening in self.agenda.take_all(self.at, "compaction", "prune"):
            if happening.kind == "prune":
                prune(self.ledger, happening.size or _LONGEST_RESULT)
            else:
                model = (self.model.provider, self.model.name)
                compact(self.ledger, self.dice, self.words, turn=self.turn, model=model, factor=self.model.factor)

    def _head(self) -> None:
        """Log what the requests carry beside messages, where that is new."""
        if self.agenda.take(self.at - 1, "model") is not None:
            self.model.name = "deepseek-v4-pro" if self.model.name.endswith("flash") else "deepseek-v4-flash"
            self.header_reason = self.header_reason or "change"
        if self.header_reason is None:
            return
        config = {"provider": self.model.provider, "model": self.model.name, "maxTokens": 32_000}
        header = {"config": config, "system": system_prompt(), "tools": tool_list()}
        self.ledger.add(RequestHeader, HeaderData(header=header, reason=self.header_reason))
        self.header_reason = None
        if self.logged_model != self.model.name:
            self.logged_model = self.model.name
            self.ledger.add(
                RequestContext,
                ContextData(provider=self.model.provider, model=self.model.name, context_window=_CONTEXT_WINDOW),
            )

    def _body(self, place: Place, ending: Happening | None, *, is_last: bool) -> bool:
        """Ask the model and run its tools; return True when the turn goes on."""
        model, kind = self.model, "" if ending is None else ending.kind
        for happening in self.agenda.take_all(self.at - 1, "retry"):
            model.retry(place, happening.ms or _RETRY_DELAY_MS)
        if kind == "failure":
            model.fail(place)
            return self._end_step(place, {"kind": "error", "error": dict(FAILURE)})
        if kind == "interrupt":
            if self.dice.chance(700):
                model.reply(place, "interrupted")
            return self._end_step(place, _STOP_REASONS["abort"])
        if kind == "max-tokens":
            model.reply(place, "max-tokens")
            return self._end_step(place, {"kind": "max-tokens"})
        if ending is None and is_last:
            model.reply(place, "stop")
            return self._end_step(place, {"kind": "completed"})
        model.run_tools(place, model.reply(place, "tool-calls"), dies=kind == "crash")
        if ending is not None:
            return self._crash(ending)
        if not self.agenda.has(self.at, *_OPENERS):
            self.inbox.steer(self.turn, self.agenda.take_all(self.at, "steer"))
        return self._end_step(place, None)

    def _crash(self, crash: Happening) -> bool:
        """Close the broken turn the way the program does when it is taken up again."""
        for event in closing_events(self.ledger.events):
            self.ledger.take(event)
        self._reopen(crash.ms)
        return False

    def _end_step(self, place: Place, reason: JsonObject | None) -> bool:
        self.ledger.add(StepEnd, StepData(turn=place.turn, step=place.step))
        return True if reason is None else self._end_turn(reason)

    def _end_turn(self, reason: JsonObject) -> bool:
        self.ledger.add(TurnEnd, TurnEndData(turn=self.turn, reason=reason))
        return False


def _snapshot(name: str, text: str) -> JsonObject:
    sections = [{"name": name, "text": text}]
    return {"kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt", "form": "snapshot", "sections": sections}

"""Find the moments at which a reading may be added, and what stood around each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from timectx.session.events import (
    AssistantChunk,
    AssistantMessage,
    CompactionEnd,
    CompactionPrune,
    CompactionStart,
    CompactionSummary,
    Event,
    Replace,
    RetryStarted,
    StepEnd,
    StepStart,
    TurnEnd,
    TurnStart,
    UserMessage,
)

__all__ = ["Attempt", "attempts_of", "is_current_reading_source", "is_reading_event", "is_reading_source"]


class Attempt(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one attempt: the moment before a step when a reading may be added.

    `kind` says what marks it in the log: ``step`` a step/start, ``turn-end`` a turn/end with no
    step of its own, ``reading`` a reading that no step followed. `seq` and `time_ms` are those
    of the mark. `boundary_seq` is the turn or step boundary before it, -1 = start of the log.
    `entered` holds the seqs of the messages admitted for the step, `readings` those of
    messages with a reading's source in the same window, on the surface or not. `prestep_seq`
    and `prestep_ms` are those of the first compaction or prune event between the boundary and
    the step, None where there is none. Times are epoch milliseconds.
    """

    turn: int
    step: int
    kind: Literal["step", "turn-end", "reading"]
    seq: int
    time_ms: int
    boundary_seq: int
    entered: tuple[int, ...] = ()
    readings: tuple[int, ...] = ()
    prestep_seq: int | None = None
    prestep_ms: int | None = None


def is_reading_source(source: Mapping[str, object]) -> bool:
    """
    Tell whether a message's source is that of a reading.

    Parameters
    ----------
    source : Mapping
        A message's source.

    Returns
    -------
    bool
        True for the plugin named ``time-context``; the message's text does not matter.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `latestInjectionTime`.

    Examples
    --------
    >>> is_reading_source({"kind": "plugin", "plugin": "time-context", "form": "snapshot"})
    True
    >>> is_reading_source({"kind": "user"})
    False
    """
    return source.get("kind") == "plugin" and source.get("plugin") == "time-context"


def is_current_reading_source(source: Mapping[str, object]) -> bool:
    """
    Tell whether a message's source is that of a reading since the producer became its kind.

    Parameters
    ----------
    source : Mapping
        A message's source.

    Returns
    -------
    bool
        True for the kind ``time-context``, whatever else it holds; the older form is an ordinary
        message there.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, release 0.2.1.
    """
    return source.get("kind") == "time-context"


def is_reading_event(event: Event) -> bool:
    """
    Tell whether an event is a message with a reading's source.

    Parameters
    ----------
    event : Event
        Any event.

    Returns
    -------
    bool
        True for such a user message, on the surface or not.
    """
    return isinstance(event, UserMessage) and is_reading_source(event.data.source)


def attempts_of(events: Iterable[Event]) -> tuple[Attempt, ...]:
    """
    Find the attempts of a log.

    Parameters
    ----------
    events : iterable of Event
        In log order; a gap in their seqs stands for streamed output.

    Returns
    -------
    tuple of Attempt
        In log order: one for every step/start; one before the turn/end of a turn that ended
        ``blocked``, or that ended ``error`` or ``aborted`` without a step; one for a reading
        that no step followed.

    Notes
    -----
    A step's messages are those between the previous boundary and its first output, on either side
    of the step/start: early logs have them before, later ones after. A reading is logged before
    the step/start only in early logs, so only there can one stand without a step [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `turn` and `preStep`.
    """
    fold = _Fold()
    for event in events:
        fold.apply(event)
    fold.close(None)
    return tuple(fold.attempts)


class _Fold:
    """Walk a log once, keeping what happened since the last boundary."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.turn: int | None = None
        self.step = 0
        self.started: StepStart | None = None
        self.last_seq = -1
        self._reset(-1)

    def _reset(self, boundary_seq: int) -> None:
        self.boundary_seq = boundary_seq
        self.entered: list[int] = []
        self.readings: list[UserMessage] = []
        self.prestep: Event | None = None
        self.listening = True

    def apply(self, event: Event) -> None:
        if self.started and event.seq > self.last_seq + 1:
            self.listening = False
        self.last_seq = event.seq
        match event:
            case UserMessage() if self.listening:
                self._message(event)
            case StepStart():
                if self.started:
                    self._flush_step(self.started)
                    self._reset(self.started.seq)
                self.turn = event.data.turn
                self.step = event.data.step
                self.started = event
            case TurnStart():
                self.close(None)
                self.turn, self.step = event.data.turn, 0
                self._reset(event.seq)
            case StepEnd():
                if self.started:
                    self._flush_step(self.started)
                self.started = None
                self._reset(event.seq)
            case TurnEnd():
                self.close(event)
                self._reset(event.seq)
            case AssistantChunk() | AssistantMessage() | RetryStarted():
                self.listening = self.listening and self.started is None
            case CompactionStart() | CompactionSummary() | CompactionEnd() | CompactionPrune():
                if self.started is None and self.prestep is None:
                    self.prestep = event
            case _:
                pass

    def _message(self, event: UserMessage) -> None:
        if is_reading_source(event.data.source):
            self.readings.append(event)
        elif event.surface_op is not None and not isinstance(event.surface_op, Replace):
            self.entered.append(event.seq)

    def close(self, end: TurnEnd | None) -> None:
        if self.started:
            self._flush_step(self.started)
        elif self.turn is not None:
            self._flush_stepless(self.turn, self.step + 1, end)
        self.turn, self.step, self.started = None, 0, None

    def _flush_step(self, start: StepStart) -> None:
        self._flush(start.data.turn, start.data.step, "step", start)

    def _flush_stepless(self, turn: int, step: int, end: TurnEnd | None) -> None:
        kind = end.data.reason.get("kind") if end else None
        if end and (kind == "blocked" or (kind in ("error", "aborted") and step == 1)):
            self._flush(turn, step, "turn-end", end)
        elif self.readings:
            self._flush(turn, step, "reading", self.readings[-1])

    def _flush(self, turn: int, step: int, kind: Literal["step", "turn-end", "reading"], mark: Event) -> None:
        self.attempts.append(
            Attempt(
                turn=turn,
                step=step,
                kind=kind,
                seq=mark.seq,
                time_ms=mark.time_ms,
                boundary_seq=self.boundary_seq,
                entered=tuple(self.entered),
                readings=tuple(event.seq for event in self.readings),
                prestep_seq=self.prestep.seq if self.prestep else None,
                prestep_ms=self.prestep.time_ms if self.prestep else None,
            )
        )

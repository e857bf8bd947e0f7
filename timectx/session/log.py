"""Hold one session: its header, its whole event log, and what was odd about reading it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from msgspec import Struct

from timectx.errors import SessionError
from timectx.session.attempts import Attempt, attempts_of
from timectx.session.closers import closing_events
from timectx.session.events import SURFACE_CLASSES, Event, Message
from timectx.session.header import SessionHeader
from timectx.session.surface import Surface, fold_surface, message_of
from timectx.session.turns import Step, Turn, turns_of

__all__ = ["Problem", "Session", "StreamRow"]


class Problem(Struct, frozen=True):
    """
    Name one thing that was wrong with a transcript although it could be read.

    `line` counts from 1 (0 = the file as a whole), `kind` is a stable word for the fault and
    `message` says what was found and what was done about it.
    """

    line: int
    kind: str
    message: str


class StreamRow(Struct, frozen=True, gc=False):
    """
    Hold streamed output as the log packs it: many events of one kind in one row.

    Member k has seq `seq0` + k and time `time0_ms` + the first k of `dt_ms`. `kind` is
    ``text``, ``reasoning``, ``tool-call`` or ``event``: one event of any other kind, whole, in
    `event`. `call_id` and `name` are None except on tool calls.
    """

    kind: str
    seq0: int
    time0_ms: int
    turn: int = 0
    step: int = 0
    index: int = 0
    dt_ms: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()
    call_id: str | None = None
    name: str | None = None
    event: Event | None = None


@dataclass(frozen=True, eq=False)
class Session:
    """
    Hold one agent's whole history as an immutable log.

    Parameters
    ----------
    header : SessionHeader
        The first line.
    events : tuple of Event
        In log order. Streamed output other than ``finish`` and ``usage`` is left out: a gap in
        the seqs stands for it.
    problems : tuple of Problem
        What was odd about the transcript; empty = nothing.
    skipped : Mapping of str to int
        Records that are not among the events, by type: streamed output, and whatever had to be dropped.
    path : str or None
        The file it was read from; None when it was made in memory.
    format : str
        The transcript's format, such as ``dsh-0``.
    stream : tuple of StreamRow
        The streamed output, where the reader was asked to decode it.
    tail : tuple of int, or None
        Seq and time in milliseconds of the last entry, where that is streamed output; None when
        the log ends with one of the events.

    Notes
    -----
    Everything else is derived by folding the events and kept once computed; no fold changes them.
    """

    header: SessionHeader
    events: tuple[Event, ...]
    problems: tuple[Problem, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    path: str | None = None
    format: str = "dsh-0"
    stream: tuple[StreamRow, ...] = ()
    tail: tuple[int, int] | None = None

    def __getstate__(self) -> dict[str, object]:
        """Travel without what is derived; it is folded again where the session arrives."""
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**state, "skipped": dict(self.skipped)}

    def __repr__(self) -> str:
        """Say what the session holds, not all of it."""
        return f"<Session {self.header.id!r}: {len(self.events)} events, {len(self.turns)} turns>"

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns, with their steps, in log order."""
        return turns_of(self.events, self.tail)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all turns, in log order."""
        return tuple(step for turn in self.turns for step in turn.steps)

    @cached_property
    def attempts(self) -> tuple[Attempt, ...]:
        """The moments at which a reading may be added, in log order."""
        return attempts_of(self.events)

    @cached_property
    def surface(self) -> Surface:
        """What the model would see after the last event."""
        return fold_surface(self.events)

    @cached_property
    def _seqs(self) -> list[int]:
        return [event.seq for event in self.events]

    def position(self, seq: int) -> int:
        """
        Return how many events stand before a seq.

        Parameters
        ----------
        seq : int
            Any seq, of an event or not.

        Returns
        -------
        int
            An index into `events`, or their number.
        """
        return bisect_left(self._seqs, seq)

    def find(self, seq: int) -> Event | None:
        """
        Return the event with a seq.

        Parameters
        ----------
        seq : int
            The seq.

        Returns
        -------
        Event or None
            None when no decoded event has it.
        """
        at = self.position(seq)
        return self.events[at] if at < len(self.events) and self.events[at].seq == seq else None

    def closed(self) -> Session:
        """
        Return the session with the closing events of an interrupted turn added in memory.

        Returns
        -------
        Session
            The same one when its last turn is closed.

        References
        ----------
        .. [1] deepseek-harness, packages/core/session/src/repair.ts.
        """
        closing = closing_events(self.events, self.tail)
        return replace(self, events=(*self.events, *closing), tail=None) if closing else self

    def request_at(self, turn: int, step: int) -> tuple[Message, ...]:
        """
        Return the messages the model saw in a step's last request.

        Parameters
        ----------
        turn, step : int
            The step's numbers, from 1.

        Returns
        -------
        tuple of Message
            In the order the model saw them.

        Raises
        ------
        SessionError
            Kind ``no-such-step``.
        """
        found = [item for item in self.steps if (item.turn, item.step) == (turn, step)]
        if not found:
            raise SessionError(f"session {self.header.id!r} has no turn {turn}, step {step}", kind="no-such-step")
        nodes = fold_surface(self.events[: self.position(found[-1].request_seq)]).nodes
        events = (self.find(seq) for seq in nodes)
        messages = (message_of(event) for event in events if isinstance(event, SURFACE_CLASSES))
        return tuple(message for message in messages if message is not None)

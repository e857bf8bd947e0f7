"""Keep a log that an agent is writing: each event is stamped, checked, folded and handed on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeVar
from uuid import UUID, uuid5

from timectx.errors import SessionError
from timectx.formats.dsh_settle import find_event
from timectx.formats.dsh_wire import CHUNK, is_streamed_chunk
from timectx.reading import Edition
from timectx.replay import Clock, Counter, TimeContext
from timectx.replay.compaction.open_log import LogView
from timectx.replay.compaction.pressure import Anchor
from timectx.session import Session, SessionHeader
from timectx.session.data import SeedData
from timectx.session.events import SURFACE_CLASSES, EndSeed, Event, Message, UserMessage
from timectx.session.log import StreamRow
from timectx.session.surface import apply_to_nodes, check_surface

__all__ = ["LiveLog"]

_IDS = UUID("6e1c3b1a-0f5e-5a57-9d5c-0a4a5d0f7c11")
_Made = TypeVar("_Made", bound=Event)


class LiveLog:
    """
    Keep the log of a running agent.

    Parameters
    ----------
    header : SessionHeader
        The session's first line.
    clock : Clock
        Stamps every event.
    edition : {"note", "note-v2", "readme", "current"}, optional
        Whose baselines and prices to keep.
    events : iterable of Event, optional
        A history to go on from; a gap in its seqs stands for streamed output.
    counter : callable, optional
        Counts texts in place of the fixed estimate.
    anchor : {"step-start", "reply"}, optional
        Where a provider's count is anchored; None takes the edition's rule.

    Notes
    -----
    It is an `OpenLog`: compaction and agent append to it alike. `context` is what readings depend on,
    `view` what compaction decides on; both have seen every event. Ids are made from the session's id and
    the place in the log, so that the same run gives the same log.

    Logs are of format 0 in every edition. In ``current`` readings and checkpoints carry the sources of that
    edition, and the system prompt stays in the request header.
    """

    def __init__(
        self,
        header: SessionHeader,
        clock: Clock,
        *,
        edition: Edition = "readme",
        events: Iterable[Event] = (),
        counter: Counter | None = None,
        anchor: Anchor | None = None,
    ) -> None:
        self.header, self.clock, self.edition = header, clock, edition
        self.context = TimeContext(edition)
        self.view = LogView(edition, counter, anchor=anchor)
        self.events: list[Event] = []
        self._nodes: list[int] = []
        self._watchers: list[Callable[[Event], object]] = []
        self._guards: list[Callable[[Event], object]] = []
        self._untold: deque[Event] = deque()
        self._guarding = self._telling = False
        self._ids = 0
        for event in events:
            self._take_in(event)

    @property
    def now_ms(self) -> int:
        """The present time, in epoch milliseconds."""
        return int(self.clock())

    @property
    def next_seq(self) -> int:
        """The seq the next event gets."""
        return self.view.next_seq

    def watch(self, watcher: Callable[[Event], object]) -> Callable[[], None]:
        """
        Show every further event to a function, once it is in the log.

        Parameters
        ----------
        watcher : callable
            Takes one event. It may append others: each watcher sees all of them in order.

        Returns
        -------
        callable
            Ends it; calling it twice changes nothing.
        """
        return _registered(self._watchers, watcher)

    def guard(self, guard: Callable[[Event], object]) -> Callable[[], None]:
        """
        Show every further event to a function before it enters the log.

        Parameters
        ----------
        guard : callable
            Takes one event. Where it raises, the event does not enter; it may append nothing.

        Returns
        -------
        callable
            Ends it; calling it twice changes nothing.
        """
        return _registered(self._guards, guard)

    def append(self, event: Event) -> None:
        """
        Append an event that is already made.

        Parameters
        ----------
        event : Event
            With the next seq.

        Raises
        ------
        SessionError
            Kind ``seq-gap`` or ``seq-repeated`` for another seq, ``append-by-guard`` where a guard appends,
            and as `check_surface`; the log is then unchanged.
        """
        if self._guarding:
            raise SessionError(
                f"a guard appends {event.type}; it may only refuse what it is shown", kind="append-by-guard"
            )
        if event.seq != self.next_seq:
            kind = "seq-gap" if event.seq > self.next_seq else "seq-repeated"
            raise SessionError(f"{event.type} has seq {event.seq}; the log goes on with {self.next_seq}", kind=kind)
        if not (self.edition == "note" and _is_only_logged(event)):
            check_surface(event, self._nodes, partial(find_event, self.events))
        self._guarding = True
        try:
            for guard in tuple(self._guards):
                guard(event)
        finally:
            self._guarding = False
        self._take_in(event)
        self._tell(event)

    def add(self, kind: Callable[..., _Made], data: object, **marks: object) -> _Made:
        """
        Make an event now and append it.

        Parameters
        ----------
        kind : type
            An event class.
        data : object
            Its data.
        **marks : object
            `surface_op` and `source_event_seqs` of a message event.

        Returns
        -------
        Event
            The event, with the next seq and the present time.
        """
        event = kind(seq=self.next_seq, time_ms=self.now_ms, data=data, **marks)
        self.append(event)
        return event

    def say(self, message: Message, surface_op: Literal["append"] | None = "append") -> UserMessage:
        """
        Append a message in the role of the user.

        Parameters
        ----------
        message : Message
            A prompt, a reading or other context.
        surface_op : "append" or None, optional
            None only logs it, which is legal in ``note`` alone; by default it is appended to the surface.

        Returns
        -------
        UserMessage
            The event.
        """
        return self.add(UserMessage, message, surface_op=surface_op)

    def end_seed(self) -> None:
        """Mark the end of a history that was taken over, unless the log ends with such a mark already."""
        if not (self.events and isinstance(self.events[-1], EndSeed)):
            self.add(EndSeed, SeedData())

    def new_id(self) -> str:
        """
        Make an id that nothing in the session has.

        Returns
        -------
        str
            A UUID.
        """
        self._ids += 1
        return str(uuid5(_IDS, f"{self.header.id}\n{self.next_seq}\n{self._ids}"))

    def session(self) -> Session:
        """
        Return the log as it stands.

        Returns
        -------
        Session
            An immutable copy, in the shape a reader gives: streamed pieces stand apart from the events.
        """
        pieces = [event for event in self.events if is_streamed_chunk(event)]
        last = self.events[-1] if self.events else None
        return Session(
            header=self.header,
            events=tuple(event for event in self.events if not is_streamed_chunk(event)),
            skipped=MappingProxyType({CHUNK: len(pieces)} if pieces else {}),
            stream=tuple(StreamRow("event", event.seq, event.time_ms, event=event) for event in pieces),
            tail=(last.seq, last.time_ms) if last is not None and is_streamed_chunk(last) else None,
        )

    def _tell(self, event: Event) -> None:
        self._untold.append(event)
        if self._telling:
            return
        self._telling = True
        try:
            while self._untold:
                told = self._untold.popleft()
                for watcher in tuple(self._watchers):
                    watcher(told)
        finally:
            self._telling = False

    def _take_in(self, event: Event) -> None:
        apply_to_nodes(self._nodes, event)
        self.events.append(event)
        self.view.apply(event)
        self.context.apply(event)


def _is_only_logged(event: Event) -> bool:
    """Tell whether a message has no surface marker, not even a malformed one."""
    return isinstance(event, SURFACE_CLASSES) and event.surface_op is None and not event.extra


def _registered(functions: list[Callable[[Event], object]], function: Callable[[Event], object]) -> Callable[[], None]:
    """Add a function to a list, and return what takes this one entry out again."""

    def call(event: Event) -> None:
        function(event)

    functions.append(call)

    def end() -> None:
        if call in functions:
            functions.remove(call)

    return end

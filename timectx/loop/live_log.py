"""Keep a log that an agent is writing: each event is stamped, checked, folded and handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from uuid import UUID, uuid5

from msgspec import UNSET, UnsetType

from timectx.reading import Edition
from timectx.replay import Clock, Counter, TimeContext
from timectx.replay.open_log import LogView
from timectx.replay.pressure import Anchor
from timectx.session import Session, SessionHeader
from timectx.session.events import Event, Message, UserMessage
from timectx.session.surface import apply_to_nodes, check_surface

__all__ = ["LiveLog"]

_IDS = UUID("6e1c3b1a-0f5e-5a57-9d5c-0a4a5d0f7c11")
_Made = TypeVar("_Made")


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
        A history to go on from.
    counter : callable, optional
        Prices one message in place of the fixed estimate.
    anchor : {"step-start", "reply"}, optional
        Where a provider's count is anchored; None takes the edition's rule.

    Notes
    -----
    It is an `OpenLog`: compaction and agent append to it alike. `context` is what readings depend on,
    `view` what compaction decides on; both have seen every event. Ids are made from the session's id and
    the place in the log, so that the same run gives the same log.
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
        self._by_seq: dict[int, Event] = {}
        self._nodes: list[int] = []
        self._watchers: list[Callable[[Event], None]] = []
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

    def watch(self, watcher: Callable[[Event], None]) -> Callable[[], None]:
        """
        Hand every further event to a function, after it entered the log.

        Parameters
        ----------
        watcher : callable
            Takes one event.

        Returns
        -------
        callable
            Ends it.
        """
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

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
            As `check_surface`; the log is then unchanged.
        """
        check_surface(event, self._nodes, self._by_seq.get)
        self._take_in(event)
        for watcher in tuple(self._watchers):
            watcher(event)

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
        self.append(event)  # type: ignore[arg-type]  # every event class takes these fields
        return event

    def say(self, message: Message, surface_op: Any | UnsetType = UNSET) -> UserMessage:
        """
        Append a message in the role of the user.

        Parameters
        ----------
        message : Message
            A prompt, a reading or other context.
        surface_op : "append" or None, optional
            None only logs it; by default it is appended to the surface.

        Returns
        -------
        UserMessage
            The event.
        """
        return self.add(UserMessage, message, surface_op="append" if surface_op is UNSET else surface_op)

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
            An immutable copy.
        """
        return Session(header=self.header, events=tuple(self.events))

    def _take_in(self, event: Event) -> None:
        apply_to_nodes(self._nodes, event)
        self.events.append(event)
        self._by_seq[event.seq] = event
        self.context.apply(event)
        self.view.apply(event)

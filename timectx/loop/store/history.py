"""Keep in memory what a log's file holds, and check every event that is to follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as with_fields
from types import MappingProxyType

from timectx.formats.dsh_settle import find_event, with_message_id
from timectx.formats.dsh_wire import CHUNK, is_streamed_chunk
from timectx.loop.store.entry import check_entry
from timectx.session.events import SURFACE_CLASSES, EndSeed, Event, Replace
from timectx.session.log import Session, StreamRow
from timectx.session.surface import apply_to_nodes

__all__ = ["History", "next_seq"]


class History:
    """
    Follow one log from a session on.

    Parameters
    ----------
    session : Session
        The log so far, read with its streamed output.

    Attributes
    ----------
    next_seq : int
        The seq of the event that comes next.
    """

    def __init__(self, session: Session) -> None:
        self._start = session
        self._events = list(session.events)
        self._stream = list(session.stream)
        self._nodes = list(session.surface.nodes)
        self._tail = session.tail
        self.next_seq = next_seq(session)

    @property
    def is_seeded(self) -> bool:
        """Whether the last event is a ``session/end-seed``."""
        return self._tail is None and bool(self._events) and isinstance(self._events[-1], EndSeed)

    def extend(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """
        Add events, all of them or none.

        Parameters
        ----------
        events : iterable of Event
            What happened next, in order.

        Returns
        -------
        tuple of Event
            The same events.

        Raises
        ------
        SessionError
            As `check_entry`, for the first event that breaks a rule; nothing was added then.
        """
        added = tuple(events)
        marks = (len(self._events), len(self._stream), len(self._nodes), self._tail, self.next_seq)
        nodes = list(self._nodes) if any(map(_replaces, added)) else self._nodes
        try:
            for event in map(self._as_read, added):
                check_entry(event, self.next_seq, self._nodes, self._find)
                self._add(event)
        except BaseException:
            del self._events[marks[0] :], self._stream[marks[1] :], nodes[marks[2] :]
            self._nodes, self._tail, self.next_seq = nodes, marks[3], marks[4]
            raise
        return added

    def session(self) -> Session:
        """
        Return the log so far as a session.

        Returns
        -------
        Session
            What a reader of the whole file would get; it does not change afterwards.
        """
        pieces = len(self._stream) - len(self._start.stream)
        skipped = dict(self._start.skipped)
        if pieces:
            skipped[CHUNK] = skipped.get(CHUNK, 0) + pieces
        return with_fields(
            self._start,
            events=tuple(self._events),
            stream=tuple(self._stream),
            skipped=MappingProxyType(skipped),
            tail=self._tail,
        )

    def _as_read(self, event: Event) -> Event:
        """Return the event with what a reader adds: a message of the early layout has no id and no role."""
        return (
            with_message_id(event, self._start.header.id, self._find) if isinstance(event, SURFACE_CLASSES) else event
        )

    def _add(self, event: Event) -> None:
        if is_streamed_chunk(event):
            self._stream.append(StreamRow("event", event.seq, event.time_ms, event=event))
            self._tail = (event.seq, event.time_ms)
        else:
            apply_to_nodes(self._nodes, event)
            self._events.append(event)
            self._tail = None
        self.next_seq = event.seq + 1

    def _find(self, seq: int) -> Event | None:
        return find_event(self._events, seq)


def next_seq(session: Session) -> int:
    """
    Return the seq that comes next in a session.

    Parameters
    ----------
    session : Session
        Any session.

    Returns
    -------
    int
        0 for an empty one.
    """
    if session.tail is not None:
        return session.tail[0] + 1
    return session.events[-1].seq + 1 if session.events else 0


def _replaces(event: Event) -> bool:
    return isinstance(event, SURFACE_CLASSES) and isinstance(event.surface_op, Replace)

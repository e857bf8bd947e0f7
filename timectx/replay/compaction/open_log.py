"""Follow a log that is still being written: what compaction reads from it, and what it asks of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from timectx.errors import SessionError
from timectx.reading import Edition
from timectx.replay.compaction.policy import Target
from timectx.replay.compaction.pressure import Anchor, PressureFold
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.meter import Pricing
from timectx.session.events import (
    SURFACE_CLASSES,
    CompactionEnd,
    CompactionStart,
    EndSeed,
    Event,
    Message,
    SurfaceEvent,
    TurnEnd,
    TurnStart,
)
from timectx.session.surface import message_of

__all__ = ["LogView", "MemoryLog", "OpenLog"]


class OpenLog(Protocol):
    """
    Stand for a log that is still being written.

    Notes
    -----
    Whatever enters it, from whomever, is also handed to `LogView.apply`, in order.
    """

    @property
    def now_ms(self) -> int:
        """The present time, in epoch milliseconds."""

    def append(self, event: Event) -> None:
        """
        Append an event.

        Parameters
        ----------
        event : Event
            With the seq after that of the log's last entry, and the present time.
        """

    def new_id(self) -> str:
        """
        Make an id.

        Returns
        -------
        str
            One that no compaction and no message of the log has.
        """


class LogView:
    """
    Keep, along a log, what compaction decides on.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme", "current"}, optional
        Whose prices and whose anchor.
    counter : callable or Scaled, optional
        Counts texts in place of the edition's rule, or scales what that says; None uses the rule.
    anchor : {"step-start", "reply"}, optional
        As for `PressureFold`.
    fallback : Target, optional
        The model before any request named one.

    Notes
    -----
    `pressure` measures; `turn` is the open turn's number and `open_id` names the compaction that was
    begun and not ended, None where there is none. A history that was taken over leaves none open.
    """

    def __init__(
        self,
        edition: Edition = "readme",
        counter: Pricing | None = None,
        *,
        anchor: Anchor | None = None,
        fallback: Target | None = None,
    ) -> None:
        self.edition, self.counter = edition, counter
        self.pressure = PressureFold(edition, counter, anchor=anchor)
        self.turn: int | None = None
        self.open_id: str | None = None
        self.next_seq = 0
        self._fallback = fallback or Target("", "")
        self._events: dict[int, SurfaceEvent] = {}

    @property
    def target(self) -> Target:
        """The model of the last request, or the fallback before there was one."""
        config = (self.pressure.header or {}).get("config") or {}
        if "provider" not in config or "model" not in config:
            return self._fallback
        return Target(config["provider"], config["model"])

    @property
    def reply_tokens(self) -> int | None:
        """What the last request let a reply take, in tokens; None when it did not say."""
        config = (self.pressure.header or {}).get("config") or {}
        return config.get("maxTokens")

    def apply(self, event: Event) -> None:
        """
        Take in the next event of the log.

        Parameters
        ----------
        event : Event
            The event, whoever wrote it.
        """
        self.next_seq = event.seq + 1
        self.pressure.apply(event)
        match event:
            case TurnStart():
                self.turn = event.data.turn
            case TurnEnd():
                self.turn = None
            case CompactionStart():
                self.open_id = event.data.compaction_id
            case CompactionEnd() if event.data.compaction_id == self.open_id:
                self.open_id = None
            case EndSeed():
                self.open_id = None
            case _:
                pass
        if isinstance(event, SURFACE_CLASSES):
            self._events[event.seq] = event

    def nodes(self) -> tuple[Node, ...]:
        """
        Return the surface.

        Returns
        -------
        tuple of Node
            In order.

        Raises
        ------
        SessionError
            As `PressureFold.measure`, where the log breaks the order of steps.
        """
        self.pressure.measure()
        return self.pressure.surface.nodes()

    def event(self, node: Node) -> SurfaceEvent:
        """
        Return the event of a node.

        Parameters
        ----------
        node : Node
            One of the surface.

        Returns
        -------
        SurfaceEvent
            The event that put it there.

        Raises
        ------
        SessionError
            Kind ``no-such-node`` when no message of the log has its seq.
        """
        found = self._events.get(node.seq)
        if found is None:
            raise SessionError(f"seq {node.seq} is no message of the log", kind="no-such-node")
        return found

    def messages(self, nodes: Iterable[Node]) -> tuple[Message, ...]:
        """
        Return what nodes send to the model.

        Parameters
        ----------
        nodes : iterable of Node
            Some of the surface.

        Returns
        -------
        tuple of Message
            In the same order, without those that send nothing.
        """
        found = (message_of(self.event(node)) for node in nodes)
        return tuple(message for message in found if message is not None)


class MemoryLog:
    """
    Keep an open log in memory, on a clock that only moves when told.

    Parameters
    ----------
    view : LogView
        Is handed every event.
    now_ms : int, optional
        The present time, in epoch milliseconds; set the attribute to move it.

    Examples
    --------
    >>> from timectx.session.events import TurnData
    >>> memory = MemoryLog(LogView(), now_ms=5000)
    >>> memory.append(TurnStart(seq=0, time_ms=memory.now_ms, data=TurnData(turn=1)))
    >>> memory.view.turn, memory.view.next_seq, memory.new_id(), memory.new_id()
    (1, 1, 'id-1', 'id-2')
    """

    def __init__(self, view: LogView, *, now_ms: int = 0) -> None:
        self.view, self.now_ms = view, now_ms
        self.events: list[Event] = []
        self._ids = 0

    def append(self, event: Event) -> None:
        """
        Append an event and hand it to the view.

        Parameters
        ----------
        event : Event
            The event.
        """
        self.events.append(event)
        self.view.apply(event)

    def new_id(self) -> str:
        """
        Make an id.

        Returns
        -------
        str
            ``id-1``, ``id-2`` and so on.
        """
        self._ids += 1
        return f"id-{self._ids}"

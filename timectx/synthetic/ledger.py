"""Write a log event by event, and keep what the next event depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from timectx.reading import Edition
from timectx.replay import TimeContext, estimate_header_tokens, estimate_node_tokens
from timectx.session.events import (
    SURFACE_CLASSES,
    Event,
    JsonObject,
    Message,
    OtherEvent,
    Replace,
    RequestHeader,
    SurfaceEvent,
)
from timectx.session.log import StreamRow
from timectx.session.surface import span_of
from timectx.synthetic.dice import Dice

__all__ = ["Ledger"]

_E = TypeVar("_E", bound=Event)
_S = TypeVar("_S", bound=SurfaceEvent)
_ROW_TYPES: Final = {"text": "text-chunks", "reasoning": "reasoning-chunks", "tool-call": "tool-call-chunks"}


class Ledger:
    """
    Append events at a clock that it keeps.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme"}
        Whose baselines the readings need.
    start_ms : int
        Where the clock starts, in epoch milliseconds.
    ids : Dice
        Draws the names of messages; apart from all other draws, so that a reading more or less changes nothing else.
    """

    def __init__(self, edition: Edition, start_ms: int, ids: Dice) -> None:
        self.edition: Edition = edition
        self.now_ms = start_ms
        self.ids = ids
        self.events: list[Event] = []
        self.stream: list[StreamRow] = []
        self.skipped: Counter[str] = Counter()
        self.context = TimeContext(edition)
        self.nodes: list[SurfaceEvent] = []
        self.prices: dict[int, int] = {}
        self.surface_tokens = 0
        self.header_tokens = 0
        self.prefix_tokens = 0
        """Price of the leading nodes that the last request sent and that are still there."""
        self._next_seq = 0

    @property
    def last_seq(self) -> int:
        """Seq of the newest entry; -1 when there is none."""
        return self._next_seq - 1

    def wait(self, ms: int) -> None:
        """
        Move the clock.

        Parameters
        ----------
        ms : int
            Milliseconds; negative moves it back.
        """
        self.now_ms += ms

    def add(self, kind: Callable[..., _E], data: object) -> _E:
        """
        Append an event that the model does not see.

        Parameters
        ----------
        kind : callable
            The event's class.
        data : object
            What it carries.

        Returns
        -------
        Event
            The event, with its place and time.
        """
        event = kind(seq=self._next_seq, time_ms=self.now_ms, data=data)
        self.take(event)
        return event

    def note(self, kind: str, data: JsonObject) -> None:
        """
        Append an event of a type that replay passes over.

        Parameters
        ----------
        kind : str
            Its type.
        data : dict
            What it carries.
        """
        self.take(OtherEvent(type=kind, seq=self._next_seq, time_ms=self.now_ms, data=data))

    def show(
        self, kind: Callable[..., _S], data: object, *, sources: Sequence[int] | None = None, op: Replace | None = None
    ) -> _S:
        """
        Append a message.

        Parameters
        ----------
        kind : callable
            The event's class.
        data : object
            What it carries.
        sources : sequence of int, optional
            Seqs of the events it was made from; None leaves them out.
        op : Replace, optional
            The nodes it replaces; None appends it.

        Returns
        -------
        SurfaceEvent
            The event, with its place and time.
        """
        event = kind(
            seq=self._next_seq,
            time_ms=self.now_ms,
            data=data,
            surface_op="append" if op is None else op,
            source_event_seqs=None if sources is None else tuple(sources),
        )
        self.take(event)
        return event

    def message(self, text: str, source: JsonObject) -> Message:
        """
        Return a message in the role of the user, in the shape of the edition.

        Parameters
        ----------
        text : str
            Its text.
        source : dict
            Who it is from.

        Returns
        -------
        Message
            Without role and id in ``note``.
        """
        content = ({"type": "text", "text": text},)
        if self.edition == "note":
            return Message(content=content, source=source)
        return Message(content=content, source=source, role="user", id=self.ids.uuid())

    def take(self, event: Event) -> None:
        """
        Append an event made elsewhere.

        Parameters
        ----------
        event : Event
            With the next seq.
        """
        self.events.append(event)
        self.context.apply(event)
        self._next_seq = event.seq + 1
        if isinstance(event, RequestHeader):
            self.header_tokens = estimate_header_tokens(event.data.header)
        elif isinstance(event, SURFACE_CLASSES):
            self._place(event)

    def skip(self, row: StreamRow) -> None:
        """
        Append streamed output, which stands beside the events.

        Parameters
        ----------
        row : StreamRow
            With the next seq; the clock moves on to its last piece.
        """
        self.stream.append(row)
        self.skipped[_ROW_TYPES.get(row.kind, "assistant/chunk")] += 1
        self._next_seq = row.seq0 + (len(row.parts) or 1)
        self.now_ms = row.time0_ms + sum(row.dt_ms)

    def sent(self) -> tuple[int, int]:
        """
        Note that a request is sent.

        Returns
        -------
        tuple of int
            Price of its prompt in tokens, and of the leading part that the request before had too.
        """
        known = self.header_tokens + self.prefix_tokens if self.prefix_tokens else 0
        self.prefix_tokens = self.surface_tokens
        return self.header_tokens + self.surface_tokens, known

    def _place(self, event: SurfaceEvent) -> None:
        price = estimate_node_tokens(event)
        self.prices[event.seq] = price
        if not isinstance(event.surface_op, Replace):
            self.nodes.append(event)
            self.surface_tokens += price
            return
        first, last = span_of([node.seq for node in self.nodes], event.surface_op)
        self.prefix_tokens = min(self.prefix_tokens, sum(self.prices[node.seq] for node in self.nodes[:first]))
        self.surface_tokens += price - sum(self.prices[node.seq] for node in self.nodes[first : last + 1])
        self.nodes[first : last + 1] = [event]

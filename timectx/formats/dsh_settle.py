"""Settle the events of a log once all are read: ids, reasons and surface markers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from timectx.errors import SessionError
from timectx.formats.dsh_early import is_early_reason, late_reason, legacy_id
from timectx.formats.report import Report
from timectx.session.events import (
    AssistantMessage,
    Event,
    Message,
    Replace,
    SurfaceEvent,
    ToolResult,
    TurnEnd,
    UserMessage,
)
from timectx.session.surface import apply_to_nodes, check_surface

__all__ = ["Settling", "find_event", "with_message_id"]

_SEQ = attrgetter("seq")


class Settling:
    """
    Walk a log's events once, in order, and bring each to its final form.

    Parameters
    ----------
    events : list of Event
        The events, by rising seq; changed in place.
    lines : sequence of int
        The line of each.
    session_id : str
        For the ids of messages that have none.
    report : Report
        Gets a problem for each surface marker that breaks a rule.
    """

    def __init__(self, events: list[Event], lines: Sequence[int], session_id: str, report: Report) -> None:
        self._events, self._lines = events, lines
        self._session_id, self._report = session_id, report
        self._nodes: list[int] = []

    def run(self) -> None:
        """Settle every event."""
        events = self._events
        settle: dict[type[Event], Callable[[Any, int], Event]] = {
            UserMessage: self._message,
            AssistantMessage: self._message,
            ToolResult: self._message,
            TurnEnd: self._turn_end,
        }
        for index, event in enumerate(events):
            how = settle.get(type(event))
            if how is not None:
                events[index] = how(event, index)

    def _turn_end(self, event: TurnEnd, index: int) -> TurnEnd:
        if not is_early_reason(event.data.reason):
            return event
        try:
            reason = late_reason(event.data.reason)
        except ValueError as error:
            self._report.add(self._lines[index], "bad-turn-end", f"{error}; kept as it is")
            return event
        return replace(event, data=replace(event.data, reason=reason))

    def _message(self, event: SurfaceEvent, index: int) -> SurfaceEvent:
        event = with_message_id(event, self._session_id, self._find)
        if event.surface_op == "append" and not event.extra:
            self._nodes.append(event.seq)
            return event
        try:
            check_surface(event, self._nodes, self._find)
        except SessionError as error:
            self._report.add(self._lines[index], error.kind, str(error))
        try:
            apply_to_nodes(self._nodes, event)
        except SessionError:
            return replace(event, surface_op=None)
        return event

    def _find(self, seq: int) -> Event | None:
        return find_event(self._events, seq)


def find_event(events: Sequence[Event], seq: int) -> Event | None:
    """
    Return the event with a seq.

    Parameters
    ----------
    events : sequence of Event
        Events by rising seq.
    seq : int
        The seq.

    Returns
    -------
    Event or None
        None when none has it.
    """
    at = bisect_left(events, seq, key=_SEQ)
    return events[at] if at < len(events) and events[at].seq == seq else None


def with_message_id(event: SurfaceEvent, session_id: str, find: Callable[[int], Event | None]) -> SurfaceEvent:
    """
    Return a message event whose message has an id and a role.

    Parameters
    ----------
    event : SurfaceEvent
        A message event.
    session_id : str
        The session's id.
    find : callable
        Returns the earlier event with a seq, or None.

    Returns
    -------
    SurfaceEvent
        The same one where nothing was missing. A tool result that replaces another takes
        over its id, as dsh has it.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence/src/coordinator.ts, `migrateLegacy*`.
    """
    message = event.data if isinstance(event, UserMessage) else event.data.message
    if message.id and message.role:
        return event
    role = message.role or ("assistant" if isinstance(event, AssistantMessage) else "user")
    whole = replace(message, role=role, id=message.id or _missing_id(event, session_id, find))
    return _with_message(event, whole)


def _missing_id(event: SurfaceEvent, session_id: str, find: Callable[[int], Event | None]) -> str:
    if isinstance(event, ToolResult) and isinstance(event.surface_op, Replace):
        target = find(event.surface_op.start)
        if isinstance(target, ToolResult):
            return target.data.message.id
    return legacy_id(session_id, event.seq)


def _with_message(event: SurfaceEvent, message: Message) -> SurfaceEvent:
    if isinstance(event, UserMessage):
        return replace(event, data=message)
    if isinstance(event, AssistantMessage):
        return replace(event, data=replace(event.data, message=message))
    return replace(event, data=replace(event.data, message=message))

"""Tell how long a log had been silent before each attempt, and when no turn was open."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from timectx.session import Attempt, Session, is_reading_event
from timectx.session.events import SURFACE_CLASSES, Event, Replace, TurnEnd, TurnStart

__all__ = ["Silence", "silences_of"]


class Silence(Struct, frozen=True, gc=False):
    """
    Say what went before an attempt.

    `message_ms` is the event time of the newest appended message that stands before it, is no reading and
    does not enter with it; None when there is none. No turn was open from `idle_from_ms`, when
    the last turn before it ended (None = none ended), until `idle_until_ms`, when the next one started
    (None = none did). All are epoch milliseconds.
    """

    message_ms: int | None = None
    idle_from_ms: int | None = None
    idle_until_ms: int | None = None


def silences_of(session: Session) -> tuple[Silence, ...]:
    """
    Tell what went before each attempt of a log.

    Parameters
    ----------
    session : Session
        The log.

    Returns
    -------
    tuple of Silence
        One for each of its attempts. A replacement is no sign of life: it only takes the place of what was said.
    """
    spoken = [event for event in session.events if _is_spoken(event)]
    idle = list(_idle_times(session.events))
    spoken_at, idle_at = [event.seq for event in spoken], [seq for seq, _ in idle]
    silences = []
    for attempt in session.attempts:
        newest, last = _newest(spoken_at, attempt), bisect_left(idle_at, attempt.seq) - 1
        message_ms = spoken[newest].time_ms if newest >= 0 else None
        silences.append(replace(idle[last][1] if last >= 0 else Silence(), message_ms=message_ms))
    return tuple(silences)


def _is_spoken(event: Event) -> bool:
    if not isinstance(event, SURFACE_CLASSES) or event.surface_op is None:
        return False
    return not isinstance(event.surface_op, Replace) and not is_reading_event(event)


def _newest(seqs: list[int], attempt: Attempt) -> int:
    """Return the place of the newest seq before an attempt that does not enter with it, -1 = none."""
    at, entered = bisect_left(seqs, attempt.seq) - 1, set(attempt.entered)
    while at >= 0 and seqs[at] in entered:
        at -= 1
    return at


def _idle_times(events: Iterable[Event]) -> Iterable[tuple[int, Silence]]:
    """Yield, from each turn/end on and again from the first turn/start after it, when no turn was open."""
    ended_ms: int | None = None
    for event in events:
        if isinstance(event, TurnEnd):
            ended_ms = event.time_ms
            yield event.seq, Silence(None, ended_ms)
        elif isinstance(event, TurnStart) and ended_ms is not None:
            yield event.seq, Silence(None, ended_ms, event.time_ms)
            ended_ms = None

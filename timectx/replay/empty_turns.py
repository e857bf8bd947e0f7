"""Take the turns out of a log that only a time reading kept going."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from timectx.session import Session, Turn
from timectx.session.events import SURFACE_CLASSES, Event, Replace
from timectx.session.surface import apply_to_nodes, span_of

__all__ = ["empty_turns", "without_empty_turns"]


def empty_turns(session: Session) -> tuple[Turn, ...]:
    """
    Find the turns whose first step had nothing to answer but a reading.

    Parameters
    ----------
    session : Session
        A log.

    Returns
    -------
    tuple of Turn
        In log order: no message was admitted with their first step, and a reading was.

    Notes
    -----
    A turn whose one message was taken away closes without a request. A reading that is due makes the
    step non-empty again, and the request is billed [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `apply`, and
       packages/core/agent-loop/src/agent.ts, `turn`.
    """
    bare = {
        attempt.seq
        for attempt in session.attempts
        if attempt.kind == "step" and attempt.step == 1 and attempt.readings and not attempt.entered
    }
    return tuple(turn for turn in session.turns if turn.steps and turn.steps[0].start_seq in bare)


def without_empty_turns(session: Session) -> Session:
    """
    Return a log in which those turns close at once.

    Parameters
    ----------
    session : Session
        A log; it is not changed.

    Returns
    -------
    Session
        Without what happened inside them; a later replacement shadows what is left of its nodes, and
        does not happen where nothing is. The same session when it has no such turn.
    """
    gone = [(turn.start_seq, turn.end_seq or session.events[-1].seq + 1) for turn in empty_turns(session)]
    if not gone:
        return session
    inside = {event.seq for event in session.events if any(first < event.seq < last for first, last in gone)}
    recorded: list[int] = []
    kept: list[Event] = []
    for event in session.events:
        whole = _left_of(event, recorded, inside)
        apply_to_nodes(recorded, event)
        if event.seq not in inside and whole is not None:
            kept.append(whole)
        else:
            inside.add(event.seq)
    return replace(session, events=tuple(kept))


def _left_of(event: Event, recorded: list[int], gone: set[int]) -> Event | None:
    """Return an event with its replacement narrowed to nodes that are left; None when none is."""
    if not isinstance(event, SURFACE_CLASSES) or not isinstance(event.surface_op, Replace):
        return event
    first, last = span_of(recorded, event.surface_op)
    left = [seq for seq in recorded[first : last + 1] if seq not in gone]
    return msgspec.structs.replace(event, surface_op=Replace(left[0], left[-1])) if left else None

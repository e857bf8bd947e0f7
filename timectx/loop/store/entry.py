"""Refuse, before it is written, an event that would make its log unreadable."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from timectx.errors import SessionError
from timectx.formats.dsh_shapes import check_envelope, check_shape
from timectx.formats.dsh_vocabulary import KNOWN_TYPES
from timectx.session.events import Event
from timectx.session.header import check_header_event
from timectx.session.records import record_of
from timectx.session.surface import check_surface

__all__ = ["check_entry"]

_DEEPEST: Final = 200


def check_entry(event: Event, next_seq: int, nodes: Sequence[int], find: Callable[[int], Event | None]) -> None:
    """
    Refuse an event that a load of the log would refuse, or would read as another one.

    Parameters
    ----------
    event : Event
        The event about to be appended.
    next_seq : int
        The seq that is next in the log.
    nodes : sequence of int
        The surface just before the event.
    find : callable
        Returns the event with a seq, or None.

    Raises
    ------
    SessionError
        Kinds ``seq-gap`` and ``seq-repeated``; ``session-event-carries-non-json-serializable``
        for data that JSON cannot carry unchanged; ``session-contains-event-type-seq-unknown``;
        ``session-event-uses-unsupported-legacy-request``; ``bad-envelope``;
        ``stored-session-failed-validation-error-seed``; and those of `check_surface`.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `append`.
    """
    if event.seq != next_seq:
        kind = "seq-gap" if event.seq > next_seq else "seq-repeated"
        raise SessionError(f"{event.type} has seq {event.seq}; the log goes on with {next_seq}", kind=kind)
    record = record_of(event)
    if not _is_json(record):
        raise SessionError(
            f"{event.type} at seq {event.seq} carries data that JSON cannot carry unchanged; expected objects, lists, "
            "strings, finite numbers, true, false and null",
            kind="session-event-carries-non-json-serializable",
        )
    check_header_event(event)
    check_envelope(record)
    if event.type not in KNOWN_TYPES and "ignorable" not in record:
        raise SessionError(
            f"event type {event.type!r} at seq {event.seq} is unknown to format 0 and not marked as ignorable",
            kind="session-contains-event-type-seq-unknown",
        )
    check_shape(record)
    check_surface(event, nodes, find)


def _is_json(value: Any, depth: int = 0) -> bool:
    """Tell whether a value comes back from JSON, as JavaScript reads it, as the same value."""
    if value is None or isinstance(value, str | bool):
        return True
    if isinstance(value, int):
        return abs(value) < 1e300 and int(float(value)) == value
    if isinstance(value, float):
        return math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0)
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item, depth + 1) for key, item in value.items())
    return isinstance(value, list | tuple) and all(_is_json(item, depth + 1) for item in value)

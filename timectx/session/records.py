"""Turn a decoded JSON record into an event and back, keeping every field it does not know."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import FieldInfo, fields

from timectx.errors import SessionError
from timectx.session.data import EXTRA, CompactionEndData, CompactionStartData, JsonObject, LogStruct, Replace, Usage
from timectx.session.events import EVENT_CLASSES, SURFACE_CLASSES, Event, OtherEvent
from timectx.units import is_safe_integer

__all__ = ["event_from_record", "json_numbers", "other_event_from_record", "parse_replace", "parse_usage", "record_of"]

_ENVELOPE: Final = ("type", "seq", "time", "data")
_SURFACE_TYPES: Final = frozenset(kind.type for kind in SURFACE_CLASSES)
_REPLACE_KEYS: Final = frozenset(("op", "start", "end"))
_STATED_NULLS: Final = frozenset(((CompactionStartData, "turn"), (CompactionEndData, "turn")))
"""Fields that a log writes as null: a compaction run by hand says that it belongs to no turn."""
_LARGEST_PLAIN: Final = 1e21
"""From here on JavaScript prints a whole number with an exponent."""

_UNFIT: Final = (msgspec.ValidationError, UnicodeEncodeError)
"""What conversion raises for a value of the wrong shape; the second where that is a text with a lone surrogate."""


def event_from_record(record: Mapping[str, Any]) -> Event:
    """
    Build the event that one decoded log record stands for.

    Parameters
    ----------
    record : Mapping
        A JSON object with `type`, `seq`, `time`, `data` and, on message types,
        `surfaceOp` and `sourceEventSeqs`. Whole numbers may be written as floats.

    Returns
    -------
    Event
        A record of the type's own class, or an `OtherEvent` where it has none; unknown
        fields are kept in `extra`.

    Raises
    ------
    SessionError
        Kind ``bad-envelope`` when type, seq, time or data are missing or malformed;
        ``bad-data`` when the data does not fit the type; ``too-deep`` when it nests deeper than
        Python can follow.

    Notes
    -----
    The surface marker of a message is not judged here: an illegal one counts as none, stays in
    `extra`, and `check_surface` names the fault [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/surface.ts, `planSurfaceEvent`.

    Examples
    --------
    >>> event_from_record({"type": "turn/start", "seq": 0, "time": 1e3, "data": {"turn": 1}})
    TurnStart(data=TurnData(turn=1, extra=None), seq=0, time_ms=1000, extra=None)
    """
    clean = _checked_record(record)
    kind = EVENT_CLASSES.get(clean["type"])
    if kind is None:
        return _other_event(clean)
    illegal = _illegal_marks(clean) if clean["type"] in _SURFACE_TYPES else ()
    try:
        event: Event = msgspec.convert(_gather_extras(kind, clean, illegal), kind)
    except _UNFIT as error:
        raise SessionError(
            f"{clean['type']} at seq {clean['seq']} has data of another shape: {error}", kind="bad-data"
        ) from None
    return event


def other_event_from_record(record: Mapping[str, Any]) -> OtherEvent:
    """
    Build an `OtherEvent` from a record whose data need not fit its type.

    Parameters
    ----------
    record : Mapping
        A JSON object with a sound envelope.

    Returns
    -------
    OtherEvent
        With the data as it stands.

    Raises
    ------
    SessionError
        Kinds ``bad-envelope`` and ``too-deep``.
    """
    return _other_event(_checked_record(record))


def record_of(event: Event) -> JsonObject:
    """
    Return the JSON object a log line holds for an event.

    Parameters
    ----------
    event : Event
        Any event.

    Returns
    -------
    dict
        In the key order of the original: type, seq, time, data, then `sourceEventSeqs`
        and `surfaceOp` where present, then fields this package does not know. Its parts are the
        event's own: copy them before changing them.

    Notes
    -----
    `event_from_record` undoes it. The other way round two spellings are lost: whole numbers written
    as floats, and a null (or an empty id or role) where the original would leave the field out.

    Examples
    --------
    >>> record_of(event_from_record({"type": "todo/write", "seq": 3, "time": 9, "data": {"todos": []}}))
    {'type': 'todo/write', 'seq': 3, 'time': 9, 'data': {'todos': []}}
    """
    record: JsonObject = {"type": event.type, "seq": event.seq, "time": event.time_ms, "data": _plain(event.data)}
    if isinstance(event, SURFACE_CLASSES):
        if event.source_event_seqs is not None:
            record["sourceEventSeqs"] = list(event.source_event_seqs)
        if event.surface_op is not None:
            record["surfaceOp"] = _plain(event.surface_op)
    return _with_extras(record, event.extra)


def json_numbers(value: Any) -> Any:
    """
    Return a decoded JSON value with whole floats as integers, as JavaScript sees numbers.

    Parameters
    ----------
    value : object
        A value as a JSON decoder returns it.

    Returns
    -------
    object
        A copy in which a whole float such as ``1.0`` or ``1e3`` is an int; one from 1e21 on,
        which JavaScript prints with an exponent, stays.

    Examples
    --------
    >>> json_numbers({"a": [1.0, 2.5, -0.0, 1e21]})
    {'a': [1, 2.5, 0, 1e+21]}
    """
    if isinstance(value, dict):
        return {key: json_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [json_numbers(item) for item in value]
    if isinstance(value, float) and math.isfinite(value) and value.is_integer() and abs(value) < _LARGEST_PLAIN:
        return int(value)
    return value


def parse_replace(op: object) -> Replace | None:
    """
    Read the surface marker of a message that replaces others.

    Parameters
    ----------
    op : object
        A decoded JSON value, numbers as `json_numbers` leaves them.

    Returns
    -------
    Replace or None
        None unless it is an object of exactly ``op``, ``start`` and ``end``, each legal.

    Examples
    --------
    >>> parse_replace({"op": "replace", "start": 4, "end": 2})
    Replace(start=4, end=2)
    >>> parse_replace({"start": 4, "end": 2}) is None
    True
    """
    if not isinstance(op, dict) or op.keys() != _REPLACE_KEYS:
        return None
    try:
        return msgspec.convert(op, Replace)
    except _UNFIT:
        return None


def parse_usage(usage: object) -> Usage | None:
    """
    Read what a provider reported for one request.

    Parameters
    ----------
    usage : object
        A decoded JSON value.

    Returns
    -------
    Usage or None
        None unless it is an object whose known fields are token counts.

    Examples
    --------
    >>> parse_usage({"inputTokens": 900, "outputTokens": 20, "cacheReadTokens": 100}).prompt_tokens
    1000
    """
    if not isinstance(usage, dict):
        return None
    try:
        return msgspec.convert(_gather_extras(Usage, json_numbers(usage)), Usage)
    except _UNFIT:
        return None


def _checked_record(record: Mapping[str, Any]) -> JsonObject:
    try:
        clean: JsonObject = json_numbers(dict(record))
    except RecursionError:
        raise SessionError("an event nests its data too deeply to be read", kind="too-deep") from None
    kind, seq, time_ms = clean.get("type"), clean.get("seq"), clean.get("time")
    sound = isinstance(kind, str) and is_safe_integer(seq) and is_safe_integer(time_ms) and "data" in clean
    if not sound or (isinstance(seq, int) and seq < 0):
        raise SessionError(
            "an event needs a type, a whole seq from 0, a whole time in milliseconds and data; "
            f"got type {kind!r}, seq {seq!r}, time {time_ms!r}{'' if 'data' in clean else ', no data'}",
            kind="bad-envelope",
        )
    return clean


def _other_event(record: JsonObject) -> OtherEvent:
    extra = {key: value for key, value in record.items() if key not in _ENVELOPE}
    return OtherEvent(
        type=record["type"], seq=record["seq"], time_ms=record["time"], data=record["data"], extra=extra or None
    )


def _illegal_marks(record: JsonObject) -> tuple[str, ...]:
    illegal = []
    op = record.get("surfaceOp", "append")
    if op != "append" and parse_replace(op) is None:
        illegal.append("surfaceOp")
    sources = record.get("sourceEventSeqs", [])
    if not isinstance(sources, list) or not all(map(is_safe_integer, sources)):
        illegal.append("sourceEventSeqs")
    return tuple(illegal)


def _gather_extras(kind: type[LogStruct], record: JsonObject, illegal: tuple[str, ...] = ()) -> JsonObject:
    known = _known_fields(kind)
    gathered: JsonObject = {}
    extra: JsonObject = {}
    for key, value in record.items():
        if key == kind.__struct_config__.tag_field:
            gathered[key] = value
        elif key == EXTRA or key not in known or key in illegal:
            extra[key] = value
        else:
            nested = known[key]
            gathered[key] = _gather_extras(nested, value) if nested and isinstance(value, dict) else value
    if extra:
        gathered[EXTRA] = extra
    return gathered


@cache
def _known_fields(kind: type[LogStruct]) -> dict[str, type[LogStruct] | None]:
    """Return the encoded names of a class's fields, each with the class its value decodes to, if that has extras."""
    return {info.encode_name: _struct_of(info.type) for info in _fields(kind)}


@cache
def _fields(kind: type[LogStruct]) -> tuple[FieldInfo, ...]:
    return fields(kind)


def _struct_of(annotation: Any) -> type[LogStruct] | None:
    options = get_args(annotation) or (annotation,)
    structs = (option for option in options if isinstance(option, type) and issubclass(option, LogStruct))
    return next((struct for struct in structs if "extra" in struct.__struct_fields__), None)


def _plain(value: Any) -> Any:
    if not isinstance(value, LogStruct):
        return list(value) if isinstance(value, tuple) else value
    kind, config = type(value), value.__struct_config__
    plain: JsonObject = {config.tag_field: config.tag} if config.tag_field else {}
    for info in _fields(kind):
        item = getattr(value, info.name)
        if info.encode_name != EXTRA and (not _is_absent(item, info) or (kind, info.name) in _STATED_NULLS):
            plain[info.encode_name] = _plain(item)
    return _with_extras(plain, getattr(value, "extra", None))


def _is_absent(item: object, info: FieldInfo) -> bool:
    return info.default in (None, "") and item == info.default


def _with_extras(record: JsonObject, extra: JsonObject | None) -> JsonObject:
    """Return a record with the fields it lacks; an extra never overrides a known field."""
    return {**record, **{key: value for key, value in extra.items() if key not in record}} if extra else record

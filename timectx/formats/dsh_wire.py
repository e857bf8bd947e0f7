"""Recognise and decode one line of a dsh log as fast as its beginning allows."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, TypeAlias, Union

import msgspec
from msgspec import Meta, Struct, field

from timectx.formats.dsh_rows import ROW_TYPES, row_of
from timectx.formats.loose_json import json_number, parse_json
from timectx.session.data import JsonObject
from timectx.session.events import EVENT_CLASSES, AssistantChunk, Event, OtherEvent
from timectx.session.log import StreamRow
from timectx.session.records import event_from_record

__all__ = [
    "CHUNK",
    "STREAM_HEADS",
    "STREAM_MARKS",
    "decode_event",
    "decode_other",
    "decode_piece",
    "decode_row",
    "decode_stream",
    "is_kept_at",
    "is_streamed",
    "is_streamed_chunk",
    "mark_of",
    "streamed_type",
]

CHUNK: Final = "assistant/chunk"
"""The type of one piece of a reply, stored alone."""

STREAM_HEADS: Final[dict[bytes, str]] = {
    b'{"type":"text-chunks","seq': "text-chunks",
    b'{"type":"reasoning-chunks"': "reasoning-chunks",
    b'{"type":"tool-call-chunks"': "tool-call-chunks",
    b'{"type":"assistant/chunk",': CHUNK,
}
"""The first 26 bytes of lines that may hold streamed output, and their types."""

STREAM_MARKS: Final = frozenset(b'"chunk":{"type":"' + start for start in (b"te", b"re", b"to", b"bl"))
"""What stands where a lone piece says that it is no ``finish`` and no ``usage``: 19 bytes."""

_KEPT: Final = ("finish", "usage")
_KEPT_STARTS: Final = (b'finish"', b'usage"')
_MARK: Final = b'"chunk":{"type":"'
_FAR: Final = 200

# Inside these bounds every member of a row has a safe seq and time; beyond them the careful path decides.
_Parts: TypeAlias = Annotated[tuple[str, ...], Meta(min_length=1, max_length=2**20)]
_Gaps: TypeAlias = tuple[Annotated[int, Meta(ge=-(2**31), le=2**31)], ...]
_Seq: TypeAlias = Annotated[int, Meta(ge=0, le=2**52)]
_Time: TypeAlias = Annotated[int, Meta(ge=-(2**52), le=2**52)]


class _Pieces(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    turn: int
    step: int
    index: int
    dt: _Gaps
    parts: _Parts = field(name="texts")

    call_id: ClassVar[None] = None
    name: ClassVar[None] = None


class _CallPieces(Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    turn: int
    step: int
    index: int
    call_id: str = field(name="id")
    name: str | None = None
    dt: _Gaps
    parts: _Parts = field(name="args")


class _Row(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="type"):
    seq0: _Seq
    time0: _Time


class _TextRow(_Row, frozen=True, gc=False, tag="text-chunks"):
    data: _Pieces


class _ReasoningRow(_Row, frozen=True, gc=False, tag="reasoning-chunks"):
    data: _Pieces


class _CallRow(_Row, frozen=True, gc=False, tag="tool-call-chunks"):
    data: _CallPieces


_EVENTS: Final = msgspec.json.Decoder(
    Union[tuple(EVENT_CLASSES.values())],  # noqa: UP007
    float_hook=json_number,
)
_OTHER: Final = msgspec.json.Decoder(OtherEvent, float_hook=json_number)
_ROWS: Final = msgspec.json.Decoder(_TextRow | _ReasoningRow | _CallRow)
_KINDS: Final[dict[type[_Row], str]] = {_TextRow: "text", _ReasoningRow: "reasoning", _CallRow: "tool-call"}

decode_event: Final = _EVENTS.decode
"""Decode a line whose type has a record class of its own; anything odd is a ValueError or RecursionError."""


def decode_other(line: bytes) -> OtherEvent | None:
    """
    Decode a line whose type has no record class, where its envelope is plain.

    Parameters
    ----------
    line : bytes
        One line.

    Returns
    -------
    OtherEvent or None
        None where more care is needed.
    """
    try:
        event = _OTHER.decode(line)
    except (ValueError, RecursionError):
        return None
    return event if event.type not in EVENT_CLASSES and event.type not in ROW_TYPES else None


def decode_piece(line: bytes) -> StreamRow:
    """
    Decode a lone piece of a reply, where nothing about it is unusual.

    Parameters
    ----------
    line : bytes
        A line that begins with the type `CHUNK`.

    Returns
    -------
    StreamRow
        The piece's event, as a row of its own.

    Raises
    ------
    ValueError or RecursionError
        If more care is needed to tell what it is or what is wrong with it: see `decode_stream`.
    """
    event = decode_event(line)
    return StreamRow("event", event.seq, event.time_ms, 0, 0, 0, (), (), None, None, event)


def decode_row(line: bytes) -> StreamRow:
    """
    Decode a packed row, where nothing about it is unusual.

    Parameters
    ----------
    line : bytes
        A line whose type is one of `ROW_TYPES`.

    Returns
    -------
    StreamRow
        The row.

    Raises
    ------
    ValueError or RecursionError
        As `decode_piece`.
    """
    row = _ROWS.decode(line)
    data = row.data
    gaps, parts = data.dt, data.parts
    if len(gaps) + 1 != len(parts):
        raise ValueError("the number of gaps does not fit the number of parts")
    kind = _KINDS[type(row)]
    return StreamRow(kind, row.seq0, row.time0, data.turn, data.step, data.index, gaps, parts, data.call_id, data.name)


def decode_stream(line: bytes) -> StreamRow:
    """
    Decode a line that holds streamed output, however it is written, and hold it to its rules.

    Parameters
    ----------
    line : bytes
        One line for which `is_streamed` holds.

    Returns
    -------
    StreamRow
        A packed row as it is, a lone piece as its event.

    Raises
    ------
    FormatError
        As `parse_json`.
    SessionError
        As `row_of` and `event_from_record`.
    """
    record, _ = parse_json(line)
    if record["type"] in ROW_TYPES:
        return row_of(record)
    event = event_from_record(record)
    return StreamRow("event", event.seq, event.time_ms, event=event)


def mark_of(line: bytes) -> int:
    """
    Return where a line that begins as a lone piece of a reply says what piece it is.

    Parameters
    ----------
    line : bytes
        A line that begins with the type `CHUNK`.

    Returns
    -------
    int
        A position, the same in most neighbouring lines; -1 where the layout is unusual.
    """
    return line.find(_MARK, 0, _FAR)


def is_kept_at(line: bytes, at: int) -> bool:
    """
    Tell whether a lone piece of a reply must be decoded.

    Parameters
    ----------
    line : bytes
        As for `mark_of`.
    at : int
        What `mark_of` returned.

    Returns
    -------
    bool
        True for ``finish`` and ``usage``, and where the layout hides what the piece is.
    """
    return at < 0 or line.startswith(_KEPT_STARTS, at + len(_MARK))


def streamed_type(line: bytes) -> str | None:
    """
    Return the type of a line that its beginning alone shows to be streamed output.

    Parameters
    ----------
    line : bytes
        One line.

    Returns
    -------
    str or None
        None for every other line, also for streamed output in an unusual layout.
    """
    kind = STREAM_HEADS.get(line[:26])
    return None if kind is CHUNK and is_kept_at(line, mark_of(line)) else kind


def is_streamed_chunk(event: Event) -> bool:
    """
    Tell whether an event is streamed output that a session's events leave out.

    Parameters
    ----------
    event : Event
        Any event.

    Returns
    -------
    bool
        True for a piece of a reply other than ``finish`` and ``usage``.
    """
    return isinstance(event, AssistantChunk) and event.data.chunk.get("type") not in _KEPT


def is_streamed(record: JsonObject) -> bool:
    """
    Tell whether a decoded record is streamed output.

    Parameters
    ----------
    record : dict
        A decoded line.

    Returns
    -------
    bool
        True for packed rows, and for pieces other than ``finish`` and ``usage``.
    """
    kind, data = record.get("type"), record.get("data")
    if kind != CHUNK:
        return isinstance(kind, str) and kind in ROW_TYPES
    chunk: Any = data.get("chunk") if isinstance(data, dict) else None
    return isinstance(chunk, dict) and chunk.get("type") not in _KEPT

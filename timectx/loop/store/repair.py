"""Plan what a load has to write: the end to cut off, what can be recovered of it, and closing events."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from timectx.errors import FormatError, SessionError
from timectx.formats.dsh_rows import unpack_row
from timectx.formats.dsh_store import batch_bytes
from timectx.formats.lines import LineBatches, holds_zstd, open_file
from timectx.formats.loose_json import parse_json
from timectx.formats.read import read_session
from timectx.formats.zstd import Fault, Frame, inflate_frame, scan_frames
from timectx.loop.store.damage import find_damage
from timectx.loop.store.history import next_seq
from timectx.session.closers import closing_events
from timectx.session.data import JsonObject
from timectx.session.events import Event, ToolResult
from timectx.session.log import Session
from timectx.session.records import other_event_from_record, record_of

__all__ = ["Repair", "plan_repair", "read_stored"]

_NO_LIMIT: Final = 2**62
_CUT: Final = frozenset(
    {"torn-tail", "corrupt-session-log-unparsable-committed-event", "corrupt-session-log-seq-gap-in"}
)
"""The problems of a strictly read log that say from which line on it was left out."""
_CLOSER_MESSAGE: Final = ("id", "role", "source", "content")
_CLOSER_MARKS: Final = ("surfaceOp", "sourceEventSeqs")


class Repair(Struct, frozen=True):
    """
    Say what a load does to a log's file.

    `kept_bytes` of its `size` stay; `recovered` records of a cut-off last frame and the `closing`
    events of an interrupted turn follow them, as one batch.
    """

    size: int
    kept_bytes: int
    recovered: tuple[JsonObject, ...] = ()
    closing: tuple[Event, ...] = ()

    @property
    def needed(self) -> bool:
        """Whether the file has to change at all."""
        return bool(self.kept_bytes < self.size or self.closing)

    @property
    def batch(self) -> bytes:
        """The lines to append; empty when there are none."""
        records = chain(self.recovered, map(_closer_record, self.closing))
        return batch_bytes(map(other_event_from_record, records))


def read_stored(path: Path) -> Session:
    """
    Read a log as dsh reads it before it goes on with it; the file does not change.

    Parameters
    ----------
    path : Path
        The log.

    Returns
    -------
    Session
        With its streamed output, and without closing events.

    Raises
    ------
    FormatError
        As `read_session` with ``strict=True``; and for a damaged frame that dsh would take for one
        cut short, and drop with all that follows. The text names the damaged frame.
    """
    try:
        session = read_session(path, strict=True, check=True, max_line_bytes=_NO_LIMIT)
    except FormatError as error:
        place = _damaged_place(path)
        raise type(error)(f"{error}{place and '; '}{place}", kind=error.kind) from None
    if any(problem.kind == "torn-frame" for problem in session.problems) and (place := _damaged_place(path)):
        kind = "corrupt-zstandard-session-log-frame-at"
        raise FormatError(f"{path}:0: not cut short but damaged: {place}", kind=kind)
    return session


def plan_repair(path: Path, session: Session) -> Repair:
    """
    Decide what has to change in a log's file.

    Parameters
    ----------
    path : Path
        The log.
    session : Session
        What `read_stored` made of it.

    Returns
    -------
    Repair
        Nothing where the log is whole and its last turn is closed.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts, `commitRepair`.
    """
    closing = closing_events(session.events, session.tail)
    with open_file(os.fspath(path)) as stream:
        size = _size(stream)
        if holds_zstd(stream, os.fspath(path)):
            torn = _frames(stream, size)[-1]
            if torn.complete:
                return Repair(size, size, closing=closing)
            recovered = _recovered(stream, torn, _seq_at(stream, torn.start), next_seq(session))
            return Repair(size, torn.start, recovered, closing)
        cut = min((problem.line for problem in session.problems if problem.kind in _CUT), default=None)
        return Repair(size, size if cut is None else _line_start(path, cut), closing=closing)


def _damaged_place(path: Path) -> str:
    """Say which frame of a container is damaged, and which events that concerns; empty when none is."""
    with suppress(FormatError), open_file(os.fspath(path)) as stream:
        damage = find_damage(stream, _size(stream)) if holds_zstd(stream, os.fspath(path)) else None
        if damage is None:
            return ""
        place = f"frame {damage.frame}, from byte {damage.at}, is not as it was written"
        with suppress(FormatError, SessionError, LookupError):
            return f"{place}; all events before seq {_seq_at(stream, damage.at)} are sound"
        return place
    return ""


def _recovered(stream: BinaryIO, torn: Frame, first: int, after: int) -> tuple[JsonObject, ...]:
    """Return the records a cut-off frame still holds, as many as were read from it."""
    batches = LineBatches(inflate_frame(stream, torn), max_line_bytes=_NO_LIMIT)
    return tuple(islice(_records(chain.from_iterable(batches)), after - first))


def _records(lines: Iterator[bytes]) -> Iterator[JsonObject]:
    for line in lines:
        yield from unpack_row(parse_json(line)[0])


def _seq_at(stream: BinaryIO, at: int) -> int:
    """Return the seq that is next after the frames before a byte."""
    frames = _frames(stream, at)
    if len(frames) < 2:
        return 0
    batches = LineBatches(inflate_frame(stream, frames[-1]), max_line_bytes=_NO_LIMIT)
    last = [line for batch in batches for line in batch][-1]
    return int(unpack_row(parse_json(last)[0])[-1]["seq"]) + 1


def _frames(stream: BinaryIO, size: int) -> list[Frame]:
    """Return the frames up to the first fault."""
    frames: list[Frame] = []
    for item in scan_frames(stream, size):
        if isinstance(item, Fault):
            break
        frames.append(item)
    return frames


def _line_start(path: Path, line: int) -> int:
    with path.open("rb") as stream:
        return sum(map(len, islice(stream, line - 1)))


def _size(stream: BinaryIO) -> int:
    return os.fstat(stream.fileno()).st_size


def _closer_record(event: Event) -> JsonObject:
    """Return the record of a closing event, whose keys the original writes in an order of their own."""
    record = record_of(event)
    if not isinstance(event, ToolResult):
        return record
    message = record["data"]["message"]
    ordered = {**record["data"], "message": {name: message[name] for name in _CLOSER_MESSAGE}}
    marks: JsonObject = {name: record.pop(name) for name in _CLOSER_MARKS if name in record}
    return {**record, "data": ordered, **marks}

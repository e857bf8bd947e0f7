"""Read a dsh log of format 0, using everything that can be used and reporting everything else."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from timectx.errors import FormatError, SessionError
from timectx.formats.dsh_entries import Entries
from timectx.formats.dsh_header import read_header, unsupported_version, version_of
from timectx.formats.dsh_settle import Settling
from timectx.formats.dsh_wire import CHUNK, decode_stream, is_streamed_chunk
from timectx.formats.lines import LineBatches
from timectx.formats.loose_json import parse_json
from timectx.formats.report import Report, refusal
from timectx.session.data import JsonObject
from timectx.session.events import AssistantChunk
from timectx.session.header import SessionHeader
from timectx.session.log import Session, StreamRow

__all__ = ["read_dsh"]

_BOM: Final = b"\xef\xbb\xbf"
_MANY: Final = 50_000


def read_dsh(path: str, batches: LineBatches, *, check: bool = False) -> Session:
    """
    Read a log of format 0 from its lines.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    batches : LineBatches
        Its lines, none taken yet.
    check : bool, optional
        Whether to decode, check and keep streamed output as well.

    Returns
    -------
    Session
        With a problem for everything that was odd.

    Raises
    ------
    FormatError
        If there is no header, or not one event among the lines.
    """
    report = Report()
    entries = Entries(report, check=check, max_line_bytes=batches.max_line_bytes)
    with _gc_paused():
        header: SessionHeader | None = None
        for batch in batches:
            if header is None:
                header, batch = _split_header(path, batch, entries, report)
            entries.take(batch)
        if header is None:
            header, _ = _split_header(path, [batches.rest], entries, report)
        else:
            entries.take_rest(batches.rest)
        if header is None:
            raise refusal(path, 1, "empty-or-header-less-session-log", "the file is empty; expected a session log")
        if entries.dropped > 1 and not entries.events:
            raise refusal(path, 0, "no-events", f"none of {entries.dropped} lines behind the header is an event")
        for line, fault in batches.faults:
            report.add(line, fault.kind, f"{fault.text}; what could be decompressed was kept")
        return _session(path, header, entries, report, check=check)


def _split_header(
    path: str, batch: list[bytes], entries: Entries, report: Report
) -> tuple[SessionHeader | None, list[bytes]]:
    """Read the header from the first line that is not blank, and return the lines behind it as well."""
    at = next((index for index, line in enumerate(batch) if line.strip()), None)
    if at is None:
        entries.number += len(batch)
        return None, []
    entries.number += at + 1
    line = batch[at]
    if line.startswith(_BOM):
        line = line.removeprefix(_BOM)
        report.add(entries.number, "byte-order-mark", "the file begins with a byte order mark, which was ignored")
    record = _header_record(path, line, entries.number)
    return read_header(record, entries.number, report), batch[at + 1 :]


def _header_record(path: str, line: bytes, number: int) -> JsonObject:
    expected = "expected the header of a session log"
    try:
        record, _ = parse_json(line)
    except FormatError as error:
        raise refusal(path, number, "not-a-session", f"{error}; {expected}") from None
    if not isinstance(record, dict) or record.get("type") != "session":
        raise refusal(path, number, "not-a-session", f"the first line is not a header; {expected}")
    if version_of(record):
        raise unsupported_version(path, record)
    return record


def _session(path: str, header: SessionHeader, entries: Entries, report: Report, *, check: bool) -> Session:
    hidden_tail = _leave_out_streamed(entries, check=check)
    tail = hidden_tail or _tail(entries, report, check=check)
    Settling(entries.events, entries.lines, header.id, report).run()
    return Session(
        header=header,
        events=tuple(entries.events),
        problems=report.problems(),
        skipped=MappingProxyType(dict(entries.skipped)),
        path=path,
        stream=tuple(entries.stream),
        tail=tail,
    )


def _leave_out_streamed(entries: Entries, *, check: bool) -> tuple[int, int] | None:
    """Take pieces of replies out of the events, where an unusual layout hid what they are; return a new tail."""
    events, lines = entries.events, entries.lines
    hidden = [at for at, event in enumerate(events) if type(event) is AssistantChunk and is_streamed_chunk(event)]
    if not hidden:
        return None
    pieces = [events[at] for at in hidden]
    is_last = hidden[-1] == len(events) - 1 and lines[-1] > entries.streamed[1]
    entries.skipped[CHUNK] += len(pieces)
    if check:
        rows = [StreamRow("event", event.seq, event.time_ms, event=event) for event in pieces]
        entries.stream = sorted([*entries.stream, *rows], key=lambda row: row.seq0)
    gone = set(hidden)
    entries.events = [event for at, event in enumerate(events) if at not in gone]
    entries.lines = array("Q", (line for at, line in enumerate(lines) if at not in gone))
    return (pieces[-1].seq, pieces[-1].time_ms) if is_last else None


def _tail(entries: Entries, report: Report, *, check: bool) -> tuple[int, int] | None:
    """Return seq and time of the last entry, where that is streamed output."""
    line, number = entries.streamed
    last_event = entries.events[-1] if entries.events else None
    if number < (entries.lines[-1] if last_event else 1):
        return None
    try:
        row = decode_stream(line)
    except (FormatError, SessionError) as error:
        if not check:  # else it has been reported when it was met
            report.add(number, error.kind, f"{error}; it was left out")
        return None
    seq = row.seq0 + (len(row.parts) or 1) - 1
    return (seq, row.time0_ms + sum(row.dt_ms)) if last_event is None or seq > last_event.seq else None


@contextmanager
def _gc_paused() -> Iterator[None]:
    """
    Keep the cycle collector from walking thousands of fresh events, which form no cycles.

    After a large log they join the old objects unwalked, unless somebody else has frozen some.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > _MANY and gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()

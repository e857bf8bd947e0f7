"""Read a dsh log of format 0 as dsh itself would, refusing what it refuses in the order it does."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from timectx.errors import FormatError, SessionError, UnsupportedFormatError
from timectx.formats.dsh_container import container_lines
from timectx.formats.dsh_early import is_early_reason, late_reason, late_record
from timectx.formats.dsh_header import check_header, check_header_values, read_header
from timectx.formats.dsh_names import derives_path
from timectx.formats.dsh_rows import ROW_TYPES, row_of
from timectx.formats.dsh_settle import find_event, with_message_id
from timectx.formats.dsh_shapes import check_envelope, check_shape
from timectx.formats.dsh_vocabulary import KNOWN_TYPES
from timectx.formats.dsh_wire import CHUNK, decode_piece, decode_row, is_streamed, streamed_type
from timectx.formats.loose_json import parse_json
from timectx.formats.report import Report, refusal
from timectx.session.data import JsonObject
from timectx.session.events import SURFACE_CLASSES, Event
from timectx.session.log import Session, StreamRow
from timectx.session.records import event_from_record, other_event_from_record
from timectx.session.surface import apply_to_nodes, check_surface
from timectx.units import is_safe_integer

__all__ = ["read_dsh_strictly"]

_UNKNOWN: Final = "session-contains-event-type-seq-unknown"
_INVALID: Final = "stored-session-failed-validation-error-session"


def read_dsh_strictly(path: str, stream: BinaryIO, *, zstd: bool, check: bool, max_line_bytes: int) -> Session:
    """
    Read a log of format 0 under dsh's own rules.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    stream : binary file
        The file, open.
    zstd : bool
        Whether it is a Zstandard container.
    check : bool
        Whether to decode, check and keep streamed output as well.
    max_line_bytes : int
        The longest line to read.

    Returns
    -------
    Session
        What dsh shows of the log; its problems are what dsh passes over in silence.

    Raises
    ------
    FormatError
        With the kind of the rule that is broken.
    UnsupportedFormatError
        If the log is of another format number, or holds a type that format 0 does not know.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/format.ts, `SessionLogScanner`.
    .. [2] deepseek-harness, packages/session/session-persistence/src/coordinator.ts, `prepareCore`.
    """
    scan = _Scan(path, check=check)
    lines = container_lines(path, stream, zstd=zstd, max_line_bytes=max_line_bytes, report=scan.report)
    for batch, committed in lines:
        scan.take(batch, committed=committed)
    if scan.header is None:
        raise refusal(path, 1, "empty-or-header-less-session-log", "the file holds no complete line; expected a header")
    scan.report_cut()
    try:
        return _Restored(scan).session()
    except _AtLineError as fault:
        cause = UnsupportedFormatError if fault.kind == _UNKNOWN else FormatError
        raise refusal(path, fault.line, fault.kind, str(fault), cause=cause) from None


class _Scan:
    """Take a log's lines up to the first that cannot be right, and decide whether that matters."""

    def __init__(self, path: str, *, check: bool) -> None:
        self.path, self.check = path, check
        self.report = Report()
        self.header: JsonObject | None = None
        self.entries: list[tuple[int, JsonObject | StreamRow]] = []
        self.skipped: Counter[str] = Counter()
        self.number = 0
        self.expected, self.loose = 0, False
        self.last_streamed: tuple[bytes, str] | None = None
        self.issue: FormatError | None = None
        self.issue_line = 0

    def take(self, batch: list[bytes], *, committed: bool) -> None:
        for line in batch:
            self.number += 1
            if self.header is None:
                self.header = self._header(line)
            elif self.issue is not None:
                if _is_turn_end(line):
                    raise self.issue
            else:
                self._entry(line, committed=committed)

    def report_cut(self) -> None:
        """Report what dsh leaves out without a word: everything from the first line that cannot be right."""
        if self.issue is not None:
            count = self.number - self.issue_line
            text = f"{self.issue.args[0]}; this line and {count} more were left out"
            self.report.add(self.issue_line, self.issue.kind, text.removeprefix(f"{self.path}:{self.issue_line}: "))

    def _header(self, line: bytes) -> JsonObject:
        try:
            record, _ = parse_json(line)
        except FormatError as error:
            text = f"the header is no valid JSON: {error}"
            raise refusal(self.path, 1, "corrupt-session-log-header-line-is", text) from None
        header = check_header(self.path, record)
        match derives_path(read_header(header, 1, Report()), self.path):
            case "id":
                text = f"the header's id, {header['id']!r}, is not the one its folder is named after"
                raise refusal(self.path, 1, "corrupt-session-log-requested-id-does", text)
            case "cwd":
                text = f"the header's cwd, {header.get('cwd')!r}, is not the one its project folder is named after"
                raise refusal(self.path, 1, "corrupt-session-log-header-id-and", text)
        return header

    def _entry(self, line: bytes, *, committed: bool) -> None:
        kind = streamed_type(line)
        if kind and not self.check:
            self.skipped[kind] += 1
            self.last_streamed = (line, kind)
            self.expected, self.loose = self.expected + 1, True
            return
        try:
            entry = _streamed(line, kind) if kind else _decoded(line)
        except (FormatError, SessionError) as error:
            self._stop("corrupt-session-log-unparsable-committed-event", str(error), fatal=committed)
            return
        seq: Any = entry.seq0 if isinstance(entry, StreamRow) else entry.get("seq")
        if seq != self.expected and not (self.loose and is_safe_integer(seq) and seq > self.expected):
            fatal = committed or (isinstance(entry, dict) and entry.get("type") == "turn/end")
            self._stop("corrupt-session-log-seq-gap-in", f"seq {seq!r} where {self.expected} was expected", fatal=fatal)
            return
        self.entries.append((self.number, entry))
        self.last_streamed, self.loose = None, False
        self.expected = seq + (len(entry.parts) or 1 if isinstance(entry, StreamRow) else 1)

    def _stop(self, kind: str, text: str, *, fatal: bool) -> None:
        self.issue, self.issue_line = refusal(self.path, self.number, kind, text), self.number
        if fatal:
            raise self.issue


class _AtLineError(SessionError):
    def __init__(self, line: int, message: str, kind: str) -> None:
        super().__init__(message, kind=kind)
        self.line = line


class _Restored:
    """Convert, check and rebuild what a scan kept."""

    def __init__(self, scan: _Scan) -> None:
        self.scan = scan
        self.header_record = scan.header or {}
        self.header = read_header(self.header_record, 1, Report())
        self.events: list[Event] = []
        self.stream: list[StreamRow] = []
        self.nodes: list[int] = []

    def session(self) -> Session:
        records = [(line, self._late(line, entry)) for line, entry in self.scan.entries]
        for line, record in records:
            self._check_known(line, record)
        try:
            check_header_values(self.header_record)
        except SessionError as error:
            raise _AtLineError(1, str(error), error.kind) from None
        for line, record in records:
            self._restore(line, record)
        return Session(
            header=self.header,
            events=tuple(self.events),
            problems=self.scan.report.problems(),
            skipped=MappingProxyType(dict(self.scan.skipped)),
            path=self.scan.path,
            stream=tuple(self.stream),
            tail=self._tail(),
        )

    def _late(self, line: int, entry: JsonObject | StreamRow) -> JsonObject | StreamRow:
        """Convert an early layout where dsh does, and refuse those it refuses."""
        if isinstance(entry, StreamRow):
            return entry
        kind, data = entry.get("type"), entry.get("data")
        reason = data.get("reason") if isinstance(data, dict) else None
        if kind in ("request/header-delta", "mode/set") or (kind == "request/header" and reason == "fallback"):
            text = f"an early layout that is no longer read: {kind} at seq {entry['seq']}"
            raise _AtLineError(line, text, _INVALID)
        if kind == "turn/end" and is_early_reason(reason):
            try:
                return {**entry, "data": {**entry["data"], "reason": late_reason(entry["data"]["reason"])}}
            except ValueError as error:
                raise _AtLineError(line, str(error), _INVALID) from None
        return late_record(entry, strict=True)

    def _check_known(self, line: int, record: JsonObject | StreamRow) -> None:
        if isinstance(record, StreamRow) or record.get("ignorable") is True:
            return
        kind = record.get("type")
        if not isinstance(kind, str) or kind not in KNOWN_TYPES:
            raise _AtLineError(line, f"event type {kind!r} at seq {record['seq']} is unknown to format 0", _UNKNOWN)

    def _restore(self, line: int, record: JsonObject | StreamRow) -> None:
        if isinstance(record, StreamRow):
            self.stream.append(record)
            self.scan.skipped[CHUNK if record.event else f"{record.kind}-chunks"] += 1
            return
        try:
            check_envelope(record)
            check_shape(record)
            event = self._event(line, record)
        except SessionError as error:
            raise _AtLineError(line, str(error), error.kind) from None
        if is_streamed(record):
            self.stream.append(StreamRow("event", event.seq, event.time_ms, event=event))
            self.scan.skipped[event.type] += 1
        else:
            self.events.append(event)

    def _event(self, line: int, record: JsonObject) -> Event:
        try:
            event = event_from_record(record)
        except SessionError as error:
            if error.kind != "bad-data":
                raise
            self.scan.report.add(line, error.kind, f"{error}; it was kept for its seq and time alone")
            return other_event_from_record(record)
        if isinstance(event, SURFACE_CLASSES):
            event = with_message_id(event, self.header.id, self._find)
        check_surface(event, self.nodes, self._find, record=record)
        apply_to_nodes(self.nodes, event)
        return event

    def _find(self, seq: int) -> Event | None:
        return find_event(self.events, seq)

    def _tail(self) -> tuple[int, int] | None:
        """Return seq and time of the last entry, where that is streamed output."""
        last: object = None
        if self.scan.last_streamed is not None:
            try:
                last = _decoded(self.scan.last_streamed[0])
            except (FormatError, SessionError):
                return None
        elif self.scan.entries:
            last = self.scan.entries[-1][1]
        if isinstance(last, StreamRow):
            return last.seq0 + (len(last.parts) or 1) - 1, last.time0_ms + sum(last.dt_ms)
        if isinstance(last, dict) and is_streamed(last):
            seq, time_ms = last.get("seq"), last.get("time")
            return (seq, time_ms) if isinstance(seq, int) and isinstance(time_ms, int) else None
        return None


def _streamed(line: bytes, kind: str) -> JsonObject | StreamRow:
    try:
        return decode_piece(line) if kind == CHUNK else decode_row(line)
    except (ValueError, RecursionError):
        return _decoded(line)


def _decoded(line: bytes) -> JsonObject | StreamRow:
    record, _ = parse_json(line)
    if not isinstance(record, dict):
        raise SessionError("not a JSON object, so no event", kind="not-an-object")
    kind = record.get("type")
    return row_of(record) if isinstance(kind, str) and kind in ROW_TYPES else record


def _is_turn_end(line: bytes) -> bool:
    if b"end" not in line:
        return False
    try:
        record, _ = parse_json(line)
    except FormatError:
        return False
    return isinstance(record, dict) and record.get("type") == "turn/end"

"""Take the lines behind a dsh log's header one by one: decode, place by seq, skip what is streamed."""

from __future__ import annotations

import math
from array import array
from collections import Counter

from timectx.errors import FormatError, SessionError
from timectx.formats.dsh_early import EARLY_TYPES, late_record
from timectx.formats.dsh_wire import (
    CHUNK,
    STREAM_HEADS,
    STREAM_MARKS,
    decode_event,
    decode_other,
    decode_piece,
    decode_row,
    decode_stream,
    is_kept_at,
    is_streamed,
    mark_of,
)
from timectx.formats.lines import TOO_LONG
from timectx.formats.loose_json import parse_json
from timectx.formats.report import Report
from timectx.session.data import JsonObject
from timectx.session.events import SURFACE_CLASSES, Event
from timectx.session.log import StreamRow
from timectx.session.records import event_from_record, other_event_from_record
from timectx.units import MAX_SAFE_INTEGER

__all__ = ["Entries"]


class Entries:
    """
    Hold what has been read of one log so far.

    Parameters
    ----------
    report : Report
        Gets a problem for everything odd.
    check : bool
        Whether to decode, check and keep streamed output as well.
    max_line_bytes : int
        For the words of a problem.

    Attributes
    ----------
    number : int
        The number of the last line taken; set it to the header's before the first.
    events : list of Event
        By rising seq. Which events these are does not depend on `check`.
    lines : array of int
        The line of each event.
    stream : list of StreamRow
        Streamed output, where `check` asks for it.
    skipped : Counter of str
        Lines that gave no event, by type; ``unreadable`` where that cannot be told.
    streamed : tuple
        The last line of streamed output, and its number (0 = none yet).
    dropped : int
        Lines other than streamed output that were left out because something was wrong with them.
    """

    def __init__(self, report: Report, *, check: bool, max_line_bytes: int) -> None:
        self.number = 0
        self.events: list[Event] = []
        self.lines = array("Q")
        self.stream: list[StreamRow] = []
        self.skipped: Counter[str] = Counter()
        self.streamed = (b"", 0)
        self.dropped = 0
        self._report, self._check, self._max_line_bytes = report, check, max_line_bytes
        self._expected = 0
        self._loose = False  # whether what came since the last event leaves the next seq open
        self._mark_at = 0
        self._unread: tuple[int, FormatError, bool] | None = None

    def take(self, batch: list[bytes]) -> None:
        """
        Read complete lines.

        Parameters
        ----------
        batch : list of bytes
            The next lines.

        Notes
        -----
        This is the one loop whose speed counts: it decides by a line's first bytes, keeps its
        state in local names, and leaves everything unusual to the methods below.
        """
        kind_of, marks, decode, check = STREAM_HEADS.get, STREAM_MARKS, decode_event, self._check
        add_event, add_line, add_row, skipped = self.events.append, self.lines.append, self.stream.append, self.skipped
        number, expected, loose, at, pieces = self.number, self._expected, self._loose, self._mark_at, 0
        streamed, streamed_number = self.streamed
        for line in batch:
            number += 1
            kind = kind_of(line[:26])
            if kind is CHUNK and line[at : at + 19] not in marks:
                at = mark_of(line)
                if is_kept_at(line, at):
                    kind = None
            if kind is not None:
                streamed, streamed_number = line, number
                if kind is CHUNK:
                    pieces += 1
                else:
                    skipped[kind] += 1
                if not check:
                    expected += 1
                    loose = True
                    continue
                try:
                    row = decode_piece(line) if kind is CHUNK else decode_row(line)
                except (ValueError, RecursionError):
                    careful = self._careful_row(line, number)
                    if careful is None:
                        loose = True
                        continue
                    row = careful
                if row.seq0 == expected or self._place_row(row, number, expected, loose=loose):
                    add_row(row)
                    expected = row.seq0 + (len(row.parts) or 1)
                    loose = False
                continue
            try:
                event = decode(line)
            except (ValueError, RecursionError):
                self._expected, self._loose = expected, loose
                odd = self._take_odd(line, number)
                expected, loose = self._expected, self._loose
                if odd is None:
                    continue
                event = odd
            seq = event.seq
            if seq != expected and not (loose and seq > expected) and not self._place(event, number, expected):
                continue
            add_event(event)
            add_line(number)
            expected = seq + 1
            loose = False
        self.number, self._expected, self._loose, self._mark_at = number, expected, loose, at
        if streamed_number > self.streamed[1]:
            self.streamed = streamed, streamed_number
        if pieces:
            skipped[CHUNK] += pieces

    def take_rest(self, rest: bytes) -> None:
        """
        Read what follows the last newline: a whole record without one, or the beginning of a record.

        Parameters
        ----------
        rest : bytes
            The end of the file.
        """
        if rest is TOO_LONG:
            self.take([rest])
        elif rest.strip():
            try:
                parse_json(rest)
            except FormatError as error:
                self.number += 1
                self._unreadable(self.number, error, torn=True)
            else:
                text = "the last line has no newline; it is whole and was kept"
                self._report.add(self.number + 1, "unterminated-line", text)
                self.take([rest])
        self._close_unread(at_end=True)

    def _take_odd(self, line: bytes, number: int) -> Event | None:
        """Read a line that the fast decoder refused; None when it gives no event of its own."""
        if not line.strip():
            return None
        if line is TOO_LONG:
            text = f"a line of more than {self._max_line_bytes} bytes; it was left out; raise max_line_bytes to read it"
            self._drop(number, "unreadable", "line-too-long", text)
            return None
        event = decode_other(line)
        if event is not None and event.type not in EARLY_TYPES:
            return event
        try:
            record, repaired = parse_json(line)
        except FormatError as error:
            self._unreadable(number, error, torn=not line.rstrip().endswith(b"}"))
            return None
        if repaired:
            self._report.add(number, "invalid-utf8", "bytes that are not UTF-8; each was read as U+FFFD")
        if not isinstance(record, dict):
            self._drop(number, "unreadable", "not-an-object", "not a JSON object, so no event; it was left out")
            return None
        if is_streamed(record):
            self._take_streamed(line, number, str(record["type"]))
            return None
        return self._event_of(record, number)

    def _event_of(self, record: JsonObject, number: int) -> Event | None:
        """Build an event by the careful path; None when its record cannot stand in a log."""
        record = self._with_whole_time(record, number)
        try:
            event = event_from_record(late_record(record))
        except SessionError as error:
            if error.kind != "bad-data":
                self._drop(number, str(record.get("type")), error.kind, f"{error}; it was left out")
                return None
            self._report.add(number, error.kind, f"{error}; it was kept for its seq and time alone")
            event = other_event_from_record(record)
        if not isinstance(event, SURFACE_CLASSES) and event.extra and "surfaceOp" in event.extra:
            text = f"{event.type} at seq {event.seq}: only message events can carry a surface marker; it was ignored"
            self._report.add(number, "not-surface-eligible", text)
        return event

    def _with_whole_time(self, record: JsonObject, number: int) -> JsonObject:
        time_ms = record.get("time")
        if not isinstance(time_ms, float) or abs(time_ms) > MAX_SAFE_INTEGER:
            return record
        self._report.add(number, "bad-envelope", f"time {time_ms!r} is not a whole number; it was rounded down")
        return {**record, "time": math.floor(time_ms)}

    def _take_streamed(self, line: bytes, number: int, kind: str) -> None:
        """Take streamed output whose line does not begin the usual way."""
        self.streamed = line, number
        self.skipped[kind] += 1
        self._loose = True
        if not self._check:
            self._expected += 1
            return
        row = self._careful_row(line, number)
        if row is not None and self._place_row(row, number, self._expected, loose=True):
            self.stream.append(row)
            self._expected, self._loose = row.seq0 + (len(row.parts) or 1), False

    def _careful_row(self, line: bytes, number: int) -> StreamRow | None:
        """Decode streamed output that is written in an unusual way; None when it breaks a rule."""
        try:
            return decode_stream(line)
        except FormatError as error:
            self._unreadable(number, error, torn=not line.rstrip().endswith(b"}"), counted=True)
        except SessionError as error:
            self._report.add(number, error.kind, f"{error}; it was left out")
        return None

    def _place_row(self, row: StreamRow, number: int, expected: int, *, loose: bool) -> bool:
        """Decide on streamed output whose seq is not the next one."""
        if row.seq0 < expected:
            text = f"streamed output at seq {row.seq0} where {expected} was expected; it was left out"
            self._report.add(number, "seq-repeated", text)
            return False
        if not loose:
            self._gap(number, row.seq0, expected)
        return True

    def _place(self, event: Event, number: int, expected: int) -> bool:
        """Decide on an event whose seq is not the next one; the first event with a seq counts."""
        seq, events = event.seq, self.events
        if events and seq < events[-1].seq and seq > (events[-2].seq if len(events) > 1 else -1):
            stray = events.pop()
            text = f"{stray.type} at seq {stray.seq}, which is ahead of the event behind it; it was left out"
            self._drop(self.lines.pop(), stray.type, "seq-repeated", text)
            return True
        if events and seq <= events[-1].seq:
            text = f"{event.type} at seq {seq} where {expected} was expected; the first one with a seq counts"
            self._drop(number, event.type, "seq-repeated", text)
            return False
        if seq > expected:
            self._gap(number, seq, expected)
        else:
            text = f"{event.type} at seq {seq}, which streamed output before it has too; it was kept"
            self._report.add(number, "seq-repeated", text)
        return True

    def _gap(self, number: int, seq: int, expected: int) -> None:
        text = f"seq {seq} where {expected} was expected; {seq - expected} are missing"
        self._report.add(number, "seq-gap", text)

    def _drop(self, number: int, what: str, kind: str, text: str) -> None:
        self._report.add(number, kind, text)
        self.skipped[what] += 1
        self.dropped += 1
        self._loose = True

    def _unreadable(self, number: int, error: FormatError, *, torn: bool, counted: bool = False) -> None:
        """Note a line that is no JSON; whether it is a torn last one shows later."""
        self._close_unread()
        self._unread = (number, error, torn)
        if not counted:
            self.skipped["unreadable"] += 1
            self.dropped += 1
        self._loose = True

    def _close_unread(self, *, at_end: bool = False) -> None:
        if self._unread is None:
            return
        (number, error, torn), self._unread = self._unread, None
        last = max(self.lines[-1] if self.lines else 0, self.streamed[1])
        if at_end and torn and number >= last and error.kind == "not-json":
            self._report.add(number, "torn-tail", "the last line is cut off; everything before it was kept")
        else:
            self._report.add(number, error.kind, f"{error}; the line was left out")

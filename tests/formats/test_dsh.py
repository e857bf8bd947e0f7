"""Show what the tolerant reader makes of logs, whole and broken."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.logs import (
    HEADER,
    event,
    finish,
    line,
    log_bytes,
    piece,
    reply,
    result,
    row,
    turn,
    user,
    write_frames,
    write_log,
)
from timectx.errors import FormatError
from timectx.formats import full_log, read_session
from timectx.formats.dsh_store import compress_frame
from timectx.session import Session, record_of
from timectx.session.events import OtherEvent


def seqs(session: Session) -> list[int]:
    """Return the seqs of the events."""
    return [event.seq for event in session.events]


def faults(session: Session) -> list[tuple[int, str]]:
    """Return line and kind of each problem."""
    return [(problem.line, problem.kind) for problem in session.problems]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a test may write its log."""
    return tmp_path / "a.jsonl"


def both(path: Path) -> Session:
    """Return a session read without decoding its stream, after seeing that decoding changes nothing."""
    skipped, checked = read_session(path), read_session(path, check=True)
    for name in ("header", "events", "tail", "skipped"):
        assert getattr(skipped, name) == getattr(checked, name), name
    return skipped


def test_a_whole_log_is_read_without_a_problem(path: Path) -> None:
    """Events are the records, streamed output is counted, and the header is kept."""
    session = both(write_log(path, turn()))
    records = [record for record in turn() if "seq" in record]
    assert [record_of(one) for one in session.events] == records
    assert (session.problems, dict(session.skipped), session.tail) == ((), {"text-chunks": 1}, None)
    assert (session.header.id, session.header.created_at_ms, session.header.cwd) == ("s", 5, "/w")


def test_checking_keeps_the_stream_and_puts_it_back_in_place(path: Path) -> None:
    """The full log is dense, whether pieces were packed or alone."""
    write_log(path, [event("turn/start", 0, {"turn": 1}), piece(1, "a"), row(2, "b", "c"), piece(4, "d"), finish(5)])
    log = list(full_log(read_session(path, check=True)))
    assert [one.seq for one in log] == [0, 1, 2, 3, 4, 5]
    assert [record_of(one) for one in log[1:5]] == [
        piece(1, "a"),
        piece(2, "b"),
        {**piece(3, "c"), "time": 2010},
        piece(4, "d"),
    ]
    assert list(full_log(read_session(path))) == [log[0], log[5]]


@pytest.mark.parametrize(
    "spell",
    [
        lambda record: json.dumps(record),
        lambda record: json.dumps(dict(reversed(record.items()))),
        lambda record: json.dumps({**record, "data": dict(reversed(record["data"].items()))}),
        lambda record: " " + json.dumps(record, separators=(",", ":")) + "\r",
        lambda record: json.dumps(record, separators=(",", ":")).replace("chunk", "\\u0063hunk"),
    ],
    ids=["spaces", "envelope order", "data order", "space around", "escapes"],
)
def test_streamed_output_is_left_out_however_it_is_written(path: Path, spell: Any) -> None:
    """What a line's beginning does not show is found by decoding it."""
    records: list[Any] = [event("turn/start", 0, {"turn": 1}), piece(1), row(2, "a", "b"), finish(4), piece(5)]
    written = [spell(record).encode() + b"\n" for record in records]
    session = both(write_log(path, written))
    assert seqs(session) == [0, 4]
    assert dict(session.skipped) == {"assistant/chunk": 2, "text-chunks": 1}
    assert session.tail == (5, 5000)
    assert session.problems == ()
    assert [one.seq for one in full_log(read_session(path, check=True))] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("records", "tail"),
    [
        ([piece(1)], (1, 1000)),
        ([row(1, "a", "b", "c")], (3, 1020)),
        ([piece(1), b"\n \n"], (1, 1000)),
        ([piece(1), b'{"type":"turn'], (1, 1000)),
        ([finish(1)], None),
        ([piece(1), finish(2)], None),
        ([piece(0)], None),
        ([b'{"type":"text-chunks","seq0":1}\n'], None),
        ([], None),
    ],
    ids=["piece", "row", "blank lines", "torn line", "kept", "then kept", "old seq", "malformed", "nothing"],
)
def test_the_tail_is_the_last_entry_where_that_is_streamed(path: Path, records: list[Any], tail: Any) -> None:
    """Closing events continue from there."""
    session = both(write_log(path, [event("turn/start", 0, {"turn": 1}), *records]))
    assert session.tail == tail
    last = session.tail or (session.events[-1].seq, session.events[-1].time_ms)
    assert [(one.seq, one.time_ms) for one in session.closed().events][-1] == (last[0] + 1, last[1])


def test_a_log_of_streamed_output_alone_has_a_tail_and_no_events(path: Path) -> None:
    """It is no failure to read."""
    session = both(write_log(path, [piece(0), piece(1)]))
    assert (session.events, session.tail, session.problems) == ((), (1, 1000), ())


@pytest.mark.parametrize(
    ("end", "kept", "found"),
    [
        (b'{"type":"turn/end","seq":8,"ti', 7, [(10, "torn-tail")]),
        (b'{"type":"turn/end","seq":8,"ti\n', 7, [(10, "torn-tail")]),
        (b'{"type":"turn/end","seq":8,"ti\n\n\n', 7, [(10, "torn-tail")]),
        (b'{"type":"turn/end","seq":8,"ti\n \r\n', 7, [(10, "torn-tail")]),
        (line(event("custom", 9, {}))[:-1], 8, [(10, "unterminated-line")]),
        (line(event("custom", 9, {})) + b"\x00" * 512, 8, [(11, "torn-tail")]),
        (b"\n\n", 7, []),
        (b"12", 7, [(10, "not-an-object"), (10, "unterminated-line")]),
    ],
    ids=["cut", "newline", "blank lines", "spaces", "no newline", "nul", "only blank", "number"],
)
def test_a_torn_end_costs_only_the_last_record(path: Path, end: bytes, kept: int, found: list[Any]) -> None:
    """With or without blank lines behind it; a whole record without its newline is kept."""
    session = both(write_log(path, [*turn(), end]))
    assert len(session.events) == kept
    assert sorted(faults(session), key=lambda fault: fault[1]) == found


def test_bad_lines_in_the_middle_cost_only_themselves(path: Path) -> None:
    """Later lines load, each bad one is reported once, and no gap is reported beside it."""
    records = turn()
    broken = [records[0], b'{"type":"step/start","seq":1,"ti\n', *records[2:5], b"garbage}\n", *records[6:], b"[1]\n"]
    session = both(write_log(path, broken))
    assert seqs(session) == [0, 2, 5, 7, 8]
    assert faults(session) == [(3, "not-json"), (7, "not-json"), (10, "not-an-object")]
    assert session.skipped["unreadable"] == 3


@pytest.mark.parametrize(
    ("order", "kept", "found"),
    [
        ([0, 1, 2], [0, 1, 2], []),
        ([1, 2], [1, 2], [(2, "seq-gap")]),
        ([0, 3, 4], [0, 3, 4], [(3, "seq-gap")]),
        ([0, 1, 1, 2], [0, 1, 2], [(4, "seq-repeated")]),
        ([0, 1, 0, 1, 2], [0, 1, 2], [(4, "seq-repeated"), (5, "seq-repeated")]),
        ([0, 900, 1, 2], [0, 1, 2], [(3, "seq-gap"), (3, "seq-repeated")]),
        ([0, 2, 1, 3], [0, 1, 3], [(3, "seq-gap"), (3, "seq-repeated"), (5, "seq-gap")]),
        ([900, 0, 1], [0, 1], [(2, "seq-gap"), (2, "seq-repeated")]),
        ([0, 1, 2, 0, 1, 2, 3], [0, 1, 2, 3], [(5, "seq-repeated"), (6, "seq-repeated"), (7, "seq-repeated")]),
    ],
    ids=["dense", "late start", "gap", "twice", "back", "stray", "swapped", "stray first", "copied"],
)
def test_seqs_rise_and_what_breaks_that_is_reported(
    path: Path, order: list[int], kept: list[int], found: list[Any]
) -> None:
    """The first event with a seq counts; one far ahead of its neighbours does not hide them."""
    session = both(write_log(path, [event("custom", seq, {"n": at}) for at, seq in enumerate(order)]))
    assert seqs(session) == kept
    assert faults(session) == found
    assert session.skipped.get("custom", 0) == len(order) - len(kept)


def test_a_copy_of_an_event_changes_nothing(path: Path) -> None:
    """The first one counts, not the last."""
    session = both(write_log(path, [user(0, "first"), user(0, "second")]))
    assert [record_of(one) for one in session.events] == [user(0, "first")]


def test_a_gap_that_streamed_output_explains_is_none(path: Path) -> None:
    """Without decoding, a row may stand for any number of seqs; with it, the count is exact."""
    write_log(path, [event("turn/start", 0, {"turn": 1}), row(1, "a", "b"), finish(9)])
    assert faults(read_session(path)) == []
    assert faults(read_session(path, check=True)) == [(4, "seq-gap")]


def test_streamed_output_with_used_seqs_is_reported(path: Path) -> None:
    """It is left out of the stream, and the events stay."""
    write_log(path, [event("turn/start", 0, {"turn": 1}), row(0, "a", "b"), finish(1), row(2, "c"), finish(2)])
    session = read_session(path, check=True)
    assert seqs(session) == [0, 1, 2]
    assert faults(session) == [(3, "seq-repeated"), (6, "seq-repeated")]
    assert [one.seq for one in full_log(session)] == [0, 1, 2]
    assert faults(read_session(path)) == [(4, "seq-repeated"), (6, "seq-repeated")]


def test_malformed_rows_are_named_when_checked(path: Path) -> None:
    """And passed over when not."""
    bad = row(1, "a", "b")
    bad["data"]["dt"] = []
    write_log(path, [event("turn/start", 0, {"turn": 1}), bad, b'{"type":"text-chunks","seq0":3,"tim\n', finish(5)])
    assert faults(read_session(path)) == []
    found = [(3, "malformed-text-chunks-storage-row-dt"), (4, "not-json")]
    assert faults(read_session(path, check=True)) == found
    assert both(path).skipped["text-chunks"] == 2


def test_a_log_of_unreadable_rows_is_the_same_whether_they_are_decoded_or_not(path: Path) -> None:
    """A header and a stream that cannot be decoded are a session without events."""
    bad = b'{"type":"text-chunks","seq0":3,"tim\n'
    assert both(write_log(path, [bad, bad, bad])).events == ()


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"type": "session", "version": 0, "id": "t", "createdAt": 6}, "bad-envelope"),
        ({"type": "turn/start", "seq": "1", "time": 1, "data": {"turn": 1}}, "bad-envelope"),
        ({"type": "turn/start", "seq": True, "time": 1, "data": {"turn": 1}}, "bad-envelope"),
        ({"type": "turn/start", "seq": -1, "time": 1, "data": {"turn": 1}}, "bad-envelope"),
        ({"type": "turn/start", "seq": 2**53, "time": 1, "data": {"turn": 1}}, "bad-envelope"),
        ({"type": "turn/start", "seq": 1, "data": {"turn": 1}}, "bad-envelope"),
        ({"type": "turn/start", "seq": 1, "time": 1}, "bad-envelope"),
        ({"type": ["x"], "seq": 1, "time": 1, "data": {}}, "bad-envelope"),
        ({"seq": 1, "time": 1, "data": {}}, "bad-envelope"),
        ({}, "bad-envelope"),
        (b"[" * 10_000 + b"]" * 10_000 + b"\n", "nested-too-deep"),
        (b"null\n", "not-an-object"),
    ],
    ids=[
        *("second header", "text seq", "bool seq", "negative seq", "huge seq", "no time", "no data", "list type"),
        *("no type", "empty", "deep", "null"),
    ],
)
def test_a_record_that_is_no_event_is_left_out(path: Path, record: Any, kind: str) -> None:
    """With its line and what it lacks; the lines around it stay."""
    session = both(write_log(path, [event("turn/start", 0, {"turn": 1}), record, event("turn/start", 1, {"turn": 1})]))
    assert seqs(session) == [0, 1]
    assert faults(session) == [(3, kind)]
    assert sum(session.skipped.values()) == 1


def test_whole_numbers_may_be_written_as_fractions(path: Path) -> None:
    """As JavaScript reads them; a time between two milliseconds is rounded down and reported."""
    lines = [
        b'{"type":"turn/start","seq":0.0,"time":1e3,"data":{"turn":1.0}}\n',
        b'{"type":"step/start","seq":1,"time":1000.5,"data":{"turn":1,"step":1e0}}\n',
        b'{"type":"custom","seq":2,"time":-0.5,"data":{"n":1.0,"x":1.5}}\n',
    ]
    session = both(write_log(path, lines))
    assert [(one.seq, one.time_ms) for one in session.events] == [(0, 1000), (1, 1000), (2, -1)]
    assert json.dumps(session.events[2].data) == '{"n": 1, "x": 1.5}'
    assert faults(session) == [(3, "bad-envelope"), (4, "bad-envelope")]


def test_times_may_be_negative_and_go_back(path: Path) -> None:
    """They are kept as they are."""
    records = [{**event("custom", seq, {}), "time": time} for seq, time in enumerate([5, -7, 5, 0])]
    session = both(write_log(path, records))
    assert [one.time_ms for one in session.events] == [5, -7, 5, 0]
    assert session.problems == ()


@pytest.mark.parametrize("data", [None, 0, "text", [], {"turn": "one"}, {"turn": 1.5}, {}], ids=repr)
def test_data_of_another_shape_keeps_its_place(path: Path, data: Any) -> None:
    """The event is there for its seq and time, and reported."""
    session = both(write_log(path, [event("turn/start", 0, data), event("turn/start", 1, {"turn": 1})]))
    assert seqs(session) == [0, 1]
    assert isinstance(session.events[0], OtherEvent)
    assert session.events[0].data == data
    assert faults(session) == [(2, "bad-data")]


def test_fields_nobody_knows_are_kept(path: Path) -> None:
    """On the envelope, in data and in messages; nothing is reported."""
    records = [
        event("turn/start", 0, {"turn": 1, "new": [1]}, ignorable=True),
        {**user(1), "note": "x", "data": {**user(1)["data"], "mood": {"a": 1}}},
    ]
    session = both(write_log(path, records))
    assert [record_of(one) for one in session.events] == records
    assert session.problems == ()
    assert session.surface.nodes == (1,)


def test_types_nobody_knows_are_events(path: Path) -> None:
    """They keep their seq, and no problem is made of them."""
    records = [event("future/thing", 0, None), event("tool_progress", 1, [1, {"a": 1.0}], extra={"b": 2})]
    session = both(write_log(path, records))
    assert [record_of(one) for one in session.events] == records
    assert session.problems == ()


@pytest.mark.parametrize(
    ("marks", "kind"),
    [
        ({"surfaceOp": None}, "op-missing"),
        ({"surfaceOp": "prepend"}, "op-invalid"),
        ({"surfaceOp": {"op": "replace", "start": 0}}, "op-invalid-replace"),
        ({"surfaceOp": {"op": "replace", "start": 7, "end": 0}, "sourceEventSeqs": [0]}, "replace-start-not-found"),
        ({"surfaceOp": {"op": "replace", "start": 0, "end": 7}, "sourceEventSeqs": [0]}, "replace-end-not-found"),
        ({"surfaceOp": {"op": "replace", "start": 1, "end": 0}, "sourceEventSeqs": [0, 1]}, "replace-start-after-end"),
    ],
    ids=["none", "unknown", "half", "no start", "no end", "crossed"],
)
def test_a_message_whose_marker_breaks_a_rule_stands_in_the_log_alone(path: Path, marks: Any, kind: str) -> None:
    """It is off the surface, and reported with its line."""
    broken = {name: value for name, value in user(2, **marks).items() if name != "surfaceOp" or value is not None}
    session = both(write_log(path, [user(0), user(1), broken, user(3)]))
    assert seqs(session) == [0, 1, 2, 3]
    assert session.surface.nodes == (0, 1, 3)
    assert faults(session) == [(4, kind)]


@pytest.mark.parametrize(
    ("record", "kind", "nodes"),
    [
        (user(2, surfaceOp={"op": "replace", "start": 0, "end": 1}), "sources-miss-shadowed", (2,)),
        (user(2, sourceEventSeqs=[0, 1.5]), "sources-not-integers", (0, 1, 2)),
        (user(2, sourceEventSeqs="0"), "sources-not-array", (0, 1, 2)),
        (
            result(2, "c", surfaceOp={"op": "replace", "start": 1, "end": 1}, sourceEventSeqs=[1]),
            "tool-result-wrong-target",
            (0, 2),
        ),
    ],
    ids=["not cited", "no seq", "no list", "target"],
)
def test_sources_that_break_a_rule_are_reported_and_the_marker_counts(
    path: Path, record: Any, kind: str, nodes: tuple[int, ...]
) -> None:
    """What a message replaces is said by its marker alone."""
    session = both(write_log(path, [user(0), user(1), record]))
    assert session.surface.nodes == nodes
    assert faults(session) == [(4, kind)]


def test_only_messages_can_carry_a_marker(path: Path) -> None:
    """On any other event it is ignored and reported."""
    session = both(write_log(path, [event("turn/start", 0, {"turn": 1}, surfaceOp="append"), user(1)]))
    assert faults(session) == [(2, "not-surface-eligible")]
    assert session.surface.nodes == (1,)


def test_a_byte_order_mark_and_line_ends_of_windows_are_ignored(path: Path) -> None:
    """The mark is reported; every record is there."""
    path.write_bytes(b"\xef\xbb\xbf" + log_bytes(turn()).replace(b"\n", b"\r\n"))
    session = both(path)
    assert seqs(session) == [0, 1, 2, 5, 6, 7, 8]
    assert faults(session) == [(1, "byte-order-mark")]


def test_blank_lines_are_passed_over_and_counted_as_lines(path: Path) -> None:
    """Before the header, between records, behind them."""
    path.write_bytes(b"\n\r\n" + log_bytes([user(0), b"\n", user(2), b"\n\n"]))
    session = both(path)
    assert seqs(session) == [0, 2]
    assert faults(session) == [(6, "seq-gap")]


@pytest.mark.parametrize(
    ("written", "read", "found"),
    [
        (b"a\xff\xfeb", "a\ufffd\ufffdb", [(2, "invalid-utf8")]),
        ("caf\xe9".encode("latin-1"), "caf\ufffd", [(2, "invalid-utf8")]),
        (b"\\ud83d", "\ud83d", []),
        ("\u2028\u2029\x85".encode(), "\u2028\u2029\x85", []),
        (b"\\u0000\\u001b", "\x00\x1b", []),
        ("\U0001f600".encode(), "\U0001f600", []),
    ],
    ids=["bytes", "latin-1", "half a pair", "separators", "controls", "emoji"],
)
def test_text_of_any_kind_is_kept(path: Path, written: bytes, read: str, found: list[Any]) -> None:
    """Bytes that are no UTF-8 are replaced and reported, line by line."""
    session = both(write_log(path, [line(user(0, "TEXT")).replace(b"TEXT", written), user(1, "\u00e9")]))
    assert [record_of(one)["data"]["content"][0]["text"] for one in session.events] == [read, "\u00e9"]
    assert faults(session) == found


def test_huge_numbers_are_no_hindrance(path: Path) -> None:
    """Integers beyond every machine word stay, and do not stop the log."""
    session = both(write_log(path, [line(event("custom", 0, 7)).replace(b"7}", b"9" * 5000 + b"}"), user(1)]))
    assert seqs(session) == [0, 1]
    assert session.problems == ()


def test_a_line_of_twenty_megabytes_is_an_event(path: Path) -> None:
    """Between two others, which are there as well."""
    text = "x" * 20_000_000
    session = both(write_log(path, [user(0), user(1, text), user(2)]))
    assert [len(record_of(one)["data"]["content"][0]["text"]) for one in session.events] == [5, 20_000_000, 5]
    assert session.problems == ()


def test_a_line_beyond_the_limit_is_left_out_and_the_setting_named(path: Path) -> None:
    """The rest of the file loads; a higher limit reads it."""
    write_log(path, [user(0), user(1, "x" * 5000), user(2), user(3, "y" * 5000)])
    session = read_session(path, max_line_bytes=4000)
    assert seqs(session) == [0, 2]
    assert faults(session) == [(3, "line-too-long"), (5, "line-too-long")]
    assert session.problems[0].message == (
        "a line of more than 4000 bytes; it was left out; raise max_line_bytes to read it"
    )
    assert seqs(read_session(path, max_line_bytes=6000)) == [0, 1, 2, 3]


def test_a_header_beyond_the_limit_is_an_error(path: Path) -> None:
    """There is no session without one."""
    write_log(path, [user(0)], header={**HEADER, "note": "x" * 5000})
    with pytest.raises(FormatError) as error:
        read_session(path, max_line_bytes=4000)
    assert error.value.kind == "not-a-session"


def test_one_seq_a_hundred_thousand_times_gives_one_event_and_few_problems(path: Path) -> None:
    """What repeats is counted, not listed."""
    session = both(write_log(path, [line(user(0)) * 100_000]))
    assert seqs(session) == [0]
    assert len(session.problems) == 51
    assert session.problems[-1].message == "and 99949 more of this kind, from this line to line 100001"
    assert session.skipped["user/message"] == 99_999


def test_lines_without_a_single_event_are_an_error(path: Path) -> None:
    """An empty session would look like one in which nothing happened."""
    write_log(path, [{"type": "turn/start", "data": {"turn": 1}}, {"type": "step/start", "data": {"turn": 1}}])
    with pytest.raises(FormatError, match="none of 2 lines behind the header is an event") as error:
        read_session(path)
    assert error.value.kind == "no-events"


@pytest.mark.parametrize("records", [[], [b'{"type":"turn/st'], [b"\n\n"]], ids=["nothing", "torn", "blank"])
def test_a_header_alone_is_a_session(path: Path, records: list[Any]) -> None:
    """It was made and nothing happened yet, or the first record was torn."""
    session = both(write_log(path, records))
    assert session.events == ()
    assert len(session.problems) == (1 if records and records[0].strip() else 0)


@pytest.mark.parametrize(
    ("field", "value", "stated"),
    [
        ("id", 7, "s"),
        ("id", "", ""),
        ("createdAt", "2026", 0),
        ("createdAt", 1.5, 0),
        ("cwd", 5, None),
        ("delegationDepth", True, None),
        ("seedLength", "1", None),
        ("version", "0", 0),
    ],
)
def test_a_header_field_of_the_wrong_type_counts_as_not_stated(path: Path, field: str, value: Any, stated: Any) -> None:
    """It is reported at the header's line."""
    session = both(write_log(path, [user(0)], header={**HEADER, field: value}))
    attribute = {"createdAt": "created_at_ms", "delegationDepth": "delegation_depth", "seedLength": "seed_length"}
    assert getattr(session.header, attribute.get(field, field)) == ("" if field == "id" else stated)
    assert {kind for _, kind in faults(session)} == {"bad-header-field"}
    assert {line for line, _ in faults(session)} == {1}


@pytest.mark.parametrize("missing", ["version", "createdAt", "cwd", "delegationDepth"])
def test_a_header_may_lack_what_is_not_its_id(path: Path, missing: str) -> None:
    """Test logs of the original do; nothing is reported."""
    header = {name: value for name, value in HEADER.items() if name != missing}
    assert both(write_log(path, [user(0)], header=header)).problems == ()


def test_placeholders_in_a_header_are_text_like_any_other(path: Path) -> None:
    """Published logs have them in place of folders and ids."""
    header = {**HEADER, "id": "{{sessionId}}", "cwd": "{{cwd}}/workspace", "createdAt": 0}
    session = both(write_log(path, [user(0)], header=header))
    assert (session.header.id, session.header.cwd, session.problems) == ("{{sessionId}}", "{{cwd}}/workspace", ())


def test_a_container_with_a_torn_last_frame_keeps_its_complete_lines(path: Path) -> None:
    """And says that it is torn."""
    write_frames(path, turn()[:4], turn()[4:])
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    session = both(path)
    assert seqs(session) == [0, 1, 2]
    assert faults(session) == [(6, "torn-frame")]
    assert session.tail == (4, 3010)


def test_a_container_broken_in_the_middle_loses_only_that_frame(path: Path) -> None:
    """The frames behind it are found again."""
    frames = [compress_frame(line(record)) for record in (HEADER, user(0), user(1), user(2))]
    frames[2] = b"\x00" + frames[2][1:]
    path.write_bytes(b"".join(frames))
    session = both(path)
    assert seqs(session) == [0, 2]
    assert faults(session) == [(3, "seq-gap"), (3, "corrupt-zstandard-session-log-invalid-frame")]


def test_a_container_may_cut_its_lines_anywhere(path: Path) -> None:
    """Other writers put frames where they like, or all in one."""
    data = log_bytes(turn())
    path.write_bytes(b"".join(compress_frame(data[at : at + 100]) for at in range(0, len(data), 100)))
    session = both(path)
    assert (seqs(session), session.problems) == ([0, 1, 2, 5, 6, 7, 8], ())


def test_tool_calls_pair_by_id_wherever_they_stand(path: Path) -> None:
    """Results in another order than their calls answer the right ones."""
    calls = [{"type": "tool-call", "id": one, "name": "t", "arguments": "{}"} for one in "ab"]
    records = [
        event("turn/start", 0, {"turn": 1}),
        event("step/start", 1, {"turn": 1, "step": 1}),
        reply(2, *calls),
        result(3, "b"),
    ]
    closing = both(write_log(path, records)).closed().events[4:]
    assert [record_of(one)["type"] for one in closing] == ["tool/result", "step/end", "turn/end"]
    assert record_of(closing[0])["data"]["message"]["source"]["callId"] == "a"


@pytest.mark.parametrize("on", [True, False])
def test_the_cycle_collector_is_left_as_it_was(path: Path, on: bool) -> None:
    """Also when reading fails."""
    write_log(path, turn())
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        read_session(path)
        assert gc.isenabled() == on
        path.write_bytes(line(HEADER) + b"x\ny\n")
        with pytest.raises(FormatError):
            read_session(path)
        assert gc.isenabled() == on
    finally:
        (gc.enable if was_on else gc.disable)()


DAMAGE = st.tuples(
    st.integers(0, 10**6),
    st.sampled_from(["change", "cut", "insert", "copy", "end"]),
    st.sampled_from(
        [b"\x00", b"\xff", b'"', b"{", b"}", b"\n", b"null", b"1e400", b'"seq":3', b"\\ud83d", b"9" * 500, b"[]"]
    ),
)


@given(st.lists(DAMAGE, min_size=1, max_size=6), st.booleans())
def test_no_damage_is_worse_than_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, damage: list[tuple[int, str, bytes]], zstd: bool
) -> None:
    """Whatever happened to a log, it is a session of rising seqs or a `FormatError`, and decoding changes no event."""
    path = tmp_path_factory.mktemp("damaged") / "a.jsonl"
    data = (write_frames(path, turn()[:4], turn()[4:]) if zstd else write_log(path, turn())).read_bytes()
    for place, how, part in damage:
        at = place % (len(data) + 1)
        match how:
            case "change":
                data = data[:at] + part[:1] + data[at + 1 :]
            case "cut":
                data = data[:at] + data[at + len(part) :]
            case "insert":
                data = data[:at] + part + data[at:]
            case "copy":
                data = data[:at] + data[at // 2 : at] + data[at:]
            case _:
                data = data[:at]
    path.write_bytes(data)
    found: list[Any] = []
    for options in (
        {"check": False},
        {"check": True},
        {"check": False, "strict": True},
        {"check": True, "strict": True},
    ):
        try:
            found.append(read_session(path, **options))
        except FormatError as error:
            found.append(str(error).partition(":")[0])
    for session in found:
        if not isinstance(session, Session):
            assert session == str(path)
        else:
            assert seqs(session) == sorted(set(seqs(session)))
            assert session.closed().events[: len(session.events)] == session.events
    if isinstance(found[0], Session):
        assert found[1].events == found[0].events
        assert found[1].tail == found[0].tail

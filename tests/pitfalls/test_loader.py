"""Show that the faults other tools had in loading sessions are not made here."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from tests.formats.logs import (
    HEADER,
    event,
    finish,
    line,
    log_bytes,
    piece,
    reply,
    row,
    turn,
    user,
    write_frames,
    write_log,
)
from timectx.errors import FormatError
from timectx.formats import read_session, read_sessions, unknown_types
from timectx.session import Session, is_reading_event
from timectx.session.events import UserMessage


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a test may write its log."""
    return tmp_path / "session.jsonl"


def seqs(session: Session) -> list[int]:
    """Return the seqs of the events."""
    return [one.seq for one in session.events]


def test_a_truncated_last_line_leaves_the_session_readable(path: Path) -> None:
    """All records before it load, with one problem that names its line."""
    session = read_session(write_log(path, [*turn(), b'{"type":"turn/start","seq":9,"time":90']))
    assert seqs(session) == [0, 1, 2, 5, 6, 7, 8]
    assert [(one.line, one.kind) for one in session.problems] == [(10, "torn-tail")]


def test_a_blank_line_behind_a_torn_one_changes_nothing(path: Path) -> None:
    """The torn record need not be the last line of the file."""
    session = read_session(write_log(path, [*turn(), b'{"type":"turn/start","seq":9,"ti\n', b"\n", b"\n"]))
    assert seqs(session) == [0, 1, 2, 5, 6, 7, 8]
    assert [(one.line, one.kind) for one in session.problems] == [(10, "torn-tail")]


def test_history_goes_on_behind_a_bad_line_in_the_middle(path: Path) -> None:
    """Line 400 of 7,000 is lost, 6,999 are there; dsh's own cut is what strict reading gives."""
    lines: list[object] = [event("custom", seq, {}) for seq in range(7000)]
    lines[398] = b'{"type":"custom","seq":398,"ti\n'
    session = read_session(write_log(path, lines))
    assert seqs(session) == [seq for seq in range(7000) if seq != 398]
    assert [(one.line, one.kind) for one in session.problems] == [(400, "not-json")]


def test_a_huge_line_is_read_and_the_lines_around_it_too(path: Path) -> None:
    """Twenty megabytes, with memory for little more than a few copies of the line."""
    write_log(path, [user(0), user(1, "x" * 20_000_000), user(2)])
    tracemalloc.start()
    session = read_session(path)
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seqs(session) == [0, 1, 2]
    assert session.problems == ()
    assert peak - now < 80_000_000


def test_a_line_too_long_to_read_costs_only_itself(path: Path) -> None:
    """The problem names the setting that would let it in."""
    session = read_session(write_log(path, [user(0), user(1, "x" * 100_000), user(2)]), max_line_bytes=50_000)
    assert seqs(session) == [0, 2]
    assert [(one.line, one.kind) for one in session.problems] == [(3, "line-too-long")]
    assert "max_line_bytes" in session.problems[0].message


def test_a_large_file_is_read_as_a_stream(path: Path) -> None:
    """What is skipped is never held: memory follows what is kept, not the size of the file."""
    rows = b"".join(line(piece(seq, "x" * 500)) for seq in range(1, 20_001))
    write_log(path, [event("turn/start", 0, {"turn": 1}), rows, finish(20_001)])
    assert path.stat().st_size > 10_000_000
    tracemalloc.start()
    session = read_session(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (seqs(session), dict(session.skipped)) == ([0, 20_001], {"assistant/chunk": 20_000})
    assert peak < 3_000_000


@pytest.mark.parametrize(
    "content",
    [b"", b"garbage\n" * 5, line(HEADER)[:30], line(HEADER) + b'{"type":"turn/start","data":{}}\n' * 5],
    ids=["empty", "garbage", "half a header", "no events"],
)
def test_a_failure_to_read_is_an_error_and_never_zeros(path: Path, content: bytes) -> None:
    """An empty session is only what a header alone gives."""
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read_session(path)
    path.write_bytes(line(HEADER))
    assert read_session(path).events == ()


def test_a_byte_order_mark_and_carriage_returns_lose_no_record(path: Path) -> None:
    """The first record is there, and so are all the others."""
    path.write_bytes(b"\xef\xbb\xbf" + log_bytes(turn()).replace(b"\n", b"\r\n"))
    session = read_session(path)
    assert session.header.id == "s"
    assert seqs(session) == [0, 1, 2, 5, 6, 7, 8]
    assert [one.kind for one in session.problems] == ["byte-order-mark"]


def test_records_of_a_newer_agent_are_kept_and_counted(path: Path) -> None:
    """New types, new fields and packed rows: no crash, and no neighbour is lost."""
    records = [
        event("tool_progress", 0, {"percent": 5}),
        user(1, more={"new": True}),
        row(2, "a", "b", "c"),
        event("turn/start", 5, {"turn": 1, "mood": "good"}),
    ]
    session = read_session(write_log(path, records), check=True)
    assert (seqs(session), session.problems) == ([0, 1, 5], ())
    assert unknown_types(session) == {"tool_progress": 1}
    assert [one.parts for one in session.stream] == [("a", "b", "c")]


def test_all_frames_of_a_compressed_log_are_read(path: Path) -> None:
    """A decoder that stops after the first one sees the header alone."""
    records = [event("custom", seq, {}) for seq in range(3000)]
    write_frames(path, *([record] for record in records))
    first = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    assert first == line(HEADER)
    session = read_session(path)
    assert (seqs(session), session.problems) == (list(range(3000)), ())


def test_only_a_persons_message_is_a_prompt_and_readings_are_known_by_their_source(path: Path) -> None:
    """Snapshots, catalogues and readings are user messages that no person wrote."""
    text = (
        "Time sampled while preparing turn 1, step 1: 2026-07-15T09:01:01+08:00[Asia/Shanghai]\n"
        "Elapsed since the preceding model-visible message: unavailable."
    )
    sources = [
        {"kind": "user"},
        {"kind": "plugin", "plugin": "skill-catalog"},
        {"kind": "plugin", "plugin": "time-context"},
        {"kind": "goal"},
    ]
    records = [user(seq, text) for seq in range(4)]
    for record, source in zip(records, sources, strict=True):
        record["data"] = {**record["data"], "source": source}
    session = read_session(write_log(path, records))
    messages = [one for one in session.events if isinstance(one, UserMessage)]
    assert [one.seq for one in messages if one.data.source["kind"] == "user"] == [0]
    assert [one.seq for one in messages if is_reading_event(one)] == [2]


def test_a_sub_agents_log_is_a_session_of_its_own(tmp_path: Path) -> None:
    """It names its parent, and the parent's context is not touched by it."""
    parent = write_log(tmp_path / "a.jsonl", turn())
    child = {**HEADER, "id": "c", "parentSession": "s", "origin": "subagent", "delegationDepth": 1}
    write_log(tmp_path / "b.jsonl", [user(0), reply(1, {"type": "text", "text": "x" * 10_000})], header=child)
    sessions, problems = read_sessions([tmp_path])
    assert problems == []
    assert [(one.header.id, one.header.parent_session, one.header.origin) for one in sessions] == [
        ("s", None, None),
        ("c", "s", "subagent"),
    ]
    assert replace(sessions[0], path=None).surface == read_session(parent).surface


def test_a_clock_that_goes_back_changes_no_order(path: Path) -> None:
    """Events stay in the order of seq, with the times they were given; none is sorted away."""
    records = [{**event("custom", seq, {}), "time": time} for seq, time in enumerate([1000, 2000, 500, 3000])]
    session = read_session(write_log(path, records))
    assert [one.time_ms for one in session.events] == [1000, 2000, 500, 3000]
    assert session.problems == ()

"""Show that what is written is what is read, and that a file is written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import LogBuilder
from tests.formats.logs import HEADER, event, finish, line, piece, reply, result, row, turn, user, write_log
from tests.session.strategies import logs
from timectx.formats import full_log, log_path, read_session, write_session
from timectx.formats.dsh_store import batch_bytes, compress_frame, header_bytes
from timectx.formats.dsh_wire import is_streamed_chunk
from timectx.formats.zstd import Frame, inflate_frame, scan_frames
from timectx.session import Session, SessionHeader, event_from_record, record_of

TEXT = st.text(st.characters(), max_size=20)  # with control characters, separators and half pairs
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def session_of(records: list[Any], header: SessionHeader | None = None) -> Session:
    """Return a session of events made from records."""
    events = tuple(event_from_record(record) for record in records)
    return Session(header or SessionHeader(id="s", created_at_ms=5, delegation_depth=0), events)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Draw a dense log of any content."""
    records: list[Any] = []
    for seq in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["prompt", "reply", "custom", "turn", "finish"]))
        match kind:
            case "prompt":
                record = user(seq, draw(TEXT))
            case "reply":
                record = reply(seq, {"type": "text", "text": draw(TEXT), "more": draw(VALUE)})
            case "custom":
                record = event(draw(TEXT.filter(bool)) + "?", seq, draw(VALUE))
            case "turn":
                record = event("turn/start", seq, {"turn": draw(st.integers(1, 9)), "extra": draw(VALUE)})
            case _:
                record = finish(seq)
        records.append({**record, "time": draw(st.integers(-(2**53) + 1, 2**53 - 1))})
    header = SessionHeader(
        id=draw(TEXT.filter(bool)),
        created_at_ms=draw(st.integers(0, 2**53 - 1)),
        cwd=draw(st.none() | TEXT),
        parent_session=draw(st.none() | TEXT),
        seed_length=draw(st.none() | st.integers(0, 9)),
        delegation_depth=draw(st.integers(0, 3)),
        extra=draw(st.none() | st.just({"future": [1]})),
    )
    return session_of(records, header)


@settings(max_examples=60)
@given(sessions(), st.booleans())
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, session: Session, zstd: bool
) -> None:
    """Header and events are equal, text of any kind included, and nothing is reported."""
    path = write_session(session, tmp_path_factory.mktemp("w") / "s.jsonl", compress=zstd)
    back = read_session(path, check=True)
    assert (back.header, back.events, back.problems) == (session.header, session.events, ())


@settings(max_examples=40)
@given(logs(), st.booleans())
def test_sessions_of_any_course_come_back(
    tmp_path_factory: pytest.TempPathFactory, built: LogBuilder, zstd: bool
) -> None:
    """With compactions, retries, gaps where output was skipped, and open ends; early layouts in their late form."""
    folder = tmp_path_factory.mktemp("w")
    made = Session(SessionHeader(id="s", delegation_depth=0), tuple(built.events()))
    session = read_session(write_session(made, folder / "made.jsonl", compress=zstd))
    again = read_session(write_session(session, folder / "again.jsonl", compress=zstd))
    assert again.events == session.events
    assert [(one.seq, one.time_ms, one.type) for one in again.events] == [
        (one.seq, one.time_ms, one.type) for one in made.events if not is_streamed_chunk(one)
    ]


def test_every_real_log_comes_back(transcripts: Path, tmp_path: Path) -> None:
    """Read, written and read again, with its stream: the same events, in either container."""
    for path in sorted((transcripts / "dsh-v0").glob("*.jsonl")):
        session = read_session(path, check=True)
        for name in ("again.jsonl", "again.jsonl.zstd"):
            again = read_session(write_session(session, tmp_path / name), check=True)
            assert again.events == session.events, path.name
            assert list(full_log(again)) == list(full_log(session)), path.name
            assert again.problems == ()


def test_what_is_written_is_what_dsh_reads(tmp_path: Path) -> None:
    """A dense log passes the strict reader where dsh would keep it."""
    header = SessionHeader(id="s/1", created_at_ms=5, cwd="/home/dev", delegation_depth=0)
    session = replace(read_session(write_log(tmp_path / "a.jsonl", turn()), check=True), header=header)
    for compress in (True, False):
        path = write_session(session, log_path(tmp_path, header, compress=compress), compress=compress)
        back = read_session(path, strict=True, check=True)
        assert list(full_log(back)) == list(full_log(session))
        path.unlink()


def test_the_stream_is_packed_again(tmp_path: Path) -> None:
    """Pieces that stood alone become rows."""
    source = write_log(tmp_path / "a.jsonl", [piece(0, "a"), piece(1, "b"), piece(2, "c"), finish(3)])
    path = write_session(read_session(source, check=True), tmp_path / "b.jsonl")
    packed = row(0, "a", "b", "c")
    packed["data"]["dt"] = [1000, 1000]
    assert path.read_bytes() == b"".join(map(line, [HEADER, packed, finish(3)]))


def test_without_its_stream_a_session_keeps_its_gaps(tmp_path: Path) -> None:
    """The events come back; that their seqs have gaps is reported."""
    session = read_session(write_log(tmp_path / "a.jsonl", turn()))
    back = read_session(write_session(session, tmp_path / "b.jsonl"))
    assert back.events == session.events
    assert [problem.kind for problem in back.problems] == ["seq-gap"]


def test_a_container_has_the_header_alone_and_a_frame_for_each_batch(tmp_path: Path) -> None:
    """Checksummed, and without content size."""
    calls = [{"type": "tool-call", "id": "c", "name": "t", "arguments": "{}"}]
    call = {"turn": 1, "step": 1, "callId": "c", "name": "t", "arguments": "{}"}
    records = [
        event("turn/start", 0, {"turn": 1}),
        event("step/start", 1, {"turn": 1, "step": 1}),
        reply(2, *calls),
        event("tool/call", 3, call),
        result(4, "c"),
        event("step/end", 5, {"turn": 1, "step": 1}),
        user(6),
    ]
    path = write_session(session_of(records), tmp_path / "s.jsonl.zstd")
    with path.open("rb") as stream:
        frames = [item for item in scan_frames(stream, path.stat().st_size) if isinstance(item, Frame)]
        contents = [b"".join(item for item in inflate_frame(stream, one) if isinstance(item, bytes)) for one in frames]
    assert [content.count(b"\n") for content in contents] == [1, 4, 2, 1]
    assert json.loads(contents[0])["type"] == "session"
    assert {path.read_bytes()[one.start : one.start + 5] for one in frames} == {b"\x28\xb5\x2f\xfd\x04"}


@pytest.mark.parametrize(
    ("name", "compress", "zstd"),
    [("a.jsonl", None, False), ("a.jsonl.zstd", None, True), ("a.jsonl", True, True), ("a.jsonl.zstd", False, False)],
)
def test_the_name_decides_unless_it_is_said(tmp_path: Path, name: str, compress: bool | None, zstd: bool) -> None:
    """Compression can be chosen."""
    path = write_session(session_of([user(0)]), tmp_path / "new" / "folder" / name, compress=compress)
    assert path == tmp_path / "new" / "folder" / name
    assert (path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd") == zstd


def test_the_same_session_gives_the_same_bytes(tmp_path: Path) -> None:
    """Nothing of the time or the place of writing gets in."""
    session = session_of(turn()[:3])
    for name in ("a.jsonl", "a.jsonl.zstd"):
        first = write_session(session, tmp_path / name).read_bytes()
        assert write_session(session, tmp_path / "x" / name).read_bytes() == first


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    """When writing fails the old file is there, and nothing else."""
    path = write_session(session_of([user(0)]), tmp_path / "a.jsonl")
    before = path.read_bytes()
    broken = Session(SessionHeader(id="s"), (*session_of([user(0)]).events, event_from_record(event("x", 1, object()))))
    with pytest.raises(TypeError):
        write_session(broken, path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_batch_is_lines_and_a_frame_is_a_batch() -> None:
    """The parts a log is appended by."""
    events = [event_from_record(record) for record in (user(0, "\u2028 \ud83d"), user(1))]
    data = batch_bytes(events)
    assert [json.loads(part) for part in data.split(b"\n")[:-1]] == [record_of(one) for one in events]
    assert "\u2028".encode() in data
    assert b"\\ud83d" in data
    assert compress_frame(data) == compress_frame(data)


def test_a_header_line_has_the_fields_of_the_original_in_its_order() -> None:
    """The delegation depth is always there."""
    full = SessionHeader(
        id="s", created_at_ms=5, cwd="/w", parent_session="p", seed_length=2, origin="subagent", agent_preset="a"
    )
    assert header_bytes(full) == (
        b'{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/w","parentSession":"p","seedLength":2,'
        b'"origin":"subagent","delegationDepth":0,"agentPreset":"a"}\n'
    )

"""A load brings a log that a crash left unfinished into order, and a resume and a fork go on from there."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.loop import disk
from tests.loop.scripts import (
    HEADER,
    batches,
    both,
    events,
    held,
    make,
    piece,
    prompt,
    turn_end,
    turn_start,
    whole,
    write,
)
from timectx.errors import FormatError, SessionError
from timectx.formats import pack_chunk_rows, read_session
from timectx.formats.dsh_store import batch_bytes, compress_frame, header_bytes
from timectx.formats.zstd import Frame, scan_frames
from timectx.loop import Repair, StoreError, fork_log, inspect_log, load_log, open_log, resume_log
from timectx.session import Event, SessionHeader, event_from_record, record_of
from timectx.session.closers import closing_events


def mark(seq: int, time_ms: int) -> Event:
    """Return the end of a history taken over."""
    return event_from_record({"type": "session/end-seed", "seq": seq, "time": time_ms, "data": {}})


def interrupted(cut: int = 60) -> tuple[Event, ...]:
    """Return the beginning of a made-up session that stops inside a turn."""
    return next(events()[:at] for at in range(cut, 0, -1) if closing_events(events()[:at]))


def put(root: Path, lines: bytes, *, compress: bool = False) -> Path:
    """Write a log's lines, one frame where it is a container, behind the header."""
    path = root / "--w--" / "s" / ("session.jsonl.zstd" if compress else "session.jsonl")
    path.parent.mkdir(parents=True)
    head = header_bytes(HEADER)
    path.write_bytes(compress_frame(head) + compress_frame(lines) if compress else head + lines)
    return path


@both
def test_a_whole_log_is_loaded_as_it_stands(compress: bool, tmp_path: Path) -> None:
    """Nothing is written to a log whose last turn is closed, and it goes on where it ended."""
    path = write(tmp_path, batches(), compress=compress)
    before = path.read_bytes()
    with load_log(tmp_path, "s") as log:
        assert log.repair == Repair(len(before), len(before))
        assert (held(log), log.next_seq, log.pending) == (events(), len(events()), ())
    assert path.read_bytes() == before


@both
def test_an_interrupted_turn_is_closed_on_disk(compress: bool, tmp_path: Path) -> None:
    """Closing events follow as one batch, at the last entry's time; the next load finds nothing to do."""
    begun = interrupted()
    path = write(tmp_path, (begun,), compress=compress)
    before, closers = path.read_bytes(), closing_events(begun)
    with load_log(tmp_path, "s") as log:
        assert log.repair == Repair(len(before), len(before), closing=closers)
        assert held(log) == (*begun, *closers)
    after = path.read_bytes()
    assert after.startswith(before)
    with load_log(tmp_path, "s") as log:
        assert held(log) == (*begun, *closers)
    assert path.read_bytes() == after


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    """What follows the last newline goes, also where nothing else has to be written."""
    path = write(tmp_path, batches(), compress=False)
    whole_file = path.read_bytes()
    path.write_bytes(whole_file + b'{"type":"turn/sta')
    with load_log(tmp_path, "s") as log:
        assert log.repair == Repair(len(whole_file) + 17, len(whole_file))
        assert [problem.kind for problem in log.session().problems] == ["torn-tail"]
    assert path.read_bytes() == whole_file


def test_a_torn_line_that_blank_lines_follow_is_cut_off_too(tmp_path: Path) -> None:
    """A crash can leave half a record and empty lines behind it; the log is still repaired."""
    path = write(tmp_path, batches(), compress=False)
    whole_file = path.read_bytes()
    path.write_bytes(whole_file + b'{"type":"turn/sta\n\n\n')
    with load_log(tmp_path, "s") as log:
        assert held(log) == events()
    assert path.read_bytes() == whole_file


def test_lines_behind_a_bad_one_go_when_no_turn_ended_there(tmp_path: Path) -> None:
    """The load follows dsh, and the session's problems say from which line on events were left out."""
    path = put(tmp_path, batch_bytes([turn_start(), prompt(1)]) + b"{bad\n" + batch_bytes([prompt(2)]))
    with load_log(tmp_path, "s") as log:
        problems = [(problem.line, problem.kind) for problem in log.session().problems]
        assert [event.type for event in held(log)] == ["turn/start", "user/message", "turn/end"]
    assert problems == [(4, "corrupt-session-log-unparsable-committed-event")]
    assert b"bad" not in path.read_bytes()


def test_a_bad_line_that_a_finished_turn_follows_is_refused(tmp_path: Path) -> None:
    """Damage in the middle is never cut away: the load is refused, and the file stays."""
    path = put(tmp_path, batch_bytes([turn_start()]) + b"{bad\n" + batch_bytes([turn_end(2)]))
    before = path.read_bytes()
    with pytest.raises(FormatError) as caught:
        load_log(tmp_path, "s")
    assert caught.value.kind == "corrupt-session-log-unparsable-committed-event"
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (before, ["session.jsonl"])


def torn_container(root: Path) -> tuple[Path, int]:
    """Write a container whose last frame lacks its checksum, and return it with the frame's first byte."""
    path = write(root, ([turn_start(), prompt(1)], [prompt(2), *map(piece, range(3, 7))]), compress=True)
    with path.open("rb") as stream:
        last = [item for item in scan_frames(stream, path.stat().st_size) if isinstance(item, Frame)][-1]
    path.write_bytes(path.read_bytes()[:-4])
    return path, last.start


def test_what_a_torn_frame_holds_is_written_again(tmp_path: Path) -> None:
    """Recovered events and closing events become one frame in the torn one's place."""
    path, at = torn_container(tmp_path)
    recovered = [prompt(2), *map(piece, range(3, 7))]
    with load_log(tmp_path, "s") as log:
        assert log.repair is not None
        assert (log.repair.kept_bytes, [record["seq"] for record in log.repair.recovered]) == (at, [2, 3, 4, 5, 6])
        assert held(log) == (turn_start(), prompt(1), *recovered, *log.repair.closing)
    again = read_session(path, strict=True, check=True)
    assert (again.problems, whole(again)[2:7]) == ((), tuple(recovered))
    with path.open("rb") as stream:
        assert len([*scan_frames(stream, path.stat().st_size)]) == 3


@pytest.mark.parametrize("at", range(2), ids=["write", "sync"])
def test_a_repair_that_fails_loses_nothing_of_a_torn_frame(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recovered events stay in the old file until the new one is complete."""
    path, _ = torn_container(tmp_path)
    before = path.read_bytes()
    disk.use(monkeypatch, disk.failing(errno.ENOSPC, at=at))
    with pytest.raises(StoreError, match="what it held can still be read") as caught:
        load_log(tmp_path, "s")
    assert (caught.value.kind, path.read_bytes()) == ("disk-full", before)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    with load_log(tmp_path, "s") as log:
        assert held(log)[2] == prompt(2)


def test_an_unfinished_file_of_a_killed_writer_goes(tmp_path: Path) -> None:
    """A file that was being written beside the log when its writer was killed is removed by the next one."""
    path = write(tmp_path, batches(), compress=True)
    path.with_name(f"{path.name}.part").write_bytes(b"half")
    load_log(tmp_path, "s").close()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_early_layouts_are_converted_in_memory_alone(tmp_path: Path) -> None:
    """The file keeps its old lines, and new ones follow in today's layout."""
    old = b'{"type":"turn/start","seq":0,"time":0,"data":{"turn":1,"trigger":"user"}}\n'
    end = b'{"type":"turn/end","seq":1,"time":0,"data":{"turn":1,"reason":{"kind":"aborted"}}}\n'
    path = put(tmp_path, old + end)
    before = path.read_bytes()
    with load_log(tmp_path, "s") as log:
        assert record_of(held(log)[0])["data"] == {"turn": 1}
        log.append([turn_start(2, 2), turn_end(3, 2)])
    assert path.read_bytes() == before + batch_bytes([turn_start(2, 2), turn_end(3, 2)])


@both
def test_a_resume_marks_the_end_of_the_old_history(compress: bool, tmp_path: Path) -> None:
    """The mark is durable, stamped with the time given, and never follows another one."""
    write(tmp_path, batches(), compress=compress)
    count = len(events())
    with resume_log(tmp_path, "s", now_ms=7) as log:
        assert (held(log), log.pending) == ((*events(), mark(count, 7)), ())
    with resume_log(tmp_path, "s", now_ms=8) as log:
        assert held(log) == (*events(), mark(count, 7))
        log.append([turn_start(count + 1)])
    with resume_log(tmp_path, "s", now_ms=9) as log:
        assert held(log)[count + 1 :] == (
            turn_start(count + 1),
            *closing_events([turn_start(count + 1)]),
            mark(count + 3, 9),
        )


def test_a_resume_that_fails_leaves_the_session_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without room for the mark the log is closed again, and loads later."""
    write(tmp_path, batches(), compress=True)
    disk.use(monkeypatch, disk.failing(errno.ENOSPC, at=0))
    with pytest.raises(StoreError) as caught:
        resume_log(tmp_path, "s", now_ms=1)
    assert caught.value.kind == "disk-full"
    with load_log(tmp_path, "s") as log:
        assert held(log) == events()


def test_an_empty_log_is_resumed_too(tmp_path: Path) -> None:
    """A session that has only its header gets the mark as its first event."""
    with open_log(tmp_path, HEADER) as log:
        log.flush()
    with resume_log(tmp_path, "s", now_ms=3) as log:
        assert held(log) == (mark(0, 3),)


@both
@pytest.mark.parametrize("last", [None, "turn"], ids=["all", "first turn"])
def test_a_fork_copies_a_beginning_and_marks_its_end(last: str | None, compress: bool, tmp_path: Path) -> None:
    """The new session names its parent, how much was copied and where it works; the parent does not change."""
    path = write(tmp_path, batches(), compress=compress)
    before = path.read_bytes()
    end = next(event.seq for event in events() if event.type == "turn/end")
    boundary = end if last else None
    copied = events()[: end + 1] if last else events()
    with fork_log(tmp_path, "s", "child", now_ms=9, boundary=boundary) as log:
        assert log.header == SessionHeader(
            id="child", created_at_ms=9, cwd="/w", parent_session="s", seed_length=len(copied), delegation_depth=0
        )
        assert (held(log), log.pending) == ((*copied, mark(len(copied), 9)), ())
        assert read_session(log.path, strict=True).header == log.header
        lines = sum(1 for _ in pack_chunk_rows(map(record_of, held(log))))
    assert path.read_bytes() == before
    if not compress:
        assert len(log.path.read_bytes().splitlines()) == 1 + lines
    assert whole(inspect_log(tmp_path, "child")) == held(log)


def test_a_fork_of_a_fork_repeats_no_mark(tmp_path: Path) -> None:
    """Where the copied part ends with a mark, there is no second one."""
    write(tmp_path, batches(), compress=True)
    fork_log(tmp_path, "s", "child", now_ms=9).close()
    with fork_log(tmp_path, "child", "grandchild", now_ms=10) as log:
        assert held(log) == (*events(), mark(len(events()), 9))


@pytest.mark.parametrize(
    ("boundary", "kind"),
    [(0, "boundary-inside-turn"), (1, "boundary-inside-turn"), (2, None), (4, "no-such-event"), (-2, "no-such-event")],
)
def test_a_fork_ends_outside_any_turn(boundary: int, kind: str | None, tmp_path: Path) -> None:
    """The boundary is an event of the log after which no turn is open."""
    write(tmp_path, ([turn_start(), prompt(1), turn_end(2), make("session/title", 3, {"title": "t"})],), compress=True)
    if kind is None:
        fork_log(tmp_path, "s", "child", now_ms=1, boundary=boundary).close()
        assert len(whole(inspect_log(tmp_path, "child"))) == 4
        return
    with pytest.raises(SessionError) as caught:
        fork_log(tmp_path, "s", "child", now_ms=1, boundary=boundary)
    assert caught.value.kind == kind
    assert not (tmp_path / "--w--" / "child").exists()


def test_a_fork_needs_no_lock_on_its_parent(tmp_path: Path) -> None:
    """A session that is being written can be forked; what its writer has not flushed is not copied."""
    with open_log(tmp_path, HEADER) as parent:
        parent.append([turn_start(), turn_end()])
        parent.flush()
        parent.append([turn_start(2, 2)])
        with fork_log(tmp_path, "s", "child", now_ms=1) as log:
            assert held(log) == (turn_start(), turn_end(), mark(2, 1))


def test_an_inspection_closes_in_memory_alone(tmp_path: Path) -> None:
    """The closing events are in the session, not in the file, and no lock is left."""
    begun = interrupted()
    path = write(tmp_path, (begun,), compress=True)
    before = path.read_bytes()
    assert whole(inspect_log(tmp_path, "s")) == (*begun, *closing_events(begun))
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (before, [path.name])

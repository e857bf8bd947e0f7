"""A log grows on disk batch by batch, and is the same when it is read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    refused,
    turn_end,
    turn_start,
    whole,
    write,
)
from timectx.errors import FormatError, SessionError
from timectx.formats import read_session
from timectx.formats.zstd import Frame, inflate_frame, scan_frames
from timectx.loop import StoreError, load_log, open_log
from timectx.session import SessionHeader


def frames(path: Path) -> list[bytes]:
    """Return the content of every frame of a container."""
    with path.open("rb") as stream:
        found = [item for item in scan_frames(stream, path.stat().st_size) if isinstance(item, Frame)]
        return [b"".join(map(bytes, inflate_frame(stream, frame))) for frame in found]


@both
@settings(max_examples=25)
@given(seed=st.integers(0, 50), largest=st.integers(1, 60))
def test_what_was_written_is_what_is_read(
    seed: int, largest: int, compress: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever the batches, a reader gets every event, and the log in memory is the session it reads."""
    script = batches(seed, 2, largest)
    root = tmp_path_factory.mktemp("root")
    with pytest.MonkeyPatch.context() as patch, open_log(root, HEADER, compress=compress) as log:
        disk.use(patch, disk.quick())
        for batch in script:
            log.append(batch)
            log.flush()
        read = read_session(log.path, strict=True, check=True)
        assert whole(read) == held(log) == events(seed, 2)
        assert (read.header, read.events, read.tail) == (log.header, log.session().events, log.session().tail)
        assert log.session().turns == read.turns
        assert read.problems == ()


def test_a_container_has_one_frame_for_the_header_and_one_a_batch(tmp_path: Path) -> None:
    """The first frame is the header line alone; each further one holds whole lines."""
    script = batches()
    packed = frames(write(tmp_path / "a", script, compress=True))
    plain = write(tmp_path / "b", script, compress=False).read_bytes()
    assert len(packed) == len(script) + 1
    assert packed[0] == plain.splitlines(keepends=True)[0]
    assert b"".join(packed) == plain
    assert all(frame.endswith(b"\n") for frame in packed)


def test_the_file_lies_where_its_header_says(tmp_path: Path) -> None:
    """Project and session name the folders; the lock lies beside the log while it is open, and then no more."""
    with open_log(tmp_path, SessionHeader(id="a/b", created_at_ms=0, cwd="/home/dev")) as log:
        log.flush()
        names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    folder = "--home-dev--/a~002Fb"
    assert names == {f"{folder}/session.jsonl.zstd", f"{folder}/timectx.lock"}
    assert [path.name for path in log.path.parent.iterdir()] == ["session.jsonl.zstd"]


@both
def test_nothing_is_on_disk_before_the_first_flush(compress: bool, tmp_path: Path) -> None:
    """Events wait in memory; the file appears with header and first batch, and then grows."""
    log = open_log(tmp_path, HEADER, compress=compress)
    log.append([turn_start()])
    assert (log.path.exists(), log.pending, log.next_seq) == (False, (turn_start(),), 1)
    assert (log.flush(), log.pending) == (1, ())
    first = log.path.read_bytes()
    assert whole(read_session(log.path, check=True)) == (turn_start(),)
    log.append([turn_end()])
    assert log.path.read_bytes() == first
    log.close()
    assert log.path.read_bytes().startswith(first)
    assert whole(read_session(log.path, check=True)) == (turn_start(), turn_end())


def test_a_flush_without_events_writes_the_header_once(tmp_path: Path) -> None:
    """A log that was flushed empty is there and holds nothing; flushing it again changes nothing."""
    log = open_log(tmp_path, HEADER, compress=False)
    assert [log.flush(), log.flush()] == [0, 0]
    log.close()
    assert log.path.read_text() == (
        '{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/w","delegationDepth":0}\n'
    )


def test_a_log_that_was_never_written_leaves_no_file(tmp_path: Path) -> None:
    """Opening and closing a new log writes nothing, so the session is not there."""
    open_log(tmp_path, HEADER).close()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert refused(lambda: load_log(tmp_path, "s")) == ("StoreError", "session-not-found")


@pytest.mark.parametrize(
    ("sizes", "types"),
    [
        ([3], ["text-chunks"]),
        ([2], ["assistant/chunk"] * 2),
        ([2, 2], ["assistant/chunk"] * 4),
        ([4, 1, 3], ["text-chunks", "assistant/chunk", "text-chunks"]),
    ],
    ids=["three", "two", "two and two", "four, one, three"],
)
def test_streamed_pieces_are_packed_within_a_batch_alone(sizes: list[int], types: list[str], tmp_path: Path) -> None:
    """Three or more pieces of one flush make a row; no row crosses a flush."""
    with open_log(tmp_path, HEADER, compress=False) as log:
        for size in sizes:
            log.append([piece(log.next_seq + number) for number in range(size)])
            log.flush()
    lines = log.path.read_text().splitlines()[1:]
    assert [line.split('"')[3] for line in lines] == types


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (turn_start(2), "seq-gap"),
        (turn_start(0), "seq-repeated"),
        (make("todo/write", 1, {"x": float("nan")}), "session-event-carries-non-json-serializable"),
        (make("todo/write", 1, [1, {"x": float("inf")}]), "session-event-carries-non-json-serializable"),
        (make("todo/write", 1, {"x": b"bytes"}), "session-event-carries-non-json-serializable"),
        (make("todo/write", 1, {1: "key"}), "session-event-carries-non-json-serializable"),
        (make("todo/write", 1, {"x": 2**53 + 1}), "session-event-carries-non-json-serializable"),
        (make("todo/writes", 1, {}), "session-contains-event-type-seq-unknown"),
        (make("todo/write", 1, {}, note="x"), "bad-envelope"),
        (make("request/header", 1, {"header": {}, "reason": "initial"}), "stored-session-failed-validation-error-seed"),
        (
            make("request/header", 1, {"header": {}, "reason": "fallback"}),
            "session-event-uses-unsupported-legacy-request",
        ),
        (prompt(1, surfaceOp={"op": "replace", "start": 0, "end": 0}), "replace-start-not-found"),
        (prompt(1, sourceEventSeqs=[1]), "sources-not-earlier"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.type,
)
def test_an_event_that_a_load_would_refuse_is_not_taken(event: Any, kind: str, tmp_path: Path) -> None:
    """The rules of a load hold before the write; a refused event changes nothing, nor do those before it."""
    with open_log(tmp_path, HEADER) as log:
        log.append([turn_start()])
        assert refused(lambda: log.append([event])) == ("SessionError", kind)
        before = held(log)
        assert refused(lambda: log.append([prompt(1), turn_start(1)])) == ("SessionError", "seq-repeated")
        assert (held(log), log.next_seq, log.pending) == (before, 1, (turn_start(),))
        log.append([turn_end()])
    assert whole(load_log(tmp_path, "s").session()) == (turn_start(), turn_end())


def test_a_refused_replacement_leaves_the_surface_as_it_was(tmp_path: Path) -> None:
    """Where a later event of the same call is refused, the nodes it had replaced are back."""
    replacement = prompt(2, surfaceOp={"op": "replace", "start": 0, "end": 1}, sourceEventSeqs=[0, 1])
    with open_log(tmp_path, HEADER) as log:
        log.append([prompt(0), prompt(1)])
        with pytest.raises(SessionError):
            log.append([replacement, prompt(9)])
        log.append([replacement])
        assert log.session().surface.nodes == (2,)


def test_an_unknown_event_that_may_be_ignored_is_taken(tmp_path: Path) -> None:
    """The mark that lets a reader pass over an event lets a writer keep it."""
    event = make("someone/else", 0, {"x": 1}, ignorable=True)
    with open_log(tmp_path, HEADER) as log:
        log.append([event])
    assert whole(load_log(tmp_path, "s").session()) == (event,)


def test_a_message_of_the_early_layout_is_written_as_it_is(tmp_path: Path) -> None:
    """A reading without id and role stays so on disk; memory holds what a reader makes of it."""
    source = {"kind": "plugin", "plugin": "time-context"}
    event = make("user/message", 0, {"content": [], "source": source}, surfaceOp="append")
    with open_log(tmp_path, HEADER, compress=False) as log:
        log.append([event])
        before = held(log)
    assert log.path.read_text().splitlines()[1] == (
        '{"type":"user/message","seq":0,"time":0,"data":{"content":[],"source":{"kind":"plugin","plugin":"time-context"}}'
        ',"surfaceOp":"append"}'
    )
    read = {"content": [], "source": source, "role": "user", "id": "legacy-message:s:0"}
    assert before == (make("user/message", 0, read, surfaceOp="append"),)
    assert whole(load_log(tmp_path, "s").session()) == before


def test_text_that_is_no_whole_unicode_is_written_too(tmp_path: Path) -> None:
    """Half a surrogate pair comes back as it was."""
    event = make("todo/write", 0, {"x": "a\ud83d", "y": "\u2028 项目"})
    with open_log(tmp_path, HEADER) as log:
        log.append([event])
    assert whole(load_log(tmp_path, "s").session()) == (event,)


def test_a_with_block_that_fails_keeps_what_happened(tmp_path: Path) -> None:
    """An error in the block closes the log and flushes what waited."""
    log = open_log(tmp_path, HEADER)

    def block() -> None:
        with log:
            log.append([turn_start()])
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        block()
    assert whole(read_session(log.path, check=True)) == (turn_start(),)


def test_a_closed_log_takes_nothing_more(tmp_path: Path) -> None:
    """Closing again does nothing; appending and flushing are refused."""
    log = open_log(tmp_path, HEADER)
    log.close()
    log.close()
    assert refused(lambda: log.append([turn_start()])) == ("StoreError", "log-closed")
    assert refused(log.flush) == ("StoreError", "log-closed")


def test_an_abandoned_log_loses_what_waits_and_no_more(tmp_path: Path) -> None:
    """Without a flush, pending events are gone; flushed ones stay."""
    log = open_log(tmp_path, HEADER)
    log.append([turn_start()])
    log.flush()
    log.append([turn_end()])
    log.abandon()
    assert whole(read_session(log.path, check=True)) == (turn_start(),)


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (SessionHeader(id="", created_at_ms=0), ("SessionError", "cannot-encode-an-empty-path-segment")),
        (SessionHeader(id="s", created_at_ms=-1), ("FormatError", "corrupt-session-log-first-line-is")),
        (
            SessionHeader(id="s", created_at_ms=0, version=1),
            ("UnsupportedFormatError", "session-uses-log-format-v-but"),
        ),
        (
            SessionHeader(id="s", created_at_ms=0, cwd="relative"),
            ("SessionError", "stored-session-failed-validation-error-session"),
        ),
    ],
    ids=["no id", "negative time", "another version", "relative folder"],
)
def test_a_header_that_could_not_be_read_again_is_refused(
    header: SessionHeader, error: tuple[str, str], tmp_path: Path
) -> None:
    """Nothing is made for a session whose first line dsh would not take."""
    assert refused(lambda: open_log(tmp_path, header)) == error
    assert list(tmp_path.iterdir()) == []


def test_a_session_is_started_once(tmp_path: Path) -> None:
    """An id that any project below the root has is not given again."""
    write(tmp_path, batches(), compress=True)
    elsewhere = SessionHeader(id="s", created_at_ms=0, cwd="/elsewhere")
    assert refused(lambda: open_log(tmp_path, HEADER)) == ("StoreError", "session-exists")
    assert refused(lambda: open_log(tmp_path, elsewhere)) == ("StoreError", "session-exists")


@pytest.mark.parametrize(
    ("compress", "advice"), [(True, "pass compress=False"), (False, "pass compress=True")], ids=["packed", "plain"]
)
def test_a_root_holds_logs_of_one_kind(compress: bool, advice: str, tmp_path: Path) -> None:
    """A plain log among containers, or the reverse, would make dsh refuse all of them."""
    write(tmp_path, batches(), compress=not compress)
    with pytest.raises(StoreError, match=advice) as caught:
        open_log(tmp_path, SessionHeader(id="other", created_at_ms=0), compress=compress)
    assert caught.value.kind == "other-compression"


def test_a_log_outside_its_own_folder_is_not_joined(tmp_path: Path) -> None:
    """A file in a project's folder itself makes dsh refuse the root."""
    (tmp_path / "--w--").mkdir()
    (tmp_path / "--w--" / "old.jsonl").write_bytes(b"")
    assert refused(lambda: open_log(tmp_path, HEADER)) == ("StoreError", "flat-log")


def test_a_store_error_is_an_os_error() -> None:
    """A plain handler for what can go wrong with files catches it."""
    error = StoreError("disk full", kind="disk-full")
    assert isinstance(error, OSError)
    assert (str(error), error.kind) == ("disk full", "disk-full")
    assert not issubclass(FormatError, OSError)

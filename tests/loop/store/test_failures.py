"""What fails on the way to the disk is undone, and the log can be used on or says why not."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tests.loop import disk
from tests.loop.scripts import HEADER, both, held, refused, turn_end, turn_start, whole
from timectx.formats import read_session
from timectx.loop import DurableLog, StoreError, load_log, open_log


@both
@pytest.mark.parametrize("name", ["write", "fsync"])
def test_a_failed_append_is_undone_and_can_be_repeated(
    name: str, compress: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After half a write, or a sync that failed, the file is as before and the same flush works later."""
    log = open_log(tmp_path, HEADER, compress=compress)
    log.append([turn_start()])
    log.flush()
    before = log.path.read_bytes()
    log.append([turn_end()])
    disk.use(monkeypatch, disk.failing(errno.ENOSPC, at=0, name=name))
    with pytest.raises(StoreError, match="nothing of this batch is in it; what waits is kept, events: 1") as caught:
        log.flush()
    assert (caught.value.kind, type(caught.value.__cause__)) == ("disk-full", OSError)
    assert (log.path.read_bytes(), log.pending) == (before, (turn_end(),))
    assert log.flush() == 1
    log.close()
    assert whole(read_session(log.path, strict=True, check=True)) == (turn_start(), turn_end())


@both
@pytest.mark.parametrize("at", range(3), ids=["write", "sync", "sync of the folder"])
def test_a_failed_first_write_leaves_nothing(
    at: int, compress: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log is there with its first batch, or not at all; no unfinished file lies about."""
    log = open_log(tmp_path, HEADER, compress=compress)
    log.append([turn_start()])
    disk.use(monkeypatch, disk.failing(errno.EIO, at=at))
    assert refused(log.flush) == ("StoreError", "write-failed")
    assert [path.name for path in log.path.parent.iterdir()] == ["timectx.lock"]
    log.close()
    assert whole(read_session(log.path, strict=True, check=True)) == (turn_start(),)


def test_an_interrupt_in_the_middle_of_a_write_is_undone_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during a flush leaves no half batch behind."""

    def interrupt(_: int, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "write":
            os.write(arguments[0], b"half")
            raise KeyboardInterrupt

    log = started(tmp_path)
    before = log.path.read_bytes()
    disk.use(monkeypatch, disk.Disk(interrupt))
    with pytest.raises(KeyboardInterrupt):
        log.flush()
    assert log.path.read_bytes() == before
    disk.use(monkeypatch, os)
    assert log.flush() == 1
    log.close()


def started(root: Path) -> DurableLog:
    """Return a log with one event flushed and one waiting."""
    log = open_log(root, HEADER, compress=False)
    log.append([turn_start()])
    log.flush()
    log.append([turn_end()])
    return log


def test_a_failure_that_cannot_be_undone_stops_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cutting back fails as well, the log takes no more, and loading it again repairs it."""

    def fail(_: int, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "write":
            os.write(arguments[0], b'{"type":')
        raise OSError(errno.EIO, "broken")

    log = started(tmp_path)
    disk.use(monkeypatch, disk.Disk(fail))
    assert refused(log.flush) == ("StoreError", "write-failed")
    disk.use(monkeypatch, os)
    assert refused(log.flush) == ("StoreError", "log-broken")
    assert log.path.read_bytes().endswith(b'}\n{"type":')
    log.abandon()
    with load_log(tmp_path, "s") as again:
        assert [event.type for event in held(again)] == ["turn/start", "turn/end"]


@pytest.mark.parametrize(("change", "kind"), [("grown", "changed-outside"), ("gone", "log-gone")])
def test_a_file_that_something_else_changed_is_not_written_to(change: str, kind: str, tmp_path: Path) -> None:
    """A log never writes behind bytes it does not know, nor into a file that is no longer there."""
    log = started(tmp_path)
    if change == "grown":
        with log.path.open("ab") as stream:
            stream.write(b"{}\n")
    else:
        log.path.unlink()
    assert refused(log.flush) == ("StoreError", kind)
    assert refused(log.close) == ("StoreError", kind)
    assert refused(log.flush) == ("StoreError", "log-closed")


def test_a_file_that_something_else_made_is_not_replaced(tmp_path: Path) -> None:
    """A new log does not take the place of a file that was not there when it was opened."""
    log = open_log(tmp_path, HEADER)
    log.path.write_bytes(b"theirs")
    assert refused(log.flush) == ("StoreError", "changed-outside")
    log.close()
    assert log.path.read_bytes() == b"theirs"

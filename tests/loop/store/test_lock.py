"""One session has one writer at a time, in this process or any other; readers need no leave."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loop.scripts import HEADER, batches, events, held, turn_end, turn_start, whole, write
from timectx.formats import read_session
from timectx.loop import StoreError, inspect_log, load_log, open_log
from timectx.loop.store import lock as lock_module
from timectx.loop.store.lock import LOCK_NAME, WriterLock

HOLDER = """
import sys
from timectx.loop import load_log
log = load_log(sys.argv[1], "s")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_writer_is_refused_and_told_by_whom(tmp_path: Path) -> None:
    """In one process, too, the second open or load is refused until the first log is closed."""
    log = open_log(tmp_path, HEADER)
    log.append([turn_start()])
    log.flush()
    for call in (lambda: open_log(tmp_path, HEADER), lambda: load_log(tmp_path, "s")):
        with pytest.raises(StoreError, match="this very process is writing this session; expected no other") as caught:
            call()
        assert caught.value.kind == "session-locked"
    log.close()
    with load_log(tmp_path, "s") as again:
        assert again.next_seq == 2


def test_readers_need_no_lock(tmp_path: Path) -> None:
    """While a writer holds the session, its flushed events can be read and inspected."""
    with open_log(tmp_path, HEADER) as log:
        log.append([turn_start(), turn_end()])
        log.flush()
        assert whole(read_session(log.path, strict=True)) == whole(inspect_log(tmp_path, "s")) == held(log)


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    """A killed writer leaves its lock's file behind, but not the lock."""
    path = write(tmp_path, batches(), compress=True)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match=f"process {other.pid} is writing this session") as caught:
            load_log(tmp_path, "s")
        assert caught.value.kind == "session-locked"
        other.kill()
        other.wait()
    assert (path.parent / LOCK_NAME).exists()
    with load_log(tmp_path, "s") as log:
        assert held(log) == events()
    assert not (path.parent / LOCK_NAME).exists()


def test_a_lock_is_released_with_its_last_owner(tmp_path: Path) -> None:
    """A log that nothing refers to any more does not hold its session for ever."""
    lock = WriterLock(tmp_path / "s")
    assert lock.held
    del lock
    WriterLock(tmp_path / "s").release()


def test_releasing_twice_releases_once(tmp_path: Path) -> None:
    """The second release does not take the lock from the next holder."""
    first = WriterLock(tmp_path)
    first.release()
    second = WriterLock(tmp_path)
    first.release()
    assert (first.held, second.held) == (False, True)
    with pytest.raises(StoreError):
        WriterLock(tmp_path)
    second.release()


def test_a_lock_whose_file_was_removed_is_taken_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening the file and locking it, its holder may go and take the file along."""
    take, removed = lock_module._take, []

    def remove_once(path: Path, fd: int) -> None:
        take(path, fd)
        if not removed:
            removed.append(path)
            path.unlink()

    monkeypatch.setattr(lock_module, "_take", remove_once)
    lock = WriterLock(tmp_path)
    assert (removed, (tmp_path / LOCK_NAME).read_text()) == ([tmp_path / LOCK_NAME], str(os.getpid()))
    lock.release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_neither_writes_nor_releases(tmp_path: Path) -> None:
    """A process forked from the writer has the object but not the right; when it goes, the writer still has it."""
    script = (
        "import os, sys\n"
        "from tests.loop.scripts import HEADER, turn_start\n"
        "from timectx.loop import StoreError, load_log, open_log\n"
        "log = open_log(sys.argv[1], HEADER)\n"
        "log.append([turn_start()])\n"
        "if not os.fork():\n"
        "    for call in (log.flush, log.close, lambda: load_log(sys.argv[1], 's')):\n"
        "        try:\n"
        "            call()\n"
        "            print('done')\n"
        "        except StoreError as error:\n"
        "            print(error.kind)\n"
        "    sys.stdout.flush()\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "print(log.flush())\n"
        "try:\n"
        "    open_log(sys.argv[1], HEADER)\n"
        "except StoreError as error:\n"
        "    print(error.kind)\n"
        "log.close()\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["log-closed", "done", "session-not-found", "1", "session-locked"]

"""Whatever happens to process, disk or file: every flushed record is there, or the error says which is not."""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

import pytest

from tests.loop import disk
from tests.loop.crashes import SCRIPT
from tests.loop.scripts import HEADER, batches, events, held, turn_end, turn_start, whole, write
from timectx.formats import read_session, unpack_row
from timectx.formats.zstd import Frame, scan_frames
from timectx.loop import StoreError, find_log, load_log, open_log, resume_log
from timectx.session import Event
from timectx.session.closers import closing_events

KINDS = {"plain": False, "container": True}
TAIL = 4096
MEMORY = "/dev/shm"
MODULES = Path(__file__).parents[2]

both = pytest.mark.parametrize("kind", KINDS)


def run(module: str, *arguments: object) -> list[str]:
    """Run a module of this folder in a process of its own, and return the lines it prints."""
    command = [sys.executable, "-m", f"tests.loop.{module}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=MODULES, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def check_crashed(root: Path, plan: str, told: int) -> None:
    """Hold a killed writer's log to its promise: all it had reported, perhaps some of the next batch, then closers."""
    script = batches(*SCRIPT[plan])
    everything = tuple(event for batch in script for event in batch)
    ends = [0, *(batch[-1].seq + 1 for batch in script)]
    most = ends[min(ends.index(told) + 1, len(ends) - 1)]
    if find_log(root, HEADER.id) is None:
        assert told == 0
        return
    with load_log(root, HEADER.id) as log:
        found = held(log)
    fitting = [size for size in range(told, most + 1) if _is_beginning(found, everything, size)]
    assert fitting, f"{told} events were reported, at most {most} written; the log holds {len(found)}"
    check_goes_on(root)


def _is_beginning(found: tuple[Event, ...], everything: tuple[Event, ...], size: int) -> bool:
    return found == (*everything[:size], *closing_events(everything[:size]))


def check_goes_on(root: Path) -> None:
    """Write one more turn to a log that was repaired, and read it all again."""
    with resume_log(root, HEADER.id, now_ms=1) as log:
        log.append([turn_start(log.next_seq, 99), turn_end(log.next_seq + 1, 99)])
        expected = held(log)
    session = read_session(log.path, strict=True, check=True)
    assert (whole(session), session.problems) == (expected, ())


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory where the system has one, for tests of many thousand small writes."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@both
def test_a_writer_killed_at_any_call_loses_only_what_it_had_not_flushed(kind: str, memory: Path) -> None:
    """Before, in the middle of and after every call that changes a file, the flushed batches are safe."""
    trials = [json.loads(line) for line in run("crashes", "point", memory, 0, kind, 0)]
    assert len(trials) > 3 * 2 * len(batches(*SCRIPT["point"]))
    for folder, told in trials:
        check_crashed(memory / folder, "point", told)


@pytest.mark.slow
@both
def test_a_writer_killed_at_random_moments_loses_only_what_it_had_not_flushed(kind: str, memory: Path) -> None:
    """From outside, at a hundred moments: what was reported as durable is there after a load."""
    trials = [json.loads(line) for line in run("crashes", "moment", memory, 11, kind, 100)]
    assert len({told for _, told in trials}) > 10
    for folder, told in trials:
        check_crashed(memory / folder, "moment", told)


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@both
def test_a_batch_that_does_not_fit_is_taken_back(kind: str, memory: Path) -> None:
    """Wherever the room ends, the file stays as it was, the batch waits, and fits once there is room."""
    script = batches(1, 2)
    path = write(memory / "measure", script, compress=KINDS[kind])
    for limit in range(1, path.stat().st_size, max(1, path.stat().st_size // 40)):
        root = memory / str(limit)
        with open_log(root, HEADER, compress=KINDS[kind]) as log:
            for batch in script:
                log.append(batch)
                before = log.path.read_bytes() if log.path.exists() else None
                with file_limit(limit):
                    failed = _fails(log.flush)
                if failed:
                    assert (failed, log.pending) == ("disk-full", batch)
                    assert (log.path.read_bytes() if log.path.exists() else None) == before
                    log.flush()
        assert log.path.read_bytes() == path.read_bytes()


def _fails(call: object) -> str | None:
    try:
        assert callable(call)
        call()
    except StoreError as error:
        return error.kind
    return None


@both
def test_a_repair_that_does_not_fit_can_be_made_later(kind: str, tmp_path: Path) -> None:
    """Without room for the closing events nothing flushed is lost, and a load with room repairs the log."""
    begun = next(events()[:at] for at in range(60, 0, -1) if closing_events(events()[:at]))
    path = write(tmp_path, (begun,), compress=KINDS[kind])
    torn = path.read_bytes() + (b"\x28\xb5\x2f\xfd\x04" if KINDS[kind] else b'{"type":')
    path.write_bytes(torn)
    with file_limit(len(torn) - 3):
        assert _fails(lambda: load_log(tmp_path, HEADER.id)) == "disk-full"
    with load_log(tmp_path, HEADER.id) as log:
        assert held(log) == (*begun, *closing_events(begun))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if mount is None or os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system can only be mounted by root, with the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@both
def test_a_full_disk_stops_a_log_between_two_batches(kind: str, small_disk: Path) -> None:
    """On a disk that is really full the flush says so, and every batch before it can be read."""
    script = batches(1, 40, 40)
    durable: list[Event] = []
    log = open_log(small_disk, HEADER, compress=KINDS[kind])
    for batch in script:
        log.append(batch)
        if failed := _fails(log.flush):
            break
        durable += batch
    assert (failed, log.pending) == ("disk-full", batch)
    assert whole(read_session(log.path, strict=True, check=True)) == tuple(durable)
    assert _fails(log.close) == "disk-full"
    assert len(durable) > 100


@pytest.mark.skipif(sys.platform == "win32", reason="rights are of another kind there")
def test_a_folder_that_may_only_be_read_is_read() -> None:
    """A user without the right to write is told so by every writing call, and can still inspect."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as closed:  # tmp_path is not for others
        root = Path(folder)
        Path(closed).chmod(0)
        write(root, batches(), compress=True)
        folders = [path for path in (root, *root.rglob("*")) if path.is_dir()]
        for path in folders:
            path.chmod(0o555)
        before = sorted(root.rglob("*"))
        lines = run("unprivileged", root, closed)
        assert sorted(root.rglob("*")) == before
        for path in (*folders, Path(closed)):
            path.chmod(0o755)
        kept = len(read_session(next(root.rglob("*.zstd"))).events)
    assert lines == [
        "new session in a project not-writable",
        "new session in a new project not-writable",
        "load not-writable",
        "search unreadable",
        f"inspect {kept}",
    ]


@pytest.mark.slow
@both
def test_a_file_cut_at_any_byte_keeps_every_record_before_the_cut(
    kind: str, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the last 4 KiB, cut at each byte: a load gives all whole lines or frames before it, and closing events."""
    compress = KINDS[kind]
    script = batches(2, 1, 30)
    everything = tuple(event for batch in script for event in batch)
    path = write(memory, script, compress=compress)
    data = path.read_bytes()
    assert len(data) > TAIL
    safe = safe_points(data, script, compress=compress)
    disk.use(monkeypatch, disk.quick())
    for cut in range(len(data) - TAIL, len(data)):
        path.write_bytes(data[:cut])
        with load_log(memory, HEADER.id) as log:
            found, problems = held(log), log.session().problems
        kept = next(size for size in range(len(found), -1, -1) if _is_beginning(found, everything, size))
        committed = max(count for end, count in safe.items() if end <= cut)
        assert kept >= committed, f"cut at {cut}: {kept} of {committed} events"
        assert bool(problems) == (cut not in safe)


def safe_points(data: bytes, script: tuple[tuple[Event, ...], ...], *, compress: bool) -> dict[int, int]:
    """Return each byte at which a whole line or frame ends, with the number of events up to it."""
    if compress:
        frames = [item for item in scan_frames(io.BytesIO(data), len(data)) if isinstance(item, Frame)]
        sizes = [0, *(len(batch) for batch in script)]
        ends = [frame.end for frame in frames]
    else:
        lines = data.splitlines(keepends=True)
        sizes = [0, *(len(unpack_row(json.loads(line))) for line in lines[1:])]
        ends = list(accumulate(map(len, lines)))
    return dict(zip(ends, accumulate(sizes), strict=True))

"""Measure how fast large logs load against a bare decoder, and how much memory that takes; nothing is judged."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Union

import msgspec
import pytest

from tests.benchmarks.big_log import compress_log, stream_share, write_big_log
from timectx.formats import read_session
from timectx.session.data import SafeInt
from timectx.session.events import EVENT_CLASSES

SIZE = 100 * 2**20
RUNS = 5

ROWS = tuple(f'{{"type":"{kind}"'.encode() for kind in ("text-chunks", "reasoning-chunks", "tool-call-chunks"))
PIECE = b'{"type":"assistant/chunk"'
MARK = b'"chunk":{"type":"'
KEPT = (b'finish"', b'usage"')


class Row(msgspec.Struct, gc=False):
    """A packed row, decoded and no more."""

    type: str
    seq0: SafeInt
    time0: SafeInt
    data: Any


class Data(msgspec.Struct, gc=False, kw_only=True):
    """What a packed row holds."""

    turn: int
    step: int
    index: int
    dt: tuple[int, ...]
    texts: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    id: str | None = None
    name: str | None = None


class TypedRow(Row, gc=False):
    """A packed row with its types."""

    data: Data


decode_event = msgspec.json.Decoder(Union[tuple(EVENT_CLASSES.values())]).decode  # noqa: UP007
decode_row = msgspec.json.Decoder(TypedRow).decode


def decode_bare(path: Path) -> list[object]:
    """Decode every line that is not streamed output, and nothing else: no seqs, no surface, no faults."""
    events: list[object] = []
    with path.open("rb") as stream:
        next(stream)
        for one in stream:
            if one.startswith(ROWS):
                continue
            if one.startswith(PIECE) and not one.startswith(KEPT, one.find(MARK) + len(MARK)):
                continue
            events.append(decode_event(one))
    return events


def decode_all_bare(path: Path) -> list[object]:
    """Decode every line, streamed output as well."""
    with path.open("rb") as stream:
        next(stream)
        return [decode_row(one) if one.startswith(ROWS) else decode_event(one) for one in stream]


@pytest.fixture(scope="module")
def big_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write the log once, plain and as a container beside it."""
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    write_big_log(path, seed=1, size=SIZE)
    compress_log(path, path.with_suffix(".jsonl.zstd"))
    yield path
    path.unlink()
    path.with_suffix(".jsonl.zstd").unlink()


def medians(*jobs: Callable[[], object]) -> list[float]:
    """Run the jobs in turn, several times, and return the median seconds of each."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for _ in range(RUNS):
        for taken, job in zip(seconds, jobs, strict=True):
            gc.collect()
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in seconds]


def test_loading_a_large_log_against_a_bare_decoder(big_log: Path) -> None:
    """Print how much of the bare decoder's speed is left: plain, as a container, and with the stream checked."""
    packed = big_log.with_suffix(".jsonl.zstd")
    share = stream_share(big_log)
    sizes = [path.stat().st_size / 2**20 for path in (big_log, packed)]
    print(f"\n{sizes[0]:.0f} MiB, {share:.0%} of it streamed; as a container {sizes[1]:.0f} MiB")
    bare, plain, container, bare_all, checked = medians(
        lambda: decode_bare(big_log),
        lambda: read_session(big_log),
        lambda: read_session(packed),
        lambda: decode_all_bare(big_log),
        lambda: read_session(big_log, check=True),
    )
    print(f"read_session              {plain:.3f} s, {bare / plain:.2f} of a bare decode (goal 0.8)")
    print(f"read_session, container   {container:.3f} s, {bare / container:.2f} of a bare decode (goal 0.5)")
    print(f"read_session, check=True  {checked:.3f} s, {bare_all / checked:.2f} of a bare decode of all (goal 0.7)")
    assert share >= 0.6
    assert read_session(big_log).events == read_session(packed).events


MEMORY = """
import gc, sys
from timectx.formats import read_session

def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024

session = read_session(sys.argv[1], check=len(sys.argv) > 2)
gc.collect()
print(memory("VmRSS"), memory("VmHWM") - memory("VmRSS"))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="resident memory is read from /proc")
@pytest.mark.parametrize(("suffix", "arguments"), [(".jsonl", []), (".jsonl.zstd", []), (".jsonl", ["check"])])
def test_memory_while_loading(big_log: Path, suffix: str, arguments: list[str]) -> None:
    """Print how far the peak is above what remains after loading, in a process of its own."""
    command = [sys.executable, "-c", MEMORY, str(big_log.with_suffix(suffix)), *arguments]
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    left, over = map(float, run.stdout.split())
    print(f"\n{suffix:12} {' '.join(arguments):6} peak {over:.1f} MiB above the {left:.0f} MiB that remain (goal 32)")
    assert left > 0

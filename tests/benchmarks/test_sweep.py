"""Measure sweeps beside what they replace; the ratios are printed and judged nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import pytest

from timectx.formats import read_session, write_session
from timectx.replay import Scenario
from timectx.sweep import sweep_sessions
from timectx.sweep.batches import BATCH_BYTES
from timectx.sweep.cache.folder import CacheFolder
from timectx.sweep.given import Given
from timectx.sweep.measuring import parts_of
from timectx.sweep.source import Source
from timectx.synthetic import synthetic_session

ROOT: Final = Path(__file__).parents[2]
FEW: Final = [Scenario(interval_ms=60_000 * minutes) for minutes in range(20)]
MANY: Final = [Scenario(interval_ms=3_000 * number) for number in range(200)]
LONG_AGO_S: Final = 1_000_000_000

GOAL_TWO: Final = 0.8
GOAL_DASK: Final = 1.3
GOAL_CACHE: Final = 50
GOAL_INTERVAL: Final = 0.1
GOAL_MEMORY: Final = 1.2


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return files of about 5 MB each that make a dozen batches."""
    folder = tmp_path_factory.mktemp("large")
    first = write_session(synthetic_session(0, steps=450, stream=True, session_id="0"), folder / "000.jsonl")
    content = first.read_bytes()
    paths = [first]
    for number in range(1, 12 * BATCH_BYTES // len(content)):
        paths.append(folder / f"{number:03}.jsonl")
        paths[-1].write_bytes(content.replace(b'"id":"0"', f'"id":"{number}"'.encode(), 1))
    return list(map(str, paths))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return sessions of two hundred steps, written long ago."""
    folder = tmp_path_factory.mktemp("small")
    paths = []
    for seed in range(200):
        session = synthetic_session(seed % 20, steps=200, session_id=str(seed))
        paths.append(str(write_session(session, folder / f"{seed:03}.jsonl")))
        os.utime(paths[-1], (LONG_AGO_S, LONG_AGO_S))
    return paths


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Return a function that prints although the test passes."""

    def print_line(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return print_line


def best_of(rounds: int, *calls: Callable[[], object]) -> list[float]:
    """Return the least time of each call, the calls taking turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, times, strict=True):
            begin = time.perf_counter()
            call()
            taken.append(time.perf_counter() - begin)
    return [min(taken) for taken in times]


def one_program(paths: list[str]) -> subprocess.Popen[bytes]:
    """Start a program of its own that sweeps some files."""
    code = (
        "import sys; from timectx import Scenario, sweep_sessions; "
        "sweep_sessions(sys.argv[1:], [Scenario(interval_ms=60_000 * m) for m in range(20)], cache=False)"
    )
    return subprocess.Popen([sys.executable, "-c", code, *paths], cwd=ROOT)


def test_two_processes_beside_two_programs(large: list[str], tell: Callable[[str], None]) -> None:
    """A pool of two takes little longer than two programs with half of the files each, started at once."""

    def two_programs() -> None:
        for program in [one_program(large[::2]), one_program(large[1::2])]:
            assert program.wait() == 0

    def a_pool() -> None:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            sweep_sessions(large, FEW, executor=executor, cache=False)

    programs_s, pool_s = best_of(2, two_programs, a_pool)
    tell(
        f"{len(large)} files: two programs {programs_s:.2f} s, a pool of two {pool_s:.2f} s: "
        f"ratio {programs_s / pool_s:.2f} (goal: at least {GOAL_TWO})"
    )
    assert pool_s > 0


def test_dask_beside_one_process(large: list[str], tell: Callable[[str], None]) -> None:
    """Two workers of a cluster, once they are there, are quicker than this process alone."""
    distributed = pytest.importorskip("dask.distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor(pure=False)
        sweep_sessions(large, FEW[:1], executor=executor, cache=False)
        sweep_sessions(large[:1], FEW, cache=False)
        alone_s, both_s = best_of(
            2,
            lambda: sweep_sessions(large, FEW, cache=False),
            lambda: sweep_sessions(large, FEW, executor=executor, cache=False),
        )
    tell(
        f"{len(large)} files: one process {alone_s:.2f} s, two workers of Dask {both_s:.2f} s: "
        f"ratio {alone_s / both_s:.2f} (goal: at least {GOAL_DASK})"
    )
    assert both_s > 0


@pytest.mark.parametrize("steps", [200, 2000])
def test_reload_beside_reading(steps: int, tmp_path: Path, tell: Callable[[str], None]) -> None:
    """Columns from the cache come much faster than the file is read, let alone laid out as columns."""
    path = write_session(synthetic_session(1, steps=steps, stream=True), tmp_path / "session.jsonl")
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    folder, scenario = CacheFolder(tmp_path / "cache"), Scenario()
    part = parts_of([(0, scenario)])[0].name or ""

    def columns(kept: CacheFolder | None) -> object:
        source = Source(Given(str(path), 0), kept, {}, [part])
        return source.columns(scenario, part)[0].arrays, source.facts

    columns(folder)
    reading_s, making_s = best_of(10, lambda: read_session(path), lambda: columns(None))
    (reload_s,) = best_of(100, lambda: columns(folder))
    tell(
        f"{steps} steps: reload {1e6 * reload_s:.0f} µs, read {1e3 * reading_s:.2f} ms, read and lay out "
        f"{1e3 * making_s:.2f} ms: ratio {reading_s / reload_s:.0f} and {making_s / reload_s:.0f} "
        f"(goal: at least {GOAL_CACHE})"
    )
    assert reload_s > 0


def test_one_interval_of_many(small: list[str], tell: Callable[[str], None]) -> None:
    """What is done once for a session is not done for each interval."""
    sweep_sessions(small, MANY)
    many_s, one_s = best_of(3, lambda: sweep_sessions(small, MANY), lambda: sweep_sessions(small, MANY[:1]))
    tell(
        f"{len(small)} sessions: {len(MANY)} intervals {many_s:.3f} s, one {one_s:.3f} s: "
        f"ratio {many_s / len(MANY) / one_s:.3f} (goal: at most {GOAL_INTERVAL})"
    )
    assert one_s > 0


def test_memory_for_many_sessions(small: list[str], tell: Callable[[str], None]) -> None:
    """Ten times as many sessions need no more memory, but for their rows."""

    def peak(paths: list[str]) -> Any:
        tracemalloc.start()
        frame = sweep_sessions(paths, FEW[:2], cache=False)
        rows = int(frame.memory_usage(deep=True).sum())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most - rows

    sweep_sessions(small[:2], FEW[:2], cache=False)
    few, many = peak(small[:20]), peak(small)
    tell(
        f"peak of 20 sessions {few / 2**20:.1f} MiB, of {len(small)} {many / 2**20:.1f} MiB: "
        f"ratio {many / few:.2f} (goal: at most {GOAL_MEMORY})"
    )
    assert many > 0

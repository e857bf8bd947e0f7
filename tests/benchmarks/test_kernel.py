"""Measure the kernel against the loop one would write at first; the ratios are printed and judged nowhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import pytest
from pandas import DataFrame

from tests.benchmarks.obvious_loop import frame_of, replay_interval
from tests.sweep.kernel.comparing import plain_values
from timectx.replay import Compaction, Scenario
from timectx.session import Session
from timectx.sweep.flat.columns import Columns
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.lanes import Lanes, pack_lanes
from timectx.sweep.kernel.running import run_columns
from timectx.synthetic import Habits, synthetic_session

WINDOW: Final = 64_000
INTERVALS_MS: Final = tuple(18_000 * number for number in range(200))
EVERY: Final = 10
ROUNDS: Final = 5
SHORT: Final = Habits(
    longest_result_chars=400,
    argument_chars=((0, 60), (1000, 200)),
    text_chars=((0, 20), (1000, 200)),
    reasoning_chars=((0, 20), (1000, 300)),
)
PLAIN: Final = Scenario(compaction=Compaction(context_window=WINDOW), time_zone="UTC", cache="deepseek-units")


def session_of(seed: int, steps: int) -> Session:
    """Return a session of plain work: prompts, replies, tools."""
    return synthetic_session(seed, steps=steps, interval_ms=600_000, habits=SHORT)


@pytest.fixture(scope="module")
def lanes() -> Lanes:
    """Return two hundred intervals, from every attempt to an hour, with compaction and a cache."""
    return pack_lanes([PLAIN.replace(interval_ms=interval_ms) for interval_ms in INTERVALS_MS])


def seconds(action: Callable[[], object], rounds: int = 1) -> float:
    """Return the seconds that the quickest of a few calls took of the processor, which others use as well."""
    took = []
    for _ in range(rounds):
        began = time.process_time()
        action()
        took.append(time.process_time() - began)
    return min(took)


def assert_same(frame: DataFrame, columns: Columns, lanes: Lanes, places: Sequence[int]) -> None:
    """Hold every number of the loop to the kernel's."""
    found = plain_values(run_columns(columns, lanes, compiled=True))
    for place in places:
        looped = replay_interval(frame, INTERVALS_MS[place], window=WINDOW)
        assert looped == {name: found[name][place] for name in looped}


def loop(frames: Sequence[DataFrame]) -> None:
    """Run the loop over some frames, for every tenth interval."""
    for frame in frames:
        for interval_ms in INTERVALS_MS[::EVERY]:
            replay_interval(frame, interval_ms, window=WINDOW)


def report(what: str, looped: float, ran: float, units: int, goal: int) -> None:
    """Print what something took, and how often that fits into the loop's time."""
    print(
        f"\n{what}: {ran / units * 1e9:.1f} ns an attempt and interval; the loop over itertuples "
        f"{looped / units * 1e6:.2f} us (every tenth interval timed, and scaled); {looped / ran:.0f} times faster "
        f"(goal: {goal})"
    )


@pytest.mark.bench
def test_one_long_session(lanes: Lanes) -> None:
    """Ten thousand attempts under two hundred intervals, as machine code and as Python."""
    pytest.importorskip("numba")
    session = session_of(1, 10_000)
    frame, columns = frame_of(session, PLAIN), columns_of(session, PLAIN)
    assert_same(frame, columns, lanes, (0, 1, 7, 60, 199))
    units = columns.facts.attempts * len(INTERVALS_MS)
    looped = seconds(lambda: loop([frame])) * EVERY
    report("compiled", looped, seconds(lambda: run_columns(columns, lanes, compiled=True), ROUNDS), units, 400)
    report("as Python", looped, seconds(lambda: run_columns(columns, lanes, compiled=False)), units, 10)


@pytest.mark.bench
def test_many_short_sessions(lanes: Lanes) -> None:
    """A thousand sessions of two hundred attempts; their columns are made, the loop runs over every tenth of them."""
    pytest.importorskip("numba")
    sessions = [session_of(seed, 200) for seed in range(1000)]
    columns = [columns_of(session, PLAIN) for session in sessions]
    frames = [frame_of(session, PLAIN) for session in sessions[::EVERY]]
    assert_same(frames[3], columns[3 * EVERY], lanes, (0, 3, 90))
    units = sum(each.facts.attempts for each in columns) * len(INTERVALS_MS)
    looped = seconds(lambda: loop(frames)) * EVERY * EVERY
    ran = seconds(lambda: [run_columns(each, lanes, compiled=True) for each in columns], 2)
    report("a thousand sessions, compiled", looped, ran, units, 400)


@pytest.mark.bench
def test_columns_cost_little_more_than_a_timeline() -> None:
    """What turning a session into columns takes, which is done once and then kept."""
    session = session_of(2, 10_000)
    for name, scenario in (("recorded", Scenario()), ("simulated", PLAIN)):
        took = seconds(lambda scenario=scenario: columns_of(session, scenario))  # type: ignore[misc]
        print(f"\ncolumns_of, {name}: {took / 10_000 * 1e6:.0f} us an attempt")

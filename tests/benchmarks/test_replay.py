"""Measure how the cost of a replay grows with its session; the ratios are printed and judged nowhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from timectx.replay import Scenario, replay_session, replay_timeline, timeline_of
from timectx.session import Session
from timectx.synthetic import Habits, Happening, synthetic_session

SMALL_STEPS: Final = 5000
TENFOLD: Final = 10
GOAL: Final = 12
ROUNDS: Final = 3
SHORT: Final = Habits(
    longest_result_chars=400,
    argument_chars=((0, 60), (1000, 200)),
    text_chars=((0, 20), (1000, 200)),
    reasoning_chars=((0, 20), (1000, 300)),
)
"""Short texts: a replay prices them once, and the sessions fit into memory."""


def session_of(steps: int, *, every: int = 0) -> Session:
    """Return a session of that many steps, compacted once in `every` steps (0 = never)."""
    compactions = range(every, steps, every) if every else ()
    return synthetic_session(
        1, steps=steps, interval_ms=60_000, habits=SHORT, happenings=[Happening("compaction", at) for at in compactions]
    )


@pytest.fixture(scope="module", params=[0, 400], ids=["no-compaction", "compacted"])
def grown(request: pytest.FixtureRequest) -> tuple[Session, Session]:
    """Return a session and one of ten times its steps, made once for all measurements."""
    return session_of(SMALL_STEPS, every=request.param), session_of(TENFOLD * SMALL_STEPS, every=request.param)


def best_of(action: Callable[[Session], object], session: Session) -> float:
    """Return the seconds of the quickest of a few runs, each on a session that nothing was derived from yet."""
    took = []
    for _ in range(ROUNDS):
        fresh = Session(session.header, session.events)
        began = time.perf_counter()
        action(fresh)
        took.append(time.perf_counter() - began)
    return min(took)


@pytest.mark.bench
@pytest.mark.parametrize("interval_ms", [0, 600_000], ids=["every-attempt", "10m"])
def test_replay_is_linear(grown: tuple[Session, Session], interval_ms: int) -> None:
    """Ten times the steps cost about ten times as much."""
    scenario = Scenario(interval_ms=interval_ms, time_zone="UTC")
    small, large = (best_of(partial(replay_session, scenario=scenario), session) for session in grown)
    steps = [len(session.steps) for session in grown]
    print(
        f"\nreplay_session, {steps[0]:,} steps: {small:.3f} s; {steps[1]:,} steps: {large:.3f} s; "
        f"ratio {large / small:.1f} (goal: at most {GOAL})"
    )
    assert steps == [SMALL_STEPS, TENFOLD * SMALL_STEPS]


@pytest.mark.bench
def test_a_further_scenario_reuses_the_timeline() -> None:
    """The order of a session is settled once; another interval costs less than the first one."""
    session = session_of(SMALL_STEPS)
    began = time.perf_counter()
    timeline = timeline_of(session, "readme")
    settled = time.perf_counter()
    runs = [replay_timeline(timeline, Scenario(interval_ms=ms, time_zone="UTC")) for ms in (0, 60_000, 600_000)]
    ended = time.perf_counter()
    print(f"\ntimeline_of: {settled - began:.3f} s; replay_timeline: {(ended - settled) / len(runs):.3f} s each")
    assert len({run.measures.readings for run in runs}) == len(runs)

"""Measure how the cost of a scripted run grows with its steps; the ratios are printed and judged nowhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import pytest

from timectx.loop import Call, CompactionPlan, Prompt, Reply, Script, header_of, open_log, play_script
from timectx.session import Session

STEPS: Final = 50_000
TENFOLD: Final = 10
GOAL: Final = 12
ROUNDS: Final = 2
STEPS_A_TURN: Final = 50
ORIGINAL_S: Final = 121
"""What the original takes for that many steps, on a similar machine of two cores."""

COMPACTED: Final = CompactionPlan(settings={"thresholdRatio": 0.5, "retainRatio": 0.1}, summary="x" * 2000)


def script_of(steps: int, compaction: CompactionPlan | None = None) -> Script:
    """Return a script of that many steps, a tool run in all but the last of each turn."""
    step = Reply(text="word " * 12, calls=(Call(result="x" * 200, takes=500),), takes=1500)
    prompt = Prompt(say="go on", after="1m", zone="UTC", replies=(*[step] * (STEPS_A_TURN - 1), Reply(text="done")))
    return Script(
        session="bench",
        prompts=(prompt,) * (steps // STEPS_A_TURN),
        time_zone="UTC",
        interval="1m",
        context_window=100_000,
        compaction=compaction,
    )


def seconds_of(script: Script) -> tuple[float, Session]:
    """Return how long the quickest of a few runs in memory takes, and the session."""
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        session = play_script(script)
        took.append(time.perf_counter() - began)
    return min(took), session


@pytest.mark.bench
@pytest.mark.parametrize("compaction", [None, COMPACTED], ids=["growing", "compacted"])
def test_a_scripted_run_is_linear(compaction: CompactionPlan | None) -> None:
    """Ten times the steps cost about ten times as much, whether the surface grows or is compacted."""
    small, _ = seconds_of(script_of(STEPS // TENFOLD, compaction))
    large, session = seconds_of(script_of(STEPS, compaction))
    compactions = sum(event.type == "compaction/end" for event in session.events)
    print(
        f"\nplay_script, {STEPS // TENFOLD:,} steps: {small:.2f} s; {STEPS:,} steps, {compactions:,} compactions: "
        f"{large:.2f} s; ratio {large / small:.1f} (goal: at most {GOAL}); the original takes {ORIGINAL_S} s"
    )
    assert (len(session.steps), compactions > 0) == (STEPS, compaction is not None)


@pytest.mark.bench
def test_a_durable_run_is_linear(tmp_path: Path) -> None:
    """The same on disk, made durable before every request and every tool; the disk sets the pace."""
    took = []
    for steps in (STEPS // TENFOLD**2, STEPS // TENFOLD):
        script = script_of(steps)
        began = time.perf_counter()
        with open_log(tmp_path / str(steps), header_of(script)) as log:
            play_script(script, durable=log)
        took.append(time.perf_counter() - began)
    small, large = took
    print(
        f"\ndurable, {STEPS // TENFOLD**2:,} steps: {small:.2f} s; {STEPS // TENFOLD:,} steps: {large:.2f} s; "
        f"ratio {large / small:.1f}"
    )
    assert large > 0

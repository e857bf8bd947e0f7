"""Measure how long a recommendation takes; the numbers are printed and judged nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pandas as pd
import pytest

from timectx.replay import Scenario
from timectx.sweep import sweep_sessions, tune
from timectx.synthetic import synthetic_session

SCENARIOS: Final = [Scenario(interval_ms=30_000 * number) for number in range(200)]
COPIES: Final = 250


@pytest.mark.bench
def test_a_recommendation_takes_seconds() -> None:
    """Three thousand sessions under two hundred intervals, drawn again two hundred times."""
    one = sweep_sessions([synthetic_session(seed, steps=200) for seed in range(12)], SCENARIOS)
    frame = pd.concat([one.assign(session=one["session"] + f"-{copy}") for copy in range(COPIES)], ignore_index=True)
    for limits in ({}, {"max_staleness_ms": 300_000}):
        began = time.perf_counter()
        best = tune(frame, **limits)
        took_s = time.perf_counter() - began
        size = f"{best.totals.sessions:,} sessions x {len(SCENARIOS)} intervals"
        print(f"\ntune, {size}, {limits or 'no limit'}: {took_s:.1f} s")
        assert best.resamples == 200


@pytest.mark.bench
def test_the_samples_from_the_command_line(tmp_path: Path) -> None:
    """What a person waits for: the whole command, twice, of which the second finds what the first kept."""
    environment = os.environ | {"TIMECTX_CACHE_DIR": str(tmp_path)}
    took = []
    for _ in range(2):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "timectx", "tune", "samples:"], check=True, capture_output=True, env=environment
        )
        took.append(time.perf_counter() - began)
    print(f"\ntimectx tune samples: {took[0]:.1f} s cold, {took[1]:.1f} s warm")
    assert any(tmp_path.iterdir())

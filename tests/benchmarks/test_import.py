"""Measure how long ``import timectx`` takes beside ``import numpy``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROUNDS = 15
GOAL = 1.5


def import_seconds(name: str) -> float:
    """Return the time a fresh interpreter needs for one import."""
    script = f"import time; start = time.perf_counter(); import {name}; print(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)
    return float(done.stdout)


def test_import_beside_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    """The best of several rounds, taken in turns, as a ratio; printed, judged nowhere."""
    rounds = [(import_seconds("timectx"), import_seconds("numpy")) for _ in range(ROUNDS)]
    ours, theirs = (min(times) for times in zip(*rounds, strict=True))
    with capsys.disabled():
        print(
            f"\nimport timectx {1000 * ours:.0f} ms, import numpy {1000 * theirs:.0f} ms: "
            f"ratio {ours / theirs:.2f} (goal: at most {GOAL})"
        )
    assert ours > 0

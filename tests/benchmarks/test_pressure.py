"""Measure how the cost of measuring the pressure grows with the surface; the ratios are printed and judged nowhere."""

from __future__ import annotations

import time
from typing import Final

import pytest

from tests.builders import log
from timectx.replay.compaction.pressure import PressureFold
from timectx.session.events import Event

NODES: Final = 100_000
TENFOLD: Final = 10
GOAL: Final = 12
ROUNDS: Final = 3
ORIGINAL_S: Final = 104.6
"""What the original takes for a log of that many nodes, on a similar machine of two cores."""


def events_of(nodes: int, *, prune_every: int = 0) -> tuple[Event, ...]:
    """Return a log with that many nodes, one result in `prune_every` of them shortened (0 = none)."""
    built = log().turn().prompt("x" * 400).step().header()
    for number in range((nodes - 1) // 2):
        built.reply("", [f"c{number}"]).result(f"c{number}", "y" * 200)
        if prune_every and number % prune_every == 0:
            seq = built.next_seq - 1
            span = {"shadowedRange": {"start": seq, "end": seq}, "shadowedSeqs": [seq], "shadowedTokenCount": 63}
            built.event("compaction/prune", span)
            marks = {"sourceEventSeqs": [seq], "surfaceOp": {"op": "replace", "start": seq, "end": seq}}
            built.result(f"c{number}", "short", **marks)
    return built.events()


def seconds_of(events: tuple[Event, ...]) -> float:
    """Return how long the quickest of a few cold measurements takes, nodes included."""
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        pressure = PressureFold()
        for event in events:
            pressure.apply(event)
        assert pressure.measure().total_tokens > 0
        assert len(pressure.surface.nodes()) > 0
        took.append(time.perf_counter() - began)
    return min(took)


@pytest.mark.bench
@pytest.mark.parametrize("prune_every", [0, 5], ids=["appended", "every-tenth-node-replaced"])
def test_a_cold_measurement_is_linear(prune_every: int) -> None:
    """Ten times the nodes cost about ten times as much, replacements included."""
    small, large = (seconds_of(events_of(count, prune_every=prune_every)) for count in (NODES // TENFOLD, NODES))
    print(
        f"\nmeasure, {NODES // TENFOLD:,} nodes: {small:.3f} s; {NODES:,} nodes: {large:.3f} s; "
        f"ratio {large / small:.1f} (goal: at most {GOAL}); the original takes {ORIGINAL_S} s"
    )
    assert small > 0

"""Figures of one real session, worked out once and held ever since."""

from __future__ import annotations

from pathlib import Path

import pytest

from timectx.formats import read_session
from timectx.replay import Scenario, replay_session


@pytest.mark.parametrize(
    ("interval_ms", "readings", "added", "resent", "median_ms", "p95_ms", "percent"),
    [
        (0, 21, 1427, 14306, 0, 0, 28.4),
        (60_000, 3, 209, 2386, 19_357, 53_839, 6.1),
        (600_000, 1, 71, 1420, 70_996, 142_175, 3.6),
    ],
    ids=["every-attempt", "one-minute", "ten-minutes"],
)
def test_a_real_session_of_21_steps_costs_what_it_always_cost(
    transcripts: Path,
    interval_ms: int,
    readings: int,
    added: int,
    resent: int,
    median_ms: int,
    p95_ms: int,
    percent: float,
) -> None:
    """Readings, tokens added and sent again, their share, and how stale the time gets."""
    session = read_session(transcripts / "dsh-v0" / "live-mode-switching.unpacked.jsonl")
    measures = replay_session(session, Scenario(interval_ms=interval_ms, time_zone="UTC")).measures
    assert (
        measures.steps,
        measures.readings,
        measures.reading_tokens,
        measures.resent_tokens,
        measures.staleness_median_ms,
        measures.staleness_p95_ms,
        measures.blind_steps,
        round(100 * measures.reading_ratio, 1),
    ) == (21, readings, added, resent, median_ms, p95_ms, 0, percent)

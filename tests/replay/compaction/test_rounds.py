"""Compacting in rounds: when they end, and what comes of them."""

from __future__ import annotations

import pytest

from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.rounds import relieve


def rounds_of(done: list[str | None], loads: list[int], rounds: int) -> tuple[str | None, int]:
    """Return the outcome of rounds that do these things and leave these loads, and how many there were."""
    did, left = iter(done), iter(loads)
    outcome = relieve(lambda: next(did), lambda: next(left), threshold_tokens=500, rounds=rounds, edition="readme")
    return outcome, len(done) - len(list(did))


def test_rounds_end_below_the_threshold() -> None:
    """At it they go on; what the last one did is returned."""
    assert rounds_of(["a", "b", "c"], [500, 499, 0], rounds=3) == ("b", 2)


def test_a_round_that_finds_nothing_to_take_returns_nothing() -> None:
    """Although the one before it did something."""
    assert rounds_of(["a", None, "c"], [600, 0], rounds=3) == (None, 2)


def test_after_the_last_round_it_is_told_what_is_left() -> None:
    """And how many there were."""
    with pytest.raises(CompactionError, match="600 tokens are left after 2 compactions") as refused:
        rounds_of(["a", "b", "c"], [700, 600, 0], rounds=2)
    assert refused.value.kind == "compaction-still-above-threshold-after-compaction"

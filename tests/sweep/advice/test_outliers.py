"""Test that sessions unlike the rest are named."""

from __future__ import annotations

from tests.sweep.advice.frames import Row, row, sweep
from timectx.sweep.advice.recommendation import Outlier
from timectx.sweep.advice.tuning import tune


def sessions(*stale_ms: int, spent: int = 10_000) -> list[Row]:
    """Return one session for each staleness, under one interval."""
    return [row(600_000, [ms] * 10, spent=spent, session=f"s-{at}") for at, ms in enumerate(stale_ms)]


def test_sessions_beyond_a_limit_are_named_the_farthest_first() -> None:
    """All sessions together keep it; two of them alone do not."""
    rows = sessions(*[60_000] * 58, 900_000, 1_200_000)
    found = tune(sweep(*rows), max_staleness_ms=300_000)
    assert found.outliers == (
        Outlier("s-59", "staleness_ms", 1_200_000, 300_000.0, "limit"),
        Outlier("s-58", "staleness_ms", 900_000, 300_000.0, "limit"),
    )
    assert "Beyond the limit on their own in staleness: s-59 (20m 0s), s-58 (15m 0s)." in found.reasons


def test_shares_and_blind_steps_beyond_a_limit_are_named_too() -> None:
    """Each limit is held against each session."""
    rows = [*sessions(*[0] * 9), row(600_000, [None, *[0] * 9], spent=90_000, session="s-9")]
    found = tune(sweep(*rows), budget_ratio=0.05, max_blind_ratio=0.02)
    assert found.outliers == (
        Outlier("s-9", "spent_ratio", 0.09, 0.05, "limit"),
        Outlier("s-9", "blind_ratio", 0.1, 0.02, "limit"),
    )


def test_sessions_far_from_the_rest_are_named() -> None:
    """Three times the distance of the quartiles above the upper one or below the lower is far; just that is not."""
    rows = sessions(1_500_000, 1_560_000, 1_620_000, 1_680_000, 1_740_000, 2_460_000, 780_000, 2_520_000, 720_000)
    found = tune(sweep(*rows))
    assert found.outliers == (
        Outlier("s-7", "staleness_ms", 2_520_000, 2_460_000.0, "far"),
        Outlier("s-8", "staleness_ms", 720_000, 780_000.0, "far"),
    )
    assert "Far from the other sessions in staleness: s-7 (42m 0s), s-8 (12m 0s)." in found.reasons


def test_small_differences_are_not_far() -> None:
    """Where all sessions are alike, a minute or a percent more makes none stand out."""
    assert tune(sweep(*sessions(*[0] * 9, 180_000))).outliers == ()
    assert len(tune(sweep(*sessions(*[0] * 9, 181_000))).outliers) == 1


def test_few_sessions_have_no_rest() -> None:
    """Of four sessions none is far from the others."""
    assert tune(sweep(*sessions(0, 0, 0, 9_000_000))).outliers == ()
    assert len(tune(sweep(*sessions(0, 0, 0, 0, 9_000_000))).outliers) == 1


def test_a_sentence_names_five_and_counts_the_others() -> None:
    """The list has all of them."""
    found = tune(sweep(*sessions(*[0] * 200, *[900_000 + 60_000 * at for at in range(7)])), max_staleness_ms=60_000)
    assert len(found.outliers) == 7
    (sentence,) = [each for each in found.reasons if each.startswith("Beyond")]
    assert sentence.endswith("s-202 (17m 0s) and 2 more.")

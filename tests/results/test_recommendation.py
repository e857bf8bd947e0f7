"""Test the rule that picks an interval, and that it explains itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from timectx.results.recommendation import Recommendation, recommend_interval
from timectx.results.totals import Totals


def outcome(spent: int, p95_ms: int | None, *, blind: int = 0) -> Totals:
    """Return totals of 1000 steps in which readings take `spent` of a million tokens."""
    return replace(
        Totals(),
        runs=1,
        steps=1000,
        reading_tokens=spent,
        input_tokens=1_000_000,
        reading_ratio=spent / 1_000_000,
        staleness_p95_ms=p95_ms,
        blind_steps=blind,
    )


CURVE = {
    0: outcome(300_000, 0),
    60_000: outcome(80_000, 55_000),
    300_000: outcome(30_000, 280_000),
    600_000: outcome(20_000, 560_000),
    3_600_000: outcome(10_000, 2_800_000),
}


def test_the_knee_of_the_curve_wins() -> None:
    """The choice is where share and staleness, each scaled to its range, sum to the least."""
    assert recommend_interval(CURVE) == Recommendation(
        interval_ms=300_000,
        low_ms=300_000,
        high_ms=300_000,
        front_ms=(0, 60_000, 300_000, 600_000, 3_600_000),
        reasons=(
            "At 5m readings take 3.0 % of all tokens, and 95 % of the steps see one at most 4m 40s old.",
            "The next shorter interval worth a look, 1m: 8.0 % of all tokens, "
            "and 95 % of the steps see one at most 55s old.",
            "The next longer interval worth a look, 10m: 2.0 % of all tokens, "
            "and 95 % of the steps see one at most 9m 20s old.",
            "Rule: of the intervals that no other beats in both, the one where share of tokens and staleness, "
            "each scaled to its range here (at least 1 % and one minute), have the smallest sum.",
        ),
    )


def test_two_intervals_that_balance_leave_the_cheaper() -> None:
    """With nothing between them, dearest and cheapest have equal sums; the longer wins."""
    found = recommend_interval({0: CURVE[0], 600_000: CURVE[600_000]})
    assert found is not None
    assert (found.interval_ms, found.low_ms, found.high_ms) == (600_000, 0, 600_000)


@pytest.mark.parametrize(
    ("totals", "best"),
    [
        ({0: (410_000, 0), 60_000: (300_000, 5000)}, 60_000),
        ({0: (3000, 0), 600_000: (1000, 500_000)}, 0),
        ({0: (3000, 0), 60_000: (1000, 5000)}, 60_000),
    ],
    ids=["seconds of staleness", "a fraction of a percent", "both small"],
)
def test_what_makes_little_difference_counts_little(totals: dict[int, tuple[int, int]], best: int) -> None:
    """A range below one minute or one percent is not blown up to the same weight as a large one."""
    found = recommend_interval({ms: outcome(spent, p95_ms) for ms, (spent, p95_ms) in totals.items()})
    assert found is not None
    assert found.interval_ms == best


def test_the_order_in_which_intervals_were_tried_does_not_matter() -> None:
    """Totals are looked at from the shortest interval to the longest."""
    assert recommend_interval(dict(reversed(CURVE.items()))) == recommend_interval(CURVE)


def test_neighbours_that_come_close_are_named_as_a_range() -> None:
    """An interval whose sum lies within a twentieth of the best is about as good."""
    found = recommend_interval({**CURVE, 240_000: outcome(38_000, 230_000)})
    assert found is not None
    assert (found.low_ms, found.interval_ms, found.high_ms) == (240_000, 300_000, 300_000)
    assert "Anything from 4m to 5m is about as good." in found.reasons


def test_intervals_that_change_nothing_leave_the_shortest() -> None:
    """A session shorter than all intervals gives them one outcome; the shortest stands for all."""
    found = recommend_interval({ms: outcome(1000, 70_000) for ms in (600_000, 3_600_000, 60_000)})
    assert found is not None
    assert (found.interval_ms, found.front_ms) == (60_000, (60_000,))
    assert found.reasons == (
        "At 1m readings take 0.1 % of all tokens, and 95 % of the steps see one at most 1m 10s old.",
        "No other interval tried is cheaper or fresher.",
    )


def test_a_beaten_interval_is_not_on_the_front() -> None:
    """Costing more for staler readings, as a clock that goes back can make it, loses outright."""
    found = recommend_interval({**CURVE, 120_000: outcome(90_000, 60_000)})
    assert found is not None
    assert found.front_ms == tuple(CURVE)


def test_an_interval_that_leaves_more_steps_blind_is_set_aside() -> None:
    """What the staleness of the seeing steps hides counts first; up to one step in a hundred is let pass."""
    blind = {**CURVE, 300_000: outcome(30_000, 280_000, blind=11), 600_000: outcome(20_000, 560_000, blind=10)}
    found = recommend_interval(blind)
    assert found is not None
    assert (found.interval_ms, found.front_ms) == (600_000, (0, 60_000, 600_000, 3_600_000))
    assert "Set aside, because they leave more steps without any reading: 5m." in found.reasons


def test_steps_that_are_blind_under_every_interval_set_nothing_aside() -> None:
    """Only what an interval adds to the least possible counts."""
    everywhere = {ms: replace(each, blind_steps=400) for ms, each in CURVE.items()}
    assert recommend_interval(everywhere) == recommend_interval(CURVE)


@pytest.mark.parametrize(
    "totals", [{}, {0: Totals()}, {0: outcome(0, None, blind=1000)}], ids=["no interval", "no step", "all blind"]
)
def test_without_a_step_that_sees_a_reading_there_is_no_recommendation(totals: dict[int, Totals]) -> None:
    """Nothing to compare gives no advice."""
    assert recommend_interval(totals) is None


def test_sessions_that_sent_nothing_cost_nothing() -> None:
    """No input tokens is a share of 0, not a division by zero."""
    found = recommend_interval({0: replace(outcome(0, 0), input_tokens=0, reading_ratio=0.0)})
    assert found is not None
    assert found.interval_ms == 0


def test_the_snippet_is_two_lines_of_configuration() -> None:
    """The number is milliseconds, the comment says it in words."""
    found = recommend_interval(CURVE)
    assert found is not None
    assert found.snippet() == "config:\n  refreshIntervalMs: 300000  # 5m"


@given(
    st.dictionaries(
        st.integers(0, 10**8),
        st.builds(outcome, st.integers(0, 10**6), st.integers(0, 10**9), blind=st.integers(0, 1000)),
        min_size=1,
    )
)
def test_the_choice_is_on_the_front_and_nothing_kept_beats_it(totals: dict[int, Totals]) -> None:
    """For any outcomes: the choice lies in its range, the range on the front, and the front in order."""
    found = recommend_interval(totals)
    assert found is not None
    assert set(found.front_ms) <= set(totals)
    assert found.low_ms <= found.interval_ms <= found.high_ms
    assert {found.low_ms, found.interval_ms, found.high_ms} <= set(found.front_ms)
    shares = [totals[ms].reading_tokens for ms in found.front_ms]
    assert list(found.front_ms) == sorted(found.front_ms)
    assert len(set(zip(shares, (totals[ms].staleness_p95_ms for ms in found.front_ms), strict=True))) == len(shares)

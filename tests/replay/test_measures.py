"""The sums over a run, and the quantiles in them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.results.runs import ATTEMPT, COMPACTION, READING, REQUEST, STEP
from timectx.errors import UnitError
from timectx.replay import Measures, nearest_rank
from timectx.replay.measures import measure_run

NOTHING = Measures(
    attempts=0,
    steps=0,
    requests=0,
    readings=0,
    reading_tokens=0,
    resent_tokens=0,
    input_tokens=0,
    reading_ratio=0.0,
    staleness_median_ms=None,
    staleness_p95_ms=None,
    staleness_max_ms=None,
    age_median_ms=None,
    age_p95_ms=None,
    age_max_ms=None,
    blind_steps=0,
    blind_before_first_steps=0,
    longest_blind_steps=0,
    longest_blind_ms=0,
    unavailable_readings=0,
    unavailable_ratio=0.0,
    zone_mismatch_steps=0,
    compactions=0,
    peak_surface_tokens=0,
)


@pytest.mark.parametrize(
    ("values", "quantile", "found"),
    [
        ([], 0.5, None),
        ([7], 0.01, 7),
        ([7], 1, 7),
        ([30, 10, 20, 40], 0.5, 20),
        ([30, 10, 20], 0.5, 20),
        (range(1, 21), 0.95, 19),
        (range(1, 22), 0.95, 20),
        (range(1, 101), 0.07, 7),
        (range(1, 101), 0.95, 95),
        ([-5, -1], 0.5, -5),
        ([3, 3, 3, 9], 0.75, 3),
    ],
)
def test_a_quantile_is_the_smallest_value_that_enough_of_them_do_not_exceed(
    values: list[int], quantile: float, found: int | None
) -> None:
    """By rank, without interpolating; the rank is exact where a float product would not be."""
    assert nearest_rank(values, quantile) == found


@given(st.lists(st.integers(), min_size=1), st.integers(1, 1000))
def test_a_quantile_is_one_of_the_values_with_that_share_at_or_below_it(values: list[int], thousandth: int) -> None:
    """And no smaller value has as much."""
    found = nearest_rank(iter(values), thousandth / 1000)
    assert found is not None
    share = Fraction(thousandth, 1000) * len(values)
    assert found in values
    assert sum(value <= found for value in values) >= share
    assert sum(value < found for value in values) < share


@pytest.mark.parametrize("quantile", [0, -0.1, 1.01, float("nan")])
def test_a_quantile_lies_above_0_and_not_above_1(quantile: float) -> None:
    """Anything else is refused, also of nothing."""
    with pytest.raises(UnitError) as caught:
        nearest_rank([], quantile)
    assert (caught.value.kind, str(caught.value)) == (
        "quantile",
        f"a quantile is above 0 and at most 1, got {quantile!r}",
    )


def test_nothing_measures_nothing() -> None:
    """No division fails, and what has no value says so."""
    assert measure_run((), (), (), ()) == NOTHING


def test_measures_sum_up_the_parts_of_a_run() -> None:
    """Each by its own rule, whole numbers throughout but for the two ratios."""
    attempts = [replace(ATTEMPT, age_ms=age) for age in (None, -20, 100, 300)]
    readings = [
        READING,
        replace(READING, price_tokens=69, resent_requests=1, elapsed_ms=5),
        replace(READING, resent_requests=0),
    ]
    steps = [
        replace(STEP, now_ms=0, staleness_ms=None, before_first=True, surface_tokens=5, zone_mismatch=True),
        replace(STEP, now_ms=1_000, staleness_ms=None, requests=3, input_tokens=600),
        replace(STEP, now_ms=5_000, staleness_ms=0, surface_tokens=900),
        replace(STEP, now_ms=9_000, staleness_ms=4_000, zone_mismatch=True),
        replace(STEP, now_ms=9_500, staleness_ms=None),
    ]
    assert measure_run(attempts, readings, steps, [COMPACTION]) == Measures(
        attempts=4,
        steps=5,
        requests=7,
        readings=3,
        reading_tokens=71 + 69 + 71,
        resent_tokens=2 * 71 + 69,
        input_tokens=4 * 221 + 600,
        reading_ratio=(211 + 211) / 1484,
        staleness_median_ms=0,
        staleness_p95_ms=4_000,
        staleness_max_ms=4_000,
        age_median_ms=100,
        age_p95_ms=300,
        age_max_ms=300,
        blind_steps=3,
        blind_before_first_steps=1,
        longest_blind_steps=2,
        longest_blind_ms=5_000,
        unavailable_readings=2,
        unavailable_ratio=2 / 3,
        zone_mismatch_steps=2,
        compactions=1,
        peak_surface_tokens=900,
    )


def test_a_request_of_no_step_is_counted_beside_those_of_the_steps() -> None:
    """A timer's own; the others are in their steps already."""
    requests = [
        replace(REQUEST, kind="tool", input_tokens=100),
        replace(REQUEST, input_tokens=121),
        replace(REQUEST, kind="timer", input_tokens=50),
        replace(REQUEST, kind="timer", input_tokens=60),
    ]
    found = measure_run((), (), [replace(STEP, requests=2)], (), requests)
    assert (found.requests, found.input_tokens) == (4, 221 + 110)


def test_summaries_are_added_up_apart_and_what_was_told_is_passed_on() -> None:
    """A recorded compaction does not say what its summary cost."""
    simulated = replace(COMPACTION, summary_input_tokens=700, summary_output_tokens=30)
    found = measure_run(
        (), (), (), [COMPACTION, simulated, simulated], peak_pressure_tokens=900, first_compaction_step=3
    )
    assert (found.compaction_input_tokens, found.compaction_output_tokens) == (1400, 60)
    assert (found.peak_pressure_tokens, found.first_compaction_step) == (900, 3)


@pytest.mark.parametrize(
    ("steps", "longest"),
    [
        ([(0, 0), (5, 0)], (0, 0)),
        ([(0, None)], (1, 0)),
        ([(0, None), (7, None)], (2, 7)),
        ([(0, None), (7, 0), (9, None), (10, None), (12, 0)], (2, 7)),
        ([(100, None), (40, None), (60, 0)], (2, 0)),
    ],
    ids=["never", "one", "to-the-end", "steps-and-time-apart", "clock-back"],
)
def test_the_longest_blind_time_runs_until_a_step_sees_again(
    steps: list[tuple[int, int | None]], longest: tuple[int, int]
) -> None:
    """Or until the last step; the longest row of steps and the longest time need not be the same."""
    found = measure_run((), (), [replace(STEP, now_ms=now_ms, staleness_ms=stale) for now_ms, stale in steps], ())
    assert (found.longest_blind_steps, found.longest_blind_ms) == longest

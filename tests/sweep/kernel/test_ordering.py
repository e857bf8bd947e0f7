"""Values in order give nearest-rank quantiles and counts by bins, whichever way they were sorted."""

from __future__ import annotations

from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.replay import nearest_rank
from timectx.results.edges import STALENESS_EDGES_MS, bin_of, pack_counts
from timectx.sweep.flat.codes import MISSING, PLACES
from timectx.sweep.kernel import ordering, sorting
from timectx.sweep.kernel.ordering import end_of, pack_bins, pick_rank

LARGEST = 10**12
VALUES = st.lists(st.integers(0, LARGEST) | st.integers(0, 90_000), max_size=40)
SIGNED = st.lists(st.integers(-LARGEST, LARGEST), max_size=40)


@pytest.mark.parametrize("module", [ordering, sorting])
@pytest.mark.parametrize("times", [1, 80])
@given(st.lists(SIGNED.map(sorted), max_size=9), st.integers(0, 3))
def test_both_ways_put_the_first_values_in_order(module: object, times: int, runs: list[list[int]], more: int) -> None:
    """Few runs or many, few values or many; what stands behind the first ones is left alone."""
    values = [value for run in runs for value in run] * times + [7] * more
    count = len(values) - more
    expected = [*sorted(values[:count]), *values[count:]]
    module.order(values, count, [0] * len(values), [0] * PLACES)  # type: ignore[attr-defined]
    assert values == expected


@given(VALUES.map(sorted), VALUES.map(sorted), st.integers(0, 9), st.sampled_from((0.5, 0.95, 1.0)))
def test_a_rank_among_zeros_and_two_rows_is_that_of_all(
    one: list[int], other: list[int], zeros: int, quantile: float
) -> None:
    """As if all values stood in one row."""
    whole = [0] * zeros + one + other
    expected = nearest_rank(whole, quantile)
    count = len(whole)
    rank = {0.5: (count + 1) // 2, 0.95: (count * 19 + 19) // 20, 1.0: count}[quantile]
    found = pick_rank(zeros, one, len(one), other, len(other), rank)
    assert found == (MISSING if expected is None else expected)


@given(SIGNED.map(sorted), SIGNED.map(sorted))
def test_without_zeros_values_may_be_below_0(one: list[int], other: list[int]) -> None:
    """Ages of a clock that went back are."""
    count = len(one) + len(other)
    found = [pick_rank(0, one, len(one), other, len(other), rank) for rank in range(1, count + 1)]
    assert found == sorted(one + other)


@given(VALUES.map(sorted), st.integers(0, 5), st.integers(0, LARGEST))
def test_the_end_of_what_does_not_exceed_a_bound(values: list[int], first: int, most: int) -> None:
    """Searched from some place on."""
    first = min(first, len(values))
    assert end_of(values, first, len(values), most) == max(first, bisect_right(values, most))


@given(VALUES.map(sorted), VALUES.map(sorted), st.integers(0, 70_000))
def test_counts_by_bins_are_written_as_everywhere(one: list[int], other: list[int], zeros: int) -> None:
    """Six bytes a bin, as `pack_counts` packs them."""
    counts: dict[int, int] = {0: zeros} if zeros else {}
    for value in one + other:
        counts[bin_of(value)] = counts.get(bin_of(value), 0) + 1
    packed = bytearray(6 * len(STALENESS_EDGES_MS) + 1)
    end = pack_bins(STALENESS_EDGES_MS, zeros, one, len(one), other, len(other), packed, 1)
    assert bytes(packed[1:end]) == pack_counts(counts)

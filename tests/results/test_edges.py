"""Staleness is counted in fixed bins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.errors import UnitError
from timectx.replay import nearest_rank
from timectx.results.edges import (
    BEYOND_MS,
    STALENESS_EDGES_MS,
    bin_of,
    edge_of,
    pack_counts,
    quantile_edge,
    unpack_counts,
)
from timectx.units import parse_interval

STALENESS = st.lists(st.integers(0, 90 * 86_400_000))


def test_edges_rise_from_zero_to_beyond():
    """No edge is there twice, and every staleness has one."""
    assert list(STALENESS_EDGES_MS) == sorted(set(STALENESS_EDGES_MS))
    assert (STALENESS_EDGES_MS[0], STALENESS_EDGES_MS[-1], len(STALENESS_EDGES_MS)) == (0, BEYOND_MS, 350)


@pytest.mark.parametrize(
    "text", ["0", "1s", "30s", "1m", "2m", "5m", "10m", "15m", "30m", "1h", "2h", "6h", "1d", "7d"]
)
def test_round_thresholds_are_edges(text):
    """What people write as a bound is an edge, so that comparing with it is exact."""
    assert edge_of(parse_interval(text)) == parse_interval(text)


@pytest.mark.parametrize(
    ("value_ms", "edge_ms"),
    [
        (0, 0),
        (1, 1000),
        (60_000, 60_000),
        (60_001, 65_000),
        (600_001, 660_000),
        (3_600_001, 4_200_000),
        (21_600_001, 25_200_000),
        (172_800_001, 259_200_000),
        (60 * 86_400_000 + 1, BEYOND_MS),
    ],
)
def test_a_value_counts_at_the_smallest_edge_that_holds_it(value_ms, edge_ms):
    """Each range of staleness has its own distance between edges."""
    assert edge_of(value_ms) == edge_ms


@given(STALENESS, st.sampled_from([0.01, 0.07, 0.5, 0.9, 0.95, 0.99, 1]))
def test_a_pooled_quantile_is_the_exact_one_rounded_up(values, quantile):
    """Binning loses nothing but what lies between two edges."""
    counts = {}
    for value in values:
        counts[bin_of(value)] = counts.get(bin_of(value), 0) + 1
    exact = nearest_rank(values, quantile)
    assert quantile_edge(counts, quantile) == (None if exact is None else edge_of(exact))


@given(st.dictionaries(st.integers(0, len(STALENESS_EDGES_MS) - 1), st.integers(1, 2**32 - 1)))
def test_packed_counts_come_back(counts):
    """What is written is read, bins rising."""
    assert list(unpack_counts(pack_counts(counts)).items()) == sorted(counts.items())


def test_counts_take_six_bytes_a_bin():
    """The bytes are fixed: uint16 and uint32, little endian."""
    assert pack_counts({349: 258, 0: 1}) == b"\x00\x00\x01\x00\x00\x00\x5d\x01\x02\x01\x00\x00"


@pytest.mark.parametrize("packed", [b"\x00", b"\xff\xff\x01\x00\x00\x00"])
def test_other_bytes_are_no_counts(packed):
    """A cut table and an unknown bin are refused."""
    with pytest.raises(UnitError) as caught:
        unpack_counts(packed)
    assert caught.value.kind == "counts"


@pytest.mark.parametrize("quantile", [0, 1.5, -0.5])
def test_a_quantile_out_of_range_is_refused(quantile):
    """As everywhere, a quantile is above 0 and at most 1."""
    with pytest.raises(UnitError, match="above 0 and at most 1"):
        quantile_edge({0: 1}, quantile)

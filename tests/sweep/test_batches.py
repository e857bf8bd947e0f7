"""Batches keep the order, lose nothing, and are about equally large."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from timectx.sweep.batches import BATCH_BYTES, batches_of


@given(st.lists(st.integers(0, 100)), st.integers(1, 120))
def test_batches_hold_everything_in_order(sizes: list[int], limit: int) -> None:
    """Each is as large as it can be: at most the limit, unless it is a single item."""
    batches = list(batches_of(zip(sizes, sizes, strict=True), limit))
    assert [size for batch in batches for size in batch] == sizes
    assert all(len(batch) == 1 or sum(batch) <= limit for batch in batches)
    assert all(sum(batch) + following[0] > limit for batch, following in pairwise(batches))


def test_small_sessions_make_batches_too() -> None:
    """A thousand of them have enough rows to send back."""
    assert [len(batch) for batch in batches_of((None, 1) for _ in range(2500))] == [1000, 1000, 500]


def test_a_batch_is_about_twenty_megabytes() -> None:
    """Whatever the machine: the results of a cluster and of one core are cut alike."""
    assert BATCH_BYTES == 20_000_000

"""Put values in order, and take quantiles and counts from them."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any

from timectx.sweep.flat.codes import MISSING

__all__ = ["end_of", "order", "pack_bins", "pick_rank"]


def order(values: Any, count: int, spare: Any, places: Any) -> None:
    """
    Put the first values in rising order.

    Parameters
    ----------
    values : mutable sequence of int
        Values, changed in place.
    count : int
        How many of them to take.
    spare, places : mutable sequence of int
        Room to work in, for as many values, and for `PLACES` numbers.

    Notes
    -----
    The one function of the kernel that is not compiled from its source: where loops are compiled,
    `timectx.sweep.kernel.sorting` takes its place.
    """
    values[:count] = sorted(values[:count])


def pick_rank(zeros: int, one: Sequence[int], ones: int, other: Sequence[int], others: int, rank: int) -> int:
    """
    Return the value of a rank among zeros and two rising rows of values.

    Parameters
    ----------
    zeros : int
        How many zeros there are beside them; with any, no value is below 0.
    one : sequence of int
        In rising order.
    ones : int
        How many values it has.
    other : sequence of int
        In rising order.
    others : int
        How many values it has.
    rank : int
        From 1.

    Returns
    -------
    int
        `MISSING` where there is no value at all.
    """
    if zeros + ones + others == 0:
        return MISSING
    if rank <= zeros:
        return 0
    rank -= zeros
    low, high = max(0, rank - others), min(ones, rank)
    while low < high:  # how many of the first `rank` values are of `one`
        middle = (low + high) // 2
        if one[middle] < other[rank - middle - 1]:
            low = middle + 1
        else:
            high = middle
    best = MISSING
    if low > 0:
        best = one[low - 1]
    if rank > low and (low == 0 or other[rank - low - 1] > best):
        best = other[rank - low - 1]
    return best


def end_of(values: Sequence[int], first: int, count: int, most: int) -> int:
    """
    Return how far values in rising order do not exceed a bound.

    Parameters
    ----------
    values : sequence of int
        In rising order.
    first, count : int
        Where to begin, and how many values there are.
    most : int
        The bound.

    Returns
    -------
    int
        The place of the first value beyond it.
    """
    step = 1
    while first + step <= count and values[first + step - 1] <= most:
        step *= 2
    low, high = first + step // 2, min(first + step - 1, count)
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= most:
            low = middle + 1
        else:
            high = middle
    return low


def pack_bins(
    edges: Sequence[int],
    zeros: int,
    one: Sequence[int],
    ones: int,
    other: Sequence[int],
    others: int,
    packed: MutableSequence[int],
    at: int,
) -> int:
    """
    Count values by bins, and write the counts as `timectx.results.edges.pack_counts` does.

    Parameters
    ----------
    edges : sequence of int
        The upper edges of the bins.
    zeros : int
        As for `pick_rank`; no value is below 0.
    one : sequence of int
        As for `pick_rank`.
    ones : int
        As for `pick_rank`.
    other : sequence of int
        As for `pick_rank`.
    others : int
        As for `pick_rank`.
    packed : mutable sequence of int
        Where to write, byte by byte.
    at : int
        From where on.

    Returns
    -------
    int
        The place after the last byte.
    """
    first = second = each = 0
    while first < ones or second < others or (each == 0 and zeros > 0):
        if each > 0:
            value = one[first] if first < ones else other[second]
            if second < others and other[second] < value:
                value = other[second]
            while edges[each] < value:
                each += 1
        edge = edges[each]
        one_end, other_end = end_of(one, first, ones, edge), end_of(other, second, others, edge)
        count = one_end - first + other_end - second + (zeros if each == 0 else 0)
        first, second = one_end, other_end
        if count > 0:
            packed[at], packed[at + 1] = each & 255, each >> 8
            packed[at + 2], packed[at + 3] = count & 255, count >> 8 & 255
            packed[at + 4], packed[at + 5] = count >> 16 & 255, count >> 24
            at += 6
        each += 1
    return at

"""Put whole numbers in order inside compiled loops."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["order"]

_FEW_BITS: Final = 8
_MANY_BITS: Final = 11  # 2 ** 11 is PLACES
_MERGING: Final = 32
_SORTING: Final = 10
_COUNTING: Final = 4
"""About what it costs to move a value by merging, to move it by a digit, and to count one place of a digit."""


def order(values: Any, count: int, spare: Any, places: Any) -> None:
    """
    Put the first values in rising order: by merging runs where they are few, else digit by digit.

    Parameters
    ----------
    values : array of int
        Values, changed in place.
    count : int
        How many of them to take.
    spare, places : array of int
        Room to work in: for as many values, and for `PLACES` numbers.
    """
    least = most = values[0] if count > 0 else 0
    runs = 1
    for at in range(1, count):
        value = values[at]
        if value < values[at - 1]:
            runs += 1
            if value < least:
                least = value
        elif value > most:
            most = value
    if runs == 1:
        return
    here, there, is_moved = values, spare, False
    rounds = few = many = 0
    while (runs - 1) >> rounds > 0:
        rounds += 1
    while (most - least) >> few * _FEW_BITS > 0:
        few += 1
    while (most - least) >> many * _MANY_BITS > 0:
        many += 1
    by_few = few * (count * _SORTING + (_COUNTING << _FEW_BITS))
    by_many = many * (count * _SORTING + (_COUNTING << _MANY_BITS))
    if rounds * count * _MERGING <= min(by_few, by_many):
        while runs > 1:
            runs = merge_runs(here, there, count)
            here, there, is_moved = there, here, not is_moved
    else:
        bits, digits = (_FEW_BITS, few) if by_few <= by_many else (_MANY_BITS, many)
        for digit in range(digits):
            sort_digit(here, there, count, least, digit * bits, (1 << bits) - 1, places)
            here, there, is_moved = there, here, not is_moved
    if is_moved:
        for at in range(count):
            values[at] = spare[at]


def merge_runs(here: Any, there: Any, count: int) -> int:
    """
    Merge each run of rising values with the next.

    Parameters
    ----------
    here, there : array of int
        The values, and where they go.
    count : int
        How many values there are.

    Returns
    -------
    int
        How many runs are left.
    """
    runs = begin = 0
    while begin < count:
        middle = begin + 1
        while middle < count and here[middle] >= here[middle - 1]:
            middle += 1
        end = middle
        if end < count:
            end += 1
            while end < count and here[end] >= here[end - 1]:
                end += 1
        one, other, at = begin, middle, begin
        while one < middle and other < end:  # no branch on which is smaller: none could foretell it
            value, its = here[one], here[other]
            is_first = value <= its
            there[at] = value if is_first else its
            one += is_first
            other += not is_first
            at += 1
        for each in range(one, middle):
            there[at] = here[each]
            at += 1
        for each in range(other, end):
            there[at] = here[each]
            at += 1
        begin = end
        runs += 1
    return runs


def sort_digit(here: Any, there: Any, count: int, least: int, shift: int, mask: int, places: Any) -> None:
    """
    Put values in the order of one of their digits.

    Parameters
    ----------
    here, there : array of int
        The values, and where they go.
    count, least : int
        How many values there are, and the smallest.
    shift, mask : int
        Which digit.
    places : array of int
        Room for as many numbers as there are digits.
    """
    for digit in range(mask + 1):
        places[digit] = 0
    for at in range(count):
        places[(here[at] - least) >> shift & mask] += 1
    below = 0
    for digit in range(mask + 1):
        below, places[digit] = below + places[digit], below
    for at in range(count):
        digit = (here[at] - least) >> shift & mask
        there[places[digit]] = here[at]
        places[digit] += 1

"""Put whole numbers in order inside compiled loops."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["order"]

_FEW: Final = 1500
_FEW_BITS: Final = 8
_MANY_BITS: Final = 11  # 2 ** 11 is PLACES


def order(values: Any, count: int, spare: Any, places: Any) -> None:
    """
    Put the first values in rising order, digit by digit from the last to the first.

    Parameters
    ----------
    values : array of int
        Values, changed in place.
    count : int
        How many of them to take.
    spare, places : array of int
        Room to work in: for as many values, and for `PLACES` numbers.
    """
    here, there, result = values[:count], spare[:count], values[:count]
    is_moved = False
    least = most = here[0] if count > 0 else 0
    is_rising = True
    for at in range(1, count):
        value = here[at]
        if value < here[at - 1]:
            is_rising = False
            if value < least:
                least = value
        elif value > most:
            most = value
    if is_rising:
        return
    bits = _FEW_BITS if count < _FEW else _MANY_BITS
    mask, shift = (1 << bits) - 1, 0
    while (most - least) >> shift > 0:
        places[: mask + 1] = 0
        for value in here:
            places[(value - least) >> shift & mask] += 1
        below = 0
        for digit in range(mask + 1):
            below, places[digit] = below + places[digit], below
        for value in here:
            digit = (value - least) >> shift & mask
            there[places[digit]] = value
            places[digit] += 1
        here, there = there, here
        shift += bits
        is_moved = not is_moved
    if is_moved:
        for at in range(count):
            result[at] = here[at]

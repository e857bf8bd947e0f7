"""Read the time: the one place that asks the real clock, and a clock that stands still."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from timectx.errors import UnitError
from timectx.units import MAX_INSTANT_MS, EpochMs, is_safe_integer

__all__ = ["Clock", "fixed_clock", "system_clock"]

Clock: TypeAlias = Callable[[], EpochMs]
"""Anything that returns the present instant in epoch milliseconds when called."""


def system_clock() -> Clock:
    """
    Return a clock that reads the time of the machine, real or frozen.

    Returns
    -------
    Clock
        Reads whole milliseconds; under a frozen clock exactly the frozen instant.

    Notes
    -----
    The nanosecond clock is rounded to microseconds first: frozen clocks are kept as floats
    and come out up to 232 ns off.
    """
    return _read_system_clock


def fixed_clock(time_ms: int) -> Clock:
    """
    Return a clock that always reads the same instant.

    Parameters
    ----------
    time_ms : int
        Epoch milliseconds.

    Returns
    -------
    Clock
        Reads `time_ms` for ever.

    Raises
    ------
    UnitError
        If `time_ms` is not a whole number that a JavaScript Date can hold.

    Examples
    --------
    >>> fixed_clock(90_000)()
    90000
    """
    if not is_safe_integer(time_ms) or abs(time_ms) > MAX_INSTANT_MS:
        raise UnitError(f"not an instant in whole epoch milliseconds: {time_ms!r}", kind="time-out-of-range")
    return lambda: EpochMs(time_ms)


def _read_system_clock() -> EpochMs:
    microseconds = (time.time_ns() + 500) // 1000
    return EpochMs(microseconds // 1000)

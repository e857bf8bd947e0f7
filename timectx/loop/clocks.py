"""Let a scripted agent spend time: a clock it can read and move."""

from __future__ import annotations

from typing import Protocol

from timectx.errors import UnitError
from timectx.units import MAX_INSTANT_MS, EpochMs, is_safe_integer

__all__ = ["HandClock", "MovableClock"]


class MovableClock(Protocol):
    """Stand for a clock that moves when told, such as a `FrozenClock` or a `HandClock`."""

    def __call__(self) -> EpochMs:
        """Return the present instant in epoch milliseconds."""

    def advance(self, duration_ms: int) -> None:
        """
        Move the clock.

        Parameters
        ----------
        duration_ms : int
            How far, in milliseconds; negative steps back.
        """


class HandClock:
    """
    Keep a clock that is nobody else's: the process's own clock runs on.

    Parameters
    ----------
    start_ms : int
        Where it stands at first, in epoch milliseconds.

    Raises
    ------
    UnitError
        Kind ``time-out-of-range`` for what no JavaScript Date holds.

    Examples
    --------
    >>> clock = HandClock(1_000)
    >>> clock.advance(-250)
    >>> clock()
    750
    """

    def __init__(self, start_ms: int) -> None:
        self._now_ms = _checked(start_ms)

    def __call__(self) -> EpochMs:
        """Return the present instant in epoch milliseconds."""
        return EpochMs(self._now_ms)

    def advance(self, duration_ms: int) -> None:
        """
        Move the clock.

        Parameters
        ----------
        duration_ms : int
            How far, in milliseconds; negative steps back.

        Raises
        ------
        UnitError
            Kind ``time-out-of-range``.
        """
        self._now_ms = _checked(self._now_ms + duration_ms)


def _checked(time_ms: int) -> int:
    if not is_safe_integer(time_ms) or abs(time_ms) > MAX_INSTANT_MS:
        raise UnitError(f"not an instant in whole epoch milliseconds: {time_ms!r}", kind="time-out-of-range")
    return time_ms

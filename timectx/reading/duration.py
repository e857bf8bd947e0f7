"""Write elapsed time the way a reading does, and read it back."""

from __future__ import annotations

import re
from typing import Final

from timectx.errors import ReadingError
from timectx.units import whole_number

__all__ = ["DURATION_PATTERN", "format_duration", "parse_duration"]

DURATION_PATTERN: Final = (
    r"(?:[1-9][0-9]{0,14}d )?(?:(?:[1-9]|1[0-9]|2[0-3])h )?(?:(?:[1-9]|[1-5][0-9])m )?(?:[0-9]|[1-5][0-9])s"
)
"""Regular expression of every text `format_duration` writes."""

_DURATION: Final = re.compile(DURATION_PATTERN)
_UNIT_S: Final = {"d": 86_400, "h": 3600, "m": 60, "s": 1}


def format_duration(elapsed_ms: int) -> str:
    """
    Write an elapsed time in whole seconds.

    Parameters
    ----------
    elapsed_ms : int
        Milliseconds; less than 0, after a clock went back, counts as 0.

    Returns
    -------
    str
        Days, hours and minutes where not zero, and always seconds, rounded down.

    Raises
    ------
    UnitError
        Kind ``whole-number`` for anything but a whole number, such as a float.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/index.ts.

    Examples
    --------
    >>> format_duration(90_061_000), format_duration(3_600_000), format_duration(-5000)
    ('1d 1h 1m 1s', '1h 0s', '0s')
    """
    minutes, seconds = divmod(max(0, whole_number(elapsed_ms, "an elapsed time in milliseconds")) // 1000, 60)
    if not minutes:
        return f"{seconds}s"
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    larger = ((days, "d "), (hours, "h "), (minutes, "m "))
    return "".join(f"{count}{unit}" for count, unit in larger if count) + f"{seconds}s"


def parse_duration(text: str) -> int:
    """
    Read an elapsed time that `format_duration` wrote.

    Parameters
    ----------
    text : str
        Such as ``1h 0s``.

    Returns
    -------
    int
        Milliseconds, whole seconds.

    Raises
    ------
    ReadingError
        If `format_duration` writes no such text (kind ``not-a-duration``).

    Examples
    --------
    >>> parse_duration("1d 1h 1m 1s")
    90061000
    """
    if _DURATION.fullmatch(text) is None:
        raise ReadingError(f"not an elapsed time: {text!r}; expected a text such as 1h 5m 0s", kind="not-a-duration")
    return 1000 * sum(int(part[:-1]) * _UNIT_S[part[-1]] for part in text.split(" "))

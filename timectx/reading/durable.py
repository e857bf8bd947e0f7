"""Take a three-line reading apart as the original's companion checker does, looser than `parse_reading`."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from timectx.reading.civil import DAY_S, day_number
from timectx.units import MAX_SAFE_INTEGER

__all__ = ["DurableText", "parse_date", "parse_durable"]

# a line break to JavaScript is any of four characters
_INLINE: Final = "[^\n\r\u2028\u2029]"
_TEXT: Final = re.compile(
    r"Time sampled while preparing turn ([0-9]+), step ([0-9]+): "
    r"(([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:Z|[+-][0-9]{2}:[0-9]{2}))\[[^\]]+\])\n"
    rf"(Browser time zone for this request: {_INLINE}+)\n"
    r"Elapsed since the preceding (model-visible message|step context): "
    r"(?:unavailable|(?:[0-9]+d )?(?:[0-9]+h )?(?:[0-9]+m )?[0-9]+s)\."
)
_DATE: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_SAFE_DIGITS: Final = 16


class DurableText(msgspec.Struct, frozen=True):
    """
    Hold the parts of a three-line reading that the checker compares.

    Parameters
    ----------
    turn : int
        The turn named; beyond 2**53 - 1 it is only known to be too large.
    step : int
        The step named, likewise.
    timestamp : str
        The whole timestamp, label included.
    date : str
        The part of the timestamp before the label, for `parse_date`.
    browser_line : str
        The second line.
    baseline : str
        ``model-visible message`` or ``step context``.
    """

    turn: int
    step: int
    timestamp: str
    date: str
    browser_line: str
    baseline: str


def parse_durable(text: str) -> DurableText | None:
    """
    Take a text apart if it has the form the checker demands.

    Parameters
    ----------
    text : str
        The whole text of the message.

    Returns
    -------
    DurableText or None
        None when the form differs: a year of other than four digits, an offset with seconds,
        two lines, anything after the last full stop.

    Notes
    -----
    Leading zeros and a ``Z`` for the offset pass here, though no formatter writes them.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/invariant.ts.

    Examples
    --------
    >>> parse_durable("Time sampled while preparing turn 1, step 1: now") is None
    True
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    turn, step, timestamp, date, browser_line, baseline = found.groups()
    return DurableText(_count(turn), _count(step), timestamp, date, browser_line, baseline)


def parse_date(text: str) -> int | None:
    """
    Read a date with four-digit year and offset as JavaScript's ``Date.parse`` does.

    Parameters
    ----------
    text : str
        Such as ``2026-07-15T09:01:01+08:00``.

    Returns
    -------
    int or None
        Milliseconds since the Unix epoch; None when JavaScript gives no number.

    Notes
    -----
    A day up to 31 that its month lacks runs into the next month, and 24:00:00 is the next
    midnight.

    References
    ----------
    ECMA-262, "Date Time String Format", as V8 reads it.

    Examples
    --------
    >>> parse_date("2026-02-30T00:00:00Z") == parse_date("2026-03-02T00:00:00Z")
    True
    >>> parse_date("2026-01-01T24:00:01Z") is None
    True
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, offset_hour, offset_minute = (
        int(found[group] or 0) for group in (1, 2, 3, 4, 5, 6, 8, 9)
    )
    is_time = hour < 24 or (hour == 24 and minute == second == 0)
    is_valid = 1 <= month <= 12 and 1 <= day <= 31 and is_time and minute < 60 and second < 60
    if not is_valid or offset_hour > 23 or offset_minute > 59:
        return None
    offset_s = (offset_hour * 3600 + offset_minute * 60) * (-1 if found[7] == "-" else 1)
    return (day_number(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second - offset_s) * 1000


def _count(digits: str) -> int:
    """Return a number of any length, or one past the largest safe integer for a longer one."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _SAFE_DIGITS else MAX_SAFE_INTEGER + 1

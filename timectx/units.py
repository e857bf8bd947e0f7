"""Give every quantity its unit: typed integers, and durations as people write them."""

from __future__ import annotations

import operator
import re
from fractions import Fraction
from typing import Final, NewType, SupportsIndex

from timectx.errors import UnitError

__all__ = [
    "MAX_INSTANT_MS",
    "MAX_SAFE_INTEGER",
    "DurationMs",
    "EpochMs",
    "Seq",
    "Tokens",
    "format_interval",
    "is_safe_integer",
    "parse_interval",
    "whole_number",
]

EpochMs = NewType("EpochMs", int)
"""An instant: milliseconds since the Unix epoch, negative before it."""

DurationMs = NewType("DurationMs", int)
"""A length of time in milliseconds."""

Tokens = NewType("Tokens", int)
"""A number of tokens, reported or estimated."""

Seq = NewType("Seq", int)
"""An event's place in its log, from 0."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer a JSON number of the original system holds exactly."""

MAX_INSTANT_MS: Final = 8_640_000_000_000_000
"""The farthest instant from the epoch that a JavaScript Date holds, in milliseconds."""

_UNIT_MS: Final = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_PART: Final = re.compile(r"(\d{1,20}(?:\.\d{1,20})?)\s*(ms|d|h|m|s)\s*", re.ASCII)


def is_safe_integer(value: object) -> bool:
    """
    Tell whether a value is an integer that JSON carries exactly.

    Parameters
    ----------
    value : object
        Anything; a bool is not a number here.

    Returns
    -------
    bool
        True for an int within plus or minus 2**53 - 1.

    Examples
    --------
    >>> is_safe_integer(2**53), is_safe_integer(True), is_safe_integer(0)
    (False, False, True)
    """
    return type(value) is int and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER


def whole_number(value: object, what: str) -> int:
    """
    Return a whole number of any integer type as an int.

    Parameters
    ----------
    value : object
        An int, or what stands for one exactly, such as a NumPy integer.
    what : str
        What it is, for the error.

    Returns
    -------
    int
        The same number.

    Raises
    ------
    UnitError
        Kind ``whole-number`` for a float, even a whole one, a bool and anything else.

    Examples
    --------
    >>> whole_number(61_000, "an elapsed time")
    61000
    """
    if type(value) is int:
        return value
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        return operator.index(value)
    raise UnitError(f"{what} is a whole number, got {value!r}", kind="whole-number")


def parse_interval(text: str) -> DurationMs:
    """
    Read a duration such as ``10m``, ``1h 30m`` or ``500ms``.

    Parameters
    ----------
    text : str
        Numbers with a unit (d, h, m, s, ms), largest unit first, each at most once;
        ``0`` alone needs no unit. Fractions are allowed where they make whole milliseconds.

    Returns
    -------
    DurationMs
        The duration in milliseconds; 0 means "at every attempt" where an interval is meant.

    Raises
    ------
    UnitError
        Kind ``duration-syntax`` if the text is empty, negative or too long, or has a unit that is
        missing, unknown, repeated or out of order; ``duration-range`` if it is finer than a
        millisecond or longer than a log can hold.

    Examples
    --------
    >>> parse_interval("1h 30m"), parse_interval("0"), parse_interval("1.5s")
    (5400000, 0, 1500)
    """
    trimmed = text.strip()
    if trimmed == "0":
        return DurationMs(0)
    total, at, last = Fraction(0), 0, None
    while at < len(trimmed):
        part = _PART.match(trimmed, at)
        if part is None or (last is not None and _UNIT_MS[part[2]] >= last):
            break
        last = _UNIT_MS[part[2]]
        total += Fraction(part[1]) * last  # exact: as floats, 1.001 s are no whole milliseconds
        at = part.end()
    if not trimmed or at < len(trimmed):
        raise UnitError(
            f"not a duration: {text!r}; expected 0, or numbers with d, h, m, s or ms, as in 10m or 1h 30m",
            kind="duration-syntax",
        )
    if total.denominator != 1 or total > MAX_SAFE_INTEGER:
        raise UnitError(f"not a whole number of milliseconds up to {MAX_SAFE_INTEGER}: {text!r}", kind="duration-range")
    return DurationMs(int(total))


def format_interval(interval_ms: int) -> str:
    """
    Write a duration the way `parse_interval` reads it, without zero units.

    Parameters
    ----------
    interval_ms : int
        A duration in milliseconds, 0 or more.

    Returns
    -------
    str
        Such as ``10m`` or ``1h 30m``; ``0`` for none.

    Raises
    ------
    UnitError
        Kind ``duration-range`` if `interval_ms` is negative.

    Examples
    --------
    >>> format_interval(600_000), format_interval(5_400_000), format_interval(1_500)
    ('10m', '1h 30m', '1s 500ms')
    """
    if interval_ms < 0:
        raise UnitError(f"a duration cannot be negative: {interval_ms}", kind="duration-range")
    parts, rest = [], interval_ms
    for unit, size in _UNIT_MS.items():
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0"

"""Read the times of a script: the instant it starts at, and durations that may step back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, TypeAlias

from timectx.errors import ScenarioError
from timectx.units import MAX_INSTANT_MS, is_safe_integer, parse_interval

__all__ = ["Span", "parse_start", "span_ms"]

Span: TypeAlias = str | int
"""A duration: milliseconds, or a text such as ``3s`` or ``1h 30m``; a leading minus steps back."""

_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def parse_start(start: str | int) -> int:
    """
    Return the instant a session starts at.

    Parameters
    ----------
    start : str or int
        Epoch milliseconds, or ISO 8601 with an offset.

    Returns
    -------
    int
        Epoch milliseconds.

    Raises
    ------
    ScenarioError
        Kind ``script`` if it is neither, or lies outside the instants of a JavaScript Date.

    Examples
    --------
    >>> parse_start("2026-07-15T09:00:00+08:00")
    1784077200000
    """
    instant: object = start
    if isinstance(start, str) and not start.strip().lstrip("-").isdecimal():
        try:
            instant = (datetime.fromisoformat(start) - _EPOCH) // timedelta(milliseconds=1)
        except (ValueError, TypeError):
            instant = None
    elif isinstance(start, str):
        instant = int(start)
    if not is_safe_integer(instant) or not isinstance(instant, int) or abs(instant) > MAX_INSTANT_MS:
        cure = "expected epoch milliseconds, or ISO 8601 with an offset"
        raise ScenarioError(f"not an instant: {start!r}; {cure}", kind="script")
    return instant


def span_ms(span: Span) -> int:
    """
    Return a script's duration in milliseconds.

    Parameters
    ----------
    span : str or int
        Milliseconds, or a text as `parse_interval` reads it; a leading minus lets the clock step back.

    Returns
    -------
    int
        Milliseconds.

    Raises
    ------
    UnitError
        If a text is no duration.
    ScenarioError
        Kind ``script`` if a number is none.

    Examples
    --------
    >>> span_ms("1h 30m"), span_ms(250), span_ms("-5s")
    (5400000, 250, -5000)
    """
    if isinstance(span, str):
        text = span.strip()
        return -parse_interval(text[1:]) if text.startswith("-") else parse_interval(text)
    if not is_safe_integer(span) or abs(span) > MAX_INSTANT_MS:
        raise ScenarioError(f"not a duration in whole milliseconds: {span!r}", kind="script")
    return span

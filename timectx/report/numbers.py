"""Write numbers the same way all over a report: exact where they are whole, with one rounding where not."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from timectx.units import format_interval

__all__ = ["NO_VALUE", "count", "dollars", "dollars_of", "duration", "interval_words", "percent", "percent_of"]

NO_VALUE: Final = "none"
"""What stands where there is no value."""


def count(number: int | None) -> str:
    """
    Write a whole number.

    Parameters
    ----------
    number : int or None
        Of tokens, steps or anything else.

    Returns
    -------
    str
        With a comma between thousands; `NO_VALUE` for None.

    Examples
    --------
    >>> count(14306), count(None)
    ('14,306', 'none')
    """
    return NO_VALUE if number is None else f"{number:,}"


def percent(part: int, whole: int) -> str:
    """
    Write a share in percent.

    Parameters
    ----------
    part, whole : int
        The share is the first of the second.

    Returns
    -------
    str
        With two digits behind the point, exact halves rounded up; `NO_VALUE` of nothing.

    Examples
    --------
    >>> percent(1, 3), percent(1, 8000), percent(0, 0)
    ('33.33 %', '0.01 %', 'none')
    """
    return f"{_rounded(Fraction(100 * part, whole), 2)} %" if whole else NO_VALUE


def percent_of(ratio: float) -> str:
    """
    Write a ratio in percent.

    Parameters
    ----------
    ratio : float
        As a frame or a recommendation holds it.

    Returns
    -------
    str
        As `percent`.

    Examples
    --------
    >>> percent_of(0.12345), percent_of(0.0)
    ('12.35 %', '0.00 %')
    """
    return f"{_rounded(100 * Fraction(str(ratio)), 2)} %"


def duration(value_ms: int | None) -> str:
    """
    Write a duration.

    Parameters
    ----------
    value_ms : int or None
        In milliseconds; below 0 where a clock went back.

    Returns
    -------
    str
        Exact, as `parse_interval` reads it, with a minus where it is below 0; `NO_VALUE` for None.

    Examples
    --------
    >>> duration(53_839), duration(0), duration(-60_000)
    ('53s 839ms', '0', '-1m')
    """
    if value_ms is None:
        return NO_VALUE
    return ("-" if value_ms < 0 else "") + format_interval(abs(value_ms))


def interval_words(interval_ms: int) -> str:
    """
    Write a refresh interval.

    Parameters
    ----------
    interval_ms : int
        In milliseconds.

    Returns
    -------
    str
        As `format_interval`, in words where it is 0.

    Examples
    --------
    >>> interval_words(600_000), interval_words(0)
    ('10m', 'every attempt')
    """
    return format_interval(interval_ms) if interval_ms else "every attempt"


def dollars(pico_usd: int | None) -> str:
    """
    Write an amount of money.

    Parameters
    ----------
    pico_usd : int or None
        In 1e-12 USD; None where something has no price.

    Returns
    -------
    str
        In USD with four digits behind the point, exact halves rounded up; `NO_VALUE` for None.

    Examples
    --------
    >>> dollars(1_234_550_000_000), dollars(None)
    ('$1.2346', 'none')
    """
    if pico_usd is None:
        return NO_VALUE
    return f"{'-' if pico_usd < 0 else ''}${_rounded(Fraction(abs(pico_usd), 10**12), 4)}"


def dollars_of(usd: float | None) -> str:
    """
    Write an amount of money that a frame holds.

    Parameters
    ----------
    usd : float or None
        In USD; None where something has no price.

    Returns
    -------
    str
        As `dollars`.

    Examples
    --------
    >>> dollars_of(0.12345), dollars_of(-0.5), dollars_of(None)
    ('$0.1235', '-$0.5000', 'none')
    """
    return dollars(None if usd is None else round(Fraction(str(usd)) * 10**12))


def _rounded(value: Fraction, digits: int) -> str:
    scaled = (value * 10**digits + Fraction(1, 2)).__floor__()
    whole, rest = divmod(abs(scaled), 10**digits)
    return f"{'-' if scaled < 0 else ''}{whole:,}.{rest:0{digits}d}"

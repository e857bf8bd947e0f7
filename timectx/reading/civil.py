"""Turn day numbers into calendar dates and back, for any year of the proleptic Gregorian calendar."""

from __future__ import annotations

from typing import Final

__all__ = ["DAY_S", "civil_date", "day_number", "is_civil_date"]

DAY_S: Final = 86_400
"""Seconds of a calendar day, leap seconds not counted."""

_DAYS_TO_MARCH_0: Final = 719_468  # from 0000-03-01, where leap days come last, to 1970-01-01
_DAYS_OF_CYCLE: Final = 146_097  # 400 years


def civil_date(day: int) -> tuple[int, int, int]:
    """
    Return the calendar date of a day number.

    Parameters
    ----------
    day : int
        Days since 1970-01-01; negative before it.

    Returns
    -------
    tuple of int
        Year (astronomical: 0 is 1 BC), month and day of the month.

    Examples
    --------
    >>> civil_date(0), civil_date(-719_528)
    ((1970, 1, 1), (0, 1, 1))
    """
    cycle, day_of_cycle = divmod(day + _DAYS_TO_MARCH_0, _DAYS_OF_CYCLE)
    year_of_cycle = (day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36_524 - day_of_cycle // 146_096) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    day_of_month = day_of_year - (153 * month_from_march + 2) // 5 + 1
    return 400 * cycle + year_of_cycle + (month <= 2), month, day_of_month


def day_number(year: int, month: int, day: int) -> int:
    """
    Return the day number of a calendar date; a day past its month's end runs into the next.

    Parameters
    ----------
    year : int
        Astronomical year: 0 is 1 BC.
    month : int
        From 1 to 12.
    day : int
        Day of the month, from 1.

    Returns
    -------
    int
        Days since 1970-01-01; negative before it.

    Examples
    --------
    >>> day_number(1970, 1, 1), day_number(2026, 2, 30) == day_number(2026, 3, 2)
    (0, True)
    """
    shifted = year - (month <= 2)
    cycle, year_of_cycle = divmod(shifted, 400)
    month_from_march = (month + 9) % 12
    day_of_year = (153 * month_from_march + 2) // 5 + day - 1
    day_of_cycle = 365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100 + day_of_year
    return cycle * _DAYS_OF_CYCLE + day_of_cycle - _DAYS_TO_MARCH_0


def is_civil_date(year: int, month: int, day: int) -> bool:
    """
    Tell whether the calendar has a date.

    Parameters
    ----------
    year : int
        Astronomical year.
    month : int
        Any number.
    day : int
        Any number.

    Returns
    -------
    bool
        True when month and day exist in that year.

    Examples
    --------
    >>> is_civil_date(2024, 2, 29), is_civil_date(2026, 2, 29), is_civil_date(2026, 13, 1)
    (True, False, False)
    """
    return 1 <= month <= 12 and day >= 1 and civil_date(day_number(year, month, day)) == (year, month, day)

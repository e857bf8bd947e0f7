"""Show that day numbers and calendar dates agree for all years."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.reading.civil import civil_date, day_number, is_civil_date

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


@given(st.dates())
def test_dates_of_years_1_to_9999_agree_with_the_standard_library(day: date) -> None:
    """Both directions give what datetime gives."""
    number = day.toordinal() - EPOCH_ORDINAL
    assert civil_date(number) == (day.year, day.month, day.day)
    assert day_number(day.year, day.month, day.day) == number


@given(st.integers(-200_000_000, 200_000_000))
def test_a_day_number_survives_the_round_trip(number: int) -> None:
    """No day is lost in years Python has no dates for."""
    year, month, day = civil_date(number)
    assert day_number(year, month, day) == number
    assert is_civil_date(year, month, day)


@given(st.integers(-100_000_000, 100_000_000))
def test_dates_repeat_every_four_hundred_years(number: int) -> None:
    """The calendar has a period of 146,097 days."""
    year, month, day = civil_date(number)
    assert civil_date(number + 146_097) == (year + 400, month, day)


@pytest.mark.parametrize(
    ("year", "month", "day", "exists"),
    [
        (2024, 2, 29, True),
        (2026, 2, 29, False),
        (1900, 2, 29, False),
        (2000, 2, 29, True),
        (0, 2, 29, True),
        (2026, 4, 31, False),
        (2026, 1, 0, False),
        (2026, 0, 1, False),
        (2026, 13, 1, False),
    ],
)
def test_a_date_exists_only_if_its_month_has_that_day(year: int, month: int, day: int, exists: bool) -> None:
    """Leap years follow the Gregorian rule, before 1582 too."""
    assert is_civil_date(year, month, day) is exists

"""Durations as people write them, and integers that JSON carries exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.errors import UnitError
from timectx.units import MAX_SAFE_INTEGER, format_interval, is_safe_integer, parse_interval

DAY, HOUR, MINUTE, SECOND = 86_400_000, 3_600_000, 60_000, 1000


@pytest.mark.parametrize(
    ("text", "interval_ms"),
    [
        ("0", 0),
        ("0s", 0),
        ("500ms", 500),
        ("10s", 10 * SECOND),
        ("10m", 10 * MINUTE),
        ("1h 30m", HOUR + 30 * MINUTE),
        ("1h30m", HOUR + 30 * MINUTE),
        (" 2 d 4 h ", 2 * DAY + 4 * HOUR),
        ("1.5s", 1500),
        ("1.001s", 1001),
        ("0.07m", 4200),
        ("1d 1h 1m 1s 1ms", DAY + HOUR + MINUTE + SECOND + 1),
        ("90m", 90 * MINUTE),
        (f"{MAX_SAFE_INTEGER}ms", MAX_SAFE_INTEGER),
    ],
)
def test_a_duration_is_the_sum_of_its_parts(text: str, interval_ms: int) -> None:
    """Units go from large to small, blanks do not matter, and fractions are exact."""
    assert parse_interval(text) == interval_ms


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "duration-syntax"),
        ("  ", "duration-syntax"),
        ("10", "duration-syntax"),
        ("-5m", "duration-syntax"),
        ("5 minutes", "duration-syntax"),
        ("10M", "duration-syntax"),
        ("m", "duration-syntax"),
        ("1m 1m", "duration-syntax"),
        ("1s 1m", "duration-syntax"),
        ("1m, 1s", "duration-syntax"),
        ("1e3s", "duration-syntax"),
        ("inf", "duration-syntax"),
        ("nan", "duration-syntax"),
        ("٣m", "duration-syntax"),  # Arabic digits: a log would not hold them either
        ("9" * 5000 + "s", "duration-syntax"),
        ("0.5ms", "duration-range"),
        ("0.0001s", "duration-range"),
        (f"{MAX_SAFE_INTEGER + 1}ms", "duration-range"),
        ("99999999999d", "duration-range"),
    ],
)
def test_what_is_no_duration_is_refused_by_value(text: str, kind: str) -> None:
    """The message quotes the text, and the kind tells bad syntax from a bad amount."""
    with pytest.raises(UnitError) as caught:
        parse_interval(text)
    assert caught.value.kind == kind
    assert repr(text) in str(caught.value)


@given(st.integers(0, MAX_SAFE_INTEGER))
def test_a_written_duration_reads_back(interval_ms: int) -> None:
    """`parse_interval` undoes `format_interval`."""
    assert parse_interval(format_interval(interval_ms)) == interval_ms


@pytest.mark.parametrize(
    ("interval_ms", "text"), [(0, "0"), (1, "1ms"), (60_000, "1m"), (86_400_000, "1d"), (90_061_001, "1d 1h 1m 1s 1ms")]
)
def test_a_duration_is_written_without_zero_units(interval_ms: int, text: str) -> None:
    """Only units that count for something appear; none at all is 0."""
    assert format_interval(interval_ms) == text


def test_a_negative_duration_cannot_be_written() -> None:
    """The message names the value."""
    with pytest.raises(UnitError, match="-1") as caught:
        format_interval(-1)
    assert caught.value.kind == "duration-range"


@pytest.mark.parametrize(
    ("value", "safe"),
    [
        (0, True),
        (2**53 - 1, True),
        (1 - 2**53, True),
        (2**53, False),
        (-(2**53), False),
        (True, False),
        (1.0, False),
        ("1", False),
        (None, False),
    ],
)
def test_only_an_exact_integer_is_safe(value: object, safe: bool) -> None:
    """Integers beyond 2**53 - 1, floats and bools are not what a log may hold."""
    assert is_safe_integer(value) is safe

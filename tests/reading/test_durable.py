"""Show which texts the companion checker takes apart, and how it reads their date."""

from __future__ import annotations

import pytest

from timectx.reading import DurableText, parse_date, parse_durable
from timectx.units import MAX_SAFE_INTEGER

TEXT = (
    "Time sampled while preparing turn 01, step 2: 2026-07-14T00:00:00Z[U T\nC]\n"
    "Browser time zone for this request: whatever\n"
    "Elapsed since the preceding step context: 1d 1s."
)


def test_the_checker_takes_more_than_any_formatter_writes() -> None:
    """Leading zeros, a Z, any label without bracket and any words in line 2 pass."""
    assert parse_durable(TEXT) == DurableText(
        turn=1,
        step=2,
        timestamp="2026-07-14T00:00:00Z[U T\nC]",
        date="2026-07-14T00:00:00Z",
        browser_line="Browser time zone for this request: whatever",
        baseline="step context",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2026-", "999-"),
        ("2026-", "10000-"),
        ("Z[", "+00:00:01["),
        ("Z[", "["),
        ("[U T\nC]", "[]"),
        ("whatever", ""),
        ("whatever", "what\u2028ever"),
        ("whatever", "what\rever"),
        ("1d 1s.", "1m."),
        ("1d 1s.", "1h 1d 1s."),
        ("1d 1s.", "1d 1s.\n"),
        ("01,", "\u0661,"),
        ("step context", "message"),
    ],
)
def test_the_form_is_fixed_otherwise(old: str, new: str) -> None:
    """Four-digit year, offset without seconds, one line of browser zone, nothing after the last full stop."""
    assert parse_durable(TEXT.replace(old, new)) is None


@pytest.mark.parametrize(
    ("digits", "turn"),
    [
        ("0", 0),
        ("000", 0),
        (str(2**53 - 1), 2**53 - 1),
        (str(2**53), 2**53),
        ("9" * 5000, MAX_SAFE_INTEGER + 1),
        ("0" * 40 + "7", 7),
    ],
    ids=["zero", "zeros", "largest", "too large", "endless", "padded"],
)
def test_a_turn_of_any_length_is_a_number(digits: str, turn: int) -> None:
    """Those too large to be exact are only known to be too large."""
    found = parse_durable(TEXT.replace("turn 01", f"turn {digits}"))
    assert found is not None
    assert found.turn == turn


@pytest.mark.parametrize(
    ("text", "time_ms"),
    [
        ("2026-07-15T09:01:01+08:00", 1_784_077_261_000),
        ("1970-01-01T00:00:00Z", 0),
        ("2026-02-30T00:00:00Z", 1_772_409_600_000),
        ("2026-02-31T00:00:00Z", 1_772_496_000_000),
        ("2026-01-01T24:00:00Z", 1_767_312_000_000),
        ("2026-01-01T00:00:00+23:59", 1_767_139_260_000),
        ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("0001-01-01T00:00:00+05:00", -62_135_614_800_000),
        ("2026-02-32T00:00:00Z", None),
        ("2026-00-01T00:00:00Z", None),
        ("2026-13-01T00:00:00Z", None),
        ("2026-01-00T00:00:00Z", None),
        ("2026-01-01T24:00:01Z", None),
        ("2026-01-01T25:00:00Z", None),
        ("2026-01-01T23:60:00Z", None),
        ("2026-01-01T23:59:60Z", None),
        ("2026-01-01T00:00:00+24:00", None),
        ("2026-01-01T00:00:00+23:60", None),
        ("2026-01-01", None),
    ],
)
def test_a_date_is_read_as_javascript_reads_it(text: str, time_ms: int | None) -> None:
    """Days run over the end of a short month; hour 24 is midnight alone."""
    assert parse_date(text) == time_ms

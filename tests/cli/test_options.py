"""Test how typed instants are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.cli.options import parse_instant
from timectx.errors import UnitError
from timectx.reading import format_timestamp

YEAR_1_MS, YEAR_9999_MS = -62_135_596_800_000, 253_402_300_799_999


@pytest.mark.parametrize(
    ("text", "time_ms"),
    [
        ("0", 0),
        (" -1 ", -1),
        ("8640000000000000", 8_640_000_000_000_000),
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.1239Z", 123),
        ("1969-12-31T23:59:59.9999Z", -1),
        ("1970-01-01T05:30+05:30[Asia/Calcutta]", 0),
    ],
    ids=["epoch", "before it", "the last", "Z", "cut to ms", "cut downward", "labelled"],
)
def test_an_instant_is_read(text: str, time_ms: int) -> None:
    """Milliseconds as they are, ISO 8601 to the millisecond below."""
    assert parse_instant(text) == time_ms


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "time-syntax"),
        ("now", "time-syntax"),
        ("1.5", "time-syntax"),
        ("٣", "time-syntax"),
        ("2026-07-15T09:01:01", "time-syntax"),
        ("2026-07-15", "time-syntax"),
        ("2026-02-30T00:00:00Z", "time-syntax"),
        ("8640000000000001", "time-out-of-range"),
        ("1" * 5000, "time-out-of-range"),
    ],
    ids=[
        "empty",
        "a word",
        "fraction",
        "other digits",
        "no offset",
        "a day",
        "no such day",
        "too late",
        "more digits than an int takes",
    ],
)
def test_what_is_no_single_instant_is_refused(text: str, kind: str) -> None:
    """A local time without offset names no instant, and nothing guesses one."""
    with pytest.raises(UnitError) as caught:
        parse_instant(text)
    assert (caught.value.kind, repr(text) in str(caught.value)) == (kind, True)


@given(
    st.integers(YEAR_1_MS + 86_400_000, YEAR_9999_MS - 86_400_000),
    st.sampled_from(["UTC", "America/St_Johns", "Africa/Monrovia", "Asia/Kathmandu"]),
)
def test_a_printed_timestamp_is_read_back(time_ms: int, zone: str) -> None:
    """What a reading prints can be pasted; it comes back to the second."""
    year, _, rest = format_timestamp(time_ms, zone).partition("-")
    assert parse_instant(f"{year:0>4}-{rest}") == time_ms // 1000 * 1000

"""Show that SystemV zones keep the offsets ICU gives them."""

from __future__ import annotations

from datetime import datetime

import pytest

from timectx.reading import format_timestamp
from timectx.reading.systemv import systemv_clock
from timectx.reading.zones import spelled_zones

WITH_DAYLIGHT = ["AST4ADT", "CST6CDT", "EST5EDT", "MST7MDT", "PST8PDT", "YST9YDT"]
WITHOUT = ["AST4", "CST6", "EST5", "HST10", "MST7", "PST8", "YST9"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1902-04-27T01:59:59-05:00", "1902-04-27T03:00:00-04:00"),
        ("1973-10-28T01:59:59-04:00", "1973-10-28T01:00:00-05:00"),
        ("1974-01-06T01:59:59-05:00", "1974-01-06T03:00:00-04:00"),
        ("1974-11-24T01:59:59-04:00", "1974-11-24T01:00:00-05:00"),
        ("1975-02-23T01:59:59-05:00", "1975-02-23T03:00:00-04:00"),
        ("1975-10-26T01:59:59-04:00", "1975-10-26T01:00:00-05:00"),
        ("1976-04-25T01:59:59-05:00", "1976-04-25T03:00:00-04:00"),
        ("2026-10-25T01:59:59-04:00", "2026-10-25T01:00:00-05:00"),
    ],
)
def test_daylight_time_of_systemv_zones_begins_and_ends_where_icu_puts_it(before: str, after: str) -> None:
    """The second before a change and the change itself are told apart."""
    instant_ms = _instant_ms(after)
    shown = [format_timestamp(instant_ms - 1, "SystemV/EST5EDT"), format_timestamp(instant_ms, "SystemV/EST5EDT")]
    assert shown == [f"{before}[SystemV/EST5EDT]", f"{after}[SystemV/EST5EDT]"]


def test_systemv_zones_have_no_daylight_time_before_1902() -> None:
    """In the summer of 1901 the clock shows standard time."""
    assert format_timestamp(-2_160_000_000_000, "SystemV/PST8PDT") == "1901-07-21T16:00:00-08:00[SystemV/PST8PDT]"


@pytest.mark.parametrize("name", WITHOUT)
def test_a_systemv_zone_without_daylight_name_keeps_one_offset(name: str) -> None:
    """The number in the name is the hours west of Greenwich, all year."""
    clock = systemv_clock(f"SystemV/{name}")
    assert clock is not None
    assert {clock(1_768_435_200), clock(1_784_073_600)} == {-3600 * int(name[3:])}


def test_every_systemv_zone_icu_knows_is_legal_and_canonical() -> None:
    """There are thirteen, each its own canonical id."""
    found = {name: zone for name, zone in spelled_zones().items() if name.startswith("SystemV/")}
    names = [f"SystemV/{name}" for name in WITH_DAYLIGHT + WITHOUT]
    assert found == {name: name for name in names}
    assert all(systemv_clock(name) for name in names)


def _instant_ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1000

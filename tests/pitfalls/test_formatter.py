"""Show that the faults other tools had in time text are not made here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from timectx.errors import ZoneError
from timectx.reading import (
    BrowserZone,
    Reading,
    canonical_zone,
    check_browser_zone,
    check_time_zone,
    elapsed_of,
    format_duration,
    format_reading,
    format_timestamp,
    local_day,
    parse_reading,
    parse_timestamp,
)
from timectx.reading.zones import spelled_zones

DAY_MS = 86_400_000


def at(text: str) -> int:
    """Return an instant written with its offset, in milliseconds."""
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def gap(start: str, end: str) -> str:
    """Return how a reading puts the time between two instants."""
    elapsed_ms = elapsed_of(at(end), at(start))
    assert elapsed_ms is not None
    return format_duration(elapsed_ms)


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("America/St_Johns", "2026-01-15T08:30:00-03:30[America/St_Johns]"),
        ("Pacific/Marquesas", "2026-01-15T02:30:00-09:30[Pacific/Marquesas]"),
    ],
)
def test_a_negative_half_hour_offset_keeps_its_hour(zone: str, text: str) -> None:
    """Rounding down must not turn -03:30 into -04:30."""
    assert format_timestamp(at("2026-01-15T12:00Z"), zone) == text


@pytest.mark.parametrize("zone", ["America/St_Johns", "Pacific/Marquesas", "Africa/Monrovia"])
def test_an_offset_has_one_sign_in_front(zone: str) -> None:
    """Hours, minutes and seconds carry none of their own."""
    offset = re.search(r"T[0-9:]{8}(.+)\[", format_timestamp(0, zone))
    assert offset is not None
    assert re.fullmatch(r"-\d\d:\d\d(:\d\d)?", offset[1])


@pytest.mark.parametrize(
    ("instant", "zone", "text"),
    [
        ("2026-01-15T12:00Z", "Asia/Kathmandu", "2026-01-15T17:45:00+05:45[Asia/Katmandu]"),
        ("2026-01-15T12:00Z", "Pacific/Chatham", "2026-01-16T01:45:00+13:45[Pacific/Chatham]"),
        ("2026-01-15T12:00Z", "Australia/Lord_Howe", "2026-01-15T23:00:00+11:00[Australia/Lord_Howe]"),
        ("2026-07-15T12:00Z", "Australia/Lord_Howe", "2026-07-15T22:30:00+10:30[Australia/Lord_Howe]"),
    ],
)
def test_the_minutes_of_an_offset_are_never_dropped(instant: str, zone: str, text: str) -> None:
    """Quarter hours and half-hour daylight time are shown."""
    assert format_timestamp(at(instant), zone) == text


def test_midnight_is_hour_0_of_the_new_day() -> None:
    """Half past midnight never reads 24:30."""
    assert format_timestamp(at("2026-03-01T00:30+09:00"), "Asia/Tokyo") == "2026-03-01T00:30:00+09:00[Asia/Tokyo]"


def test_noon_to_noon_over_the_spring_change_is_23_hours() -> None:
    """A calendar day is not 24 hours that night."""
    assert gap("2026-03-07T12:00-05:00", "2026-03-08T12:00-04:00") == "23h 0s"


def test_one_real_hour_over_the_spring_change_is_one_hour() -> None:
    """Wall clocks show two hours apart; elapsed time counts instants."""
    start, end = at("2026-03-08T06:30Z"), at("2026-03-08T07:30Z")
    shown = [format_timestamp(instant, "America/New_York") for instant in (start, end)]
    assert shown == ["2026-03-08T01:30:00-05:00[America/New_York]", "2026-03-08T03:30:00-04:00[America/New_York]"]
    assert format_duration(end - start) == "1h 0s"


def test_the_repeated_hour_reads_differently_each_time() -> None:
    """The offset tells the two apart, and both come back as they were."""
    first, second = at("2026-11-01T05:30Z"), at("2026-11-01T06:30Z")
    texts = [format_timestamp(instant, "America/New_York") for instant in (first, second)]
    assert texts == ["2026-11-01T01:30:00-04:00[America/New_York]", "2026-11-01T01:30:00-05:00[America/New_York]"]
    assert [parse_timestamp(text)[0] for text in texts] == [first, second]
    assert format_duration(second - first) == "1h 0s"


@pytest.mark.parametrize(
    ("elapsed_ms", "text"), [(59_999, "59s"), (119_600, "1m 59s"), (3_599_600, "59m 59s"), (86_399_999, "23h 59m 59s")]
)
def test_seconds_are_rounded_down_and_never_reach_60(elapsed_ms: int, text: str) -> None:
    """There is nothing to carry."""
    assert format_duration(elapsed_ms) == text


def test_a_baseline_in_the_future_gives_0s() -> None:
    """Clocks that disagree make no negative duration."""
    assert gap("2026-07-15T00:00:05Z", "2026-07-15T00:00:00Z") == "0s"
    assert format_duration(-4000) == "0s"


@pytest.mark.parametrize("elapsed_ms", [0, 1, 999])
def test_less_than_a_second_is_0s_and_not_empty(elapsed_ms: int) -> None:
    """The seconds are always there."""
    assert format_duration(elapsed_ms) == "0s"


@pytest.mark.parametrize(
    ("elapsed_ms", "text"), [(90_061_000, "1d 1h 1m 1s"), (10 * DAY_MS, "10d 0s"), (1000 * DAY_MS, "1000d 0s")]
)
def test_hours_do_not_wrap_without_a_day(elapsed_ms: int, text: str) -> None:
    """Days have no bound."""
    assert format_duration(elapsed_ms) == text


def test_no_unit_of_a_long_duration_is_negative() -> None:
    """Integers alone are used: 5,270,100 seconds are just short of 61 days."""
    assert format_duration(5_270_100_000) == "60d 23h 55m 0s"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Asia/Calcutta", "Asia/Kolkata"),
        ("Europe/Kiev", "Europe/Kyiv"),
        ("Asia/Katmandu", "Asia/Kathmandu"),
        ("Asia/Saigon", "Asia/Ho_Chi_Minh"),
        ("America/Panama", "EST"),
    ],
)
def test_either_name_of_a_renamed_zone_is_accepted_but_a_browser_sends_the_canonical_one(old: str, new: str) -> None:
    """Both are configured alike; a reading that prints the other name is read without a crash and kept."""
    assert [check_time_zone(old), check_time_zone(new)] == [old, old]
    assert check_browser_zone(old) == old
    with pytest.raises(ZoneError):
        check_browser_zone(new)
    text = format_reading(Reading(1, 1, 0, old, None, None, "note"))
    printed_elsewhere = text.replace(f"[{old}]", f"[{new}]")
    assert format_reading(parse_reading(printed_elsewhere)) == printed_elsewhere
    assert canonical_zone(parse_reading(printed_elsewhere).zone) == old


@pytest.mark.parametrize("name", ["中国标准时间", "CEST", '"Europe/Berlin"', "Europe/Berlin ", "China Standard Time"])
def test_text_that_is_no_iana_name_is_refused_by_value(name: str) -> None:
    """A ValueError says so and what is expected; nothing turns into UTC."""
    with pytest.raises(ValueError, match="expected an IANA name") as caught:
        check_time_zone(name)
    assert repr(name) in str(caught.value)


def test_an_offset_without_colon_is_that_offset_and_not_utc() -> None:
    """The original takes it as a zone of its own and prints it with a colon."""
    assert format_timestamp(0, check_time_zone("+0530")) == "1970-01-01T05:30:00+05:30[+05:30]"


def test_local_time_never_stands_without_offset_and_zone() -> None:
    """In every zone, in every edition, the first line ends in both."""
    browser = BrowserZone("missing")
    for zone in {*spelled_zones().values(), "+05:30", "undefined"}:
        readings = [
            Reading(1, 1, 0, zone, None, None, "note"),
            Reading(1, 1, 0, zone, None, None, "note-v2"),
            Reading(1, 1, 0, zone, None, browser, "readme"),
            Reading(1, 1, 0, zone, None, browser, "current"),
        ]
        for reading in readings:
            first = format_reading(reading).split("\n")[0]
            assert re.search(rf"T\d\d:\d\d:\d\d[+-]\d\d:\d\d(:\d\d)?\[{re.escape(zone)}\]$", first)


def test_the_date_is_the_zones_own() -> None:
    """An evening in Los Angeles is not tomorrow."""
    evening_ms = at("2026-06-05T04:10:37Z")
    assert format_timestamp(evening_ms, "America/Los_Angeles") == "2026-06-04T21:10:37-07:00[America/Los_Angeles]"
    assert local_day(evening_ms, "America/Los_Angeles") + 1 == local_day(evening_ms, "UTC")
    assert datetime.fromtimestamp(local_day(evening_ms, "America/Los_Angeles") * 86_400, UTC).day == 4


@pytest.mark.parametrize("language", ["C", "de_DE.UTF-8", "ar_EG.UTF-8", "zh_CN.GBK"])
def test_no_host_locale_or_zone_changes_a_text(language: str) -> None:
    """A process in another language and zone writes the same bytes."""
    code = (
        "import locale, sys\n"
        "try:\n    locale.setlocale(locale.LC_ALL, '')\nexcept locale.Error:\n    pass\n"
        "from timectx.reading import BrowserZone, Reading, format_reading\n"
        "zone = BrowserZone('resolved', ('Europe/Berlin',))\n"
        "reading = Reading(1, 2, 1_784_077_261_000, 'Europe/Berlin', 90_061_000, zone, 'readme')\n"
        "sys.stdout.buffer.write(format_reading(reading).encode())\n"
    )
    environ = {**os.environ, "LANG": language, "LC_ALL": language, "LANGUAGE": language, "TZ": "Asia/Tokyo"}
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", code], env=environ, cwd=root, capture_output=True, check=True)
    zone = BrowserZone("resolved", ("Europe/Berlin",))
    here = format_reading(Reading(1, 2, 1_784_077_261_000, "Europe/Berlin", 90_061_000, zone, "readme"))
    assert done.stdout == here.encode()

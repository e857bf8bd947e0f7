"""Show how an instant is written as local time, and read back."""

from __future__ import annotations

import pytest

from timectx.errors import ReadingError, ZoneError
from timectx.reading import ZoneLabel, format_timestamp, local_day, parse_timestamp, printed_label, utc_offset_s
from timectx.units import MAX_INSTANT_MS


@pytest.mark.parametrize(
    ("time_ms", "zone", "text"),
    [
        (1_784_077_261_000, "Asia/Shanghai", "2026-07-15T09:01:01+08:00[Asia/Shanghai]"),
        (-1, "UTC", "1969-12-31T23:59:59+00:00[UTC]"),
        (-500, "Asia/Shanghai", "1970-01-01T07:59:59+08:00[Asia/Shanghai]"),
        (1_768_435_200_000, "Europe/London", "2026-01-15T00:00:00+00:00[Europe/London]"),
        (0, "Africa/Monrovia", "1969-12-31T23:15:30-00:44:30[Africa/Monrovia]"),
        (-30_610_224_001_000, "UTC", "999-12-31T23:59:59+00:00[UTC]"),
        (-62_154_086_400_000, "UTC", "1-06-01T00:00:00+00:00[UTC]"),
        (-62_135_596_800_000, "UTC", "1-01-01T00:00:00+00:00[UTC]"),
        (-62_167_219_200_001, "UTC", "2-12-31T23:59:59+00:00[UTC]"),
        (253_402_300_800_000, "UTC", "10000-01-01T00:00:00+00:00[UTC]"),
        (MAX_INSTANT_MS, "UTC", "275760-09-13T00:00:00+00:00[UTC]"),
        (-MAX_INSTANT_MS, "Etc/GMT-14", "271822-04-20T14:00:00+14:00[Etc/GMT-14]"),
        (0, "+05:30", "1970-01-01T05:30:00+05:30[+05:30]"),
        (0, "asia/kolkata", "1970-01-01T05:30:00+05:30[Asia/Calcutta]"),
        (0, "undefined", "1970-01-01T00:00:00+00:00[undefined]"),
        (0, ZoneLabel("undefined", "-05:00"), "1969-12-31T19:00:00-05:00[undefined]"),
    ],
)
def test_an_instant_is_written_in_the_words_of_the_original(time_ms: int, zone: str, text: str) -> None:
    """Rounded down, era year without padding, offset with seconds where it has some, canonical label."""
    assert format_timestamp(time_ms, zone) == text


def test_a_label_given_apart_is_printed_as_it_stands() -> None:
    """It is not looked up."""
    assert format_timestamp(0, "Asia/Tokyo", label="here") == "1970-01-01T09:00:00+09:00[here]"


@pytest.mark.parametrize("time_ms", [MAX_INSTANT_MS + 1, -MAX_INSTANT_MS - 1, 2**53])
def test_an_instant_no_javascript_date_holds_is_refused(time_ms: int) -> None:
    """The limit is 8.64e15 ms on either side."""
    for function in (format_timestamp, utc_offset_s, local_day):
        with pytest.raises(ReadingError) as caught:
            function(time_ms, "Asia/Tokyo")
        assert (caught.value.kind, str(time_ms) in str(caught.value)) == ("time-out-of-range", True)


def test_an_unknown_zone_is_refused_before_a_bad_instant() -> None:
    """The zone is looked at first."""
    with pytest.raises(ZoneError) as caught:
        format_timestamp(2**60, "Mars/Base")
    assert caught.value.kind == "config-zone-invalid"


@pytest.mark.parametrize(
    ("text", "time_ms", "label"),
    [
        ("2026-07-15T09:01:01+08:00[Asia/Shanghai]", 1_784_077_261_000, "Asia/Shanghai"),
        ("1969-12-31T23:15:30-00:44:30[Africa/Monrovia]", 0, "Africa/Monrovia"),
        ("999-12-31T23:59:59+00:00[UTC]", -30_610_224_001_000, "UTC"),
        ("1-06-01T00:00:00+00:00[UTC]", -62_122_550_400_000, "UTC"),
        ("275760-09-13T00:00:00+00:00[UTC]", MAX_INSTANT_MS, "UTC"),
    ],
)
def test_the_offset_in_the_text_gives_the_instant(text: str, time_ms: int, label: str) -> None:
    """A year is taken as AD."""
    found = parse_timestamp(text)
    assert found == (time_ms, label)
    assert type(found[1]) is str


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("1969-12-31T19:00:00-05:00[undefined]", "-05:00"),
        ("1969-12-31T19:00:00-05:00[+05:00]", "-05:00"),
        ("1970-01-01T00:00:00+00:00[]", "+00:00"),
        ("1970-01-01T05:30:00+05:30[Asia/Kolkata]", "Asia/Calcutta"),
        ("1970-01-01T05:30:00+05:30[+0530]", "+05:30"),
        ("2026-07-15T09:01:01+08:00[Mars/Base]", "+08:00"),
        ("2026-07-15T00:00:00+00:00[America/Los_Angeles]", "+00:00"),
        ("1923-04-21T23:19:32+00:19:32[Europe/Amsterdam]", "+00:19:32"),
    ],
)
def test_a_label_that_does_not_give_its_text_again_is_kept_with_its_clock(text: str, clock: str) -> None:
    """Written again, it comes out as it was."""
    time_ms, label = parse_timestamp(text)
    assert isinstance(label, ZoneLabel)
    assert (label.clock, format_timestamp(time_ms, label)) == (clock, text)


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00+00:00[undefined]", "1970-01-01T05:30:00+05:30[+05:30]"])
def test_a_label_whose_clock_is_its_own_stays_plain(text: str) -> None:
    """An odd label shows UTC, an offset itself."""
    time_ms, label = parse_timestamp(text)
    assert (type(label), format_timestamp(time_ms, label)) == (str, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-07-15T09:01:01+08:00",
        "2026-07-15T09:01:01Z[UTC]",
        "2026-07-15T09:01:01+08:00[Asia/Shanghai]\n",
        "2026-07-15T09:01:01+08:00[Asia/Shang hai]",
        "2026-02-30T00:00:00+00:00[UTC]",
        "2026-13-01T00:00:00+00:00[UTC]",
        "2026-07-15T24:00:00+00:00[UTC]",
        "2026-07-15T00:60:00+00:00[UTC]",
        "2026-07-15T00:00:60+00:00[UTC]",
        "2026-07-15T00:00:00+24:00[UTC]",
        "2026-07-15T00:00:00-00:00[UTC]",
        "2026-07-15T00:00:00+08:00:00[Asia/Shanghai]",
        "0999-12-31T23:59:59+00:00[UTC]",
        "0-12-31T23:59:59+00:00[UTC]",
        "275760-09-13T00:00:01+00:00[UTC]",
        "\u0662026-07-15T09:01:01+08:00[UTC]",
    ],
)
def test_text_no_formatter_writes_is_no_timestamp(text: str) -> None:
    """Nothing is guessed, rolled over or rounded."""
    with pytest.raises(ReadingError) as caught:
        parse_timestamp(text)
    assert (caught.value.kind, repr(text) in str(caught.value)) == ("not-a-timestamp", True)


def test_the_local_day_is_that_of_the_zones_calendar() -> None:
    """An evening in Los Angeles belongs to the day before the one in UTC."""
    evening_ms = 1_780_632_637_000
    zones = ["America/Los_Angeles", "UTC", "Pacific/Kiritimati"]
    assert [local_day(evening_ms, zone) - 20_600 for zone in zones] == [8, 9, 9]
    assert local_day(-1, "UTC") == -1


def test_the_printed_label_is_canonical_or_verbatim() -> None:
    """Zones are looked up; odd labels are not."""
    zones = ["Etc/UTC", "+0530", "Etc/Unknown", "undefined", ZoneLabel("Asia/Kolkata", "Asia/Calcutta")]
    assert [printed_label(zone) for zone in zones] == ["UTC", "+05:30", "Etc/Unknown", "undefined", "Asia/Kolkata"]

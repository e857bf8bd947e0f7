"""Hold the laws of time text for arbitrary instants, zones, readings and nonsense."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from tests.reading.strategies import any_instants, elapsed, instants, readings, zones
from timectx.errors import ReadingError, UnknownZoneWarning, ZoneError
from timectx.reading import (
    Reading,
    canonical_zone,
    elapsed_of,
    format_duration,
    format_reading,
    format_timestamp,
    host_zone,
    local_day,
    parse_date,
    parse_durable,
    parse_duration,
    parse_reading,
    parse_timestamp,
    process_zone,
    utc_offset_s,
)
from timectx.reading.editions import check_edition
from timectx.reading.zones import spelled_zones


def kind_of(function: Callable[[str], object], text: str) -> str | None:
    """Return the kind of error a text meets; None when it meets none."""
    try:
        function(text)
    except (ReadingError, ZoneError) as error:
        return error.kind
    return None


@given(any_instants, any_instants)
def test_elapsed_is_never_negative(now_ms: int, baseline_ms: int) -> None:
    """Whatever the clock did."""
    found = elapsed_of(now_ms, baseline_ms)
    assert found is not None
    assert found == max(0, now_ms - baseline_ms)


@given(st.integers(-(10**12), 10**18))
def test_a_duration_survives_to_the_second(elapsed_ms: int) -> None:
    """Written and read, it is rounded down."""
    assert parse_duration(format_duration(elapsed_ms)) == max(0, elapsed_ms) // 1000 * 1000


@given(instants, zones)
def test_an_instant_survives_to_the_second(time_ms: int, zone: str) -> None:
    """For years 1 to 9999 and every zone, and the same text comes out again."""
    text = format_timestamp(time_ms, zone)
    assert parse_timestamp(text) == (time_ms // 1000 * 1000, zone)
    assert format_timestamp(*parse_timestamp(text)) == text


@given(any_instants, zones)
def test_every_instant_can_be_written(time_ms: int, zone: str) -> None:
    """Years before 1 and after 9999 too; day and offset agree with the text."""
    text = format_timestamp(time_ms, zone)
    second = (time_ms // 1000 + utc_offset_s(time_ms, zone)) % 86_400
    assert text.partition("T")[2][:8] == f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    assert (time_ms // 1000 + utc_offset_s(time_ms, zone)) // 86_400 == local_day(time_ms, zone)


@given(readings)
def test_a_reading_survives_to_the_second(reading: Reading) -> None:
    """Format, then parse under the same edition."""
    text = format_reading(reading)
    found = parse_reading(text, edition=check_edition(reading.edition))
    assert format_reading(found) == text
    assert (found.turn, found.step, found.zone, found.browser_zone, found.edition) == (
        reading.turn,
        reading.step,
        reading.zone,
        reading.browser_zone,
        reading.edition,
    )
    assert found.time_ms == reading.time_ms // 1000 * 1000
    assert found.elapsed_ms == (None if reading.elapsed_ms is None else reading.elapsed_ms // 1000 * 1000)


@given(elapsed)
def test_the_baseline_is_named_by_the_step_alone(elapsed_ms: int | None) -> None:
    """However long it took."""
    texts = [format_reading(Reading(1, step, 0, "UTC", elapsed_ms, None, "note")) for step in (1, 2)]
    shown = "unavailable" if elapsed_ms is None else format_duration(elapsed_ms)
    assert [text.split("\n")[1] for text in texts] == [
        f"Elapsed since the preceding model-visible message: {shown}.",
        f"Elapsed since the preceding step context: {shown}.",
    ]


@given(st.sampled_from(sorted(spelled_zones())), st.randoms(use_true_random=False))
def test_a_canonical_zone_is_the_end_of_the_way(name: str, random_: random.Random) -> None:
    """Letter case never matters, and looking up a second time changes nothing."""
    mixed = "".join(random_.choice((letter.lower(), letter.upper())) for letter in name)
    found = canonical_zone(mixed)
    assert found == spelled_zones()[name]
    assert canonical_zone(found) == found


@given(st.text() | st.text("+-:0123456789\u2212/ABCabc_", max_size=12))
@example("\ud800")
@example("+" * 100_000)
def test_arbitrary_text_meets_only_the_errors_that_are_promised(text: str) -> None:
    """Each parser gives a value, or an error of its own kind."""
    assert kind_of(canonical_zone, text) in {None, "config-zone-invalid"}
    assert kind_of(parse_reading, text) == "not-a-reading"
    assert kind_of(parse_duration, text) in {None, "not-a-duration"}
    assert kind_of(parse_timestamp, text) == "not-a-timestamp"
    assert [parse_durable(text), parse_date(text)] == [None, None]
    assert host_zone(text) in {None, *spelled_zones().values()}


@given(readings, st.integers(0, 10**6), st.characters(), st.sampled_from(["replace", "insert", "delete"]))
def test_a_spoilt_reading_is_refused_or_another_reading(reading: Reading, place: int, letter: str, how: str) -> None:
    """Whatever still parses is written again letter by letter, unknown zones and wrong offsets included."""
    text = format_reading(reading)
    at = place % len(text)
    spoilt = text[:at] + ("" if how == "delete" else letter) + text[at + (how != "insert") :]
    kind = kind_of(parse_reading, spoilt)
    assert kind in {None, "not-a-reading"}
    assert kind is not None or format_reading(parse_reading(spoilt)) == spoilt


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
    | st.from_regex(r":?(?:GMT|[A-Z]{2,4})?[+-]?\d{0,3}", fullmatch=True)
)
def test_any_tz_setting_gives_a_zone_that_can_be_shown(setting: str) -> None:
    """A process always has a clock, however odd its setting."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownZoneWarning)
        zone = process_zone({"TZ": setting})
    text = format_timestamp(0, zone)
    assert text.endswith(f"[{zone}]")
    assert format_timestamp(*parse_timestamp(text)) == text

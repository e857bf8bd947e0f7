"""Show the exact words of a reading in each edition."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ReadingError, UnitError, ZoneError
from timectx.reading import (
    BrowserZone,
    Reading,
    ZoneLabel,
    baseline_name,
    browser_line,
    display_zone,
    elapsed_of,
    format_reading,
)

NOW_MS = 1_784_077_261_000
SHANGHAI = BrowserZone("resolved", ("Asia/Shanghai",))
MIXED = BrowserZone("mixed", ("America/New_York", "UTC"))


@pytest.mark.parametrize("edition", ["note", "note-v2"])
def test_a_two_line_reading_gives_time_and_elapsed(edition: Any) -> None:
    """The browser zone is not mentioned."""
    reading = Reading(1, 1, NOW_MS, "Asia/Shanghai", 0, None, edition)
    assert format_reading(reading) == (
        "Time sampled while preparing turn 1, step 1: 2026-07-15T09:01:01+08:00[Asia/Shanghai]\n"
        "Elapsed since the preceding model-visible message: 0s."
    )


@pytest.mark.parametrize("edition", ["readme", "current"])
def test_a_three_line_reading_names_a_resolved_browser_zone(edition: Any) -> None:
    """Later steps count from the step context."""
    reading = Reading(12, 7, NOW_MS, "Asia/Shanghai", 90_061_000, SHANGHAI, edition)
    assert format_reading(reading) == (
        "Time sampled while preparing turn 12, step 7: 2026-07-15T09:01:01+08:00[Asia/Shanghai]\n"
        "Browser time zone for this request: Asia/Shanghai. "
        "Interpret otherwise-unqualified dates and times in this zone.\n"
        "Elapsed since the preceding step context: 1d 1h 1m 1s."
    )


def test_a_three_line_reading_asks_the_user_where_zones_are_mixed() -> None:
    """The zones stand in a list without spaces; a missing baseline reads unavailable."""
    assert format_reading(Reading(1, 1, 0, "UTC", None, MIXED, "readme")) == (
        "Time sampled while preparing turn 1, step 1: 1970-01-01T00:00:00+00:00[UTC]\n"
        'Browser time zone for this request: mixed ["America/New_York","UTC"]. '
        "Ask the user to clarify otherwise-unqualified dates and times.\n"
        "Elapsed since the preceding model-visible message: unavailable."
    )


def test_no_browser_zone_in_a_three_line_reading_means_a_missing_one() -> None:
    """None and missing are the same reading."""
    given_none = Reading(1, 1, 0, "UTC", None, None, "readme")
    assert given_none == Reading(1, 1, 0, "UTC", None, BrowserZone("missing"), "readme")
    assert format_reading(given_none).split("\n")[1] == (
        "Browser time zone for this request: unavailable. "
        "Ask the user to clarify otherwise-unqualified dates and times."
    )


def test_a_two_line_reading_with_a_browser_zone_is_refused() -> None:
    """It would be lost without a word."""
    with pytest.raises(ReadingError) as caught:
        Reading(1, 1, 0, "UTC", None, SHANGHAI, "note")
    assert caught.value.kind == "edition-without-browser-zone"


@pytest.mark.parametrize("edition", ["recorded", "four-line"])
def test_texts_of_old_logs_are_read_only(edition: Any) -> None:
    """Nobody writes them any more."""
    with pytest.raises(ReadingError) as caught:
        format_reading(Reading(1, 1, 0, "UTC", None, None, edition))
    assert caught.value.kind == "edition-unknown"


def test_an_unknown_edition_makes_no_reading() -> None:
    """A typing slip shows at once."""
    slip: Any = "reedme"
    with pytest.raises(ReadingError) as caught:
        Reading(1, 1, 0, "UTC", None, None, slip)
    assert caught.value.kind == "edition-unknown"


def test_an_unknown_zone_is_refused_when_written() -> None:
    """No reading is printed with a guess."""
    with pytest.raises(ZoneError) as caught:
        format_reading(Reading(1, 1, 0, "Mars/Base", None, None, "note"))
    assert caught.value.kind == "config-zone-invalid"


def test_the_label_of_a_process_zone_is_printed_beside_its_clock() -> None:
    """A process that runs under TZ=EST5 shows just this."""
    reading = Reading(1, 1, 0, ZoneLabel("undefined", "-05:00"), None, None, "note")
    assert format_reading(reading).split("\n")[0].endswith(" 1969-12-31T19:00:00-05:00[undefined]")


def test_the_baseline_of_the_first_step_is_the_last_message() -> None:
    """All other steps count from a reading."""
    assert [baseline_name(step) for step in (1, 2, 0)] == ["model-visible message", "step context", "step context"]


@pytest.mark.parametrize(
    ("now_ms", "baseline_ms", "elapsed_ms"), [(5, 2, 3), (2, 5, 0), (2, 2, 0), (2, None, None), (-5, -9, 4)]
)
def test_elapsed_is_never_negative_and_unavailable_without_a_baseline(
    now_ms: int, baseline_ms: int | None, elapsed_ms: int | None
) -> None:
    """A clock that went back gives 0."""
    assert elapsed_of(now_ms, baseline_ms) == elapsed_ms


def test_the_time_is_shown_in_the_browser_zone_if_there_is_just_one() -> None:
    """Else in the fallback zone."""
    kinds = [SHANGHAI, MIXED, BrowserZone("missing"), None]
    assert [display_zone(kind, "Europe/Kiev") for kind in kinds] == ["Asia/Shanghai", *["Europe/Kiev"] * 3]


def test_the_browser_line_stands_alone_too() -> None:
    """Checkers compare just this line."""
    assert browser_line(SHANGHAI) == (
        "Browser time zone for this request: Asia/Shanghai. "
        "Interpret otherwise-unqualified dates and times in this zone."
    )


@pytest.mark.parametrize(
    "fields", [{"turn": True}, {"step": 1.0}, {"time_ms": 0.0}, {"elapsed_ms": 61_000.0}], ids=repr
)
def test_a_reading_holds_whole_numbers(fields: dict[str, Any]) -> None:
    """Anything else would be printed as it stands, and no reader would take it."""
    whole = {
        "turn": 1,
        "step": 1,
        "time_ms": 0,
        "zone": "UTC",
        "elapsed_ms": None,
        "browser_zone": None,
        "edition": "note",
    }
    with pytest.raises(UnitError) as refused:
        Reading(**{**whole, **fields})
    assert refused.value.kind == "whole-number"


def test_a_browser_zone_is_no_plain_text() -> None:
    """The mistake is named at once, not when the reading is written."""
    name: Any = "UTC"
    with pytest.raises(ReadingError) as refused:
        Reading(1, 1, 0, "UTC", None, name, "readme")
    assert refused.value.kind == "browser-zone-type"

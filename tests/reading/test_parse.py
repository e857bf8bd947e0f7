"""Show which texts are readings, and what they say."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ReadingError
from timectx.reading import BrowserZone, Reading, ZoneLabel, format_reading, parse_reading

NOW_MS = 1_784_077_261_000
FIRST = "Time sampled while preparing turn 3, step 2: 2026-07-15T09:01:01+08:00[Asia/Shanghai]"
ASK = "Ask the user to clarify otherwise-unqualified dates and times."
MISSING = f"Browser time zone for this request: unavailable. {ASK}"
LAST = "Elapsed since the preceding step context: 1m 1s."
OLD_FIRST = "Time recorded before turn 3, step 2: 2026-07-15T09:01:01+08:00[Asia/Shanghai]"


def lines(*parts: str) -> str:
    """Join lines to a text."""
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("text", "browser_zone", "edition"),
    [
        (lines(FIRST, LAST), None, "note"),
        (lines(FIRST, MISSING, LAST), BrowserZone("missing"), "readme"),
        (
            lines(
                FIRST,
                "Browser time zone for this request: Asia/Shanghai. "
                "Interpret otherwise-unqualified dates and times in this zone.",
                LAST,
            ),
            BrowserZone("resolved", ("Asia/Shanghai",)),
            "readme",
        ),
        (
            lines(FIRST, f'Browser time zone for this request: mixed ["Asia/Tokyo","UTC"]. {ASK}', LAST),
            BrowserZone("mixed", ("Asia/Tokyo", "UTC")),
            "readme",
        ),
        (lines(OLD_FIRST, LAST), None, "recorded"),
        (
            lines(FIRST, "Session time zone: Asia/Shanghai.", "Client time zone for this request: missing.", LAST),
            BrowserZone("missing"),
            "four-line",
        ),
        (
            lines(FIRST, "Session time zone: unavailable.", "Client time zone for this request: UTC.", LAST),
            BrowserZone("resolved", ("UTC",)),
            "four-line",
        ),
        (
            lines(
                FIRST, "Session time zone: UTC.", 'Client time zone for this request: mixed ["Asia/Tokyo","UTC"].', LAST
            ),
            BrowserZone("mixed", ("Asia/Tokyo", "UTC")),
            "four-line",
        ),
    ],
    ids=["two", "missing", "resolved", "mixed", "recorded", "four, missing", "four, resolved", "four, mixed"],
)
def test_every_published_text_is_read(text: str, browser_zone: BrowserZone | None, edition: Any) -> None:
    """Line count and opening tell the edition; instant and elapsed come back in milliseconds."""
    expected = Reading(3, 2, NOW_MS, "Asia/Shanghai", 61_000, browser_zone, edition)
    assert parse_reading(text) == expected


@pytest.mark.parametrize(
    ("text", "edition"),
    [
        (lines(FIRST, LAST), "note-v2"),
        (lines(FIRST, MISSING, LAST), "current"),
    ],
)
def test_an_edition_with_the_same_text_can_be_asked_for(text: str, edition: Any) -> None:
    """The text alone cannot tell them apart."""
    reading = parse_reading(text, edition=edition)
    assert (reading.edition, format_reading(reading)) == (edition, text)


@pytest.mark.parametrize(
    ("text", "edition"),
    [
        (lines(FIRST, LAST), "readme"),
        (lines(FIRST, MISSING, LAST), "note"),
        (lines(OLD_FIRST, LAST), "note"),
        (lines(FIRST, "Session time zone: UTC.", "Client time zone for this request: UTC.", LAST), "readme"),
    ],
)
def test_a_text_of_another_edition_than_asked_for_is_refused(text: str, edition: Any) -> None:
    """Line count and opening must fit."""
    with pytest.raises(ReadingError) as caught:
        parse_reading(text, edition=edition)
    assert caught.value.kind == "not-a-reading"


FAULTS = {
    "empty": "",
    "one line": FIRST,
    "newline at the end": lines(FIRST, LAST, ""),
    "carriage return": lines(FIRST + "\r", LAST),
    "turn 0": lines(FIRST.replace("turn 3", "turn 0"), LAST),
    "leading zero": lines(FIRST.replace("turn 3", "turn 03"), LAST),
    "turn too large": lines(FIRST.replace("turn 3", f"turn {2**53}"), LAST),
    "endless digits": lines(FIRST.replace("turn 3", "turn " + "9" * 5000), LAST),
    "other digits": lines(FIRST.replace("turn 3", "turn \u0663"), LAST),
    "no such day": lines(FIRST.replace("07-15", "02-30"), LAST),
    "Z for the offset": lines(FIRST.replace("+08:00", "Z"), LAST),
    "wrong baseline": lines(FIRST, LAST.replace("step context", "model-visible message")),
    "minutes without seconds": lines(FIRST, LAST.replace("1m 1s", "1m")),
    "no full stop": lines(FIRST, LAST[:-1]),
    "one zone is not mixed": lines(FIRST, f'Browser time zone for this request: mixed ["UTC"]. {ASK}', LAST),
    "space in the list": lines(FIRST, f'Browser time zone for this request: mixed ["UTC", "A/B"]. {ASK}', LAST),
    "no zone in line 2": lines(FIRST, f"Browser time zone for this request: Japan. {ASK}", LAST),
    "wrong advice": lines(FIRST, f"Browser time zone for this request: UTC. {ASK}", LAST),
    "other line 2": lines(FIRST, "Hello.", LAST),
    "three lines, old opening": lines(OLD_FIRST, MISSING, LAST),
    "five lines": lines(FIRST, MISSING, MISSING, MISSING, LAST),
    "four lines, no session": lines(
        FIRST, "Session time zone: Japan.", "Client time zone for this request: UTC.", LAST
    ),
    "four lines, other words": lines(FIRST, MISSING, MISSING, LAST),
}


@pytest.mark.parametrize("text", FAULTS.values(), ids=FAULTS)
def test_a_text_no_edition_writes_is_no_reading(text: str) -> None:
    """Every fault has the one kind, and the message quotes no more than the start."""
    with pytest.raises(ReadingError) as caught:
        parse_reading(text)
    assert caught.value.kind == "not-a-reading"
    assert len(str(caught.value)) < 300


def test_an_odd_label_comes_back_with_its_clock() -> None:
    """The reading of a process under TZ=EST5 is written again as it was."""
    text = lines(
        FIRST.replace("2026-07-15T09:01:01+08:00[Asia/Shanghai]", "1969-12-31T19:00:00-05:00[undefined]"), LAST
    )
    reading = parse_reading(text)
    assert isinstance(reading.zone, ZoneLabel)
    assert (reading.time_ms, format_reading(reading)) == (0, text)

"""Test the one reading printed from its parts."""

from __future__ import annotations

import pytest

from tests.cli.logs import START_MS, run, run_json
from timectx.reading import zone_database_release

TEXT = (
    "Time sampled while preparing turn 2, step 3: 2026-07-15T10:01:01+09:00[Asia/Tokyo]\n"
    "Browser time zone for this request: Asia/Tokyo. "
    "Interpret otherwise-unqualified dates and times in this zone.\n"
    "Elapsed since the preceding step context: 5m 0s."
)
OPTIONS = ("--zone", "UTC", "--browser-zone", "Asia/Tokyo", "--turn", "2", "--step", "3", "--elapsed", "5m")


def test_the_reading_is_printed_as_the_model_reads_it() -> None:
    """Its text, and below it what it costs."""
    result = run("format", str(START_MS), *OPTIONS)
    assert (result.exit_code, result.output) == (0, f"{TEXT}\n\nprice: 69 tokens\n")


def test_json_holds_text_and_price() -> None:
    """The parts are there to go on with."""
    assert run_json("format", str(START_MS), *OPTIONS) == {
        "turn": 2,
        "step": 3,
        "time_ms": START_MS,
        "edition": "readme",
        "zone": "Asia/Tokyo",
        "text": TEXT,
        "price_tokens": 69,
        "zone_database": zone_database_release(),
    }


@pytest.mark.parametrize(
    "time",
    [
        (str(START_MS),),
        ("--time", str(START_MS)),
        ("--time", "2026-07-15T01:01:01Z"),
        ("--time", "2026-07-15T09:01:01.000+08:00[Asia/Shanghai]"),
        ("--time", "2026-07-14 21:01:01-04:00"),
    ],
    ids=["argument", "option", "UTC", "as a reading prints it", "west"],
)
def test_the_time_is_milliseconds_or_iso(time: tuple[str, ...]) -> None:
    """One instant, written in five ways."""
    assert run_json("format", *time, "--zone", "UTC")["time_ms"] == START_MS


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (
            ("--edition", "note"),
            ["turn 1, step 1: 2026-07-15T01:01:01+00:00[UTC]", "preceding model-visible message: unavailable."],
        ),
        (
            ("--browser-zone", "Asia/Tokyo", "--browser-zone", "America/New_York"),
            [
                "turn 1, step 1: 2026-07-15T01:01:01+00:00[UTC]",
                'request: mixed ["America/New_York","Asia/Tokyo"]. Ask the user',
                "preceding model-visible message: unavailable.",
            ],
        ),
        (
            (),
            [
                "turn 1, step 1: 2026-07-15T01:01:01+00:00[UTC]",
                "request: unavailable. Ask the user",
                "preceding model-visible message: unavailable.",
            ],
        ),
    ],
    ids=["two lines", "mixed", "no browser"],
)
def test_edition_and_browser_zones_shape_the_text(options: tuple[str, ...], lines: list[str]) -> None:
    """Two-line editions leave the browser out; several zones are mixed, none is unavailable."""
    text: str = run_json("format", str(START_MS), "--zone", "UTC", *options)["text"]
    assert [part in line for part, line in zip(lines, text.split("\n"), strict=True)] == [True] * len(lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--zone", "UTC"), "no time; give one, as epoch milliseconds or as in 2026-07-15T09:01:01+08:00"),
        (
            ("5", "--time", "5", "--zone", "UTC"),
            "two times; give one, as epoch milliseconds or as in 2026-07-15T09:01:01+08:00",
        ),
        (("5",), "missing option '--zone'"),
        (
            ("now", "--zone", "UTC"),
            "invalid value for 'TIME': not an instant: 'now'; "
            "expected epoch milliseconds or ISO 8601, as in 2026-07-15T09:01:01+08:00",
        ),
        (
            ("2026-07-15", "--zone", "UTC"),
            "invalid value for 'TIME': a day without a time: '2026-07-15'; "
            "a time is needed, as in 2026-07-15T09:00:00+08:00",
        ),
        (
            ("5", "--zone", "UTC", "--edition", "note", "--browser-zone", "UTC"),
            "readings of edition note name no browser zone; leave --browser-zone away",
        ),
        (
            ("5", "--zone", "UTC", "--turn", "0"),
            "invalid value for '--turn': 0 is not in the range 1<=x<=9007199254740991",
        ),
        (
            ("5", "--zone", "UTC", "--turn", "9007199254740993"),
            "invalid value for '--turn': 9007199254740993 is not in the range 1<=x<=9007199254740991",
        ),
        (
            ("5", "--zone", "UTC", "--step", "0"),
            "invalid value for '--step': 0 is not in the range 1<=x<=9007199254740991",
        ),
    ],
    ids=["no time", "two times", "no zone", "now", "a day", "browser in two lines", "turn 0", "turn 2**53", "step 0"],
)
def test_what_cannot_be_printed_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    """Status 2, the reason and the way to the help."""
    result = run("format", *arguments)
    expected = f"timectx format: {message}; see timectx format --help\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


def test_a_browser_zone_has_to_be_canonical() -> None:
    """Another name for the same zone is answered with the one to use."""
    result = run("format", "5", "--zone", "UTC", "--browser-zone", "Asia/Kolkata")
    expected = "timectx format: browser zone is not canonical: 'Asia/Kolkata'; expected 'Asia/Calcutta'\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)

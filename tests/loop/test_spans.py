"""Test how a script's times are read."""

from __future__ import annotations

import pytest

from timectx.errors import ScenarioError, TimectxError
from timectx.loop import parse_start, span_ms
from timectx.units import MAX_INSTANT_MS


@pytest.mark.parametrize(
    ("span", "expected_ms"),
    [("0", 0), (0, 0), (250, 250), (-250, -250), ("3s", 3_000), ("1h 30m", 5_400_000), (" -90s ", -90_000)],
    ids=repr,
)
def test_a_duration_is_milliseconds_or_a_text_and_may_step_back(span: str | int, expected_ms: int) -> None:
    """A number counts milliseconds."""
    assert span_ms(span) == expected_ms


@pytest.mark.parametrize("span", ["", "-", "3", "3 lightyears", "--3s", MAX_INSTANT_MS + 1, 0.5, True], ids=repr)
def test_what_is_no_duration_is_refused(span: object) -> None:
    """A fraction or a bool neither, nor what no clock can move by."""
    with pytest.raises(TimectxError, match="not a duration"):
        span_ms(span)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "expected_ms"),
    [
        (0, 0),
        (-1, -1),
        ("1784077261000", 1_784_077_261_000),
        ("-5", -5),
        ("2026-07-15T09:01:01+08:00", 1_784_077_261_000),
        ("2026-07-15T01:01:01.0019Z", 1_784_077_261_001),
        (MAX_INSTANT_MS, MAX_INSTANT_MS),
    ],
    ids=repr,
)
def test_a_start_is_milliseconds_or_iso_8601_with_an_offset(start: str | int, expected_ms: int) -> None:
    """Finer parts than a millisecond are cut off."""
    assert parse_start(start) == expected_ms


@pytest.mark.parametrize(
    "start",
    ["2026-07-15T09:01:01", "2026-07-15", "tomorrow", "", "12.5", MAX_INSTANT_MS + 1, 0.5, True, None],
    ids=repr,
)
def test_what_is_no_start_is_refused(start: object) -> None:
    """A time without an offset is none: nobody could say when that was."""
    with pytest.raises(ScenarioError, match="not an instant") as refused:
        parse_start(start)  # type: ignore[arg-type]
    assert refused.value.kind == "script"

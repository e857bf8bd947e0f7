"""Show how elapsed time is written and read."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ReadingError, UnitError
from timectx.reading import format_duration, parse_duration


@pytest.mark.parametrize(
    ("elapsed_ms", "text"),
    [
        (0, "0s"),
        (999, "0s"),
        (1000, "1s"),
        (60_000, "1m 0s"),
        (3_600_000, "1h 0s"),
        (86_400_000, "1d 0s"),
        (86_405_000, "1d 5s"),
        (90_061_000, "1d 1h 1m 1s"),
        (400 * 86_400_000 + 59_999, "400d 59s"),
        (-1, "0s"),
        (-(10**15), "0s"),
    ],
)
def test_a_duration_names_its_units_but_zero_ones_and_always_seconds(elapsed_ms: int, text: str) -> None:
    """Whole seconds rounded down, never below zero, days without bound."""
    assert format_duration(elapsed_ms) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "s",
        "1m",
        "0m 1s",
        "60s",
        "01s",
        "24h 0s",
        "60m 0s",
        "1h 1d 1s",
        "1h  1s",
        "1s ",
        "-1s",
        "1.5s",
        "\u0661s",
        "0d 0s",
    ],
)
def test_text_no_formatter_writes_is_no_duration(text: str) -> None:
    """Units out of order or range, zero units and other digits are refused."""
    with pytest.raises(ReadingError) as caught:
        parse_duration(text)
    assert (caught.value.kind, repr(text) in str(caught.value)) == ("not-a-duration", True)


@pytest.mark.parametrize("value", [61_000.0, float("nan"), True, "5", None], ids=repr)
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    """A float would print its point, even a whole one, as from a table column with a gap."""
    with pytest.raises(UnitError) as refused:
        format_duration(value)
    assert refused.value.kind == "whole-number"

"""The clocks: the one that reads the machine's time, and the one that stands still."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from timectx.errors import UnitError
from timectx.replay import fixed_clock, system_clock

FARTHEST_MS = 8_640_000_000_000_000


def test_a_system_clock_reads_the_machine_in_whole_milliseconds() -> None:
    """It lies between two reads of the same clock and moves on with it."""
    before = time.time_ns() // 1_000_000
    read = system_clock()()
    after = time.time_ns() // 1_000_000
    assert type(read) is int
    assert before <= read <= after + 1


@pytest.mark.parametrize("ms", [0, 1, 999, 1_784_077_261_001, 1_784_077_261_999])
def test_a_system_clock_reads_exactly_the_frozen_instant(ms: int) -> None:
    """A frozen clock is kept as a float that can lie a little below the instant; none of that is cut off."""
    instant = datetime.fromtimestamp(ms // 1000, UTC).replace(microsecond=ms % 1000 * 1000)
    with time_machine.travel(instant, tick=False):
        assert system_clock()() == ms


@pytest.mark.parametrize("ms", [0, -1, 90_000, FARTHEST_MS, -FARTHEST_MS])
def test_a_fixed_clock_always_reads_the_same(ms: int) -> None:
    """However often it is asked."""
    clock = fixed_clock(ms)
    assert (clock(), clock()) == (ms, ms)


@pytest.mark.parametrize(
    "value",
    [FARTHEST_MS + 1, -FARTHEST_MS - 1, 2**60, 1.5, True, None, "0"],
    ids=["too-far", "too-early", "huge", "fraction", "bool", "none", "text"],
)
def test_a_fixed_clock_refuses_what_is_no_instant(value: Any) -> None:
    """Only whole milliseconds that a JavaScript Date holds."""
    with pytest.raises(UnitError) as caught:
        fixed_clock(value)
    assert (caught.value.kind, str(caught.value)) == (
        "time-out-of-range",
        f"not an instant in whole epoch milliseconds: {value!r}",
    )

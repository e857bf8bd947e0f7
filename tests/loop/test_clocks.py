"""Test the clock that only its owner moves."""

from __future__ import annotations

import pytest

from timectx.errors import UnitError
from timectx.loop import HandClock
from timectx.units import MAX_INSTANT_MS


def test_it_stands_until_it_is_moved_either_way() -> None:
    """To the millisecond."""
    clock = HandClock(1_000)
    seen = [clock(), clock()]
    clock.advance(1)
    seen.append(clock())
    clock.advance(-2_001)
    assert [*seen, clock()] == [1_000, 1_000, 1_001, -1_000]


@pytest.mark.parametrize("start", [MAX_INSTANT_MS + 1, -MAX_INSTANT_MS - 1, 0.5, True, None], ids=repr)
def test_what_is_no_instant_is_refused(start: object) -> None:
    """As is moving there, which leaves the clock where it was."""
    with pytest.raises(UnitError, match="not an instant") as refused:
        HandClock(start)  # type: ignore[arg-type]
    assert refused.value.kind == "time-out-of-range"
    clock = HandClock(MAX_INSTANT_MS)
    with pytest.raises(UnitError):
        clock.advance(1)
    assert clock() == MAX_INSTANT_MS

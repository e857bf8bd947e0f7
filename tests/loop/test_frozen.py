"""Test the frozen clock: it stands, it moves when told, and only one is in force."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from timectx.errors import UnitError
from timectx.loop.frozen import frozen_clock
from timectx.replay import system_clock


@pytest.mark.parametrize("instant_ms", [0, 1, 7, 999, -1, 1_784_077_261_001, 1_784_077_261_999])
def test_every_millisecond_is_read_back_exactly(instant_ms: int) -> None:
    """Neither the handle nor the system clock loses a millisecond to floating point."""
    with frozen_clock(instant_ms) as clock:
        assert (clock(), system_clock()()) == (instant_ms, instant_ms)


@pytest.mark.parametrize(
    "start",
    [
        1_784_077_261_000,
        "2026-07-15T09:01:01+08:00",
        "2026-07-15T01:01:01Z",
        datetime(2026, 7, 15, 9, 1, 1, tzinfo=timezone(timedelta(hours=8))),
    ],
    ids=["milliseconds", "text", "text in UTC", "datetime"],
)
def test_a_start_can_be_given_in_any_exact_form(start: int | str | datetime) -> None:
    """The same instant as milliseconds, as text with an offset, or as an aware datetime."""
    with frozen_clock(start) as clock:
        assert clock() == 1_784_077_261_000


def test_the_clock_moves_only_when_told_forwards_and_back() -> None:
    """Advancing, stepping back and setting are each exact to the millisecond."""
    with frozen_clock(1_000) as clock:
        seen = [clock(), clock()]
        clock.advance(1_500)
        seen.append(clock())
        clock.advance(-2_001)
        seen.append(clock())
        clock.set(86_400_000)
        seen.append(clock())
    assert seen == [1_000, 1_000, 2_500, 499, 86_400_000]


def test_a_ticking_clock_moves_at_every_look() -> None:
    """With a tick each reading is later by it, and moving it by hand ticks no extra time."""
    with frozen_clock(0, tick_ms=250) as clock:
        seen = [clock(), clock()]
        clock.advance(10)
        seen.append(clock())
    assert seen == [0, 250, 510]


def test_moving_a_ticking_clock_by_nothing_leaves_it_where_it_stands() -> None:
    """Neither advancing by 0 nor setting it to the present is a look at it."""
    with frozen_clock(1_000, tick_ms=250) as clock:
        clock.advance(0)
        clock.set(1_000)
        assert clock() == 1_000


def test_a_ticking_clock_starts_where_it_was_told_whatever_else_looks_at_it() -> None:
    """Neither modules that are loaded while it is frozen nor the collector's stopwatch move it."""
    script = (
        "import gc, hypothesis, pandas; hypothesis.given(hypothesis.strategies.none())(lambda x: None)();"
        "from timectx.loop import frozen_clock; clock = frozen_clock(0, tick_ms=250); gc.collect(); print(clock())"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "0\n"


def test_leaving_the_block_lets_the_real_clock_run() -> None:
    """After the block the time is the machine's again, also when the block raised."""
    with pytest.raises(RuntimeError), frozen_clock(0):
        raise RuntimeError
    assert time.time() > 1_000_000_000


def test_freezing_again_takes_the_place_of_the_clock_before() -> None:
    """The older handle refuses to answer, and its stop does not free the newer one's time."""
    older = frozen_clock(0)
    with frozen_clock(5_000) as newer:
        older.stop()
        assert newer() == 5_000
        with pytest.raises(UnitError, match="not in force"):
            older()
        with pytest.raises(UnitError, match="not in force"):
            older.advance(1)
    assert repr(older) == "<FrozenClock stopped, started at 0 ms>"


@pytest.mark.parametrize(
    "start",
    ["2026-07-15T09:01:01", "tomorrow", datetime(2026, 7, 15), 1.5, True, 10**15, None],  # noqa: DTZ001 - naive on purpose
    ids=repr,
)
def test_what_is_no_exact_instant_is_refused(start: object) -> None:
    """A time without offset, a fraction, a bool or a year beyond 9999 is one clear error."""
    with pytest.raises(UnitError) as refused:
        frozen_clock(start)  # type: ignore[arg-type]
    assert refused.value.kind == "instant"


@pytest.mark.parametrize("tick_ms", [-1, 0.5, True])
def test_what_is_no_tick_is_refused(tick_ms: object) -> None:
    """A tick is a whole number of milliseconds from 0."""
    with pytest.raises(UnitError) as refused:
        frozen_clock(0, tick_ms=tick_ms)  # type: ignore[arg-type]
    assert refused.value.kind == "tick"


def test_a_handle_can_be_entered_again() -> None:
    """Entering a stopped clock freezes it anew at its start."""
    clock = frozen_clock(datetime(1970, 1, 1, tzinfo=UTC))
    clock.stop()
    with clock:
        clock.advance(1)
        assert clock() == 1


def test_a_thread_reads_the_frozen_instant_from_the_handle() -> None:
    """Wherever it is called, the handle answers from itself."""
    seen: list[int] = []
    with frozen_clock(5_000) as clock:
        thread = threading.Thread(target=lambda: seen.append(clock()))
        thread.start()
        thread.join()
    assert seen == [5_000]


def test_the_last_instant_is_read_back_exactly() -> None:
    """Far from the epoch nothing is rounded."""
    with frozen_clock(253_402_300_799_999) as clock:
        assert clock() == 253_402_300_799_999

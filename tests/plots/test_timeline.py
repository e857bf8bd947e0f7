"""Test what the timeline draws: lanes, turns, readings, and times below that survive a change of clocks."""

from __future__ import annotations

from msgspec.structs import replace

from tests.plots.samples import sample_run
from tests.results.runs import STEP, run, with_steps
from timectx import Scenario
from timectx.plots import plot_timeline

HOUR_MS = 3_600_000
MIDNIGHT_MS = 1_793_505_600_000
"""Midnight of 1 November 2026 in New York, where clocks go back at two."""


def labels(ax: object) -> list[str]:
    """Return the texts below the plot."""
    return [text.get_text() for text in ax.get_xticklabels()]


def hourly(hours: int, zone: str = "America/New_York") -> object:
    """Return a run with a step at each full hour."""
    steps = tuple(replace(STEP, step=at + 1, now_ms=MIDNIGHT_MS + at * HOUR_MS) for at in range(hours))
    return run(steps=steps, compactions=(), scenario=Scenario(interval_ms=0, time_zone=zone))


def test_the_repeated_hour_is_written_twice_with_its_offsets() -> None:
    """The same time of day stands at two places an hour apart."""
    ax = plot_timeline(hourly(4))
    assert labels(ax) == ["00:00-04:00\n2026-11-01", "00:30-04:00", "01:00-04:00", "01:30-04:00", "01:00-05:00",
                          "01:30-05:00", "02:00-05:00"]  # fmt: skip
    assert list(ax.get_xticks()) == [at * HOUR_MS // 2 for at in range(7)]


def test_a_clock_that_goes_back_is_written_as_it_read() -> None:
    """Places go on to the right; the times below go back with the clock."""
    times = [MIDNIGHT_MS + 2 * HOUR_MS, MIDNIGHT_MS + 4 * HOUR_MS, MIDNIGHT_MS, MIDNIGHT_MS + 2 * HOUR_MS]
    steps = tuple(replace(STEP, step=at, now_ms=now_ms) for at, now_ms in enumerate(times, 1))
    ax = plot_timeline(run(steps=steps, compactions=()), zone="UTC")
    assert labels(ax) == ["06:00\n2026-11-01", "07:00", "04:00", "05:00", "06:00"]
    assert list(ax.get_xticks()) == [at * HOUR_MS for at in range(5)]


def test_a_lane_names_its_interval_and_counts() -> None:
    """Each run has a lane: its name, its readings and its steps."""
    ax = plot_timeline([sample_run("bug-hunt", interval_ms) for interval_ms in (0, 60_000)])
    readings = len(sample_run("bug-hunt", 60_000).readings)
    assert [text.get_text() for text in ax.texts] == [
        "every attempt: 36 readings, 36 steps",
        f"1m: {readings} readings, 36 steps",
    ]


def test_steps_readings_and_blind_steps_are_marked_where_they_are() -> None:
    """A step that got a reading has a dot, one that sees none a cross."""
    made = with_steps(0, 5000, None)
    steps = [replace(step, now_ms=1000 * at, added=at == 0) for at, step in enumerate(made.steps)]
    ax = plot_timeline(run(steps=tuple(steps), compactions=()))
    assert {line.get_label(): list(line.get_xdata()) for line in ax.lines} == {
        "step": [0, 1000, 2000],
        "reading": [0],
        "blind step": [2000],
    }


def test_the_zone_is_the_run_s_unless_another_is_named() -> None:
    """The axis says which zone its times are in."""
    sample = sample_run("two-browser-zones")
    assert [plot_timeline(sample, zone=zone).get_xlabel() for zone in (None, "UTC")] == [
        "time in Asia/Shanghai",
        "time in UTC",
    ]

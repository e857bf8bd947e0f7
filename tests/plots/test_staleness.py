"""Test what the staleness plot draws: lines that hold steps of one reading together, blind steps, shares."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from msgspec.structs import replace

from tests.plots.samples import sample_run
from tests.results.runs import STEP, run, with_steps
from timectx.errors import FrameError
from timectx.plots import plot_staleness
from timectx.results.edges import bin_of, pack_counts


def gaps(values: object) -> list[float | None]:
    """Return plotted values with None where the line is broken."""
    return [None if math.isnan(value) else value for value in map(float, values)]


def test_a_line_is_broken_at_each_new_reading_and_at_blind_steps() -> None:
    """Steps that see the same reading hold together; nothing joins them over what lies between."""
    made = with_steps(0, 5000, None, 0, 0)
    steps = [replace(each, added=each.staleness_ms == 0) for each in made.steps]
    ax = plot_staleness(run(steps=tuple(steps)), over="steps")
    assert gaps(ax.lines[0].get_ydata()) == [None, 0, 5000, None, None, 0, None, 0]
    assert gaps(ax.lines[0].get_xdata()) == [1, 1, 2, 3, 4, 4, 5, 5]


def test_blind_steps_are_shaded_until_a_step_sees_a_reading() -> None:
    """The shade begins at the first blind step and ends at the next that is not."""
    times = (1000, 2000, 3000, 7000)
    made = with_steps(0, None, None, 0)
    steps = [replace(step, now_ms=now_ms) for step, now_ms in zip(made.steps, times, strict=True)]
    ax = plot_staleness(run(steps=tuple(steps)))
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1000, 5000)]


@pytest.mark.parametrize("name", ["clock-steps-back", "dst-fold", "two-compactions"])
def test_time_never_goes_backwards(name: str) -> None:
    """Through a repeated hour and over a clock that is set back, places only rise."""
    places = list(map(float, plot_staleness(sample_run(name)).lines[0].get_xdata()))
    assert places == sorted(places)


def test_a_pause_over_the_change_of_clocks_is_as_wide_as_it_was_long() -> None:
    """From 00:30 to 01:30 the second time are two hours, not one."""
    before, after = 1_793_507_400_000, 1_793_514_600_000
    steps = (replace(STEP, now_ms=before), replace(STEP, now_ms=after, step=2))
    ax = plot_staleness(run(steps=steps))
    assert list(ax.lines[0].get_xdata())[-1] == 7_200_000


def sweep(rows: list[tuple[str, int, dict[int, int]]]) -> pd.DataFrame:
    """Return the columns of a sweep that the plot needs: label, steps, steps by staleness."""
    return pd.DataFrame(
        [(label, steps, pack_counts({bin_of(ms): n for ms, n in counts.items()})) for label, steps, counts in rows],
        columns=["scenario", "steps", "staleness_counts"],
    )


def test_a_sweep_is_drawn_as_shares_of_all_steps() -> None:
    """Sessions of one scenario are one line; it ends where the blind steps begin."""
    frame = sweep([("1m", 6, {0: 3, 60_000: 1}), ("10m", 4, {0: 1}), ("1m", 4, {60_000: 3})])
    ax = plot_staleness(frame)
    drawn = [(line.get_label(), list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert drawn == [("1m", [0, 0, 60_000], [0, 30.0, 70.0]), ("10m", [0, 0], [0, 25.0])]


def test_a_scenario_that_shows_no_reading_has_no_line() -> None:
    """Neither without steps nor with blind ones alone is anything divided by zero."""
    assert plot_staleness(sweep([("1m", 0, {}), ("10m", 4, {})])).lines[:] == []


def test_a_sweep_without_its_counts_is_refused() -> None:
    """The message names what is missing."""
    with pytest.raises(FrameError, match="needs the columns steps, which the frame lacks"):
        plot_staleness(sweep([]).drop(columns="steps"))

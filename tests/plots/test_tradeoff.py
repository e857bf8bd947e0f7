"""Test what the trade-off plot draws: the front, the choice, what was recorded, and how sure it is."""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from tests.plots.layout import faults, texts
from timectx import Scenario
from timectx.errors import FrameError
from timectx.plots import plot_tradeoff
from timectx.sweep import sweep_sessions, totals_frame, tune
from timectx.sweep.advice.recommendation import Recommendation
from timectx.synthetic import sample_paths
from timectx.units import format_interval

INTERVALS_MS = (0, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000)


@cache
def swept() -> tuple[pd.DataFrame, Recommendation]:
    """Return a sweep over all samples, and what tuning makes of it."""
    scenarios = [*(Scenario(interval_ms=each) for each in INTERVALS_MS), "as-recorded"]
    frame = sweep_sessions(list(sample_paths().values()), scenarios, cache=False)
    return frame, tune(frame)


def drawn(frame: pd.DataFrame, recommendation: Recommendation | None = None) -> dict[str, list[tuple[float, float]]]:
    """Return what is drawn, by its name in the legend."""
    lines = plot_tradeoff(frame, recommendation=recommendation).lines
    return {line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in lines}


def test_every_scenario_stands_at_its_staleness_and_share() -> None:
    """What is drawn is what the totals say, nothing else."""
    frame, _ = swept()
    totals = totals_frame(frame)
    assert drawn(frame) == drawn(totals)
    expected = list(zip(totals["staleness_ms"], 100 * totals["spent_ratio"], strict=True))
    assert drawn(frame) == {"tried": expected[:-1], "as recorded": expected[-1:]}


def test_a_recommendation_marks_front_choice_and_range() -> None:
    """The line runs along the front, freshest first; the ring is around the choice."""
    frame, found = swept()
    marked = drawn(frame, found)
    front = [(each.staleness_ms, 100 * each.spent_ratio) for each in found.front]
    assert (marked["front"], marked["recommended"]) == (
        front,
        [(found.totals.staleness_ms, 100 * found.totals.spent_ratio)],
    )
    assert list(marked) == ["beaten or set aside", "front", "as recorded", "recommended"]
    range_words = f"{format_interval(found.low_ms)} to {format_interval(found.high_ms)}"
    shades = plot_tradeoff(frame, recommendation=found).patches
    assert [patch.get_label() for patch in shades] == [f"9 of 10 choices: {range_words}"]


def test_choice_and_today_are_always_named() -> None:
    """Their names are there, and no text covers another."""
    frame, found = swept()
    ax = plot_tradeoff(frame, recommendation=found)
    names = [name for name, _ in texts(ax)]
    assert faults(ax) == []
    assert {found.scenario, "today"} <= set(names)


def test_hundreds_of_scenarios_stay_readable() -> None:
    """Of many close points only those are named for which there is room."""
    rows = [(f"scenario {at}", 1000 * at, 0.3 / (1 + at), 1000 * at) for at in range(300)]
    frame = pd.DataFrame(rows, columns=["scenario", "interval_ms", "spent_ratio", "staleness_ms"])
    ax = plot_tradeoff(frame)
    assert faults(ax) == []
    assert 3 <= len(ax.texts) <= 30


def test_scenarios_without_any_reading_seen_have_no_point() -> None:
    """A missing staleness is no point at 0."""
    frame = pd.DataFrame(
        {"scenario": ["1h", "4h"], "interval_ms": [1, 2], "spent_ratio": [0.1, 0.0], "staleness_ms": [5, None]}
    )
    assert drawn(frame) == {"tried": [(5, 10.0)]}
    assert drawn(frame.iloc[:0]) == {}


def test_the_quantile_asked_for_is_the_one_shown() -> None:
    """The axis names it."""
    frame, _ = swept()
    found = tune(frame, quantile=0.5, resamples=0)
    ax = plot_tradeoff(frame, recommendation=found)
    assert ax.get_xlabel() == "staleness that 50 % of the steps that see a reading do not exceed"
    assert drawn(frame, found)["recommended"][0][0] == found.totals.staleness_ms


def test_a_bill_that_is_weighed_is_what_is_drawn() -> None:
    """The axis says so, and the front falls along it."""
    frame, _ = swept()
    found = tune(frame, by="cost", resamples=0)
    assert plot_tradeoff(frame, recommendation=found).get_ylabel() == "bill, USD"
    assert drawn(frame, found)["front"] == [(each.staleness_ms, each.cost_usd) for each in found.front]


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": [1]}), pd.DataFrame({"spent_ratio": [0.5]})])
def test_any_other_frame_is_refused(frame: pd.DataFrame) -> None:
    """The message names a column that is missing."""
    with pytest.raises(FrameError, match="interval_ms") as caught:
        plot_tradeoff(frame)
    assert caught.value.kind == "columns"

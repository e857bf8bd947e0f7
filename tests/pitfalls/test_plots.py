"""Show that the faults other tools had with time on an axis are not made here."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from matplotlib.axes import Axes

from tests.builders import log
from timectx.plots import plot_growth, plot_staleness, plot_timeline, png_bytes
from timectx.replay import Run, Scenario, replay_session

MINUTE_MS = 60_000
FALL_BACK_MS = 1_793_512_800_000
"""01:00 in New York on 1 November 2026, when the hour from one to two comes again."""


def through_the_repeated_hour(zone: str) -> Run:
    """Return a run with a step every five minutes, from an hour before the clocks change to an hour after."""
    built = log()
    for at in range(-12, 13):
        built = built.at(FALL_BACK_MS + 5 * at * MINUTE_MS).turn().prompt("hi").step().reply("ok").end_turn()
    return replay_session(built.build(), Scenario(interval_ms=10 * MINUTE_MS, time_zone=zone))


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "UTC"])
@pytest.mark.parametrize("plot", [plot_timeline, plot_staleness, plot_growth])
def test_no_line_goes_back_through_the_repeated_hour(plot: Callable[[Run], Axes], zone: str) -> None:
    """Places on the axis rise step by step, equally far apart, and the drawing comes out."""
    ax = plot(through_the_repeated_hour(zone))
    for line in ax.lines:
        places = [float(place) for place in line.get_xdata()]
        assert all(earlier <= later for earlier, later in pairwise(places))
    assert png_bytes(ax).startswith(b"\x89PNG")


def test_times_below_a_plot_name_the_zone_asked_for() -> None:
    """The same places carry the times of either zone, each with its offset where that changes."""
    run = through_the_repeated_hour("America/New_York")
    new_york, utc = (plot_timeline(run, zone=zone) for zone in (None, "UTC"))
    assert list(new_york.get_xticks()) == list(utc.get_xticks())
    assert [text.get_text() for text in new_york.get_xticklabels()][-2:] == ["01:30-05:00", "02:00-05:00"]
    assert [text.get_text() for text in utc.get_xticklabels()][-2:] == ["06:30", "07:00"]

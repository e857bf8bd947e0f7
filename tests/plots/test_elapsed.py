"""Test what the plot of elapsed times draws: values, and readings without one."""

from __future__ import annotations

from msgspec.structs import replace

from tests.results.runs import READING, run
from timectx import readings_frame
from timectx.plots import plot_elapsed


def test_values_and_unavailable_readings_are_told_apart() -> None:
    """The first has no value and stands below 0; the legend counts both kinds."""
    made = run(readings=(READING, replace(READING, elapsed_ms=0), replace(READING, elapsed_ms=61_000)))
    ax = plot_elapsed(made)
    values, gone = ax.lines
    assert (list(values.get_xdata()), list(values.get_ydata())) == ([2, 3], [0, 61_000])
    assert (list(gone.get_xdata()), gone.get_ydata()[0] < 0) == ([1], True)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1m: 2 with a value", "1m: 1 unavailable"]


def test_a_frame_of_readings_will_do() -> None:
    """Runs of a frame are told apart by session and interval."""
    frame = readings_frame([run("a"), run("b", interval_ms=0)])
    ax = plot_elapsed(frame)
    assert [text.get_text() for text in ax.get_legend().get_texts()][:1] == ["a, 1m: 0 with a value"]

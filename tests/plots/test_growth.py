"""Test what the growth plot draws: layers of one run, readings of several, and compactions."""

from __future__ import annotations

import pytest

from tests.plots.samples import sample_run
from tests.results.runs import run
from timectx import steps_frame
from timectx.errors import FrameError
from timectx.plots import plot_growth


def legend(ax: object) -> list[str]:
    """Return the texts of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_one_run_is_drawn_as_header_messages_and_readings() -> None:
    """The top of the last layer is the header and all messages of the step."""
    sample = sample_run("two-compactions")
    ax = plot_growth(sample)
    assert legend(ax) == ["header", "messages", "readings", "compaction"]
    top = max(point[1] for layer in ax.collections for path in layer.get_paths() for point in path.vertices)
    assert top == max(step.header_tokens + step.surface_tokens for step in sample.steps)


def test_several_runs_are_drawn_by_their_readings() -> None:
    """Each line has the tokens of visible readings, step by step, and the name of its interval."""
    runs = [sample_run("bug-hunt", interval_ms) for interval_ms in (0, 60_000)]
    ax = plot_growth(runs)
    assert [list(line.get_ydata()) for line in ax.lines] == [
        [step.reading_tokens for step in one.steps] for one in runs
    ]
    assert (legend(ax), ax.get_ylabel()) == (["every attempt", "1m"], "tokens of visible readings")


def test_a_compaction_is_marked_where_the_surface_shrinks() -> None:
    """The line stands between the step before it and the first step after it."""
    ax = plot_growth(sample_run("two-compactions"))
    places = [line.get_xdata()[0] for line in ax.lines]
    steps = sample_run("two-compactions").steps
    shrinks = [
        at + 0.5 for at in range(1, len(steps)) if steps[at].surface_tokens < steps[at - 1].surface_tokens - 2000
    ]
    assert places == shrinks


def test_a_frame_of_steps_gives_the_same_layers() -> None:
    """Only the compactions are not in a frame."""
    sample = sample_run("two-compactions")
    drawn, framed = plot_growth(sample), plot_growth(steps_frame(sample))
    assert [len(ax.collections) for ax in (drawn, framed)] == [3, 3]
    assert (len(drawn.lines), len(framed.lines)) == (2, 0)


def test_a_frame_without_the_columns_is_refused_by_name() -> None:
    """The message names what is missing."""
    with pytest.raises(FrameError, match=r"needs the columns header_tokens, which") as caught:
        plot_growth(steps_frame(run()).drop(columns="header_tokens"))
    assert caught.value.kind == "columns"


def test_text_of_a_session_is_no_formula_and_is_not_lost() -> None:
    """An id that reads like mathematics, begins with an underscore or is long stands in the legend as text."""
    ids = ["$x^{2$", "_hidden", "s" * 500, "\u202e\x1b[31m時計"]
    names = legend(plot_growth([run(each) for each in ids]))
    assert names[:3] == [r"\$x^{2\$", " _hidden", f"{'s' * 20}…{'s' * 19}"]
    assert names[3].isascii()
    assert names[3].isprintable()

"""Every plot of every sample can be read: no text leaves the figure, none covers another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import pytest
from matplotlib.axes import Axes

from tests.plots.layout import faults
from tests.plots.samples import sample_run
from timectx.plots import DARK, plot_elapsed, plot_growth, plot_staleness, plot_timeline, png_bytes, svg_bytes
from timectx.replay import Run
from timectx.synthetic import sample_paths

Plot = Callable[..., Axes]
PLOTS: dict[str, Plot] = {
    "growth": plot_growth,
    "staleness": plot_staleness,
    "timeline": plot_timeline,
    "elapsed": plot_elapsed,
}
each_plot = pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)


def cases(name: str) -> Sequence[Run | list[Run]]:
    """Return one run alone, and several side by side."""
    return sample_run(name), [sample_run(name, interval_ms) for interval_ms in (0, 60_000, 600_000)]


@each_plot
@pytest.mark.parametrize("name", sample_paths())
def test_texts_are_apart_and_inside(plot: Plot, name: str) -> None:
    """Titles, labels, ticks and legends of one run and of three keep clear of each other."""
    assert [fault for plotted in cases(name) for fault in faults(plot(plotted))] == []


@each_plot
def test_nothing_to_show_is_an_empty_plot(plot: Plot) -> None:
    """No run gives axes with their labels, without any warning."""
    ax = plot([])
    assert (faults(ax), bool(ax.get_xlabel()), ax.get_legend()) == ([], True, None)


@each_plot
def test_a_plot_draws_where_it_is_told(plot: Plot) -> None:
    """Axes that are given come back, and keep the figure's own margins."""
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.add_subplot()
    before = ax.get_position().bounds
    assert plot(sample_run("bug-hunt"), ax=ax) is ax
    assert ax.get_position().bounds == before


@each_plot
def test_a_figure_of_its_own_is_in_no_list(plot: Plot) -> None:
    """The plots never load pyplot, so nothing keeps their figures alive or shows them twice."""
    plot(sample_run("bug-hunt"))
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


@each_plot
def test_the_same_data_gives_the_same_bytes(plot: Plot) -> None:
    """PNG and SVG hold no date, no version and no random name."""
    run = sample_run("two-compactions")
    assert png_bytes(plot(run)) == png_bytes(plot(run))
    assert svg_bytes(plot(run)) == svg_bytes(plot(run))


@each_plot
def test_settings_of_the_user_do_not_change_a_figure_of_its_own(plot: Plot) -> None:
    """Whatever a user's style sets, the bytes stay, and the style is as it was."""
    import matplotlib

    run = sample_run("dst-fold")
    plain = svg_bytes(plot(run))
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "pink", "lines.linewidth": 9}):
        styled = svg_bytes(plot(run))
        assert matplotlib.rcParams["font.size"] == 30
    assert styled == plain


@each_plot
def test_a_dark_plot_has_a_dark_paper(plot: Plot) -> None:
    """The palette colours paper and ink."""
    ax = plot(sample_run("bug-hunt"), palette=DARK)
    assert (ax.figure.get_facecolor(), ax.title.get_color()) == (_rgba(DARK.paper), DARK.ink)


def _rgba(color: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgba

    return to_rgba(color)


def test_an_svg_refers_to_nothing_outside() -> None:
    """Names of XML vocabularies are all that looks like an address."""
    text = svg_bytes(plot_growth(sample_run("bug-hunt"))).decode()
    assert text.count("://") == text.count('="http') == 2
    assert not [word for word in ("DOCTYPE", "date", "Matplotlib", "<image", "font-family") if word in text]

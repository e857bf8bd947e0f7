"""Look at a drawn figure as a reader does: which texts there are, and whether they are apart and inside."""

from __future__ import annotations

from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from timectx.plots.style import drawing_settings


def texts(ax: Axes) -> list[tuple[str, Bbox]]:
    """Return every text that is seen, with its place in the figure."""
    figure = ax.figure
    assert isinstance(figure.canvas, FigureCanvasAgg)
    with drawing_settings():
        figure.canvas.draw()
        renderer = figure.canvas.get_renderer()
        hidden = {id(text) for text in _ticks_out_of_view(ax)}
        seen = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        return [(text.get_text(), text.get_window_extent(renderer)) for text in seen if id(text) not in hidden]


def faults(ax: Axes) -> list[str]:
    """Say which texts reach beyond the figure, and which cover each other."""
    found = texts(ax)
    width, height = ax.figure.bbox.width, ax.figure.bbox.height
    outside = [
        f"outside: {name!r}" for name, box in found if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height
    ]
    covered = [f"covered: {a!r} and {b!r}" for (a, one), (b, other) in combinations(found, 2) if _meet(one, other)]
    return outside + covered


def _meet(one: Bbox, other: Bbox) -> bool:
    shared = Bbox.intersection(one, other)
    return shared is not None and shared.width > 0.5 and shared.height > 0.5


def _ticks_out_of_view(ax: Axes) -> list[Text]:
    gone = []
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        shown = set(map(id, axis._update_ticks()))
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if id(tick) not in shown or not low <= tick.get_loc() <= high:
                gone += [tick.label1, tick.label2]
    return gone

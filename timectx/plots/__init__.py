"""Draw runs and frames: each function takes what it shows, and returns the axes it drew on."""

from timectx.plots.elapsed import plot_elapsed
from timectx.plots.figure import png_bytes, svg_bytes
from timectx.plots.growth import plot_growth
from timectx.plots.staleness import plot_staleness
from timectx.plots.style import DARK, LIGHT, Palette
from timectx.plots.timeline import plot_timeline
from timectx.plots.tradeoff import plot_tradeoff

__all__ = [
    "plot_timeline",
    "plot_growth",
    "plot_staleness",
    "plot_elapsed",
    "plot_tradeoff",
    "Palette",
    "LIGHT",
    "DARK",
    "png_bytes",
    "svg_bytes",
]

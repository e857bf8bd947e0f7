"""Put plots into a page: as drawings inside it, one for light and one for dark screens."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from timectx.plots import DARK, LIGHT, Palette, png_bytes, svg_bytes
from timectx.plots.figure import figure_of
from timectx.report.markup import Markup, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["figure"]

_LARGEST_SVG: Final = 300_000
"""A drawing of more bytes than this is put in as an image of dots."""

_DOTS_PER_INCH: Final = 180
_CSS_PER_INCH: Final = 96


def figure(name: str, draw: Callable[[Palette], Axes], seen: str, caption: str) -> Markup:
    """
    Build a figure.

    Parameters
    ----------
    name : str
        Its id in the page.
    draw : callable
        Draws it with a palette.
    seen : str
        What is to be seen, for those who do not see it.
    caption : str
        How to read it.

    Returns
    -------
    Markup
        The figure with its images inside; nothing is loaded from anywhere.
    """
    light, dark = draw(LIGHT), draw(DARK)
    width, height = (round(each * _CSS_PER_INCH) for each in figure_of(light).get_size_inches())
    image = tag("img", src=_inside(light), alt=seen, width=str(width), height=str(height))
    source = tag("source", srcset=_inside(dark), media="screen and (prefers-color-scheme: dark)")
    return tag("figure", tag("picture", source, image), tag("figcaption", caption), id=name)


def _inside(ax: Axes) -> str:
    drawing = svg_bytes(ax)
    if len(drawing) <= _LARGEST_SVG:
        return f"data:image/svg+xml;base64,{b64encode(drawing).decode()}"
    return f"data:image/png;base64,{b64encode(png_bytes(ax, dpi=_DOTS_PER_INCH)).decode()}"

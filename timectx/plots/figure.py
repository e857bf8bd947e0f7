"""Turn a figure into bytes that are the same in every run."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final, cast

from timectx.plots.style import drawing_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["figure_of", "png_bytes", "svg_bytes"]

_SVG_METADATA: Final[dict[str, Any]] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""No date and no name of a program: what is drawn is all there is."""


def figure_of(ax: Axes) -> Figure:
    """
    Return the figure that axes belong to.

    Parameters
    ----------
    ax : Axes
        As a plot returns them.

    Returns
    -------
    Figure
        The whole one, also where the axes lie in a part of it.
    """
    return cast("Figure", ax.get_figure(root=True))


def png_bytes(ax: Axes, *, dpi: int = 150) -> bytes:
    """
    Return the figure that axes belong to as a PNG image.

    Parameters
    ----------
    ax : Axes
        As a plot returns them.
    dpi : int, optional
        Dots per inch.

    Returns
    -------
    bytes
        Without date and version, so equal figures are equal bytes.
    """
    return _saved(ax, format="png", dpi=dpi, metadata={"Software": None})


def svg_bytes(ax: Axes) -> bytes:
    """
    Return the figure that axes belong to as an SVG drawing.

    Parameters
    ----------
    ax : Axes
        As a plot returns them.

    Returns
    -------
    bytes
        Without date and random names, so equal figures are equal bytes. Letters are shapes: it needs
        no font, and nothing outside itself.
    """
    text = _saved(ax, format="svg", metadata=_SVG_METADATA)
    head, _, rest = text.partition(b"<!DOCTYPE")
    return head + rest.partition(b">\n")[2] if rest else text


def _saved(ax: Axes, **options: Any) -> bytes:
    stream = io.BytesIO()
    figure = figure_of(ax)
    with drawing_settings():
        figure.savefig(stream, facecolor=figure.get_facecolor(), **options)
    return stream.getvalue()

"""Lay rows out as HTML tables that a screen reader can follow and a narrow screen can scroll."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from timectx.report.markup import Markup, tag

__all__ = ["Head", "Row", "table"]


class Head(Struct, frozen=True):
    """
    Name a column.

    `unit` stands below the name, empty for none. `align` is that of the cells: text, ``short`` for text on
    one line, ``long`` for text that needs room, or number. `bar` draws a share, given by the row, as a line
    below the number.
    """

    name: str
    unit: str = ""
    align: Literal["text", "short", "long", "number"] = "number"
    bar: bool = False


class Row(Struct, frozen=True):
    """
    Hold the cells of a row, the first of which names it.

    `kind` is the class of the row, empty for none. `shares` are the lengths of bars in percent, by the place
    of their column.
    """

    cells: Sequence[str]
    kind: str = ""
    shares: dict[int, float] = {}


def table(name: str, caption: str, heads: Sequence[Head], rows: Iterable[Row]) -> Markup:
    r"""
    Build a table.

    Parameters
    ----------
    name : str
        Its id in the page.
    caption : str
        What it shows.
    heads : sequence of Head
        Its columns.
    rows : iterable of Row
        Its rows, each with a cell for every column.

    Returns
    -------
    Markup
        In a box that scrolls sideways where the page is narrower than the table.

    Examples
    --------
    >>> "<td class=\"number\">&lt;1</td>" in table("t", "few", [Head("a"), Head("b")], [Row(["x", "<1"])])
    True
    """
    top = tag("tr", *(_head(each) for each in heads))
    body = [_row(each, heads) for each in rows]
    made = tag("table", tag("caption", caption, id=f"{name}-caption"), tag("thead", top), tag("tbody", *body), id=name)
    return tag("div", made, class_="scroll", tabindex="0", role="region", aria_labelledby=f"{name}-caption")


def _head(head: Head) -> Markup:
    unit = (tag("small", head.unit),) if head.unit else ()
    return tag("th", head.name, *unit, scope="col", class_="number" if head.align == "number" else None)


def _row(row: Row, heads: Sequence[Head]) -> Markup:
    first, *rest = row.cells
    cells = [tag("th", first, scope="row", class_="text" if heads[0].align != "number" else None)]
    for at, (text, head) in enumerate(zip(rest, heads[1:], strict=True), 1):
        kinds: list[str] = [] if head.align == "text" else [head.align]
        style = None
        if head.bar and at in row.shares:
            kinds.append("bar")
            style = f"--share:{row.shares[at]:.2f}"
        cells.append(tag("td", text, class_=" ".join(kinds) or None, style=style))
    return tag("tr", *cells, class_=row.kind or None)

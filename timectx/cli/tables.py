"""Lay a table out so that no terminal is too narrow for it: nothing in it is ever cut."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from timectx.cli.screen import clean, console, say

__all__ = ["print_table"]

_PROSE_COLUMNS: Final = 24
"""How narrow a column of sentences may become before the table takes another shape."""

_GAP: Final = 3
"""How far columns stand apart."""


def print_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Container[str] = (),
    prose: str | None = None,
    keys: int = 1,
    marked: int | None = None,
    width: int | None = None,
) -> None:
    """
    Print rows under their heads, whole.

    Parameters
    ----------
    heads : sequence of str
        One a column; a line break makes a head of two lines.
    rows : iterable of sequence of str
        Cells, made safe by `clean`.
    left : container of str, optional
        Heads of the columns that are aligned to the left; all others are to the right.
    prose : str, optional
        Head of a column of sentences, which may be broken between words.
    keys : int, optional
        How many columns, from the first, tell which row it is.
    marked : int, optional
        The row to set off, from 0.
    width : int, optional
        How many characters a line may have; None takes what the terminal has.

    Notes
    -----
    A table that is too wide is printed in parts, each with the key columns before it; where even
    one column does not fit beside those, each cell stands on a line of its own.
    """
    sheet = _Sheet(console(), heads, [[clean(cell) for cell in row] for row in rows], left, prose, keys, marked)
    room = sheet.screen.width if width is None else width
    with sheet.screen.capture() as captured:
        sheet.print(room)
    say("\n".join(line.rstrip() for line in captured.get().splitlines()))


class _Sheet:
    """Hold one table's cells, and print them in the shape that fits."""

    def __init__(
        self,
        screen: Console,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        left: Container[str],
        prose: str | None,
        keys: int,
        marked: int | None,
    ) -> None:
        self.screen = screen
        self._heads = heads
        self._rows = rows
        self._left = left
        self._prose = prose
        self._keys = list(range(min(keys, len(heads))))
        self._marked = marked

    def print(self, room: int) -> None:
        """Print what fits side by side, or else cell below cell."""
        parts = self._parts(room)
        if any(self._needed(part) > room for part in parts):
            self._print_stacked()
            return
        for at, part in enumerate(parts):
            if at:
                self.screen.print()
            table = self._table(part)
            self.screen.print(table, width=min(room, self._natural(part)), crop=False)

    def _parts(self, room: int) -> list[list[int]]:
        """Share the columns out, the keys in each part."""
        parts = [[*self._keys]]
        for column in range(len(self._keys), len(self._heads)):
            if self._needed([*parts[-1], column]) <= room or len(parts[-1]) == len(self._keys):
                parts[-1].append(column)
            else:
                parts.append([*self._keys, column])
        return parts

    def _needed(self, columns: Sequence[int]) -> int:
        return self._width(columns, shrunk=True)

    def _natural(self, columns: Sequence[int]) -> int:
        return self._width(columns, shrunk=False)

    def _width(self, columns: Sequence[int], *, shrunk: bool) -> int:
        widths = [self._column_width(column, shrunk=shrunk) for column in columns]
        return sum(widths) + _GAP * (len(widths) - 1)

    def _column_width(self, column: int, *, shrunk: bool) -> int:
        cells = [Text(line).cell_len for line in self._heads[column].split("\n")]
        cells += [Text(row[column]).cell_len for row in self._rows]
        widest = max(cells)
        return min(widest, _PROSE_COLUMNS) if shrunk and self._heads[column] == self._prose else widest

    def _table(self, columns: Sequence[int]) -> Table:
        vertical: Literal["top", "bottom"] = "top" if self._prose else "bottom"
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for column in columns:
            head = self._heads[column]
            side: Literal["left", "right"] = "left" if head in self._left else "right"
            table.add_column(Text(head), justify=side, no_wrap=head != self._prose, overflow="fold", vertical=vertical)
        for at, row in enumerate(self._rows):
            style = "bold" if at == self._marked else None
            table.add_row(*(Text(row[column]) for column in columns), style=style)
        return table

    def _print_stacked(self) -> None:
        for at, row in enumerate(self._rows):
            if at:
                self.screen.print()
            for head, cell in zip(self._heads, row, strict=True):
                line = Text(f"{head.replace(chr(10), ' ')}: {cell}", style="bold" if at == self._marked else "")
                self.screen.print(line, soft_wrap=True)

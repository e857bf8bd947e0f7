"""Test that tables are as wide as they have to be, and take another shape where that is too wide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.cli.logs import printed
from timectx.cli.tables import print_table

HEADS = ("name", "tokens\nadded", "share", "what it is")
ROWS = (("a", "56,654", "32.4 %", "the first of the rows"), ("bb", "7", "0.1 %", "the last"))
LEFT = ("name", "what it is")


def test_cells_are_never_cut() -> None:
    """Without a terminal every row is one line, however long."""
    long = "x" * 3000
    assert printed(lambda: print_table(("path", "n"), [(long, "1"), ("y", "22")], left=("path",))).splitlines() == [
        "path" + " " * 3000 + "n",
        "─" * 3005,
        long + "    1",
        "y" + " " * 3002 + "22",
    ]


def test_brackets_and_colons_in_cells_mean_nothing() -> None:
    """Markup and emoji codes are text."""
    lines = printed(lambda: print_table(("a",), [("[red]x[/red] :smile:",)], left=("a",))).splitlines()
    assert lines[2] == "[red]x[/red] :smile:"


def test_a_table_without_rows_has_its_heads() -> None:
    """Nothing to show is shown as nothing."""
    assert printed(lambda: print_table(("a", "b"), [])) == "a   b\n─────\n"


def test_a_table_that_fits_is_one() -> None:
    """At its natural width nothing has to give."""
    assert printed(lambda: print_table(HEADS, ROWS, left=LEFT, width=46)).splitlines() == [
        "       tokens",
        "name    added    share   what it is",
        "──────────────────────────────────────────────",
        "a      56,654   32.4 %   the first of the rows",
        "bb          7    0.1 %   the last",
    ]


def test_a_table_that_does_not_fit_is_printed_in_parts() -> None:
    """Each part has the first column, so that its rows can be told apart."""
    assert printed(lambda: print_table(HEADS, ROWS, left=LEFT, width=45)).splitlines() == [
        "       tokens",
        "name    added    share",
        "──────────────────────",
        "a      56,654   32.4 %",
        "bb          7    0.1 %",
        "",
        "name   what it is",
        "────────────────────────────",
        "a      the first of the rows",
        "bb     the last",
    ]


def test_each_part_repeats_as_many_columns_as_tell_a_row() -> None:
    """Where it takes two to say which row it is, both stand in each part."""
    rows = [("1", "2", "x" * 9, "y" * 9)]
    assert printed(lambda: print_table(("turn", "step", "a", "b"), rows, keys=2, width=25)).splitlines() == [
        "turn   step           a",
        "───────────────────────",
        "   1      2   xxxxxxxxx",
        "",
        "turn   step           b",
        "───────────────────────",
        "   1      2   yyyyyyyyy",
    ]


def test_a_column_wider_than_the_terminal_stands_cell_below_cell() -> None:
    """Each cell is named, and whole on its line."""
    assert printed(lambda: print_table(HEADS, ROWS, left=LEFT, width=20)).splitlines() == [
        "name: a",
        "tokens added: 56,654",
        "share: 32.4 %",
        "what it is: the first of the rows",
        "",
        "name: bb",
        "tokens added: 7",
        "share: 0.1 %",
        "what it is: the last",
    ]


def test_sentences_are_broken_between_words() -> None:
    """Before the table falls into parts, its sentences take more lines."""
    rows = [("a", "one two three four five six seven"), ("b", "eight")]
    assert printed(
        lambda: print_table(("k", "what it is"), rows, left=("k", "what it is"), prose="what it is", width=30)
    ).splitlines() == [
        "k   what it is",
        "──────────────────────────────",
        "a   one two three four five",
        "    six seven",
        "b   eight",
    ]


@pytest.mark.parametrize("width", [1, 10, 40, 80])
@given(st.lists(st.lists(st.text("ab日 ", max_size=60), min_size=3, max_size=3), max_size=4))
def test_no_width_costs_a_character(width: int, rows: list[list[str]]) -> None:
    """Whatever the terminal, every cell is there, and a table is never wider than it may be."""
    lines = printed(lambda: print_table(("x", "y", "z"), rows, left=("x", "z"), width=width)).splitlines()
    text = "\n".join(lines)
    assert [cell for row in rows for cell in row if cell.rstrip() not in text] == []
    assert [line for line in lines if "─" in line and cell_len(line) > width] == []

"""Test how tables and numbers are written."""

from __future__ import annotations

import pytest

from timectx.report.numbers import dollars, percent
from timectx.report.tables import Head, Row, table


def test_a_table_names_its_rows_and_columns() -> None:
    """Heads have a scope, the box around has a name and can be reached by keyboard."""
    made = table("t", "Few <things>", [Head("thing", align="text"), Head("size", "tokens")], [Row(["a", "1"])])
    assert made == (
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="t-caption">'
        '<table id="t"><caption id="t-caption">Few &lt;things&gt;</caption>'
        '<thead><tr><th scope="col">thing</th><th scope="col" class="number">size<small>tokens</small></th></tr>'
        "</thead>"
        '<tbody><tr><th scope="row" class="text">a</th><td class="number">1</td></tr></tbody></table></div>'
    )


def test_a_bar_is_as_long_as_its_share() -> None:
    """The length is part of the page; a row without one has none."""
    heads = [Head("a"), Head("b", bar=True)]
    made = table("t", "", heads, [Row(["x", "1"], kind="chosen", shares={1: 12.345}), Row(["y", "2"])])
    assert '<tr class="chosen"><th scope="row">x</th><td class="number bar" style="--share:12.35">1</td>' in made
    assert '<td class="number">2</td>' in made


def test_a_row_with_too_few_cells_is_an_error() -> None:
    """A table never shifts its cells."""
    with pytest.raises(ValueError, match="longer"):
        table("t", "", [Head("a"), Head("b"), Head("c")], [Row(["x", "1"])])


@pytest.mark.parametrize(
    ("part", "whole", "written"),
    [(0, 5, "0.00 %"), (5, 5, "100.00 %"), (1, 20_000, "0.01 %"), (1, 20_001, "0.00 %"), (2, 3, "66.67 %")],
)
def test_a_share_has_two_digits_and_halves_go_up(part: int, whole: int, written: str) -> None:
    """The rounding is one of whole numbers, so it is the same everywhere."""
    assert percent(part, whole) == written


@pytest.mark.parametrize(
    ("pico_usd", "written"),
    [(0, "$0.0000"), (49_999_999, "$0.0000"), (50_000_000, "$0.0001"), (1_234_567_890_000_000, "$1,234.5679")],
)
def test_money_has_four_digits(pico_usd: int, written: str) -> None:
    """Half of the last digit goes up."""
    assert dollars(pico_usd) == written

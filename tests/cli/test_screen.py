"""Test that text from elsewhere is printed as text, and tables as wide as they have to be."""

from __future__ import annotations

import json
import unicodedata

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from timectx.cli.screen import clean, counted, print_json, print_table, say


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain äé 日本 [bold] :smile:", "plain äé 日本 [bold] :smile:"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u2028b\u200bc\ufeff", "a\\u2028b\\u200bc\\ufeff"),
        ("wide\u3000and\xa0hard", "wide\u3000and\xa0hard"),
        ("half \ud800", "half \\ud800"),
    ],
    ids=["plain", "terminal title", "line breaks", "C1", "right to left", "invisible", "spaces", "surrogate"],
)
def test_what_steers_a_terminal_is_escaped(text: str, shown: str) -> None:
    """Letters and spaces stay, everything that acts instead of showing is written out."""
    assert clean(text) == shown


@given(st.text())
def test_cleaned_text_is_one_harmless_line(text: str) -> None:
    """No character of it controls, breaks a line, reorders or is half a pair."""
    bad = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert [char for char in clean(text) if unicodedata.category(char) in bad] == []


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


def test_json_is_ascii_and_has_no_number_that_json_lacks() -> None:
    """Whatever the terminal, the same bytes; NaN is refused where it would be printed."""
    value = {"path": "日\x1b\x7f\ud800", "n": None}
    out = printed(lambda: print_json(value))
    assert (out.isascii(), out.replace("\n", "").isprintable(), json.loads(out)) == (True, True, value)
    with pytest.raises(ValueError, match="JSON"):
        printed(lambda: print_json(float("nan")))


def test_numbers_agree_with_their_nouns() -> None:
    """One step, no steps, a thousand with a comma."""
    assert [counted(number, "step") for number in (0, 1, 1000)] == ["0 steps", "1 step", "1,000 steps"]


def test_text_is_escaped_where_the_encoding_lacks_it() -> None:
    """A stream in Latin-1 gets what it can hold, and escapes for the rest."""
    assert printed(lambda: say("é 日"), charset="latin-1") == "é \\u65e5\n"


def printed(work: object, charset: str = "utf-8") -> str:
    """Return what a piece of work prints to standard output."""

    @click.command()
    def command() -> None:
        assert callable(work)
        work()

    return CliRunner(charset=charset).invoke(command, catch_exceptions=False).stdout

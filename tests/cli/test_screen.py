"""Test that text from elsewhere is printed as text."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.logs import printed
from timectx.cli.screen import clean, counted, print_json, say, shortened


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


@pytest.mark.parametrize("length", [0, 499, 500, 501, 10_000_000])
def test_a_long_text_keeps_its_beginning_and_its_end(length: int) -> None:
    """A message of megabytes is no line; what stands at both ends says what it was."""
    text = ("begin" + "x" * length + "end")[:length]
    short = shortened(text)
    assert (len(short), short[:200], short[-200:]) == (min(length, 500), text[:200], text[-200:])
    assert ("…" in short) == (length > 500)

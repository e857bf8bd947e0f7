"""Counters that go under a name."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.errors import ScenarioError
from timectx.replay.counters import NamedCounter, counter_label, counter_of
from timectx.replay.js_json import utf16_length
from timectx.replay.reading_prices import ReadingPrices, digit_blind

SMILE = "\U0001f600"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcd", 1),
        ("abcde", 2),
        ("中" * 100, 100),
        ("中文 and so on", 5),
        ("カタカナ ひらがな", 9),
        ("한국어", 3),
        ("、。「", 3),
        ("\U00020000", 1),
        (SMILE * 4, 2),
        ("é" * 8, 2),
    ],
    ids=["empty", "latin", "up", "chinese", "mixed", "kana", "hangul", "marks", "rare", "emoji", "accents"],
)
def test_cjk_counts_wide_characters_one_by_one_and_the_rest_in_fours(text: str, tokens: int) -> None:
    """The rest by UTF-16 units and rounded up, as the original's estimate does with everything."""
    assert NamedCounter("cjk")(text) == tokens


@pytest.mark.parametrize(
    ("name", "tokens"), [("chars/4", 25), ("chars/2.8", 36), ("chars/3", 34), ("chars/0.5", 200), ("chars/300", 1)]
)
def test_chars_counts_so_many_characters_a_token(name: str, tokens: int) -> None:
    """A hundred of them, rounded up."""
    assert NamedCounter(name)("x" * 100) == tokens


@given(st.text())
def test_chars_is_exact_for_every_length(text: str) -> None:
    """By whole numbers: no length falls on the wrong side of a rounding; an emoji counts as the two units it has."""
    length = utf16_length(text)
    assert NamedCounter("chars/2.8")(text) == -(-10 * length // 28)


@pytest.mark.parametrize(
    ("given", "spelt"), [("chars/2.80", "chars/2.8"), ("chars/4.0", "chars/4"), ("chars/100", "chars/100")]
)
def test_one_counter_has_one_spelling(given: str, spelt: str) -> None:
    """So that equal counters are equal, in a file and in a label."""
    assert (NamedCounter(given), counter_of(given)) == (spelt, spelt)


@pytest.mark.parametrize("name", ["", "O200K", "chars/", "chars/0", "chars/-1", "chars/1e3", "chars/nan", "chars/٣"])
def test_a_name_that_is_none_is_refused_with_those_that_are(name: str) -> None:
    """At once, and with what was given."""
    with pytest.raises(ScenarioError) as refused:
        NamedCounter(name)
    names = "o200k, cl100k, deepseek, cjk, chars/N"
    assert (refused.value.kind, str(refused.value)) == (
        "counter",
        f"counter is a function from text to tokens, or one of {names}; got {name!r}",
    )


@pytest.mark.parametrize("name", ["cjk", "chars/2.8", "chars/4"])
def test_a_rule_of_thumb_sees_no_digits(name: str) -> None:
    """So that readings are priced once per form, without trying."""
    assert digit_blind(NamedCounter(name))
    assert ReadingPrices(NamedCounter(name)).blind


def test_a_label_tells_tokenizers_from_heuristics_and_from_functions_of_ones_own() -> None:
    """Whoever prints numbers of tokens prints what stands behind them."""
    counters: tuple[Any, ...] = (None, "o200k", "deepseek", "cjk", "chars/3.5", len, functools.partial(len))
    assert [counter_label(counter_of(each)) for each in counters] == [
        "chars/4 and fixed parts (heuristic)",
        "o200k (tokenizer)",
        "deepseek (tokenizer)",
        "cjk (heuristic)",
        "chars/3.5 (heuristic)",
        "len (own counter)",
        "partial (own counter)",
    ]

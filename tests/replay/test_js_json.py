"""JSON text as JavaScript writes it, because prices go by its length."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.replay.js_json import js_json, js_number, utf16_length

SMILE = "\U0001f600"


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0), ("abc", 3), ("é", 1), ("中文", 2), (SMILE, 2), ("a" + SMILE, 3), ("\ud83d", 1), ("\ud83d\ude00", 2)],
    ids=["empty", "ascii", "latin", "chinese", "emoji", "mixed", "lone-surrogate", "pair-of-surrogates"],
)
def test_a_text_is_as_long_as_its_utf_16_units(text: str, length: int) -> None:
    """Outside the basic plane a character counts twice; a lone surrogate counts once."""
    assert utf16_length(text) == length


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (7, "7"),
        (-7, "-7"),
        (1.0, "1"),
        (1e3, "1000"),
        (0.5, "0.5"),
        (-2.25, "-2.25"),
        (123.456, "123.456"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (1.25e-7, "1.25e-7"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (-1e21, "-1e+21"),
        (5e-324, "5e-324"),
        (2**53 - 1, "9007199254740991"),
        (2**53 + 1, "9007199254740992"),
        (2**64, "18446744073709552000"),
        (10**400, "null"),
        (math.inf, "null"),
        (math.nan, "null"),
    ],
)
def test_a_number_reads_as_javascript_prints_it(value: float, text: str) -> None:
    """Whole floats without a fraction, exponents only far from 1, and null where JSON has no number."""
    assert js_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ([True, False], "[true,false]"),
        ({}, "{}"),
        ([], "[]"),
        ([[], {}, [1]], "[[],{},[1]]"),
        ((1, 2), "[1,2]"),
        ({"a": {"b": [1, {"c": None}]}, "d": "x"}, '{"a":{"b":[1,{"c":null}]},"d":"x"}'),
        ({"b": 1, "10": 2, "9": 3, "a": 4}, '{"9":3,"10":2,"b":1,"a":4}'),
        ({"01": 1, "-1": 2, "0": 3}, '{"0":3,"01":1,"-1":2}'),
        ({"4294967295": 1, "4294967294": 2}, '{"4294967294":2,"4294967295":1}'),
        ({"٣": 1, "2": 2}, '{"2":2,"٣":1}'),
        ('say "\\"\n\x01é' + SMILE, '"say \\"\\\\\\"\\n\\u0001é' + SMILE + '"'),
        ("\ud83dx", '"\\ud83dx"'),
    ],
    ids=[
        "null", "bools", "no-member", "no-item", "empties", "tuple", "nested", "indices-first", "no-indices",
        "largest-index", "other-digits", "escapes", "lone-surrogate",
    ],
)  # fmt: skip
def test_a_value_reads_as_javascript_writes_it(value: Any, text: str) -> None:
    """Compact, in stored order but for array indices, and raw outside ASCII but for lone surrogates."""
    assert js_json(value) == text


def test_depth_does_not_matter() -> None:
    """A value may nest deeper than Python's stack."""
    value: Any = 1
    for _ in range(50_000):
        value = [value]
    assert js_json(value) == "[" * 50_000 + "1" + "]" * 50_000


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(_JSON)
def test_the_text_reads_back_as_the_same_value(value: Any) -> None:
    """Read with doubles, as JavaScript reads it, nothing is lost."""
    assert json.loads(js_json(value), parse_int=float) == value

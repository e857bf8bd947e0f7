"""Show which JSON is read, and as what: as JavaScript would, where Python or the fast decoder would not."""

from __future__ import annotations

import math
from typing import Any

import pytest

from timectx.errors import FormatError
from timectx.formats.loose_json import json_number, parse_json


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'{"a":1.0,"b":1e3,"c":-0.0,"d":2.5,"e":1E+2}', {"a": 1, "b": 1000, "c": 0, "d": 2.5, "e": 100}),
        (b'{"a":1,"a":2,"a":3}', {"a": 3}),
        (b'"\\ud83d\\ude00 \\ud83d"', "\U0001f600 \ud83d"),
        (b'"\\u2028"', "\u2028"),
        ('"\u2028\u2029\x85\x7f"'.encode(), "\u2028\u2029\x85\x7f"),
        (b' \t{"a":null} \r', {"a": None}),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"9" * 5000, math.inf),
        (b"-" + b"9" * 5000, -math.inf),
        (b"1e400", math.inf),
    ],
    ids=["numbers", "names", "surrogates", "escape", "separators", "space", "long", "endless", "negative", "exponent"],
)
def test_a_value_is_what_javascript_reads(line: bytes, value: Any) -> None:
    """Whole numbers are integers, the last of equal names counts, half a pair is kept."""
    read, repaired = parse_json(line)
    assert (read, repaired) == (value, False)
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'"a\xffb"', "a\ufffdb"),
        (b'"\xed\xa0\xbd"', "\ufffd\ufffd\ufffd"),
        (b'"\xe4\xb8"', "\ufffd"),
        ('"caf\xe9"'.encode("latin-1"), "caf\ufffd"),
    ],
    ids=["byte", "surrogate", "cut", "latin-1"],
)
def test_bytes_that_are_no_utf8_are_replaced_and_it_is_said(line: bytes, value: str) -> None:
    """Nothing else of the line is lost."""
    assert parse_json(line) == (value, True)


def test_a_replacement_character_in_the_line_is_no_repair() -> None:
    """U+FFFD may stand in a text like any other."""
    assert parse_json('"\ufffd \\ud83d"'.encode()) == ("\ufffd \ud83d", False)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"", "not-json"),
        (b'{"a":', "not-json"),
        (b"{} {}", "not-json"),
        (b"NaN", "not-json"),
        (b'{"a":-Infinity}', "not-json"),
        (b"'a'", "not-json"),
        (b"{a:1}", "not-json"),
        (b'"a\nb"', "not-json"),
        (b"\x00" * 4096, "not-json"),
        (b'\xef\xbb\xbf{"a":1}', "not-json"),
        (b"[" * 10_000 + b"]" * 10_000, "nested-too-deep"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested-too-deep"),
    ],
    ids=["empty", "cut", "two", "nan", "infinity", "quotes", "bare", "control", "nul", "bom", "lists", "objects"],
)
def test_what_is_no_json_is_refused(line: bytes, kind: str) -> None:
    """Also what Python's own decoder lets through."""
    with pytest.raises(FormatError) as error:
        parse_json(line)
    assert error.value.kind == kind


def test_nul_bytes_are_counted() -> None:
    """A file whose end was never written is full of them."""
    with pytest.raises(FormatError, match="not JSON: 4096 NUL bytes"):
        parse_json(b"\x00" * 4096)


@pytest.mark.parametrize(("text", "number"), [("1.0", 1), ("1e2", 100), ("0.5", 0.5), ("1e21", 1e21), ("-2.0", -2)])
def test_numbers_are_whole_where_javascript_prints_them_whole(text: str, number: float) -> None:
    """From 1e21 on JavaScript prints an exponent, so those stay floats."""
    assert json_number(text) == number
    assert type(json_number(text)) is type(number)

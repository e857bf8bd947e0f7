"""Test that YAML gives plain data, and no field twice."""

from __future__ import annotations

import pytest
import yaml

from timectx.loop.plain_yaml import load_plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 2026-07-15T09:00:00+08:00", {"a": "2026-07-15T09:00:00+08:00"}),
        ("a: 2026-07-15", {"a": "2026-07-15"}),
        ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: {<<: {b: 1}, c: 2}", {"a": {"b": 1, "c": 2}}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
    ],
    ids=["instant", "date", "json", "alias", "merge", "block"],
)
def test_values_are_what_they_look_like_and_dates_are_texts(text: str, expected: object) -> None:
    """Nobody else than the script decides what a time is."""
    assert load_plain(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: 2\na: 3", "'a' is given twice"),
        ("x: {a: 1, a: 1}", "'a' is given twice"),
        ("a: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("a: *b", "found undefined alias 'b'"),
        ("{", "expected the node content"),
    ],
    ids=["twice", "twice inside", "python", "alias", "torn"],
)
def test_what_is_more_or_less_than_plain_data_is_refused(text: str, problem: str) -> None:
    """A field given twice is a slip of the hand; the first value is not silently dropped."""
    with pytest.raises(yaml.YAMLError, match=problem):
        load_plain(text)


def test_the_loader_of_everybody_else_stays_as_it_was() -> None:
    """Dates are still dates for other users of the library."""
    assert yaml.safe_load("2026-07-15").isoformat() == "2026-07-15"


@pytest.mark.parametrize(
    "text",
    ["&a {a: *a}", "a: .nan", "a: -.inf", "a: !!binary aGk=", "a: !!set {x, y}", "[" * 200 + "]" * 200, "{1: a}"],
    ids=["itself", "nan", "infinity", "bytes", "set", "deep", "number-key"],
)
def test_what_json_does_not_hold_is_refused(text: str) -> None:
    """It would be lost, or fail later, inside a session that is on disk already."""
    with pytest.raises(yaml.YAMLError):
        load_plain(text)


def test_a_text_that_unfolds_without_end_is_refused() -> None:
    """Each level holds the one before ten times: a short text of a billion parts."""
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(yaml.YAMLError):
        load_plain("\n".join(levels))

"""Show that problems stay few, short and printable, whatever is in a file."""

from __future__ import annotations

import pytest

from timectx.errors import FormatError, UnsupportedFormatError
from timectx.formats.report import LISTED_PER_KIND, Report, one_line, refusal
from timectx.session import Problem


def test_a_flood_of_one_kind_is_counted_and_hides_no_other() -> None:
    """The first ones are listed, the rest are one more problem, and other kinds are listed as well."""
    report = Report()
    for line in range(2, 100_002):
        report.add(line, "seq-repeated", "again")
    report.add(70_000, "not-json", "half a line")
    problems = report.problems()
    listed = [Problem(line, "seq-repeated", "again") for line in range(2, 2 + LISTED_PER_KIND)]
    more = "and 99950 more of this kind, from this line to line 100001"
    assert problems == (*listed, Problem(52, "seq-repeated", more), Problem(70_000, "not-json", "half a line"))


def test_problems_are_in_the_order_of_lines() -> None:
    """Whatever the order in which they were found."""
    report = Report()
    for line in (5, 2, 9):
        report.add(line, f"kind-{line}", "x")
    assert [problem.line for problem in report.problems()] == [2, 5, 9]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \u4e2d\u6587 \U0001f600", "plain \u4e2d\u6587 \U0001f600"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("half \ud83d", "half \\ud83d"),
        ("\u202eright to left", "\\u202eright to left"),
        ("x" * 501, "x" * 500 + "\u2026"),
    ],
    ids=["letters", "line ends", "escape", "surrogate", "direction", "long"],
)
def test_a_message_is_one_printable_line(text: str, shown: str) -> None:
    """What a file holds cannot move the cursor, break the line or fill the screen."""
    assert one_line(text) == shown


def test_a_refusal_begins_with_file_and_line() -> None:
    """The path is whole, however long, and the class is as asked."""
    path = "folder/" * 100 + "a\nb.jsonl"
    error = refusal(path, 7, "some-kind", "what\nwas wrong", cause=UnsupportedFormatError)
    assert str(error) == "folder/" * 100 + "a\\nb.jsonl:7: what\\nwas wrong"
    assert (type(error), error.kind) == (UnsupportedFormatError, "some-kind")
    assert type(refusal("a", 1, "k", "t")) is FormatError

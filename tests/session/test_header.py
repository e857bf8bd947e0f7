"""What every request carries beside messages, folded from whole headers and from edits by lines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import log
from timectx.errors import SessionError
from timectx.session.data import JsonObject
from timectx.session.header import canonical_header, check_header_event, fold_header

CONFIG = {"provider": "p", "model": "m"}
TOOL = {"name": "t", "description": "d", "parameters": {}}


@pytest.mark.parametrize(
    ("header", "canonical"),
    [
        ({"config": CONFIG}, {"config": CONFIG}),
        ({"config": CONFIG, "system": "", "tools": []}, {"config": CONFIG}),
        ({"tools": [TOOL], "system": "s", "config": CONFIG}, {"config": CONFIG, "system": "s", "tools": [TOOL]}),
        ({"config": CONFIG, "adapterDefaults": {"maxTokens": False}}, {"config": CONFIG}),
        (
            {"config": CONFIG, "adapterDefaults": {"maxTokens": True, "reasoningEffort": False}},
            {"config": CONFIG, "adapterDefaults": {"maxTokens": True}},
        ),
        ({"config": CONFIG, "adapterDefaults": "odd", "new": 1}, {"config": CONFIG}),
        ({}, {"config": {}}),
    ],
    ids=["plain", "empty parts", "whole", "no defaults", "one default", "odd", "nothing"],
)
def test_a_canonical_header_leaves_out_what_says_nothing(header: dict[str, Any], canonical: dict[str, Any]) -> None:
    """Two requests that differ only there are the same, and cost the same."""
    assert canonical_header(header) == canonical
    assert canonical_header(canonical) == canonical


def test_the_last_header_is_in_force() -> None:
    """Anything else leaves it, as the very same object."""
    events = log().turn().step().header("one").reply("a").step().header("two", [TOOL], "change").reply("b").events()
    seen: list[tuple[int, JsonObject | None]] = []
    header: JsonObject | None = None
    for event in events:
        before, header = header, fold_header(header, event)
        if header is not before:
            seen.append((event.seq, header))
    one, two = {"config": CONFIG, "system": "one"}, {"config": CONFIG, "system": "two", "tools": [TOOL]}
    assert seen == [(2, one), (6, two)]


@pytest.mark.parametrize(
    ("system", "keep_start", "insert", "keep_end", "edited"),
    [
        ("a\nb\nc", 3, [], 0, "a\nb\nc"),
        ("a\nb\nc", 1, ["X", "Y"], 1, "a\nX\nY\nc"),
        ("a\nb\nc", 0, ["X"], 3, "X\na\nb\nc"),
        ("a\nb\nc", 3, ["", "X"], 0, "a\nb\nc\n\nX"),
        ("a\nb\nc", 2, [], 0, "a\nb"),
        ("a\nb\n", 2, ["X"], 1, "a\nb\nX\n"),
        ("a\r\nb\u2028c", 1, ["X"], 0, "a\r\nX"),
        ("a\nb", 0, [], 9, "a\nb"),
        ("a\nb", 9, [], 0, "a\nb"),
        ("a", 0, [], 0, ""),
        ("", 0, ["X"], 0, "X"),
    ],
    ids=[
        "nothing", "middle", "front", "back", "cut", "final newline", "only newlines count",
        "more than there are at the end", "more at the start", "all gone", "from none",
    ],
)  # fmt: skip
def test_an_edit_keeps_the_first_lines_and_the_last(
    system: str, keep_start: int, insert: list[str], keep_end: int, edited: str
) -> None:
    """Lines are what stands between newlines; what goes in between replaces all the rest."""
    delta = {"system": {"keepStart": keep_start, "keepEnd": keep_end, "insert": insert}}
    *_, header, edit = log().turn().step().header(system, [TOOL]).event("request/header-delta", delta).events()
    after = fold_header(fold_header(None, header), edit)
    assert after == {"config": CONFIG, **({"system": edited} if edited else {}), "tools": [TOOL]}


def test_an_edit_of_something_else_changes_nothing() -> None:
    """Without a part for the system prompt there is no line to edit."""
    (edit,) = log().event("request/header-delta", {"tools": []}).events()
    header = {"config": CONFIG, "system": "s"}
    assert fold_header(header, edit) is header
    assert fold_header(None, edit) is None


def test_an_edit_before_any_header_starts_from_nothing() -> None:
    """A log that lost its first header still folds."""
    (edit,) = log().event("request/header-delta", {"system": {"keepStart": 2, "keepEnd": 0, "insert": ["a"]}}).events()
    assert fold_header(None, edit) == {"config": {}, "system": "\na"}


@pytest.mark.parametrize("reason", ["initial", "resume", "change"])
def test_a_whole_header_with_a_known_reason_is_taken(reason: str) -> None:
    """So is every event that is no header."""
    for event in log().turn().step().header(reason=reason).reply("a").events():
        check_header_event(event)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("request/header", {"header": {"config": CONFIG}, "reason": "fallback"}),
        ("request/header-delta", {}),
        ("request/header-delta", {"system": {"keepStart": 0, "keepEnd": 0, "insert": []}}),
    ],
    ids=["fallback", "empty delta", "delta"],
)
def test_a_retired_form_of_header_is_refused(kind: str, data: dict[str, Any]) -> None:
    """Old logs hold them; nothing appends them any more."""
    (event,) = log().event(kind, data).events()
    with pytest.raises(SessionError, match=f"{kind} at seq 0") as caught:
        check_header_event(event)
    assert caught.value.kind == "session-event-uses-unsupported-legacy-request"


@pytest.mark.parametrize("value", [5, True, 1.5, {"a": 1}, ["x"]], ids=repr)
def test_a_system_prompt_that_is_no_text_says_nothing(value: object) -> None:
    """It is left out, so that no price depends on it, as are tools that are no list and a config that is no object."""
    header = {"config": {"model": "m"}, "system": value, "tools": "none"}
    assert canonical_header(header) == {"config": {"model": "m"}}
    assert canonical_header({"config": value if isinstance(value, list) else 3}) == {"config": {}}

"""The fixed estimate of what messages, headers and readings cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.builders import log
from tests.replay.texts import three, two, zone_line
from timectx.errors import ScenarioError
from timectx.replay import (
    estimate_header_tokens,
    estimate_message_tokens,
    estimate_node_tokens,
    estimate_reading_tokens,
)
from timectx.replay.meter import count_tokens, message_text
from timectx.session.data import Message
from timectx.session.events import SURFACE_CLASSES

SMILE = "\U0001f600"


def text(of: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": of}


@pytest.mark.parametrize(
    ("blocks", "tokens"),
    [
        ([], 4),
        ([text("")], 8),
        ([text("abcd")], 9),
        ([text("abcde")], 10),
        ([text("中" * 100)], 33),
        ([text(SMILE * 2)], 9),
        ([text("abcd"), {"type": "reasoning", "text": "abcd"}], 14),
        ([{"type": "tool-call", "id": "a-very-long-id", "name": "grep", "arguments": '{"a":1}'}], 11),
        ([{"type": "tool-result", "toolCallId": "c", "content": [text("abcd"), text("")], "isError": False}], 17),
        ([{"type": "tool-result", "toolCallId": "c", "content": []}], 8),
        ([{"type": "tool-result", "content": "no list"}], 4 + 4 + 11),
        ([{"type": "image", "attachment": {"id": 1.0}}], 4 + 4 + 10),
        ([{"type": "text", "text": 5}], 4 + 4 + 6),
    ],
    ids=[
        "nothing", "empty-text", "quarter", "rounded-up", "chinese", "emoji", "reasoning", "call", "result",
        "empty-result", "odd-result", "image", "odd-text",
    ],
)  # fmt: skip
def test_a_message_costs_a_quarter_of_its_length_and_4_for_itself_and_each_block(
    blocks: list[dict[str, Any]], tokens: int
) -> None:
    """Length in UTF-16 units, each block rounded up; what is not known costs its JSON text."""
    assert estimate_message_tokens(Message(content=tuple(blocks), source={"kind": "user"}, id="m")) == tokens


@pytest.mark.parametrize(
    ("header", "tokens"),
    [
        (None, 0),
        ({}, 0),
        ({"config": {"provider": "p", "model": "m"}, "tools": []}, 0),
        ({"system": ""}, 4),
        ({"system": "abcde"}, 6),
        ({"tools": [{"name": "t"}]}, 8),
        ({"system": "abcd", "tools": [{"name": "t"}]}, 13),
    ],
    ids=["none", "empty", "no-tools", "empty-system", "system", "tools", "both"],
)
def test_a_header_costs_its_system_prompt_and_its_tools(header: dict[str, Any] | None, tokens: int) -> None:
    """A quarter of the text's and of the tools' JSON length, and 4 for each that is there."""
    assert estimate_header_tokens(header) == tokens


@pytest.mark.parametrize(
    ("reading", "tokens"),
    [
        (three(1, 1, "00:00:00"), 71),
        (three(1, 1, "08:00:00", "0s", browser=zone_line("Asia/Shanghai"), offset="+08:00[Asia/Shanghai]"), 72),
        (three(1, 1, "08:00:00", browser=zone_line("Asia/Shanghai"), offset="+08:00[Asia/Shanghai]"), 74),
        (two(1, 1, "08:00:00", "0s", offset="+08:00[Asia/Shanghai]"), 43),
    ],
    ids=["no-zone", "resolved", "resolved-first", "two-lines"],
)
def test_a_reading_costs_as_much_as_a_message_of_its_text(reading: str, tokens: int) -> None:
    """About 70 tokens in three lines, about 42 in two."""
    assert estimate_reading_tokens(reading) == tokens


def test_a_reply_without_content_costs_nothing() -> None:
    """It is a node of the surface, but no message goes out for it."""
    events = log().turn().step().prompt("abcd").reply("").reply("abcd", calls=["c"]).tool("c", "abcd").events()
    nodes = [event for event in events if isinstance(event, SURFACE_CLASSES)]
    assert [estimate_node_tokens(node) for node in nodes] == [9, 0, 15, 13]


def test_a_counter_of_ones_own_takes_the_place_of_the_estimate() -> None:
    """It is asked for bare texts, what it says is the price, and nothing is asked where nothing is sent."""
    asked: list[str] = []

    def counter(text: str) -> int:
        asked.append(text)
        return 100 + len(text)

    events = log().turn().step().prompt("abcd").prompt("").reply("").reply("so", calls=["c"]).tool("c", "ab").events()
    nodes = [event for event in events if isinstance(event, SURFACE_CLASSES)]
    header = {"config": {}, "system": "be brief", "tools": [{"name": "t"}]}
    prices = [
        *(estimate_node_tokens(node, counter) for node in nodes),
        estimate_reading_tokens("abc", counter),
        estimate_header_tokens(header, counter),
        estimate_header_tokens({"system": "", "tools": []}, counter),
    ]
    assert prices == [104, 0, 0, 107, 102, 103, 222, 0]
    assert asked == ["abcd", "so\nt\n{}", "ab", "abc", "be brief", '[{"name":"t"}]']


@pytest.mark.parametrize(
    ("blocks", "sent"),
    [
        ([], ""),
        ([text("a"), {"type": "reasoning", "text": "b"}, text("c")], "a\nb\nc"),
        ([{"type": "tool-call", "id": "x", "name": "grep", "arguments": '{"a":1}'}], 'grep\n{"a":1}'),
        ([{"type": "tool-result", "toolCallId": "x", "content": [text("a"), text("b")]}, text("c")], "a\nb\nc"),
        ([{"type": "tool-result", "content": "no list"}], '{"type":"tool-result","content":"no list"}'),
        ([{"type": "image", "attachment": {"id": 1.0}}], '{"type":"image","attachment":{"id":1}}'),
        ([{"type": "text", "text": 5}], '{"type":"text","text":5}'),
    ],
    ids=["nothing", "order", "call", "result", "odd-result", "image", "odd-text"],
)
def test_a_counter_is_asked_for_the_texts_of_all_blocks_joined_by_newlines(
    blocks: list[dict[str, Any]], sent: str
) -> None:
    """In the order of the blocks; what has no text of its own is sent as JSON."""
    assert message_text(Message(content=tuple(blocks), source={})) == sent


@pytest.mark.parametrize("said", [-1, 2.0, True, None, "4"])
def test_a_counter_that_says_no_number_of_tokens_is_refused(said: Any) -> None:
    """With what it said; whole numbers of other libraries are fine."""
    with pytest.raises(ScenarioError) as refused:
        count_tokens("hello", lambda text: said)
    assert (refused.value.kind, str(refused.value)) == (
        "counter",
        f"a counter returns a whole number of tokens from 0; got {said!r} for a text of 5 characters",
    )
    assert count_tokens("hello", lambda text: np.int64(5)) == 5  # type: ignore[arg-type, return-value]

"""The fixed estimate of what messages, headers and readings cost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import log
from tests.replay.texts import three, two, zone_line
from timectx.replay import (
    estimate_header_tokens,
    estimate_message_tokens,
    estimate_node_tokens,
    estimate_reading_tokens,
)
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
    """It is asked for whole messages, and never for a reply without content."""
    asked: list[Message] = []

    def counter(message: Message) -> int:
        asked.append(message)
        return 100 + len(message.content)

    events = log().turn().step().prompt("abcd").reply("").events()
    nodes = [event for event in events if isinstance(event, SURFACE_CLASSES)]
    prices = [*(estimate_node_tokens(node, counter) for node in nodes), estimate_reading_tokens("abcd", counter)]
    assert prices == [101, 0, 101]
    assert [message.content for message in asked] == [(text("abcd"),), (text("abcd"),)]

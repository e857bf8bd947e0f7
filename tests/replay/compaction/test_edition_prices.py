"""What a message and a header cost in each edition."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.reading import Edition
from timectx.replay.compaction.edition_prices import price_header, price_message
from timectx.session.events import Message

TEXT = {"type": "text", "text": "hello"}
RESULT = {"type": "tool-result", "toolCallId": "c", "content": [TEXT], "isError": False}
IMAGE = {"type": "image", "attachment": {"bytes": 7}}


def message(*blocks: Any, role: str = "user") -> Message:
    """Return a message of these blocks."""
    return Message(content=blocks, source={}, role=role)


@pytest.mark.parametrize(
    ("known", "readme", "current"),
    [
        (message(TEXT), 10, 10),
        (message(RESULT), 14, 33),
        (message(TEXT, role="tool"), 10, 10),
        (message(IMAGE), 19, 19),
        (message({**IMAGE, "offloaded": True}), 23, 19),
        (message(TEXT, TEXT, role="system"), 16, 7),
        (message(role="system"), 4, 0),
        (message({**IMAGE, "offloaded": True}, role="system"), 23, 19),
        (message({"type": "reasoning", "text": "hello"}, role="system"), 10, 13),
    ],
    ids=[
        "text", "wrapped-result", "bare-result", "image", "image-moved-out", "system", "empty-system", "system-image",
        "system-reasoning",
    ],
)  # fmt: skip
def test_a_message_costs_what_its_edition_says(known: Message, readme: int, current: int) -> None:
    """Both round a quarter of the length up; they differ in what they add, and in what they read as JSON."""
    assert (price_message(known, "readme"), price_message(known, "current")) == (readme, current)


@pytest.mark.parametrize("edition", ["note", "note-v2", "readme", "current"])
def test_a_counter_stands_for_every_rule(edition: Edition) -> None:
    """It is asked for the same bare texts in every edition, those of tool results, system prompts and tools too."""
    prompt, result = message(TEXT, TEXT, role="system"), message(RESULT)
    assert (price_message(prompt, edition, len), price_message(result, edition, len)) == (len("hello\nhello"), 5)
    assert price_header({"tools": [{"name": "read"}]}, edition, len) == len('[{"name":"read"}]')


def test_a_header_costs_its_tools_and_in_the_earlier_editions_its_system_prompt() -> None:
    """In `current` the system prompt is a message; no header costs nothing."""
    header = {"config": {}, "system": "x" * 40, "tools": [{"name": "read"}]}
    assert (price_header(header, "readme"), price_header(header, "current")) == (23, 9)
    assert (price_header(None, "readme"), price_header(None, "current")) == (0, 0)

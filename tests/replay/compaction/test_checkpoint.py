"""The checkpoint: what stands around a summary, what it costs, and that it has to save something."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.reading import Edition
from timectx.replay.compaction.checkpoint import (
    CHECKPOINT_PREAMBLE,
    Lifecycle,
    check_smaller,
    checkpoint_message,
    frame_summary,
)
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.regions import Region
from timectx.replay.js_json import utf16_length

LIFE = Lifecycle("c-1", 2, "cmd")


def texts(*contents: str) -> list[dict[str, Any]]:
    """Return text blocks."""
    return [{"type": "text", "text": content} for content in contents]


def test_the_frame_is_as_long_as_the_originals() -> None:
    """300 units before the opening mark, which stands on a line of its own."""
    assert utf16_length(CHECKPOINT_PREAMBLE) == 300
    opening, summary, closing = frame_summary(texts("done"))
    assert opening["text"] == f"{CHECKPOINT_PREAMBLE}\n\n<compacted-summary>"
    assert (summary, closing["text"]) == (texts("done")[0], "</compacted-summary>")


@pytest.mark.parametrize(
    ("summary", "price"),
    [((), 98), (("small",), 104), (("a" * 4, "b" * 5), 109)],
    ids=["empty", "one", "two"],
)
def test_a_checkpoint_costs_its_frame_and_its_texts(summary: tuple[str, ...], price: int) -> None:
    """98, and a quarter of each text and 4; the same in every edition."""
    editions: tuple[Edition, ...] = ("note", "readme", "current")
    for edition in editions:
        assert price_message(checkpoint_message(texts(*summary), LIFE, edition), edition) == price


def test_the_source_says_which_compaction_made_it() -> None:
    """Its shape follows the edition; a command is named where one asked."""
    earlier = {"kind": "plugin", "plugin": "compact", "compactionId": "c-1", "sourceCommandId": "cmd"}
    current = {"kind": "compact-checkpoint", "compactionId": "c-1"}
    message = checkpoint_message(texts("x"), LIFE, "readme", "m-1")
    assert (message.source, message.role, message.id) == (earlier, "user", "m-1")
    assert checkpoint_message(texts("x"), Lifecycle("c-1"), "current").source == current


def test_a_checkpoint_has_to_cost_less_than_what_it_stands_for() -> None:
    """As much is not enough."""
    message = checkpoint_message(texts("small"), LIFE, "readme")
    assert check_smaller(message, Region((Node(0, 105),)), "readme") == 104
    for edition, kind in (("readme", "summary-is-not-smaller-than-the"), ("current", "not-smaller")):
        with pytest.raises(CompactionError, match="104 tokens would stand for 104") as refused:
            check_smaller(message, Region((Node(0, 100), Node(1, 4))), edition)
        assert refused.value.kind == kind


def test_a_counter_prices_the_checkpoint_too() -> None:
    """Both sides of the comparison are in its tokens."""
    message = checkpoint_message(texts("small"), LIFE, "readme")
    assert check_smaller(message, Region((Node(0, 6),)), "readme", lambda known: 5) == 5

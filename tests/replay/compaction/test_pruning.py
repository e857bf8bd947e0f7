"""Shortening tool results: what goes, what stays, and the events that say so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from timectx.errors import ScenarioError
from timectx.replay.compaction.pruning import (
    PRUNE_MARKER,
    PruneSettings,
    plan_prune,
    prune_content,
    prune_events,
    prune_settings,
)
from timectx.session.events import SURFACE_CLASSES, Message, ToolResult, ToolResultData
from timectx.session.records import record_of
from timectx.session.surface import check_surface, fold_surface

SHORT = PruneSettings(threshold_chars=45, head_chars=3, tail_chars=2)
IMAGE = {"type": "image", "attachment": {}}


def text(content: str, **more: Any) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": content, **more}


@pytest.mark.parametrize(
    ("blocks", "left"),
    [
        ([text("a" * 45)], None),
        ([text("a" * 46)], [text(f"aaa{PRUNE_MARKER}aa")]),
        ([text("👍" * 46)], [text(f"👍👍👍{PRUNE_MARKER}👍👍")]),
        ([text("a" * 40), text("b" * 40)], [text(f"aaa{PRUNE_MARKER}"), text("bb")]),
        ([text("aaa"), text("b" * 60), text("cc")], [text("aaa"), text(PRUNE_MARKER), text("cc")]),
        ([text("aa"), text("b" * 60), text("c")], [text("aa"), text(f"b{PRUNE_MARKER}b"), text("c")]),
        ([text(""), text("a" * 60), text("")], [text(f"aaa{PRUNE_MARKER}aa")]),
        ([IMAGE, text("a" * 60), IMAGE], [IMAGE, text(f"aaa{PRUNE_MARKER}aa"), IMAGE]),
        ([text("a" * 60, kept=1)], [text(f"aaa{PRUNE_MARKER}aa", kept=1)]),
        ([IMAGE], None),
    ],
    ids=[
        "at-the-threshold", "over-it", "code-points", "over-two-blocks", "at-block-edges", "over-three-blocks",
        "empty-blocks-go", "others-stay", "fields-stay", "no-text",
    ],
)  # fmt: skip
def test_the_middle_goes_and_a_marker_stands_for_it(blocks: list[Any], left: list[Any] | None) -> None:
    """Head and tail are counted over all text blocks; the first that loses something holds the marker."""
    pruned = prune_content(blocks, SHORT)
    assert (None if pruned is None else list(pruned)) == left


def test_without_head_and_tail_the_marker_alone_is_left() -> None:
    """A threshold of the marker's own length is allowed, and then nothing more."""
    settings = prune_settings({"thresholdChars": len(PRUNE_MARKER), "headChars": 0, "tailChars": 0})
    assert prune_content([text("a" * 20), text("b" * 20)], settings) == (text(PRUNE_MARKER),)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"threshold": 1}, "toolresultpruneconfig-unknown-key-allowed-thresholdchars-headchars"),
        ({"thresholdChars": 0}, "toolresultpruneconfig-thresholdchars-must-be-a-positive"),
        ({"headChars": True}, "toolresultpruneconfig-headchars-must-be-a-non"),
        ({"tailChars": -1}, "toolresultpruneconfig-tailchars-must-be-a-non"),
        ({"thresholdChars": 5158}, "toolresultpruneconfig-headchars-marker-tailchars-must-be"),
    ],
)
def test_settings_that_cannot_be_are_named(config: dict[str, Any], kind: str) -> None:
    """With the original's own word."""
    with pytest.raises(ScenarioError) as refused:
        prune_settings(config)
    assert refused.value.kind == kind


def test_what_is_left_out_takes_its_default() -> None:
    """Head, marker and tail of the defaults just fit into 5159 code points."""
    assert prune_settings() == PruneSettings(threshold_chars=8192, head_chars=4096, tail_chars=1024)
    assert prune_settings({"thresholdChars": 5159}).threshold_chars == 5159


def long_results() -> LogBuilder:
    """Return a log with a long result, a short one and another long one."""
    built = log().turn().step().reply("", ["a", "b", "c"])
    return built.tool("a", "x" * 60).tool("b", "short").tool("c", "y" * 60)


def test_only_results_that_are_too_long_are_planned() -> None:
    """In the order of the surface; a reply of the model is never shortened."""
    built = long_results().reply("z" * 100)
    found = plan_prune(built.events(), SHORT)
    assert [(prune.event.seq, prune.call_id, prune.chars_before, prune.chars_after) for prune in found] == [
        (4, "a", 60, 44),
        (8, "c", 60, 44),
    ]


def test_the_shorter_result_differs_in_its_content_alone() -> None:
    """It stands where the long one stood, after an event that names what it shadows; the rules of a log allow it."""
    built = long_results()
    events = list(built.events())
    announced, shorter = prune_events(plan_prune(events, SHORT)[0], seq=9, time_ms=77, tokens=28)
    old = record_of(events[4])
    block = old["data"]["message"]["content"][0]
    message = {**old["data"]["message"], "content": [{**block, "content": [text(f"xxx{PRUNE_MARKER}xx")]}]}
    assert record_of(announced) == {
        "type": "compaction/prune",
        "seq": 9,
        "time": 77,
        "data": {"shadowedRange": {"start": 4, "end": 4}, "shadowedSeqs": [4], "shadowedTokenCount": 28},
    }
    assert record_of(shorter) == {
        "type": "tool/result",
        "seq": 10,
        "time": 77,
        "data": {**old["data"], "message": message},
        "sourceEventSeqs": [4],
        "surfaceOp": {"op": "replace", "start": 4, "end": 4},
    }
    check_surface(shorter, fold_surface(events).nodes, dict(enumerate(events)).get)


def test_a_second_pass_finds_nothing() -> None:
    """What was shortened fits."""
    events = list(long_results().events())
    for prune in plan_prune(events, SHORT):
        events += prune_events(prune, seq=len(events), time_ms=0, tokens=1)
    nodes = fold_surface(events).nodes
    assert plan_prune((events[seq] for seq in nodes), SHORT) == ()


def test_in_current_the_blocks_stand_in_the_message_itself() -> None:
    """There is no block around them, neither before nor after."""
    source = {"kind": "tool", "callId": "c"}
    message = Message(content=(text("x" * 60),), source=source, role="tool", id="t")
    event = ToolResult(seq=3, time_ms=0, data=ToolResultData(turn=1, step=1, message=message), surface_op="append")
    (prune,) = plan_prune([event], SHORT)
    _, shorter = prune_events(prune, seq=4, time_ms=0, tokens=1)
    assert isinstance(shorter, SURFACE_CLASSES)
    assert shorter.data.message.content == (text(f"xxx{PRUNE_MARKER}xx"),)

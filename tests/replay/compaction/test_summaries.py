"""Asking for a summary: the instruction, the models that stand for a real one, and what counts as a summary."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ScenarioError
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.summaries import (
    SUMMARY_INSTRUCTION,
    FixedText,
    FixedTokens,
    ShareOfShadowed,
    SummaryReply,
    SummaryRequest,
    instruction_message,
    summary_blocks,
)
from timectx.replay.js_json import utf16_length

REQUEST = SummaryRequest(messages=(), header=None, provider="p", model="m", max_tokens=100, shadowed_tokens=1234)
TEXT = {"type": "text", "text": "done"}


def size(reply: SummaryReply) -> float:
    """Return the length of a reply's only text in tokens."""
    (block,) = reply.blocks
    return utf16_length(block["text"]) / 4


def test_the_instruction_costs_what_the_originals_costs() -> None:
    """1802 units, 459 tokens; it is no message of the log, so that it needs no id."""
    assert utf16_length(SUMMARY_INSTRUCTION) == 1802
    assert price_message(instruction_message(), "readme") == price_message(instruction_message("i"), "current") == 459


def test_models_that_stand_for_a_real_one_answer_with_the_size_they_were_given() -> None:
    """The same text, as many tokens, or a share of what goes, rounded down and never nothing."""
    assert FixedText("so far")(REQUEST) == SummaryReply(blocks=({"type": "text", "text": "so far"},))
    assert size(FixedTokens(50)(REQUEST)) == 50
    assert size(ShareOfShadowed(0.1)(REQUEST)) == 123
    assert size(ShareOfShadowed(1e-9)(REQUEST)) == 1


@pytest.mark.parametrize("tokens", [0, -1, 1.5, True])
def test_a_size_is_a_whole_number_of_tokens(tokens: Any) -> None:
    """From 1 on."""
    with pytest.raises(ScenarioError) as refused:
        FixedTokens(tokens)
    assert refused.value.kind == "summary-tokens"


@pytest.mark.parametrize("ratio", [0, -0.1, float("nan"), float("inf"), True, "0.1"])
def test_a_share_is_a_number_above_0(ratio: Any) -> None:
    """It may be above 1: such a summary is refused when it is made."""
    with pytest.raises(ScenarioError) as refused:
        ShareOfShadowed(ratio)
    assert refused.value.kind == "summary-ratio"
    assert ShareOfShadowed(1.5).ratio == 1.5


def test_only_text_is_kept_of_a_reply() -> None:
    """Thoughts and tool calls are left out; blank texts stay beside one that is not."""
    blank = {"type": "text", "text": " "}
    blocks = ({"type": "reasoning", "text": "hm"}, TEXT, blank, {"type": "tool-call", "id": "c"})
    assert summary_blocks(SummaryReply(blocks=blocks), "readme") == (TEXT, blank)
    assert summary_blocks(SummaryReply(blocks=(TEXT,), finish="tool-calls"), "readme") == (TEXT,)


@pytest.mark.parametrize("space", ["", " \n\t", "\u00a0\u2028\u3000\ufeff"], ids=["empty", "ascii", "unicode"])
def test_blank_text_is_no_summary(space: str) -> None:
    """Blank in JavaScript's sense: a byte order mark is, a control character is not."""
    with pytest.raises(CompactionError) as refused:
        summary_blocks(SummaryReply(blocks=({"type": "text", "text": space},)), "readme")
    assert refused.value.kind == "summarization-produced-no-text-summary-content"
    kept = {"type": "text", "text": "\x1f\x85"}
    assert summary_blocks(SummaryReply(blocks=(kept,)), "readme") == (kept,)


@pytest.mark.parametrize(
    ("reply", "readme", "current", "code"),
    [
        (SummaryReply(), "summarization-produced-no-text-summary-content", "no-summary-text", ""),
        (
            SummaryReply(blocks=(TEXT,), finish="max-tokens"),
            "summarization-truncated-at-the-token-cap",
            "summary-truncated",
            "MAX_TOKENS",
        ),
        (
            SummaryReply(blocks=(TEXT, {"type": "image"})),
            "compaction-summary-cannot-contain-image-output",
            "compaction-summary-cannot-contain-image-output",
            "UNSUPPORTED_CONTENT",
        ),
        (
            SummaryReply(blocks=(TEXT,), finish="error", failure="no such model", code="SERVER"),
            "summary-failed",
            "summary-failed",
            "SERVER",
        ),
    ],
    ids=["nothing", "capped", "image", "failed"],
)
def test_a_reply_that_is_no_summary_fails_for_its_rule(
    reply: SummaryReply, readme: str, current: str, code: str
) -> None:
    """Each edition has its own word for it."""
    for edition, kind in (("readme", readme), ("current", current)):
        with pytest.raises(CompactionError) as refused:
            summary_blocks(reply, edition)
        assert (refused.value.kind, refused.value.code) == (kind, code)


@pytest.mark.parametrize(("failure", "says"), [("stopped", "stopped"), ("", "the summary ended: aborted")])
def test_a_failed_request_says_what_the_provider_said(failure: str, says: str) -> None:
    """Its own text, where it gave one."""
    with pytest.raises(CompactionError, match=f"^{says}$"):
        summary_blocks(SummaryReply(blocks=(TEXT,), finish="aborted", failure=failure), "readme")

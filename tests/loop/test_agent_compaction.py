"""Compaction beside an agent: before a step, after a request that did not fit, and by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loop.scenes import EDITIONS, LATE, play, readings, told, types
from timectx.loop import (
    Call,
    CompactionPlan,
    Failure,
    Prompt,
    Reply,
)
from timectx.reading import Edition
from timectx.session.events import TurnEnd

PLAN = CompactionPlan(settings={"thresholdRatio": 0.5, "retainTokens": 0}, summary="short", takes="3s")


def compacting(*, edition: Edition, plan: CompactionPlan = PLAN, **fields: Any) -> Any:
    """Play a long prompt and a second one an hour later, in a window of 1000 tokens."""
    settings = {"headroomTokens": 0, "maxTokens": 100} if edition == "current" else {}
    described = CompactionPlan(
        settings={**plan.settings, **settings}, summary=plan.summary, takes=plan.takes, spare=plan.spare
    )
    prompts = fields.pop("prompts", (Prompt(say="x" * 2000), Prompt(say="two", after="1h")))
    return play(edition=edition, prompts=prompts, compaction=described, context_window=1000, **fields)


@pytest.mark.parametrize("edition", LATE)
def test_compaction_comes_before_the_reading_which_then_says_0_s(edition: Edition) -> None:
    """The checkpoint is the newest message, however long the person was away; neither prompt nor reading is in it."""
    session = compacting(edition=edition)
    second = [line for line in told(session, times=True) if line.strip().startswith("36")]
    assert second[:11] == [
        "3602000 agent/inbox/spliced next-turn +1", "3602000 turn/start 2", "3602000 agent/inbox/spliced next-turn -1",
        "3602000 compaction/start", "3605000 compaction/summary", "3605000 user/message checkpoint",
        "3605000 compaction/end", "3605000 step/start 2.1", "3605000 user/message two",
        "3605000 user/message reading", "3606500 assistant/chunk x3",
    ]  # fmt: skip
    assert readings(session)[1].split("\n")[-1] == "Elapsed since the preceding model-visible message: 0s."


def test_in_note_compaction_comes_after_prompt_and_reading() -> None:
    """Prompt and reading weigh in its decision, and what does not fit the retained tail goes: here the prompt."""
    session = compacting(edition="note")
    second = [line for line in told(session, times=True) if line.strip().startswith("36")]
    assert second[:8] == [
        "3602000 turn/start 2", "3602000 user/message two", "3602000 user/message reading", "3602000 compaction/start",
        "3605000 compaction/summary", "3605000 user/message checkpoint", "3605000 compaction/end",
        "3605000 step/start 2.1",
    ]  # fmt: skip
    assert readings(session)[1].split("\n")[-1] == "Elapsed since the preceding model-visible message: 0s."
    assert [message.content[0]["text"].split(" ")[0] for message in session.request_at(2, 1)] == ["The", "Time"]


def test_the_first_step_of_a_session_never_compacts() -> None:
    """No request has named a model yet."""
    session = compacting(edition="readme", prompts=(Prompt(say="x" * 4000, replies=(Reply(text="ok"),)),))
    assert "compaction/start" not in types(session)


@pytest.mark.parametrize("edition", EDITIONS)
def test_overflow_recovery_loses_the_prompt_unless_one_more_message_is_spared(edition: Edition) -> None:
    """The kept node is the reading: in the original the question itself is summarised away."""
    over = Reply(error=Failure(code="CONTEXT_WINDOW_EXCEEDED"), takes=0)
    asked = (
        Prompt(say="x" * 1000, replies=(Reply(text="ok"),)),
        Prompt(say="now", replies=(over, Reply(text="ok"))),
    )
    seen = {}
    for spare in (0, 1):
        plan = CompactionPlan(settings=PLAN.settings, summary="short", spare=spare)
        session = compacting(edition=edition, plan=plan, prompts=asked)
        messages = session.request_at(2, 1)
        seen[spare] = [message.content[0]["text"].split(" ")[0] for message in messages]
    assert seen == {0: ["The", "Time"], 1: ["The", "now", "Time"]}


@pytest.mark.parametrize("edition", LATE)
def test_overflow_recovery_happens_inside_the_open_step(edition: Edition) -> None:
    """Failure, compaction, and the next request follow each other without a new step or reading."""
    over = Reply(error=Failure(code="CONTEXT_WINDOW_EXCEEDED"), takes=0)
    asked = (
        Prompt(say="x" * 1000, replies=(Reply(text="ok"),)),
        Prompt(say="now", replies=(over, Reply(text="ok"))),
    )
    session = compacting(edition=edition, prompts=asked)
    assert told(session)[-13:] == [
        "step/start 2.1", "user/message now", "user/message reading", "assistant/chunk finish error x1",
        "compaction/start", "compaction/summary", "user/message checkpoint", "compaction/end", "assistant/chunk x3",
        "assistant/chunk finish stop x1", "assistant/message", "step/end 2.1", "turn/end 2 completed",
    ]  # fmt: skip


def test_a_second_overflow_in_a_row_fails_the_turn_and_a_reply_counts_anew() -> None:
    """One recovery is allowed until a reply came."""
    over = Reply(error=Failure(code="CONTEXT_WINDOW_EXCEEDED", message="too long"), takes=0)
    text = Reply(text="x" * 400, calls=(Call(result="y" * 400),))
    asked = (Prompt(say="before", replies=(text, over, text, over, over)),)
    session = compacting(
        edition="readme", prompts=asked, plan=CompactionPlan(settings={"auto": False}, summary="short")
    )
    assert [type_ for type_ in types(session) if type_ == "compaction/end"] == ["compaction/end"] * 2
    end = session.events[-1]
    assert isinstance(end, TurnEnd)
    assert end.data.reason == {"kind": "error", "error": {"message": "too long", "code": "CONTEXT_WINDOW_EXCEEDED"}}


def test_an_overflow_without_a_compactor_is_a_failure_like_any_other() -> None:
    """Nothing can make room."""
    over = Reply(error=Failure(code="CONTEXT_WINDOW_EXCEEDED"))
    assert told(play(over))[-3:] == ["assistant/chunk finish error x1", "step/end 1.1", "turn/end 1 error"]


def test_compacting_by_hand_stands_between_turns() -> None:
    """The person asks for it before the next prompt; its owner is no turn."""
    session = compacting(
        edition="readme",
        prompts=(Prompt(say="x" * 800), Prompt(say="two", compact=True)),
        plan=CompactionPlan(settings={"auto": False}, summary="short"),
    )
    lines = told(session)
    at = lines.index("compaction/start")
    assert lines[at - 1 : at + 5] == [
        "turn/end 1 completed", "compaction/start", "compaction/summary", "user/message checkpoint", "compaction/end",
        "agent/inbox/spliced next-turn +1",
    ]  # fmt: skip

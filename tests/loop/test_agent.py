"""Whole traces of scripted turns: every event in its order, for each way a turn can end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loop.scenes import CALL, EDITIONS, LATE, bare_agent, end_of, play, prompt, told
from timectx.loop import (
    Call,
    Decision,
    Failure,
    PreStep,
    Prompt,
    Reply,
    Steer,
)
from timectx.reading import Edition
from timectx.session.events import TurnEnd

CALLED = [
    "   1000 assistant/chunk finish tool-calls x1", "   1000 assistant/message", "   1000 tool/call ls",
    "   1500 tool/result", "   1500 step/end 1.1",
]  # fmt: skip


def late(*rest: str) -> list[str]:
    """Return the trace of a first step of the later editions, up to its request, and what follows it."""
    opening = ["agent/inbox/spliced next-turn +1", "turn/start 1", "agent/inbox/spliced next-turn -1"]
    entering = ["step/start 1.1", "user/message hi", "user/message reading", "request/header initial"]
    return [f"      0 {each}" for each in (*opening, *entering, "request/context")] + list(rest)


def early(*rest: str) -> list[str]:
    """Return the trace of a first step of edition note, up to its request, and what follows it."""
    opening = ["turn/start 1", "user/message hi", "user/message reading", "step/start 1.1", "request/header initial"]
    return [f"      0 {each}" for each in (*opening, "request/context")] + list(rest)


UNPREPARED = late()[:3]
"""A turn of the later editions that never came to its step."""

TOLD_ONLY = early()[:3]
"""The same in edition note, where prompt and reading are in the log before anything can fail."""

ENDINGS: dict[str, tuple[tuple[Reply, ...], list[str], list[str]]] = {
    "completed": (
        (Reply(text="ok", takes=1000),),
        late("    750 assistant/chunk x3", "   1000 assistant/chunk finish stop x1", "   1000 assistant/message",
             "   1000 step/end 1.1", "   1000 turn/end 1 completed"),
        early("    750 assistant/chunk x3", "   1000 assistant/chunk finish stop x1", "   1000 assistant/message",
              "   1000 step/end 1.1", "   1000 turn/end 1 completed"),
    ),
    "completed after tools": (
        (CALL, Reply(text="ok")),
        late("    857 assistant/chunk x6", *CALLED, "   1500 step/start 1.2", "   1500 user/message reading",
             "   3000 assistant/chunk x3", "   3500 assistant/chunk finish stop x1", "   3500 assistant/message",
             "   3500 step/end 1.2", "   3500 turn/end 1 completed"),
        early("    857 assistant/chunk x6", *CALLED, "   1500 user/message reading", "   1500 step/start 1.2",
              "   3000 assistant/chunk x3", "   3500 assistant/chunk finish stop x1", "   3500 assistant/message",
              "   3500 step/end 1.2", "   3500 turn/end 1 completed"),
    ),
    "concluded by a tool": (
        (Reply(calls=(Call(name="ls", takes=500, concludes=True),), takes=1000),),
        late("    750 assistant/chunk x3", *CALLED, "   1500 turn/end 1 completed"),
        early("    750 assistant/chunk x3", *CALLED, "   1500 turn/end 1 completed"),
    ),
    "blocked": (
        (Reply(before="reject"),),
        [*UNPREPARED, "      0 turn/end 1 blocked"],
        [*TOLD_ONLY, "      0 turn/end 1 blocked"],
    ),
    "blocked after a step": (
        (CALL, Reply(before="reject")),
        late("    857 assistant/chunk x6", *CALLED, "   1500 turn/end 1 blocked"),
        early("    857 assistant/chunk x6", *CALLED, "   1500 user/message reading", "   1500 turn/end 1 blocked"),
    ),
    "error before a step": (
        (Reply(before="fail"),),
        [*UNPREPARED, "      0 turn/end 1 error"],
        [*TOLD_ONLY, "      0 turn/end 1 error"],
    ),
    "error before a later step": (
        (CALL, Reply(before="fail")),
        late("    857 assistant/chunk x6", *CALLED, "   1500 turn/end 1 error"),
        early("    857 assistant/chunk x6", *CALLED, "   1500 user/message reading", "   1500 turn/end 1 error"),
    ),
    "aborted before a step": (
        (Reply(before="cancel"),),
        [*UNPREPARED, "      0 turn/end 1 aborted"],
        [*TOLD_ONLY, "      0 turn/end 1 aborted"],
    ),
    "aborted while streaming": (
        (Reply(text="x" * 100, cancel="stream"),),
        late("   2000 assistant/chunk x2", "   2000 assistant/message interrupted", "   2000 step/end 1.1",
             "   2000 turn/end 1 aborted"),
        early("   2000 assistant/chunk x2", "   2000 assistant/message interrupted", "   2000 step/end 1.1",
              "   2000 turn/end 1 aborted"),
    ),
    "aborted before anything was seen": (
        (Reply(calls=(Call(),), cancel="stream"),),
        late("   2000 assistant/chunk x2", "   2000 step/end 1.1", "   2000 turn/end 1 aborted"),
        early("   2000 assistant/chunk x2", "   2000 step/end 1.1", "   2000 turn/end 1 aborted"),
    ),
    "aborted before its tools": (
        (Reply(calls=(Call(name="a"), Call(name="b")), cancel="tools", takes=7000),),
        late("   6000 assistant/chunk x6", "   7000 assistant/chunk finish tool-calls x1", "   7000 assistant/message",
             "   7000 tool/call a", "   7000 tool/result ABORTED_BEFORE_DISPATCH", "   7000 tool/call b",
             "   7000 tool/result ABORTED_BEFORE_DISPATCH", "   7000 step/end 1.1", "   7000 turn/end 1 aborted"),
        early("   6000 assistant/chunk x6", "   7000 assistant/chunk finish tool-calls x1", "   7000 assistant/message",
              "   7000 tool/call a", "   7000 tool/result ABORTED_BEFORE_DISPATCH", "   7000 tool/call b",
              "   7000 tool/result ABORTED_BEFORE_DISPATCH", "   7000 step/end 1.1", "   7000 turn/end 1 aborted"),
    ),
    "max-tokens": (
        (Reply(text="cut", finish="max-tokens", calls=(Call(),), takes=7000),),
        late("   6000 assistant/chunk x6", "   7000 assistant/chunk finish max-tokens x1", "   7000 assistant/message",
             "   7000 step/end 1.1", "   7000 turn/end 1 max-tokens"),
        early("   6000 assistant/chunk x6", "   7000 assistant/chunk finish max-tokens x1", "   7000 assistant/message",
              "   7000 step/end 1.1", "   7000 turn/end 1 max-tokens"),
    ),
    "a failed request": (
        (Reply(error=Failure()),),
        late("   2000 assistant/chunk finish error x1", "   2000 step/end 1.1", "   2000 turn/end 1 error"),
        early("   2000 assistant/chunk finish error x1", "   2000 step/end 1.1", "   2000 turn/end 1 error"),
    ),
    "a retry in the same step": (
        (Reply(error=Failure(retry=True, wait=3000), takes=1000), Reply(text="ok", takes=1000)),
        late("   1000 assistant/chunk finish error x1", "   1000 llm/retry", "   4000 llm/retry-started",
             "   4750 assistant/chunk x3", "   5000 assistant/chunk finish stop x1", "   5000 assistant/message",
             "   5000 step/end 1.1", "   5000 turn/end 1 completed"),
        early("   1000 assistant/chunk finish error x1", "   1000 llm/retry", "   4000 llm/retry-started",
              "   4750 assistant/chunk x3", "   5000 assistant/chunk finish stop x1", "   5000 assistant/message",
              "   5000 step/end 1.1", "   5000 turn/end 1 completed"),
    ),
    "steering after an answer": (
        (Reply(text="ok", steers=(Steer(say="wait"),), takes=1000), Reply(text="ok", takes=1000)),
        late("    750 assistant/chunk x3", "   1000 assistant/chunk finish stop x1", "   1000 assistant/message",
             "   1000 agent/inbox/spliced next-step +1", "   1000 step/end 1.1",
             "   1000 agent/inbox/spliced next-step -1", "   1000 step/start 1.2", "   1000 user/message wait",
             "   1000 user/message reading", "   1750 assistant/chunk x3", "   2000 assistant/chunk finish stop x1",
             "   2000 assistant/message", "   2000 step/end 1.2", "   2000 turn/end 1 completed"),
        early("    750 assistant/chunk x3", "   1000 assistant/chunk finish stop x1", "   1000 assistant/message",
              "   1000 user/message wait", "   1000 step/end 1.1", "   1000 user/message reading",
              "   1000 step/start 1.2", "   1750 assistant/chunk x3", "   2000 assistant/chunk finish stop x1",
              "   2000 assistant/message", "   2000 step/end 1.2", "   2000 turn/end 1 completed"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", ENDINGS)
def test_every_event_of_a_turn_stands_where_the_original_has_it(name: str, edition: Edition) -> None:
    """Each ending, with the time of each event; in edition note prompt and reading stand before the step."""
    replies, others, note = ENDINGS[name]
    assert told(play(*replies, edition=edition), times=True) == (note if edition == "note" else others)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"prompts": prompt(Reply(before="cancel"))}, {"kind": "aborted", "reason": {"kind": "user"}}),
        (
            {"prompts": prompt(Reply(error=Failure(code="AUTH", message="no key")))},
            {"kind": "error", "error": {"message": "no key", "code": "AUTH"}},
        ),
        (
            {"prompts": prompt(Reply(before="fail"))},
            {"kind": "error", "error": {"message": "a listener failed before the step", "code": "UNKNOWN"}},
        ),
        (
            {"prompts": prompt(zone="Mars/Olympus")},
            {
                "kind": "error",
                "error": {
                    "message": "browser zone is unknown: 'Mars/Olympus'; expected an IANA name",
                    "code": "UNKNOWN",
                },
            },
        ),
    ],
    ids=["cancelled", "provider", "listener", "zone"],
)
def test_a_turn_that_ended_early_says_why(fields: dict[str, Any], reason: dict[str, Any]) -> None:
    """Who cancelled, what the provider said, or the error with its causes and no code of its own."""
    assert end_of(**fields) == reason


@pytest.mark.parametrize("edition", LATE)
def test_a_bad_zone_loses_the_prompt_only_where_a_reading_was_due(edition: Edition) -> None:
    """Within the interval the second prompt is answered although nobody could have told it the time."""
    first = Prompt(say="one", zone="UTC")
    bad = Prompt(say="two", zone="Mars/Olympus")
    ends = {
        interval: [
            event.data.reason["kind"]
            for event in play(edition=edition, interval=interval, prompts=(first, bad)).events
            if isinstance(event, TurnEnd)
        ]
        for interval in (0, "1h")
    }
    three_lines = edition != "note-v2"
    assert ends == {0: ["completed", "error" if three_lines else "completed"], "1h": ["completed", "completed"]}


def test_an_error_nobody_raised_on_purpose_ends_the_turn_and_is_told() -> None:
    """Its cause is part of the turn's end, and the agent's warnings name it, so that a mistake does not hide."""
    built = bare_agent()

    def broken(call: PreStep, go_on: Any) -> Decision:
        raise ValueError("odd") from LookupError("deeper")

    built.pre_step.register(broken)
    built.send("hi")
    built.run()
    end = built.log.events[-1]
    assert isinstance(end, TurnEnd)
    assert end.data.reason == {"kind": "error", "error": {"message": "odd: deeper", "code": "UNKNOWN"}}
    assert built.warnings == ["turn 1, step 1: what nobody raised on purpose failed the turn: ValueError('odd')"]


def test_an_error_inside_a_step_still_closes_the_step() -> None:
    """Whatever fails after step/start: step/end and turn/end follow."""
    built = bare_agent()
    built.send("hi")
    built.run([Reply(calls=(Call(takes=10**16),))])  # longer than any clock can go
    assert told(built.log.session())[-4:] == ["assistant/message", "tool/call bash", "step/end 1.1", "turn/end 1 error"]

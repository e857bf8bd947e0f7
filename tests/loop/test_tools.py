"""Test the order and the times in which calls start and results are logged."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loop.scenes import play
from timectx.loop import Call, HandClock, LiveLog, Reply, Signal
from timectx.loop.tools import NOT_DISPATCHED_TEXT, ToolRuns
from timectx.replay import estimate_message_tokens
from timectx.session import SessionHeader
from timectx.session.data import StepData
from timectx.session.events import StepStart, ToolCall, ToolResult


def ran(*calls: Call, parallel: bool = False, cancel_at: int | None = None) -> tuple[list[str], bool, int]:
    """Run calls named by their number; return what was logged when, whether the turn ends, and the flushes."""
    clock = HandClock(0)
    log = LiveLog(SessionHeader(id="s"), clock)
    log.add(StepStart, StepData(turn=1, step=1))
    signal, flushes = Signal(), list[int]()

    def watch(event: Any) -> None:
        if event.seq == cancel_at:
            signal.abort()

    log.watch(watch)
    blocks = [{"type": "tool-call", "id": f"c{at}", "name": f"{at}", "arguments": "{}"} for at in range(len(calls))]
    runs = ToolRuns(
        log,
        clock,
        StepData(turn=1, step=1),
        list(zip(blocks, calls, strict=True)),
        signal=signal,
        flush=lambda: flushes.append(log.next_seq),
    )
    concluded = runs.run(parallel=parallel)
    lines = []
    for event in log.events:
        if isinstance(event, ToolCall):
            lines.append(f"{event.time_ms} call {event.data.name}")
        elif isinstance(event, ToolResult):
            mark = " not run" if event.data.error else ""
            assert event.source_event_seqs is not None
            cited = log.events[event.source_event_seqs[0]]
            assert isinstance(cited, ToolCall)
            assert cited.data.call_id == event.data.message.source["callId"]
            lines.append(f"{event.time_ms} result {cited.data.name}{mark}")
    return lines, concluded, len(flushes)


def test_one_after_the_other_each_call_is_followed_by_its_result() -> None:
    """The log is made durable before each of them; one may step the clock back."""
    assert ran(Call(takes=500), Call(takes=-200), Call()) == (
        ["0 call 0", "500 result 0", "500 call 1", "300 result 1", "300 call 2", "300 result 2"],
        False,
        3,
    )


def test_at_once_results_come_in_the_order_of_the_calls() -> None:
    """One that is ready early waits for those before it."""
    assert ran(Call(takes=300), Call(takes=100), Call(takes=400), Call(takes=200), parallel=True) == (
        [
            "0 call 0", "0 call 1", "0 call 2", "0 call 3", "300 result 0", "300 result 1", "400 result 2",
            "400 result 3",
        ],
        False,
        4,
    )  # fmt: skip


def test_ten_at_most_run_at_once_and_the_next_starts_when_one_is_ready() -> None:
    """It does not wait for the slowest of the ten, nor for its own place among the results."""
    calls = [Call(takes=1000), *[Call(takes=100 * at) for at in range(1, 12)]]
    lines, _, flushes = ran(*calls, parallel=True)
    assert lines[:10] == [f"0 call {at}" for at in range(10)]
    assert lines[10:] == [
        "100 call 10", "200 call 11", "1000 result 0",
        *(f"1000 result {at}" for at in range(1, 10)), "1100 result 10", "1300 result 11",
    ]  # fmt: skip
    assert flushes == 12


def test_a_clock_does_not_step_back_among_calls_that_run_at_once() -> None:
    """A negative time is none."""
    lines, _, _ = ran(Call(takes=-500), Call(takes=100), parallel=True)
    assert lines == ["0 call 0", "0 call 1", "0 result 0", "100 result 1"]


@pytest.mark.parametrize("parallel", [False, True], ids=["in turn", "at once"])
def test_a_tool_that_concludes_ends_the_turn_if_it_ran(parallel: bool) -> None:
    """Whichever of them it is, and all of them run."""
    lines, concluded, _ = ran(Call(concludes=True), Call(), parallel=parallel)
    assert (concluded, len(lines)) == (True, 4)


@pytest.mark.parametrize(
    ("parallel", "cancel_at", "lines"),
    [
        (False, 2, ["0 call 0", "50 result 0", "50 call 1", "50 result 1 not run", "50 call 2", "50 result 2 not run"]),
        (False, 1, ["0 call 0", "50 result 0", "50 call 1", "50 result 1 not run", "50 call 2", "50 result 2 not run"]),
        (True, 2, ["0 call 0", "0 call 1", "50 result 0", "50 result 1", "50 call 2", "50 result 2 not run"]),
    ],
    ids=["between two", "during one", "at once"],
)
def test_what_started_before_a_cancel_is_finished_and_the_rest_gets_errors(
    parallel: bool, cancel_at: int, lines: list[str]
) -> None:
    """Each skipped call is logged with an error in place of a result."""
    calls = [Call(takes=50, concludes=True)] * 3
    assert ran(*calls, parallel=parallel, cancel_at=cancel_at)[0] == lines


def test_a_skipped_call_costs_what_it_costs_in_the_original() -> None:
    """Its text is our own and as long as the original's."""
    session = play(Reply(calls=(Call(),), cancel="tools"))
    (result,) = [event for event in session.events if isinstance(event, ToolResult)]
    (block,) = result.data.message.content
    assert (block["content"], block["isError"]) == ([{"type": "text", "text": NOT_DISPATCHED_TEXT}], True)
    assert result.data.error == {"name": "AbortError", "code": "ABORTED_BEFORE_DISPATCH"}
    assert estimate_message_tokens(result.data.message) == 22


def test_a_tool_that_fails_says_so_in_its_block_alone() -> None:
    """The event carries no error: the tool ran."""
    session = play(Reply(calls=(Call(result="no such file", fails=True),)))
    (result,) = [event for event in session.events if isinstance(event, ToolResult)]
    assert result.data.error is None
    assert result.data.message.content == (
        {
            "type": "tool-result",
            "toolCallId": result.data.message.source["callId"],
            "content": [{"type": "text", "text": "no such file"}],
            "isError": True,
        },
    )

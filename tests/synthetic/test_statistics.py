"""Hold large made-up sessions to the statistics of real ones."""

from __future__ import annotations

from collections import defaultdict

import pytest

from timectx.replay import nearest_rank
from timectx.session.events import AssistantMessage, StepStart, ToolCall, ToolResult, UserMessage
from timectx.session.log import Session
from timectx.synthetic import Habits, synthetic_session

CHARS_PER_TOKEN = 4

# What real interactive sessions showed: median and 90th percentile, and how far the sample may be off.
REAL = {
    "steps_per_turn": (4, 17.8, 0.15),
    "latency_ms": (5000, 12_900, 0.1),
    "tool_ms": (19, 4200, 0.25),
    "result_chars": (187, 2922, 0.1),
    "prompt_tokens": (19, 80, 0.25),
    "text_tokens": (22, 132, 0.15),
    "reasoning_tokens": (51, 403, 0.15),
}


@pytest.fixture(scope="module")
def sample() -> dict[str, list[int]]:
    """Return what can be measured on ten sessions of five hundred steps, by quantity."""
    measured: defaultdict[str, list[int]] = defaultdict(list)
    for seed in range(10):
        measure(synthetic_session(seed, steps=500), measured)
    return measured


def measure(session: Session, into: defaultdict[str, list[int]]) -> None:
    """Add the quantities of one session."""
    ends = [turn.end_ms for turn in session.turns]
    into["steps_per_turn"] += [len(turn.steps) for turn in session.turns]
    into["idle_ms"] += [turn.start_ms - end for turn, end in zip(session.turns[1:], ends[:-1], strict=True)]
    started_ms, began_ms = 0, dict[str, int]()
    for event in session.events:
        match event:
            case StepStart():
                started_ms = event.time_ms
            case AssistantMessage():
                into["latency_ms"].append(event.time_ms - started_ms)
                measure_reply(event, into)
            case ToolCall():
                began_ms[event.data.call_id] = event.time_ms
            case ToolResult():
                block = event.data.message.content[0]
                into["tool_ms"].append(event.time_ms - began_ms[block["toolCallId"]])
                into["result_chars"].append(len(block["content"][0]["text"]))
            case UserMessage() if event.data.source["kind"] == "user":
                into["prompt_tokens"].append(len(event.data.content[0]["text"]) // CHARS_PER_TOKEN)


def measure_reply(event: AssistantMessage, into: defaultdict[str, list[int]]) -> None:
    """Add the lengths of a reply's blocks, and how many tools it calls."""
    blocks = event.data.message.content
    into["calls"].append(sum(block["type"] == "tool-call" for block in blocks))
    for block in blocks:
        if block["type"] != "tool-call":
            into[f"{block['type']}_tokens"].append(len(block["text"]) // CHARS_PER_TOKEN)


@pytest.mark.parametrize("quantity", REAL)
@pytest.mark.parametrize("quantile", [0.5, 0.9])
def test_medians_and_90th_percentiles_are_those_of_real_sessions(
    sample: dict[str, list[int]], quantity: str, quantile: float
) -> None:
    """Each lies within its band around the measured value."""
    median, p90, band = REAL[quantity]
    expected = median if quantile == 0.5 else p90
    found = nearest_rank(sample[quantity], quantile)
    assert expected * (1 - band) <= found <= expected * (1 + band)


@pytest.mark.parametrize(
    ("above_ms", "low", "high"), [(60_000, 0.38, 0.5), (300_000, 0.08, 0.16), (3_600_000, 0.007, 0.025)]
)
def test_idle_gaps_have_a_heavy_tail(sample: dict[str, list[int]], above_ms: int, low: float, high: float) -> None:
    """As many gaps as in real sessions last over a minute, over five minutes, over an hour; not fewer."""
    share = sum(gap > above_ms for gap in sample["idle_ms"]) / len(sample["idle_ms"])
    assert low <= share <= high


def test_a_step_calls_about_one_tool(sample: dict[str, list[int]]) -> None:
    """Between 0.86 and 1.10 calls a step were measured; some replies call several tools at once."""
    assert 0.86 <= sum(sample["calls"]) / len(sample["calls"]) <= 1.10
    assert {0, 1, 2} <= set(sample["calls"])


def test_tool_durations_mix_quick_and_slow_ones(sample: dict[str, list[int]]) -> None:
    """Two thirds take less than 50 ms, 2 % more than 10 s, and a few wait minutes for a person."""
    durations = sample["tool_ms"]
    shares = [sum(ms > limit for ms in durations) / len(durations) for limit in (50, 1000, 10_000)]
    assert shares == pytest.approx([0.32, 0.17, 0.021], rel=0.15)
    assert 0 < sum(ms > 300_000 for ms in durations) <= 30


def test_habits_change_what_is_drawn() -> None:
    """Without pauses no gap is longer than the longest idle one; a tool's results stop where it cuts them."""
    calm = Habits(break_permille=0, night_permille=0, longest_result_chars=100)
    measured: defaultdict[str, list[int]] = defaultdict(list)
    measure(synthetic_session(1, steps=400, habits=calm), measured)
    assert (max(measured["idle_ms"]) <= 1_200_010, max(measured["result_chars"])) == (True, 100)


def test_prose_can_be_chinese_in_part() -> None:
    """A share of the texts is Chinese, and the provider counts more tokens for the same length."""
    chinese = synthetic_session(2, steps=60, habits=Habits(cjk_permille=400))
    english = synthetic_session(2, steps=60)
    texts = "".join(
        block["text"]
        for event in chinese.events
        if isinstance(event, AssistantMessage)
        for block in event.data.message.content
        if block["type"] == "text"
    )
    assert 0.05 < sum("一" <= letter <= "龥" for letter in texts) / len(texts) < 0.6
    usage = [max(step.usage.prompt_tokens for step in session.steps if step.usage) for session in (chinese, english)]
    assert usage[0] > usage[1]

"""Each way for time to reach the model: what requests hold, what stays of them, and what they cost."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import get_args

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import three
from timectx.errors import ScenarioError
from timectx.replay import Compaction, FixedText, Run, Scenario, deliveries, estimate_reading_tokens, replay_session
from timectx.replay.deliveries import (
    CLOCK_TOOL_TOKENS,
    DELIVERIES,
    Delivery,
    clock_message,
    is_idle,
    ticks_due,
    too_many_ticks,
)

HEADER, HI, OK, CALL, DONE = 5, 9, 9, 15, 13
TOOL = CALL + DONE
R1 = estimate_reading_tokens(three(1, 1, "00:00:00"))
R3 = estimate_reading_tokens(three(1, 3, "00:00:50", "50s"))
R4 = estimate_reading_tokens(three(2, 1, "00:03:20", "2m 30s"))


def tool_step(built: LogBuilder, call: str, *, header: bool = False) -> LogBuilder:
    """Add a step whose reply calls a tool that answers; perhaps the one that logs the header."""
    built = built.step()
    built = built.header("abcd") if header else built
    return built.reply("ok", calls=[call]).tool(call).end_step()


def two_turns() -> LogBuilder:
    """Return a turn of three steps at 0, 20 and 50 s, and one of a single step at 200 s."""
    built = tool_step(log().turn().prompt("hi"), "c", header=True).at(20_000)
    built = tool_step(built, "d").at(50_000).step().reply("ok").end_turn()
    return built.at(200_000).turn().prompt("hi").step().reply("ok").at(210_000).end_turn()


def replayed(delivery: str, built: LogBuilder | None = None, **knobs: object) -> Run:
    """Return the run of a log, that of two turns unless given, at 30 s."""
    scenario = Scenario(interval_ms=30_000).replace(delivery=delivery, **knobs)
    return replay_session((built or two_turns()).build(), scenario)


def decided(run: Run) -> list[str]:
    """Return what came of each attempt."""
    return [attempt.decision for attempt in run.attempts]


def seen(run: Run) -> list[tuple[int | None, int, int]]:
    """Return staleness, visible readings and their price at each step."""
    return [(step.staleness_ms, step.visible_readings, step.reading_tokens) for step in run.steps]


def sent(run: Run) -> list[tuple[str, int, int, int, int]]:
    """Return kind, size, unchanged beginning, new nodes and the reply that follows, of each request."""
    return [(each.kind, each.input_tokens, each.stable_tokens, each.nodes, each.reply_tokens) for each in run.requests]


def resent(run: Run) -> list[tuple[int, int]]:
    """Return price and later requests of each reading."""
    return [(reading.price_tokens, reading.resent_requests) for reading in run.readings]


# the descriptions


def test_every_delivery_is_described() -> None:
    """What the model sees, what that costs, what becomes of the prefix; and why it was turned down, but for one."""
    assert tuple(DELIVERIES) == get_args(Delivery)
    for design in DELIVERIES.values():
        texts = [design.sees, design.costs, design.prefix]
        texts += [design.turned_down] if design.name != "appended" else []
        assert [text for text in texts if not re.fullmatch(r"[A-Z].*\.", text)] == []
    assert DELIVERIES["appended"].turned_down == ""
    assert {name for name, design in DELIVERIES.items() if not design.is_logged} == {
        "system-prompt",
        "session-prefix",
        "request-line",
    }


# appended


def test_an_appended_reading_is_a_node_at_the_end_and_leaves_all_before_it_alone() -> None:
    """Every request begins with the whole of the one before."""
    run = replayed("appended")
    assert decided(run) == ["added", "suppressed", "added", "added"]
    assert seen(run) == [(0, 1, R1), (20_000, 1, R1), (0, 2, R1 + R3), (0, 3, R1 + R3 + R4)]
    first = HEADER + HI + R1
    third = first + 2 * TOOL + R3
    assert sent(run) == [
        ("step", first, 0, 2, CALL),
        ("step", first + TOOL, first, 2, CALL),
        ("step", third, first + TOOL, 3, OK),
        ("step", third + OK + HI + R4, third, 3, OK),
    ]
    assert resent(run) == [(R1, 3), (R3, 1), (R4, 0)]


# system-prompt


def test_a_clock_in_the_system_prompt_breaks_the_prefix_at_the_header_with_each_new_reading() -> None:
    """One reading in every request, in front of all messages; it is no message itself."""
    run = replayed("system-prompt")
    assert decided(run) == ["added", "suppressed", "added", "added"]
    assert seen(run) == [(0, 1, R1), (20_000, 1, R1), (0, 1, R3), (0, 1, R4)]
    assert sent(run) == [
        ("step", HEADER + R1 + HI, 0, 1, CALL),
        ("step", HEADER + R1 + HI + TOOL, HEADER + R1 + HI, 2, CALL),
        ("step", HEADER + R3 + HI + 2 * TOOL, HEADER, 2, OK),
        ("step", HEADER + R4 + HI + 2 * TOOL + OK + HI, HEADER, 2, OK),
    ]
    assert resent(run) == [(R1, 1), (R3, 0), (R4, 0)]
    assert [step.surface_tokens for step in run.steps] == [HI, HI + TOOL, HI + 2 * TOOL, 2 * HI + 2 * TOOL + OK]


def test_no_compaction_hides_a_clock_in_the_system_prompt() -> None:
    """The same log leaves the model blind with an appended reading."""
    built = tool_step(log().turn().prompt("hi"), "c").at(20_000).compaction(2, 5, shadowed=[2, 3, 5])
    built = built.step().reply("ok").end_turn()
    assert [replayed(each, built).measures.blind_steps for each in ("system-prompt", "appended")] == [0, 1]


@pytest.mark.parametrize(
    ("delivery", "elapsed_ms"), [("appended", 30_000), ("system-prompt", 80_000), ("request-line", 80_000)]
)
def test_what_is_no_message_is_none_that_elapsed_time_counts_from(delivery: str, elapsed_ms: int) -> None:
    """A blocked turn's reading is the newest message before the next turn only where it is a message."""
    built = log("early").turn().prompt("hi").step().at(10_000).reply("ok").at(60_000).end_turn("blocked")
    built = built.at(90_000).turn().step().reply("ok").end_turn()
    run = replayed(delivery, built, edition="note", interval_ms=0)
    assert [reading.elapsed_ms for reading in run.readings] == [0, 60_000, elapsed_ms]


# replaced


def test_a_replaced_reading_keeps_its_place_and_breaks_the_prefix_there() -> None:
    """New text where the first one stood, after the first prompt."""
    run = replayed("replaced")
    assert decided(run) == ["added", "suppressed", "added", "added"]
    assert seen(run) == [(0, 1, R1), (20_000, 1, R1), (0, 1, R3), (0, 1, R4)]
    assert sent(run) == [
        ("step", HEADER + HI + R1, 0, 2, CALL),
        ("step", HEADER + HI + R1 + TOOL, HEADER + HI + R1, 2, CALL),
        ("step", HEADER + HI + R3 + 2 * TOOL, HEADER + HI, 3, OK),
        ("step", HEADER + HI + R4 + 2 * TOOL + OK + HI, HEADER + HI, 3, OK),
    ]
    assert resent(run) == [(R1, 1), (R3, 0), (R4, 0)]


@pytest.mark.parametrize("simulated", [False, True])
def test_a_replaced_reading_that_a_compaction_hid_is_appended_again(simulated: bool) -> None:
    """From there on that is its place."""
    small = Compaction(
        settings={"thresholdRatio": 0.5, "retainTokens": 20}, context_window=600, summary=FixedText("short")
    )
    built = tool_step(log().turn().prompt("x" * 800), "c", header=True).wait(30_000)
    built = tool_step(built, "d").wait(30_000)
    built = built if simulated else built.compaction(2, 6, shadowed=[2, 4, 6])
    for call in ("e", "f"):
        built = tool_step(built, call).wait(30_000)
    run = replayed("replaced", built.end_turn(), compaction=small if simulated else "recorded")
    assert (len(run.readings), run.measures.compactions) == (4, 1)
    assert {step.visible_readings for step in run.steps} == {1}
    stable = [request.stable_tokens for request in run.requests]
    place = HEADER + run.compactions[0].checkpoint_tokens + TOOL
    assert stable[1:] == ([HEADER, place, place] if simulated else [HEADER + 208, HEADER, place])


# session-prefix


def test_a_session_prefix_is_taken_once() -> None:
    """It costs little, keeps the prefix, and grows old."""
    run = replayed("session-prefix", policy="interval | turn")
    assert decided(run) == ["added", "suppressed", "suppressed", "suppressed"]
    assert seen(run) == [(0, 1, R1), (20_000, 1, R1), (50_000, 1, R1), (200_000, 1, R1)]
    first = HEADER + R1 + HI
    assert sent(run) == [
        ("step", first, 0, 1, CALL),
        ("step", first + TOOL, first, 2, CALL),
        ("step", first + 2 * TOOL, first + TOOL, 2, OK),
        ("step", first + 2 * TOOL + OK + HI, first + 2 * TOOL, 2, OK),
    ]


def test_a_session_prefix_that_comes_late_breaks_the_prefix_once() -> None:
    """Where the first turn's zones were refused, the next attempt takes it."""
    built = log().turn().prompt("hi", "Nowhere").step().header("abcd").reply("ok").end_turn()
    built = built.turn().prompt("hi").step().reply("ok").end_turn()
    run = replayed("session-prefix", built)
    assert decided(run) == ["failed", "added"]
    assert [request.stable_tokens for request in run.requests] == [0, HEADER]


# request-line


def test_a_line_is_in_the_requests_of_its_step_and_in_no_other() -> None:
    """A step without one is blind; the prefix ends before it, and no reply goes on right after it."""
    run = replayed("request-line")
    assert decided(run) == ["added", "suppressed", "added", "added"]
    assert seen(run) == [(0, 1, R1), (None, 0, 0), (0, 1, R3), (0, 1, R4)]
    assert sent(run) == [
        ("step", HEADER + HI + R1, 0, 1, 0),
        ("step", HEADER + HI + TOOL, HEADER + HI, 2, CALL),
        ("step", HEADER + HI + 2 * TOOL + R3, HEADER + HI + TOOL, 2, 0),
        ("step", HEADER + HI + 2 * TOOL + OK + HI + R4, HEADER + HI + 2 * TOOL, 2, 0),
    ]
    assert [request.output_tokens for request in run.requests] == [CALL, CALL, OK, OK]
    assert [request.line_tokens for request in run.requests] == [R1, 0, R3, R4]
    assert resent(run) == [(R1, 0), (R3, 0), (R4, 0)]
    assert (run.measures.blind_steps, run.measures.blind_before_first_steps) == (1, 0)


def test_a_request_sent_again_carries_the_same_line() -> None:
    """What could be reused still ends before it."""
    built = log().turn().prompt("hi").step().failure().retry().at(40_000).reply("ok").end_turn()
    run = replayed("request-line", built)
    assert sent(run) == [("step", HI + R1, 0, 1, 0), ("retry", HI + R1, HI, 0, 0)]
    assert resent(run) == [(R1, 1)]


# tool


def test_a_called_clock_costs_a_request_a_call_and_a_schema() -> None:
    """The first request of a turn is answered with a call; call and result are one node before the second."""
    run = replayed("tool")
    header = HEADER + CLOCK_TOOL_TOKENS
    called = [11 + reading for reading in (R1, R4)]
    assert decided(run) == ["added", "suppressed", "suppressed", "added"]
    assert seen(run) == [(0, 1, called[0]), (20_000, 1, called[0]), (50_000, 1, called[0]), (0, 2, sum(called))]
    first = header + HI + called[0]
    last = first + 2 * TOOL + OK + HI
    assert sent(run) == [
        ("tool", header + HI, 0, 1, 11),
        ("step", first, header + HI, 1, CALL),
        ("step", first + TOOL, first, 2, CALL),
        ("step", first + 2 * TOOL, first + TOOL, 2, OK),
        ("tool", last, first + 2 * TOOL, 2, 11),
        ("step", last + called[1], last, 1, OK),
    ]
    assert [(step.requests, step.input_tokens) for step in run.steps[::3]] == [
        (2, header + HI + first),
        (2, 2 * last + called[1]),
    ]
    assert {step.header_tokens for step in run.steps} == {header}
    assert resent(run) == [(called[0], 4), (called[1], 0)]
    assert run.measures.extra_tokens == header + HI + last - called[0] + 4 * CLOCK_TOOL_TOKENS
    assert [request.provider for request in run.requests] == ["p"] * 6


@pytest.mark.parametrize(
    ("tool_calls", "steps"), [(0, []), (1, [(1, 1), (2, 1)]), (2, [(1, 1), (1, 2), (2, 1)]), (9, None)]
)
def test_the_clock_is_called_by_the_first_steps_of_each_turn(tool_calls: int, steps: object) -> None:
    """As often as the scenario says, whatever its policy; a schema that is never called is paid all the same."""
    run = replayed("tool", tool_calls=tool_calls, policy="recorded")
    every = [(step.turn, step.step) for step in run.steps]
    assert [(reading.turn, reading.step) for reading in run.readings] == (every if steps is None else steps)
    assert run.measures.requests == 4 + len(run.readings)
    assert run.requests[0].input_tokens == HEADER + CLOCK_TOOL_TOKENS + HI


def test_an_attempt_without_a_step_calls_nothing() -> None:
    """A blocked turn takes a reading in ``note``; nobody was asked who could have called the clock."""
    built = log("early").turn().prompt("hi").end_turn("blocked").turn().prompt("hi").step().reply("ok").end_turn()
    assert decided(replayed("appended", built, edition="note", interval_ms=0)) == ["added", "added"]
    assert decided(replayed("tool", built, edition="note")) == ["suppressed", "added"]


def test_call_and_result_are_priced_as_one_message() -> None:
    """The call costs what a call does, and the result what a result does."""
    message = clock_message("x" * 100)
    assert [block["type"] for block in message.content] == ["tool-call", "tool-result"]
    run = replayed("tool", edition="current", interval_ms=0)
    assert run.readings[0].price_tokens > estimate_reading_tokens(run.readings[0].text) + 11


# timer


def test_ticks_are_counted_up_to_now() -> None:
    """Before the last one the timer starts anew."""
    assert [ticks_due(now_ms, 100, 10) for now_ms in (100, 109, 110, 125, 99)] == [0, 0, 1, 2, -1]


def test_a_tick_is_idle_between_two_turns() -> None:
    """Not at the very instants at which one ended and the next began; before the first end there is no between."""
    assert [is_idle(tick, True, 10, True, 20) for tick in (9, 10, 11, 19, 20)] == [False, False, True, True, False]
    assert [is_idle(99, False, 0, False, 0), is_idle(99, True, 10, False, 0)] == [False, True]


def test_a_timer_reads_the_clock_while_nobody_is_there() -> None:
    """Every 30 s from the first step on; each tick between the turns sends a request that nobody asked for."""
    run = replayed("timer")
    assert decided(run) == ["added", "suppressed", "added", "added"]
    assert [(reading.turn, reading.step, reading.now_ms, reading.elapsed_ms) for reading in run.readings] == [
        (1, 1, 0, None),
        (1, 3, 30_000, 30_000),
        *((2, 1, tick_ms, 30_000) for tick_ms in range(60_000, 180_001, 30_000)),
    ]
    assert [reading.text.split(" ")[-1] for reading in run.readings[1:]] == ["30s."] * 6
    assert [(step.staleness_ms, step.added) for step in run.steps] == [
        (0, True),
        (20_000, False),
        (20_000, True),
        (20_000, True),
    ]
    prices = [reading.price_tokens for reading in run.readings]
    first = HEADER + HI + R1
    third = first + 2 * TOOL + prices[1]
    ticks = [third + OK + sum(prices[2 : 2 + count]) for count in range(1, 6)]
    assert sent(run) == [
        ("step", first, 0, 2, CALL),
        ("step", first + TOOL, first, 2, CALL),
        ("step", third, first + TOOL, 3, OK),
        ("timer", ticks[0], third, 2, 0),
        *(("timer", now, before, 1, 0) for before, now in pairwise(ticks)),
        ("step", ticks[-1] + HI, ticks[-1], 1, OK),
    ]
    assert [request.time_ms for request in run.requests[3:8]] == list(range(60_000, 180_001, 30_000))
    assert resent(run)[2:] == [(price, 5 - at) for at, price in enumerate(prices[2:])]
    assert run.measures.requests == 9
    assert run.measures.input_tokens == sum(request.input_tokens for request in run.requests)
    assert run.measures.extra_tokens == 5 * (HEADER + HI + 2 * TOOL + OK)


def rested(rest_ms: int) -> LogBuilder:
    """Return a turn of one step, and another one after a rest."""
    first = log().turn().prompt("hi").step().reply("ok").end_turn()
    return first.at(rest_ms).turn().prompt("hi").step().reply("ok").end_turn()


def test_a_timer_that_would_tick_too_often_is_refused() -> None:
    """Each tick is a reading to keep; the text names an interval that would do, and a shorter one would not."""
    year_ms = 365 * 86_400_000
    with pytest.raises(ScenarioError) as refused:
        replayed("timer", rested(year_ms), interval_ms=1000)
    assert (refused.value.kind, str(refused.value)) == ("timer", too_many_ticks(year_ms, 1000))
    shortest_ms = int(str(refused.value).split()[-2])
    assert (too_many_ticks(year_ms, shortest_ms), too_many_ticks(year_ms, shortest_ms - 1) != "") == ("", True)
    assert replayed("appended", rested(year_ms), interval_ms=1000).measures.readings == 2


def test_a_timer_may_tick_as_often_as_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is too many; where the clock goes back nothing is taken off."""
    monkeypatch.setattr(deliveries, "MOST_TICKS", 10)
    assert replayed("timer", rested(10_999), interval_ms=1000).measures.readings == 11
    with pytest.raises(ScenarioError, match="up to 11 readings, of which 10 are allowed; it needs at least 1001 ms"):
        replayed("timer", rested(11_000), interval_ms=1000)
    back = rested(6000).at(0).turn().prompt("hi").step().reply("ok").end_turn()
    with pytest.raises(ScenarioError, match="up to 11 readings"):
        replayed("timer", back.at(5000).turn().prompt("hi").step().reply("ok").end_turn(), interval_ms=1000)


def test_a_timer_starts_anew_where_the_clock_went_back() -> None:
    """One reading at once, and the next an interval after that."""
    built = tool_step(log(start_ms=100_000).turn().prompt("hi"), "c").at(40_000)
    built = tool_step(built, "d").at(69_999)
    built = tool_step(built, "e").at(70_000).step().reply("ok").end_turn()
    run = replayed("timer", built)
    assert [reading.now_ms for reading in run.readings] == [100_000, 40_000, 70_000]
    assert [reading.elapsed_ms for reading in run.readings] == [None, 0, 30_000]
    assert decided(run) == ["added", "added", "suppressed", "added"]


def test_ticks_wait_while_they_cannot_be_printed() -> None:
    """A turn whose zones are refused gets none; the next takes all that came since."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn().at(60_000)
    built = built.turn().prompt("hi", "Nowhere").step().reply("ok").end_turn().at(90_000)
    run = replayed("timer", built.turn().prompt("hi").step().reply("ok").end_turn())
    assert decided(run) == ["added", "failed", "added"]
    assert [reading.now_ms for reading in run.readings] == [0, 30_000, 60_000, 90_000]
    assert [(request.kind, request.time_ms) for request in run.requests] == [
        ("step", 0),
        ("step", 60_000),
        ("step", 90_000),
    ]


# every delivery


@pytest.mark.parametrize("delivery", ["appended", "system-prompt", "replaced", "session-prefix", "request-line"])
def test_what_causes_no_request_sends_nothing_beside_readings(delivery: str) -> None:
    """All that it adds to the input are readings, sent and resent."""
    assert replayed(delivery).measures.extra_tokens == 0


@pytest.mark.parametrize("delivery", ["system-prompt", "replaced", "request-line", "appended"])
def test_the_readings_of_the_log_can_be_delivered_in_another_way(delivery: str) -> None:
    """Under ``recorded`` they are taken exactly where the log has them."""
    built = log().turn().prompt("hi").step().reading(three(1, 1, "00:00:00")).reply("ok", calls=["c"]).tool("c")
    built = built.at(9000).step().reply("ok", calls=["d"]).tool("d").at(20_000)
    built = built.step().reading(three(1, 3, "00:00:20", "20s")).reply("ok").end_turn()
    run = replayed(delivery, built, policy="recorded")
    assert [(reading.step, reading.recorded_seq) for reading in run.readings] == [(1, 3), (3, 14)]


@pytest.mark.parametrize("delivery", get_args(Delivery))
def test_the_providers_count_is_corrected_by_what_is_shown_instead(delivery: str) -> None:
    """The log's own reading goes out, what the delivery shows comes in; requests it adds nobody counted."""
    usage = {"inputTokens": 1000, "outputTokens": 5}
    built = log().turn().prompt("hi").step().reading(three(1, 1, "00:00:00")).reply("ok", usage=usage).end_turn()
    run = replayed(delivery, built, meter="reported", policy="recorded")
    shown = run.readings[0].price_tokens + (CLOCK_TOOL_TOKENS if delivery == "tool" else 0)
    assert run.requests[-1].input_tokens == 1000 - R1 + shown
    problems = [str(problem) for problem in run.problems]
    assert len(problems) == (delivery == "tool")

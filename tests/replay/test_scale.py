"""The meter ``scaled``: estimates times one factor fitted to what the provider reported."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import LogBuilder, log
from tests.replay.texts import three
from timectx.errors import ScenarioError
from timectx.replay import (
    Compaction,
    FixedTokens,
    Run,
    Scenario,
    parse_scenario,
    replay_session,
    replay_timeline,
    resolve_scenario,
    timeline_for,
)
from timectx.replay.meter import Scaled, estimate_header_tokens, estimate_reading_tokens
from timectx.replay.prices import PriceBook
from timectx.replay.scale import fit_scale

HEADER = estimate_header_tokens({"system": "x" * 400})
READING = estimate_reading_tokens(three(1, 1, "00:00:00"))
HI, CALL, DONE = 9, 15, 13


def usage(tokens: int) -> dict[str, int]:
    """Return what a provider reports of a prompt, some of it read from its cache."""
    return {"inputTokens": tokens - 10, "cacheReadTokens": 10, "outputTokens": 5}


def built(first: int | None = None, second: int | None = None) -> LogBuilder:
    """Return a log of two steps, with one reading, whose prompts a provider may have counted."""
    log_ = log().turn().prompt("hi").step().header("x" * 400).reading(three(1, 1, "00:00:00"))
    log_ = log_.reply("ok", calls=["c"], usage=usage(first) if first else None).tool("c").end_step().at(20_000)
    return log_.step().reply("ok", usage=usage(second) if second else None).end_turn()


def scaled(log_: LogBuilder, **knobs: Any) -> Run:
    """Replay a log with scaled prices."""
    return replay_session(log_.build(), Scenario(meter="scaled", **knobs))


FIRST = HEADER + HI + READING
SECOND = FIRST + CALL + DONE


def test_the_factor_is_what_was_reported_over_the_price_of_the_same_prompts() -> None:
    """Of all requests that were counted, as the log has them: with its readings, cached tokens included."""
    both, one = built(2 * FIRST, 3 * SECOND).build(), built(None, 3 * SECOND).build()
    assert fit_scale(both, PriceBook()) == (2 * FIRST + 3 * SECOND) / (FIRST + SECOND)
    assert fit_scale(one, PriceBook()) == 3.0
    assert fit_scale(built().build(), PriceBook()) is None


def test_recorded_compactions_are_part_of_the_prompts_that_were_counted() -> None:
    """The factor compares like with like, also where nodes were replaced."""
    log_ = log().turn().prompt("x" * 4000).step().reply("ok", calls=["c"]).tool("c").end_step()
    log_ = log_.compaction(2, 5, "sum", shadowed=[2, 4, 6]).step().reply("ok", usage=usage(90)).end_turn()
    surface = replay_session(log_.build(), Scenario(policy="recorded")).steps[1].surface_tokens
    assert fit_scale(log_.build(), PriceBook()) == 90 / surface


def test_every_price_is_multiplied_and_rounded_by_itself() -> None:
    """So that sums stay sums: of header, nodes and readings in each request."""
    run = scaled(built(2 * FIRST, 3 * SECOND))
    scale = (2 * FIRST + 3 * SECOND) / (FIRST + SECOND)
    header, hi, call, done = (math.floor(price * scale + 0.5) for price in (HEADER, HI, CALL, DONE))
    first, second = (reading.price_tokens for reading in run.readings)
    assert run.scenario.scale == scale
    assert (first, second) == tuple(
        math.floor(estimate_reading_tokens(reading.text) * scale + 0.5) for reading in run.readings
    )
    assert [step.input_tokens for step in run.steps] == [
        header + hi + first,
        header + hi + first + call + done + second,
    ]
    assert run.measures.input_tokens == sum(step.input_tokens for step in run.steps)


@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_a_half_is_rounded_up(price: int, ratio: float) -> None:
    """To the nearest whole number, never below 0."""
    tokens = Scaled(ratio).tokens(price)
    assert tokens >= 0
    assert abs(tokens - price * ratio) <= 0.5
    assert (Scaled(0.5).tokens(5), Scaled(1.0).tokens(price)) == (3, price)


def test_a_factor_can_be_given() -> None:
    """It is then not fitted, stays in the scenario, and fits into a file."""
    scenario = Scenario(meter="scaled", scale=2)
    run = replay_session(built(7 * FIRST).build(), scenario)
    assert (run.scenario.scale, run.steps[0].header_tokens) == (2.0, 2 * HEADER)
    assert parse_scenario(scenario.to_toml()) == scenario


def test_a_resolved_scenario_gives_the_same_run_again() -> None:
    """The fitted factor stands in it, to the last digit, also after a trip through a file."""
    session = built(2 * FIRST, 3 * SECOND).build()
    run = replay_session(session, Scenario(meter="scaled"))
    timeline = timeline_for(session, Scenario(meter="scaled"))
    assert resolve_scenario(timeline, Scenario(meter="scaled")) == run.scenario
    assert replay_session(session, parse_scenario(run.scenario.to_toml())) == run


def test_without_usage_prices_stay_as_estimated_and_the_run_says_so() -> None:
    """A folder of sessions can be measured although a few of them were never counted."""
    run, plain = scaled(built()), replay_session(built().build(), Scenario())
    text = "the provider reported nothing to fit a factor to; prices stay as estimated, times 1"
    assert [(problem.kind, problem.message) for problem in run.problems] == [("unscaled", text)]
    assert (run.scenario.scale, run.measures, run.steps) == (1.0, plain.measures, plain.steps)
    assert scaled(built(), scale=1.0).problems == ()


def test_a_factor_that_no_tokenizer_explains_is_used_and_reported() -> None:
    """Where a log leaves out most of what its requests carried, prices are a guess."""
    run = scaled(built(50 * FIRST))
    text = "the factor is 50, far from 1: the log holds another prompt than the one the provider counted"
    assert [(problem.kind, problem.message) for problem in run.problems] == [("odd-scale", text)]
    assert (run.scenario.scale, scaled(built(4 * FIRST)).problems) == (50.0, ())


def test_a_counter_is_scaled_as_well() -> None:
    """Where a tokenizer is near the model's own, the factor takes care of the rest."""
    run = scaled(built(2 * FIRST), counter="chars/3")
    assert isinstance(run.scenario.scale, float)
    assert abs(run.steps[0].input_tokens - 2 * FIRST) <= 2


@pytest.mark.parametrize("edition", ["note", "readme", "current"])
def test_a_simulated_compaction_sees_scaled_prices(edition: Any) -> None:
    """Its pressure, its checkpoint and its summary's bill are in the same tokens as all else."""
    log_ = log().turn().prompt("x" * 4000).step().header("x" * 400).reply("ok", calls=["c"]).tool("c").end_step()
    log_ = log_.at(20_000).step().reply("ok").end_turn()
    settings = {"thresholdRatio": 0.5, "retainTokens": 50, **({"headroomTokens": 0} if edition == "current" else {})}
    settings |= {"maxTokens": 100} if edition == "current" else {}
    compaction = Compaction(settings=settings, context_window=3000, summary=FixedTokens(60))
    knobs: dict[str, Any] = {"edition": edition, "compaction": compaction, "interval_ms": 10**9}
    assert replay_session(log_.build(), Scenario(**knobs)).compactions == ()
    run = scaled(log_, scale=1.5, **knobs)
    (done,) = run.compactions
    assert 58 <= done.summary_output_tokens <= 62
    instruction = math.floor(459 * 1.5 + 0.5)
    assert done.summary_input_tokens >= done.before_tokens - done.after_tokens + instruction
    assert run.steps[1].surface_tokens >= done.after_tokens > 0


def test_a_timeline_of_another_scale_is_refused() -> None:
    """Prices are part of it."""
    session = built(2 * FIRST).build()
    timelines = [timeline_for(session, Scenario()), timeline_for(session, Scenario(meter="scaled", scale=3.0))]
    for timeline, scenario in (
        (timelines[0], Scenario(meter="scaled")),
        (timelines[1], Scenario()),
        (timelines[1], Scenario(meter="scaled", scale=2.0)),
    ):
        with pytest.raises(ScenarioError) as refused:
            replay_timeline(timeline, scenario)
        assert refused.value.kind == "scale"
    assert replay_timeline(timelines[1], Scenario(meter="scaled")).scenario.scale == 3.0


def test_nothing_is_counted_twice_for_the_fit() -> None:
    """A slow counter is asked once for each text, although the log is priced before and after the fit."""
    asked: list[str] = []

    def counter(text: str) -> int:
        asked.append(text)
        return len(text)

    scenario = Scenario(meter="scaled", counter=counter, policy="recorded")
    replay_session(built(2 * FIRST).build(), scenario)
    messages = [text for text in asked if "Time sampled" not in text]
    assert sorted(messages) == sorted(set(messages))
    assert dataclasses.replace(scenario, counter=None).counter is None

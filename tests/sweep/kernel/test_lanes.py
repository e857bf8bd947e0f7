"""Scenarios become numbers; those a kernel cannot hold are named with the reason."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from timectx.cost import packaged_prices
from timectx.cost.prices import PriceList
from timectx.replay import Compaction, FixedText, FixedTokens, Scenario, ShareOfShadowed, SummaryReply, SummaryRequest
from timectx.replay.deliveries import too_many_ticks
from timectx.sweep.flat.codes import BUDGET_COUNT, KNOB_COUNT, NEVER, PLAN_COUNT
from timectx.sweep.flat.columns import ColumnFacts
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.lanes import misfit, misfits, pack_lanes, sheet_for
from timectx.synthetic import synthetic_session

SESSION = synthetic_session(1, steps=4)


def own_summary(request: SummaryRequest) -> SummaryReply:
    """Answer as a function of one's own."""
    return FixedText("so far")(request)


def facts_for(scenario: Scenario) -> ColumnFacts:
    """Return the facts of the session's columns."""
    return columns_of(SESSION, scenario).facts


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ({}, {"edition": "note"}),
        ({}, {"compaction": "off"}),
        ({}, {"compaction": Compaction()}),
        ({}, {"meter": "reported"}),
        ({}, {"delivery": "tool"}),
        ({"delivery": "tool"}, {}),
    ],
)
def test_columns_for_something_else_do_not_fit(made: dict[str, Any], asked: dict[str, Any]) -> None:
    """Edition, compaction, meter and delivery have to be those the columns are for."""
    reason = "the columns are for another edition, compaction, meter or delivery"
    assert misfit(Scenario(**asked), facts_for(Scenario(**made))) == reason


def test_prices_of_another_scale_do_not_fit() -> None:
    """A factor is in the columns' prices."""
    facts = facts_for(Scenario(meter="scaled", scale=2.0))
    asked = (Scenario(), Scenario(meter="scaled"), Scenario(meter="scaled", scale=3.0))
    assert [misfit(scenario, facts) for scenario in asked] == [
        "the columns are for another scale",
        "",
        "the columns are for another scale",
    ]


@pytest.mark.parametrize(
    ("summary", "counter", "reason"),
    [
        (ShareOfShadowed(0.1), None, ""),
        (FixedTokens(5), len, ""),
        (FixedText("so far"), len, ""),
        (ShareOfShadowed(0.1), len, "a counter prices summaries of every size"),
        (own_summary, None, "the summary model is a function of its own"),
    ],
)
def test_summaries_fit_whose_size_follows_from_numbers(summary: Any, counter: Any, reason: str) -> None:
    """A function of one's own is asked by a replay alone."""
    scenario = Scenario(compaction=Compaction(summary=summary), counter=counter)
    assert misfit(scenario, facts_for(scenario)) == reason


def test_a_timer_fits_only_a_steady_session() -> None:
    """Its ticks would have other forms than the attempts."""
    facts, timer = facts_for(Scenario()), Scenario(delivery="timer", interval_ms=5000)
    unsteady = msgspec.structs.replace(facts, steady=False)
    assert (misfit(timer, facts), misfit(Scenario(), unsteady)) == ("", "")
    assert misfit(timer, unsteady) == "a timer's readings change their form between attempts"


def test_a_timer_that_ticks_too_often_does_not_fit() -> None:
    """How far the clock goes is a matter of the session, so reasons found for another one do not hold."""
    lanes = pack_lanes([Scenario(delivery="timer", interval_ms=ms) for ms in (1000, 2000)])
    short = msgspec.structs.replace(facts_for(Scenario()), forward_ms=100_000_999)
    long, longer = (msgspec.structs.replace(short, forward_ms=ms) for ms in (100_001_000, 300_000_000))
    assert misfits(lanes, short) == ("", "")
    assert misfits(lanes, long) == (too_many_ticks(100_001_000, 1000), "")
    assert misfits(lanes, longer) == tuple(too_many_ticks(300_000_000, ms) for ms in (1000, 2000))


def test_the_reasons_of_all_scenarios_are_found_once() -> None:
    """For sessions of one sort they are the same."""
    lanes = pack_lanes([Scenario(), Scenario(edition="note")])
    facts = facts_for(Scenario())
    assert misfits(lanes, facts) == tuple(misfit(scenario, facts) for scenario in lanes.scenarios)
    assert misfits(lanes, facts) is misfits(lanes, facts)


def test_knobs_stand_one_scenario_after_the_other() -> None:
    """A policy's terms are written once; compactions and bills that differ get numbers."""
    one, other = Compaction(), Compaction(spare=1)
    scenarios = [
        Scenario(interval_ms=7, compaction=one),
        Scenario(policy="interval & turn | gap", compaction=other, cache="none"),
        Scenario(policy="interval & turn | gap", compaction=one, delivery="timer", interval_ms=5000),
    ]
    lanes = pack_lanes(scenarios)
    knobs = [lanes.knobs[at : at + KNOB_COUNT] for at in range(0, len(lanes.knobs), KNOB_COUNT)]
    assert [knob[0] for knob in knobs] == [7, 0, 5000]
    assert [lanes.masks[knob[3] : knob[4]] for knob in knobs] == [(1,), (3, 4), (3, 4)]
    assert [(knob[8], knob[9]) for knob in knobs] == [(0, 0), (1, 1), (0, 0)]
    assert [knob[5] for knob in knobs] == [1, 0, 1]  # a timer does not ask the policy
    assert (lanes.bills, lanes.timer_ms) == (((None, None), (None, "none")), 5000)


def test_a_sheet_says_what_lanes_need_to_know_of_a_sort_of_session() -> None:
    """Worked out once; without a window nothing is compacted."""
    scenario = Scenario(compaction=Compaction(settings={"retainTokens": 9}, context_window=1000))
    open_ended = Scenario(compaction=Compaction(settings={"thresholdRatio": 0.5}))
    lanes = pack_lanes([scenario, open_ended])
    facts = msgspec.structs.replace(facts_for(scenario), capacities=(("p", "m", None, None),))
    sheet = sheet_for(lanes, facts, packaged_prices())
    budgets = [sheet.budgets[at : at + 4] for at in range(0, 2 * BUDGET_COUNT, BUDGET_COUNT)]
    assert budgets == [(800, 9, 2, 1), (NEVER, 0, 2, 1)]
    assert len(sheet.plans) == 2 * PLAN_COUNT
    assert sheet_for(lanes, facts, packaged_prices()) is sheet
    assert sheet_for(lanes, facts, PriceList(())) is not sheet


def test_what_lanes_remember_has_a_bound() -> None:
    """With a factor of its own, each session is a sort by itself."""
    lanes, facts = pack_lanes([Scenario(meter="scaled")]), facts_for(Scenario(meter="scaled"))
    for number in range(400):
        sheet_for(lanes, msgspec.structs.replace(facts, scale=1.0 + number), packaged_prices())
    assert len(lanes.kept) <= 257

"""Columns depend on few knobs, and say why no kernel can hold a session."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import log
from timectx.reading import ZoneLabel
from timectx.replay import Compaction, Scenario
from timectx.session import Session
from timectx.sweep.flat.codes import AT_DECIDE, AT_INSERT, AT_OVERFLOW, AT_REPLY, AT_REQUEST, AT_REST
from timectx.sweep.flat.columns_of import columns_key, columns_of
from timectx.synthetic import synthetic_session

SIMULATED = Compaction(context_window=1000)
OVERFLOW = {"kind": "error", "failure": {"message": "too long", "code": "CONTEXT_WINDOW_EXCEEDED"}}


def plain() -> Session:
    """Return a session of two steps."""
    built = log().turn().prompt("hi").step().header("be brief").reply("ok", calls=["c"]).tool("c").end_step()
    return built.step().reply("done").end_turn().build()


@pytest.mark.parametrize(
    "change",
    [
        {"interval_ms": 5},
        {"policy": "turn"},
        {"gap_ms": 5},
        {"delivery": "replaced"},
        {"delivery": "timer", "interval_ms": 5000},
        {"model": "m"},
        {"cache": "none"},
    ],
)
def test_columns_serve_every_scenario_that_differs_in_when_and_how(change: dict[str, Any]) -> None:
    """When a reading is due, how it gets to the model and what it is billed by leave the columns as they are."""
    assert columns_key(Scenario(**change)) == columns_key(Scenario())


@pytest.mark.parametrize(
    "change",
    [
        {"edition": "note"},
        {"time_zone": "UTC"},
        {"compaction": "off"},
        {"compaction": Compaction()},
        {"meter": "reported"},
        {"meter": "scaled"},
        {"meter": "scaled", "scale": 1.5},
        {"counter": len},
        {"skip_empty": True},
        {"delivery": "tool"},
    ],
)
def test_other_knobs_need_columns_of_their_own(change: dict[str, Any]) -> None:
    """What is in the columns is part of their key."""
    assert columns_key(Scenario(**change)) != columns_key(Scenario())


def test_of_a_compaction_only_the_pruning_is_in_the_columns() -> None:
    """Thresholds, windows and summaries are looked up later."""
    pruning = {"thresholdChars": 60, "headChars": 10, "tailChars": 5}
    keys = [
        columns_key(Scenario(compaction=compaction))
        for compaction in (Compaction(), Compaction(context_window=9, spare=1), Compaction(pruning=pruning))
    ]
    assert keys[0] == keys[1] != keys[2]


def test_labels_that_are_equal_over_other_clocks_are_told_apart() -> None:
    """A zone's key holds the clock it shows."""
    one, other = (Scenario(time_zone=ZoneLabel("undefined", clock)) for clock in ("UTC", "Asia/Tokyo"))
    assert columns_key(one) != columns_key(other)


def test_what_happens_stands_in_the_order_of_the_replay() -> None:
    """Decide, insert and ask, once a step."""
    codes = columns_of(plain(), Scenario()).lists["op_code"]
    assert [code for code in codes if code <= AT_REPLY] == [AT_DECIDE, AT_INSERT, AT_REQUEST] * 2


def test_prices_of_a_reading_stand_by_form() -> None:
    """Two attempts whose readings differ in digits alone share the prices of all elapsed times."""
    lists = columns_of(plain(), Scenario()).lists
    assert lists["a_form"] == [0, 1]  # "model-visible message" and "step context" differ
    assert len(lists["f_price"]) == 2 * 145


def test_a_log_that_breaks_the_order_of_steps_is_not_for_a_kernel() -> None:
    """Compaction cannot be measured on it, so the replay keeps a surface that no sums give."""
    built = log().turn().step().reply("ok").end_step().step(2)
    broken = built.event("step/start", {"turn": 1, "step": 3}).end_turn().build()
    assert columns_of(broken, Scenario(compaction=SIMULATED)).unfit == "the log breaks the order of steps"
    assert columns_of(broken, Scenario()).unfit == ""


def test_a_counter_that_looks_at_digits_is_not_for_a_kernel() -> None:
    """Then every reading has a price of its own."""

    def sevens(text: str) -> int:
        return 1 + text.count("7")

    assert columns_of(plain(), Scenario(counter=sevens)).unfit == "the counter looks at digits"
    assert columns_of(plain(), Scenario(counter=len)).unfit == ""


def test_sizes_beyond_what_can_be_multiplied_are_not_for_a_kernel() -> None:
    """A log may claim any usage."""
    huge = log().turn().step().header().reply("ok", usage={"inputTokens": 2**40, "outputTokens": 1}).end_turn()
    assert columns_of(huge.build(), Scenario(meter="reported")).unfit == "a size is beyond what a kernel multiplies"


def test_a_timer_is_steady_while_all_that_stands_beside_digits_is() -> None:
    """From the Azores' winter to their summer the offset's sign changes between two attempts."""
    day_ms = 86_400_000
    built = log(start_ms=0).turn().step().reply("ok").end_turn()
    for zone, steady in (("Atlantic/Azores", False), ("Asia/Tokyo", True)):
        later = built.at(200 * day_ms + int(1.7e12)).turn().step().reply("ok").end_turn().build()
        assert columns_of(later, Scenario(time_zone=zone)).facts.steady is steady


@pytest.mark.parametrize(("years", "steady"), [(100, True), (120, False), (200_000, False)])
def test_whether_a_timer_is_steady_is_found_out_in_bounded_time(years: int, steady: bool) -> None:
    """Over gaps of more than 109 years in all nobody looks, and it counts as not steady."""
    first = log().turn().step().reply("ok").end_turn()
    session = first.at(years * 365 * 86_400_000).turn().step().reply("ok").end_turn().build()
    facts = columns_of(session, Scenario(time_zone="Asia/Tokyo")).facts
    assert (facts.steady, facts.forward_ms) == (steady, years * 365 * 86_400_000)


def test_a_rest_happens_only_where_it_makes_a_difference() -> None:
    """Overflow recovery is tried anew after a rest; without an overflow before it nothing is."""
    overflown = log().turn().step().header().chunk("finish", reason=OVERFLOW).end_turn("error").turn().step()
    codes = columns_of(overflown.reply("ok").end_turn().build(), Scenario(compaction=SIMULATED)).lists["op_code"]
    assert [code for code in codes if code in (AT_OVERFLOW, AT_REST)] == [AT_OVERFLOW]
    noted = columns_of(overflown.build(), Scenario(edition="note", compaction=SIMULATED)).lists["op_code"]
    assert [code for code in noted if code in (AT_OVERFLOW, AT_REST)] == [AT_OVERFLOW, AT_REST]


def test_an_empty_session_has_empty_columns() -> None:
    """No attempt, no request, no price."""
    columns = columns_of(synthetic_session(1, steps=0), Scenario())
    assert (columns.facts.attempts, columns.facts.steps, columns.lists["q_time"]) == (0, 0, [])

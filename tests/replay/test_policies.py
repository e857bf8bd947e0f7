"""When a reading is due: each rule, the expressions that join them, and what they come to in a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import LogBuilder, log
from tests.replay.texts import three, two
from timectx.errors import ScenarioError
from timectx.replay import Compaction, FixedText, Scenario, replay_session
from timectx.replay.policies import (
    RULES,
    any_holds,
    format_policy,
    gap_holds,
    held_rules,
    interval_holds,
    parse_policy,
    turn_holds,
    zone_change_holds,
)

HOUR_MS = 3_600_000
terms = st.lists(st.sampled_from(RULES), min_size=1, max_size=4)
expressions = st.lists(terms, min_size=1, max_size=4)


def written(expression: list[list[str]]) -> str:
    """Write an expression as it was drawn."""
    return "|".join("&".join(term) for term in expression)


# the rules


@pytest.mark.parametrize(
    ("now_ms", "last_ms", "interval_ms", "holds"),
    [(9, 0, 10, False), (10, 0, 10, True), (-1, 0, 10, True), (0, 0, 0, True), (-5, 0, 0, True)],
)
def test_an_interval_holds_from_that_age_on_and_when_the_clock_went_back(
    now_ms: int, last_ms: int, interval_ms: int, holds: bool
) -> None:
    """An interval of 0 always holds."""
    assert interval_holds(now_ms, last_ms, interval_ms) is holds


def test_a_turn_holds_until_a_reading_stands_after_its_start() -> None:
    """A turn that never started has every reading behind it."""
    assert [turn_holds(*places) for places in ((3, 4), (5, 4), (0, -1))] == [True, False, False]


@pytest.mark.parametrize(
    ("now_ms", "has_message", "message_ms", "gap_ms", "holds"),
    [
        (99, True, 0, 100, False),
        (100, True, 0, 100, True),
        (0, False, 0, 100, True),
        (5, True, 5, 0, True),
        (4, True, 5, 0, False),
    ],
)
def test_a_gap_holds_after_a_silence_and_never_with_the_clock_gone_back(
    now_ms: int, has_message: bool, message_ms: int, gap_ms: int, holds: bool
) -> None:
    """Where nothing was said there is nothing but silence."""
    assert gap_holds(now_ms, has_message, message_ms, gap_ms) is holds


def test_a_zone_changes_between_two_that_are_known() -> None:
    """An unknown one is no change."""
    assert [zone_change_holds(*zones) for zones in ((0, 1), (1, 1), (-1, 1), (0, -1))] == [True, False, False, False]


def test_the_rules_that_hold_are_bits_in_the_order_of_their_names() -> None:
    """All six at once, and each by itself."""
    nothing = (50, 40, 100, 9, 4, True, 45, 100, False, 1, 1, False)
    assert held_rules(*nothing) == 0
    alone = [
        held_rules(50, 40, 10, 9, 4, True, 45, 100, False, 1, 1, False),
        held_rules(50, 40, 100, 3, 4, True, 45, 100, False, 1, 1, False),
        held_rules(50, 40, 100, 9, 4, True, 45, 5, False, 1, 1, False),
        held_rules(50, 40, 100, 9, 4, True, 45, 100, True, 1, 1, False),
        held_rules(50, 40, 100, 9, 4, True, 45, 100, False, 1, 2, False),
        held_rules(50, 40, 100, 9, 4, True, 45, 100, False, 1, 1, True),
    ]
    assert alone == [1 << place for place in range(len(RULES))]
    assert held_rules(50, 40, 10, 3, 4, True, 45, 5, True, 1, 2, True) == sum(alone)


# the expressions


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("interval", "interval"),
        (" turn|interval ", "interval | turn"),
        ("turn & interval", "interval & turn"),
        ("after-compaction | interval & turn | calendar-day", "interval & turn | calendar-day | after-compaction"),
        ("gap | gap", "gap"),
        ("gap & turn | gap", "gap"),
        ("interval & zone-change | interval & turn", "interval & turn | interval & zone-change"),
        (" recorded ", "recorded"),
    ],
)
def test_a_policy_has_one_spelling(text: str, spelt: str) -> None:
    """Rules and terms in the order of the list; a term that another covers is gone."""
    assert format_policy(parse_policy(text)) == spelt


@pytest.mark.parametrize("text", ["", "|", "gap |", "gap & ", "gap turn", "recorded | gap", "Gap", "(gap)", None, 3])
def test_what_is_no_policy_is_refused_with_the_rules(text: object) -> None:
    """The sentence lists what there is and shows the value."""
    with pytest.raises(ScenarioError) as caught:
        parse_policy(text)  # type: ignore[arg-type]
    assert caught.value.kind == "policy"
    assert str(caught.value) == (
        "policy is one of recorded, interval, turn, gap, calendar-day, zone-change, after-compaction, or rules joined "
        f"by | (any of) and & (all of); got {text!r}"
    )


@given(expressions)
def test_the_one_spelling_means_what_was_written(expression: list[list[str]]) -> None:
    """Whatever rules hold, and however it was written."""
    masks = parse_policy(written(expression))
    assert parse_policy(format_policy(masks)) == masks
    for held in range(1 << len(RULES)):
        names = {name for place, name in enumerate(RULES) if held >> place & 1}
        assert any_holds(masks, held) == any(set(term) <= names for term in expression)


@given(expressions, expressions)
def test_two_policies_that_mean_the_same_are_spelt_the_same(one: list[list[str]], other: list[list[str]]) -> None:
    """The spelling leaves out all that makes no difference."""
    masks = [parse_policy(written(each)) for each in (one, other)]
    same = all(any_holds(masks[0], held) == any_holds(masks[1], held) for held in range(1 << len(RULES)))
    assert (masks[0] == masks[1]) == same


# the policies in a session


def due(built: LogBuilder, **knobs: object) -> list[tuple[int, int]]:
    """Return turn and step of every reading under a scenario with these knobs."""
    run = replay_session(built.build(), Scenario(interval_ms=HOUR_MS).replace(**knobs))
    return [(reading.turn, reading.step) for reading in run.readings]


def turns(*waits_ms: int, steps: int = 2, zones: tuple[str | None, ...] = ()) -> LogBuilder:
    """Return a turn after each wait, of some steps with a tool in each, from the zones given in turn."""
    built = log()
    for at, wait_ms in enumerate(waits_ms):
        built = built.wait(wait_ms).turn().prompt("hi", zones[at] if zones else None)
        for step in range(steps):
            calls = [f"c{at}-{step}"] if step < steps - 1 else []
            built = built.step().reply("ok", calls=calls)
            for call in calls:
                built = built.tool(call)
            built = built.wait(1000)
        built = built.end_turn()
    return built


def test_once_a_turn_is_with_its_first_step() -> None:
    """However little time went by."""
    assert due(turns(0, 0, 0), policy="turn") == [(1, 1), (2, 1), (3, 1)]


def test_a_turn_and_its_interval_together_need_both() -> None:
    """An hour has passed when the third turn starts, and again within the fourth."""
    built = turns(0, 0, HOUR_MS, 0)
    assert due(built, policy="turn & interval") == [(1, 1), (3, 1)]
    assert due(built, policy="turn | interval") == [(1, 1), (2, 1), (3, 1), (4, 1)]


def test_after_a_gap_is_when_nothing_was_said_for_that_long() -> None:
    """What enters with the attempt ends the silence and does not count; a tool that took long was silence, too."""
    built = turns(0, 60_000, 59_000).turn().prompt("hi").step().reply("ok", calls=["c"]).call("c").wait(60_000)
    built = built.result("c").end_step().step().reply("ok").end_turn()
    assert due(built, policy="gap", gap_ms=60_000) == [(1, 1), (2, 1), (3, 1)]
    assert due(built, policy="gap", gap_ms=61_001) == [(1, 1)]


def test_a_reading_or_a_replacement_breaks_no_silence() -> None:
    """Neither the readings of the log nor a checkpoint nor a shortened result say that anybody was there."""
    built = turns(0).wait(60_000).compaction(2, 3).prune(5).turn().reading("no time").prompt("hi").step().reply("ok")
    run = replay_session(built.end_turn().build(), Scenario(policy="gap", gap_ms=60_000))
    assert [attempt.decision for attempt in run.attempts] == ["added", "suppressed", "added"]


def test_with_the_clock_gone_back_there_is_no_gap() -> None:
    """Not even of 0."""
    built = log(start_ms=50_000).turn().prompt("hi").step().reply("ok").end_turn()
    built = built.at(10_000).turn().prompt("hi").step().reply("ok").end_turn()
    assert due(built, policy="gap", gap_ms=0) == [(1, 1)]


@pytest.mark.parametrize(("zone", "days"), [("UTC", [(1, 1), (3, 1)]), ("Asia/Tokyo", [(1, 1), (2, 1)])])
def test_a_new_day_begins_where_the_reading_would_print_its_date(zone: str, days: list[tuple[int, int]]) -> None:
    """At 14, 16 and 25 h after midnight in UTC, midnight in Tokyo is before the second, in UTC before the third."""
    built = turns(14 * HOUR_MS, 2 * HOUR_MS, 9 * HOUR_MS)
    assert due(built, policy="calendar-day", time_zone=zone) == days


def test_the_date_is_that_of_the_browser_where_readings_print_its_zone() -> None:
    """In two-line editions it is that of the fallback zone, whatever the browser says."""
    built = turns(16 * HOUR_MS, 0, zones=("UTC", "Asia/Tokyo"))
    assert due(built, policy="calendar-day") == [(1, 1), (2, 1)]
    assert due(built, policy="calendar-day", edition="note-v2") == [(1, 1)]


def test_a_change_of_zone_is_told_from_the_turn_of_the_newest_reading() -> None:
    """Also in two-line editions, whose readings print none; a missing zone is the fallback's."""
    built = turns(0, 0, 0, 0, zones=("Asia/Tokyo", None, "UTC", "Asia/Tokyo"))
    for edition in ("readme", "note-v2"):
        assert due(built, policy="zone-change", edition=edition) == [(1, 1), (2, 1), (4, 1)]


def test_a_turn_whose_zones_are_refused_changes_neither_day_nor_zone() -> None:
    """Nothing is known of it; the interval alone makes it due, and then the reading fails."""
    built = turns(0, 0, zones=("UTC", "Nowhere"))
    rules = ("zone-change", "calendar-day", "turn")
    runs = [replay_session(built.build(), Scenario(policy=rule)) for rule in rules]
    assert [[attempt.decision for attempt in run.attempts[2:]] for run in runs] == [
        ["suppressed", "suppressed"],
        ["suppressed", "suppressed"],
        ["failed", "failed"],
    ]


def test_after_a_compaction_the_next_attempt_is_due() -> None:
    """Once: until the next checkpoint the reading that it made due is the newest."""
    built = turns(0, 0).turn().prompt("hi")
    built = built.compaction(2, 3).step().reply("ok", calls=["c"]).tool("c").step().reply("ok").end_turn()
    assert due(built, policy="after-compaction") == [(1, 1), (3, 1)]
    assert due(built, policy="after-compaction", compaction="off") == [(1, 1)]


def test_a_shortened_tool_result_is_no_compaction() -> None:
    """It hides no reading."""
    built = turns(0)
    assert due(built.prune(5).turn().prompt("hi").step().reply("ok").end_turn(), policy="after-compaction") == [(1, 1)]


@pytest.mark.parametrize("counts", [True, False])
def test_a_simulated_compaction_counts_like_a_recorded_one(counts: bool) -> None:
    """Whether or not its checkpoint is a message that elapsed time counts from."""
    small = Compaction(
        settings={"thresholdRatio": 0.5, "retainRatio": 0.1},
        context_window=1000,
        summary=FixedText("short"),
        checkpoint_counts=counts,
    )
    built = log().turn().prompt("x" * 40)
    for step in range(6):
        built = built.step()
        built = (built.header(system="s" * 40) if step == 0 else built).reply("y" * 368)
    run = replay_session(built.end_turn().build(), Scenario(policy="after-compaction", compaction=small))
    assert [reading.step for reading in run.readings] == [1, 5]
    assert (run.measures.compactions, run.measures.first_compaction_step) == (1, 5)


TOKYO, UTC = three(9, 9, "23:00:00", offset="+09:00[Asia/Tokyo]"), two(9, 9, "23:00:00")
NO_TIME = "no time at all"


@pytest.mark.parametrize(
    ("stray", "policy", "zone", "decision"),
    [
        (TOKYO, "calendar-day", "Asia/Tokyo", "added"),
        (TOKYO, "calendar-day", "UTC", "suppressed"),
        (UTC, "calendar-day", "Asia/Tokyo", "added"),
        (NO_TIME, "calendar-day", "Asia/Tokyo", "added"),
        (NO_TIME, "calendar-day", "UTC", "suppressed"),
        (TOKYO, "zone-change", "UTC", "added"),
        (UTC, "zone-change", "UTC", "suppressed"),
        (NO_TIME, "zone-change", "UTC", "suppressed"),
        (NO_TIME, "turn", "UTC", "suppressed"),
    ],
)
def test_a_stray_reading_has_the_day_and_the_zone_it_prints(stray: str, policy: str, zone: str, decision: str) -> None:
    """One that prints none has the day of its event, and an unknown zone; it is a reading of its turn as well."""
    built = log().turn().prompt("hi").step().reply("ok").reading(stray).end_step().at(15 * HOUR_MS + 1)
    built = built.step().reply("ok").end_turn()
    run = replay_session(built.build(), Scenario(policy=policy, time_zone=zone, edition="note-v2"))
    assert [attempt.decision for attempt in run.attempts] == ["added", decision]

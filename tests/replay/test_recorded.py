"""The scenario that explains what a log already holds, and how sure it is."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import NO_ZONE, readings, three, two, zone_line
from timectx.reading import format_duration
from timectx.replay import Explanation, Scenario, as_recorded, explain_recorded, replay_session
from timectx.session import is_reading_event
from timectx.session.events import UserMessage

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def explained(built: LogBuilder) -> Explanation:
    """Return the explanation of a log."""
    return explain_recorded(built.build())


def texts(built: LogBuilder) -> list[str]:
    """Return the texts of the readings a log holds."""
    found = [event for event in built.events() if is_reading_event(event) and isinstance(event, UserMessage)]
    return [str(event.data.content[0]["text"]) for event in found]


def told(*times_ms: int | tuple[int, bool]) -> LogBuilder:
    """Return a turn with a step at each time; those given alone got a reading."""
    built, last_ms = log().turn(), None
    for step, given in enumerate(times_ms, 1):
        time_ms, has_reading = given if isinstance(given, tuple) else (given, True)
        built = built.at(time_ms).step()
        if has_reading:
            day, clock = divmod(time_ms // 1000, 86_400)
            shown = f"{clock // 3600:02}:{clock // 60 % 60:02}:{clock % 60:02}"
            elapsed = "unavailable" if last_ms is None else format_duration(max(0, time_ms - last_ms))
            built = built.reading(three(1, step, shown, elapsed).replace("01-01T", f"01-{day + 1:02}T"))
            last_ms = time_ms
        built = built.reply("ok")
    return built.end_turn()


def without(*times_ms: int) -> list[tuple[int, bool]]:
    """Return steps that got no reading."""
    return [(time_ms, False) for time_ms in times_ms]


def test_a_log_without_readings_is_explained_by_policy_recorded() -> None:
    """Any interval would have given it some."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn()
    found = explained(built)
    assert found == Explanation(scenario=Scenario(policy="recorded", time_zone="UTC"))
    assert str(found) == "the log holds no reading"
    assert replay_session(built.build(), found.scenario).readings == ()


def test_where_every_attempt_has_a_reading_the_interval_is_0() -> None:
    """Any interval up to the youngest age that got one would do as well."""
    found = explained(told(0, 30_000, 50_000))
    assert found == Explanation(scenario=Scenario(interval_ms=0, time_zone="UTC"), up_to_ms=20_000)
    assert str(found) == "interval 0 (0, up to 20s)"


@pytest.mark.parametrize(
    ("suppressed_ms", "next_ms", "interval_ms"),
    [
        (599_999, 600_000, 600_000),
        (1, 3_600_000, 600_000),
        (599_999, 3 * DAY, 600_000),
        (600_000, 3 * DAY, DAY),
        (600_000, DAY, DAY),
        (600_000, DAY - 1, HOUR),
        (600_000, HOUR - 1, 1_200_000),
        (3 * HOUR, 5 * HOUR, 4 * HOUR),
        (590_000, 599_999, 591_000),
        (45_000, 100_000, MINUTE),
        (61_000, 100_000, 70_000),
        (61_000, 69_999, 62_000),
        (61_000, 61_900, 61_500),
        (61_000, 61_450, 61_100),
        (61_000, 61_099, 61_010),
        (61_000, 61_009, 61_001),
        (0, 1, 1),
        (0, 700, 500),
    ],
)
def test_the_interval_is_the_roundest_in_range(suppressed_ms: int, next_ms: int, interval_ms: int) -> None:
    """Above the oldest age without a reading, up to the youngest with one; ten minutes before all others."""
    built = told(0, *without(suppressed_ms), next_ms)
    found = explained(built)
    assert (found.above_ms, found.up_to_ms, found.conflicts) == (suppressed_ms, next_ms, ())
    assert found.scenario == Scenario(interval_ms=interval_ms, time_zone="UTC")
    assert readings(replay_session(built.build(), found.scenario)) == texts(built)


def test_without_a_second_reading_nothing_bounds_the_interval_above() -> None:
    """Ten minutes if that is enough, else the next whole unit."""
    assert [explained(told(0, *without(age_ms))).scenario.interval_ms for age_ms in (5_000, 600_000, DAY)] == [
        600_000,
        DAY,
        2 * DAY,
    ]
    assert str(explained(told(0, *without(5_000)))) == "interval 10m (above 5s)"


def test_a_step_where_the_log_breaks_off_is_no_evidence() -> None:
    """Nothing followed its start, so whether its reading was due cannot be told."""
    found = explained(told(0, 30_000).at(50_000).turn().step())
    assert (found.scenario.interval_ms, found.above_ms, found.conflicts) == (0, None, ())


def test_a_step_that_was_cancelled_at_once_is_evidence_where_nothing_else_explains_it() -> None:
    """A reading that was due would have entered with the step, so there was none due."""
    built = told(0, 30_000).turn().at(50_000).step().end_turn("aborted")
    found = explained(built)
    assert (found.scenario.interval_ms, found.above_ms, found.up_to_ms, found.conflicts) == (30_000, 20_000, 30_000, ())
    assert readings(replay_session(built.build(), found.scenario)) == texts(built)


def test_a_blocked_turn_of_edition_note_is_evidence_where_nothing_else_explains_it() -> None:
    """There a reading that was due would have been logged before anything could block the turn."""
    built = log("early").turn().prompt("a").reading(two(1, 1, "00:00:00", "0s")).step().reply("ok").end_turn()
    built = built.at(30_000).turn().prompt("b").end_turn("blocked").at(600_000).turn().prompt("c")
    built = built.reading(two(3, 1, "00:10:00", "0s")).step().reply("ok").end_turn()
    found = explained(built)
    assert (found.scenario.policy, found.scenario.interval_ms, found.conflicts) == ("interval", 600_000, ())


def test_a_reading_the_log_words_otherwise_is_named() -> None:
    """The interval explains where it stands, but not what it says."""
    built = log().turn().step().reading(three(1, 1, "00:00:00", "7s")).reply("ok")
    found = explained(built)
    assert (found.scenario.interval_ms, found.unlike) == (0, ((1, 1),))
    assert str(found).endswith("; worded otherwise in the log: turn 1 step 1")


def test_a_turn_that_was_rejected_is_no_evidence() -> None:
    """Its edition keeps no reading of it."""
    built = told(0, 30_000).at(40_000).turn().end_turn("blocked").turn().end_turn("error").turn().end_turn("aborted")
    assert explained(built).scenario.interval_ms == 0


def test_a_clock_that_went_back_explains_a_reading_of_any_interval() -> None:
    """Its age is below 0 and bounds nothing."""
    built = told(50_000, *without(70_000), 40_000, 80_000)
    found = explained(built)
    assert (found.above_ms, found.up_to_ms) == (20_000, 40_000)
    assert found.scenario.interval_ms == 30_000
    assert readings(replay_session(built.build(), found.scenario)) == texts(built)


@pytest.mark.parametrize(
    ("built", "conflicts", "above_ms", "up_to_ms"),
    [
        (told(0, *without(30_000), 40_000, 60_000), ((1, 2),), 30_000, 20_000),
        (told(0, *without(20_000), 20_001, 40_001), ((1, 2),), 20_000, 20_000),
        (told(*without(0), 30_000), ((1, 1),), None, None),
        (told(*without(0), 30_000, *without(40_000), 45_000, 50_000), ((1, 1), (1, 3)), 10_000, 5_000),
        (told(0, *without(0, 5_000), 10_000, *without(30_000), 40_000), ((1, 5),), 20_000, 10_000),
        (told(50_000, *without(40_000)), ((1, 2),), -10_000, None),
        (told(50_000, *without(40_000, 65_000), 90_000, 95_000), ((1, 2), (1, 3)), 15_000, 5_000),
    ],
    ids=[
        "older-without",
        "equal-age",
        "before-the-first",
        "both",
        "not-the-younger",
        "clock-back",
        "clock-back-and-older",
    ],
)
def test_attempts_that_no_interval_explains_are_named(
    built: LogBuilder, conflicts: tuple[tuple[int, int], ...], above_ms: int | None, up_to_ms: int | None
) -> None:
    """The policy is then to put a reading exactly where the log has one."""
    found = explained(built)
    assert (found.conflicts, found.above_ms, found.up_to_ms) == (conflicts, above_ms, up_to_ms)
    assert (found.scenario.policy, found.scenario.time_zone) == ("recorded", "UTC")
    assert readings(replay_session(built.build(), found.scenario)) == texts(built)


def test_many_conflicts_are_named_in_one_short_line() -> None:
    """The first five, and how many more."""
    few, many = explained(told(*without(0), 1_000)), explained(told(*without(*range(0, 7_000, 1_000)), 9_000))
    named = ", ".join(f"turn 1 step {step}" for step in range(1, 6))
    assert [str(few), str(many)] == [
        "no interval explains turn 1 step 1",
        f"no interval explains {named} and 2 more",
    ]


EDITIONS = {
    "note": log("early").turn().prompt("hi").at(1_000).reading(two(1, 1, "00:00:01", "1s")).step().reply("ok"),
    "note-v2": log().turn().prompt("hi").step().reading(two(1, 1, "00:00:00")).reply("ok"),
    "readme": log().turn().prompt("hi").step().reading(three(1, 1, "00:00:00")).reply("ok"),
}


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_edition_comes_from_the_readings(edition: str) -> None:
    """From their lines and from where they stand."""
    built = EDITIONS[edition]
    scenario = as_recorded(built.build())
    assert scenario == Scenario(interval_ms=0, time_zone="UTC").replace(edition=edition)
    assert readings(replay_session(built.build(), scenario)) == texts(built)


def test_of_two_editions_in_one_log_the_more_frequent_is_taken() -> None:
    """A log that went on under a newer release: places and intervals are explained, words are those of one edition."""
    built = log().turn().step().reading(two(1, 1, "00:00:00")).reply("ok").end_turn()
    built = built.turn().step().reading(three(2, 1, "00:00:00", "0s")).reply("ok").end_turn()
    built = built.turn().step().reading(three(3, 1, "00:00:00", "0s")).reply("ok").end_turn()
    scenario = as_recorded(built.build())
    assert (scenario.edition, scenario.interval_ms) == ("readme", 0)
    assert readings(replay_session(built.build(), scenario)) == [three(1, 1, "00:00:00"), *texts(built)[1:]]


def test_zones_come_from_the_readings_too() -> None:
    """Where browsers decided, from the messages; else in spans from the readings."""
    tokyo, paris = "+09:00[Asia/Tokyo]", "+01:00[Europe/Paris]"
    built = log().turn().prompt("hi", "Asia/Tokyo").step()
    built = built.reading(three(1, 1, "09:00:00", browser=zone_line("Asia/Tokyo"), offset=tokyo)).reply("ok").end_turn()
    built = built.turn().prompt("hi").step().reading(three(2, 1, "01:00:00", "0s", browser=NO_ZONE, offset=paris))
    built = built.reply("ok").end_turn().turn().prompt("hi").step().reading(three(3, 1, "00:00:00", "0s")).reply("ok")
    scenario = as_recorded(built.build())
    assert scenario.time_zone == ((0, "Europe/Paris"), (15, "UTC"))
    assert readings(replay_session(built.build(), scenario)) == texts(built)


def test_readings_sampled_before_their_steps_start_come_out_to_the_second() -> None:
    """The clock was read a little earlier; the text keeps that second and the elapsed time that belongs to it."""
    built = log().turn().at(1_002).step().prompt("hi").reading(three(1, 1, "00:00:00")).at(1_900).reply("ok")
    built = built.at(61_003).step().reading(three(1, 2, "00:01:00", "59s")).reply("ok").end_turn()
    found = explained(built)
    assert found.scenario.interval_ms == 0
    assert readings(replay_session(built.build(), found.scenario)) == texts(built)


def test_shadowed_readings_explain_as_well() -> None:
    """A compaction takes them off the surface and not out of the log."""
    built = told(0).at(30_000).turn()
    built = built.compaction(2, 3, shadowed=[2, 3]).step().reply("ok").end_turn().at(60_000)
    built = (
        built.turn().step().reading(three(2, 1, "00:01:00", "30s").replace("turn 2", "turn 3")).reply("ok").end_turn()
    )
    found = explained(built)
    assert (found.scenario.interval_ms, found.above_ms, found.up_to_ms) == (MINUTE, 30_000, 60_000)
    assert readings(replay_session(built.build(), found.scenario)) == texts(built)

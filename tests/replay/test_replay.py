"""Which readings a scenario gives a session, and what they say."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import decisions, readings, three, two, zone_line
from timectx.errors import ScenarioError
from timectx.replay import Run, Scenario, replay_session, replay_timeline, timeline_of
from timectx.session import Problem

TOKYO = "+09:00[Asia/Tokyo]"


def replayed(built: LogBuilder, **knobs: object) -> Run:
    """Return the run of a log under a scenario with these knobs."""
    return replay_session(built.build(), Scenario().replace(**knobs))


def two_turns() -> LogBuilder:
    """Return a log of two steps at 0 and 30 s and, a minute after the start, a second turn."""
    built = log().turn().prompt("hi").step().at(1_000).reply("ok", calls=["c"]).tool("c").end_step()
    return (
        built.at(30_000).step().reply("done").end_turn().at(60_000).turn().prompt("more").step().reply("yes").end_turn()
    )


# when


@pytest.mark.parametrize(
    ("interval_ms", "words"),
    [
        (0, ["added", "added", "added"]),
        (30_000, ["added", "added", "added"]),
        (30_001, ["added", "suppressed", "added"]),
        (60_000, ["added", "suppressed", "added"]),
        (60_001, ["added", "suppressed", "suppressed"]),
    ],
)
def test_the_interval_counts_from_the_newest_reading_across_turns(interval_ms: int, words: list[str]) -> None:
    """At the threshold a reading is due; before it none is."""
    ages = [None, 30_000, 60_000 if words[1] == "suppressed" else 30_000]
    places = [(1, 1), (1, 2), (2, 1)]
    assert decisions(replayed(two_turns(), interval_ms=interval_ms)) == [
        (*place, word, age) for place, word, age in zip(places, words, ages, strict=True)
    ]


def test_a_clock_that_steps_back_makes_a_reading_due() -> None:
    """The newest reading lies ahead; elapsed time never falls below 0."""
    built = log(start_ms=50_000).turn().step().prompt("a").reply("b").at(49_999).step().reply("c").at(51_000).step()
    run = replayed(built.reply("d"), interval_ms=600_000)
    assert decisions(run) == [(1, 1, "added", None), (1, 2, "added", -1), (1, 3, "suppressed", 1_001)]
    assert readings(run) == [three(1, 1, "00:00:50"), three(1, 2, "00:00:49", "0s")]


def test_resumed_turns_with_the_same_numbers_stay_apart() -> None:
    """Turn 1 may start again; the schedule goes on, the baseline of later steps starts anew."""
    built = log().turn(1).step().prompt("a").reply("b").at(5_000).turn(1).step(2).prompt("c").reply("d").end_turn()
    assert readings(replayed(built)) == [three(1, 1, "00:00:00"), three(1, 2, "00:00:05")]
    assert decisions(replayed(built, interval_ms=5_001))[1] == (1, 2, "suppressed", 5_000)


def test_a_log_that_starts_mid_way_is_replayed_from_there() -> None:
    """Without a turn's start a later step counts from the newest reading of all."""
    run = replayed(log().step(4).prompt("a").reply("b").at(2_000).step(5).reply("c"))
    assert readings(run) == [three(0, 4, "00:00:00"), three(0, 5, "00:00:02", "2s")]


def test_an_empty_session_gives_an_empty_run() -> None:
    """Nothing to decide, nothing to send."""
    run = replayed(log())
    assert (run.attempts, run.readings, run.steps, run.compactions, run.problems) == ((), (), (), (), ())


# instead of what the log has


def recorded() -> LogBuilder:
    """Return a log with readings at 0.9 s (event at 1.004 s) and at 31 s, recorded with some interval."""
    built = log().turn().at(1_000).step().prompt("hi").at(1_004).reading(three(1, 1, "00:00:00")).at(2_000)
    built = built.reply("ok").at(31_000).step().reading(three(1, 2, "00:00:31", "29s")).at(32_000).reply("ok")
    return built.at(40_000).step().reply("done").end_turn()


def test_the_logs_own_readings_are_taken_away_and_those_of_the_scenario_added() -> None:
    """The instant prints what the recorded reading says, the event time is the recorded one."""
    run = replayed(recorded(), interval_ms=0)
    assert [(reading.now_ms, reading.time_ms, reading.recorded_seq) for reading in run.readings] == [
        (999, 1_004, 3),
        (31_000, 31_000, 7),
        (40_000, 40_000, None),
    ]
    assert readings(run) == [
        three(1, 1, "00:00:00"),
        three(1, 2, "00:00:31", "29s"),
        three(1, 3, "00:00:40", "9s"),
    ]


def test_a_reading_that_is_not_due_any_more_leaves_no_trace() -> None:
    """Neither for the schedule nor for baselines; ages count from the event of the one before."""
    run = replayed(recorded(), interval_ms=38_996)
    assert decisions(run) == [(1, 1, "added", None), (1, 2, "suppressed", 29_996), (1, 3, "added", 38_996)]
    assert readings(run)[1] == three(1, 3, "00:00:40", "38s")


def test_policy_recorded_puts_a_reading_exactly_where_the_log_has_one() -> None:
    """The interval does not matter; what is left out counts as suppressed."""
    run = replayed(recorded(), policy="recorded", interval_ms=600_000)
    assert decisions(run) == [(1, 1, "added", None), (1, 2, "added", 29_996), (1, 3, "suppressed", 9_000)]
    assert readings(run) == [three(1, 1, "00:00:00"), three(1, 2, "00:00:31", "29s")]


def test_policy_recorded_counts_a_reading_that_no_step_followed_in_every_edition() -> None:
    """A plan by interval adds one there only in ``note``, which writes it before anything can fail."""
    built = log("early").turn().prompt("hi").at(1_000).reading(two(1, 1, "00:00:01", "1s")).end_turn("error")
    found = {
        (edition, policy): decisions(replayed(built, edition=edition, policy=policy))
        for edition in ("note", "readme")
        for policy in ("interval", "recorded")
    }
    assert found == {
        ("note", "interval"): [(1, 1, "added", None)],
        ("note", "recorded"): [(1, 1, "added", None)],
        ("readme", "interval"): [(1, 1, "ineligible", None)],
        ("readme", "recorded"): [(1, 1, "added", None)],
    }


def test_a_reading_that_names_another_turn_stays_and_counts() -> None:
    """It is no attempt's: the schedule sees it, and its step counts as one without a reading."""
    built = log().turn().step().prompt("hi").reading(three(4, 2, "00:00:00")).reply("ok").at(9_000).step().reply("ok")
    run = replayed(built, interval_ms=10_000)
    assert decisions(run) == [(1, 1, "added", None), (1, 2, "suppressed", 9_000)]
    assert run.problems == (
        Problem(
            0, "stray-reading", "seq 3 reads turn 4, step 2 but is not that attempt's one reading; it stays and counts"
        ),
    )
    assert [step.visible_readings for step in run.steps] == [2, 2]


def test_a_message_that_says_no_time_counts_for_the_schedule_and_is_never_seen_as_a_reading() -> None:
    """A source is enough for the schedule; staleness needs an instant."""
    built = log().turn().step().prompt("a").reply("b").reading("soon").at(9_000).turn().step().prompt("c").reply("d")
    run = replayed(built, interval_ms=9_001)
    assert decisions(run) == [(1, 1, "added", None), (2, 1, "suppressed", 9_000)]
    assert [(step.staleness_ms, step.visible_readings) for step in run.steps] == [(0, 1), (9_000, 1)]
    assert [problem.kind for problem in run.problems] == ["no-reading"]


# what it says


def test_the_first_step_counts_from_the_message_before_its_own_prompt() -> None:
    """In ``readme`` the prompt enters after the decision, in ``note`` it stands in the log before it."""
    late = (
        log().turn().prompt("a").step().at(1_000).reply("b").end_turn().at(61_000).turn().prompt("c").step().reply("d")
    )
    early = log("early").turn().prompt("a").step().at(1_000).reply("b").end_turn().at(61_000).turn().prompt("c").step()
    early = early.reply("d")
    for built in (late, early):
        assert readings(replayed(built)) == [three(1, 1, "00:00:00"), three(2, 1, "00:01:01", "1m 0s")]
        assert readings(replayed(built, edition="note")) == [two(1, 1, "00:00:00", "0s"), two(2, 1, "00:01:01", "0s")]
        assert readings(replayed(built, edition="note-v2")) == [
            two(1, 1, "00:00:00"),
            two(2, 1, "00:01:01", "1m 0s"),
        ]


def test_a_compaction_in_the_same_pre_step_makes_a_first_step_read_0_s() -> None:
    """Its checkpoint is the newest message; where compactions are undone the reply before it is."""
    built = log().turn().step().prompt("a").reply("b").end_turn().at(3_600_000).turn().compaction(2, 2).step()
    built = built.prompt("c").reply("d")
    assert [readings(replayed(built, compaction=mode))[1] for mode in ("recorded", "off")] == [
        three(2, 1, "01:00:00", "0s"),
        three(2, 1, "01:00:00", "1h 0s"),
    ]


def test_a_later_step_reads_unavailable_where_its_turn_has_no_reading_yet() -> None:
    """With an interval the turn's first step may have gone without."""
    built = two_turns().turn().step().prompt("x").at(80_000).reply("y").at(95_000).step().reply("z").end_turn()
    run = replayed(built, interval_ms=35_000)
    assert decisions(run)[2:] == [(2, 1, "added", 60_000), (3, 1, "suppressed", 0), (3, 2, "added", 35_000)]
    assert readings(run)[2] == three(3, 2, "00:01:35")


def test_edition_current_forgets_a_turns_readings_at_any_turn_boundary() -> None:
    """A step after its turn's end reads unavailable there; in ``readme`` it still finds the reading."""
    built = log().turn().step().prompt("a").reply("b").end_turn().at(5_000).step(2).prompt("c").reply("d")
    assert [readings(replayed(built, edition=edition, interval_ms=0))[1] for edition in ("readme", "current")] == [
        three(1, 2, "00:00:05", "5s"),
        three(1, 2, "00:00:05"),
    ]


def test_a_turns_browsers_set_the_zone_of_its_readings_alone() -> None:
    """Agreeing they name it, differing or missing they leave it to the fallback zone."""
    built = log().turn().prompt("a", "Asia/Tokyo").step().reply("b").step().reply("c").end_turn()
    built = built.turn().prompt("d", "Asia/Tokyo").prompt("e", "UTC").step().reply("f").end_turn()
    built = built.turn().prompt("g").step().reply("h").end_turn()
    paris, mixed = "+01:00[Europe/Paris]", 'mixed ["Asia/Tokyo","UTC"]. Ask the user to clarify'
    run = replayed(built, time_zone="Europe/Paris")
    assert readings(run) == [
        three(1, 1, "09:00:00", browser=zone_line("Asia/Tokyo"), offset=TOKYO),
        three(1, 2, "09:00:00", "0s", browser=zone_line("Asia/Tokyo"), offset=TOKYO),
        three(2, 1, "01:00:00", "0s", browser=f"{mixed} otherwise-unqualified dates and times.", offset=paris),
        three(3, 1, "01:00:00", "0s", offset=paris),
    ]
    assert [(reading.zone, reading.browser) for reading in run.readings] == [
        ("Asia/Tokyo", "resolved"),
        ("Asia/Tokyo", "resolved"),
        ("Europe/Paris", "mixed"),
        ("Europe/Paris", "missing"),
    ]
    assert readings(replayed(built, edition="note-v2", time_zone="UTC"))[0] == two(1, 1, "00:00:00")


def test_a_zone_that_fails_its_check_costs_its_turn_the_readings_and_nothing_else() -> None:
    """The recorded steps go on, the turn's later steps fail alike, and each failure is reported."""
    built = log().turn().prompt("a", "Asia/Kolkata").step().reply("b").step().reply("c").end_turn()
    run = replayed(built.at(9_000).turn().prompt("d").step().reply("e").end_turn())
    assert decisions(run) == [(1, 1, "failed", None), (1, 2, "failed", None), (2, 1, "added", None)]
    why = "browser zone is not canonical: 'Asia/Kolkata'; expected 'Asia/Calcutta'"
    assert [attempt.error for attempt in run.attempts] == [why, why, None]
    assert run.problems == (
        Problem(0, "zone-not-canonical", f"turn 1, step 1: no reading, because {why}"),
        Problem(0, "zone-not-canonical", f"turn 1, step 2: no reading, because {why}"),
    )
    assert [(step.staleness_ms, step.before_first) for step in run.steps] == [(None, True), (None, True), (0, False)]


def test_a_zone_is_not_checked_where_no_reading_is_due() -> None:
    """Suppression comes first."""
    built = log().turn().prompt("a").step().reply("b").end_turn().turn().prompt("c", "Nowhere").step().reply("d")
    assert decisions(replayed(built, interval_ms=1)) == [(1, 1, "added", None), (2, 1, "suppressed", 0)]


def test_two_line_editions_never_fail_a_zone() -> None:
    """They do not look at browsers."""
    built = log().turn().prompt("a", "Nowhere").step().reply("b").end_turn()
    for edition in ("note", "note-v2"):
        assert decisions(replayed(built, edition=edition)) == [(1, 1, "added", None)]


def test_an_instant_no_date_can_hold_fails_its_reading() -> None:
    """The clock of a log may stand anywhere."""
    built = log(start_ms=8_640_000_000_000_001).turn().prompt("a").step().reply("b").end_turn()
    run = replayed(built)
    assert decisions(run) == [(1, 1, "failed", None)]
    assert [problem.kind for problem in run.problems] == ["time-out-of-range"]


def test_a_zone_in_spans_changes_with_the_attempt_it_starts_at() -> None:
    """The span of an attempt's mark holds for its reading."""
    run = replayed(two_turns(), time_zone=((0, "UTC"), (7, "Asia/Tokyo")))
    assert [reading.zone for reading in run.readings] == ["UTC", "Asia/Tokyo", "Asia/Tokyo"]


# attempts without a step


@pytest.mark.parametrize(
    ("reason", "note", "readme"),
    [("blocked", "added", "ineligible"), ("error", "added", "ineligible"), ("aborted", "ineligible", "ineligible")],
)
def test_a_turn_that_ends_before_its_step_is_an_attempt_its_edition_treats(reason: str, note: str, readme: str) -> None:
    """In ``note`` the reading is in the log before the pre-step fails; the others keep nothing."""
    built = log().turn().prompt("a").step().reply("b").end_turn().at(5_000).turn().end_turn(reason)
    for edition, word in (("note", note), ("note-v2", readme), ("readme", readme), ("current", readme)):
        run = replayed(built, edition=edition, interval_ms=0)
        assert decisions(run) == [(1, 1, "added", None), (2, 1, word, 5_000)]
        assert [attempt.kind for attempt in run.attempts] == ["step", "turn-end"]


@pytest.mark.parametrize("reason", ["completed", "max-tokens", "interrupted"])
def test_a_turn_that_ends_for_another_reason_is_none(reason: str) -> None:
    """It never came to prepare a step."""
    assert decisions(replayed(log().turn().end_turn(reason), edition="note")) == []


def test_a_step_that_reached_nothing_gets_no_reading() -> None:
    """The log ends right after its start: neither message nor request followed."""
    built = log().turn().prompt("a").step().reply("b").at(5_000).step()
    assert decisions(replayed(built)) == [(1, 1, "added", None), (1, 2, "ineligible", 5_000)]
    assert decisions(replayed(built, edition="note")) == [(1, 1, "added", None), (1, 2, "added", 5_000)]


# many scenarios of one order


def test_a_timeline_serves_every_scenario_of_its_edition() -> None:
    """The runs are those of separate replays, and none leaves a trace in the next."""
    session = recorded().build()
    timeline = timeline_of(session, "readme")
    scenarios = [
        Scenario(interval_ms=interval_ms, compaction=mode, meter=meter)
        for interval_ms in (0, 10_000, 600_000)
        for mode, meter in (("recorded", "estimate"), ("off", "estimate"), ("recorded", "reported"))
    ]
    assert [replay_timeline(timeline, each) for each in scenarios] == [
        replay_session(session, each) for each in scenarios
    ]


def test_a_timeline_refuses_a_scenario_of_another_edition_or_counter() -> None:
    """Its order and its prices would be others."""

    def counter(_: object) -> int:
        return 1

    timeline = timeline_of(two_turns().build(), "readme")
    for scenario in (Scenario(edition="note"), Scenario(counter=counter)):
        with pytest.raises(ScenarioError) as caught:
            replay_timeline(timeline, scenario)
        assert caught.value.kind == "edition"


def test_equal_counters_are_one_counter() -> None:
    """A method of an object is a new value each time it is looked up."""

    class Fixed:
        def count(self, _: object) -> int:
            return 5

    fixed = Fixed()
    timeline = timeline_of(two_turns().build(), "readme", fixed.count)
    run = replay_timeline(timeline, Scenario(counter=fixed.count))
    assert [reading.price_tokens for reading in run.readings] == [5, 5, 5]

"""What the requests of a replay hold and cost, and what the model suffers between readings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import decisions, seen, three, two
from timectx.replay import Run, RunCompaction, Scenario, estimate_reading_tokens, replay_session
from timectx.session import Problem

HI, OK, CALL, DONE = 9, 9, 15, 13  # a prompt, a reply, a reply with a call, its result
FIRST = 71  # a first reading without any zone


def replayed(built: LogBuilder, **knobs: object) -> Run:
    """Return the run of a log under a scenario with these knobs."""
    return replay_session(built.build(), Scenario().replace(**knobs))


def tool_step(built: LogBuilder, call: str) -> LogBuilder:
    """Add a step whose reply calls a tool that answers."""
    return built.step().reply("ok", calls=[call]).tool(call).end_step()


def three_steps() -> LogBuilder:
    """Return a turn of three steps at 0, 20 and 50 s."""
    built = tool_step(log().turn().prompt("hi"), "c").at(20_000)
    return tool_step(built, "d").at(50_000).step().reply("ok").end_turn()


# what requests hold


def test_each_request_holds_the_messages_so_far_and_the_readings_added() -> None:
    """At 30 s the second step goes without; the first reading is sent three times, added once."""
    run = replayed(three_steps(), interval_ms=30_000)
    last = estimate_reading_tokens(three(1, 3, "00:00:50", "50s"))
    assert [(step.surface_tokens, step.reading_tokens, step.visible_readings) for step in run.steps] == [
        (HI + FIRST, FIRST, 1),
        (HI + FIRST + CALL + DONE, FIRST, 1),
        (HI + FIRST + 2 * (CALL + DONE) + last, FIRST + last, 2),
    ]
    assert [(reading.price_tokens, reading.resent_requests) for reading in run.readings] == [(FIRST, 2), (last, 0)]
    measures = run.measures
    assert (measures.reading_tokens, measures.resent_tokens) == (FIRST + last, 2 * FIRST)
    assert measures.input_tokens == 3 * HI + 3 * FIRST + 3 * (CALL + DONE) + last
    assert measures.reading_ratio == (3 * FIRST + last) / measures.input_tokens


def test_the_header_is_paid_in_every_request_from_the_one_it_was_logged_for() -> None:
    """Also where it is logged after the step's start; a change holds for the next request."""
    built = log().turn().prompt("hi").step().header("abcd").reply("ok").end_step()
    built = built.step().header("abcdefgh", reason="change").reply("ok").end_turn()
    assert [(step.header_tokens, step.input_tokens) for step in replayed(built, interval_ms=60_000).steps] == [
        (5, 5 + HI + FIRST),
        (6, 6 + HI + FIRST + OK),
    ]


def test_a_retry_sends_everything_again_and_adds_no_reading() -> None:
    """Staleness and size are those of the step's first request; the input of all is summed."""
    built = log().turn().prompt("hi").step().failure().retry().at(40_000).failure().retry().reply("ok").end_turn()
    run = replayed(built)
    assert decisions(run) == [(1, 1, "added", None)]
    assert [(step.requests, step.staleness_ms, step.surface_tokens, step.input_tokens) for step in run.steps] == [
        (3, 0, HI + FIRST, 3 * (HI + FIRST))
    ]
    assert [reading.resent_requests for reading in run.readings] == [2]
    assert run.measures.requests == 3


def test_a_step_without_output_sends_one_request() -> None:
    """The model was asked, and nothing of its answer is left."""
    built = log().turn().prompt("hi").step().end_turn("aborted").turn().prompt("hi").step().reply("ok").end_turn()
    assert seen(replayed(built, interval_ms=60_000)) == [(1, 1, 0, HI + FIRST), (2, 1, 0, 2 * HI + FIRST)]


def test_a_message_that_only_stands_in_the_log_is_in_no_request() -> None:
    """Without a surface marker it costs nothing; elapsed time counts from it."""
    built = log("early").turn().event("user/message", {"content": [], "source": {"kind": "user"}}).prompt("hi").step()
    reading = estimate_reading_tokens(three(1, 1, "00:00:00", "0s"))
    assert [step.surface_tokens for step in replayed(built.reply("ok")).steps] == [HI + reading]


def test_a_counter_of_ones_own_prices_messages_and_readings() -> None:
    """And headers."""

    def counter(text: str) -> int:
        return 1000 if "Time sampled" in text else 1

    built = log().turn().prompt("hi").step().header("abcd").reply("ok").end_turn()
    run = replayed(built, counter=counter)
    assert [(step.surface_tokens, step.reading_tokens, step.input_tokens) for step in run.steps] == [(1001, 1000, 1002)]


# the pressure


@pytest.mark.parametrize(
    ("edition", "peak"), [("readme", 5 + HI + FIRST + 2 * (CALL + DONE)), ("note", 5 + HI + 2 * (CALL + DONE))]
)
def test_pressure_is_header_and_surface_before_the_last_step_decides(edition: str, peak: int) -> None:
    """In ``note``, where a step's messages and reading come first, its own reading is in."""
    built = tool_step(log().turn().prompt("hi").step().header("abcd").reply("ok", calls=["b"]).tool("b"), "c")
    run = replayed(built.step().reply("ok").end_turn(), interval_ms=60_000, edition=edition)
    note = run.readings[0].price_tokens if edition == "note" else 0
    assert run.measures.peak_pressure_tokens == peak + note


def test_a_tool_and_a_line_add_nothing_to_the_pressure() -> None:
    """It is that of messages and of the header that the log has."""
    built = three_steps()
    peaks = {
        delivery: replayed(built, interval_ms=30_000, delivery=delivery).measures.peak_pressure_tokens
        for delivery in ("system-prompt", "request-line", "session-prefix")
    }
    assert set(peaks.values()) == {HI + 2 * (CALL + DONE)}
    tool = replayed(built, delivery="tool")
    assert tool.measures.peak_pressure_tokens == HI + tool.readings[0].price_tokens + 2 * (CALL + DONE)


def test_the_first_compaction_stands_before_a_step_or_after_the_last() -> None:
    """Steps are counted over the whole session."""
    built = tool_step(log().turn().prompt("hi"), "c")
    before = built.compaction(2, 5, shadowed=[2, 3, 5]).step().reply("ok").end_turn()
    assert replayed(before).measures.first_compaction_step == 2
    after = tool_step(log().turn().prompt("hi"), "c").end_turn().compaction(2, 5, shadowed=[2, 3, 5])
    assert (replayed(after).measures.first_compaction_step, replayed(after).measures.steps) == (2, 1)
    assert replayed(after, compaction="off").measures.first_compaction_step is None


# what compactions do


def compacted() -> LogBuilder:
    """Return a log recorded at interval 0 and compacted before its third step, where the second reading was kept."""
    built = log().turn().prompt("hi").step().reading(three(1, 1, "00:00:00"))  # seqs 0 to 3
    built = built.reply("ok", calls=["c"]).tool("c").end_step().at(20_000)  # 4 to 7
    built = (
        built.step().reading(three(1, 2, "00:00:20", "20s")).reply("ok", calls=["d"]).tool("d").end_step()
    )  # 8 to 13
    built = built.at(50_000).compaction(2, 6, "sum", shadowed=[2, 3, 4, 6])  # 14 to 17
    return built.step().reading(three(1, 3, "00:00:50", "30s")).reply("ok").end_turn()


SUM = 9
SECOND = estimate_reading_tokens(three(1, 2, "00:00:20", "20s"))
THIRD = estimate_reading_tokens(three(1, 3, "00:00:50", "30s"))


def test_a_recorded_compaction_shadows_the_readings_among_its_messages() -> None:
    """As recorded, the second reading outlives it, because the log kept it."""
    run = replayed(compacted(), interval_ms=0)
    assert seen(run) == [
        (1, 1, 0, HI + FIRST),
        (1, 2, 0, HI + FIRST + CALL + DONE + SECOND),
        (1, 3, 0, SUM + SECOND + CALL + DONE + THIRD),
    ]
    assert [reading.resent_requests for reading in run.readings] == [1, 1, 0]
    assert run.compactions == (
        RunCompaction(
            seq=16,
            time_ms=50_000,
            turn=1,
            shadowed_nodes=3,
            shadowed_readings=1,
            checkpoint_tokens=SUM,
            before_tokens=HI + FIRST + 2 * (CALL + DONE) + SECOND,
            after_tokens=SUM + SECOND + CALL + DONE,
        ),
    )


def test_after_a_compaction_a_step_can_be_blind_though_the_schedule_still_counts() -> None:
    """The only reading is shadowed: age goes on, staleness is none, and it is not before the first."""
    run = replayed(compacted(), interval_ms=60_000)
    assert decisions(run) == [(1, 1, "added", None), (1, 2, "suppressed", 20_000), (1, 3, "suppressed", 50_000)]
    assert [(step.staleness_ms, step.before_first, step.age_ms) for step in run.steps] == [
        (0, False, None),
        (20_000, False, 20_000),
        (None, False, 50_000),
    ]
    assert (run.measures.blind_steps, run.measures.blind_before_first_steps) == (1, 0)
    assert (run.measures.longest_blind_steps, run.measures.longest_blind_ms) == (1, 0)
    assert [(each.shadowed_nodes, each.shadowed_readings) for each in run.compactions] == [(3, 1)]


def test_without_the_logs_compactions_everything_stays_on_the_surface() -> None:
    """Checkpoints are not there, and neither are shortened results."""
    run = replayed(compacted(), interval_ms=60_000, compaction="off")
    assert [step.staleness_ms for step in run.steps] == [0, 20_000, 50_000]
    assert run.steps[-1].surface_tokens == HI + FIRST + 2 * (CALL + DONE)
    assert run.compactions == ()


def test_a_reading_directly_after_the_shadowed_messages_goes_with_them() -> None:
    """The log had none there; its retained tail began with the next message."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn().turn().prompt("hi").step().reply("ok").end_turn()
    built = built.turn().compaction(2, 8, "sum", shadowed=[2, 3, 8]).prompt("hi").step().reply("ok").end_turn()
    run = replayed(built)
    assert [reading.resent_requests for reading in run.readings] == [1, 0, 0]
    assert [(each.shadowed_nodes, each.shadowed_readings) for each in run.compactions] == [(3, 2)]
    assert seen(run)[-1] == (3, 1, 0, SUM + OK + HI + run.readings[2].price_tokens)


def test_in_note_a_compaction_can_shadow_the_reading_of_its_own_pre_step() -> None:
    """It was paid for and never sent; its step sees an older one, or none."""
    built = log("early").turn().prompt("hi").reading(two(1, 1, "00:00:00", "0s")).compaction(1, 2).step().reply("ok")
    run = replayed(built, edition="note")
    assert decisions(run) == [(1, 1, "added", None)]
    assert [(step.added, step.staleness_ms, step.before_first) for step in run.steps] == [(True, None, False)]
    assert [reading.resent_requests for reading in run.readings] == [0]
    assert decisions(replayed(built)) == [(1, 1, "added", None)]
    assert [step.staleness_ms for step in replayed(built).steps] == [0]


def test_two_chained_compactions_leave_one_checkpoint() -> None:
    """The second shadows the first with what was kept before it; its range starts with the higher seq."""
    built = log().turn()
    for call in ("a", "b", "c"):
        built = tool_step(built.prompt("hi"), call).wait(10_000)  # nodes 2 3 5, 8 9 11, 14 15 17
    built = built.compaction(2, 5, "sum", shadowed=[2, 3, 5])
    checkpoint = built.last_seq - 1
    built = built.compaction(checkpoint, 11, "more", shadowed=[checkpoint, 8, 9, 11]).prompt("hi").step().reply("ok")
    run = replayed(built.end_turn(), interval_ms=10_000)
    assert [(each.shadowed_nodes, each.shadowed_readings) for each in run.compactions] == [(3, 1), (4, 1)]
    assert run.steps[-1].surface_tokens == SUM + HI + CALL + DONE + HI + sum(
        reading.price_tokens for reading in run.readings[2:]
    )
    assert [reading.resent_requests for reading in run.readings] == [2, 1, 1, 0]


def test_overflow_recovery_inside_a_step_keeps_the_reading_and_drops_the_prompt() -> None:
    """The second request of the step holds the checkpoint and the one node that was kept."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn().turn().prompt("hi").step()
    built = built.reading(three(2, 1, "00:00:00", "0s")).failure()  # nodes 2, 3, 8 and the reading 9
    built = built.compaction(2, 8, "sum", shadowed=[2, 3, 8]).reply("ok").end_turn()
    reading = estimate_reading_tokens(three(2, 1, "00:00:00", "0s"))
    run = replayed(built, policy="recorded")
    assert [(step.requests, step.surface_tokens, step.input_tokens) for step in run.steps] == [
        (1, HI, HI),
        (2, 2 * HI + OK + reading, 2 * HI + OK + reading + SUM + reading),
    ]
    assert [each.resent_requests for each in run.readings] == [1]
    without = replayed(built, interval_ms=60_000)
    assert [(step.staleness_ms, step.input_tokens) for step in without.steps] == [
        (0, HI + FIRST),
        (0, 2 * HI + FIRST + OK + SUM),
    ]


def test_a_compaction_that_shadowed_only_readings_still_leaves_its_checkpoint() -> None:
    """There may be none of them in the replay."""
    built = log().turn().prompt("hi").step().reading(three(1, 1, "00:00:00")).reply("ok").end_turn().turn()
    built = built.compaction(3, 3, "sum").prompt("hi").step().reply("ok").end_turn()
    assert seen(replayed(built, policy="recorded"))[-1] == (2, 1, None, HI + SUM + OK + HI)
    assert [(each.shadowed_nodes, each.shadowed_readings) for each in replayed(built).compactions] == [(0, 1)]


def test_a_shortened_result_costs_less_and_touches_no_reading() -> None:
    """It takes the place of its node; readings beside it stay."""
    built = log().turn().prompt("hi").step().reply("ok", calls=["c"]).tool("c", "x" * 400).end_step()
    built = built.prune(5, "done").step().reply("ok").end_turn()
    run = replayed(built)
    assert [step.surface_tokens for step in run.steps] == [
        HI + FIRST,
        HI + FIRST + CALL + DONE + run.readings[1].price_tokens,
    ]
    assert run.compactions == ()
    assert replayed(built, compaction="off").steps[1].surface_tokens == run.steps[1].surface_tokens + 99


def test_a_compaction_by_hand_belongs_to_no_turn() -> None:
    """Nor does one whose opening is not in the log inherit the turn of another."""
    built = log().turn().prompt("hi").step().reply("ok").end_step().compaction(2, 2).step().reply("ok").end_turn()
    built = built.compaction(built.last_seq - 5, 3)
    mark = {"op": "replace", "start": built.last_seq - 1, "end": built.last_seq - 1}
    data = {"content": [], "source": {"kind": "plugin", "plugin": "compact"}}
    run = replayed(built.event("user/message", data, surfaceOp=mark))
    assert [each.turn for each in run.compactions] == [1, None, None]


# what the provider reported


def reported_steps() -> LogBuilder:
    """Return three turns with a recorded reading each; the provider reported on the first and the last."""
    built = log()
    for turn, elapsed, usage in (
        (1, "unavailable", {"inputTokens": 500, "outputTokens": 9, "cacheReadTokens": 500}),
        (2, "0s", None),
        (3, "0s", {"inputTokens": 60, "outputTokens": 1}),
    ):
        built = built.turn().prompt("hi").step().reading(three(turn, 1, "00:00:00", elapsed))
        built = built.reply("ok", usage=usage).end_turn()
    return built


def test_reported_sizes_lose_the_recorded_readings_and_gain_those_of_the_scenario() -> None:
    """Where nothing was reported the estimate stands in, and the run says so; no size falls below 0."""
    as_recorded = replayed(reported_steps(), policy="recorded", meter="reported")
    sparse = replayed(reported_steps(), interval_ms=60_000, meter="reported")
    assert [step.input_tokens for step in as_recorded.steps][::2] == [1000, 60]
    assert [step.input_tokens for step in sparse.steps] == [1000, 2 * HI + OK + FIRST, 0]
    unreported = Problem(0, "unreported", "the provider reported nothing for 1 of 3 requests; they count as estimated")
    assert (as_recorded.problems, sparse.problems) == ((unreported,), (unreported,))


def test_a_provider_reports_on_the_last_request_of_a_step() -> None:
    """Those that failed before it count as estimated."""
    built = (
        log().turn().prompt("hi").step().failure().retry().reply("ok", usage={"inputTokens": 300, "outputTokens": 1})
    )
    run = replayed(built.end_turn(), meter="reported")
    assert [step.input_tokens for step in run.steps] == [HI + FIRST + 300 + FIRST]


# what the model suffers


def test_staleness_is_the_time_since_the_newest_reading_the_model_sees() -> None:
    """0 where the step got one, never below 0 when the clock goes back."""
    built = three_steps().at(45_000).turn().prompt("hi").step().reply("ok").end_turn()
    run = replayed(built, interval_ms=50_000)
    assert decisions(run) == [
        (1, 1, "added", None), (1, 2, "suppressed", 20_000), (1, 3, "added", 50_000), (2, 1, "added", -5_000),
    ]  # fmt: skip
    assert [step.staleness_ms for step in run.steps] == [0, 20_000, 0, 0]
    built = log().turn().prompt("hi").step().reading(three(9, 9, "00:01:00")).reply("ok").end_turn()
    only_stray = replayed(built, policy="recorded")
    assert [(step.staleness_ms, step.age_ms) for step in only_stray.steps] == [(0, None)]


def test_a_stray_reading_is_what_the_model_sees_until_a_newer_one_comes() -> None:
    """The instant it prints counts, at its whole second."""
    built = log().turn().prompt("hi").step().at(4_500).reading(three(9, 9, "00:00:04")).reply("ok").at(9_000).end_step()
    run = replayed(built.step().reply("ok").at(12_000).end_turn(), interval_ms=60_000)
    assert [(step.added, step.staleness_ms) for step in run.steps] == [(True, 0), (False, 5_000)]


def test_steps_before_the_first_reading_are_blind_and_counted_apart() -> None:
    """A log may have got its first reading late."""
    built = tool_step(log().turn().prompt("hi"), "c").at(30_000).step().reading(three(1, 2, "00:00:30"))
    run = replayed(built.reply("ok").end_turn(), policy="recorded")
    assert [(step.staleness_ms, step.before_first) for step in run.steps] == [(None, True), (0, False)]
    measures = run.measures
    assert (measures.blind_steps, measures.blind_before_first_steps) == (1, 1)
    assert (measures.longest_blind_steps, measures.longest_blind_ms) == (1, 30_000)


def zones() -> Iterator[tuple[str | None, bool]]:
    """Yield the browser zone of each turn, and whether the newest reading then names another."""
    yield from [("Asia/Tokyo", False), ("Asia/Tokyo", False), ("UTC", True), (None, True), ("Asia/Tokyo", False)]


def test_a_step_whose_newest_reading_names_another_zone_than_its_turn_is_counted() -> None:
    """One reading alone, while the user travels; without a browser zone the fallback zone is the turn's."""
    built = log()
    for zone, _ in zones():
        built = built.turn().prompt("hi", zone).step().reply("ok").end_turn()
    run = replayed(built, interval_ms=60_000, time_zone="UTC")
    assert [step.zone_mismatch for step in run.steps] == [differs for _, differs in zones()]
    assert run.measures.zone_mismatch_steps == 2


def test_a_turn_whose_zones_are_refused_differs_from_nothing() -> None:
    """It has no zone to compare with."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn().turn().prompt("hi", "Nowhere").step().reply("ok")
    assert [step.zone_mismatch for step in replayed(built, interval_ms=60_000).steps] == [False, False]


@pytest.mark.parametrize("edition", ["note", "note-v2"])
def test_in_two_line_editions_every_turn_of_another_zone_differs(edition: str) -> None:
    """Their readings show the fallback zone whatever the browsers say."""
    built = log().turn().prompt("hi", "Asia/Tokyo").step().reply("ok").end_turn()
    assert [step.zone_mismatch for step in replayed(built, edition=edition).steps] == [True]


def test_replaying_changes_nothing_and_always_gives_the_same() -> None:
    """Neither the session nor what a second replay finds."""
    session = compacted().build()
    before = session.events
    runs = [replay_session(session, Scenario(interval_ms=20_000)) for _ in range(2)]
    assert runs[0] == runs[1]
    assert (session.events, [event.seq for event in session.events]) == (before, list(range(len(before))))

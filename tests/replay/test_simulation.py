"""Test simulated compaction in a replay: when it happens, what it hides, what it costs, and each switch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from timectx.errors import ScenarioError
from timectx.loop.play import play_script
from timectx.loop.script import Script, parse_script
from timectx.replay import (
    Compaction,
    FixedText,
    FixedTokens,
    Run,
    Scenario,
    ShareOfShadowed,
    SummaryReply,
    as_recorded,
    parse_scenario,
    replay_session,
)
from timectx.replay.timeline import timeline_of
from timectx.session import Session

SMALL = Compaction(
    settings={"thresholdRatio": 0.5, "retainRatio": 0.1}, context_window=1000, summary=FixedText("short")
)


def long_log() -> LogBuilder:
    """Write ten steps of 100 tokens each."""
    written = log(tick_ms=1000).turn()
    for step in range(10):
        written.prompt("x" * 40) if step == 0 else None
        written.step()
        if step == 0:
            written.header(system="s" * 40)
        written.reply("y" * 368)
    return written.end_turn()


def script(compaction: str, edition: str = "readme") -> Script:
    """Write a session whose agent compacts on its own."""
    return parse_script(
        f"""
        session: looped
        edition: {edition}
        interval: 30s
        context_window: 900
        compaction: {compaction}
        prompts:
        - {{say: {"begin " * 20}, zone: UTC, replies: [
            {{text: {"one " * 60}, takes: 20s, calls: [{{result: {"r " * 200}, takes: 3s}}]}},
            {{text: {"two " * 60}, takes: 20s, calls: [{{result: {"r " * 90}}}, {{result: ok}}]}},
            {{text: {"three " * 60}, takes: 20s}}]}}
        - {{say: next, after: 5m, replies: [{{text: {"four " * 80}}}]}}
        - {{say: last, after: 1h, replies: [{{text: {"five " * 80}, usage: {{inputTokens: 700, outputTokens: 120}}}}]}}
        - {{say: and then, after: 10s, replies: [{{text: done}}]}}
        """
    )


def told(run: Run) -> list[tuple[int | None, int, int, int]]:
    """Return turn, nodes, readings and saving of each compaction."""
    return [
        (each.turn, each.shadowed_nodes, each.shadowed_readings, each.before_tokens - each.after_tokens)
        for each in run.compactions
    ]


def test_a_replay_compacts_where_the_pressure_reaches_the_threshold() -> None:
    """The surface stays below the threshold at the requests that follow, and the readings hidden are counted."""
    run = replay_session(long_log().build(), Scenario(compaction=SMALL))
    assert told(run) == [(1, 3, 3, 319), (1, 3, 2, 334), (1, 3, 2, 334), (1, 3, 2, 334)]
    assert [step.surface_tokens for step in run.steps] == [89, 256, 423, 271, 438, 271, 438, 271, 438, 271]
    assert run.problems == ()


def test_fewer_readings_bring_fewer_compactions() -> None:
    """The same log under a long interval reaches the threshold later."""
    session = long_log().build()
    often, seldom = (
        replay_session(session, Scenario(compaction=SMALL, interval_ms=interval_ms)) for interval_ms in (0, 3_600_000)
    )
    assert (often.measures.readings, often.measures.compactions) == (10, 4)
    assert (seldom.measures.readings, seldom.measures.compactions) == (1, 2)
    assert seldom.measures.blind_steps == 6


def test_the_summary_is_billed_to_its_compaction() -> None:
    """Its request holds the header, what it shadows and the instruction; its output what the model wrote."""
    run = replay_session(long_log().build(), Scenario(compaction=SMALL))
    first = run.compactions[0]
    shadowed = first.before_tokens - first.after_tokens + first.checkpoint_tokens
    assert (first.summary_input_tokens, first.summary_output_tokens) == (14 + shadowed + 459, 2)
    assert first.checkpoint_tokens == 98 + 6


def test_the_log_names_the_window_where_the_scenario_does_not() -> None:
    """Without either nothing compacts, and one problem says so however often it came up."""
    written = log(tick_ms=1000).turn().prompt("x" * 400).step().header()
    for _ in range(9):
        written.reply("y" * 368).step()
    unknown = written.end_turn().build()
    compaction = Compaction(settings=SMALL.settings, summary=FixedText("short"))
    run = replay_session(unknown, Scenario(compaction=compaction))
    assert (run.measures.compactions, [problem.kind for problem in run.problems]) == (
        0,
        ["compaction-basic-no-context-capacity-for"],
    )


def test_the_logs_own_compactions_do_not_happen() -> None:
    """A simulated compaction stands in their place: the checkpoint the log holds is nowhere."""
    written = log(tick_ms=1000).turn().prompt("a" * 400).step().header().reply("b").step()
    first = next(record["seq"] for record in written.records() if record["type"] == "user/message")
    session = written.compaction(first, first).reply("c").step().reply("d").end_turn().build()
    big = Compaction(context_window=1_000_000)
    recorded = replay_session(session, Scenario(interval_ms=60_000))
    simulated = replay_session(session, Scenario(interval_ms=60_000, compaction=big))
    assert (recorded.measures.compactions, simulated.measures.compactions) == (1, 0)
    assert simulated.steps[-1].surface_tokens > recorded.steps[-1].surface_tokens


@pytest.mark.parametrize("edition", ["readme", "note", "note-v2"])
@pytest.mark.parametrize(
    ("settings", "summary"),
    [
        ("{settings: {thresholdRatio: 0.5, retainRatio: 0.2}, summary_tokens: 12}", FixedTokens(12)),
        ("{settings: {thresholdRatio: 0.7, retainTokens: 90}, summary_ratio: 0.05}", ShareOfShadowed(0.05)),
    ],
    ids=["fixed", "share"],
)
def test_a_simulated_replay_of_a_loop_is_what_the_loop_did(edition: Any, settings: str, summary: Any) -> None:
    """Readings, compactions and every request's size equal those of the agent's own log."""
    played = script(settings, edition)
    session = play_script(played)
    assert played.compaction is not None
    compaction = Compaction(settings=played.compaction.settings, context_window=900, summary=summary)
    recorded = replay_session(session, as_recorded(session))
    simulated = replay_session(session, as_recorded(session).replace(compaction=compaction))
    assert recorded.measures.compactions > 0
    assert told(simulated) == told(recorded)
    assert [reading.text for reading in simulated.readings] == [reading.text for reading in recorded.readings]
    assert [(step.input_tokens, step.staleness_ms) for step in simulated.steps] == [
        (step.input_tokens, step.staleness_ms) for step in recorded.steps
    ]


def overflow_log() -> Session:
    """Write a request that did not fit, and the one after room was made."""
    written = log(tick_ms=1000).turn().prompt("p" * 200).step().header().reply("r" * 200).end_turn()
    written.turn().prompt("the question itself").step()
    written.chunk("finish", reason={"kind": "error", "failure": {"message": "full", "code": "CONTEXT_WINDOW_EXCEEDED"}})
    return written.reply("answer").end_turn().build()


def test_recovery_from_overflow_loses_the_prompt_and_a_spare_keeps_it() -> None:
    """In the original only the newest node, the reading, survives; `spare` shows the world without that."""
    lost, kept = (
        replay_session(
            overflow_log(),
            Scenario(compaction=Compaction(context_window=1_000_000, summary=FixedText("s"), spare=spare)),
        )
        for spare in (0, 1)
    )
    assert [each[:3] for each in told(lost)] == [(2, 3, 1)]
    assert [each[:3] for each in told(kept)] == [(2, 2, 1)]


def test_right_after_a_compaction_a_turn_reads_0s_unless_checkpoints_do_not_count() -> None:
    """The checkpoint is the newest message; without it the elapsed time is the idle hour."""
    written = long_log().wait(3_600_000).turn().prompt("back again").step().reply("yes").end_turn()
    zero, hour = (
        replay_session(
            written.build(),
            Scenario(
                compaction=Compaction(
                    settings={"thresholdRatio": 0.9, "retainRatio": 0.1},
                    context_window=1800,
                    summary=FixedText("short"),
                    checkpoint_counts=counts,
                )
            ),
        )
        for counts in (True, False)
    )
    assert [run.compactions[-1].turn for run in (zero, hour)] == [2, 2]
    assert zero.readings[-1].elapsed_ms == 0
    assert hour.readings[-1].elapsed_ms is not None
    assert hour.readings[-1].elapsed_ms >= 3_600_000


def test_a_step_is_counted_twice_under_a_reported_baseline_unless_anchored_at_the_reply() -> None:
    """The prompt and the reading of the step are in the provider's count and in the difference as well."""
    written = log(tick_ms=1000).turn().prompt("x" * 400).step().header()
    written.reply("y" * 40, usage={"inputTokens": 300, "outputTokens": 20}).end_turn()
    session = written.turn().prompt("z").step().reply("w").end_turn().build()
    settings = {"thresholdRatio": 0.6, "retainTokens": 10}
    twice, once = (
        replay_session(
            session,
            Scenario(
                compaction=Compaction(settings=settings, context_window=900, summary=FixedText("s"), anchor=anchor)
            ),
        )
        for anchor in ("step-start", "reply")
    )
    assert (twice.measures.compactions, once.measures.compactions) == (1, 0)


def test_a_summary_model_of_ones_own_is_asked_and_may_fail() -> None:
    """What it raises or refuses is a problem of the run, and the conversation goes on uncompacted."""
    asked = []

    def model(request: Any) -> SummaryReply:
        asked.append((len(request.messages), request.provider))
        return SummaryReply(finish="max-tokens")

    compaction = Compaction(settings=SMALL.settings, context_window=1000, summary=model)
    run = replay_session(long_log().build(), Scenario(compaction=compaction))
    assert asked[0] == (7, "p")
    assert (run.measures.compactions, len(run.problems)) == (0, 1)


@pytest.mark.parametrize(
    ("knobs", "kind"),
    [
        ({"context_window": 0}, "context-window"),
        ({"context_window": True}, "context-window"),
        ({"summary": "text"}, "summary"),
        ({"anchor": "middle"}, "anchor"),
        ({"spare": -1}, "spare"),
        ({"checkpoint_counts": 1}, "checkpoint-counts"),
    ],
)
def test_a_knob_that_cannot_be_is_refused_by_its_name(knobs: dict[str, Any], kind: str) -> None:
    """Each wrong value is one clear error."""
    with pytest.raises(ScenarioError) as refused:
        Compaction(**knobs)
    assert refused.value.kind == kind


def test_settings_are_checked_with_the_scenarios_edition() -> None:
    """A headroom is a setting of one edition alone."""
    with pytest.raises(ScenarioError):
        Scenario(compaction=Compaction(settings={"headroomTokens": 5}))
    assert Scenario(edition="current", compaction=Compaction(settings={"headroomTokens": 5})).edition == "current"


@pytest.mark.parametrize("summary", [FixedText("t"), FixedTokens(9), ShareOfShadowed(0.5)], ids=type)
def test_a_compaction_survives_a_file(summary: Any) -> None:
    """Written as TOML and read back, the scenario is the same."""
    compaction = Compaction(settings={"thresholdRatio": 0.5}, context_window=9, summary=summary, pruning={}, spare=2)
    scenario = Scenario(compaction=compaction)
    assert parse_scenario(scenario.to_toml()) == scenario


def test_a_function_cannot_go_into_a_file() -> None:
    """A summary model of one's own is refused by name."""
    with pytest.raises(ScenarioError) as refused:
        Scenario(compaction=Compaction(summary=lambda _: SummaryReply())).to_toml()
    assert refused.value.kind == "summary"


def test_a_timeline_without_every_event_cannot_be_compacted() -> None:
    """The mistake is named rather than answered with wrong sizes."""
    from timectx.replay import replay_timeline

    with pytest.raises(ScenarioError) as refused:
        replay_timeline(timeline_of(long_log().build(), "readme"), Scenario(compaction=SMALL))
    assert refused.value.kind == "whole"


def test_recovery_from_overflow_is_tried_anew_once_the_agent_was_idle() -> None:
    """Two turns that end in an overflow make room twice, as in the agent's own log."""
    failed = "{error: {code: CONTEXT_WINDOW_EXCEEDED}}"
    session = play_script(
        parse_script(
            f"""
            session: full
            time_zone: UTC
            context_window: 300
            compaction: {{summary: short, spare: 1}}
            prompts:
            - {{say: {"q" * 1000}, replies: [{failed}]}}
            - {{say: again, after: 1m, replies: [{failed}]}}
            """
        )
    )
    compaction = Compaction(context_window=300, summary=FixedText("short"), spare=1)
    recorded = replay_session(session, as_recorded(session))
    assert told(replay_session(session, as_recorded(session).replace(compaction=compaction))) == told(recorded)
    assert recorded.measures.compactions > 0


@pytest.mark.parametrize("model", [lambda _: None, lambda _: 1 / 0], ids=["nothing", "raises"])
def test_a_summary_model_that_breaks_is_a_problem_of_the_run(model: Any) -> None:
    """The compaction fails, one problem names why, and the replay goes on."""
    run = replay_session(
        long_log().build(), Scenario(compaction=Compaction(settings=SMALL.settings, context_window=1000, summary=model))
    )
    assert (run.measures.compactions, [problem.kind for problem in run.problems]) == (0, ["summary-model"])


@pytest.mark.parametrize("knob", ["settings", "pruning"])
def test_settings_that_are_no_mapping_are_refused(knob: str) -> None:
    """The knob is named."""
    knobs: dict[str, Any] = {knob: 5}
    with pytest.raises(ScenarioError) as refused:
        Compaction(**knobs)
    assert refused.value.kind == knob


def test_odd_texts_survive_a_file_or_are_refused() -> None:
    """A control character comes back; a lone surrogate, which no file holds, is an error."""
    scenario = Scenario(compaction=Compaction(summary=FixedText("a\x7fb\n\x01")))
    assert parse_scenario(scenario.to_toml()) == scenario
    with pytest.raises(ScenarioError) as refused:
        Scenario(compaction=Compaction(summary=FixedText("\ud800"))).to_toml()
    assert refused.value.kind == "toml"


def test_messages_that_an_edition_moves_forward_leave_the_ranges_of_the_log_alone() -> None:
    """In the early order a prompt overtakes a stray reading; the checkpoint of both is still found in the log."""
    built = log().turn().reading("no time at all").prompt("hi").step().reply("ok", calls=["c"]).tool("c").end_step()
    session = built.compaction(2, 3).step().reply("done").end_turn().build()
    run = replay_session(session, Scenario(edition="note", compaction=SMALL))
    assert [step.visible_readings for step in run.steps] == [1, 2]

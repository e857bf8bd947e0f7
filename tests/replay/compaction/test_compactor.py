"""When an open log is compacted, how often, and what stops it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from tests.replay.stage import SMALL, Stage, talk
from timectx.errors import ScenarioError, SessionError
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.open_log import LogView, MemoryLog
from timectx.replay.compaction.policy import Capacity, Target
from timectx.replay.compaction.pruning import PruneSettings
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.settings import compaction_settings
from timectx.session.events import ToolResult

WINDOW = Capacity(1000)
ONCE = ["compaction/start", "compaction/summary", "user/message", "compaction/end"]
FAILED = ["compaction/start", "compaction/end"]
PRUNE = PruneSettings(threshold_chars=100, head_chars=10, tail_chars=10)


def refused(stage: Stage, action: Any) -> tuple[str, str]:
    """Return kind and code of what an action of the stage's compactor raises."""
    with pytest.raises((CompactionError, ScenarioError, SessionError)) as error:
        action(stage.compactor)
    return error.value.kind, getattr(error.value, "code", "")


# Under pressure


@pytest.mark.parametrize(("size", "compacted"), [(249, False), (250, True)], ids=["below", "at-the-threshold"])
def test_compaction_starts_at_the_threshold(size: int, compacted: bool) -> None:
    """One token below it nothing happens."""
    stage = Stage(talk(size), capacity=WINDOW)
    assert (stage.compactor.relieve_pressure() is not None) == compacted
    assert stage.types == (ONCE if compacted else [])


def test_before_the_first_request_nothing_is_measured() -> None:
    """No model is named yet, so that there is no window; nobody is even asked for one."""
    stage = Stage(log().turn().prompt("x" * 8000).step())
    assert stage.compactor.relieve_pressure() is None
    assert stage.compactor.make_room() is None
    assert stage.asked_for == []


def test_nothing_left_to_take_is_no_failure() -> None:
    """A call and its result may not be parted, however large they are."""
    stage = Stage(log().turn().step().header().reply("", ["c"]).tool("c", "x" * 8000), capacity=WINDOW)
    assert stage.compactor.relieve_pressure() is None
    assert stage.types == []


def test_rounds_go_on_until_the_pressure_is_below_the_threshold() -> None:
    """The second compaction takes the first one's checkpoint with it; its result is the one returned."""
    stage = Stage(talk(100, 100, 100, 100), "x" * 1100, "done", capacity=WINDOW, thresholdRatio=0.5, retainTokens=120)
    done = stage.compactor.relieve_pressure()
    assert stage.types == ONCE * 2
    assert done is not None
    assert (done.region.seqs, stage.surface, stage.load) == ((28,), [32, 21, 22], 303)


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_after_the_last_round_it_gives_up_and_the_compactions_stay(retries: int) -> None:
    """As many rounds as retries and one."""
    answers = ["x" * chars for chars in (1960, 1900, 1800)]
    stage = Stage(talk(100, 100, 100, 100), *answers, capacity=WINDOW, **SMALL, compactionRetries=retries)
    kind = "compaction-still-above-threshold-after-compaction"
    assert refused(stage, Compactor.relieve_pressure) == (kind, "")
    assert stage.types == ONCE * (retries + 1)
    assert stage.surface == [28 + 4 * retries, 21, 22]


def test_a_round_that_gains_nothing_ends_it() -> None:
    """The second summary is as large as the first checkpoint."""
    stage = Stage(talk(100, 100, 100, 100), "x" * 1960, capacity=WINDOW)
    assert refused(stage, Compactor.relieve_pressure) == ("summary-is-not-smaller-than-the", "")
    assert stage.types == ONCE + FAILED


def test_what_fails_is_told_in_the_order_of_the_original() -> None:
    """The log, the window, an open compaction, the budgets: the first that is wrong."""
    assert refused(Stage(talk(300).event("step/end", {"turn": 2, "step": 1})), Compactor.relieve_pressure)[0] == (
        "token-meter-step-end-at-seq"
    )
    locked = talk(300).event("compaction/start", {"compactionId": "c", "turn": 2})
    missing = ("compaction-basic-no-context-capacity-for", "")
    assert refused(Stage(locked), Compactor.relieve_pressure) == missing
    for window in (0, 1.5, True):
        invalid = ("adapter-returned-invalid-context-metadata-for", "INVALID_MODEL_CONTEXT")
        assert refused(Stage(locked, capacity=Capacity(window)), Compactor.relieve_pressure) == invalid
    busy = ("automatic-pressure-compaction-compaction-already-in", "busy")
    assert refused(Stage(locked, capacity=Capacity(1)), Compactor.relieve_pressure) == busy
    small = ("basiccompactionconfig-p-m-retaintokens-must-be", "")
    assert refused(Stage(talk(300), capacity=Capacity(240)), Compactor.relieve_pressure) == small


def test_between_turns_pressure_is_not_relieved() -> None:
    """Such a compaction stands inside a turn."""
    stage = Stage(talk(300).end_turn(), capacity=WINDOW)
    assert refused(stage, Compactor.relieve_pressure) == ("compactregion-no-open-turn-automatic-compaction", "")
    assert stage.types == []


def test_in_current_a_reply_and_a_headroom_are_kept_free() -> None:
    """What the request says about the reply counts before what the model could take."""
    settings = {"headroomTokens": 100, "retainTokens": 120, "thresholdRatio": 1}
    for capacity, compacted in ((Capacity(800), False), (Capacity(800, 100), True)):
        stage = Stage(talk(300), edition="current", capacity=capacity, **settings)
        assert (stage.compactor.relieve_pressure() is not None) == compacted
    config = {"provider": "p", "model": "m", "maxTokens": 100}
    built = talk(300).step().event("request/header", {"header": {"config": config}, "reason": "change"})
    stage = Stage(built, edition="current", capacity=Capacity(800, 0), **settings)
    assert stage.compactor.relieve_pressure() is not None


def test_a_models_own_policy_decides() -> None:
    """About threshold, tail and rounds."""
    own = {"provider": "p", "model": "m", "thresholdRatio": 0.9}
    stage = Stage(talk(300), capacity=WINDOW, **SMALL, modelPolicies=[own])
    assert stage.compactor.relieve_pressure() is None
    assert stage.compactor.policy.threshold_ratio == 0.9
    assert stage.asked_for == [Target("p", "m")]


# Tool results first


def long_tool(chars: int) -> LogBuilder:
    """Return a log with a prompt of 300 tokens, a tool result of so many characters, and an open turn."""
    built = log().turn().prompt("x" * 1168).step().header().reply("", ["c"])
    return built.tool("c", "x" * chars).end_turn().turn()


def test_shortening_tool_results_can_be_enough() -> None:
    """No summary is asked for, and the shorter result stays."""
    stage = Stage(long_tool(1200), capacity=WINDOW, pruning=PRUNE)
    before = stage.load
    assert stage.compactor.relieve_pressure() is None
    assert (stage.types, stage.requests) == (["compaction/prune", "tool/result"], [])
    assert (before, stage.load, stage.surface) == (622, 337, [2, 4, 11])


def test_where_it_is_not_enough_compaction_follows() -> None:
    """On the surface with the shorter result."""
    stage = Stage(long_tool(1200), capacity=WINDOW, pruning=PRUNE, thresholdRatio=0.3, retainTokens=10)
    done = stage.compactor.relieve_pressure()
    assert stage.types == ["compaction/prune", "tool/result", *ONCE]
    assert done is not None
    assert (done.region.seqs, stage.surface) == ((2,), [14, 4, 11])


@pytest.mark.parametrize(("window", "types"), [(676, ["compaction/prune", "tool/result"]), (674, None)])
def test_it_has_to_get_the_pressure_below_the_threshold(window: int, types: list[str] | None) -> None:
    """338 tokens would be enough for the 337 that are left; 337 are not."""
    stage = Stage(long_tool(1200), capacity=Capacity(window), pruning=PRUNE, thresholdRatio=0.5, retainTokens=30)
    stage.compactor.relieve_pressure()
    assert stage.types == (types or ["compaction/prune", "tool/result", *ONCE])


def test_below_the_threshold_nothing_is_shortened() -> None:
    """It waits for the pressure."""
    stage = Stage(long_tool(400), capacity=WINDOW, pruning=PRUNE)
    assert stage.compactor.relieve_pressure() is None
    assert stage.types == []


def test_pruning_alone_tells_what_it_did() -> None:
    """A second call finds nothing; without settings there is no pruning."""
    stage = Stage(long_tool(400), pruning=PRUNE)
    (pruned,) = stage.compactor.prune()
    assert isinstance(stage.memory.events[-1], ToolResult)
    assert (pruned.prune.event.seq, pruned.replacement_seq) == (6, stage.memory.events[-1].seq)
    assert stage.compactor.prune() == ()
    assert Stage(long_tool(400)).compactor.prune() == ()


# After a request that did not fit


def overflown() -> LogBuilder:
    """Return a log in a step whose prompt and reading are in, and whose request did not fit."""
    return talk(100).prompt("y" * 368).step().reading("r" * 168)


def test_room_is_made_without_a_threshold() -> None:
    """The last node alone stays: here the reading, so that the step's own prompt is summarised away."""
    stage = Stage(overflown())
    done = stage.compactor.make_room()
    assert done is not None
    assert (done.region.seqs, stage.surface, stage.asked_for) == ((2, 4, 9), [13, 10], [])


def test_the_prompt_can_be_spared() -> None:
    """To see the world without that loss."""
    stage = Stage(overflown())
    assert stage.compactor.make_room(spare=1) is not None
    assert stage.surface == [13, 9, 10]


def test_an_overflow_is_retried_as_often_as_the_settings_say() -> None:
    """Only if something was taken off the surface."""
    stage = Stage(overflown(), thresholdRatio=0.5, retainTokens=1, maxOverflowRetries=2)
    assert [stage.compactor.retry_after_overflow(retries).retry for retries in (2, 3)] == [False, False]
    assert stage.types == []
    assert stage.compactor.retry_after_overflow(1).retry
    assert stage.types == ONCE
    again = stage.compactor.retry_after_overflow(0)
    assert not again.retry
    assert isinstance(again.failure, CompactionError)


def test_a_shorter_tool_result_is_reason_enough_to_ask_again() -> None:
    """Even if the summary after it fails; the failure is told, not raised."""
    stage = Stage(long_tool(1200), OSError("down"), pruning=PRUNE)
    outcome = stage.compactor.retry_after_overflow(0)
    assert (outcome.retry, str(outcome.failure)) == (True, "down")
    assert stage.types == ["compaction/prune", "tool/result", *FAILED]


# By hand


def test_by_hand_everything_but_the_last_node_goes() -> None:
    """Between turns, with the command that asked, below any threshold and without pruning."""
    stage = Stage(long_tool(1200).end_turn(), pruning=PRUNE)
    done = stage.compactor.compact_now("cmd")
    assert done is not None
    assert (done.life.turn, done.life.command_id, done.region.seqs) == (None, "cmd", (2,))
    assert stage.types == ONCE


def test_by_hand_nothing_useful_is_nothing_done() -> None:
    """A log of one message has nothing to take."""
    stage = Stage(log().prompt("hello"))
    assert stage.compactor.compact_now() is None
    assert stage.types == []


@pytest.mark.parametrize(
    ("built", "kind"),
    [
        (talk(100), "manual-compaction-the-session-already-has"),
        (
            talk(100).event("compaction/start", {"compactionId": "c", "turn": 2}),
            "compaction-compaction-already-in-progress-the",
        ),
    ],
    ids=["inside-a-turn", "during-another"],
)
def test_by_hand_it_waits_until_the_agent_rests(built: LogBuilder, kind: str) -> None:
    """An open compaction is told before an open turn."""
    assert refused(Stage(built), Compactor.compact_now) == (kind, "busy")


def test_by_hand_a_summary_that_gains_nothing_has_its_own_word() -> None:
    """Other failures keep theirs."""
    stage = Stage(talk(50).end_turn(), capacity=WINDOW)
    assert refused(stage, Compactor.compact_now) == ("manual-compaction-could-not-produce-a", "summary")
    assert stage.types == FAILED
    empty = Stage(talk(200).end_turn(), "")
    assert refused(empty, Compactor.compact_now) == ("summarization-produced-no-text-summary-content", "")


# A given range


def test_a_given_range_is_compacted_wherever_it_stands() -> None:
    """The nodes before and after it stay."""
    stage = Stage(talk(100, 100))
    assert stage.compactor.compact_region(4, 9).region.seqs == (4, 9)
    assert stage.surface == [2, 16, 10]


def test_a_given_range_is_checked_before_the_lock() -> None:
    """First what it is, then whether it may be."""
    stage = Stage(talk(100).event("compaction/start", {"compactionId": "c", "turn": 2}))
    assert refused(stage, lambda compactor: compactor.compact_region(7, 4)) == ("replace-start-not-found", "")
    busy = ("compaction-compaction-already-in-progress-the", "busy")
    assert refused(stage, lambda compactor: compactor.compact_region(2, 4)) == busy


def test_settings_and_view_follow_one_edition() -> None:
    """Prices and budgets of two would not add up."""
    view = LogView("current")
    with pytest.raises(ScenarioError) as error:
        Compactor(
            MemoryLog(view), view, compaction_settings(), summarize=Stage(log()).summarize, capacity_of=lambda _: None
        )
    assert error.value.kind == "edition"

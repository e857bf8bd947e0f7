"""Show that the faults other tools made in compaction are not made here."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from tests.replay.stage import SMALL, Stage, talk
from timectx.replay.compaction.pairing import balanced_cuts
from timectx.replay.compaction.policy import Capacity
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.regions import plan_compaction
from timectx.replay.compaction.summaries import FixedTokens
from timectx.session.events import Message

WINDOW = Capacity(1000)


def calls_and_results(messages: tuple[Message, ...]) -> tuple[list[str], list[str]]:
    """Return the ids of the calls that messages make, and those that they answer."""
    blocks = [block for message in messages for block in message.content]
    calls = [block["id"] for block in blocks if block["type"] == "tool-call"]
    return calls, [block["toolCallId"] for block in blocks if block["type"] == "tool-result"]


def visible(stage: Stage) -> tuple[Message, ...]:
    """Return what the model would see."""
    view = stage.memory.view
    return view.messages(view.nodes())


def batches(count: int) -> LogBuilder:
    """Return a log of parallel batches of two calls each, results of 60 tokens, and an open turn."""
    built = log().turn().prompt("x" * 400).step().header()
    for number in range(count):
        calls = [f"c{number}-a", f"c{number}-b"]
        built.reply("", calls)
        for call in calls:
            built.tool(call, "y" * 192)
        built.end_step().step()
    return built


def test_a_parallel_batch_is_never_parted_from_its_results() -> None:
    """Whatever is retained, the cut stands before the batch or after its last result."""
    nodes = Stage(batches(2)).memory.view.nodes()
    taken = {
        None if region is None else len(region.nodes)
        for region in (plan_compaction(nodes, retain) for retain in range(500))
    }
    assert taken == {4, 1, None}


def test_no_orphan_survives_two_chained_compactions() -> None:
    """The second compaction reaches into the tail that the first one kept; pairing is looked at again."""
    stage = Stage(batches(3), "one", "two", "three", capacity=WINDOW)
    for retain in (200, 0):
        region = plan_compaction(stage.memory.view.nodes(), retain)
        assert region is not None
        stage.compactor.compact_region(region.seqs[0], region.seqs[-1])
        calls, results = calls_and_results(visible(stage))
        assert sorted(calls) == sorted(results)
        assert balanced_cuts(stage.memory.view.nodes())[-1]
    for request in stage.requests:
        calls, results = calls_and_results(request.messages)
        assert sorted(calls) == sorted(results)


def test_a_compaction_lowers_the_count_so_that_the_next_step_does_not_compact_again() -> None:
    """Afterwards the pressure is the checkpoint and the retained tail."""
    stage = Stage(talk(100, 100, 100), capacity=WINDOW)
    assert stage.compactor.relieve_pressure() is not None
    assert stage.load == 106 + 200
    assert stage.compactor.relieve_pressure() is None
    assert stage.types.count("compaction/start") == 1


def test_with_a_reported_baseline_the_count_is_lowered_too() -> None:
    """The provider's old count stays the baseline; what was shadowed is taken off it."""
    built = talk(100, 100)
    built.step().reply("x" * 368, usage={"inputTokens": 600, "outputTokens": 10}).end_step()
    stage = Stage(built, capacity=WINDOW, **SMALL)
    assert stage.load == 610
    assert stage.compactor.relieve_pressure() is not None
    assert stage.load == 610 - 300 + 106
    assert stage.compactor.relieve_pressure() is None


def test_the_checkpoint_made_at_the_very_instant_is_counted_once() -> None:
    """Its time equals that of its neighbours; it is visible, and the next compaction takes it along."""
    stage = Stage(talk(100, 100, 100), capacity=WINDOW)
    done = stage.compactor.relieve_pressure()
    assert done is not None
    assert {event.time_ms for event in stage.written} == {9_000}
    assert stage.surface == [done.checkpoint_seq, 15, 16]
    again = stage.compactor.make_room()
    assert again is not None
    assert again.region.seqs == (done.checkpoint_seq, 15)
    assert again.region.tokens == done.checkpoint_tokens + 100


def test_what_a_compaction_saved_is_known_without_any_reported_usage() -> None:
    """The size before is the sum of the prices, never 0, and a measurement says that it is an estimate."""
    stage = Stage(talk(100, 100, 100), capacity=WINDOW)
    assert stage.memory.view.pressure.measure().baseline.kind == "estimated"
    done = stage.compactor.relieve_pressure()
    assert done is not None
    assert (done.region.tokens, done.checkpoint_tokens) == (400, 106)


def test_a_summary_that_does_not_shrink_its_source_is_refused() -> None:
    """One that is just smaller passes; where it leaves the pressure up, that is told as such."""
    sizes = {298: "summary-is-not-smaller-than-the", 297: "compaction-still-above-threshold-after-compaction"}
    for tokens, kind in sizes.items():
        stage = Stage(
            talk(100, 100, 100),
            model=FixedTokens(tokens),
            capacity=Capacity(700),
            **SMALL,
            compactionRetries=0,
        )
        with pytest.raises(CompactionError) as refused:
            stage.compactor.relieve_pressure()
        assert refused.value.kind == kind

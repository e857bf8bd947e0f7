"""The events of one compaction: done, failed, and disturbed while its summary was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.builders import LogBuilder
from tests.replay.stage import Stage, talk
from timectx.reading import Edition
from timectx.replay.compaction.checkpoint import Lifecycle, checkpoint_message
from timectx.replay.compaction.policy import CompactionPolicy
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.regions import Region
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import SummaryReply, instruction_message
from timectx.replay.compaction.transaction import carry_out, error_chain, summary_request
from timectx.session.events import UserMessage
from timectx.session.records import parse_usage, record_of
from timectx.session.surface import check_surface, fold_surface

LIFE = Lifecycle("c-1", 4, "cmd")
SUMMARY = {"type": "text", "text": "done so far"}


def policy(edition: Edition = "readme", **config: Any) -> CompactionPolicy:
    """Return the policy of a configuration."""
    return compaction_settings(config, edition=edition).policy


def first_turns(stage: Stage, count: int = 4) -> Region:
    """Return the region of the first nodes, four unless said otherwise."""
    return Region(stage.memory.view.nodes()[:count])


def carry(stage: Stage, life: Lifecycle = LIFE, region: Region | None = None) -> Any:
    """Compact the first two turns."""
    view = stage.memory.view
    return carry_out(stage.memory, view, region or first_turns(stage), life, policy(view.edition), stage.summarize)


def test_a_compaction_writes_start_summary_checkpoint_and_end() -> None:
    """Each names the compaction; the summary keeps the whole output and the usage, the checkpoint only the text."""
    raw = [{"type": "reasoning", "text": "hm"}, SUMMARY]
    usage = {"inputTokens": 900, "outputTokens": 3}
    stage = Stage(talk(100, 100, 100), SummaryReply(blocks=tuple(raw), usage=parse_usage(usage)))
    done = carry(stage)
    life = {"compactionId": "c-1", "sourceCommandId": "cmd"}
    message = checkpoint_message([SUMMARY], LIFE, "readme", "id-1")
    checkpoint = record_of(UserMessage(seq=0, time_ms=0, data=message))["data"]
    assert [record_of(event) for event in stage.written] == [
        {"type": "compaction/start", "seq": 20, "time": 9000, "data": {**life, "turn": 4}},
        {
            "type": "compaction/summary",
            "seq": 21,
            "time": 9000,
            "data": {
                **life,
                "summary": [SUMMARY],
                "rawOutput": raw,
                "llmStreamCall": True,
                "shadowedRange": {"start": 2, "end": 10},
                "shadowedSeqs": [2, 4, 9, 10],
                "shadowedTokenCount": 400,
                "provider": "p",
                "model": "m",
                "maxTokens": 8192,
                "usage": usage,
            },
        },
        {
            "type": "user/message",
            "seq": 22,
            "time": 9000,
            "data": checkpoint,
            "sourceEventSeqs": [20, 21, 2, 4, 9, 10],
            "surfaceOp": {"op": "replace", "start": 2, "end": 10},
        },
        {"type": "compaction/end", "seq": 23, "time": 9000, "data": {**life, "turn": 4}},
    ]
    assert (done.start_seq, done.summary_seq, done.checkpoint_seq, done.end_seq) == (20, 21, 22, 23)
    assert (done.life, done.region.tokens, done.summary, done.checkpoint_tokens) == (LIFE, 400, (SUMMARY,), 105)
    assert stage.surface == [22, 15, 16]


def test_its_events_are_legal_where_they_stand() -> None:
    """The rules of a log allow the checkpoint."""
    stage = Stage(talk(100, 100, 100))
    carry(stage)
    nodes: tuple[int, ...] = ()
    for event in stage.memory.events:
        check_surface(event, nodes, dict(enumerate(stage.memory.events)).get)
        nodes = fold_surface(stage.memory.events[: event.seq + 1]).nodes
    assert list(nodes) == stage.surface


def test_the_clock_may_move_while_the_summary_is_written() -> None:
    """The start keeps its time, all that follows has the new one."""
    stage = Stage(talk(100, 100, 100), lambda: setattr(stage.memory, "now_ms", 16_000) or "done")
    carry(stage)
    assert [event.time_ms for event in stage.written] == [9_000, 16_000, 16_000, 16_000]


FAILURES: dict[str, tuple[str | SummaryReply | Exception, str]] = {
    "not-smaller": ("x" * 1600, "a checkpoint costs less than what it stands for; 502 tokens would stand for 400"),
    "empty": ("", "the summary holds no text"),
    "capped": (SummaryReply(blocks=(SUMMARY,), finish="max-tokens"), "the summary hit its cap of tokens"),
    "provider": (SummaryReply(finish="aborted", failure="stopped"), "stopped"),
    "raised": (OSError("socket hang up"), "socket hang up"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_ends_the_compaction_and_leaves_the_surface(name: str) -> None:
    """The end says why; no summary is kept, and the same can be tried again."""
    answer, says = FAILURES[name]
    stage = Stage(talk(100, 100, 100), answer, "done")
    surface = stage.surface
    with pytest.raises((CompactionError, OSError)) as refused:
        carry(stage)
    assert stage.types == ["compaction/start", "compaction/end"]
    error = record_of(stage.written[-1])["data"]["error"]
    assert error == str(refused.value)
    assert error.startswith(says)
    assert (stage.surface, stage.memory.view.open_id) == (surface, None)
    assert carry(stage).checkpoint_seq == 24


def disturbed(what: Callable[[LogBuilder], LogBuilder]) -> Stage:
    """Return a stage whose log grows while the summary is written."""
    built = talk(100, 100, 100)

    def answer() -> str:
        seq = built.last_seq + 1
        for event in what(built).events()[seq:]:
            stage.memory.append(msgspec.structs.replace(event, seq=stage.memory.view.next_seq))
        return "done"

    stage = Stage(built, answer)
    return stage


def grow(built: LogBuilder) -> LogBuilder:
    """Add a message to the surface."""
    return built.event(
        "user/message", {"content": [], "source": {"kind": "plugin", "plugin": "cron"}}, surfaceOp="append"
    )


def note(built: LogBuilder) -> LogBuilder:
    """Add an event that is no message."""
    return built.event("todo/write", {"todos": []})


def test_inside_a_turn_the_surface_has_to_stay_the_same() -> None:
    """A message that came meanwhile fails the compaction; any other event does not."""
    stage = disturbed(grow)
    with pytest.raises(CompactionError) as refused:
        carry(stage)
    assert refused.value.kind == "compaction-session-surface-changed-during-summarization"
    assert stage.types == ["compaction/start", "user/message", "compaction/end"]
    quiet = disturbed(note)
    assert carry(quiet).summary_seq == 22
    assert quiet.types == ["compaction/start", "todo/write", "compaction/summary", "user/message", "compaction/end"]


def test_between_turns_only_its_own_nodes_have_to_stay() -> None:
    """A message that came meanwhile stands after the checkpoint."""
    stage = disturbed(grow)
    done = carry(stage, Lifecycle("c-1"))
    assert (done.checkpoint_seq, stage.surface) == (23, [23, 15, 16, 21])
    touched = disturbed(lambda built: built.compaction(4, 9))
    with pytest.raises(CompactionError) as refused:
        carry(touched, Lifecycle("c-1"))
    assert refused.value.kind == "compaction-session-surface-changed-during-summarization"
    first = disturbed(lambda built: built.compaction(2, 4))
    with pytest.raises(CompactionError) as refused:
        carry(first, Lifecycle("c-1"))
    assert refused.value.kind == "compaction-session-surface-changed-during-summarization"


def test_a_summary_is_asked_for_under_the_header_of_the_last_request() -> None:
    """The messages that go and the instruction; replies without content send nothing."""
    built = talk(100, 100)
    built.step().reply().end_turn()
    stage = Stage(built)
    request = summary_request(stage.memory.view, first_turns(stage, 5), policy())
    assert [message.id for message in request.messages] == ["m1", "m4", "m8", "m10", ""]
    assert request.messages[-1] == instruction_message()
    assert (request.provider, request.model, request.max_tokens, request.shadowed_tokens) == ("p", "m", 8192, 400)
    assert request.header == {"config": {"provider": "p", "model": "m"}}


def test_a_summary_can_be_written_by_another_model() -> None:
    """The event names the one that wrote it."""
    stage = Stage(talk(100, 100))
    other = policy(summarizationProvider="q", summarizationModel="n", maxTokens=50)
    carry_out(stage.memory, stage.memory.view, first_turns(stage, 2), LIFE, other, stage.summarize)
    data = record_of(stage.written[1])["data"]
    assert (data["provider"], data["model"], data["maxTokens"]) == ("q", "n", 50)


def with_system(text: str) -> LogBuilder:
    """Return a log whose first node is a system prompt."""
    blocks = [{"type": "text", "text": text}] if text else []
    message = {"role": "system", "content": blocks, "source": {"kind": "system-prompt"}, "id": "y"}
    built = talk().event("user/message", message, surfaceOp="append").end_turn()
    built.turn().prompt("x" * 800).step().header().reply("x" * 800)
    return built


def test_in_current_the_system_prompt_comes_first() -> None:
    """Unless it is empty; it is not part of what goes."""
    for text, ids in (("rules", ["y", "m4", "m7", ""]), ("", ["m4", "m7", ""])):
        stage = Stage(with_system(text), edition="current")
        request = summary_request(stage.memory.view, Region(stage.memory.view.nodes()[1:]), policy("current"))
        assert [message.id for message in request.messages] == ids


def test_a_system_prompt_that_opens_the_surface_is_not_replaced() -> None:
    """The summary is kept all the same, and the end says what happened; one further down goes like any message."""
    stage = Stage(with_system("rules"), edition="current")
    with pytest.raises(CompactionError) as refused:
        carry(stage, region=first_turns(stage, 3))
    assert refused.value.kind == "system-head-protected"
    assert stage.types == ["compaction/start", "compaction/summary", "compaction/end"]
    nodes = stage.memory.view.nodes()
    later = Stage(with_system("rules"), edition="current")
    assert carry(later, region=Region(nodes[1:])).checkpoint_tokens == 106


def test_an_error_is_told_with_its_causes() -> None:
    """Each once; one that says nothing is named by its type."""
    error = ValueError("no zone")
    error.__cause__ = KeyError()
    error.__cause__.__cause__ = ValueError("KeyError")
    assert error_chain(error) == "no zone: KeyError"
    assert error_chain(RuntimeError("x")) == "x"

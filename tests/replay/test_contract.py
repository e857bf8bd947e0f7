"""The order of whole logs: turns, steps, what they enclose, calls and results, compactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import LogBuilder, log
from tests.conformance.rows import logs
from timectx.errors import TimectxError
from timectx.formats import read_session
from timectx.replay.check import check_session
from timectx.replay.contract import check_contract
from timectx.replay.fault import Fault
from timectx.session import Session, StreamRow
from timectx.synthetic import sample_paths


def rules(built: LogBuilder) -> list[tuple[int, str]]:
    """Return seq and rule of every fault."""
    return [(fault.seq, fault.rule) for fault in check_contract(built.build())]


def started() -> LogBuilder:
    """Return a log with an open step: seqs 0 and 1 are the starts."""
    return log().turn().step()


def place(turn: int = 1, step: int = 1) -> dict[str, int]:
    """Return the place of a step."""
    return {"turn": turn, "step": step}


def shadowed(*seqs: int, tokens: Any = 1, **fields: Any) -> dict[str, Any]:
    """Return the part of a summary or a prune that says what is shadowed."""
    span = {"start": seqs[0], "end": seqs[-1]} if seqs else {"start": 0, "end": 0}
    return {"shadowedRange": span, "shadowedSeqs": list(seqs), "shadowedTokenCount": tokens, **fields}


def summary(*seqs: int, name: str = "c", **fields: Any) -> dict[str, Any]:
    """Return the data of a summary."""
    return {"compactionId": name, "summary": [], "provider": "p", "model": "m", **shadowed(*seqs), **fields}


def opened(name: str = "c", turn: int | None = 1, **fields: Any) -> dict[str, Any]:
    """Return the data of a compaction's start or end."""
    return {"compactionId": name, "turn": turn, **fields}


def checkpoint(built: LogBuilder, start: int, end: int, name: str = "c", **source: Any) -> LogBuilder:
    """Append a checkpoint over two nodes."""
    data = {
        "content": [],
        "source": {"kind": "plugin", "plugin": "compact", "compactionId": name, **source},
        "role": "user",
        "id": f"k{built.next_seq}",
    }
    return built.event(
        "user/message", data, sourceEventSeqs=[start, end], surfaceOp={"op": "replace", "start": start, "end": end}
    )


SOUND = {
    "late": log().turn().prompt("hi").step().header().reply("ok", ["c"]).tool("c").step().reply("ok").end_turn().turn(),
    "early": log("early").turn().prompt("hi").step().reply("ok", ["c"]).tool("c").prompt("wait").step().reply("ok"),
    "stepless": log().turn().end_turn("blocked").turn().end_turn("error"),
    "compacted": log().turn().prompt("a").step().reply("b").end_step().compaction(2, 3).step().reply("c").end_turn(),
    "by hand": log().turn().prompt("a").step().reply("b").end_turn().compaction(2, 3).turn(),
    "failed compaction": started().reply("b").event("compaction/start", opened())
    .event("compaction/end", opened(error="no")).end_turn(),
    "second compaction": log().turn().prompt("a").step().reply("b").compaction(2, 3).reply("d").compaction(6, 8),
    "pruned": started().reply("", ["c"]).tool("c").prune(4),
    "closed by a repair": log().turn().event("compaction/start", opened())
    .event("turn/end", {"turn": 1, "reason": {"kind": "interrupted"}}).event("session/end-seed", {})
    .event("turn/start", {"turn": 2}),
    "taken over": log().turn().event("compaction/start", opened()).end_turn().event("session/end-seed", {})
    .turn().event("compaction/start", opened(turn=2)).event("compaction/end", opened(turn=2, error="no")),
    "never started": started().reply("", ["c"]).event(
        "tool/result",
        {
            **place(),
            "message": {
                "source": {"kind": "tool", "callId": "c"},
                "content": [{"type": "tool-result", "toolCallId": "c", "content": [], "isError": True}],
                "role": "user",
                "id": "r",
            },
            "error": {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"},
        },
        surfaceOp="append",
    ),
    "another plugin's rewrite": log().turn().prompt("a").step().event(
        "user/message", {"content": [], "source": {"kind": "plugin", "plugin": "x"}, "role": "user", "id": "m"},
        sourceEventSeqs=[2], surfaceOp={"op": "replace", "start": 2, "end": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_a_log_in_order_breaks_no_rule(name: str) -> None:
    """Whatever layout it has, and however it ends."""
    assert check_contract(SOUND[name].build()) == ()


BROKEN: dict[str, tuple[LogBuilder, list[tuple[int, str]]]] = {
    "a turn in a turn": (log().turn().event("turn/start", {"turn": 2}), [(1, "turn-open")]),
    "a turn left out": (log().turn().end_turn().turn(3), [(2, "turn-number")]),
    "a turn again": (log().turn().end_turn().turn(1), [(2, "turn-number")]),
    "no first turn": (log().turn(2), [(0, "turn-number")]),
    "the end of another turn": (log().turn().event("turn/end", {"turn": 2, "reason": {}}), [(1, "turn-end")]),
    "an end without a turn": (log().event("turn/end", {"turn": 1, "reason": {}}), [(0, "turn-end")]),
    "an end in a step": (started().event("turn/end", {"turn": 1, "reason": {}}), [(2, "step-left-open")]),
    "a step without a turn": (log().event("step/start", place()), [(0, "step-turn")]),
    "a step of another turn": (log().turn().event("step/start", place(2)), [(1, "step-turn")]),
    "a step in a step": (started().event("step/start", place(1, 2)), [(2, "step-open")]),
    "a step left out": (log().turn().event("step/start", place(1, 2)), [(1, "step-number")]),
    "a step again": (started().end_step().event("step/start", place()), [(3, "step-number")]),
    "the end of another step": (started().event("step/end", place(1, 2)), [(2, "place")]),
    "a reply elsewhere": (log().turn().step(2).reply("x"), [(1, "step-number")]),
    "a chunk of another step": (
        started().event("assistant/chunk", {**place(1, 2), "chunk": {"type": "finish"}}), [(2, "place")],
    ),
    "a call after its step": (
        started().end_step().event("tool/call", {**place(), "callId": "c", "name": "t", "arguments": ""}),
        [(3, "place")],
    ),
    "a result without a call": (started().result("c"), [(2, "unpaired-result")]),
    "a result twice": (started().call("c").result("c").result("c"), [(4, "unpaired-result")]),
    "a result in the next step": (started().call("c").end_step().step().result("c"), [(5, "unpaired-result")]),
    "a result shortened outside": (
        log().turn().step().reply("", ["c"]).tool("c").end_turn().prune(4), [(8, "outside-turn")],
    ),
    "a header outside": (log().header(), [(0, "outside-turn")]),
    "a model outside": (log().event("request/context", {"provider": "p", "model": "m"}), [(0, "outside-turn")]),
    "todos outside": (log().event("todo/write", {"todos": []}), [(0, "outside-turn")]),
    "no id": (started().event("compaction/start", opened("")), [(2, "compaction-id")]),
    "two at once": (
        started().event("compaction/start", opened("a")).event("compaction/start", opened("b")),
        [(3, "compaction-open")],
    ),
    "of another turn": (started().event("compaction/start", opened(turn=2)), [(2, "compaction-owner")]),
    "of no turn in a turn": (started().event("compaction/start", opened(turn=None)), [(2, "compaction-owner")]),
    "of a turn outside": (log().event("compaction/start", opened()), [(0, "compaction-owner")]),
    "an end for another owner": (
        started().event("compaction/start", opened()).event("compaction/end", opened(turn=None, error="no")),
        [(3, "compaction-owner")],
    ),
    "an end without a start": (started().event("compaction/end", opened(error="no")), [(2, "compaction-not-open")]),
    "a summary without a start": (started().event("compaction/summary", summary(1)), [(2, "compaction-not-open")]),
    "a checkpoint without a start": (
        checkpoint(log().turn().prompt("a").step().reply("b"), 2, 3), [(4, "compaction-not-open")],
    ),
    "an end of another one": (
        started().event("compaction/start", opened("a")).event("compaction/end", opened("b", error="no")),
        [(3, "compaction-id")],
    ),
    "a checkpoint of another one": (
        checkpoint(log().turn().prompt("a").step().reply("b").event("compaction/start", opened()), 2, 3, "d"),
        [(5, "compaction-id")],
    ),
    "another command": (
        started().event("compaction/start", opened(sourceCommandId="x")).event("compaction/end", opened(error="no")),
        [(3, "compaction-command")],
    ),
    "a checkpoint of another command": (
        checkpoint(
            log().turn().prompt("a").step().reply("b").event("compaction/start", opened()), 2, 3, sourceCommandId="x"
        ),
        [(5, "compaction-command")],
    ),
    "no summary": (
        started().event("compaction/start", opened()).event("compaction/end", opened()), [(3, "summary-missing")],
    ),
    "two summaries": (
        started().event("compaction/start", opened()).event("compaction/summary", summary(1))
        .event("compaction/summary", summary(1)), [(4, "summary-repeated")],
    ),
    "nothing shadowed": (
        started().event("compaction/start", opened()).event("compaction/summary", summary()), [(3, "shadowed-seqs")],
    ),
    "another range": (
        started().event("compaction/start", opened())
        .event("compaction/summary", summary(1, 2, shadowedRange={"start": 1, "end": 1})),
        [(3, "shadowed-seqs")],
    ),
    "less than no tokens": (
        started().event("compaction/start", opened()).event("compaction/summary", summary(1, shadowedTokenCount=-1)),
        [(3, "shadowed-tokens")],
    ),
    "a prune of another range": (
        started().event("compaction/prune", shadowed(1, 2, shadowedRange={"start": 1, "end": 1})),
        [(2, "shadowed-seqs")],
    ),
    "a turn's end inside": (
        log().turn().event("compaction/start", opened()).end_turn(), [(2, "compaction-turn")],
    ),
    "a turn's start inside": (
        log().event("compaction/start", opened(turn=None)).turn(), [(1, "compaction-turn")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_one_fault_at_the_event_that_breaks_it(name: str) -> None:
    """And what follows is held to what the log itself says."""
    built, expected = BROKEN[name]
    assert rules(built) == expected


def test_a_fault_says_what_was_there_and_what_was_expected() -> None:
    """In one line each."""
    built = log().turn().event("step/start", place(1, 2)).result("c").event("turn/start", {"turn": 5})
    assert check_contract(built.build()) == (
        Fault(1, "step-number", "step 2 of turn 1 starts, expected step 1"),
        Fault(2, "place", "tool/result names turn 1, step 0, but turn 1, step 2 is open"),
        Fault(2, "unpaired-result", "no tool/call of this step is named 'c'"),
        Fault(3, "turn-open", "turn 5 starts while turn 1 is open"),
    )


def test_seqs_rise() -> None:
    """A tolerant reader may leave what does not."""
    events = log().turn().end_turn().events()
    session = Session(log().build().header, (events[0], events[1], events[1]))
    assert check_contract(session) == (
        Fault(1, "seq-order", "seq 1 follows seq 1"),
        Fault(1, "turn-end", "turn 1 ends, but no turn is open"),
    )


def test_streamed_output_is_held_to_its_step_where_it_was_decoded() -> None:
    """A packed row stands where its first piece does."""
    built = started().skip(3).reply("ok").end_turn().build()
    rows = [StreamRow("text", 2, 0, turn=1, step=step, parts=("a", "b", "c")) for step in (1, 2)]
    faults = [check_contract(Session(built.header, built.events, stream=(row,))) for row in rows]
    assert faults == [(), (Fault(2, "place", "assistant/chunk names turn 1, step 2, but turn 1, step 1 is open"),)]


def test_check_session_names_faults_of_both_kinds_in_the_order_of_the_log() -> None:
    """Readings and order are one report."""
    built = log().turn(2).prompt("hi").step().reading("soon").reply("ok").end_turn()
    assert [(fault.seq, fault.rule) for fault in check_session(built.build())] == [
        (0, "turn-number"),
        (3, "no-reading"),
    ]


# Real logs


def _cases() -> list[Path]:
    return sorted(path for path in logs().glob("/".join(("*", "root", "**", "session.jsonl*"))) if path.is_file())


MADE_OUT_OF_ORDER = {
    "zstd-torn-large-frame": (Fault(127, "turn-number", "turn 9 starts, expected turn 4"),),
}
"""The one recorded log whose last turn was put there by hand, to make a large frame."""


@pytest.mark.parametrize("path", _cases(), ids=lambda path: path.relative_to(logs()).parts[0])
def test_what_the_original_wrote_and_loads_is_in_order(path: Path) -> None:
    """Every recorded log that a strict read accepts, with its closing events as without."""
    try:
        session = read_session(path, strict=True, check=True)
    except TimectxError:
        return
    expected = MADE_OUT_OF_ORDER.get(path.relative_to(logs()).parts[0], ())
    assert (check_session(session), check_session(session.closed())) == (expected, expected)


@pytest.mark.parametrize("name", sorted(sample_paths()))
def test_the_samples_are_in_order(name: str) -> None:
    """What comes along with the package."""
    assert check_session(read_session(sample_paths()[name])) == ()


def test_real_transcripts_are_in_order(transcripts: Path) -> None:
    """Logs of format 0 from the field break no rule, in early layouts as in late ones."""
    paths = sorted((transcripts / "dsh-v0").iterdir())
    assert paths
    assert {path.name: check_session(read_session(path)) for path in paths} == {path.name: () for path in paths}

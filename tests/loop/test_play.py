"""Test that a script is played whole: in memory, to a durable log, and on from one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loop.scenes import EDITIONS, play, readings, script, told
from timectx.errors import StoreError
from timectx.formats import full_log, read_session
from timectx.loop import (
    Call,
    CompactionPlan,
    CrashError,
    HandClock,
    Prompt,
    Reply,
    Script,
    fork_log,
    frozen_clock,
    header_of,
    inspect_log,
    load_log,
    open_log,
    parse_script,
    play_script,
    resume_log,
)
from timectx.reading import Edition
from timectx.replay import system_clock
from timectx.replay.check import check_session
from timectx.session import Session
from timectx.session.events import InboxSpliced, RequestHeader, UserMessage

SCRIPTS = sorted((Path(__file__).parents[2] / "data" / "scripts").glob("*.yaml"))
ONE = script(Reply(text="look", calls=(Call(takes=500),)), Reply(text="ok"), start=60_000)


def stored(root: Path, described: Script = ONE) -> Session:
    """Play a script to a new log and return the session."""
    with open_log(root, header_of(described)) as log:
        return play_script(described, durable=log)


def test_the_same_script_gives_the_same_log() -> None:
    """To the last id."""
    assert play_script(ONE).events == play_script(ONE).events


def test_a_session_begins_at_the_script_s_start() -> None:
    """Its header says so too; before 1970 a header has no time."""
    session = play_script(ONE)
    assert (session.header.created_at_ms, session.events[0].time_ms) == (60_000, 60_000)
    assert header_of(script(start=-5)).created_at_ms == 0
    assert play(start=-5).events[0].time_ms == -5


def test_pauses_and_replies_take_their_time() -> None:
    """A prompt comes after its pause, a reply ends after its time, and a tool runs as long as it says."""
    session = play_script(script(prompts=(*ONE.prompts, Prompt(say="again", after="1m"))))
    assert [(turn.start_ms, turn.end_ms) for turn in session.turns] == [(0, 4_500), (64_500, 66_500)]


def test_a_frozen_clock_moves_as_the_script_says() -> None:
    """The whole process stands still between two replies."""
    with frozen_clock(60_000) as clock:
        session = play_script(ONE, clock=clock)
        assert (system_clock()(), session.events) == (64_500, play_script(ONE).events)


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_clock_that_moves_at_every_look_breaks_no_rule(edition: Edition) -> None:
    """A reading is sampled a little before it is logged, and says the earlier instant."""
    with frozen_clock(60_000, tick_ms=333) as clock:
        session = play_script(script(*ONE.prompts[0].replies, edition=edition), clock=clock)
    times = [event.time_ms for event in session.events]
    assert times == sorted(set(times))
    assert check_session(session) == ()


def test_replies_that_nothing_asked_for_are_dropped_and_told() -> None:
    """They do not answer the next prompt."""
    told_of: list[str] = []
    prompts = (Prompt(say="one", replies=(Reply(before="reject"), Reply(text="unused"))), Prompt(say="two"))
    session = play_script(script(prompts=prompts), warn=told_of.append)
    assert told_of == ["between turns: replies that nothing asked for: 1"]
    assert [message.content[0]["text"] for message in session.request_at(2, 1)][:1] == ["two"]


def test_a_compaction_by_hand_that_gains_nothing_is_told() -> None:
    """The prompt after it is answered."""
    told_of: list[str] = []
    plan = CompactionPlan(settings={"auto": False}, summary="x" * 4000)
    prompts = (Prompt(say="one"), Prompt(say="two", compact=True))
    session = play_script(script(prompts=prompts, compaction=plan), warn=told_of.append)
    assert [text.split(":")[:2] for text in told_of] == [["between turns", " compaction failed"]]
    assert [turn.reason for turn in session.turns] == ["completed", "completed"]


@pytest.mark.parametrize(
    ("plan", "chars"),
    [(CompactionPlan(summary="short"), 5), (CompactionPlan(summary_tokens=30), 120), (CompactionPlan(), 26)],
    ids=["text", "tokens", "default"],
)
def test_a_summary_has_the_size_the_script_gives_it(plan: CompactionPlan, chars: int) -> None:
    """A text, or filler of so many tokens."""
    prompts = (Prompt(say="x" * 4000), Prompt(say="two", compact=True))
    session = play_script(script(prompts=prompts, compaction=plan))
    (checkpoint,) = [event for event in session.events if isinstance(event, UserMessage) and event.source_event_seqs]
    assert len(str(checkpoint.data.content[1]["text"])) == chars


def test_a_summary_in_proportion_follows_what_it_stands_for() -> None:
    """A tenth of about a thousand tokens."""
    prompts = (Prompt(say="x" * 4000), Prompt(say="two", compact=True))
    session = play_script(script(prompts=prompts, compaction=CompactionPlan(summary_ratio=0.1)))
    (checkpoint,) = [event for event in session.events if isinstance(event, UserMessage) and event.source_event_seqs]
    assert len(str(checkpoint.data.content[1]["text"])) == 4 * ((1008 + 71) // 10)


# Durable


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_is_written_is_what_was_played(tmp_path: Path, edition: Edition) -> None:
    """The file holds the log, event by event; an early message gets its role and id when it is read."""
    described = script(*ONE.prompts[0].replies, edition=edition)
    session = stored(tmp_path, described)
    back = inspect_log(tmp_path, "s")
    assert told(back, times=True) == told(session, times=True)
    assert back.header == session.header
    if edition != "note":
        assert list(full_log(back)) == list(full_log(session))


def test_the_log_is_durable_before_every_request_and_every_tool(tmp_path: Path) -> None:
    """Whatever dies then loses no more than what came after."""
    with open_log(tmp_path, header_of(ONE)) as log:
        seen: list[tuple[str, int]] = []
        flush = log.flush

        def watch() -> int:
            pending = [event.type for event in log.pending]
            seen.append((pending[-1] if pending else "", len(pending)))
            return flush()

        log.flush = watch  # type: ignore[method-assign]
        play_script(ONE, durable=log)
    assert seen == [
        ("agent/inbox/spliced", 3), ("request/context", 5), ("assistant/message", 8), ("step/end", 3),
        ("user/message", 2), ("turn/end", 7),
    ]  # fmt: skip


def test_a_crash_loses_what_was_not_yet_durable(tmp_path: Path) -> None:
    """The log is given up with its pending events, as a killed process would leave it."""
    dying = script(Reply(text="look", calls=(Call(),)), Reply(crash=True))
    with pytest.raises(CrashError), open_log(tmp_path, header_of(dying)) as log:
        play_script(dying, durable=log)
    assert told(inspect_log(tmp_path, "s"))[-4:] == [
        "step/start 1.2", "user/message reading", "step/end 1.2", "turn/end 1 interrupted",
    ]  # fmt: skip


def test_a_session_goes_on_from_its_last_event(tmp_path: Path) -> None:
    """The history is repaired and marked; turns count on, the first request says resume, and time has not moved."""
    dying = script(Reply(text="look", calls=(Call(takes=700),)), Reply(crash=True))
    with pytest.raises(CrashError), open_log(tmp_path, header_of(dying)) as log:
        play_script(dying, durable=log)
    with resume_log(tmp_path, "s", now_ms=9_000) as log:
        session = play_script(ONE, durable=log)
    lines = told(session, times=True)
    at = lines.index("   9000 session/end-seed")
    assert lines[at - 2 : at + 8] == [
        "   2700 step/end 1.2", "   2700 turn/end 1 interrupted", "   9000 session/end-seed",
        "   9000 agent/inbox/spliced next-turn +1", "   9000 turn/start 2", "   9000 agent/inbox/spliced next-turn -1",
        "   9000 step/start 2.1", "   9000 user/message hi", "   9000 user/message reading",
        "   9000 request/header resume",
    ]  # fmt: skip
    assert readings(session)[2].endswith("Elapsed since the preceding model-visible message: 6s.")
    assert told(inspect_log(tmp_path, "s"), times=True) == lines
    assert check_session(session) == ()


def test_a_prompt_that_waited_through_a_crash_is_answered_first(tmp_path: Path) -> None:
    """By a reply of the default; the script's own go to its own prompts."""
    with open_log(tmp_path, header_of(ONE)) as log:
        waiting = play_script(ONE).events[0]
        assert isinstance(waiting, InboxSpliced)
        log.append([waiting])
    with resume_log(tmp_path, "s", now_ms=70_000) as log:
        two = Prompt(say="two", replies=(Reply(text="yes"),))
        session = play_script(script(prompts=(two,), time_context=False), durable=log)
    texts = [message.content[0]["text"] for message in session.request_at(2, 1)]
    assert (texts, len(session.turns)) == (["hi", "done", "two"], 2)


def test_a_fork_goes_on_as_a_session_of_its_own(tmp_path: Path) -> None:
    """It has its parent's turns, a header of its own, and the parent stays as it was."""
    parent = stored(tmp_path)
    with fork_log(tmp_path, "s", "child", now_ms=80_000) as log:
        child = play_script(script(session="other"), durable=log)
    assert (child.header.id, child.header.parent_session, len(child.turns)) == ("child", "s", 2)
    reasons = [event.data.reason for event in child.events if isinstance(event, RequestHeader)]
    assert reasons == ["initial", "resume"]
    assert told(inspect_log(tmp_path, "s")) == told(parent)
    assert check_session(child) == ()


def test_a_log_that_cannot_be_written_stops_the_script(tmp_path: Path) -> None:
    """The error goes through the agent; no turn/end is made up for it."""
    log = open_log(tmp_path, header_of(ONE))
    log.close()
    with pytest.raises(StoreError, match="this log is closed"):
        play_script(ONE, durable=log, clock=HandClock(0))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_that_comes_along_breaks_no_rule(path: Path, tmp_path: Path) -> None:
    """Its log keeps the contract, in memory and on disk, read as strictly as dsh reads; so does a second turn of it."""
    described = parse_script(path.read_text(encoding="utf-8"))
    for number in (1, 2):
        log = load_log(tmp_path, described.session) if number > 1 else open_log(tmp_path, header_of(described))
        with log:
            if number > 1:
                log.end_seed(log.session().events[-1].time_ms)
            try:
                play_script(described, durable=log)
            except CrashError:
                assert path.stem == "crash"
    back = inspect_log(tmp_path, described.session)
    assert (check_session(back), back.problems) == ((), ())
    assert read_session(next(tmp_path.rglob("session.jsonl.zstd")), strict=True, check=True).problems == ()

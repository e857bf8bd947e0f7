"""Hold every reader to what the rest of the package relies on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.readers import READERS
from timectx.formats import detect_format, full_log, read_session, read_sessions
from timectx.session import Session
from timectx.session.events import AssistantMessage, ToolResult

Make = Callable[[Path], Path]

WHOLE = [
    pytest.param(make, one.format, id=f"{one.format}-{name}") for one in READERS for name, make in one.whole.items()
]
BROKEN = [
    pytest.param(make, one.format, id=f"{one.format}-{name}") for one in READERS for name, make in one.broken.items()
]
ANY = [*WHOLE, *BROKEN]


def facts(session: Session) -> dict[str, Any]:
    """Return everything a session holds, for comparison."""
    names = ("header", "events", "problems", "skipped", "path", "format", "stream", "tail")
    return {name: getattr(session, name) for name in names}


@pytest.mark.parametrize(("make", "name"), ANY)
def test_a_session_says_where_it_comes_from(tmp_path: Path, make: Make, name: str) -> None:
    """Its path and the format that was found in the file."""
    path = make(tmp_path)
    session = read_session(path)
    assert (session.path, session.format, detect_format(path)) == (str(path), name, name)


@pytest.mark.parametrize(("make", "name"), ANY)
@pytest.mark.parametrize("check", [True, False], ids=["check", "skip"])
def test_reading_twice_gives_the_same(tmp_path: Path, make: Make, name: str, check: bool) -> None:
    """Nothing but the file gets into a session, and naming the format changes nothing."""
    path = make(tmp_path)
    first = facts(read_session(path, check=check))
    assert facts(read_session(path, check=check)) == first
    assert facts(read_session(path, check=check, format=name)) == first
    (session,), problems = read_sessions([path], check=check)
    assert (facts(session), problems) == (first, [])


@pytest.mark.parametrize(("make", "name"), ANY)
def test_reading_leaves_the_file_and_its_folder_alone(tmp_path: Path, make: Make, name: str) -> None:
    """Content and time of change are the same, and nothing is left beside it."""
    path = make(tmp_path)
    path.chmod(0o444)

    def state() -> object:
        found = sorted(one.name for one in tmp_path.iterdir())
        return found, path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()

    before = state()
    assert read_session(path, check=True).format == name
    assert state() == before


@pytest.mark.parametrize(("make", "name"), ANY)
def test_events_come_in_the_order_of_seq(tmp_path: Path, make: Make, name: str) -> None:
    """Each seq once, from 0 on, and every time is a whole number."""
    session = read_session(make(tmp_path))
    seqs = [event.seq for event in session.events]
    assert seqs == sorted(set(seqs)), name
    assert all(seq >= 0 for seq in seqs)
    assert all(type(event.time_ms) is int for event in session.events)


@pytest.mark.parametrize(("make", "name"), ANY)
def test_decoding_the_stream_changes_no_event(tmp_path: Path, make: Make, name: str) -> None:
    """It only adds what streamed; together they are dense where nothing is wrong."""
    path = make(tmp_path)
    skipped, checked = read_session(path), read_session(path, check=True)
    assert (skipped.events, skipped.tail, skipped.skipped) == (checked.events, checked.tail, checked.skipped)
    assert skipped.stream == ()
    log = [event.seq for event in full_log(checked)]
    assert log == sorted(set(log)), name
    if not checked.problems:
        assert log == list(range(len(log)))


@pytest.mark.parametrize(("make", "name"), WHOLE)
def test_a_whole_file_has_no_problem(tmp_path: Path, make: Make, name: str) -> None:
    """Neither with nor without its stream decoded, nor under the tool's own rules."""
    path = make(tmp_path)
    for options in ({}, {"check": True}, {"strict": True}, {"strict": True, "check": True}):
        assert read_session(path, **options).problems == (), name


@pytest.mark.parametrize(("make", "name"), BROKEN)
def test_what_is_wrong_is_reported_with_its_line(tmp_path: Path, make: Make, name: str) -> None:
    """Every problem has a line of the file, a kind and one printable sentence, in the order of lines."""
    path = make(tmp_path)
    session = read_session(path)
    lines = path.read_bytes().count(b"\n") + 1
    assert session.problems, name
    assert [problem.line for problem in session.problems] == sorted(problem.line for problem in session.problems)
    for problem in session.problems:
        assert 0 <= problem.line <= lines
        assert problem.kind == problem.kind.strip().lower() != ""
        assert problem.message.isprintable()
        assert problem.message


@pytest.mark.parametrize(("make", "name"), ANY)
def test_turns_share_the_steps_among_them(tmp_path: Path, make: Make, name: str) -> None:
    """Every step belongs to one turn, in log order, and attempts come in that order too."""
    session = read_session(make(tmp_path))
    assert [step for turn in session.turns for step in turn.steps] == list(session.steps), name
    starts = [step.start_seq for step in session.steps]
    assert starts == sorted(starts)
    assert all(step.turn == turn.turn for turn in session.turns for step in turn.steps)
    seqs = [attempt.seq for attempt in session.attempts]
    assert seqs == sorted(seqs)


@pytest.mark.parametrize(("make", "name"), WHOLE)
def test_results_answer_calls_by_id(tmp_path: Path, make: Make, name: str) -> None:
    """Each result names a call that a reply before it made, wherever the two stand."""
    called: set[str] = set()
    for event in read_session(make(tmp_path)).closed().events:
        if isinstance(event, AssistantMessage):
            called |= {block["id"] for block in event.data.message.content if block["type"] == "tool-call"}
        elif isinstance(event, ToolResult):
            assert event.data.message.source["callId"] in called, name


@pytest.mark.parametrize(("make", "name"), ANY)
def test_the_surface_holds_events_of_the_log(tmp_path: Path, make: Make, name: str) -> None:
    """Every node is a message event, once."""
    session = read_session(make(tmp_path))
    nodes = session.surface.nodes
    assert len(set(nodes)) == len(nodes), name
    assert all(session.find(node) is not None for node in nodes)


@pytest.mark.parametrize(("make", "name"), ANY)
def test_a_file_cut_anywhere_gives_the_beginning_of_its_events(tmp_path: Path, make: Make, name: str) -> None:
    """Or, cut inside its header, an error; never anything else."""
    path = make(tmp_path)
    data, whole = path.read_bytes(), read_session(path).events
    ends = [at for at, byte in enumerate(data) if byte == ord("\n")]
    for cut in sorted({*range(0, len(data), 41), *ends, *(end + 1 for end in ends)} - {len(data)}):
        path.write_bytes(data[:cut])
        sessions, problems = read_sessions([path])
        assert len(sessions) + len(problems) == 1, name
        for session in sessions:
            assert session.events == whole[: len(session.events)], cut

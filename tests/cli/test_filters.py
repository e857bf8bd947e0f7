"""Test which sessions an option leaves out."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click
import pytest

from tests.cli.logs import START_MS, one_turn
from timectx.cli.filter_options import day_start_ms, session_filter
from timectx.cli.filters import SessionFilter
from timectx.cli.options import parse_when
from timectx.errors import UnitError
from timectx.formats import read_session
from timectx.session import Session
from timectx.sweep.facts import facts_of

DAY_MS = 86_400_000


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Return a session in /w of four steps from START_MS to 200 s later, all asking model m of provider p."""
    return read_session(one_turn().write(tmp_path / "a.jsonl"))


def header(tmp_path: Path, **fields: object) -> Session:
    """Return a session whose header says more."""
    return read_session(one_turn(**fields).write(tmp_path / "b.jsonl"))


@pytest.mark.parametrize(
    ("since_ms", "until_ms", "kept"),
    [
        (START_MS + 200_000, None, True),
        (START_MS + 200_001, None, False),
        (None, START_MS, False),
        (None, START_MS + 1, True),
        (START_MS + 1, START_MS + 30_000, False),
        (START_MS + 1, START_MS + 30_001, True),
    ],
)
def test_a_session_counts_with_one_step_inside(
    session: Session, since_ms: int | None, until_ms: int | None, kept: bool
) -> None:
    """The beginning belongs to the span, its end does not; between two steps there is nothing."""
    assert SessionFilter(since_ms=since_ms, until_ms=until_ms).keeps(facts_of(session)) is kept


def test_a_session_without_steps_was_never_inside(tmp_path: Path) -> None:
    """It counts only where no time is asked for."""
    empty = Session(header(tmp_path).header, ())
    assert [SessionFilter().keeps(facts_of(empty)), SessionFilter(since_ms=0).keeps(facts_of(empty))] == [True, False]


@pytest.mark.parametrize(
    ("names", "kept"),
    [(("m",), True), (("M",), True), (("x", "m*"), True), (("p/m",), True), (("mm",), False), (("p",), False)],
)
def test_a_model_is_named_alone_or_behind_its_provider(session: Session, names: tuple[str, ...], kept: bool) -> None:
    """In any letter case; a star stands for anything, and one name that fits is enough."""
    assert SessionFilter(models=names).keeps(facts_of(session)) is kept


@pytest.mark.parametrize(
    ("folder", "project", "kept"),
    [
        ("/home/dev/project", "/home/dev/project/", True),
        ("/home/dev/project/sub", "/home/dev/project", True),
        ("/home/dev/projects", "/home/dev/project", False),
        ("/home/dev/project", "dev", True),
        ("/home/dev/project", "pro", False),
        ("C:\\work\\shop", "C:/work", True),
        ("C:\\work\\shop", "shop", True),
    ],
)
def test_a_project_is_a_folder_or_one_of_the_names_on_the_way(
    tmp_path: Path, folder: str, project: str, kept: bool
) -> None:
    """Whole names only; both slashes will do."""
    assert SessionFilter(projects=(project,)).keeps(facts_of(header(tmp_path, cwd=folder))) is kept


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, True),
        ({"parentSession": "s-0", "seedLength": 3}, True),
        ({"origin": "subagent", "parentSession": "s-0"}, False),
        ({"delegationDepth": 1}, False),
        ({"delegationDepth": 0}, True),
    ],
    ids=["plain", "a fork", "origin", "depth", "top"],
)
def test_a_subagent_is_what_another_agent_started(tmp_path: Path, fields: dict[str, object], kept: bool) -> None:
    """A fork has a parent as well, and is a session of its own."""
    assert SessionFilter(subagents=False).keeps(facts_of(header(tmp_path, **fields))) is kept
    assert SessionFilter().keeps(facts_of(header(tmp_path, **fields)))


@pytest.mark.parametrize(
    ("day", "zone", "start_ms"),
    [
        (date(1970, 1, 1), "UTC", 0),
        (date(2026, 7, 15), "Asia/Shanghai", 1_784_044_800_000),
        (date(2018, 11, 4), "America/Sao_Paulo", 1_541_300_400_000),
        (date(2019, 11, 3), "America/Havana", 1_572_753_600_000),
    ],
    ids=["epoch", "east", "midnight skipped", "midnight twice"],
)
def test_a_day_begins_with_its_first_instant(day: date, zone: str, start_ms: int) -> None:
    """Wherever the clock skips midnight or passes it twice."""
    assert day_start_ms(day, zone) == start_ms


def test_days_are_whole_and_those_of_a_zone() -> None:
    """From the beginning of one to the end of the other; UTC unless a zone is given."""
    day = date(1970, 1, 2)

    def span(zone: str | None) -> tuple[int | None, int | None]:
        made = session_filter(day, day, (), (), no_subagents=False, zone=zone)
        return made.since_ms, made.until_ms

    assert span(None) == (DAY_MS, 2 * DAY_MS)
    assert span("Asia/Tokyo") == (DAY_MS - 32_400_000, 2 * DAY_MS - 32_400_000)


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    """Nothing could ever be inside."""
    with pytest.raises(click.UsageError, match="--until ends before --since begins"):
        session_filter(5, 5, (), (), no_subagents=False, zone=None)


def test_a_folder_relative_to_here_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A dot is no name on the way to any folder."""
    monkeypatch.chdir(tmp_path)
    made = session_filter(None, None, (), (".", "./a", "b"), no_subagents=False, zone=None)
    assert made.projects == (str(tmp_path), str(tmp_path / "a"), "b")


def test_what_is_asked_for_can_be_said() -> None:
    """Nothing is said where nothing is asked for."""
    assert (SessionFilter().words(), bool(SessionFilter())) == ("", False)
    made = SessionFilter(since_ms=0, until_ms=1000, models=("m", "n"), projects=("/w",), subagents=False)
    assert bool(made)
    assert made.words() == (
        "with a step from 1970-01-01T00:00:00+00:00[UTC] to before 1970-01-01T00:00:01+00:00[UTC], of model m or n, "
        "of project /w, not started by another agent"
    )
    assert SessionFilter(until_ms=0).words() == "with a step before 1970-01-01T00:00:00+00:00[UTC]"


@pytest.mark.parametrize("text", ["2026-02-30", "2026-7-1", "yesterday", "20260715T00"])
def test_what_is_neither_an_instant_nor_a_day_is_refused(text: str) -> None:
    """A day is written in full, and has to exist."""
    with pytest.raises(UnitError):
        parse_when(text)


def test_a_day_and_an_instant_are_told_apart() -> None:
    """Eight digits alone are milliseconds."""
    assert [parse_when(" 2026-07-15 "), parse_when("20260715")] == [date(2026, 7, 15), 20_260_715]

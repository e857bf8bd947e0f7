"""What was read of a file is used again while the file, the code and the scenario are the same, and never otherwise."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sweep.logs import write_fork, write_logs
from timectx.formats import read_session, write_session
from timectx.replay import Scenario, explain_recorded
from timectx.session import Session
from timectx.sweep import source
from timectx.sweep.cache import entry
from timectx.sweep.cache.folder import CacheFolder
from timectx.sweep.facts import facts_of
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.given import Given
from timectx.sweep.measuring import parts_of
from timectx.sweep.source import EXPLANATION, Source
from timectx.synthetic import synthetic_session

LONG_AGO_S = 1_000_000_000


def part_of(scenario: Scenario) -> str | None:
    """Return what columns for a scenario are called."""
    return parts_of([(0, scenario)])[0].name


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a session written long ago."""
    (path,) = write_logs(tmp_path, 1, steps=10)
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> CacheFolder:
    """Return a cache folder of its own."""
    return CacheFolder(tmp_path / "cache")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gains the path of each file that is read."""
    seen: list[str] = []

    def reading(path: str) -> Session:
        seen.append(path)
        return read_session(path)

    monkeypatch.setattr(source, "read_session", reading)
    return seen


def loaded(path: Path, folder: CacheFolder | None, scenario: Scenario | None = None) -> tuple[object, ...]:
    """Return all that can be had of a session without the session."""
    scenario = scenario or Scenario()
    given = Source(Given(str(path), 0), folder, {}, [part_of(scenario) or "", EXPLANATION])
    columns, digest = given.columns(scenario, part_of(scenario))
    explained = given.explained
    return (
        columns.facts,
        bytes(columns.integers),
        digest,
        given.facts,
        explained and (explained.scenario, explained.text),
    )


def test_a_session_is_read_once(file: Path, folder: CacheFolder, reads: list[str]) -> None:
    """The second time nothing is read of it, and everything is the same."""
    session = read_session(file)
    columns, explanation = columns_of(session, Scenario()), explain_recorded(session)
    expected = (
        columns.facts, bytes(columns.integers), columns.digest, facts_of(session),
        (explanation.scenario, str(explanation)),
    )  # fmt: skip
    assert [loaded(file, folder), loaded(file, folder)] == [expected, expected]
    assert reads == [str(file)]


def test_each_form_of_columns_is_kept_apart(file: Path, folder: CacheFolder, reads: list[str]) -> None:
    """What columns do not depend on changes nothing; what they do makes others."""
    for scenario in (Scenario(), Scenario(interval_ms=60_000, delivery="replaced")):
        loaded(file, folder, scenario)
    assert len(reads) == 1
    for scenario in (Scenario(edition="note"), Scenario(compaction="off"), Scenario(counter="chars/2")):
        assert loaded(file, folder, scenario) == loaded(file, None, scenario)
        assert loaded(file, folder, scenario) == loaded(file, folder, scenario)
    assert len(reads) == 1 + 2 * 3


def test_a_counter_of_ones_own_is_not_kept(file: Path, folder: CacheFolder, reads: list[str]) -> None:
    """Nothing tells whether the function of the same name is still the same."""
    for _ in range(2):
        loaded(file, folder, Scenario(counter=len))
    assert len(reads) == 2


def grow(path: Path) -> None:
    """Append what was once cut off."""
    session = synthetic_session(0, steps=11, session_id="s0")
    write_session(session, path)
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))


def touch(path: Path) -> None:
    """Write the same bytes again, later."""
    os.utime(path, (LONG_AGO_S + 1, LONG_AGO_S + 1))


def take_back(path: Path) -> None:
    """Put an older state back."""
    os.utime(path, (LONG_AGO_S - 1, LONG_AGO_S - 1))


@pytest.mark.parametrize("change", [grow, touch, take_back])
def test_a_file_that_changed_is_read_again(
    file: Path, folder: CacheFolder, reads: list[str], change: Callable[[Path], None]
) -> None:
    """Its size and its time tell; the entry of the older state is replaced."""
    loaded(file, folder)
    kept = sorted(path.name for path in folder.root.rglob("*.columns"))
    change(file)
    assert loaded(file, folder) == loaded(file, None)
    assert loaded(file, folder) == loaded(file, None)
    assert len(reads) == 4  # at first, once after the change, and twice without a cache
    assert sorted(path.name for path in folder.root.rglob("*.columns")) == kept


def test_a_file_written_in_the_same_instant_is_read_again(file: Path, folder: CacheFolder, reads: list[str]) -> None:
    """A change within the grain of a file's time would not show."""
    loaded(file, folder)
    (kept,) = (path for path in folder.root.rglob("*.columns") if b'"columns":{' in path.read_bytes())
    state = kept.stat()
    os.utime(file, ns=(state.st_mtime_ns, state.st_mtime_ns))
    loaded(file, folder)
    reads.clear()
    for path in folder.root.rglob("*.columns"):
        os.utime(path, ns=(file.stat().st_mtime_ns + 1_000_000, file.stat().st_mtime_ns + 1_000_000))
    loaded(file, folder)
    assert reads == [str(file)]


def test_another_version_of_the_loader_reads_again(
    file: Path, folder: CacheFolder, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What other code computed is not what this code would."""
    loaded(file, folder)
    monkeypatch.setattr(entry, "loader_version", lambda: "another")
    loaded(file, folder)
    assert len(reads) == 2


@pytest.mark.parametrize("damage", [b"", b"PNG", bytes(500), b"\x80\x05cos\nsystem\n"], ids=lambda data: str(len(data)))
def test_a_damaged_entry_is_made_again(file: Path, folder: CacheFolder, reads: list[str], damage: bytes) -> None:
    """Silently, whatever is in its place."""
    expected = loaded(file, folder)
    for path in folder.root.rglob("*.columns"):
        path.write_bytes(damage)
    assert loaded(file, folder) == expected
    assert loaded(file, folder) == expected
    assert len(reads) == 2


def test_an_entry_with_a_flipped_bit_is_made_again(file: Path, folder: CacheFolder, reads: list[str]) -> None:
    """A number that changed on the disk is never used."""
    expected = loaded(file, folder)
    for path in folder.root.rglob("*.columns"):
        content = bytearray(path.read_bytes())
        content[-3] ^= 4
        path.write_bytes(content)
    assert loaded(file, folder) == expected
    assert len(reads) == 2


def test_an_entry_of_another_file_is_not_taken(tmp_path: Path, folder: CacheFolder, reads: list[str]) -> None:
    """Not even when it lies where this file's entry should be."""
    one, other = write_logs(tmp_path, 2)
    for path in (one, other):
        os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    loaded(one, folder)
    entries = {path.name: path for path in folder.root.rglob("*.columns")}
    expected = loaded(other, folder)
    for path in folder.root.rglob("*.columns"):
        if path.name not in entries:
            path.write_bytes(next(iter(entries.values())).read_bytes())
    assert loaded(other, folder) == expected


def test_a_folder_that_cannot_be_written_is_no_cache(file: Path, tmp_path: Path, reads: list[str]) -> None:
    """The sweep goes on without."""
    (tmp_path / "taken").write_bytes(b"")
    folder = CacheFolder(tmp_path / "taken")
    assert loaded(file, folder) == loaded(file, folder)
    assert len(reads) == 2


def test_a_file_that_grows_while_it_is_read_is_not_kept(
    file: Path, folder: CacheFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is a state that no size and time of the file stand for."""

    def growing(path: str) -> Session:
        session = read_session(path)
        with file.open("ab") as stream:
            stream.write(b"\n")
        return session

    monkeypatch.setattr(source, "read_session", growing)
    loaded(file, folder)
    assert list(folder.root.rglob("*.columns")) == []


def test_facts_come_back_whole(tmp_path: Path, folder: CacheFolder) -> None:
    """Parent, problems, models and the times of steps are those of the session."""
    _, child = write_fork(tmp_path)
    child.write_bytes(child.read_bytes() + b"no json\n")
    os.utime(child, (LONG_AGO_S, LONG_AGO_S))
    facts = facts_of(read_session(child))
    assert (facts.parent, len(facts.problems), len(facts.step_starts_ms), facts.holds_readings) == (
        "parent",
        1,
        12,
        True,
    )
    assert facts.models != ()
    assert [loaded(child, folder)[3], loaded(child, folder)[3]] == [facts, facts]


def test_a_name_that_is_no_text_is_not_kept(tmp_path: Path, folder: CacheFolder, reads: list[str]) -> None:
    """A folder or id that JSON cannot hold only means to read again."""
    (path,) = write_logs(tmp_path, 1)
    path = path.rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl"))
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))
    assert loaded(path, folder) == loaded(path, folder)
    assert len(reads) == 2


def test_a_session_in_memory_is_neither_read_nor_kept(folder: CacheFolder, reads: list[str], file: Path) -> None:
    """Not even one that has a path: it may have been changed since."""
    session = replace(read_session(file), events=read_session(file).events[:20])
    given = Source(Given(str(file), 0, session), folder, {})
    assert given.columns(Scenario(), part_of(Scenario()))[1] == columns_of(session, Scenario()).digest
    assert (reads, list(folder.root.rglob("*.columns"))) == ([], [])

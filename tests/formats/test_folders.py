"""Show how folders are searched, and that what is wrong in one place costs nothing elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.formats.logs import HEADER, turn, write_frames, write_log
from timectx.formats import FileProblem, find_sessions, read_sessions


def session_file(path: Path, name: str) -> Path:
    """Write a small log whose session is called as the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_log(path, turn(), header={**HEADER, "id": name})


def ids(*paths: Path) -> list[str]:
    """Return the ids of the sessions found, where nothing is wrong."""
    sessions, problems = read_sessions(paths)
    assert problems == []
    return [session.header.id for session in sessions]


def test_a_folder_is_searched_with_everything_in_it_in_the_order_of_names(tmp_path: Path) -> None:
    """Plain and compressed logs of any name with a known ending, and nothing else."""
    session_file(tmp_path / "b" / "x" / "session.jsonl", "b-x")
    session_file(tmp_path / "b.jsonl", "b")
    session_file(tmp_path / "a" / "session.jsonl", "a")
    write_frames(tmp_path / "c.jsonl.zstd", turn(), header={**HEADER, "id": "c"})
    write_frames(tmp_path / "d.jsonl.zst", turn(), header={**HEADER, "id": "d"})
    session_file(tmp_path / "no.json", "no")
    session_file(tmp_path / "b" / "session.lock", "no")
    assert ids(tmp_path) == ["a", "b-x", "b", "c", "d"]


def test_paths_are_read_in_the_order_given(tmp_path: Path) -> None:
    """Files may have any name, and folders stand between them."""
    one = session_file(tmp_path / "one.txt", "one")
    session_file(tmp_path / "folder" / "two.jsonl", "two")
    three = session_file(tmp_path / "three.jsonl", "three")
    assert ids(three, tmp_path / "folder", one) == ["three", "two", "one"]


def test_one_bad_file_costs_only_itself(tmp_path: Path) -> None:
    """Every other session loads, and each bad file is named with what is wrong."""
    session_file(tmp_path / "a.jsonl", "a")
    (tmp_path / "b.jsonl").write_bytes(b"")
    (tmp_path / "c.jsonl").write_bytes(b"prose\n")
    write_log(tmp_path / "d.jsonl", [], header={**HEADER, "version": 4})
    os.mkfifo(tmp_path / "e.jsonl")
    (tmp_path / "f.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "g.jsonl").symlink_to(tmp_path / "g.jsonl")
    session_file(tmp_path / "h.jsonl", "h")
    sessions, problems = read_sessions([tmp_path, tmp_path / "none.jsonl"])
    assert [session.header.id for session in sessions] == ["a", "h"]
    assert [(Path(problem.path).name, problem.line, problem.kind) for problem in problems] == [
        ("b.jsonl", 1, "empty-or-header-less-session-log"),
        ("c.jsonl", 1, "not-a-session"),
        ("d.jsonl", 1, "session-uses-log-format-v-but"),
        ("e.jsonl", 0, "not-a-regular-file"),
        ("f.jsonl", 0, "no-such-file"),
        ("g.jsonl", 0, "unreadable"),
        ("none.jsonl", 0, "no-such-file"),
    ]
    places = [f"{problem.path}:{problem.line}: " if problem.line else f"{problem.path}: " for problem in problems]
    assert [problem.message.startswith(where) for problem, where in zip(problems, places, strict=True)] == [True] * 7


def test_a_folder_without_sessions_says_so(tmp_path: Path) -> None:
    """An empty answer would look like a log without events."""
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "inner").mkdir()
    assert read_sessions([tmp_path]) == (
        [],
        [
            FileProblem(
                str(tmp_path),
                0,
                "no-sessions",
                f"{tmp_path}: no session in this folder; expected files that end in .jsonl, .jsonl.zstd, .jsonl.zst",
            )
        ],
    )


def test_no_paths_give_nothing() -> None:
    """Neither sessions nor problems."""
    assert read_sessions([]) == ([], [])


def test_one_path_need_not_be_wrapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is one path, and not a path for each of its letters."""
    path = session_file(tmp_path / "a.jsonl", "a")
    monkeypatch.chdir(tmp_path)
    for given in ("a.jsonl", str(path), path, tmp_path):
        sessions, problems = read_sessions(given)
        assert ([session.header.id for session in sessions], problems) == (["a"], [])
    assert list(find_sessions("a.jsonl")) == ["a.jsonl"]


@pytest.mark.parametrize("given", ["", [""]], ids=["alone", "in a list"])
def test_an_empty_path_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | list[str]) -> None:
    """It is not the folder one happens to be in."""
    session_file(tmp_path / "a.jsonl", "a")
    monkeypatch.chdir(tmp_path)
    message = "an empty path; expected the name of a file or folder"
    assert read_sessions(given) == ([], [FileProblem("", 0, "no-such-file", message)])


def test_a_file_is_read_once_however_its_path_is_spelt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative, absolute and roundabout names lead to the same file."""
    path = session_file(tmp_path / "a.jsonl", "a")
    monkeypatch.chdir(tmp_path)
    assert list(find_sessions(["a.jsonl", "./a.jsonl", str(path), f"../{tmp_path.name}/a.jsonl"])) == ["a.jsonl"]


def test_links_that_lead_back_are_reported_and_not_followed(tmp_path: Path) -> None:
    """A search ends, and finds every session once."""
    session_file(tmp_path / "a" / "s.jsonl", "s")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "z").symlink_to(tmp_path / "a")
    sessions, problems = read_sessions([tmp_path])
    assert [session.header.id for session in sessions] == ["s"]
    assert [(problem.path, problem.kind) for problem in problems] == [(str(tmp_path / "a" / "up"), "link-loop")]


def test_a_file_that_several_ways_lead_to_is_read_once(tmp_path: Path) -> None:
    """Given twice, found in a given folder, or linked."""
    path = session_file(tmp_path / "a.jsonl", "a")
    (tmp_path / "b.jsonl").symlink_to(path)
    os.link(path, tmp_path / "c.jsonl")
    assert ids(path, tmp_path, path) == ["a"]


def test_a_folder_that_may_not_be_searched_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are searched all the same."""
    session_file(tmp_path / "a" / "s.jsonl", "a")
    session_file(tmp_path / "b" / "s.jsonl", "b")
    searched = Path.iterdir

    def forbidden(path: Path) -> object:
        if path.name == "a":
            raise PermissionError(13, "Permission denied")
        return searched(path)

    monkeypatch.setattr(Path, "iterdir", forbidden)
    sessions, problems = read_sessions([tmp_path])
    assert [session.header.id for session in sessions] == ["b"]
    assert [(problem.path, problem.kind) for problem in problems] == [(str(tmp_path / "a"), "unreadable")]


def test_deep_folders_are_searched(tmp_path: Path) -> None:
    """Deeper than functions can call each other."""
    deep = tmp_path
    for _ in range(1200):
        deep /= "d"
        deep.mkdir()
    path = session_file(deep / "s.jsonl", "deep")
    try:
        assert ids(tmp_path) == ["deep"]
    finally:
        path.unlink()
        while deep != tmp_path:  # what removes a test's folder afterwards calls itself for each level
            deep.rmdir()
            deep = deep.parent


def test_a_search_is_the_same_every_time(tmp_path: Path) -> None:
    """In whatever order the folder lists its files."""
    for name in ("c", "a", "b"):
        session_file(tmp_path / f"{name}.jsonl", name)
    assert list(find_sessions([tmp_path])) == [str(tmp_path / f"{name}.jsonl") for name in "abc"]


def test_a_relative_path_is_shown_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for the files in a folder."""
    session_file(tmp_path / "logs" / "a.jsonl", "a")
    monkeypatch.chdir(tmp_path)
    assert list(find_sessions(["logs/", "./logs"])) == ["logs/a.jsonl"]


def test_the_options_reach_every_file(tmp_path: Path) -> None:
    """Strictness and checks are those of `read_session`."""
    write_log(tmp_path / "a.jsonl", turn())
    write_log(tmp_path / "b.jsonl", turn(), header={**HEADER, "delegationDepth": None})
    sessions, problems = read_sessions([tmp_path], strict=True, check=True)
    assert [len(session.stream) for session in sessions] == [1]
    assert [problem.kind for problem in problems] == ["corrupt-session-log-first-line-is"]

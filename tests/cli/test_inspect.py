"""Test what is said about session files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.logs import START_MS, Log, one_turn, run, run_json

HOUR_MS = 3_600_000


def test_a_session_is_counted(tmp_path: Path) -> None:
    """Turns, steps, readings by edition, events by type, and the time from first to last."""
    path = one_turn(interval_ms=60_000).write(tmp_path / "a.jsonl")
    assert run_json("inspect", path) == [
        {
            "path": str(path),
            "session": "s-1",
            "format": "dsh-0",
            "version": 0,
            "turns": 1,
            "steps": 4,
            "requests": 4,
            "tool_calls": 0,
            "readings": 3,
            "compactions": 0,
            "start_ms": START_MS,
            "span_ms": 202_000,
            "active_ms": 202_000,
            "active_gap_cap_ms": 300_000,
            "editions": {"readme": 3},
            "events": {
                "assistant/message": 4,
                "step/end": 4,
                "step/start": 4,
                "turn/end": 1,
                "turn/start": 1,
                "user/message": 4,
            },
            "other": {},
            "skipped": {},
            "problems": [],
        }
    ]


def test_files_are_listed_with_their_counts(tmp_path: Path) -> None:
    """One row a file; what is wrong stands below."""
    good = one_turn().write(tmp_path / "a.jsonl")
    torn = one_turn("b").write(tmp_path / "b.jsonl", tail=b"{")
    result = run("inspect", tmp_path)
    (problem,) = run_json("inspect", torn, status=1)[0]["problems"]
    lines = result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (1, "")
    assert lines[0].split() == [
        "path", "format", "turns", "steps", "tool", "calls", "readings", "compactions", "span", "active", "problems",
    ]  # fmt: skip
    assert [line.split() for line in lines[2:4]] == [
        [str(good), "dsh-0", "1", "4", "0", "0", "0", "3m", "22s", "3m", "22s", "0"],
        [str(torn), "dsh-0", "1", "4", "0", "0", "0", "3m", "22s", "3m", "22s", "1"],
    ]
    assert lines[4:] == [f"{torn}:{problem['line']}: {problem['message']}"]


def test_one_file_alone_shows_its_events_too(tmp_path: Path) -> None:
    """Below the row stand editions, events, and what was not understood."""
    log = one_turn(interval_ms=60_000)
    log.add("from/the-future", START_MS + 203_000, {})
    result = run("inspect", log.write(tmp_path / "a.jsonl"))
    assert result.stdout.splitlines()[3:6] == [
        "readings by edition: readme 3",
        "events: assistant/message 4, from/the-future 1, step/end 4, step/start 4, turn/end 1, turn/start 1, "
        "user/message 4",
        "kept, not understood: from/the-future 1",
    ]


def test_a_night_counts_for_the_span_and_hardly_for_active_time(tmp_path: Path) -> None:
    """A session resumed 28 days later was not at work for 28 days: each gap counts 5 minutes at most."""
    month_ms = 28 * 24 * HOUR_MS
    path = one_turn(steps_ms=(0, 30_000, month_ms)).write(tmp_path / "a.jsonl")
    (report,) = run_json("inspect", path)
    assert (report["span_ms"], report["active_ms"]) == (month_ms + 2000, 32_000 + 300_000 + 2000)


def test_neither_span_nor_active_time_is_negative_when_the_clock_steps_back(tmp_path: Path) -> None:
    """Times are sorted first; the last event of a log need not be its latest."""
    path = one_turn(steps_ms=(HOUR_MS, 0)).write(tmp_path / "a.jsonl")
    (report,) = run_json("inspect", path)
    assert (report["start_ms"], report["span_ms"]) == (START_MS, HOUR_MS + 2000)
    assert report["active_ms"] == 2000 + 300_000 + 2000


def test_a_reading_that_says_no_time_is_counted_as_unreadable(tmp_path: Path) -> None:
    """Its source makes it a reading, its text none of an edition."""
    log = one_turn(interval_ms=60_000)
    log.message(START_MS + 203_000, "about noon", {"kind": "plugin", "plugin": "time-context"})
    (report,) = run_json("inspect", log.write(tmp_path / "a.jsonl"))
    assert (report["readings"], report["editions"]) == (4, {"readme": 3, "unreadable": 1})


def test_an_empty_session_has_no_span(tmp_path: Path) -> None:
    """A header alone is a session nothing happened in."""
    (report,) = run_json("inspect", Log().write(tmp_path / "a.jsonl"))
    assert (report["start_ms"], report["span_ms"], report["active_ms"], report["events"]) == (None, 0, 0, {})


@pytest.mark.parametrize("change", ["byte order mark", "carriage returns", "no newline at the end"])
def test_an_oddity_that_costs_nothing_is_no_fault(tmp_path: Path, change: str) -> None:
    """All of the file was read, so the status is 0, as it is when intervals are compared."""
    path = one_turn().write(tmp_path / "a.jsonl")
    plain = path.read_bytes()
    changed = {
        "byte order mark": b"\xef\xbb\xbf" + plain,
        "carriage returns": plain.replace(b"\n", b"\r\n"),
        "no newline at the end": plain.removesuffix(b"\n"),
    }
    path.write_bytes(changed[change])
    (report,) = run_json("inspect", path)
    assert (report["steps"], len(report["problems"])) == (4, 0 if change == "carriage returns" else 1)
    assert [run(command, path).exit_code for command in ("inspect", "tune")] == [0, 0]


def test_what_is_wrong_with_a_whole_file_names_no_line(tmp_path: Path) -> None:
    """There is no line 0."""
    missing = tmp_path / "missing.jsonl"
    result = run("inspect", missing)
    expected = f"{missing}: no such file; expected a session log\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", expected)


def test_a_refused_file_keeps_its_place_in_the_list(tmp_path: Path) -> None:
    """Every key is there, with nothing but path and problem filled in."""
    bad = tmp_path / "a.jsonl"
    bad.write_text("no session\n", encoding="utf-8")
    good = one_turn().write(tmp_path / "b.jsonl")
    first, second = run_json("inspect", tmp_path, status=1, silent=False)
    assert (first["path"], second["path"], list(first)) == (str(bad), str(good), list(second))
    (problem,) = first["problems"]
    assert (problem["path"], problem["line"]) == (str(bad), 1)
    filled = {key for key, value in first.items() if value is not None}
    assert filled == {"path", "active_gap_cap_ms", "problems"}


def test_a_later_format_is_recognised(tmp_path: Path) -> None:
    """A file this release cannot read still says what it is."""
    log = Log()
    log.records[0]["version"] = 4
    path = log.write(tmp_path / "a.jsonl")
    (report,) = run_json("inspect", path, status=1, silent=False)
    assert (report["format"], report["turns"], len(report["problems"])) == ("dsh-4", None, 1)


def test_a_flood_of_problems_is_cut_in_the_text(tmp_path: Path) -> None:
    """Five lines a file, and how many more there are; the JSON has them all."""
    path = one_turn().write(tmp_path / "a.jsonl", tail=b"[1]\n" * 8)
    problems = run_json("inspect", path, status=1)[0]["problems"]
    lines = run("inspect", path).stdout.splitlines()
    assert len(problems) == 8
    assert lines[3:9] == [
        *(f"{path}:{problem['line']}: {problem['message']}" for problem in problems[:5]),
        f"{path}: 3 more problems; --json lists all",
    ]

"""Test that broken rules are named with file, seq and rule."""

from __future__ import annotations

from pathlib import Path

from tests.cli.logs import START_MS, Log, one_turn, run, run_json
from timectx.formats import read_session
from timectx.replay.check import check_session
from timectx.synthetic import sample_paths


def test_readings_that_keep_the_rules_pass(tmp_path: Path) -> None:
    """Status 0, and how much was looked at."""
    path = one_turn(interval_ms=60_000).write(tmp_path / "a.jsonl")
    result = run("check", "--companion", path)
    assert (result.exit_code, result.output) == (0, "1 file, 3 readings, 0 faults\n")


def test_a_broken_rule_is_named_with_file_seq_and_rule(tmp_path: Path) -> None:
    """A reading with the wrong elapsed time is one fault, and the status is 1."""
    log = one_turn(steps_ms=(0,), interval_ms=0)
    log.records[-1:] = []  # the turn goes on
    log.add("step/start", START_MS + 60_000, {"turn": 1, "step": 2})
    log.reading(2, START_MS + 60_000, 5000)
    log.step(2, START_MS + 60_000)
    path = log.write(tmp_path / "a.jsonl")
    (fault,) = check_session(read_session(path))
    result = run("check", path)
    expected = f"{path}: seq {fault.seq}: elapsed: {fault.message}\n1 file, 2 readings, 1 fault\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, expected, "")
    assert run_json("check", path, status=1) == {
        "files": 1,
        "readings": 2,
        "faults": [{"path": str(path), "seq": fault.seq, "rule": "elapsed", "message": fault.message}],
        "problems": [],
    }


def test_the_companion_sees_more(tmp_path: Path) -> None:
    """A two-line reading is fine by its own edition, and not by the original's stricter checks."""
    log = Log()
    log.add("turn/start", START_MS, {"turn": 1})
    log.add("step/start", START_MS, {"turn": 1, "step": 1})
    text = (
        "Time sampled while preparing turn 1, step 1: 2026-07-15T01:01:01+00:00[UTC]\n"
        "Elapsed since the preceding model-visible message: unavailable."
    )
    log.message(START_MS, text, {"kind": "plugin", "plugin": "time-context"})
    log.step(1, START_MS)
    path = log.write(tmp_path / "a.jsonl")
    assert (run("check", path).exit_code, run("check", path, "--companion").exit_code) == (0, 1)


def test_an_unreadable_file_is_a_fault_too(tmp_path: Path) -> None:
    """Nothing was checked in it, so the status is 1; the others are checked."""
    good = one_turn(interval_ms=0).write(tmp_path / "a.jsonl")
    missing = tmp_path / "missing.jsonl"
    result = run("check", good, missing)
    assert (result.exit_code, result.stdout) == (1, "1 file, 4 readings, 0 faults\n")
    assert result.stderr.startswith(f"{missing}: ")
    found = run_json("check", good, missing, status=1, silent=False)
    assert [(each["path"], each["line"]) for each in found["problems"]] == [(str(missing), 0)]


def test_the_samples_keep_the_rules() -> None:
    """What comes along is sound, by the stricter checks as well."""
    found = run_json("check", "--companion", "samples:")
    assert (found["files"], found["faults"]) == (len(sample_paths()), [])

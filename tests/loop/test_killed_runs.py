"""Kill a scripted run at two hundred random points: every committed record is there after a load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loop.killed_runs import SCRIPT
from timectx.formats import full_log
from timectx.loop import find_log, inspect_log, play_script, resume_log
from timectx.session.closers import closing_events

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "container"])
def test_a_run_killed_at_any_point_loses_only_what_it_had_not_flushed(kind: str, tmp_path: Path) -> None:
    """What is there is a beginning of the whole run, closed, no shorter than what was reported as durable."""
    command = [sys.executable, "-m", "tests.loop.killed_runs", str(tmp_path), "7", kind, "100"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    trials = [json.loads(line) for line in printed.splitlines()]
    whole = tuple(full_log(inspect_log(tmp_path / "whole", SCRIPT.session)))
    assert len(trials) == 100
    assert len({told for _, told in trials}) > 10
    for folder, told in trials:
        if find_log(tmp_path / folder, SCRIPT.session) is None:
            assert told == 0
            continue
        found = tuple(full_log(inspect_log(tmp_path / folder, SCRIPT.session)))
        size = max(n for n in range(told, len(whole) + 1) if found[:n] == whole[:n])
        assert found == (*whole[:size], *closing_events(whole[:size]))


def test_a_run_that_was_killed_can_be_taken_up_again(tmp_path: Path) -> None:
    """Resumed, the session plays the script once more behind what was saved, and its turns go on counting."""
    command = [sys.executable, "-m", "tests.loop.killed_runs", str(tmp_path), "3", "container", "1"]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    with resume_log(tmp_path / "0", SCRIPT.session, now_ms=1_784_100_000_000) as log:
        before = log.session().turns
        session = play_script(SCRIPT, durable=log)
    assert [turn.turn for turn in session.turns] == list(range(1, len(session.turns) + 1))
    assert len(session.turns) >= len(before) + 3

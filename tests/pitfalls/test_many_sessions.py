"""Faults that other tools had when they added sessions up."""

from __future__ import annotations

from pathlib import Path

from tests.sweep.logs import write_fork
from timectx.formats import read_session, write_session
from timectx.replay import Scenario, replay_session
from timectx.sweep import sweep_sessions

SUMS = ["steps", "requests", "readings", "reading_tokens", "resent_tokens", "input_tokens", "output_tokens"]


def test_a_history_that_a_fork_took_over_counts_once(tmp_path: Path) -> None:
    """Usage of a resumed session was added to that of the one it replays; the sum is that of the longer history."""
    parent, child = write_fork(tmp_path)
    frame = sweep_sessions([parent, child], Scenario())
    whole = replay_session(read_session(child), Scenario())
    sums = frame[SUMS].sum()
    assert sums.drop("output_tokens").to_dict() == {name: getattr(whole.measures, name) for name in SUMS[:-1]}
    assert sums["output_tokens"] == sum(request.output_tokens for request in whole.requests)
    assert frame["inherited_steps"].tolist() == [0, frame["steps"].iloc[0]]


def test_which_file_is_the_original_does_not_depend_on_chance(tmp_path: Path) -> None:
    """Of two files with one history the one given first counts, and the other is named as its copy."""
    parent, _ = write_fork(tmp_path)
    copy = write_session(read_session(parent, check=True), tmp_path / "another.jsonl")
    for first, second in ((parent, copy), (copy, parent)):
        frame = sweep_sessions([first, second], Scenario())
        assert frame["path"].tolist() == [str(first)]
        (problem,) = frame.attrs["problems"]
        assert (problem["path"], problem["kind"]) == (str(second), "copy")

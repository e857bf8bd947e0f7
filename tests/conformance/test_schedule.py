"""Hold readings and schedule to the recorded runs of the original, action by action."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.recorded_runs import RecordedRun, comparable
from tests.conformance.rows import rows
from timectx.reading import Edition


def _cases() -> list[Any]:
    editions: dict[str, Edition] = {"durable-760dd8f5de": "note", "npm-0.0.1-rc.1": "note-v2"}
    runs: list[tuple[dict[str, Any], Edition]] = [(row, "readme") for row in rows("schedule.jsonl")]
    runs += [(row, "note") for row in rows("note_schedule.jsonl")]
    runs += [(row, "current") for row in rows("current_schedule.jsonl")]
    runs += [(row, editions[row["variant"]]) for row in rows("v1_schedule.jsonl") if row["variant"] in editions]
    return [pytest.param(row, edition, id=f"{edition}-{row['id']}") for row, edition in runs]


@pytest.mark.parametrize(("row", "edition"), _cases())
def test_every_action_of_a_recorded_run_comes_out_the_same(row: dict[str, Any], edition: Edition) -> None:
    """Decisions, reading messages, errors, seqs and the surface at the end equal the original's."""
    run = RecordedRun(row, edition)
    assert [comparable(result) for result in run.results()] == [comparable(result) for result in row["results"]]
    if "final" in row:
        assert run.final() == row["final"]

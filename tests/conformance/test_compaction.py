"""Hold measurements, compaction and pruning to the recorded runs of the original, action by action."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.compaction_runs import CompactionRun, comparable
from tests.conformance.rows import rows
from timectx.errors import TimectxError
from timectx.reading import Edition


def _cases() -> list[Any]:
    files: dict[Edition, str] = {"readme": "compaction.jsonl", "current": "current_compaction.jsonl"}
    return [
        pytest.param(row, edition, id=f"{edition}-{row['id']}") for edition, name in files.items() for row in rows(name)
    ]


def _asked(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return recorded requests for a summary without the id of the instruction, which no log holds."""
    return [{**request, "messageIds": request["messageIds"][:-1]} for request in requests]


@pytest.mark.parametrize(("row", "edition"), _cases())
def test_every_action_of_a_recorded_run_comes_out_the_same(row: dict[str, Any], edition: Edition) -> None:
    """Measurements, ranges, results, errors, appended events, requests and the end equal the original's."""
    if "configError" in row:
        with pytest.raises(TimectxError) as refused:
            CompactionRun(row, edition)
        assert refused.value.kind == row["configError"]["kind"]
        return
    run = CompactionRun(row, edition)
    found = {"results": run.results(), "summaryRequests": run.summary_requests, "final": run.final()}
    recorded = {"results": row["results"], "summaryRequests": _asked(row["summaryRequests"]), "final": row["final"]}
    assert comparable(found) == comparable(recorded)

"""Hold the kernel to those recorded runs of the original that fit into columns."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest

from tests.conformance.compaction_runs import CompactedLog, CompactionRun, Json
from tests.conformance.recorded_runs import Log, RecordedRun
from tests.conformance.rows import rows
from tests.sweep.kernel.comparing import assert_equal
from timectx.errors import TimectxError
from timectx.reading import Edition
from timectx.replay import Scenario, estimate_reading_tokens
from timectx.session import Session, SessionHeader
from timectx.session.events import UserMessage
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.flat.simulated_ledger import next_lower, previous_lower
from timectx.sweep.kernel.compacting import region_of
from timectx.sweep.kernel.lanes import misfit
from timectx.sweep.kernel.running import run_columns
from timectx.sweep.replayed import replay_columns

VARIANTS: dict[str, Edition] = {"durable-760dd8f5de": "note", "npm-0.0.1-rc.1": "note-v2"}


def fits(row: Json) -> bool:
    """Tell whether a row's one log is a session as it would be read: no step left out, nothing taken over."""
    steps = [action for action in row["actions"] if action["op"] == "prestep"]
    plain = {action["op"] for action in row["actions"]} <= {"append", "prestep"}
    entered = all(step.get("commit", "step") == "step" and "downstream" not in step for step in steps)
    return bool(steps) and plain and entered and not any("error" in result for result in row["results"])


def schedules() -> list[Any]:
    """Return the rows that fit, each with its edition."""
    found: list[tuple[Json, Edition]] = [(row, "readme") for row in rows("schedule.jsonl")]
    found += [(row, "note") for row in rows("note_schedule.jsonl")]
    found += [(row, VARIANTS[row["variant"]]) for row in rows("v1_schedule.jsonl") if row["variant"] in VARIANTS]
    return [pytest.param(row, edition, id=f"{edition}-{row['id']}") for row, edition in found if fits(row)]


def texts_of(row: Json) -> list[str]:
    """Return the readings that the original took."""
    taken = [result["reading"] for result in row["results"] if result.get("reading")]
    return [reading["content"][0]["text"] for reading in taken]


SCHEDULES = schedules()


def test_most_recorded_schedules_fit() -> None:
    """So that the next test is not about a few."""
    assert len(SCHEDULES) > 200


@pytest.mark.parametrize(("row", "edition"), SCHEDULES)
def test_a_recorded_schedule_is_measured_as_it_is_replayed(row: Json, edition: Edition) -> None:
    """Under its own interval and exactly where the log has readings."""
    session, scenario = recorded(row, edition)
    asked = [scenario, scenario.replace(policy="recorded")]
    columns = columns_of(session, scenario)
    assert not any(misfit(each, columns.facts) for each in asked)
    assert_equal(run_columns(columns, asked, compiled=False), replay_columns(session, asked))


def test_recorded_schedules_are_measured_as_they_came_out() -> None:
    """As many readings, of the same price, and as many that read `unavailable`, as the original took."""
    compared = 0
    for each in SCHEDULES:
        row, edition = each.values
        session, scenario = recorded(row, edition)
        texts = texts_of(row)
        if not is_told(row, session, edition, len(texts)):
            continue
        found = run_columns(columns_of(session, scenario), [scenario], compiled=False)
        names = ("readings", "reading_tokens", "unavailable_readings")
        unavailable = sum(text.endswith("unavailable.") for text in texts)
        assert [int(found[name][0]) for name in names] == [
            len(texts),
            sum(map(estimate_reading_tokens, texts)),
            unavailable,
        ], row["id"]
        compared += 1
    assert compared > 100


def recorded(row: Json, edition: Edition) -> tuple[Session, Scenario]:
    """Return the log that a row ends with, and the scenario it was recorded under."""
    run = RecordedRun(row, edition)
    run.results()
    session = Session(SessionHeader(id=row["id"]), tuple(run.logs[run.first].events))
    return session, Scenario(edition=edition, interval_ms=run.interval_ms, time_zone=run.fallback)


def is_told(row: Json, session: Session, edition: Edition, readings: int) -> bool:
    """Tell whether the log says what the original knew: which messages entered with a step, what was taken."""
    steps = [action for action in row["actions"] if action["op"] == "prestep"]
    aborted = any(step.get("signal") == "aborted" for step in steps)
    early, waiting = False, False
    for action in row["actions"]:
        is_message = action.get("type") == "user/message"
        early = early or (waiting and action["op"] == "prestep" and edition != "note")
        waiting = is_message or (waiting and action["op"] != "prestep" and action.get("type") != "assistant/message")
    taken = sum(
        isinstance(event, UserMessage) and event.data.source.get("plugin") == "time-context" for event in session.events
    )
    return len(session.steps) == len(steps) and not aborted and not early and taken == readings


class SelectingRun(CompactionRun):
    """Choose regions as the kernel does, on surfaces that are a checkpoint and what followed it, or less."""

    selected = 0

    def do_select(self, action: Json, log: Log) -> Json:
        """Choose what a compaction would take, both ways."""
        assert isinstance(log, CompactedLog)
        expected = super().do_select(action, log)
        nodes = log.view.nodes()
        if nodes and not nodes[0].is_system:
            sums = [
                [0, *accumulate(values)] for values in ([node.tokens for node in nodes], [node.calls for node in nodes])
            ]
            stays, _, _ = region_of(
                0, -1, len(nodes), 0, action["retainTokens"], 0, 0, (), (), (),
                sums[0], sums[0], sums[1], next_lower(sums[1]), previous_lower(sums[1]),
            )  # fmt: skip
            found = None if stays < 0 else {"start": nodes[0].seq, "end": nodes[stays - 1].seq}
            assert {"range": found} == expected
            SelectingRun.selected += 1
        return expected


def test_recorded_selections_come_out_of_sums() -> None:
    """What the original chose to compact is what the kernel's sums choose."""
    editions: dict[Edition, str] = {"readme": "compaction.jsonl", "current": "current_compaction.jsonl"}
    SelectingRun.selected = 0
    for edition, name in editions.items():
        for row in rows(name):
            if "configError" not in row:
                SelectingRun(row, edition).results()
    assert SelectingRun.selected > 200


def test_logs_with_recorded_compactions_are_measured_as_they_are_replayed() -> None:
    """Each log that a compaction row ends with, under the compactions it holds and without them."""
    measured = 0
    for row in rows("compaction.jsonl"):
        if "configError" in row:
            continue
        run = CompactionRun(row, "readme")
        run.results()
        session = Session(SessionHeader(id=row["id"]), tuple(run.logs[run.first].events))
        for compaction in ("recorded", "off"):
            asked = [Scenario(interval_ms=ms, compaction=compaction) for ms in (0, 60_000)]  # type: ignore[arg-type]
            try:
                columns = columns_of(session, asked[0])
            except TimectxError:
                continue
            assert_equal(run_columns(columns, asked, compiled=False), replay_columns(session, asked))
            measured += 1
    assert measured > 150

"""Hold the kernel to those recorded runs of the original that fit into columns."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from timectx.sweep.columns_of import columns_of
from timectx.sweep.compacting import region_of
from timectx.sweep.lanes import misfit
from timectx.sweep.running import run_columns
from timectx.sweep.simulated_ledger import next_lower, previous_lower

from tests.conformance.compaction_runs import CompactedLog, CompactionRun, Json
from tests.conformance.recorded_runs import Log, RecordedRun
from tests.conformance.rows import rows
from tests.sweep.comparing import assert_equal
from timectx.errors import TimectxError
from timectx.reading import Edition
from timectx.replay import Scenario, estimate_reading_tokens
from timectx.session import Session, SessionHeader
from timectx.session.events import Event, UserMessage
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
def test_a_recorded_schedule_is_measured_as_it_came_out(row: Json, edition: Edition) -> None:
    """As many readings, of the same price, and as many that read `unavailable`, as the original took."""
    run = RecordedRun(row, edition)
    run.results()
    events = run.logs[run.first].events
    session = Session(SessionHeader(id=row["id"]), tuple(events))
    scenario = Scenario(edition=edition, interval_ms=run.interval_ms, time_zone=run.fallback)
    asked = [scenario, scenario.replace(policy="recorded")]
    columns = columns_of(session, scenario)
    assert not any(misfit(each, columns.facts) for each in asked)
    found = run_columns(columns, asked, compiled=False)
    assert_equal(found, replay_columns(session, asked))
    if ends_in_steps(events, row):
        texts = texts_of(row)
        said = [
            len(texts),
            sum(map(estimate_reading_tokens, texts)),
            sum(text.endswith("unavailable.") for text in texts),
        ]
        names = ("readings", "reading_tokens", "unavailable_readings")
        assert [[int(found[name][at]) for name in names] for at in (0, 1)] == [said, said]


def ends_in_steps(events: list[Event], row: Json) -> bool:
    """Tell whether every attempt of the row is one of its log: a step that began for good."""
    started = sum(event.type == "step/start" for event in events)
    steps = [action for action in row["actions"] if action["op"] == "prestep"]
    aborted = any(step.get("signal") == "aborted" for step in steps)
    strays = sum(_is_reading(event) for event in events) != len(texts_of(row))
    return started == len(steps) and not aborted and not strays


def _is_reading(event: Event) -> bool:
    return isinstance(event, UserMessage) and event.data.source.get("plugin") == "time-context"


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

"""Appending to a log, row by row: the same operations leave the same surface, or are refused for the same rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.errors import SessionError
from timectx.session.events import SURFACE_CLASSES, Event
from timectx.session.header import check_header_event
from timectx.session.records import event_from_record, record_of
from timectx.session.surface import Surface, apply_to_nodes, check_surface, fold_surface, message_of

ROWS = rows("session_append.jsonl")


def broken_rule(event: Event, log: list[Event], nodes: list[int], record: Mapping[str, object] | None) -> str | None:
    """Return the kind of the rule of edition ``readme`` that an event breaks, None if none."""
    try:
        check_header_event(event)
        check_surface(event, nodes, dict(enumerate(log)).get, record=record)
    except SessionError as error:
        return error.kind
    return None


def append(log: list[Event], nodes: list[int], operation: Any) -> tuple[str | None, list[int]]:
    """Append one event, if it may be; return the rule it breaks and the surface."""
    record = record_at(len(log), operation)
    event = event_from_record(record)
    kind = broken_rule(event, log, nodes, record)
    assert broken_rule(event, log, nodes, None) == kind, "the event alone must tell as much as its record"
    if kind is None:
        apply_to_nodes(nodes, event)
        log.append(event)
    return kind, list(nodes)


def record_at(seq: int, operation: Any) -> dict[str, Any]:
    """Return the record that an operation appends."""
    head = {"type": operation["type"], "seq": seq, "time": operation["at"], "data": operation["data"]}
    return {**head, **operation.get("opts", {})}


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_the_same_operations_leave_the_same_surface(row: Any) -> None:
    """Every refusal has its kind and changes nothing; what was appended, the surface and its messages agree."""
    log: list[Event] = []
    nodes: list[int] = []
    outcomes = [append(log, nodes, operation) for operation in row["ops"]]
    assert outcomes == [(operation.get("error", {}).get("kind"), operation["surface"]) for operation in row["ops"]]
    assert len(log) == row["events"]
    surface = fold_surface(log)
    assert surface == Surface(tuple(nodes), row["replaceGeneration"])
    visible = (log[seq] for seq in surface.nodes)
    messages = (message_of(event) for event in visible if isinstance(event, SURFACE_CLASSES))
    assert [message.id for message in messages if message] == row["messages"]


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_a_refused_event_still_reads_and_writes(row: Any) -> None:
    """Nothing of an event gets lost because its surface marker is illegal."""
    for operation in row["ops"]:
        record = record_at(7, operation)
        assert record_of(event_from_record(record)) == record

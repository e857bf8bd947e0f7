"""Closing an interrupted log, row by row: the same events as the original adds, with texts of our own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.session.closers import NOT_STARTED_TEXT, OUTCOME_UNKNOWN_TEXT, closing_events
from timectx.session.records import event_from_record, record_of

ROWS = rows("repair.jsonl")
FILLERS = {"U" * 313: OUTCOME_UNKNOWN_TEXT, "N" * 104: NOT_STARTED_TEXT}


def with_own_texts(value: Any) -> Any:
    """Return a recorded value with the fillers that stand for the original's two texts replaced by ours."""
    if isinstance(value, dict):
        return {key: with_own_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_own_texts(item) for item in value]
    return FILLERS.get(value, value) if isinstance(value, str) else value


def test_the_texts_are_as_long_as_the_originals() -> None:
    """Prices count UTF-16 units, so ours must have as many."""
    assert {filler[0]: len(text.encode("utf-16-le")) // 2 for filler, text in FILLERS.items()} == {"U": 313, "N": 104}


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_an_interrupted_log_closes_the_same_way(row: Any) -> None:
    """Open calls are answered, the step and the turn end, each at its seq and time."""
    closing = closing_events([event_from_record(record) for record in row["events"]])
    assert [record_of(event) for event in closing] == with_own_texts(row["closers"])


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_a_closed_log_needs_no_closing(row: Any) -> None:
    """Closing twice is closing once."""
    events = [event_from_record(record) for record in row["events"]]
    assert closing_events([*events, *closing_events(events)]) == ()

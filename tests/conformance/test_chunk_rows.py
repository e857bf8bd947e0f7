"""Hold packed rows to those the original wrote for the same events, and to what it read from others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.errors import TimectxError
from timectx.formats import pack_chunk_rows, unpack_row

PACKED = [row for row in rows("chunk_rows.jsonl") if row["kind"] == "pack"]
DECODED = [row for row in rows("chunk_rows.jsonl") if row["kind"] == "decode"]


def spelled(value: object) -> str:
    """Return a value as text, in which the order of keys and the kind of numbers count."""
    return json.dumps(value)


@pytest.mark.parametrize("row", PACKED)
def test_events_are_packed_as_by_the_original(row: dict[str, Any]) -> None:
    """The same rows, key by key, and the same events out of them where the original got them back."""
    packed = pack_chunk_rows(row["events"])
    assert spelled(packed) == spelled(row["records"])
    unpacked = [event for record in packed for event in unpack_row(record)]
    assert (spelled(unpacked) == spelled(row["events"])) == row["roundTrip"]


@pytest.mark.parametrize("row", DECODED)
def test_a_stored_record_is_read_or_refused_as_by_the_original(row: dict[str, Any]) -> None:
    """The same events, or the same broken rule."""
    try:
        found: dict[str, Any] = {"events": unpack_row(row["value"])}
    except TimectxError as error:
        found = {"error": {"name": "Error", "kind": error.kind}}
    assert found == {name: row[name] for name in ("events", "error") if name in row}

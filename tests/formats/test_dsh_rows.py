"""Show the rules of packed rows beyond the recorded ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.logs import event, piece, row
from timectx.errors import SessionError
from timectx.formats.dsh_rows import expand_row, full_log, pack_chunk_rows, row_of, unpack_row
from timectx.session import Session, SessionHeader, StreamRow, event_from_record, record_of

MAX = 2**53 - 1


def call(seq: int, **fields: Any) -> dict[str, Any]:
    """Return a streamed piece of a tool call."""
    chunk = {"type": "tool-call-delta", "index": 0, "id": "c", **fields}
    chunk.setdefault("argumentsDelta", "{}")
    return event("assistant/chunk", seq, {"turn": 1, "step": 1, "chunk": chunk})


pieces = st.builds(
    lambda kind, text, name, gap: (kind, text, name, gap),
    st.sampled_from(["text", "reasoning", "call", "named", "finish", "other"]),
    st.text(st.characters(), max_size=5),
    st.sampled_from(["n", "m"]),
    st.integers(-5, 50),
)


def stream(items: list[tuple[str, str, str, int]]) -> list[dict[str, Any]]:
    """Return records whose seqs are dense and whose clock may step back."""
    records, time = [], 1000
    for seq, (kind, text, name, gap) in enumerate(items):
        time += gap
        match kind:
            case "text" | "reasoning":
                record = piece(seq, text)
                record["data"]["chunk"]["type"] = f"{kind}-delta"
            case "call":
                record = call(seq, argumentsDelta=text)
            case "named":
                record = call(seq, name=name, argumentsDelta=text)
            case "finish":
                record = event("assistant/chunk", seq, {"turn": 1, "step": 1, "chunk": {"type": "finish"}})
            case _:
                record = event("custom", seq, {})
        records.append({**record, "time": time})
    return records


@given(st.lists(pieces, max_size=40))
def test_packing_and_unpacking_gives_the_same_records(items: list[Any]) -> None:
    """In the same order, keys included, and never in more lines."""
    records = stream(items)
    packed = pack_chunk_rows(records)
    unpacked = [one for record in packed for one in unpack_row(record)]
    assert [list(one.items()) for one in unpacked] == [list(one.items()) for one in records]
    assert len(packed) <= len(records)


@pytest.mark.parametrize(
    ("records", "types"),
    [
        ([piece(0), piece(1)], ["assistant/chunk"] * 2),
        ([piece(0), piece(1), piece(2)], ["text-chunks"]),
        ([piece(0), piece(1), piece(3), piece(4)], ["assistant/chunk"] * 4),
        ([call(0, name="n"), call(1), call(2), call(3)], ["assistant/chunk", "tool-call-chunks"]),
        ([call(0, name="n"), call(1, name="n"), call(2, name="n")], ["tool-call-chunks"]),
        ([call(0, id="a"), call(1, id="b"), call(2, id="b"), call(3, id="b")], ["assistant/chunk", "tool-call-chunks"]),
        ([{**piece(0), "ignorable": True}, piece(1), piece(2)], ["assistant/chunk"] * 3),
        ([{**piece(0), "time": 0.5}, piece(1), piece(2)], ["assistant/chunk"] * 3),
        ([{**piece(0), "time": -MAX}, {**piece(1), "time": MAX}, piece(2)], ["assistant/chunk"] * 3),
        ([event("assistant/chunk", 0, {"turn": 1, "step": 1, "chunk": {"type": ["x"]}})], ["assistant/chunk"]),
        ([event("assistant/chunk", 0, [])], ["assistant/chunk"]),
        ([event("assistant/chunk", 0, {"turn": 1, "step": 1, "chunk": None})], ["assistant/chunk"]),
        ([], []),
    ],
    ids=[
        *("two", "three", "gap", "name once", "name always", "ids", "ignorable", "fraction", "far", "odd type", "list"),
        *("null", "none"),
    ],
)
def test_only_runs_of_three_alike_are_packed(records: list[Any], types: list[str]) -> None:
    """Everything else passes as it is."""
    assert [record["type"] for record in pack_chunk_rows(records)] == types


@pytest.mark.parametrize(
    ("change", "ending"),
    [
        ({"more": 1}, "row-envelope"),
        ({"seq0": 1.5}, "row-seq"),
        ({"seq0": True}, "row-seq"),
        ({"time0": None}, "row-time"),
        ({"data": []}, "row-data"),
        ({"data": {"turn": 1}}, "row-data"),
        ({"dt": [10], "turn": True}, "row-turn"),
        ({"dt": [10], "texts": ["a", 1]}, "row-texts"),
        ({"dt": [10], "texts": "ab"}, "row-texts"),
        ({"dt": "10"}, "row-dt"),
        ({"dt": [MAX + 1]}, "row-dt"),
        ({"dt": [1, 1]}, "row-dt"),
    ],
    ids=str,
)
def test_a_malformed_row_names_its_rule(change: dict[str, Any], ending: str) -> None:
    """Envelope first, then what it holds."""
    record = row(0, "a", "b")
    for name, value in change.items():
        (record["data"] if name in ("dt", "texts", "turn") else record)[name] = value
    with pytest.raises(SessionError) as error:
        unpack_row(record)
    assert error.value.kind == f"malformed-text-chunks-storage-{ending}"


@pytest.mark.parametrize(
    ("seq0", "time0", "fits"), [(MAX - 2, 0, True), (MAX, 0, False), (0, MAX - 20, True), (0, MAX, False)]
)
def test_the_last_member_must_be_countable(seq0: int, time0: int, fits: bool) -> None:
    """Its seq and its time are held to what a JSON number holds exactly."""
    record = {**row(0, "a", "b", "c"), "seq0": seq0, "time0": time0}
    if fits:
        assert [one["seq"] for one in unpack_row(record)] == [seq0, seq0 + 1, seq0 + 2]
        return
    with pytest.raises(SessionError) as error:
        unpack_row(record)
    assert error.value.kind == "malformed-text-chunks-storage-row-member"


def test_whole_floats_are_integers_and_other_numbers_pass_where_they_may() -> None:
    """Turn, step and index may be any number."""
    record = {**row(0, "a", "b"), "seq0": 0.0, "time0": 1e3}
    record["data"] |= {"turn": 1.5, "dt": [10.0]}
    assert [one["time"] for one in unpack_row(record)] == [1000, 1010]
    assert [one["data"]["turn"] for one in unpack_row(record)] == [1.5, 1.5]


@pytest.mark.parametrize("value", [None, 7, "text", [], {}, {"type": "text"}, {"type": ["text-chunks"]}], ids=repr)
def test_what_is_no_row_passes(value: Any) -> None:
    """It comes back alone."""
    assert unpack_row(value) == [value]


def test_a_row_expands_to_events_with_running_times() -> None:
    """The clock may step back inside a row."""
    record = row(5, "a", "b", "c")
    record["data"]["dt"] = [10, -20]
    events = list(expand_row(row_of(record)))
    assert [(one.seq, one.time_ms) for one in events] == [(5, 5000), (6, 5010), (7, 4990)]


def test_of_two_entries_with_one_seq_the_event_counts() -> None:
    """A stream that contradicts the events gives way to them."""
    events = tuple(event_from_record(event("custom", seq, {})) for seq in (0, 2, 5))
    lone = event_from_record(piece(5))
    rows = (
        row_of(row(1, "a", "b", "c")),
        row_of(row(3, "d")),
        StreamRow("event", 5, 5000, event=lone),
        row_of(row(6, "e")),
    )
    log = list(full_log(Session(SessionHeader(id="s"), events, stream=rows)))
    assert [one.seq for one in log] == [0, 1, 2, 3, 5, 6]
    assert [one.type for one in log if one.seq in (2, 5)] == ["custom", "custom"]
    assert record_of(log[3])["data"]["chunk"]["text"] == "c"

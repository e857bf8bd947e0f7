"""Columns are one piece of whole numbers, the same as lists, as arrays, and read back from a file."""

from __future__ import annotations

from array import array

import msgspec
import pytest

from timectx.replay import Compaction, Scenario
from timectx.session import Session
from timectx.sweep.flat.columns import COLUMN_NAMES, ColumnFacts, Columns, make_columns
from timectx.sweep.flat.columns_of import columns_of
from timectx.synthetic import Happening, synthetic_session


@pytest.fixture(scope="module")
def session() -> Session:
    """Return a session with a compaction."""
    return synthetic_session(2, steps=12, happenings=[Happening("compaction", 6)])


@pytest.mark.parametrize("scenario", [Scenario(), Scenario(compaction=Compaction(context_window=20_000))])
def test_lists_and_arrays_hold_the_same_numbers(session: Session, scenario: Scenario) -> None:
    """Both come from the one piece, column by column."""
    columns = columns_of(session, scenario)
    assert {name: values.tolist() for name, values in columns.arrays.items()} == columns.lists
    assert tuple(columns.lists) == COLUMN_NAMES


def test_columns_come_back_from_what_was_stored_of_them(session: Session) -> None:
    """Facts as JSON and integers as bytes make the same columns."""
    columns = columns_of(session, Scenario())
    said, stored = msgspec.json.encode(columns.facts), bytes(columns.integers)
    again = Columns(msgspec.json.decode(said, type=ColumnFacts), memoryview(stored))
    assert (again.facts, again.lists, again.digest) == (columns.facts, columns.lists, columns.digest)


def test_arrays_are_of_one_kind_wherever_the_integers_lie(session: Session) -> None:
    """Read-only and aligned, so that machine code made for some fits all; the integers themselves are left alone."""
    columns = columns_of(session, Scenario())
    shifted = memoryview(b"\0" + bytes(columns.integers))[1:]
    arrays = [Columns(columns.facts, integers).arrays["a_now"] for integers in (columns.integers, shifted)]
    assert {(each.flags.aligned, each.flags.writeable, each.dtype.str) for each in arrays} == {(True, False, "<i8")}


def test_the_digest_tells_contents_apart_and_not_names(session: Session) -> None:
    """A copy under another id has the same digest, another session has not."""
    columns = columns_of(session, Scenario())
    copy = Columns(msgspec.structs.replace(columns.facts, session_id="copy"), columns.integers)
    other = columns_of(synthetic_session(3, steps=12), Scenario())
    assert copy.digest == columns.digest != other.digest


def test_columns_that_nothing_filled_are_empty(session: Session) -> None:
    """What is not given has no rows."""
    facts = msgspec.structs.asdict(columns_of(session, Scenario()).facts)
    del facts["sizes"]
    columns = make_columns(facts, {"a_now": [7, -7]})
    assert columns.lists["a_now"] == [7, -7]
    assert sum(map(len, columns.lists.values())) == 2
    assert columns.integers == memoryview(array("q", [7, -7])).cast("B")

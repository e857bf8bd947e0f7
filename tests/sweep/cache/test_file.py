"""A flat file gives back what was put into it, and nothing else passes for one."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.sweep.cache.file import pack_entry, unpack_entry

INTEGERS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20).map(lambda values: array("q", values).tobytes())


@given(st.binary(max_size=50), INTEGERS)
def test_what_is_packed_comes_back(said: bytes, integers: bytes) -> None:
    """The JSON may gain spaces at its end, the integers are the same and begin at a multiple of eight."""
    content = pack_entry(said, integers)
    unpacked = unpack_entry(content)
    assert unpacked is not None
    assert (unpacked[0].ljust(56)[: len(said)], bytes(unpacked[1])) == (said, integers)
    assert (len(content) - len(integers)) % 8 == 0


@given(INTEGERS, st.data())
def test_a_changed_byte_is_noticed(integers: bytes, data: st.DataObject) -> None:
    """Wherever it is: in the mark, the checksum, the lengths, the JSON or the integers."""
    content = bytearray(pack_entry(b'{"a":1}', integers))
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    assert unpack_entry(bytes(content)) is None


@given(INTEGERS, st.data())
def test_a_file_that_is_cut_or_grew_is_noticed(integers: bytes, data: st.DataObject) -> None:
    """A process that died, or a full disk, leaves no half of an entry that looks whole."""
    content = pack_entry(b'{"a":1}', integers)
    assert unpack_entry(content[: data.draw(st.integers(0, len(content) - 1))]) is None
    assert unpack_entry(content + b"\n") is None


@pytest.mark.parametrize("foreign", [b"", b"timectx1", b"PK\x03\x04" + bytes(100), bytes(24), b"\x80\x04N."])
def test_files_of_others_are_no_entries(foreign: bytes) -> None:
    """Nothing of them is interpreted."""
    assert unpack_entry(foreign) is None

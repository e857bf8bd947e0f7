"""Show how bytes become lines: at newlines alone, within a limit, and only from files that cannot block."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.errors import FormatError
from timectx.formats.lines import MAX_LINE_BYTES, TOO_LONG, LineBatches, holds_zstd, open_file, open_lines
from timectx.formats.zstd import MAGIC, Fault


def cut(pieces: Iterable[bytes | Fault], limit: int = MAX_LINE_BYTES) -> tuple[list[bytes], bytes]:
    """Return the lines, and what follows the last newline."""
    batches = LineBatches(pieces, max_line_bytes=limit)
    lines = [line for batch in batches for line in batch]
    assert batches.count == len(lines)
    return lines, batches.rest


@given(st.lists(st.binary(max_size=20)), st.binary())
def test_lines_are_cut_at_newlines_wherever_the_pieces_are_cut(pieces: list[bytes], tail: bytes) -> None:
    """Pieces of any size give the lines of the whole."""
    whole = b"".join(pieces) + tail
    *lines, rest = whole.split(b"\n")
    assert cut([*pieces, tail]) == (lines, rest)


def test_only_a_newline_ends_a_line() -> None:
    """Carriage returns, separators of Unicode, form feeds and NUL bytes stay inside a line."""
    text = "a\r\nb\u2028c\u2029d\x85e\x0bf\x0cg\x1ch\x00i\n".encode()
    assert cut([text]) == ([b"a\r", text[3:-1]], b"")


@pytest.mark.parametrize(
    ("pieces", "lines", "rest"),
    [
        ([b"1234\n12345\n12\n"], [b"1234", TOO_LONG, b"12"], b""),
        ([b"123", b"45\n12", b"34\n"], [TOO_LONG, b"1234"], b""),
        ([b"12", b"34", b"\n1"], [b"1234"], b"1"),
        ([b"1\n", b"123", b"456", b"789"], [b"1"], TOO_LONG),
        ([b"12345", b"\n12345"], [TOO_LONG], TOO_LONG),
    ],
    ids=["in one piece", "across pieces", "exactly the limit", "at the end", "twice"],
)
def test_a_line_beyond_the_limit_costs_only_itself(pieces: list[bytes], lines: list[bytes], rest: bytes) -> None:
    """It is replaced by a mark, and the lines around it stay."""
    assert cut(pieces, limit=4) == (lines, rest)


def test_a_line_without_end_takes_no_more_memory_than_the_limit() -> None:
    """What lies beyond the limit is passed over, not gathered."""
    piece = b"x" * 2**16
    tracemalloc.start()
    found = cut((piece for _ in range(1000)), limit=2**18)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == ([], TOO_LONG)
    assert peak < 2**20


def test_a_fault_of_the_container_is_put_at_the_line_it_interrupts() -> None:
    """Line numbers count from 1."""
    fault = Fault(7, "broken", "broken at byte 7")
    batches = LineBatches([b"a\nb\nhalf", fault, b" line\nc"])
    assert [line for batch in batches for line in batch] == [b"a", b"b", b"half line"]
    assert (batches.faults, batches.rest) == ([(3, fault)], b"c")


def test_reading_stops_soon_after_a_number_of_bytes(tmp_path: Path) -> None:
    """Looking at the beginning of a file does not read all of it."""
    path = tmp_path / "big"
    path.write_bytes(b"line\n" * 1_000_000)
    with open_file(str(path)) as stream:
        count = sum(len(batch) for batch in open_lines(stream, zstd=False, max_bytes=1000))
        assert count < 60_000
        assert stream.tell() < 300_000


@pytest.mark.parametrize(
    ("name", "content", "zstd"),
    [
        ("a.jsonl", MAGIC + b"rest", True),
        ("a.jsonl", b'{"type":"session"}', False),
        ("a.jsonl.zstd", b'{"type":"session"}', False),
        ("a.jsonl.zstd", b"\x00\x01\x02\x03", True),
        ("a.jsonl.zst", b"", True),
        ("a.jsonl", b"", False),
    ],
    ids=["frame", "text", "text called zstd", "garbage called zstd", "empty called zst", "empty"],
)
def test_the_content_tells_a_container_and_the_name_only_in_doubt(
    tmp_path: Path, name: str, content: bytes, zstd: bool
) -> None:
    """A misnamed file is read for what it is."""
    path = tmp_path / name
    path.write_bytes(content)
    with open_file(str(path)) as stream:
        assert holds_zstd(stream, name) == zstd
        assert stream.read() == content


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    """Opening a named pipe would block until somebody writes into it."""
    os.mkfifo(tmp_path / "p.jsonl")
    assert refused(tmp_path / "p.jsonl") == "not-a-regular-file"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/dev/null", "not-a-regular-file"),
        ("/dev/zero", "not-a-regular-file"),
        ("", "is-a-folder"),
        ("nowhere/at/all", "no-such-file"),
        ("nul\0byte", "no-such-file"),
        ("x" * 5000, "unreadable"),
    ],
    ids=["null", "zero", "empty", "missing", "nul", "too long"],
)
def test_what_is_no_file_is_refused(path: str, kind: str) -> None:
    """Devices, folders and impossible names each have their word."""
    assert refused(path) == kind


def test_a_failing_disk_is_the_files_own_problem(tmp_path: Path) -> None:
    """An error while reading names the file like one while opening."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x")
    with pytest.raises(FormatError, match=r"a\.jsonl:0: the file cannot be read: ") as error, open_file(str(path)):
        raise OSError(5, "Input/output error")
    assert error.value.kind == "unreadable"


def refused(path: str | Path) -> str:
    """Return the kind of error with which a path is refused."""
    with pytest.raises(FormatError) as error, open_file(str(path)):
        pass
    return error.value.kind

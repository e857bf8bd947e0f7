"""Show what is read of Zstandard containers, whole, cut off and broken."""

from __future__ import annotations

import io
import random
import tracemalloc
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from timectx.formats.dsh_store import compress_frame
from timectx.formats.zstd import Fault, Frame, inflate, inflate_frame, scan_frames


def noise(seed: int, size: int) -> bytes:
    """Return bytes that do not compress."""
    return random.Random(seed).randbytes(size)


def read(data: bytes) -> tuple[bytes, list[Fault]]:
    """Return the content that can be had, and the faults."""
    items = list(inflate(io.BytesIO(data), len(data)))
    return b"".join(item for item in items if isinstance(item, bytes)), [i for i in items if isinstance(i, Fault)]


def scan(data: bytes) -> list[Frame | Fault]:
    """Return the frames and faults of a file."""
    return list(scan_frames(io.BytesIO(data), len(data)))


def faults(data: bytes) -> list[tuple[int, str]]:
    """Return where the faults are, and of which kind."""
    return [(fault.at, fault.kind.removeprefix("corrupt-zstandard-session-log-")) for fault in read(data)[1]]


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_all_frames_are_read(contents: list[bytes]) -> None:
    """The content is that of every frame, empty ones included."""
    frames = [compress_frame(content) for content in contents]
    assert read(b"".join(frames)) == (b"".join(contents), [])
    assert len(scan(b"".join(frames))) == len(contents)


@pytest.mark.parametrize(
    "compress",
    [
        lambda data: zstandard.ZstdCompressor().compress(data),
        lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data),
        lambda data: zstandard.ZstdCompressor(level=19, write_checksum=True).compress(data),
        lambda data: zstandard.ZstdCompressor(level=-5).compress(data),
    ],
    ids=["size", "no size", "slow", "fast"],
)
@pytest.mark.parametrize("size", [0, 1, 255, 256, 70_000, 3_000_000])
def test_frames_of_other_writers_are_read(compress: Callable[[bytes], bytes], size: int) -> None:
    """With and without content size, checksum and window, of one block or many."""
    content = noise(size, size // 2) + b"a" * (size - size // 2)
    data = compress(content)
    assert read(data + data) == (content + content, [])
    assert scan(data + data) == [Frame(0, len(data)), Frame(len(data), 2 * len(data))]


def test_a_frame_larger_than_any_window_is_read() -> None:
    """The search walks its blocks through the file instead of holding it."""
    content = noise(1, 5_000_000)
    data = compress_frame(content)
    assert scan(data) == [Frame(0, len(data))]
    assert read(data) == (content, [])


@pytest.mark.parametrize("cut", [1, 4, 5, 100, 130_000, 262_000, 300_000])
def test_a_cut_frame_gives_its_whole_blocks(cut: int) -> None:
    """Blocks hold 128 KiB; what is cut off is lost, and what is before is not."""
    content = noise(2, 300_000)
    data = compress_frame(b"first") + compress_frame(content)
    got, found = read(data[:-cut])
    assert got.startswith(b"first")
    assert content.startswith(got[5:])
    assert len(got) - 5 >= (300_000 - cut) // 131_072 * 131_072
    assert [fault.kind for fault in found] == ["torn-frame"]


def test_a_frame_cut_between_two_others_is_a_fault_and_the_third_is_read() -> None:
    """The search goes on at the next frame's first bytes."""
    first, second, third = (compress_frame(noise(seed, 1000)) for seed in (1, 2, 3))
    got, found = read(first + second[:500] + third)
    assert got.endswith(noise(3, 1000))
    assert got.startswith(noise(1, 1000))
    assert found


@pytest.mark.parametrize(
    ("at", "value", "kind"),
    [
        (0, 0x29, "invalid-frame"),
        (4, 0x0C, "reserved-frame"),
        (4, 0x14, "reserved-frame"),
        (6, 0xFF, "reserved-block"),
    ],
    ids=["magic", "reserved bit", "unused bit", "block type"],
)
def test_a_broken_frame_header_is_named_and_passed_over(at: int, value: int, kind: str) -> None:
    """The frames around it are read."""
    first, second, third = (compress_frame(name) for name in (b"first", b"second", b"third"))
    broken = bytearray(second)
    broken[at] = value
    start = len(first)
    assert read(first + broken + third)[0] == b"firstthird"
    assert faults(first + broken + third) == [(start + (6 if kind == "reserved-block" else 0), kind)]


def test_a_flipped_bit_fails_the_checksum_of_its_frame_alone() -> None:
    """Checksums are verified; what could be decompressed is kept, and reported."""
    first, third = compress_frame(b"first"), compress_frame(b"third")
    second = bytearray(compress_frame(b"a second one, stored as it is"))
    second[12] ^= 1
    got, found = read(first + bytes(second) + third)
    assert (got[:5], got[-5:]) == (b"first", b"third")
    assert [(fault.at, fault.kind) for fault in found] == [(len(first), "corrupt-zstandard-session-log-frame-at")]


def test_content_before_a_failing_frame_is_delivered_once() -> None:
    """Frames go to the decoder together; when one fails, the others are neither lost nor repeated."""
    contents = [noise(seed, 20_000) for seed in range(40)]
    frames = [bytearray(compress_frame(content)) for content in contents]
    frames[30][-1] ^= 1
    got, found = read(b"".join(frames))
    assert got == b"".join(contents)
    assert [fault.at for fault in found] == [sum(map(len, frames[:30]))]


def test_garbage_holds_no_frame() -> None:
    """One fault, and an end."""
    assert scan(b"\x00" * 3_000_000) == [
        Fault(0, "corrupt-zstandard-session-log-invalid-frame", "invalid frame magic at byte 0")
    ]


def test_a_frame_that_unfolds_to_gigabytes_takes_little_memory() -> None:
    """The content comes in bounded pieces."""
    compressor = zstandard.ZstdCompressor().compressobj()
    data = b"".join(compressor.compress(bytes(2**20)) for _ in range(512)) + compressor.flush()
    tracemalloc.start()
    size = sum(len(item) for item in inflate(io.BytesIO(data), len(data)) if isinstance(item, bytes))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size == 512 * 2**20
    assert peak < 4 * 2**20


def test_a_frame_is_decompressed_block_by_block() -> None:
    """Each block comes as a piece of its own, so that a fault costs no block before it."""
    data = compress_frame(noise(5, 400_000))
    pieces = list(inflate_frame(io.BytesIO(data), Frame(0, len(data))))
    assert [len(piece) for piece in pieces if isinstance(piece, bytes)] == [131_072, 131_072, 131_072, 6_784]

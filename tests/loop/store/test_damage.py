"""A damaged frame is told from one that a crash cut short, whichever bit was flipped, and the error names it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loop.scripts import batches, events, held, whole, write
from timectx.errors import FormatError
from timectx.formats.zstd import Frame, scan_frames
from timectx.loop import inspect_log, load_log

HEADER_BITS = 9 * 8
"""Magic, descriptor, window and the first block's header."""

WINDOW_BYTE = 5
"""A larger or smaller window can leave the content as it was."""


def frames(path: Path) -> list[Frame]:
    """Return the frames of a sound container."""
    with path.open("rb") as stream:
        return [item for item in scan_frames(stream, path.stat().st_size) if isinstance(item, Frame)]


def bits(frame: Frame, draw: random.Random, sample: int) -> Iterator[int]:
    """Yield bits of a frame, counted over the file: its headers' and its checksum's, and some of its content."""
    first, last = 8 * frame.start, 8 * frame.end
    yield from range(first, first + HEADER_BITS)
    yield from range(last - 32, last)
    yield from (draw.randrange(first + HEADER_BITS, last - 32) for _ in range(sample))


def flipped(data: bytes, bit: int) -> bytes:
    """Return the bytes with one bit the other way round."""
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def test_a_flipped_bit_in_every_frame_is_detected_and_named(tmp_path: Path) -> None:
    """An inspection is refused and says which frame it is and from where, or nothing was lost at all."""
    path = write(tmp_path, batches(3, 2), compress=True)
    data, draw = path.read_bytes(), random.Random(7)
    found = frames(path)
    first_seq = [0, 0, *(batch[-1].seq + 1 for batch in batches(3, 2))]
    wrong, harmless = [], set()
    for number, frame in enumerate(found, 1):
        for bit in bits(frame, draw, sample=16):
            path.write_bytes(flipped(data, bit))
            try:
                assert whole(inspect_log(tmp_path, "s")) == events(3, 2)
                harmless.add(bit // 8 - frame.start)
            except FormatError as error:
                named = re.search(r"frame (\d+), from byte (\d+), .* before seq (\d+) are sound", str(error))
                place = (number, frame.start, first_seq[number - 1])
                if named is None or tuple(map(int, named.groups())) != place:
                    wrong.append((bit - 8 * frame.start, place, str(error)))
    assert wrong == []
    assert harmless <= {WINDOW_BYTE}


def test_a_damaged_log_is_not_touched_by_a_load(tmp_path: Path) -> None:
    """A last frame with a flipped bit in its size looks cut short to dsh; here it stays, and so does the file."""
    path = write(tmp_path, batches(3, 2), compress=True)
    size_bit = 8 * (frames(path)[-1].start + 7) + 4
    damaged = flipped(path.read_bytes(), size_bit)
    path.write_bytes(damaged)
    with pytest.raises(FormatError, match="not cut short but damaged: frame") as caught:
        load_log(tmp_path, "s")
    assert caught.value.kind == "corrupt-zstandard-session-log-frame-at"
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (damaged, [path.name])


def test_a_damaged_frame_in_the_middle_takes_no_others_along(tmp_path: Path) -> None:
    """A size that reaches beyond the end of the file is no torn end while sound frames follow."""
    path = write(tmp_path, batches(3, 2), compress=True)
    middle = frames(path)[2]
    damaged = flipped(path.read_bytes(), 8 * (middle.start + 8) + 7)
    path.write_bytes(damaged)
    with pytest.raises(FormatError, match=f"frame 3, from byte {middle.start}"):
        load_log(tmp_path, "s")
    assert path.read_bytes() == damaged


def test_a_frame_cut_short_is_no_damage(tmp_path: Path) -> None:
    """Wherever a crash cut the last frame, the log loads."""
    path = write(tmp_path, batches(3, 2), compress=True)
    data, last = path.read_bytes(), frames(path)[-1]
    for end in range(last.start, last.end, 5):
        path.write_bytes(data[:end])
        with load_log(tmp_path, "s") as log:
            assert held(log)[: len(events(3, 2)) - len(batches(3, 2)[-1])] == events(3, 2)[: -len(batches(3, 2)[-1])]

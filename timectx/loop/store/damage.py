"""Tell a frame that was damaged from one that a crash cut short, and name the damaged one."""

from __future__ import annotations

import io
from typing import BinaryIO, Final

import zstandard
from msgspec import Struct

from timectx.formats.zstd import MAGIC, Fault, Frame, inflate_frame, scan_frames

__all__ = ["Damage", "find_damage"]

_HEADER_BYTES: Final = 6
"""Magic, descriptor and window: how each frame of a log begins; blocks follow."""

_BLOCK_HEADER_BYTES: Final = 3
_CHECKSUM_FLAG: Final = 4


class Damage(Struct, frozen=True):
    """
    Name the first damaged frame of a container.

    `frame` counts from 1, which is the header's own frame; `at` is the frame's first byte.
    """

    frame: int
    at: int


def find_damage(stream: BinaryIO, size: int) -> Damage | None:
    """
    Find the first frame that is not as it was written.

    Parameters
    ----------
    stream : binary file
        A container, seekable; its position is moved.
    size : int
        How many of its bytes to look at.

    Returns
    -------
    Damage or None
        None when all frames are sound, but for a last one that is cut short.

    Notes
    -----
    A frame that seems to run past the end of the file is damaged where a sound frame lies inside
    it, or where one flipped bit in its headers would make it end with the file.

    Examples
    --------
    >>> frame = zstandard.ZstdCompressor(write_checksum=True).compress(b"line")
    >>> find_damage(io.BytesIO(frame + frame[:-1]), 2 * len(frame) - 1) is None
    True
    >>> flipped = frame[:-1] + bytes([frame[-1] ^ 1])
    >>> find_damage(io.BytesIO(frame + flipped), 2 * len(frame)).frame
    2
    """
    number, last = 0, None
    for item in scan_frames(stream, size):
        if isinstance(item, Fault):
            return _behind(stream, size, number, last, item)
        number, last = number + 1, item
        if item.complete and _fails(stream, item):
            return Damage(number, item.start)
    return None


def _behind(stream: BinaryIO, size: int, number: int, last: Frame | None, fault: Fault) -> Damage | None:
    """Return the damaged frame behind the first fault of a container; `last` is the frame before it."""
    if last is None:
        return Damage(1, fault.at)
    if last.complete:
        begins_here = _is_frame_but_for_its_magic(_bytes(stream, fault.at, size))
        return Damage(number + 1, fault.at) if begins_here else Damage(number, last.start)
    torn = fault.kind == "torn-frame" and not _only_seems_torn(_bytes(stream, last.start, size))
    return None if torn else Damage(number, last.start)


def _fails(stream: BinaryIO, frame: Frame) -> bool:
    return any(isinstance(piece, Fault) for piece in inflate_frame(stream, frame))


def _is_frame_but_for_its_magic(rest: bytes) -> bool:
    return rest.startswith(MAGIC) or _is_frame(MAGIC + rest[len(MAGIC) :])


def _only_seems_torn(rest: bytes) -> bool:
    return _holds_frame(rest) or _is_one_bit_off(rest)


def _holds_frame(rest: bytes) -> bool:
    at = rest.find(MAGIC, 1)
    while at > 0:
        if _is_frame(rest[at:]):
            return True
        at = rest.find(MAGIC, at + 1)
    return False


def _is_one_bit_off(rest: bytes) -> bool:
    """Try every bit of the headers that say how long the frame is."""
    at = _HEADER_BYTES
    places = list(range(len(MAGIC), min(at, len(rest))))
    while at + _BLOCK_HEADER_BYTES <= len(rest):
        places.extend(range(at, at + _BLOCK_HEADER_BYTES))
        head = int.from_bytes(rest[at : at + _BLOCK_HEADER_BYTES], "little")
        at += _BLOCK_HEADER_BYTES + (1 if head >> 1 & 3 == 1 else head >> 3)
    flipped = bytearray(rest)
    for place in places:
        for bit in range(8):
            flipped[place] ^= 1 << bit
            checked = flipped[len(MAGIC)] & _CHECKSUM_FLAG  # without a checksum, half a frame may look whole
            if checked and _ends_with_file(flipped) and _is_frame(bytes(flipped)):
                return True
            flipped[place] ^= 1 << bit
    return False


def _ends_with_file(rest: bytearray) -> bool:
    return next(scan_frames(io.BytesIO(rest), len(rest)), None) == Frame(0, len(rest))


def _is_frame(rest: bytes) -> bool:
    """Tell whether some bytes begin with a whole frame whose checksum is right."""
    decoder = zstandard.ZstdDecompressor().decompressobj()
    try:
        decoder.decompress(rest)
    except zstandard.ZstdError:
        return False
    return decoder.eof


def _bytes(stream: BinaryIO, start: int, end: int) -> bytes:
    stream.seek(start)
    return stream.read(end - start)

"""Read a Zstandard log of many frames as one stream of bytes, whatever state its frames are in."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

import zstandard
from msgspec import Struct

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["MAGIC", "Fault", "Frame", "inflate", "inflate_frame", "scan_frames"]

MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""The four bytes every frame begins with."""

_MAGIC_WORD: Final = int.from_bytes(MAGIC, "little")
_WINDOW: Final = 1 << 20
_GROUP: Final = 1 << 19
_CHUNK: Final = 1 << 18
_MOST_FAULTS: Final = 1000


class Frame(Struct, frozen=True, gc=False):
    """Bound one frame by its bytes in the file; `complete` is False when it is cut off."""

    start: int
    end: int
    complete: bool = True


class Fault(Struct, frozen=True, gc=False):
    """Name what is wrong with the container at a byte of the file."""

    at: int
    kind: str
    text: str


def scan_frames(stream: BinaryIO, size: int, at: int = 0) -> Iterator[Frame | Fault]:
    """
    Find the frames of a file by their headers alone, without decompressing them.

    Parameters
    ----------
    stream : binary file
        A seekable file; its position is moved.
    size : int
        How many of its bytes to look at.
    at : int, optional
        The byte to begin at.

    Yields
    ------
    Frame or Fault
        In file order. A fault follows what could be seen of its frame, and the search goes on
        where another frame begins; after a thousand faults it ends.

    Notes
    -----
    Frames hold no content size, and there may be thousands [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/zstd.ts, `scanZstdFrames`.
    """
    data, faults = _FileBytes(stream, size), 0
    while at < size and faults < _MOST_FAULTS:
        fault = None
        try:
            end = data.frame_end(at)
        except IndexError:
            end = size + 1
        except _BadFrameError as bad:
            end, fault = bad.fault.at, bad.fault
        if fault is None and end <= size:
            yield Frame(at, end)
            at = end
            continue
        following = _next_magic(stream, size, at + 1)
        if end > at:
            yield Frame(at, min(end, following), complete=False)
        yield fault or Fault(at, "torn-frame", f"the frame at byte {at} is cut off")
        at, faults = following, faults + 1


def inflate(stream: BinaryIO, size: int) -> Iterator[bytes | Fault]:
    """
    Decompress a file, keeping whatever can still be had of broken frames.

    Parameters
    ----------
    stream : binary file
        A seekable file; its position is moved.
    size : int
        How many of its bytes to read.

    Yields
    ------
    bytes or Fault
        Bounded pieces of the content, and each fault after what could be read before it.

    Notes
    -----
    Whole frames go to the decoder many at a time; when one of them fails, each is tried alone.
    """
    at, restarts = 0, 0
    while at < size and restarts < _MOST_FAULTS:
        at = yield from _inflate_from(stream, size, at)
        restarts += 1


def inflate_frame(stream: BinaryIO, frame: Frame) -> Iterator[bytes | Fault]:
    """
    Decompress one frame block by block, so that every sound block is kept.

    Parameters
    ----------
    stream : binary file
        A seekable file; its position is moved.
    frame : Frame
        Where the frame lies.

    Yields
    ------
    bytes or Fault
        One piece a block; a fault at the end when the frame fails validation.
    """
    decoder = zstandard.ZstdDecompressor().decompressobj()
    at = frame.start
    try:
        for mark in _marks(_FileBytes(stream, frame.end), frame):
            stream.seek(at)
            if piece := decoder.decompress(stream.read(mark - at)):
                yield piece
            at = mark
    except zstandard.ZstdError:
        yield _fault(frame.start, "frame-at", "frame failed validation")


def _inflate_from(stream: BinaryIO, size: int, at: int) -> Generator[bytes | Fault, None, int]:
    """Decompress from a frame's beginning to the end, or to where the search must begin anew."""
    group: list[Frame] = []
    for item in scan_frames(stream, size, at):
        if isinstance(item, Frame) and item.complete:
            group.append(item)
            if item.end - group[0].start < _GROUP:
                continue
        again = yield from _inflate_group(stream, group)
        if again is not None:
            return again
        group = []
        if isinstance(item, Fault):
            yield item
        elif not item.complete:
            yield from (piece for piece in inflate_frame(stream, item) if isinstance(piece, bytes))
    again = yield from _inflate_group(stream, group)
    return size if again is None else again


def _inflate_group(stream: BinaryIO, frames: list[Frame]) -> Generator[bytes | Fault, None, int | None]:
    """Decompress neighbouring frames; return where another begins inside one of them that is broken."""
    if not frames:
        return None
    span = io.BufferedReader(_Span(stream, frames[0].start, frames[-1].end), _CHUNK)
    reader = zstandard.ZstdDecompressor().stream_reader(span, read_size=_CHUNK, read_across_frames=True)
    delivered = 0
    try:
        while piece := reader.read(_CHUNK):
            delivered += len(piece)
            yield piece
    except zstandard.ZstdError:
        return (yield from _salvage(stream, frames, delivered))
    return None


def _salvage(stream: BinaryIO, frames: list[Frame], delivered: int) -> Generator[bytes | Fault, None, int | None]:
    """Decompress frames one by one, passing over what has been delivered of them."""
    for frame in frames:
        inner = frame.end if _is_sound(stream, frame) else _next_magic(stream, frame.end, frame.start + 1)
        for item in inflate_frame(stream, Frame(frame.start, inner)):
            if isinstance(item, bytes):
                fresh, delivered = item[delivered:], max(0, delivered - len(item))
                if fresh:
                    yield fresh
            elif inner == frame.end:
                yield item
        if inner < frame.end:
            yield Fault(frame.start, "torn-frame", f"the frame at byte {frame.start} is cut off")
            return inner
    return None


def _is_sound(stream: BinaryIO, frame: Frame) -> bool:
    return not any(isinstance(item, Fault) for item in inflate_frame(stream, frame))


def _marks(data: _Bytes, frame: Frame) -> Iterator[int]:
    """Yield where the blocks of a frame end, and at last where the frame does."""
    try:
        at, _ = _first_block(data, frame.start, 0)
        last = 0
        while not last:
            head = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            at += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
            if at >= frame.end:
                break
            yield at
            last = head & 1
    except IndexError:
        pass
    yield frame.end


class _Bytes(Protocol):
    def __getitem__(self, at: int, /) -> int: ...


class _BadFrameError(Exception):
    def __init__(self, at: int, kind: str, text: str) -> None:
        super().__init__(text)
        self.fault = _fault(at, kind, text)


def _fault(at: int, kind: str, text: str) -> Fault:
    return Fault(at, f"corrupt-zstandard-session-log-{kind}", f"{text} at byte {at}")


def _frame_end(data: _Bytes, at: int, base: int) -> int:
    """Return where a frame ends; IndexError means that this cannot be seen from `data`."""
    block, checksum = _first_block(data, at, base)
    while True:
        head = data[block] | data[block + 1] << 8 | data[block + 2] << 16
        kind = head >> 1 & 3
        if kind == 3:
            raise _BadFrameError(base + block, "reserved-block", "reserved block type")
        block += 3 + (1 if kind == 1 else head >> 3)
        if head & 1:
            return base + block + checksum


def _first_block(data: _Bytes, at: int, base: int) -> tuple[int, int]:
    magic = data[at] | data[at + 1] << 8 | data[at + 2] << 16 | data[at + 3] << 24
    if magic != _MAGIC_WORD:
        raise _BadFrameError(base + at, "invalid-frame", "invalid frame magic")
    flags = data[at + 4]
    if flags & 0x18:
        raise _BadFrameError(base + at, "reserved-frame", "reserved frame-header bit")
    single = flags & 0x20
    size_bytes = 1 << (flags >> 6) if flags >> 6 else (1 if single else 0)
    dictionary_bytes = (0, 1, 2, 4)[flags & 3]
    return at + 5 + (0 if single else 1) + dictionary_bytes + size_bytes, flags & 4


def _next_magic(stream: BinaryIO, size: int, at: int) -> int:
    step = 1 << 12
    while at < size:
        stream.seek(at)
        window = stream.read(min(step, size - at))
        found = window.find(MAGIC)
        if found >= 0:
            return at + found
        at += max(1, len(window) - len(MAGIC) + 1)
        step = min(2 * step, _WINDOW)
    return size


class _FileBytes:
    """Show a file as its bytes by position, a window at a time."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self.stream, self.size = stream, size
        self.base, self.window = 0, b""

    def __getitem__(self, at: int) -> int:
        if not 0 <= at - self.base < len(self.window):
            self.load(at)
        return self.window[at - self.base]

    def load(self, at: int) -> None:
        self.stream.seek(at)
        self.base, self.window = at, self.stream.read(max(0, min(_WINDOW, self.size - at)))

    def frame_end(self, at: int) -> int:
        """Look in the window first, which is many times faster than byte by byte."""
        for fresh in (False, True):
            if fresh or at < self.base:
                self.load(at)
            try:
                return _frame_end(self.window, at - self.base, self.base)
            except IndexError:
                pass
        return _frame_end(self, at, 0)


class _Span(io.RawIOBase):
    """Read a part of a file, for a decoder that wants a source."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        super().__init__()
        self.stream, self.at, self.end = stream, start, end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        self.stream.seek(self.at)
        piece = self.stream.read(min(len(view), self.end - self.at))
        view[: len(piece)] = piece
        self.at += len(piece)
        return len(piece)

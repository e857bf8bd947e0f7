"""Cut a transcript, plain or Zstandard, into lines of bytes with bounded memory."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO, Final

from timectx.formats.report import refusal
from timectx.formats.zstd import MAGIC, Fault, inflate

__all__ = ["MAX_LINE_BYTES", "TOO_LONG", "LineBatches", "holds_zstd", "open_file", "open_lines", "size_of"]

MAX_LINE_BYTES: Final = 64 * 2**20
"""The longest line that is read unless `max_line_bytes` says otherwise."""

TOO_LONG: Final = b"\x00line too long\x00"
"""What stands for a line beyond the limit, known by identity; no JSON text is equal to it."""

_CHUNK: Final = 1 << 18


class LineBatches:
    r"""
    Cut pieces of bytes at every newline, and at nothing else.

    Parameters
    ----------
    pieces : iterable of bytes or Fault
        The content, cut anywhere; faults of its container stand between the pieces.
    max_line_bytes : int
        A longer line is replaced by `TOO_LONG`.

    Attributes
    ----------
    max_line_bytes : int
        As given.
    count : int
        Lines handed out so far, those that end in a newline alone.
    rest : bytes
        What follows the last newline once all is read; empty when nothing does.
    faults : list of tuple
        Line number and fault, for each fault met.

    Examples
    --------
    >>> batches = LineBatches([b"a\r\nb", b"c\n\xe2\x80\xa8", b"d"], max_line_bytes=100)
    >>> [line for batch in batches for line in batch], batches.rest
    ([b'a\r', b'bc'], b'\xe2\x80\xa8d')
    """

    def __init__(self, pieces: Iterable[bytes | Fault], *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._pieces = pieces
        self.max_line_bytes = max_line_bytes
        self.count = 0
        self.rest = b""
        self.faults: list[tuple[int, Fault]] = []

    def __iter__(self) -> Iterator[list[bytes]]:
        """Yield the lines, without their newlines, in batches of no fixed size."""
        held: list[bytes] = []
        size = 0
        for piece in self._pieces:
            if isinstance(piece, Fault):
                self.faults.append((self.count + 1, piece))
                continue
            lines = piece.split(b"\n")
            held.append(lines[0])
            size += len(lines[0])
            if size > self.max_line_bytes:
                held = [TOO_LONG]
            if len(lines) == 1:
                continue
            lines[0] = _joined(held)
            last = lines.pop()
            batch = lines if len(piece) <= self.max_line_bytes else [self._within(line) for line in lines]
            self.count += len(batch)
            yield batch
            size = len(last)
            held = [last] if size <= self.max_line_bytes else [TOO_LONG]
        self.rest = _joined(held)

    def _within(self, line: bytes) -> bytes:
        return line if len(line) <= self.max_line_bytes else TOO_LONG


@contextmanager
def open_file(path: str) -> Iterator[BinaryIO]:
    """
    Open a regular file for reading, and nothing that could block.

    Parameters
    ----------
    path : str
        The file.

    Yields
    ------
    binary file
        Unbuffered and seekable.

    Raises
    ------
    FormatError
        Kinds ``no-such-file``, ``is-a-folder``, ``not-a-regular-file``, ``unreadable``.
    """
    if "\0" in path:
        raise refusal(path.replace("\0", "?"), 0, "no-such-file", "a path cannot hold a NUL; expected a session log")
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise refusal(path, 0, "is-a-folder", "a folder where a file was expected; read_sessions reads folders")
        if not stat.S_ISREG(mode):
            raise refusal(path, 0, "not-a-regular-file", "a pipe, socket or device; expected a regular file")
        with Path(path).open("rb", buffering=0) as stream:
            yield stream
    except FileNotFoundError:
        raise refusal(path, 0, "no-such-file", "no such file; expected a session log") from None
    except OSError as error:
        raise refusal(path, 0, "unreadable", f"the file cannot be read: {error}") from error


def holds_zstd(stream: BinaryIO, path: str) -> bool:
    """
    Tell whether a file is a Zstandard container.

    Parameters
    ----------
    stream : binary file
        A seekable file; it is left at its beginning.
    path : str
        Its path, whose ending counts where the content is neither a frame nor text.

    Returns
    -------
    bool
        True when the first bytes are those of a frame, whatever the file is called.
    """
    stream.seek(0)
    head = stream.read(len(MAGIC))
    stream.seek(0)
    return head == MAGIC or (path.endswith((".zstd", ".zst")) and not head.lstrip().startswith(b"{"))


def open_lines(
    stream: BinaryIO, *, zstd: bool, max_line_bytes: int = MAX_LINE_BYTES, max_bytes: int | None = None
) -> LineBatches:
    """
    Cut an open file into lines.

    Parameters
    ----------
    stream : binary file
        A seekable file at its beginning.
    zstd : bool
        Whether it is a Zstandard container.
    max_line_bytes : int, optional
        The longest line to keep.
    max_bytes : int, optional
        About how much of the content to read; None reads all.

    Returns
    -------
    LineBatches
        Reads the file as it is iterated, up to the size the file has now.
    """
    pieces: Iterator[bytes | Fault] = inflate(stream, size_of(stream)) if zstd else _pieces(stream)
    return LineBatches(_at_most(pieces, max_bytes), max_line_bytes=max_line_bytes)


def size_of(stream: BinaryIO) -> int:
    """
    Return how many bytes an open file has.

    Parameters
    ----------
    stream : binary file
        A seekable file, of this machine or of remote storage; its position stays where it is.

    Returns
    -------
    int
        The size it has now.
    """
    at = stream.tell()
    size = stream.seek(0, SEEK_END)
    stream.seek(at)
    return size


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(_CHUNK):
        yield piece


def _at_most(pieces: Iterator[bytes | Fault], size: int | None) -> Iterator[bytes | Fault]:
    left = size
    for piece in pieces:
        yield piece
        if left is not None and isinstance(piece, bytes):
            left -= len(piece)
            if left <= 0:
                return


def _joined(held: list[bytes]) -> bytes:
    return TOO_LONG if held and held[0] is TOO_LONG else b"".join(held)

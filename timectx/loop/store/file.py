"""Own the bytes of one log file: write it whole at first, then append, and undo what fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

from timectx.errors import StoreError

__all__ = ["LogFile"]

_CHUNK: Final = 1 << 20
_FOLDERS: Final = 3
"""A session's folder, its project and the root: each may have been made for this log."""


class LogFile:
    """
    Append to one log file, each time wholly or not at all.

    Parameters
    ----------
    path : Path
        The file. Where it exists it is opened; where not, the first `append` makes it. Whoever
        makes a LogFile holds the session's lock.

    Attributes
    ----------
    path : Path
        As given.
    size : int
        How many bytes of the file are durable; 0 = it is not there yet.

    Notes
    -----
    Its methods raise OSError as the system words it, except for what only this class can know.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._fd = -1
        self._broken = False
        self._part = path.with_name(f"{path.name}.part")
        self._part.unlink(missing_ok=True)  # a writer that was killed may have left one
        if path.exists():
            self._open()

    def __del__(self) -> None:
        """Close the file with its last owner."""
        self.close()

    def append(self, data: bytes) -> None:
        """
        Add bytes to the end and make them durable.

        Parameters
        ----------
        data : bytes
            Whole lines, or a whole frame.

        Raises
        ------
        OSError
            If it cannot be done; the file is then as it was.
        StoreError
            Kind ``changed-outside`` or ``log-gone`` when something else wrote to the file or
            removed it; kind ``log-broken`` once a failure could not be undone.
        """
        if self._fd < 0:
            self._write_first(data)
            return
        self._check_unchanged()
        try:
            os.lseek(self._fd, self.size, os.SEEK_SET)
            _write(self._fd, data)
            os.fsync(self._fd)
        except BaseException:  # an interrupt, too, must not leave half a batch
            self._cut_back(self.size)
            raise
        self.size += len(data)

    def replace_tail(self, keep: int, data: bytes, *, at_once: bool) -> None:
        """
        Drop the end of the file and put something else there.

        Parameters
        ----------
        keep : int
            How many bytes to keep.
        data : bytes
            What follows them; may be empty.
        at_once : bool
            Whether the old end must not be gone before the new one is there. The whole file is
            then written anew.

        Raises
        ------
        OSError, StoreError
            As `append`.
        """
        self._check_unchanged()
        if at_once:
            self._write_whole(chain(_pieces(self._fd, keep), [data]))
            return
        if keep < self.size:
            os.ftruncate(self._fd, keep)
            os.fsync(self._fd)
            self.size = keep
        if data:
            self.append(data)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        fd, self._fd = getattr(self, "_fd", -1), -1
        if fd >= 0:
            os.close(fd)

    def _open(self) -> None:
        self._fd = os.open(self.path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        self.size = os.fstat(self._fd).st_size

    def _write_first(self, data: bytes) -> None:
        if self.path.exists():
            raise StoreError(f"{self.path}: something else made this file meanwhile", kind="changed-outside")
        try:
            self._write_whole([data])
        except BaseException:  # its name may be there already, and not be durable
            with suppress(OSError):
                self.path.unlink()
            raise

    def _write_whole(self, pieces: Iterable[bytes]) -> None:
        """Write the file beside its place and move it there, so that it is never seen unfinished."""
        try:
            with self._part.open("wb", buffering=0) as stream:
                for piece in pieces:
                    _write(stream.fileno(), piece)
                os.fsync(stream.fileno())
            self._part.replace(self.path)
            _sync_folders(self.path)
        finally:
            with suppress(OSError):
                self._part.unlink()
        self.close()
        self._open()

    def _check_unchanged(self) -> None:
        if self._broken:
            raise StoreError(
                f"{self.path}: an earlier failure could not be undone; load the log again to repair it",
                kind="log-broken",
            )
        state = os.fstat(self._fd)
        if not state.st_nlink:
            raise StoreError(f"{self.path}: the file was removed or replaced; load the log again", kind="log-gone")
        if state.st_size != self.size:
            text = f"{self.path}: something else wrote to it: {state.st_size} bytes where {self.size} were expected"
            raise StoreError(f"{text}; load the log again", kind="changed-outside")

    def _cut_back(self, size: int) -> None:
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            self._broken = True


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _pieces(fd: int, size: int) -> Iterator[bytes]:
    os.lseek(fd, 0, os.SEEK_SET)
    while size > 0 and (piece := os.read(fd, min(size, _CHUNK))):
        size -= len(piece)
        yield piece


def _sync_folders(path: Path) -> None:
    """Make the names durable as well; a file whose folder was never written is gone after a power cut."""
    if sys.platform != "win32":  # which does this by itself, and opens no folders
        for folder in path.parents[:_FOLDERS]:
            with suppress(PermissionError):  # a folder that cannot be looked into was not made here
                _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)

"""Let one writer at a time hold a session, by a lock that the system drops when the process ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from timectx.errors import StoreError
from timectx.loop.store.wording import write_error

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["LOCK_NAME", "WriterLock"]

LOCK_NAME: Final = "timectx.lock"
"""The lock's file, beside the log it guards; it is there while a writer holds it, or after one was killed."""

_FAR: Final = 1 << 30


class WriterLock:
    """
    Hold the right to write one session.

    Parameters
    ----------
    folder : Path
        The session's folder; it is made where it is missing.

    Raises
    ------
    StoreError
        Kind ``session-locked`` while another writer holds it, in this process or another; kinds
        ``not-writable``, ``disk-full`` and ``write-failed`` when the folder cannot be written.

    Notes
    -----
    The lock is the operating system's, on an open file: it ends with the process, however that
    ends. A process forked from the holder does not hold it, and neither writes nor releases it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        self._process = os.getpid()
        try:
            self._fd = _acquired(self._path)
        except StoreError:
            raise
        except OSError as error:
            raise write_error(folder, error, "no log was opened there") from error

    def __del__(self) -> None:
        """Release the lock with its last owner."""
        self.release()

    @property
    def held(self) -> bool:
        """Whether this process holds the lock."""
        return getattr(self, "_fd", -1) >= 0 and self._process == os.getpid()

    def release(self) -> None:
        """Let the next writer in; a second call does nothing."""
        fd, held = getattr(self, "_fd", -1), self.held
        self._fd = -1
        if fd < 0:
            return
        if held:
            with suppress(OSError):
                self._path.unlink()
            _unlock(fd)
        os.close(fd)


def _acquired(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        mine = False
        try:
            _take(path, fd)
            mine = _is_at(fd, path)
        finally:
            if not mine:
                os.close(fd)
        if mine:
            _note_owner(fd)
            return fd
        # the file was removed by a writer that has just gone; there is another one now, or none


def _take(path: Path, fd: int) -> None:
    if not _lock(fd):
        raise _refusal(path, fd)


def _is_at(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def _note_owner(fd: int) -> None:
    with suppress(OSError):  # the note is for messages alone
        os.ftruncate(fd, 0)
        os.write(fd, str(os.getpid()).encode())


def _refusal(path: Path, fd: int) -> StoreError:
    owner = os.read(fd, 20).decode("ascii", "replace")
    who = "this very process" if owner == str(os.getpid()) else f"process {owner or 'unknown'}"
    return StoreError(
        f"{path.parent}: {who} is writing this session; expected no other writer: close its log first",
        kind="session-locked",
    )


if sys.platform == "win32":

    def _lock(fd: int) -> bool:
        os.lseek(fd, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(fd, 0, os.SEEK_SET)
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)

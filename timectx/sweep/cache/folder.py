"""Keep small files in the user's cache folder: each whole or not at all, and not more of them than a bound allows."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["MOST_BYTES", "CacheFolder", "cache_root"]

MOST_BYTES: Final = 2**30
"""About how much a cache folder may hold; what was written longest ago goes first."""

_KEPT_RATIO: Final = 0.8
_ENDING: Final = ".columns"
_UNFINISHED: Final = ".part"
_DAY_NS: Final = 86_400_000_000_000


def cache_root() -> Path:
    """
    Return the folder in which this package may keep what it can compute again.

    Returns
    -------
    Path
        ``TIMECTX_CACHE_DIR`` where that is set; else ``timectx`` in the place that the system has for
        caches: ``XDG_CACHE_HOME`` or ``~/.cache``, ``~/Library/Caches``, ``%LOCALAPPDATA%``.

    References
    ----------
    .. [1] XDG Base Directory Specification, version 0.8.
    """
    named = os.environ.get("TIMECTX_CACHE_DIR")
    if named:
        return Path(named)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "timectx" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "timectx"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "timectx"


class CacheFolder:
    """
    Hold files by name; what cannot be read or written is as if it were not there.

    Parameters
    ----------
    root : Path
        The folder; it is made when the first file is written.
    most_bytes : int, optional
        About how much it may hold.

    Examples
    --------
    >>> CacheFolder(Path("missing")).get("0a1b") is None
    True
    """

    def __init__(self, root: Path, most_bytes: int = MOST_BYTES) -> None:
        self.root, self.most_bytes = root, most_bytes
        self._folder = str(root) + os.sep
        self._held_bytes: int | None = None  # as far as this process knows; None before its first file

    def get(self, name: str) -> tuple[bytes, int] | None:
        """
        Return a file.

        Parameters
        ----------
        name : str
            Its name, hexadecimal digits.

        Returns
        -------
        tuple or None
            Its content and when it was written, in nanoseconds since the epoch; None where it is missing or
            cannot be read.
        """
        try:
            with open(self._path(name), "rb", buffering=0) as stream:  # noqa: PTH123 - as quick as can be
                state = os.fstat(stream.fileno())
                return stream.read(), state.st_mtime_ns
        except OSError:
            return None

    def put(self, name: str, content: bytes) -> None:
        """
        Write a file, at once or not at all.

        Parameters
        ----------
        name : str
            Its name, hexadecimal digits.
        content : bytes
            All of it; an older file of that name is replaced.
        """
        path = Path(self._path(name))
        unfinished = path.with_name(f"{name}-{os.getpid()}-{threading.get_ident()}{_UNFINISHED}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(content)
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError:  # read-only, full, or of another user: then there is no cache
            return
        self._held_bytes = self._size() if self._held_bytes is None else self._held_bytes + len(content)
        if self._held_bytes > self.most_bytes:
            self._held_bytes = self._trim()

    def _path(self, name: str) -> str:
        return f"{self._folder}{name[:2]}{os.sep}{name}{_ENDING}"

    def _files(self) -> list[tuple[int, int, str]]:
        """Return when each file was written, its size and its path; the oldest first."""
        found = []
        for folder in self._listed(self.root):
            for item in self._listed(folder.path) if folder.is_dir(follow_symlinks=False) else ():
                with suppress(OSError):
                    if item.name.endswith((_ENDING, _UNFINISHED)):
                        state = item.stat(follow_symlinks=False)
                        found.append((state.st_mtime_ns, state.st_size, item.path))
        return sorted(found)

    def _listed(self, folder: str | Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as items:
                return list(items)
        except OSError:
            return []

    def _size(self) -> int:
        return sum(size for _, size, _ in self._files())

    def _trim(self) -> int:
        """Remove the oldest files, and what crashed processes left unfinished; return how much is kept."""
        files = self._files()
        held = sum(size for _, size, _ in files)
        newest_ns = files[-1][0] if files else 0
        for written_ns, size, path in files:
            left_over = path.endswith(_UNFINISHED) and written_ns < newest_ns - _DAY_NS
            if left_over or (held > _KEPT_RATIO * self.most_bytes and path.endswith(_ENDING)):
                with suppress(OSError):
                    Path(path).unlink()
                    held -= size
        return held

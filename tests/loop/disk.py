"""Stand between the store and the disk, so that a test can let any one write fail, or kill the process at it."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from timectx.loop.store import file as store_file

OPERATIONS = ("write", "fsync", "ftruncate")


class Disk:
    """
    Pass on every call, but watch those that change a file.

    `before` gets the number of each such call, from 0, and its name, and may raise.
    """

    def __init__(self, before: Callable[[int, str, tuple[Any, ...]], None]) -> None:
        self.before, self.count = before, 0

    def __getattr__(self, name: str) -> Any:
        """Return what `os` has under a name, watched where it changes a file."""
        real = getattr(os, name)
        return self._watched(name, real) if name in OPERATIONS else real

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            number, self.count = self.count, self.count + 1
            self.before(number, name, arguments)
            return real(*arguments)

        return call


def use(monkeypatch: pytest.MonkeyPatch, disk: Any) -> None:
    """Let the store see this disk; pass `os` to give it the real one back."""
    monkeypatch.setattr(store_file, "os", disk)


def failing(errno: int, *, at: int, name: str | None = None) -> Disk:
    """Return a disk whose call number `at` (of those named `name`, if given) fails, after half a write."""
    seen = 0

    def before(_: int, called: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if name not in (None, called):
            return
        seen += 1
        if seen - 1 != at:
            return
        if called == "write":
            os.write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        raise OSError(errno, os.strerror(errno))

    return Disk(before)


def quick() -> Any:
    """Return a disk that syncs nothing, for tests of many small loads."""
    return SimpleNamespace(**{**vars(os), "fsync": lambda _: None})

"""Write a result to a file, whole or not at all, and never over a session or another file that is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from timectx.formats.zstd import MAGIC

__all__ = ["STDOUT", "check_target", "write_whole"]

STDOUT: Final = "-"
"""The name that means standard output."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LOOKED_AT: Final = 64


def check_target(path: str, inputs: Iterable[str]) -> None:
    """
    Refuse a file that must not be written over.

    Parameters
    ----------
    path : str
        Where the result is to go.
    inputs : iterable of str
        The files that are read.

    Raises
    ------
    click.UsageError
        If `path` is one of the inputs, by whatever name or link, or begins as a session log does.
    """
    if path == STDOUT:
        return
    if any(_is_same(path, each) for each in inputs):
        raise click.UsageError(f"{path} is one of the files to read; it would be written over; name another")
    if _looks_like_a_log(path):
        raise click.UsageError(f"{path} begins like a session log; it would be written over; name another")


def write_whole(path: str, content: str | bytes) -> None:
    """
    Put a text or bytes into a file, at once or not at all.

    Parameters
    ----------
    path : str
        The file; a link is followed, and a pipe or device written to directly.
    content : str or bytes
        All of its new content; a text is written in UTF-8.

    Raises
    ------
    click.UsageError
        If it cannot be written; a file that was there is then as it was.
    """
    try:
        data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            Path(path).write_bytes(data)
            return
        part = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
        _replace(target, part, data)
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _replace(target: Path, part: Path, data: bytes) -> None:
    try:
        with part.open("xb") as stream:
            stream.write(data)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _is_same(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except OSError:  # where one is missing, only the names can agree
        return os.path.realpath(path) == os.path.realpath(other)


def _looks_like_a_log(path: str) -> bool:
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as stream:
            head = stream.read(_LOOKED_AT)
    except OSError:  # writing it will say why
        return False
    return head.startswith(MAGIC) or head.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"{")

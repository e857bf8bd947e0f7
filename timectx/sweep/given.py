"""Settle what a sweep was given: files, folders, places in remote storage, sessions in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct

from timectx.errors import FormatError
from timectx.formats import FileProblem, find_sessions
from timectx.formats.folders import problem_of
from timectx.session import Session
from timectx.sweep.remote import find_remote, is_remote

__all__ = ["Given", "Sweepable", "settle_given"]

Sweepable: TypeAlias = str | os.PathLike[str] | Session
"""What a sweep takes: the path of a file or folder, a URL that fsspec knows, or a session in memory."""

_BYTES_AN_EVENT: Final = 2000


class Given(Struct, frozen=True):
    """
    Name one thing to measure, small enough to send anywhere unless it is a session in memory.

    `size` is about how many bytes a worker has to go through; `session` is None for a file.
    """

    path: str | None
    size: int
    session: Session | None = None


def settle_given(
    sessions_or_paths: Sweepable | Iterable[Sweepable], storage_options: Mapping[str, Any] | None = None
) -> list[Given | FileProblem]:
    """
    Find the files behind some paths, and keep sessions as they are.

    Parameters
    ----------
    sessions_or_paths : str, path-like, Session or iterable of them
        One need not be wrapped in a list.
    storage_options : Mapping, optional
        What fsspec needs to open URLs.

    Returns
    -------
    list of Given or FileProblem
        In the order given, within a folder in the order of names, each file once; and what stood in the way.

    Examples
    --------
    >>> [found.kind for found in settle_given("")]
    ['no-such-file']
    """
    found: list[Given | FileProblem] = []
    alone = isinstance(sessions_or_paths, (str, os.PathLike, Session))
    things = cast(Iterable[Sweepable], (sessions_or_paths,) if alone else sessions_or_paths)

    def local_paths() -> Iterator[str]:
        for thing in things:
            if isinstance(thing, Session):
                found.append(Given(thing.path, _BYTES_AN_EVENT * len(thing.events), thing))
                continue
            path = os.fsdecode(thing)
            if is_remote(path):
                found.extend(_remote(path, storage_options or {}))
            else:
                yield path

    for each in find_sessions(local_paths()):  # one search, which knows a file again by whatever name
        found.append(each if isinstance(each, FileProblem) else Given(each, _size_of(each)))
    return found


def _remote(url: str, storage_options: Mapping[str, Any]) -> Iterator[Given | FileProblem]:
    try:
        for path, size in find_remote(url, storage_options):
            yield Given(path, size)
    except FormatError as error:
        yield problem_of(url, error)


def _size_of(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):  # reading it will say why
        return 0

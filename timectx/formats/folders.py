"""Read many transcripts, in files and folders, where one bad file costs only itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from timectx.errors import FormatError
from timectx.formats.lines import MAX_LINE_BYTES
from timectx.formats.read import read_session
from timectx.formats.report import one_line, refusal
from timectx.session.log import Session

__all__ = ["ENDINGS", "FileProblem", "find_sessions", "problem_of", "read_sessions"]

ENDINGS: Final = (".jsonl", ".jsonl.zstd", ".jsonl.zst")
"""How names of session files end, where a folder is searched for them."""

_Key: TypeAlias = tuple[int, int]


class FileProblem(Struct, frozen=True):
    """
    Name a file or folder that gave no session, and why.

    `line` counts from 1 (0 = the file as a whole), `kind` is a stable word for the fault, and
    `message` is one line that begins with the path, and with the line where there is one.
    """

    path: str
    line: int
    kind: str
    message: str


def read_sessions(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    format: str | None = None,
    strict: bool = False,
    check: bool = False,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> tuple[list[Session], list[FileProblem]]:
    """
    Read every session in some files and folders.

    Parameters
    ----------
    paths : str, path-like or iterable of them
        Files, read whatever their names; and folders, searched with everything in them for
        names that end in ``.jsonl``, ``.jsonl.zstd`` or ``.jsonl.zst``.
        One path need not be wrapped in a list.
    format : str, optional
        As for `read_session`, for every file.
    strict : bool, optional
        As for `read_session`.
    check : bool, optional
        As for `read_session`.
    max_line_bytes : int, optional
        As for `read_session`.

    Returns
    -------
    sessions : list of Session
        In the order of `paths`, within a folder in the order of names.
    problems : list of FileProblem
        One for each file that could not be read, each folder that could not be searched, and
        each given folder without a session. Oddities inside a readable file are in its
        session's own `problems`.

    Notes
    -----
    A file that several paths or links lead to is read once.
    """
    sessions: list[Session] = []
    problems: list[FileProblem] = []
    for found in find_sessions(paths):
        if isinstance(found, FileProblem):
            problems.append(found)
            continue
        try:
            sessions.append(
                read_session(found, format=format, strict=strict, check=check, max_line_bytes=max_line_bytes)
            )
        except FormatError as error:
            problems.append(problem_of(found, error))
    return sessions, problems


def find_sessions(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> Iterator[str | FileProblem]:
    """
    Find the files that may hold sessions.

    Parameters
    ----------
    paths : str, path-like or iterable of them
        As for `read_sessions`.

    Yields
    ------
    str or FileProblem
        Paths of files, each once, in the order of `paths` and then of names; and what stood
        in the way.
    """
    search = _Search()
    for path in (paths,) if isinstance(paths, (str, os.PathLike)) else paths:
        yield from search.path(os.fsdecode(path))


def problem_of(path: str, error: FormatError) -> FileProblem:
    """
    Return what is said of a file that gave no session.

    Parameters
    ----------
    path : str
        The file.
    error : FormatError
        Why it could not be read.

    Returns
    -------
    FileProblem
        With the line that the error names.

    Examples
    --------
    >>> problem_of("a.jsonl", FormatError("a.jsonl:3: no JSON", kind="json")).line
    3
    """
    name = one_line(path, longest=None)
    line, _, text = str(error).removeprefix(f"{name}:").partition(":")
    if not line.isdecimal():
        return FileProblem(path, 0, error.kind, str(error))
    return FileProblem(path, int(line), error.kind, str(error) if int(line) else f"{name}:{text}")


class _Search:
    """Walk folders, remembering what was seen, so that links cannot lead in circles."""

    def __init__(self) -> None:
        self.seen: set[_Key] = set()
        self.met = False  # whether a folder held anything to read or to report

    def path(self, path: str) -> Iterator[str | FileProblem]:
        if not path:
            yield FileProblem(path, 0, "no-such-file", "an empty path; expected the name of a file or folder")
            return
        if not _is_folder(path):
            yield from self._file(path)
            return
        self.met = False
        yield from self._folder(path)
        if not self.met:
            text = f"no session in this folder; expected files that end in {', '.join(ENDINGS)}"
            yield _said(path, "no-sessions", text)

    def _folder(self, path: str) -> Iterator[str | FileProblem]:
        waiting: list[tuple[str, tuple[_Key, ...]]] = [(path, ())]
        while waiting:
            here, above = waiting.pop()
            if not _is_folder(here):
                yield from self._file(here)
                continue
            try:
                key = _key(Path(here).stat())
                names = sorted((item.name for item in Path(here).iterdir()), reverse=True)
            except OSError as error:
                self.met = True
                yield _said(here, "unreadable", f"the folder cannot be searched: {error.strerror}")
                continue
            if key in above:
                self.met = True
                yield _said(here, "link-loop", "a link back to a folder above it; it was not followed")
            elif key in self.seen:
                self.met = True
            else:
                self.seen.add(key)
                inner = [f"{here.rstrip(os.sep)}{os.sep}{name}" for name in names]
                waiting += [(one, (*above, key)) for one in inner if one.endswith(ENDINGS) or _is_folder(one)]

    def _file(self, path: str) -> Iterator[str | FileProblem]:
        self.met = True
        try:
            state = Path(path).stat()
        except (OSError, ValueError):  # reading it will say why
            yield path
            return
        if _key(state) not in self.seen:
            self.seen.add(_key(state))
            yield path


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _key(state: os.stat_result) -> _Key:
    return state.st_dev, state.st_ino


def _said(path: str, kind: str, text: str) -> FileProblem:
    return problem_of(path, refusal(path, 0, kind, text))

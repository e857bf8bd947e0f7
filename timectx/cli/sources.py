"""Find the session files that people name, and load them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from timectx.cli.screen import note
from timectx.errors import FormatError
from timectx.formats import FileProblem, read_sessions
from timectx.formats.folders import find_sessions
from timectx.session import Session
from timectx.synthetic import sample_paths

__all__ = ["SAMPLES", "Loaded", "find_files", "load"]

SAMPLES: Final = "samples:"
"""How a path begins that means the sessions which come with the package."""


class Loaded(Struct, frozen=True):
    """Hold what became of one file: its session, or the problem because of which there is none."""

    path: str
    session: Session | None
    problem: FileProblem | None


def find_files(paths: Iterable[str]) -> list[str | FileProblem]:
    """
    Find the files behind what a person typed.

    Parameters
    ----------
    paths : iterable of str
        Files, folders, ``samples:`` for all sample sessions, ``samples:NAME`` for one.

    Returns
    -------
    list of str or FileProblem
        Each file once, by whatever names and links, in order; and what stood in the way.
    """
    found: list[str | FileProblem] = []

    def files() -> Iterator[str]:
        for each in (place for path in paths for place in _places(path)):
            if isinstance(each, FileProblem):
                found.append(each)
            else:
                yield each

    for each in find_sessions(files()):  # one search, which knows a file again by whatever name
        found.append(each)
    return list(dict.fromkeys(found))


def load(found: str | FileProblem) -> Loaded:
    """
    Load one file, and say on standard error why it cannot be used.

    Parameters
    ----------
    found : str or FileProblem
        One of `find_files`.

    Returns
    -------
    Loaded
        Either a session or a problem.
    """
    if isinstance(found, FileProblem):
        note(found.message)
        return Loaded(found.path, None, found)
    sessions, problems = read_sessions([found])
    for problem in problems:
        note(problem.message)
    return Loaded(found, sessions[0] if sessions else None, problems[0] if problems else None)


def _places(path: str) -> Iterator[str | FileProblem]:
    if not path.startswith(SAMPLES):
        yield path
        return
    name = path.removeprefix(SAMPLES)
    try:
        samples = sample_paths()
    except FormatError as error:
        yield FileProblem(path, 0, error.kind, str(error))
        return
    if not name:
        yield from map(str, samples.values())
    elif name in samples:
        yield str(samples[name])
    else:
        message = f"{path}: no sample is named {name!r}; expected one of {', '.join(samples)}"
        yield FileProblem(path, 0, "no-such-sample", message)

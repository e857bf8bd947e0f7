"""Gather what was wrong with the files of a sweep, and say it with or without their paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from timectx.cli.screen import note, place
from timectx.formats import FileProblem
from timectx.formats.report import one_line

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Trouble", "note_troubles", "troubles_of"]

_COPY: Final = re.compile(r"a copy of (.*); the session counts once", re.DOTALL)
_PLACE: Final = re.compile(r"(:[0-9]+)?:\s*")


class Trouble(Struct, frozen=True, kw_only=True):
    """
    Name one thing that was wrong with a file.

    `place` is that of the file among those given, from 1, and `session` what its session is called, None where it gave
    none. `line` counts from 1, 0 = the file as a whole. `message` names the file, or is about a file named
    elsewhere; `unplaced` says the same without any path. `refused` where the file could not be used at all.
    """

    path: str
    place: int
    session: str | None
    line: int
    kind: str
    message: str
    unplaced: str
    refused: bool


def troubles_of(found: Sequence[str | FileProblem], frame: DataFrame) -> list[Trouble]:
    """
    Gather everything that was wrong.

    Parameters
    ----------
    found : sequence of str or FileProblem
        The files given, and what stood in the way of others.
    frame : DataFrame
        The sweep over these files.

    Returns
    -------
    list of Trouble
        In the order of the files.
    """
    places: dict[str, int] = {}
    for at, each in enumerate(found, 1):
        places.setdefault(each.path if isinstance(each, FileProblem) else each, at)
    sessions = dict(zip(frame["path"].tolist(), frame["session"].tolist(), strict=True))
    refused = [(each, True) for each in found if isinstance(each, FileProblem)]
    inside = [(_problem(each), bool(each["refused"])) for each in frame.attrs["problems"]]
    troubles = [_trouble(problem, places, sessions, refused=lost) for problem, lost in (*refused, *inside)]
    return sorted(troubles, key=lambda each: each.place)


def note_troubles(troubles: Iterable[Trouble]) -> None:
    """
    Say on standard error what was wrong, one line a file.

    Parameters
    ----------
    troubles : iterable of Trouble
        In the order of the files.
    """
    for _, group in groupby(troubles, key=lambda each: (each.place, each.path, each.refused or each.kind == "copy")):
        first, *rest = group
        if first.refused:
            note(first.message)
        elif first.kind == "copy":
            note(f"{first.path} is {first.message}")
        else:
            more = f" (and {len(rest)} more; timectx inspect lists them)" if rest else ""
            note(f"{place(first.path, first.line)}: {first.message}{more}")


def _problem(told: Mapping[str, Any]) -> FileProblem:
    return FileProblem(told["path"], told["line"], told["kind"], told["message"])


def _trouble(problem: FileProblem, places: Mapping[str, int], sessions: Mapping[str, str], *, refused: bool) -> Trouble:
    path = problem.path
    return Trouble(
        path=path,
        place=_place(path, places),
        session=sessions.get(path.encode("utf-8", "backslashreplace").decode()),
        line=problem.line,
        kind=problem.kind,
        message=problem.message,
        unplaced=_unplaced(problem, places),
        refused=refused,
    )


def _place(path: str, places: Mapping[str, int]) -> int:
    """Return the place of a file, or that of the folder in remote storage that holds it."""
    if path in places:
        return places[path]
    return max(
        ((at, len(each)) for each, at in places.items() if path.startswith(each)),
        key=lambda one: one[1],
        default=(0, 0),
    )[0]


def _unplaced(problem: FileProblem, places: Mapping[str, int]) -> str:
    copied = _COPY.fullmatch(problem.message) if problem.kind == "copy" else None
    if copied:
        return f"a copy of input {_place(copied[1], places)}; the session counts once"
    text = problem.message
    for name in (one_line(problem.path, longest=None), problem.path):
        if name and text.startswith(name):
            text = _PLACE.sub("", text[len(name) :], count=1)
        text = text.replace(name, "the file") if name else text
    return text

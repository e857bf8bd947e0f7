"""Collect what is odd about a transcript, bounded however much of it there is, and word refusals alike."""

from __future__ import annotations

from typing import Final

from timectx.errors import FormatError
from timectx.session.log import Problem

__all__ = ["LISTED_PER_KIND", "Report", "one_line", "refusal"]

LISTED_PER_KIND: Final = 50
"""How many problems of one kind are listed one by one; the rest are counted in one more."""

_LONGEST: Final = 500


class Report:
    """
    Gather the problems of one transcript, so that a file full of faults cannot fill memory.

    Examples
    --------
    >>> report = Report()
    >>> for line in range(2, 1002):
    ...     report.add(line, "seq-gap", "seq 7 where 5 was expected")
    >>> len(report.problems()), report.problems()[-1].message
    (51, 'and 950 more of this kind, from this line to line 1001')
    """

    def __init__(self) -> None:
        self._listed: dict[str, list[Problem]] = {}
        self._more: dict[str, tuple[int, int, int]] = {}

    def add(self, line: int, kind: str, message: str) -> None:
        """
        Add one problem.

        Parameters
        ----------
        line : int
            The line it is on, from 1; 0 for the file as a whole.
        kind : str
            A stable word for the fault.
        message : str
            What was found, what was expected and what was done about it.
        """
        listed = self._listed.setdefault(kind, [])
        if len(listed) < LISTED_PER_KIND:
            listed.append(Problem(line, kind, one_line(message)))
        else:
            first, _, count = self._more.get(kind, (line, line, 0))
            self._more[kind] = (first, line, count + 1)

    def problems(self) -> tuple[Problem, ...]:
        """
        Return the problems in the order of their lines.

        Returns
        -------
        tuple of Problem
            At most `LISTED_PER_KIND` of each kind, and one that counts the others.
        """
        listed = [problem for problems in self._listed.values() for problem in problems]
        for kind, (first, last, count) in self._more.items():
            listed.append(Problem(first, kind, f"and {count} more of this kind, from this line to line {last}"))
        return tuple(sorted(listed, key=lambda problem: problem.line))


def refusal(path: str, line: int, kind: str, text: str, *, cause: type[FormatError] = FormatError) -> FormatError:
    """
    Return the error for a transcript that cannot be read.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    line : int
        The line at fault, from 1; 0 for the file as a whole.
    kind : str
        A stable word for the fault.
    text : str
        What was wrong, what was expected and what to do.
    cause : type, optional
        The class of the error.

    Returns
    -------
    FormatError
        Its message is ``path:line: text``, in one line.
    """
    return cause(f"{one_line(path, longest=None)}:{line}: {one_line(text)}", kind=kind)


def one_line(text: str, *, longest: int | None = _LONGEST) -> str:
    r"""
    Return a text fit for one line of a terminal, whatever a file put into it.

    Parameters
    ----------
    text : str
        A message that may quote a file.
    longest : int, optional
        How many characters to keep; None keeps all.

    Returns
    -------
    str
        Without control characters and lone surrogates, which are shown as escapes.

    Examples
    --------
    >>> one_line("type 'a\x1b[2J'"), len(one_line("x" * 10_000))
    ("type 'a\\x1b[2J'", 501)
    """
    cut = text if longest is None or len(text) <= longest else text[:longest] + "…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)

"""Print for people and for programs: safe text, a progress bar, JSON."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, TextIO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["clean", "console", "counted", "note", "place", "print_json", "progress", "say", "shortened"]

_NO_TERMINAL_COLUMNS: Final = 1_000_000
"""Wide enough that a pipe or a file gets every row on one line."""

_LONGEST: Final = 500


def clean(text: str) -> str:
    r"""
    Make text from elsewhere safe to print on one line.

    Parameters
    ----------
    text : str
        Anything: a path, a title, a message.

    Returns
    -------
    str
        Characters that steer a terminal, break a line or change the direction of writing stand
        as escapes.

    Examples
    --------
    >>> clean("a\x1b[31mb\n\u202ec")
    'a\\x1b[31mb\\n\\u202ec'
    """
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs" else char.encode("unicode_escape").decode()
        for char in text
    )


def shortened(text: str) -> str:
    """
    Take out the middle of a text that no one would read to its end.

    Parameters
    ----------
    text : str
        A message that may quote something of any length.

    Returns
    -------
    str
        Up to 500 characters: beginning and end, between them an ellipsis for what is left out.

    Examples
    --------
    >>> shortened("not a zone: 'x'"), len(shortened("x" * 10_000_000))
    ("not a zone: 'x'", 500)
    """
    kept = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:kept]}…{text[len(text) - kept + 1 :]}"


def place(path: str, line: int) -> str:
    """
    Say where something is.

    Parameters
    ----------
    path : str
        A file or folder.
    line : int
        A line of it, from 1; 0 for the whole of it.

    Returns
    -------
    str
        Path and line, or the path alone.

    Examples
    --------
    >>> place("a.jsonl", 3), place("a.jsonl", 0)
    ('a.jsonl:3', 'a.jsonl')
    """
    return f"{path}:{line}" if line else path


def console(stream: TextIO | None = None) -> Console:
    """
    Return a console that takes text as it is.

    Parameters
    ----------
    stream : file, optional
        Where to print; None takes standard output.

    Returns
    -------
    Console
        As wide as the terminal, or without any limit where there is none. Square brackets,
        emoji codes and numbers in the text mean nothing to it.
    """
    out = stream or sys.stdout
    width = None if out.isatty() else _NO_TERMINAL_COLUMNS
    colors: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return Console(file=out, width=width, color_system=colors, markup=False, emoji=False, highlight=False)


def say(text: str, *, err: bool = False) -> None:
    """
    Print text, whatever the encoding of the terminal or file.

    Parameters
    ----------
    text : str
        One or more lines. Characters that the encoding lacks stand as escapes.
    err : bool, optional
        Print to standard error.
    """
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=err)


def note(message: str) -> None:
    """
    Print one line to standard error.

    Parameters
    ----------
    message : str
        Made safe by `clean`.
    """
    say(clean(message), err=True)


def counted(number: int, noun: str) -> str:
    """
    Write a number with what it counts.

    Parameters
    ----------
    number : int
        How many.
    noun : str
        Of what; its plural ends in s.

    Returns
    -------
    str
        With a comma between thousands.

    Examples
    --------
    >>> counted(1, "file"), counted(1200, "step")
    ('1 file', '1,200 steps')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def print_json(value: object) -> None:
    """
    Print a value as JSON, and nothing else.

    Parameters
    ----------
    value : object
        Of plain dicts, lists, strings, finite numbers, booleans and None. Other characters than
        ASCII are escaped, so the output is the same in every terminal and encoding.
    """
    click.echo(json.dumps(value, indent=2, allow_nan=False))


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """
    Show how far a long piece of work is, on a terminal only.

    Parameters
    ----------
    label : str
        What is being done.
    total : int
        How many pieces there are.

    Yields
    ------
    Progress
        Its `advance` takes the one task, 0.
    """
    screen = console(sys.stderr or io.StringIO())
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        bar.add_task(label, total=total)
        yield bar

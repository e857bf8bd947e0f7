"""Read one transcript, whatever format it turns out to be in."""

from __future__ import annotations

import os
from typing import BinaryIO

from timectx.errors import FormatError, UnsupportedFormatError
from timectx.formats.detect import FORMATS_READ, sniff
from timectx.formats.dsh import read_dsh
from timectx.formats.dsh_strict import read_dsh_strictly
from timectx.formats.lines import MAX_LINE_BYTES, holds_zstd, open_file, open_lines
from timectx.formats.report import refusal
from timectx.session.log import Session

__all__ = ["read_session", "read_stream"]


def read_session(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    strict: bool = False,
    check: bool = False,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Session:
    """
    Read one session file.

    Parameters
    ----------
    path : str or path-like
        The file, plain or Zstandard-compressed; it is only ever read.
    format : str, optional
        The format it is in, such as ``dsh-0``; None looks into the file.
    strict : bool, optional
        Refuse what the tool that wrote the file would itself refuse. By default everything that
        can be used is used, and the session's `problems` say what was odd.
    check : bool, optional
        Decode and check streamed output as well, and keep it as the session's `stream`. By
        default it is skipped by the beginning of its lines; the events are the same either way.
    max_line_bytes : int, optional
        The longest line to read; a longer one is left out and reported.

    Returns
    -------
    Session
        Its header, events and problems.

    Raises
    ------
    FormatError
        If the file cannot be opened or holds no session, or breaks a rule under `strict`.
    UnsupportedFormatError
        If it is a transcript in a format that is recognised and not read.

    Examples
    --------
    >>> read_session("missing.jsonl")
    Traceback (most recent call last):
    timectx.errors.FormatError: missing.jsonl:0: no such file; expected a session log
    """
    name = os.fsdecode(path)
    with open_file(name) as stream:
        return read_stream(name, stream, format=format, strict=strict, check=check, max_line_bytes=max_line_bytes)


def read_stream(
    name: str,
    stream: BinaryIO,
    *,
    format: str | None = None,
    strict: bool = False,
    check: bool = False,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Session:
    """
    Read one session from an open file.

    Parameters
    ----------
    name : str
        What the file is called; it becomes the session's `path`.
    stream : binary file
        Seekable, wherever it lies.
    format : str, optional
        As for `read_session`.
    strict : bool, optional
        As for `read_session`.
    check : bool, optional
        As for `read_session`.
    max_line_bytes : int, optional
        As for `read_session`.

    Returns
    -------
    Session
        As `read_session`.

    Raises
    ------
    FormatError
        As `read_session`.
    """
    zstd = holds_zstd(stream, name)
    if format is None:
        _check_format(name, _found(name, stream, zstd=zstd, strict=strict))
    elif format not in ("dsh", *FORMATS_READ):
        raise _unsupported(name, format)
    stream.seek(0)
    if strict:
        return read_dsh_strictly(name, stream, zstd=zstd, check=check, max_line_bytes=max_line_bytes)
    return read_dsh(name, open_lines(stream, zstd=zstd, max_line_bytes=max_line_bytes), check=check)


def _found(path: str, stream: BinaryIO, *, zstd: bool, strict: bool) -> str:
    try:
        return sniff(path, stream, zstd=zstd)
    except FormatError:
        if strict:  # dsh has its own word for what is wrong with the beginning of a file
            return "dsh"
        raise


def _check_format(path: str, found: str) -> None:
    if not found.startswith("dsh"):  # other numbers of dsh are refused by their header, each with its own kind
        raise _unsupported(path, found)


def _unsupported(path: str, found: str) -> FormatError:
    text = f"a transcript in format {found}, which this release does not read; it reads {', '.join(FORMATS_READ)}"
    return refusal(path, 1, "unsupported-format", text, cause=UnsupportedFormatError)

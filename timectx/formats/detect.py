"""Tell by a file's first lines which tool wrote it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import BinaryIO, Final

from timectx.errors import FormatError
from timectx.formats.dsh_header import version_of
from timectx.formats.lines import LineBatches, holds_zstd, open_file, open_lines
from timectx.formats.loose_json import parse_json
from timectx.formats.report import refusal
from timectx.session.data import JsonObject

__all__ = ["FORMATS_READ", "detect_format", "sniff"]

FORMATS_READ: Final = ("dsh-0",)
"""The formats that can be read."""

_LOOKED_AT: Final = 20
_LOOKED_AT_BYTES: Final = 8 * 2**20
_CLAUDE_KEYS: Final = frozenset({"sessionId", "parentUuid", "leafUuid", "isSidechain"})
_CODEX_TYPES: Final = ("session_meta", "turn_context", "response_item", "event_msg", "world_state", "compacted")
_SIGNATURES: Final = (
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
    (b"\x1f\x8b", "gzip data; unpack it first"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"BZh", "bzip2 data; unpack it first"),
    (b"\xfd7zXZ", "xz data; unpack it first"),
    (b"SQLite format 3", "a database; expected a log of JSON lines"),
)


def detect_format(path: str | os.PathLike[str]) -> str:
    """
    Tell which tool's format a file is in, from its content alone.

    Parameters
    ----------
    path : str or path-like
        A file, plain or Zstandard-compressed.

    Returns
    -------
    str
        ``dsh-0``, ``dsh-1`` and so on, ``claude-code``, ``codex`` or ``pi``.

    Raises
    ------
    FormatError
        Kind ``not-a-session`` when no known tool writes such lines; kind
        ``empty-or-header-less-session-log`` for an empty file; and those of a file that cannot
        be opened: ``no-such-file``, ``is-a-folder``, ``not-a-regular-file``, ``unreadable``.
    """
    name = os.fsdecode(path)
    with open_file(name) as stream:
        zstd = holds_zstd(stream, name)
        return sniff(name, stream, zstd=zstd)


def sniff(path: str, stream: BinaryIO, *, zstd: bool) -> str:
    """
    Tell the format from a file's first lines.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    stream : binary file
        The file at its beginning; its position is moved.
    zstd : bool
        Whether it is a Zstandard container.

    Returns
    -------
    str
        As `detect_format`.

    Raises
    ------
    FormatError
        As `detect_format`.
    """
    batches = open_lines(stream, zstd=zstd, max_bytes=_LOOKED_AT_BYTES)
    first: tuple[int, bytes, str] | None = None
    for number, line in enumerate(_first_lines(batches), 1):
        if not line.strip():
            continue
        found, why = _format_of(line)
        if found:
            return found
        first = first or (number, line, why)
        if number > _LOOKED_AT:
            break
    if first is None:
        kind = "empty-or-header-less-zstandard-session" if zstd else "empty-or-header-less-session-log"
        raise refusal(path, 1, kind, "the file is empty or its first line is cut off; expected a session log")
    number, line, why = first
    known = next((text for signature, text in _SIGNATURES if line.startswith(signature)), why)
    if batches.faults:
        known = f"{batches.faults[0][1].text}; {known}"
    raise refusal(path, number, "not-a-session", f"{known}; expected a log of dsh, whose first line is its header")


def _first_lines(batches: LineBatches) -> Iterator[bytes]:
    yield from itertools.chain.from_iterable(batches)
    yield batches.rest


def _format_of(line: bytes) -> tuple[str, str]:
    """Return the format a line shows, or "" and why it shows none."""
    try:
        record, _ = parse_json(line.removeprefix(b"\xef\xbb\xbf"))
    except FormatError as error:
        return "", str(error)
    if not isinstance(record, dict):
        return "", "a line that is no JSON object"
    return _format_of_record(record), "no header of a session"


def _format_of_record(record: JsonObject) -> str:
    if record.get("type") == "session":
        if "timestamp" in record and "createdAt" not in record:
            return "pi"
        version = version_of(record)
        return f"dsh-{version}" if version is not None else "dsh-0"
    if _CLAUDE_KEYS & record.keys():
        return "claude-code"
    if record.get("type") in _CODEX_TYPES and "payload" in record:
        return "codex"
    return ""

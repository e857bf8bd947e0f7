"""Find the logs below a root, and refuse a root that dsh would not open."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from timectx.errors import FormatError, StoreError
from timectx.formats.dsh_header import check_header, read_header, version_of
from timectx.formats.dsh_names import derives_path, encode_segment
from timectx.formats.lines import LineBatches, holds_zstd, open_file, open_lines
from timectx.formats.loose_json import parse_json
from timectx.formats.report import Report, refusal
from timectx.formats.zstd import Frame, inflate_frame, scan_frames
from timectx.session.header import SessionHeader

__all__ = ["check_root", "find_log", "list_logs"]

_NAMES: Final = ("session.jsonl", "session.jsonl.zstd")


def find_log(root: str | os.PathLike[str], session_id: str) -> Path | None:
    """
    Find a session's log by its id alone.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    session_id : str
        The session's id.

    Returns
    -------
    Path or None
        None when no project has it.

    Raises
    ------
    StoreError
        Kind ``session-in-two-places``, which dsh refuses; kind ``unreadable`` for a folder that
        cannot be searched.
    SessionError
        As `encode_segment`.
    """
    segment = encode_segment(session_id)
    with _searching(root):
        places = (project / segment / name for project in _folders(Path(root)) for name in _NAMES)
        found = [path for path in places if path.is_file()]
    if len(found) > 1:
        named = ", ".join(map(str, found))
        raise StoreError(f"session {session_id!r} has more than one log: {named}", kind="session-in-two-places")
    return found[0] if found else None


def check_root(root: str | os.PathLike[str], *, compress: bool) -> None:
    """
    Refuse to write into a root where one more log would make all of them unreadable for dsh.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions; it need not exist.
    compress : bool
        Whether the log to write is a Zstandard container.

    Raises
    ------
    StoreError
        Kind ``other-compression`` where the root holds a log of the other kind; kind ``flat-log``
        where a log lies in a project's folder itself; kind ``unreadable``.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts.
    """
    with _searching(root):
        for project in _folders(Path(root)):
            for entry in sorted(project.iterdir()):
                _check_place(entry, compress=compress)


def list_logs(root: str | os.PathLike[str]) -> tuple[SessionHeader, ...]:
    """
    List the sessions below a root by their headers.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.

    Returns
    -------
    tuple of SessionHeader
        In the order of project and session folders, also of formats that cannot be read; a log
        whose header was never finished is left out.

    Raises
    ------
    FormatError
        With the kind of the rule that a header breaks, for the first one that does; kind
        ``corrupt-session-log-header-id-and`` for one that lies in a folder it does not name.
    StoreError
        Kind ``unreadable``.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts, `list`.
    """
    with _searching(root):
        entries = (entry for project in _folders(Path(root)) for entry in _folders(project))
        logs = [path for entry in entries for name in _NAMES if (path := entry / name).is_file()]
    return tuple(header for path in logs if (header := _header(path)) is not None)


@contextmanager
def _searching(root: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{os.fspath(root)}: cannot be searched: {error}", kind="unreadable") from error


def _check_place(entry: Path, *, compress: bool) -> None:
    if entry.name.endswith((".jsonl", ".jsonl.zstd")) and entry.is_file():
        raise StoreError(f"{entry}: a log outside a session's own folder; move it away", kind="flat-log")
    other = entry / (_NAMES[0] if compress else _NAMES[1])
    if other.is_file():
        have = "plain" if compress else "compressed"
        raise StoreError(
            f"{other}: this root holds {have} logs; expected all of one kind: pass compress={not compress} or use "
            "another root",
            kind="other-compression",
        )


def _header(path: Path) -> SessionHeader | None:
    name = os.fspath(path)
    with open_file(name) as stream:
        zstd = holds_zstd(stream, name)
        if not zstd:
            lines = open_lines(stream, zstd=False)
        else:
            frame = next(scan_frames(stream, os.fstat(stream.fileno()).st_size), None)
            if not isinstance(frame, Frame) or not frame.complete:
                return None
            lines = LineBatches(inflate_frame(stream, frame))
        first = list(itertools.islice(itertools.chain.from_iterable(lines), 2))
    if zstd and (len(first) != 1 or lines.rest):
        text = "the first frame holds something else than the header line alone"
        raise refusal(name, 1, "corrupt-zstandard-session-log-first-frame", text)
    return _checked(name, first[0]) if first else None


def _checked(name: str, line: bytes) -> SessionHeader:
    try:
        record, _ = parse_json(line)
    except FormatError as error:
        text = f"the header is no valid JSON: {error}"
        raise refusal(name, 1, "corrupt-session-log-header-line-is", text) from None
    if not (isinstance(record, dict) and record.get("type") == "session" and version_of(record)):
        check_header(name, record)
    header = read_header(record, 1, Report())
    if derives_path(header, name):
        text = f"the header's id {header.id!r} and cwd {header.cwd!r} name another folder"
        raise refusal(name, 1, "corrupt-session-log-header-id-and", text)
    return header


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (entry for entry in sorted(folder.iterdir()) if entry.is_dir())

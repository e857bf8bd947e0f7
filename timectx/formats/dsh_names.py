"""Name the folders and files in which dsh keeps its logs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from timectx.errors import SessionError
from timectx.session.header import SessionHeader

__all__ = ["derives_path", "encode_segment", "log_path", "project_key"]

_NO_CWD: Final = "_no-cwd"
_LONGEST: Final = 251
_LITERAL: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_SEPARATORS: Final = re.compile(r"[/\\:]+")
_LOG_NAME: Final = re.compile(r"session\.jsonl(?:\.zstd)?")


def log_path(root: str | os.PathLike[str], header: SessionHeader, *, compress: bool = True) -> Path:
    """
    Return where dsh keeps a session's log of format 0.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    header : SessionHeader
        Its id and working folder make the path.
    compress : bool, optional
        Whether the log is a Zstandard container, as it is by default.

    Returns
    -------
    Path
        ``<root>/<project>/<segment>/session.jsonl`` or ``….jsonl.zstd``.

    Raises
    ------
    SessionError
        As `project_key` and `encode_segment`.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/format.ts, `logPath`.

    Examples
    --------
    >>> log_path("/base", SessionHeader(id="s/1", cwd="/home/dev")).as_posix()
    '/base/--home-dev--/s~002F1/session.jsonl.zstd'
    """
    name = "session.jsonl.zstd" if compress else "session.jsonl"
    return Path(root) / project_key(header.cwd) / encode_segment(header.id) / name


def project_key(cwd: str | None) -> str:
    """
    Return the name of the folder that holds the sessions of one working folder.

    Parameters
    ----------
    cwd : str or None
        The working folder; None for a session that has none.

    Returns
    -------
    str
        At most 255 characters; different working folders may share one.

    Raises
    ------
    SessionError
        Kind ``cannot-encode-an-empty-project-path``.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/format.ts, `projectKey`.

    Examples
    --------
    >>> project_key("/data/my proj/é~x"), project_key(None)
    ('--data-my~0020proj-~00E9~007Ex--', '_no-cwd')
    """
    if cwd is None:
        return _NO_CWD
    if not cwd:
        raise SessionError("a project path cannot be empty", kind="cannot-encode-an-empty-project-path")
    slug = "-".join(_escaped(part) for part in _SEPARATORS.split(cwd)).lstrip("-")
    return f"--{(slug or 'root')[:_LONGEST]}--"


def encode_segment(session_id: str) -> str:
    """
    Return the name of the folder that holds one session.

    Parameters
    ----------
    session_id : str
        The session's id; it may hold half a surrogate pair.

    Returns
    -------
    str
        A file name from which the id can be read back.

    Raises
    ------
    SessionError
        Kind ``cannot-encode-an-empty-path-segment``.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/format.ts, `encodeSegment`.

    Examples
    --------
    >>> encode_segment("a/b"), encode_segment("..")
    ('a~002Fb', '~002E~002E')
    """
    if not session_id:
        raise SessionError("a session id cannot be empty", kind="cannot-encode-an-empty-path-segment")
    if session_id in (".", ".."):
        return "~002E" * len(session_id)
    return _escaped(session_id)


def derives_path(header: SessionHeader, path: str) -> str | None:
    """
    Tell whether a header belongs where its log lies.

    Parameters
    ----------
    header : SessionHeader
        The log's header.
    path : str
        The log's path.

    Returns
    -------
    str or None
        ``id`` or ``cwd``, whichever names another folder; None when both fit, or when the path
        does not have the form of `log_path`.
    """
    place = Path(path).absolute()
    project = place.parent.parent.name
    marked = len(project) > len("----") and project.startswith("--") and project.endswith("--")
    if not _LOG_NAME.fullmatch(place.name) or not (marked or project == _NO_CWD):
        return None
    if not header.id or encode_segment(header.id) != place.parent.name:
        return "id"
    return None if header.cwd != "" and project_key(header.cwd) == project else "cwd"


def _escaped(text: str) -> str:
    return "".join(char if char in _LITERAL else _escape(char) for char in text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"~{units[at : at + 4]}" for at in range(0, len(units), 4))

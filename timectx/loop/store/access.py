"""Open durable logs: a new one, one that is there with its repair, one to go on with, a copy of a beginning."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from msgspec.structs import replace

from timectx.errors import SessionError, StoreError
from timectx.formats.dsh_header import check_header, check_header_values, header_record
from timectx.formats.dsh_names import log_path
from timectx.formats.dsh_rows import full_log
from timectx.loop.store.durable import DurableLog, stored
from timectx.loop.store.file import LogFile
from timectx.loop.store.folder import check_root, find_log
from timectx.loop.store.history import next_seq
from timectx.loop.store.lock import WriterLock
from timectx.loop.store.repair import Repair, plan_repair, read_stored
from timectx.loop.store.wording import write_error
from timectx.session.closers import closing_events
from timectx.session.events import Event
from timectx.session.header import SessionHeader
from timectx.session.log import Session

__all__ = ["fork_log", "inspect_log", "load_log", "open_log", "resume_log"]


def open_log(root: str | os.PathLike[str], header: SessionHeader, *, compress: bool = True) -> DurableLog:
    """
    Start the log of a new session.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    header : SessionHeader
        Its id and working folder decide where the log lies.
    compress : bool, optional
        Whether to write a Zstandard container, as dsh does by default.

    Returns
    -------
    DurableLog
        Empty; its file appears with the first flush.

    Raises
    ------
    StoreError
        Kind ``session-exists`` or ``session-in-two-places`` when the root has the session;
        ``other-compression`` and ``flat-log`` when the root's other logs do not go with this one;
        ``session-locked``, ``not-writable``, ``disk-full`` and ``write-failed``.
    FormatError, SessionError
        If the header is not one that can be read again.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts.

    Examples
    --------
    >>> import tempfile
    >>> from timectx.session.events import TurnData, TurnStart
    >>> with tempfile.TemporaryDirectory() as root:
    ...     with open_log(root, SessionHeader(id="s", created_at_ms=5), compress=False) as log:
    ...         log.append([TurnStart(seq=0, time_ms=7, data=TurnData(turn=1))])
    ...     print(log.path.read_text(), end="")
    {"type":"session","version":0,"id":"s","createdAt":5,"delegationDepth":0}
    {"type":"turn/start","seq":0,"time":7,"data":{"turn":1}}
    """
    record = header_record(header)
    check_header(f"session {header.id!r}", record)
    check_header_values(record)
    path = log_path(root, header, compress=compress)
    check_root(root, compress=compress)
    with _released_on_error(WriterLock(path.parent)) as lock:
        if (existing := find_log(root, header.id)) is not None:
            raise StoreError(f"{existing}: session {header.id!r} is there; load it to go on", kind="session-exists")
        session = Session(replace(header, delegation_depth=header.delegation_depth or 0), ())
        return DurableLog(session, LogFile(path), lock, compress=compress)


def load_log(root: str | os.PathLike[str], session_id: str) -> DurableLog:
    """
    Open the log of a session that is there, and repair it where a crash left it unfinished.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    session_id : str
        The session's id.

    Returns
    -------
    DurableLog
        Its `repair` says what was changed; the session's problems say what was cut off.

    Raises
    ------
    StoreError
        Kind ``session-not-found``; otherwise as `open_log`.
    FormatError
        If dsh would refuse the log, with the kind of its rule; nothing was changed then.

    Notes
    -----
    A torn end goes. What a torn last frame still holds is written again, and an interrupted turn
    gets its closing events, at the time of the last entry [1]_. Early layouts are converted in
    memory alone.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts, `commitRepair`,
       and packages/core/session/src/repair.ts.
    """
    path = _existing(root, session_id)
    compress = path.name.endswith(".zstd")
    check_root(root, compress=compress)
    with _released_on_error(WriterLock(path.parent)) as lock:
        session = read_stored(path)
        repair = plan_repair(path, session)
        file = _repaired(path, repair, compress=compress)
        return DurableLog(session.closed(), file, lock, compress=compress, repair=repair)


def resume_log(root: str | os.PathLike[str], session_id: str, *, now_ms: int) -> DurableLog:
    """
    Load a session's log to go on with it, and mark the end of its history so far.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    session_id : str
        The session's id.
    now_ms : int
        The time of the mark, in epoch milliseconds.

    Returns
    -------
    DurableLog
        Its last event is ``session/end-seed``, as a batch of its own; one that is the last event
        already is not repeated.

    Raises
    ------
    StoreError, FormatError
        As `load_log`.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `Session`.
    """
    log = load_log(root, session_id)
    with _closed_on_error(log):
        log.end_seed(now_ms)
    return log


def fork_log(
    root: str | os.PathLike[str], session_id: str, new_id: str, *, now_ms: int, boundary: int | None = None
) -> DurableLog:
    """
    Start a new session with the beginning of another one.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    session_id : str
        The session to copy from; it may have a writer, whose pending events are not copied.
    new_id : str
        The new session's id.
    now_ms : int
        When the new session begins, in epoch milliseconds.
    boundary : int, optional
        Seq of the last event to copy; None copies all.

    Returns
    -------
    DurableLog
        The copied events and ``session/end-seed``, durable. Its header names the parent, how many
        events were copied, and the parent's working folder.

    Raises
    ------
    SessionError
        Kind ``no-such-event`` for a boundary outside the log; ``boundary-inside-turn``.
    StoreError, FormatError
        As `load_log` for the parent and `open_log` for the new session.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `SessionStore.fork`.
    """
    path = _existing(root, session_id)
    parent = read_stored(path)
    prefix = _prefix(parent, next_seq(parent) - 1 if boundary is None else boundary)
    header = SessionHeader(
        id=new_id,
        created_at_ms=now_ms,
        cwd=parent.header.cwd,
        parent_session=parent.header.id,
        seed_length=len(prefix),
        delegation_depth=0,
    )
    log = open_log(root, header, compress=path.name.endswith(".zstd"))
    with _closed_on_error(log):
        log.append(prefix)
        log.end_seed(now_ms)
    return log


def inspect_log(root: str | os.PathLike[str], session_id: str) -> Session:
    """
    Read a session as a load of its log would give it, and change nothing.

    Parameters
    ----------
    root : str or path-like
        The folder of all sessions.
    session_id : str
        The session's id; it may have a writer.

    Returns
    -------
    Session
        With its streamed output, and closing events in memory.

    Raises
    ------
    StoreError, FormatError
        As `load_log`.
    """
    return read_stored(_existing(root, session_id)).closed()


@contextmanager
def _released_on_error(lock: WriterLock) -> Iterator[WriterLock]:
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


@contextmanager
def _closed_on_error(log: DurableLog) -> Iterator[None]:
    try:
        yield
    except BaseException:
        log.abandon()
        raise


def _existing(root: str | os.PathLike[str], session_id: str) -> Path:
    path = find_log(root, session_id)
    if path is None:
        raise StoreError(f"{os.fspath(root)}: no log of session {session_id!r} here", kind="session-not-found")
    return path


def _repaired(path: Path, repair: Repair, *, compress: bool) -> LogFile:
    try:
        file = LogFile(path)
        if repair.needed:
            batch = repair.batch
            data = stored(batch, compress=compress) if batch else b""
            file.replace_tail(repair.kept_bytes, data, at_once=bool(repair.recovered))
    except StoreError:
        raise
    except OSError as error:
        raise write_error(path, error, "the log was not repaired; what it held can still be read") from error
    return file


def _prefix(parent: Session, boundary: int) -> list[Event]:
    if not -1 <= boundary < next_seq(parent):
        text = f"session {parent.header.id!r} has no event {boundary}; its last one is {next_seq(parent) - 1}"
        raise SessionError(text, kind="no-such-event")
    prefix = list(takewhile(lambda event: event.seq <= boundary, full_log(parent)))
    if closing_events(prefix):
        text = f"a turn is open after event {boundary} of session {parent.header.id!r}; fork where none is"
        raise SessionError(text, kind="boundary-inside-turn")
    return prefix

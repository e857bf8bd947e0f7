"""Append to one session's log, durable by the batch."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from timectx.errors import StoreError
from timectx.formats.dsh_store import batch_bytes, compress_frame, header_bytes
from timectx.loop.store.file import LogFile
from timectx.loop.store.history import History
from timectx.loop.store.lock import WriterLock
from timectx.loop.store.repair import Repair
from timectx.loop.store.wording import write_error
from timectx.session.data import SeedData
from timectx.session.events import EndSeed, Event
from timectx.session.log import Session

__all__ = ["DurableLog", "stored"]


class DurableLog:
    """
    Append to one session's log; made by `open_log`, `load_log`, `resume_log` or `fork_log`.

    Parameters
    ----------
    session : Session
        The log so far, read with its streamed output; only a header for a new one.
    file : LogFile
        The file that holds it.
    lock : WriterLock
        The right to write it; it is released by `close`.
    compress : bool
        Whether the file is a Zstandard container.
    repair : Repair, optional
        What loading it changed in the file; None for a new log.

    Attributes
    ----------
    header : SessionHeader
        The first line.
    path : Path
        The file; it is not there before the first `flush`.
    repair : Repair or None
        As given.

    Notes
    -----
    Events wait in memory until `flush` makes them durable together. After a failed flush the file
    is as it was before, the events still wait, and the log can be used on. A process killed at any
    point loses the waiting events and no other.
    """

    def __init__(
        self, session: Session, file: LogFile, lock: WriterLock, *, compress: bool, repair: Repair | None = None
    ) -> None:
        self.header, self.path, self.repair = session.header, file.path, repair
        self._history = History(session)
        self._file, self._lock, self._compress = file, lock, compress
        self._pending: list[Event] = []

    def __enter__(self) -> Self:
        """Use the log in a ``with`` block, which closes it."""
        return self

    def __exit__(
        self, cause: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Flush and close the log, also when the block failed: what happened has happened."""
        self.close()

    def __repr__(self) -> str:
        """Say what is durable and what waits."""
        return f"<DurableLog {self.header.id!r}: {self.next_seq} events, {len(self._pending)} pending>"

    @property
    def next_seq(self) -> int:
        """The seq of the event that comes next, pending ones counted."""
        return self._history.next_seq

    @property
    def pending(self) -> tuple[Event, ...]:
        """The events that wait for `flush`."""
        return tuple(self._pending)

    def session(self) -> Session:
        """
        Return the log so far as a session, pending events included.

        Returns
        -------
        Session
            What a reader of the flushed file would get. It is made anew at each call, in time that
            grows with the log.
        """
        return self._history.session()

    def append(self, events: Iterable[Event]) -> None:
        """
        Add events to those that wait, all of them or none.

        Parameters
        ----------
        events : iterable of Event
            What happened next, in order; their seqs go on from `next_seq`.

        Raises
        ------
        SessionError
            As `check_entry`, for an event that a load of the log would refuse.
        StoreError
            Kind ``log-closed``.

        References
        ----------
        .. [1] deepseek-harness, packages/core/session/src/index.ts, `append`.
        """
        self._check_open()
        self._pending.extend(self._history.extend(events))

    def flush(self) -> int:
        """
        Make the waiting events durable, as one batch.

        Returns
        -------
        int
            How many there were. With none, a new log gets its header alone, and an old one stays
            as it is.

        Raises
        ------
        StoreError
            Kinds ``disk-full``, ``not-writable`` and ``write-failed`` for what the system refused;
            ``changed-outside`` and ``log-gone`` when something else changed the file;
            ``log-broken`` when a failed write could not be undone; ``log-closed``.

        Notes
        -----
        A new log appears whole, with header and first batch, under its name. Runs of three or more
        streamed pieces are packed into rows, never across batches; in a container each batch is
        one frame [1]_.

        References
        ----------
        .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts, `append`.
        """
        self._check_open()
        count = len(self._pending)
        if not count and self._file.size:
            return 0
        parts = [] if self._file.size else [header_bytes(self.header)]
        parts += [batch_bytes(self._pending)] if count else []
        data = b"".join(stored(part, compress=self._compress) for part in parts)
        try:
            self._file.append(data)
        except StoreError:
            raise
        except OSError as error:
            outcome = f"nothing of this batch is in it; what waits is kept, events: {count}"
            raise write_error(self.path, error, outcome) from error
        self._pending = []
        return count

    def end_seed(self, now_ms: int) -> None:
        """
        Mark the end of a history that was taken over, and flush.

        Parameters
        ----------
        now_ms : int
            The time of the mark, in epoch milliseconds.

        Raises
        ------
        StoreError
            As `flush`.

        Notes
        -----
        Where the last event is such a mark already, there is no second one [1]_.

        References
        ----------
        .. [1] deepseek-harness, packages/core/session/src/index.ts, `Session`.
        """
        if not self._history.is_seeded:
            self.append([EndSeed(seq=self.next_seq, time_ms=now_ms, data=SeedData())])
        self.flush()

    def close(self) -> None:
        """
        Flush what waits, and let the next writer in; a second call does nothing.

        Raises
        ------
        StoreError
            As `flush`; the log is closed all the same, and what waited is lost.
        """
        try:
            if self._lock.held and self._pending:
                self.flush()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let the next writer in without flushing: what waits is lost; a second call does nothing."""
        self._pending = []
        self._file.close()
        self._lock.release()

    def _check_open(self) -> None:
        if not self._lock.held:
            text = f"{self.path}: this log is closed, or another process opened it; load it again"
            raise StoreError(text, kind="log-closed")


def stored(lines: bytes, *, compress: bool) -> bytes:
    """
    Return the bytes that put lines into a log's file.

    Parameters
    ----------
    lines : bytes
        The header's line alone, or one batch.
    compress : bool
        Whether the file is a Zstandard container.

    Returns
    -------
    bytes
        The lines themselves, or one frame.
    """
    return compress_frame(lines) if compress else lines

"""Turn sessions into the bytes of a dsh log of format 0, and put them into a file whole."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import zstandard

from timectx.formats.dsh_header import header_record
from timectx.formats.dsh_rows import full_log, pack_chunk_rows
from timectx.session.data import JsonObject
from timectx.session.events import Event, StepEnd, ToolCall, TurnEnd
from timectx.session.header import SessionHeader
from timectx.session.log import Session
from timectx.session.records import record_of

__all__ = ["batch_bytes", "compress_frame", "header_bytes", "write_session"]

_BATCH_ENDS: Final = (ToolCall, StepEnd, TurnEnd)


def write_session(session: Session, path: str | os.PathLike[str], *, compress: bool | None = None) -> Path:
    """
    Write a session as a log of format 0.

    Parameters
    ----------
    session : Session
        Any session. Streamed output is written where the session holds it: read the session
        with ``check=True`` to keep it. Without it the log has the gaps in its seqs that the
        session has, and dsh itself will not open it.
    path : str or path-like
        The file to write; missing folders are made, and an older file is replaced at once when
        the new one is complete.
    compress : bool, optional
        Whether to write a Zstandard container; None goes by the ending of `path`, ``.zstd``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be written; an older one is then unchanged.

    Notes
    -----
    A container holds the header in its first frame and one batch of lines in each further
    one [1]_. A batch here is what happens up to a tool's start, or a step's or turn's end.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/zstd.ts.
    """
    target = Path(path)
    packed = target.name.endswith(".zstd") if compress is None else compress
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.parent / f".timectx-{os.getpid()}-{threading.get_ident()}.part"
    try:
        with unfinished.open("wb") as stream:
            for part in _parts(session):
                stream.write(compress_frame(part) if packed else part)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return target


def header_bytes(header: SessionHeader) -> bytes:
    r"""
    Return the first line of a log.

    Parameters
    ----------
    header : SessionHeader
        The header.

    Returns
    -------
    bytes
        One line with its newline.

    Examples
    --------
    >>> header_bytes(SessionHeader(id="s", created_at_ms=5))
    b'{"type":"session","version":0,"id":"s","createdAt":5,"delegationDepth":0}\n'
    """
    return _line(header_record(header))


def batch_bytes(events: Iterable[Event]) -> bytes:
    """
    Return the lines of one append batch, with streamed pieces packed.

    Parameters
    ----------
    events : iterable of Event
        The batch, in log order; no packed row crosses its edges.

    Returns
    -------
    bytes
        Whole lines.
    """
    return b"".join(map(_line, pack_chunk_rows(map(record_of, events))))


def compress_frame(content: bytes) -> bytes:
    """
    Return one frame of a Zstandard container.

    Parameters
    ----------
    content : bytes
        Whole lines: the header's alone, or one batch.

    Returns
    -------
    bytes
        A frame with a checksum and without its content size, as dsh streams them.
    """
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=False).compressobj()
    return compressor.compress(content) + compressor.flush()


def _parts(session: Session) -> Iterator[bytes]:
    yield header_bytes(session.header)
    batch: list[Event] = []
    for event in full_log(session):
        batch.append(event)
        if isinstance(event, _BATCH_ENDS):
            yield batch_bytes(batch)
            batch = []
    if batch:
        yield batch_bytes(batch)


def _line(record: JsonObject) -> bytes:
    try:
        return msgspec.json.encode(record) + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair: written as an escape, as JavaScript does
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace") + b"\n"

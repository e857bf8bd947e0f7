"""Take the lines of a log out of its file under dsh's own rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from timectx.errors import FormatError
from timectx.formats.lines import TOO_LONG, LineBatches, open_lines, size_of
from timectx.formats.report import Report, refusal
from timectx.formats.zstd import Fault, Frame, inflate_frame, scan_frames

__all__ = ["container_lines"]


def container_lines(
    path: str, stream: BinaryIO, *, zstd: bool, max_line_bytes: int, report: Report
) -> Iterator[tuple[list[bytes], bool]]:
    """
    Yield the complete lines of a log.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    stream : binary file
        The file, open.
    zstd : bool
        Whether it is a Zstandard container.
    max_line_bytes : int
        The longest line to read.
    report : Report
        Gets a problem where the end of the file is cut off, which dsh passes over.

    Yields
    ------
    lines : list of bytes
        Some lines, without their newlines.
    committed : bool
        True where they come from a complete frame, in which nothing may be wrong.

    Raises
    ------
    FormatError
        Kinds ``corrupt-zstandard-session-log-…``, ``empty-or-header-less-zstandard-session`` and
        ``line-too-long``.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/index.ts, `readZstdPrefix`.
    """
    read = _frame_lines(path, stream, max_line_bytes, report) if zstd else _plain_lines(stream, max_line_bytes, report)
    count = 0
    for batch, committed in read:
        if any(line is TOO_LONG for line in batch):
            text = f"a line of more than {max_line_bytes} bytes; raise max_line_bytes to read it"
            raise refusal(path, count + 1, "line-too-long", text)
        count += len(batch)
        yield batch, committed


def _plain_lines(stream: BinaryIO, max_line_bytes: int, report: Report) -> Iterator[tuple[list[bytes], bool]]:
    batches = open_lines(stream, zstd=False, max_line_bytes=max_line_bytes)
    for batch in batches:
        yield batch, False
    if batches.rest:
        report.add(batches.count + 1, "torn-tail", "the last line has no newline; it was left out")


def _frame_lines(
    path: str, stream: BinaryIO, max_line_bytes: int, report: Report
) -> Iterator[tuple[list[bytes], bool]]:
    frames: list[Frame] = []
    for item in scan_frames(stream, size_of(stream)):
        if isinstance(item, Fault):
            if item.kind == "torn-frame":
                break
            raise refusal(path, 0, item.kind, item.text)
        frames.append(item)
    if not frames or not frames[0].complete:
        text = "the file holds no complete frame; expected one with the header"
        raise refusal(path, 1, "empty-or-header-less-zstandard-session", text)
    count = 0
    for frame in frames:
        batches = LineBatches(inflate_frame(stream, frame), max_line_bytes=max_line_bytes)
        for batch in batches:
            if frame is frames[0] and batches.count > 1:
                raise _first_frame(path)
            yield batch, frame.complete
        count += batches.count
        if frame.complete:
            _check_frame(path, batches, count, first=frame is frames[0])
        else:
            report.add(count + 1, "torn-frame", "the last frame is cut off; its complete lines were kept")


def _check_frame(path: str, batches: LineBatches, count: int, *, first: bool) -> None:
    for _, fault in batches.faults:
        raise refusal(path, count - batches.count + 1, fault.kind, fault.text)
    if first and (batches.rest or batches.count != 1):
        raise _first_frame(path)
    if batches.rest:
        kind = "corrupt-zstandard-session-log-complete-frame"
        raise refusal(path, count + 1, kind, "a complete frame ends inside a line")


def _first_frame(path: str) -> FormatError:
    kind = "corrupt-zstandard-session-log-first-frame"
    return refusal(path, 1, kind, "the first frame holds something else than the header line alone")

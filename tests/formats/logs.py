"""Write small dsh logs for tests: records as one writes them by hand, and files with anything wrong with them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from timectx.formats.dsh_store import compress_frame

Record = dict[str, Any]

HEADER: Record = {"type": "session", "version": 0, "id": "s", "createdAt": 5, "cwd": "/w", "delegationDepth": 0}
"""A header dsh accepts."""


def event(kind: str, seq: int, data: Any, **marks: Any) -> Record:
    """Return one record; its time is a second times its seq."""
    return {"type": kind, "seq": seq, "time": 1000 * seq, "data": data, **marks}


def user(seq: int, text: str = "hello", **marks: Any) -> Record:
    """Return a prompt on the surface."""
    data = {"content": [{"type": "text", "text": text}], "source": {"kind": "user"}, "role": "user", "id": f"u{seq}"}
    return event("user/message", seq, data, **{"surfaceOp": "append", **marks})


def reply(seq: int, *blocks: Record, **marks: Any) -> Record:
    """Return a reply of turn 1, step 1."""
    source = {"kind": "model", "provider": "p", "model": "m"}
    message = {"role": "assistant", "content": list(blocks), "source": source, "id": f"a{seq}"}
    data = {"turn": 1, "step": 1, "message": message}
    return event("assistant/message", seq, data, **{"surfaceOp": "append", **marks})


def result(seq: int, call_id: str, text: str = "done", **marks: Any) -> Record:
    """Return what a tool returned in turn 1, step 1."""
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": False,
    }
    message = {"source": {"kind": "tool", "callId": call_id}, "content": [block], "role": "user", "id": f"t{call_id}"}
    data = {"turn": 1, "step": 1, "message": message}
    return event("tool/result", seq, data, **{"surfaceOp": "append", **marks})


def piece(seq: int, text: str = "x") -> Record:
    """Return one streamed piece of a reply."""
    chunk = {"type": "text-delta", "index": 0, "text": text}
    return event("assistant/chunk", seq, {"turn": 1, "step": 1, "chunk": chunk})


def finish(seq: int) -> Record:
    """Return the end of a streamed reply."""
    chunk = {"type": "finish", "reason": {"kind": "stop"}}
    return event("assistant/chunk", seq, {"turn": 1, "step": 1, "chunk": chunk})


def row(seq: int, *texts: str) -> Record:
    """Return a packed row of text pieces, ten milliseconds apart."""
    data = {"turn": 1, "step": 1, "index": 0, "dt": [10] * (len(texts) - 1), "texts": list(texts)}
    return {"type": "text-chunks", "seq0": seq, "time0": 1000 * seq, "data": data}


def turn() -> list[Record]:
    """Return one whole turn of one step, whose reply is streamed: seqs 0 to 8."""
    return [
        event("turn/start", 0, {"turn": 1}),
        event("step/start", 1, {"turn": 1, "step": 1}),
        user(2),
        row(3, "so", "me"),
        finish(5),
        reply(6, {"type": "text", "text": "some"}),
        event("step/end", 7, {"turn": 1, "step": 1}),
        event("turn/end", 8, {"turn": 1, "reason": {"kind": "completed"}}),
    ]


def line(record: Any) -> bytes:
    """Return a record as its line, without spaces, as dsh writes it; bytes stay as they are."""
    if isinstance(record, bytes):
        return record
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def log_bytes(records: Iterable[Any], *, header: Any = HEADER) -> bytes:
    """Return a plain log; a record given as bytes is put in as it is."""
    return line(header) + b"".join(map(line, records))


def write_log(path: Path, records: Iterable[Any], *, header: Any = HEADER) -> Path:
    """Write a plain log."""
    path.write_bytes(log_bytes(records, header=header))
    return path


def write_frames(path: Path, *batches: Iterable[Any], header: Any = HEADER) -> Path:
    """Write a Zstandard log: a frame with the header, and one for each batch."""
    frames = [compress_frame(line(header)), *(compress_frame(b"".join(map(line, batch))) for batch in batches)]
    path.write_bytes(b"".join(frames))
    return path

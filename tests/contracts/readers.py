"""List the readers that exist, each with files to read: whole ones, and ones with something wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.formats.logs import (
    HEADER,
    event,
    finish,
    line,
    piece,
    reply,
    result,
    row,
    turn,
    user,
    write_frames,
    write_log,
)


@dataclass(frozen=True)
class Reader:
    """Name a format and make files in it: `whole` ones hold no fault, `broken` ones do and can still be read."""

    format: str
    whole: dict[str, Callable[[Path], Path]]
    broken: dict[str, Callable[[Path], Path]]


def tools() -> list[dict[str, object]]:
    """Return two steps with two tool calls, answered in the other order."""
    calls = [{"type": "tool-call", "id": one, "name": "t", "arguments": "{}"} for one in "ab"]
    runs = [
        event("tool/call", 4 + at, {"turn": 1, "step": 1, "callId": one, "name": "t", "arguments": "{}"})
        for at, one in enumerate("ba")
    ]
    return [
        event("turn/start", 0, {"turn": 1}),
        event("step/start", 1, {"turn": 1, "step": 1}),
        user(2),
        reply(3, *calls),
        *runs,
        result(6, "b"),
        result(7, "a"),
        event("step/end", 8, {"turn": 1, "step": 1}),
        event("step/start", 9, {"turn": 1, "step": 2}),
        piece(10),
        finish(11),
        reply(12, {"type": "text", "text": "done"}),
        user(13, "summary", surfaceOp={"op": "replace", "start": 2, "end": 12}, sourceEventSeqs=[2, 3, 6, 7, 12]),
        event("step/end", 14, {"turn": 1, "step": 2}),
        event("turn/end", 15, {"turn": 1, "reason": {"kind": "completed"}}),
    ]


DSH_0 = Reader(
    format="dsh-0",
    whole={
        "turn": lambda folder: write_log(folder / "a.jsonl", turn()),
        "tools": lambda folder: write_log(folder / "a.jsonl", tools()),
        "container": lambda folder: write_frames(folder / "a.jsonl.zstd", tools()[:8], tools()[8:]),
        "spaces": lambda folder: write_log(folder / "a.jsonl", [json.dumps(one).encode() + b"\r\n" for one in tools()]),
        "empty": lambda folder: write_log(folder / "a.jsonl", []),
        "open": lambda folder: write_log(folder / "a.jsonl", [*tools()[:6], row(6, "a", "b")]),
    },
    broken={
        "torn": lambda folder: write_log(folder / "a.jsonl", [*tools()[:5], b'{"type":"tool/res']),
        "middle": lambda folder: write_log(folder / "a.jsonl", [*tools()[:5], b"{\n", *tools()[6:]]),
        "gap": lambda folder: write_log(folder / "a.jsonl", [*tools()[:5], *tools()[8:]]),
        "twice": lambda folder: write_log(folder / "a.jsonl", [*tools(), *tools()]),
        "marker": lambda folder: write_log(folder / "a.jsonl", [user(0), user(1, surfaceOp="x"), user(2)]),
        "mark": lambda folder: write_log(folder / "a.jsonl", tools(), header=b"\xef\xbb\xbf" + line(HEADER)),
    },
)

READERS = (DSH_0,)

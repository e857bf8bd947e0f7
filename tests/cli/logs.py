"""Write small logs of format 0, one turn each, and run the command line on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result

from timectx.cli import main
from timectx.reading import BrowserZone, Reading, format_reading

START_MS = 1_784_077_261_000
"""2026-07-15T09:01:01+08:00[Asia/Shanghai]."""

STEPS_MS = (0, 30_000, 65_000, 200_000)
"""When the four steps of the usual log start, counted from its beginning."""


def run(*arguments: str | Path) -> Result:
    """Run ``timectx`` in this process, as typed; any exception that is no exit fails the test."""
    return CliRunner().invoke(main, [str(each) for each in arguments], prog_name="timectx", catch_exceptions=False)


def run_json(*arguments: str | Path, status: int = 0, silent: bool = True) -> Any:
    """
    Run a command with --json, and return the one JSON value it prints.

    Its status is as expected, standard error is empty where it should be silent, and no number is one JSON lacks.
    """
    result = run(*arguments, "--json")
    assert (result.exit_code, not silent or result.stderr == "") == (status, True)
    return json.loads(result.stdout, parse_constant=_refuse)


def printed(work: Callable[[], object], charset: str = "utf-8") -> str:
    """Return what a piece of work prints to standard output."""

    @click.command()
    def command() -> None:
        work()

    return CliRunner(charset=charset).invoke(command, catch_exceptions=False).stdout


def _refuse(word: str) -> None:
    raise AssertionError(f"JSON has no {word}")


class Log:
    """Build a log line by line."""

    def __init__(self, session_id: str = "s-1", **header: object) -> None:
        first = {"type": "session", "version": 0, "id": session_id, "createdAt": START_MS, "cwd": "/w", **header}
        self.records: list[dict[str, object]] = [first]

    def add(self, kind: str, time_ms: int, data: dict[str, object], **marks: object) -> None:
        """Append one event."""
        self.records.append({"type": kind, "seq": len(self.records) - 1, "time": time_ms, "data": data, **marks})

    def message(self, time_ms: int, text: str, source: dict[str, object]) -> None:
        """Append one message for the model."""
        content = [{"type": "text", "text": text}]
        data = {"content": content, "source": source, "role": "user", "id": f"m-{len(self.records)}"}
        self.add("user/message", time_ms, data, surfaceOp="append")

    def reading(self, step: int, time_ms: int, elapsed_ms: int | None, *, zone: str = "UTC") -> None:
        """Append the reading that edition readme writes in turn 1."""
        text = format_reading(Reading(1, step, time_ms, zone, elapsed_ms, BrowserZone("missing"), "readme"))
        sections = [{"name": "time-context", "text": text}]
        source = {"kind": "plugin", "plugin": "time-context", "form": "snapshot", "sections": sections}
        self.message(time_ms, text, source)

    def step(self, step: int, time_ms: int, reply: str = "x" * 400) -> None:
        """Append what follows the messages of a step: the reply and the end."""
        source = {"kind": "model", "provider": "p", "model": "m"}
        message = {
            "role": "assistant",
            "content": [{"type": "text", "text": reply}],
            "source": source,
            "id": f"r-{step}",
        }
        data: dict[str, object] = {"turn": 1, "step": step, "message": message}
        self.add("assistant/message", time_ms + 2000, data, surfaceOp="append")
        self.add("step/end", time_ms + 2000, {"turn": 1, "step": step})

    def write(self, path: Path, tail: bytes = b"") -> Path:
        """Write the log, and raw bytes behind it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in self.records)
        path.write_bytes("".join(lines).encode() + tail)
        return path


def one_turn(
    session_id: str = "s-1",
    *,
    steps_ms: Sequence[int] = STEPS_MS,
    interval_ms: int | None = None,
    prompt: str = "p" * 40,
    **header: object,
) -> Log:
    """Return a log of one turn; with an interval it holds the readings that the interval gives."""
    log = Log(session_id, **header)
    log.add("turn/start", START_MS, {"turn": 1})
    last_ms: int | None = None
    for step, offset_ms in enumerate(steps_ms, 1):
        now_ms = START_MS + offset_ms
        log.add("step/start", now_ms, {"turn": 1, "step": step})
        if step == 1:
            log.message(now_ms, prompt, {"kind": "user", "rpcId": "rpc-1"})
        if interval_ms is not None and (last_ms is None or not 0 <= now_ms - last_ms < interval_ms):
            log.reading(step, now_ms, None if last_ms is None else now_ms - last_ms)
            last_ms = now_ms
        log.step(step, now_ms)
    log.add("turn/end", START_MS + steps_ms[-1] + 2000, {"turn": 1, "reason": {"kind": "completed"}})
    return log

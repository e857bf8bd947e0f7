"""Session files for sweeps: plain ones, forks, copies, broken and empty ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pandas import DataFrame

from timectx.formats import write_session
from timectx.replay import Scenario
from timectx.session import Session, SessionHeader
from timectx.session.events import TurnEnd
from timectx.synthetic import synthetic_session

SCENARIOS = tuple(Scenario(interval_ms=ms) for ms in (0, 60_000, 600_000))


def write_logs(folder: Path, count: int, *, steps: int = 6) -> list[Path]:
    """Write sessions of a few steps, and return their files in the order of their names."""
    return [
        write_session(synthetic_session(seed, steps=steps, session_id=f"s{seed}"), folder / f"{seed:03}.jsonl")
        for seed in range(count)
    ]


def write_fork(folder: Path, *, seed: int = 7, turns: int = 2) -> tuple[Path, Path]:
    """Write the first turns of a session as one of its own, and the whole one as its child."""
    whole = synthetic_session(seed, steps=12)
    ends = [event.seq for event in whole.events if isinstance(event, TurnEnd)]
    length = ends[min(turns, len(ends)) - 1] + 1
    start = tuple(event for event in whole.events if event.seq < length)
    parent = replace(whole, header=SessionHeader(id="parent", delegation_depth=0), events=start, tail=None)
    header = SessionHeader(id="child", parent_session="parent", seed_length=length, delegation_depth=0)
    child = replace(whole, header=header)
    return write_session(parent, folder / "parent.jsonl"), write_session(child, folder / "child.jsonl")


def write_empty(folder: Path, name: str = "empty") -> Path:
    """Write a session of which there is nothing but the header."""
    return write_session(Session(SessionHeader(id=name, delegation_depth=0), ()), folder / f"{name}.jsonl")


def content(frame: DataFrame) -> tuple[list[dict[str, Any]], dict[str, str], dict[str, Any]]:
    """Return all of a frame: its cells, its types, and what it says beside them."""
    cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return cells, {str(name): str(dtype) for name, dtype in frame.dtypes.items()}, dict(frame.attrs)


def kinds(frame: DataFrame) -> Sequence[tuple[str, str, bool]]:
    """Return what a frame says was wrong: the name of the file, the kind, and whether it gave no session."""
    return [(Path(each["path"]).name, each["kind"], each["refused"]) for each in frame.attrs["problems"]]

"""Give the tests of the store what they share: whole sessions cut into batches by a seed, both containers, refusals."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from timectx.errors import TimectxError
from timectx.formats import full_log
from timectx.loop import DurableLog, open_log
from timectx.session import Event, SessionHeader, event_from_record
from timectx.session.log import Session
from timectx.synthetic import synthetic_session

HEADER = SessionHeader(id="s", created_at_ms=5, cwd="/w", delegation_depth=0)

KINDS = {"plain": False, "container": True}
both = pytest.mark.parametrize("compress", KINDS.values(), ids=KINDS)


def refused(call: Any) -> tuple[str, str]:
    """Return class and kind of the error that a call must raise."""
    with pytest.raises(TimectxError) as caught:
        call()
    return type(caught.value).__name__, caught.value.kind


@cache
def events(seed: int = 1, steps: int = 3) -> tuple[Event, ...]:
    """Return every event of a made-up session, streamed pieces included."""
    return tuple(full_log(synthetic_session(seed, steps=steps, stream=True)))


@cache
def batches(seed: int = 1, steps: int = 3, largest: int = 60) -> tuple[tuple[Event, ...], ...]:
    """Return the same events cut into batches of random sizes."""
    draw, rest, cut = random.Random(seed), list(events(seed, steps)), []
    while rest:
        size = draw.randint(1, largest)
        cut.append(tuple(rest[:size]))
        rest = rest[size:]
    return tuple(cut)


def write(root: Path, script: tuple[tuple[Event, ...], ...], *, compress: bool) -> Path:
    """Write a whole script, flushing each batch, and return the file."""
    with open_log(root, HEADER, compress=compress) as log:
        for batch in script:
            log.append(batch)
            log.flush()
        return log.path


def turn_start(seq: int = 0, turn: int = 1) -> Event:
    """Return the start of a turn."""
    return make("turn/start", seq, {"turn": turn})


def turn_end(seq: int = 1, turn: int = 1) -> Event:
    """Return its end."""
    return make("turn/end", seq, {"turn": turn, "reason": {"kind": "completed"}})


def prompt(seq: int, **marks: Any) -> Event:
    """Return a prompt; it is appended to the surface unless `marks` say otherwise."""
    data = {"content": [{"type": "text", "text": "hi"}], "source": {"kind": "user"}, "role": "user", "id": f"m{seq}"}
    return make("user/message", seq, data, **{"surfaceOp": "append", **marks})


def piece(seq: int, text: str = "x") -> Event:
    """Return one streamed piece of a reply."""
    return make(
        "assistant/chunk", seq, {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": text}}
    )


def make(kind: str, seq: int, data: Any, **marks: Any) -> Event:
    """Return an event of any type, at a second times its seq."""
    return event_from_record({"type": kind, "seq": seq, "time": 1000 * seq, "data": data, **marks})


def whole(session: Session) -> tuple[Event, ...]:
    """Return a session's events with its streamed output in place."""
    return tuple(full_log(session))


def held(log: DurableLog) -> tuple[Event, ...]:
    """Return what a log holds, pending events included."""
    return whole(log.session())

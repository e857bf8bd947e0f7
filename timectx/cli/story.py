"""Tell what happened in a part of a session, event by event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from timectx.cli.screen import clean, counted
from timectx.reading import format_duration, format_timestamp
from timectx.replay.moments import reading_text
from timectx.session import Event, Message, Session, is_current_reading_source, is_reading_source
from timectx.session.events import (
    AssistantChunk,
    AssistantMessage,
    CompactionEnd,
    CompactionPrune,
    CompactionStart,
    CompactionSummary,
    EndSeed,
    StepEnd,
    StepStart,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
)

__all__ = ["story_document", "story_lines"]

_LONGEST: Final = 100


def story_lines(session: Session, first_seq: int, zone: str) -> Iterator[str]:
    """
    Tell the events of a session from one on.

    Parameters
    ----------
    session : Session
        The whole session.
    first_seq : int
        Where to begin.
    zone : str
        Zone of the times at which turns begin.

    Yields
    ------
    str
        One line at a time, safe to print: turns, what was asked, readings as the model read them, answers,
        tools, compactions, and how each turn ended.
    """
    teller = _Teller(session, zone)
    for event in session.events:
        for line in teller.told(event):
            if event.seq >= first_seq:
                yield clean(line)


def story_document(session: Session, first_seq: int) -> dict[str, Any]:
    """
    Return the same as plain values.

    Parameters
    ----------
    session : Session
        The whole session.
    first_seq : int
        Where to begin.

    Returns
    -------
    dict
        ``turns``, ``steps``, ``readings`` and ``compactions``, each a list in log order; times are epoch
        milliseconds.
    """
    turns = [turn for turn in session.turns if turn.start_seq >= first_seq]
    numbers = ("turn", "start_ms", "end_ms", "reason")
    return {
        "turns": [{name: getattr(turn, name) for name in numbers} for turn in turns],
        "steps": [
            {
                "turn": step.turn,
                "step": step.step,
                "start_ms": step.start_ms,
                "end_ms": step.end_ms,
                "requests": step.requests,
            }
            for turn in turns
            for step in turn.steps
        ],
        "readings": list(_readings(session, first_seq)),
        "compactions": list(_compactions(session.events, first_seq)),
    }


def _readings(session: Session, first_seq: int) -> Iterator[dict[str, Any]]:
    turn, step = 0, 0
    for event in session.events:
        match event:
            case TurnStart():
                turn, step = event.data.turn, 1
            case StepStart():
                step = event.data.step
            case StepEnd():
                step = event.data.step + 1
            case UserMessage() if event.seq >= first_seq and _is_reading(event.data):
                told = {"turn": turn, "step": step, "seq": event.seq, "time_ms": event.time_ms}
                yield {**told, "text": reading_text(event.data)}
            case _:
                pass


def _compactions(events: Iterable[Event], first_seq: int) -> Iterator[dict[str, Any]]:
    opened: dict[str, Any] = {}
    for event in events:
        match event:
            case CompactionStart():
                opened = {"seq": event.seq, "time_ms": event.time_ms, "turn": event.data.turn, "shadowed_nodes": 0}
            case CompactionSummary():
                opened["shadowed_nodes"] = len(event.data.shadowed_seqs)
            case CompactionEnd() if opened and event.seq >= first_seq:
                yield {**opened, "error": event.data.error}
            case _:
                pass


class _Teller:
    """Walk a session once, keeping what the next line refers to."""

    def __init__(self, session: Session, zone: str) -> None:
        self.session, self.zone = session, zone
        self.turn_ms = 0
        self.shadowed: tuple[int, ...] = ()

    def told(self, event: Event) -> Iterator[str]:
        match event:
            case TurnStart():
                self.turn_ms = event.time_ms
                yield f"turn {event.data.turn}, {format_timestamp(event.time_ms, self.zone)}"
            case TurnEnd():
                yield f"  {_reason(event.data.reason)} after {format_duration(event.time_ms - self.turn_ms)}"
            case StepStart():
                yield f"  step {event.data.step}"
            case UserMessage():
                yield from _message(event.data)
            case AssistantMessage():
                yield from _answer(event)
            case ToolResult() if event.surface_op == "append":
                block = event.data.message.content[0]
                yield f"    {'tool failed' if block.get('isError') else 'tool'}: {_short(_text(block.get('content')))}"
            case AssistantChunk() if event.data.chunk.get("type") == "finish":
                reason = event.data.chunk["reason"]
                if reason["kind"] == "error":
                    yield f"    request failed: {_short(reason['failure']['message'])}"
            case CompactionSummary():
                self.shadowed = event.data.shadowed_seqs
            case CompactionEnd():
                yield f"  {self._compaction(event)}"
            case CompactionPrune():
                yield f"  a tool result of {counted(event.data.shadowed_token_count, 'token')} was shortened"
            case EndSeed():
                yield "the history so far was taken over"
            case _:
                pass

    def _compaction(self, event: CompactionEnd) -> str:
        if event.data.error is not None:
            return f"a compaction failed: {_short(event.data.error)}"
        found = [self.session.find(seq) for seq in self.shadowed]
        readings = sum(isinstance(each, UserMessage) and _is_reading(each.data) for each in found)
        among = f", {counted(readings, 'reading')} among them" if readings else ""
        return f"a compaction replaced {counted(len(found), 'message')}{among}"


def _message(message: Message) -> Iterator[str]:
    text = reading_text(message) or ""
    if _is_reading(message):
        yield from (f"    | {line}" for line in text.split("\n"))
    elif message.source.get("kind") == "user":
        yield f"    asked: {_short(text)}"


def _answer(event: AssistantMessage) -> Iterator[str]:
    blocks = event.data.message.content
    text = _short(_text([block for block in blocks if block.get("type") == "text"]))
    cut = " (cut off)" if event.data.interrupted else ""
    if text or cut:
        yield f"    answered{cut}: {text}"
    names = [str(block.get("name")) for block in blocks if block.get("type") == "tool-call"]
    if names:
        yield f"    called: {', '.join(names)}"


def _text(blocks: Any) -> str:
    found = blocks if isinstance(blocks, list | tuple) else ()
    return " ".join(str(block["text"]) for block in found if isinstance(block, dict) and "text" in block)


def _reason(reason: dict[str, Any]) -> str:
    kind = str(reason.get("kind"))
    if kind == "error":
        return f"failed ({_short(str((reason.get('error') or {}).get('message')))})"
    return "stopped at its cap of tokens" if kind == "max-tokens" else kind


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _is_reading(message: Message) -> bool:
    return is_reading_source(message.source) or is_current_reading_source(message.source)

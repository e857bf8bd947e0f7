"""Play short scripts in the tests of the loop, and tell what they logged, a line an event."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from timectx.formats import full_log
from timectx.loop import Agent, Call, HandClock, LiveLog, Prompt, Reply, Route, Script, agent_of, header_of, play_script
from timectx.reading import Edition
from timectx.session import Event, Message, Session, is_current_reading_source, is_reading_source
from timectx.session.data import JsonObject, Replace
from timectx.session.events import (
    AssistantChunk,
    AssistantMessage,
    InboxSpliced,
    RequestHeader,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
)

EDITIONS: tuple[Edition, ...] = ("note", "note-v2", "readme", "current")
LATE = EDITIONS[1:]

CALL = Reply(text="look", calls=(Call(name="ls", takes=500),), takes=1000)
"""A reply that calls one tool."""


def script(*replies: Reply, edition: Edition = "readme", **fields: Any) -> Script:
    """Return a script of one prompt, told the time at every step in UTC, unless the fields say otherwise."""
    prompts = fields.pop("prompts", (Prompt(say="hi", replies=replies),))
    defaults = {"session": "s", "time_zone": "UTC", "interval": 0, "edition": edition}
    return Script(prompts=prompts, **{**defaults, **fields})


def play(*replies: Reply, edition: Edition = "readme", **fields: Any) -> Session:
    """Play such a script in memory."""
    return play_script(script(*replies, edition=edition, **fields))


def end_of(**fields: Any) -> dict[str, Any]:
    """Play a script and return why its last turn ended."""
    ends = [event for event in play(**fields).events if isinstance(event, TurnEnd)]
    return ends[-1].data.reason


def prompt(*replies: Reply, **fields: Any) -> tuple[Prompt, ...]:
    """Return one prompt with these replies."""
    return (Prompt(say="hi", replies=replies, **fields),)


def message(name: str) -> Message:
    """Return a message of a person; its text is its id."""
    return Message(content=({"type": "text", "text": name},), source={"kind": "user"}, role="user", id=name)


def agent(*, edition: Edition = "readme", start_ms: int = 0, **fields: Any) -> Agent:
    """Return the agent of a script without prompts."""
    clock = HandClock(start_ms)
    described = script(edition=edition, prompts=(), **fields)
    return agent_of(described, LiveLog(header_of(described), clock, edition=edition), clock)


def bare_agent(*, edition: Edition = "readme") -> Agent:
    """Return an agent without any listener but the script's own."""
    clock = HandClock(0)
    log = LiveLog(header_of(script(prompts=())), clock, edition=edition)
    return Agent(log, clock, Route(provider="p", model="m"))


def told(session: Session, *, times: bool = False) -> list[str]:
    """Tell every event of a session in a line, streamed pieces in a row as one, with its time where asked."""
    found = []
    for label, events in groupby(full_log(session), key=_label):
        group = list(events)
        lines = [f"{label} x{len(group)}"] if isinstance(group[0], AssistantChunk) else [label] * len(group)
        found += [f"{group[-1].time_ms:>7} {line}" if times else line for line in lines]
    return found


def readings(session: Session) -> list[str]:
    """Return the text of every reading of a session."""
    events = (event for event in session.events if isinstance(event, UserMessage) and is_reading(event.data.source))
    return [str(event.data.content[0]["text"]) for event in events]


def is_reading(source: JsonObject) -> bool:
    """Tell whether a source is that of a reading, in either form."""
    return is_reading_source(source) or is_current_reading_source(source)


def types(session: Session) -> list[str]:
    """Return the type of every event but streamed pieces."""
    return [event.type for event in session.events if not isinstance(event, AssistantChunk)]


def _label(event: Event) -> str:
    match event:
        case InboxSpliced():
            count = event.data.removed_count or 0
            marks = [f"+{len(event.data.inserted)}"] if event.data.inserted else []
            marks += [f"-{count}"] if count else []
            return " ".join([event.type, event.data.target, *marks, *filter(None, [event.data.outcome])])
        case TurnStart():
            return f"{event.type} {event.data.turn}"
        case TurnEnd():
            return f"{event.type} {event.data.turn} {event.data.reason['kind']}"
        case StepStart() | StepEnd():
            return f"{event.type} {event.data.turn}.{event.data.step}"
        case UserMessage():
            return f"{event.type} {_kind(event)}"
        case AssistantMessage():
            return event.type + (" interrupted" if event.data.interrupted else "")
        case ToolCall():
            return f"{event.type} {event.data.name}"
        case ToolResult():
            kind = " rewritten" if isinstance(event.surface_op, Replace) else ""
            return event.type + kind + (f" {event.data.error['code']}" if event.data.error else "")
        case RequestHeader():
            return f"{event.type} {event.data.reason}"
        case AssistantChunk() if event.data.chunk["type"] == "finish":
            return f"{event.type} finish {event.data.chunk['reason']['kind']}"
        case _:
            return event.type


def _kind(event: UserMessage) -> str:
    if is_reading(event.data.source):
        return "reading"
    return "checkpoint" if isinstance(event.surface_op, Replace) else str(event.data.content[0]["text"])

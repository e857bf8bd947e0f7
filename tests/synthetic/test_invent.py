"""Hold whole made-up sessions to the order, the shape and the rules of real logs."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given

from tests.synthetic.strategies import sessions
from timectx.errors import ScenarioError, TimectxError, ZoneError
from timectx.reading import parse_reading
from timectx.replay.check import check_session
from timectx.session import Session, SessionHeader, Surface, fold_surface, is_reading_event, record_of
from timectx.session.events import AssistantMessage, InboxSpliced, RequestHeader, UserMessage
from timectx.session.surface import check_surface
from timectx.synthetic import START_MS, Habits, Happening, synthetic_session

TWO_STEPS = Habits(steps_per_turn_tenths=((0, 20), (1000, 20)), more_calls_permille=0)
"""Turns of two steps with one call."""


def trace(session: Session) -> list[str]:
    """Return the type of every event, messages of the user with who they are from."""
    return [
        f"{event.type} {sender(event)}" if isinstance(event, UserMessage) else event.type for event in session.events
    ]


def sender(event: UserMessage) -> str:
    """Return the plugin or the kind of a message's source."""
    return str(event.data.source.get("plugin", event.data.source["kind"]))


READING = "user/message time-context"
REPLY = ["assistant/chunk", "assistant/chunk", "assistant/message"]
RUN = ["tool/call", "tool/result"]
LATE_OPENING = ["agent/inbox/spliced", "turn/start", "agent/inbox/spliced"]
LATE = [
    *("permission/preset", "approval/policy", *LATE_OPENING),
    *("step/start", "user/message user", "user/message @deepseek-ai/dsh-system-prompt", READING),
    *("request/header", "request/context", *REPLY, *RUN, "step/end"),
    *("step/start", READING, *REPLY, "step/end", "turn/end"),
    *(*LATE_OPENING, "step/start", "user/message user", READING, *REPLY, "step/end", "turn/end"),
]
EARLY = [
    *("turn/start", "user/message user", READING, "step/start"),
    *("request/header", "request/context", *REPLY, *RUN, "step/end"),
    *(READING, "step/start", *REPLY, "step/end", "turn/end"),
    *("turn/start", "user/message user", READING, "step/start", *REPLY, "step/end", "turn/end"),
]


@pytest.mark.parametrize(
    ("edition", "expected"), [("readme", LATE), ("note-v2", LATE), ("note", EARLY)], ids=["readme", "note-v2", "note"]
)
def test_events_come_in_the_order_of_the_edition(edition: Any, expected: list[str]) -> None:
    """Three steps in two turns: messages and reading follow the step's start, or in the early order stand before it."""
    assert trace(synthetic_session(1, steps=3, edition=edition, habits=TWO_STEPS)) == expected


@pytest.mark.parametrize(
    ("edition", "keys", "lines"),
    [
        ("readme", ["content", "source", "role", "id"], 3),
        ("note-v2", ["content", "source", "role", "id"], 2),
        ("note", ["content", "source"], 2),
    ],
)
def test_a_reading_has_the_shape_of_its_edition(edition: Any, keys: list[str], lines: int) -> None:
    """Role, id and snapshot came with the second edition, the line about the browser with the third."""
    session = synthetic_session(3, steps=2, edition=edition)
    record = next(record_of(event) for event in session.events if is_reading_event(event))
    text = record["data"]["content"][0]["text"]
    source = {"kind": "plugin", "plugin": "time-context"}
    if edition != "note":
        source |= {"form": "snapshot", "sections": [{"name": "time-context", "text": text}]}
    assert (list(record["data"]), record["data"]["source"], len(text.split("\n"))) == (keys, source, lines)


def test_the_same_arguments_give_the_same_session_and_another_seed_another() -> None:
    """Nothing but the arguments counts, not even what Python's own generator was seeded with."""
    random.seed(1)
    first = synthetic_session(5, steps=20)
    random.seed(2)
    assert synthetic_session(5, steps=20).events == first.events
    assert synthetic_session(6, steps=20).events != first.events


def test_a_session_has_as_many_steps_as_asked_for() -> None:
    """All of them in turns that end; a session without steps has no turn either."""
    session = synthetic_session(9, steps=77)
    assert (len(session.steps), {turn.reason for turn in session.turns}) == (77, {"completed"})
    assert synthetic_session(9, steps=0).turns == ()


def test_the_interval_changes_readings_ids_and_usage_and_nothing_else() -> None:
    """Two sessions of one seed are the same work, told the time more or less often."""

    def rest(interval_ms: int) -> list[tuple[str, int, str]]:
        session = synthetic_session(4, steps=40, interval_ms=interval_ms)
        found = (event for event in session.events if not is_reading_event(event))
        return [(event.type, event.time_ms, words(event)) for event in found]

    assert rest(0) == rest(600_000)


def words(event: Any) -> str:
    """Return what a message says, in its blocks alone."""
    if isinstance(event, UserMessage):
        return json.dumps(event.data.content)
    return json.dumps(event.data.message.content) if isinstance(event, AssistantMessage) else ""


def test_prompts_come_first_and_filler_follows() -> None:
    """A given prompt is asked word for word in its turn, and waits in the inbox before."""
    session = synthetic_session(2, steps=5, habits=TWO_STEPS, prompts=("hello?", "and now?"))
    asked = [event.data.content[0]["text"] for event in session.events if is_prompt(event)]
    waiting = [item["content"][0]["text"] for event in session.events for item in inserted(event)]
    assert (asked[:2], len(asked), waiting) == (["hello?", "and now?"], 3, asked)


def is_prompt(event: Any) -> bool:
    """Tell whether a person wrote a message."""
    return isinstance(event, UserMessage) and event.data.source["kind"] == "user"


def inserted(event: Any) -> tuple[dict[str, Any], ...]:
    """Return what arrived in an inbox."""
    return event.data.inserted if isinstance(event, InboxSpliced) else ()


def test_browser_zones_hold_for_their_turns_and_the_last_goes_on() -> None:
    """A prompt without a zone leaves it unavailable; the reading shows the fallback zone then."""
    zones = ("Asia/Tokyo", None, "America/New_York")
    session = synthetic_session(2, steps=8, habits=TWO_STEPS, browser_zones=zones, time_zone="Asia/Kolkata")
    readings = [parse_reading(event.data.content[0]["text"]) for event in session.events if is_reading_event(event)]
    assert [reading.zone for reading in readings if reading.step == 1] == [
        "Asia/Tokyo",
        "Asia/Calcutta",
        "America/New_York",
        "America/New_York",
    ]


def test_a_refused_browser_zone_ends_its_turn_with_an_error() -> None:
    """The prompt is lost and no step follows; the next turn is sound."""
    session = synthetic_session(2, steps=2, habits=TWO_STEPS, browser_zones=("Asia/Kolkata", None))
    assert [(turn.reason, len(turn.steps)) for turn in session.turns] == [("error", 0), ("completed", 2)]


def test_usage_is_plausible() -> None:
    """Cached and uncached input are disjoint, the cached part grows and comes in blocks, reasoning is inside output."""
    usages = [step.usage for step in synthetic_session(8, steps=50).steps]
    assert None not in usages
    cached = [usage.cache_read_tokens for usage in usages]
    assert (cached[0], cached == sorted(cached), {size % 64 for size in cached}) == (0, True, {0})
    assert [
        usage for usage in usages if usage.input_tokens < 0 or usage.output_tokens < (usage.reasoning_tokens or 0)
    ] == []
    prompts = [usage.prompt_tokens for usage in usages]
    assert [now for before, now in zip(prompts[:-1], cached[1:], strict=True) if not before - 64 < now <= before] == []


def test_without_readings_nothing_is_told() -> None:
    """A log of an agent that was never told the time holds everything else."""
    told, untold = (synthetic_session(4, steps=9, readings=flag) for flag in (True, False))
    assert [event.type for event in told.events if not is_reading_event(event)] == [
        event.type for event in untold.events
    ]


def test_streamed_replies_leave_gaps_that_the_stream_fills() -> None:
    """Every seq is there once, in an event or in a row; a reply names all its pieces."""
    session = synthetic_session(4, steps=12, stream=True)
    seqs = [event.seq for event in session.events]
    seqs += [row.seq0 + number for row in session.stream for number in range(len(row.parts) or 1)]
    assert sorted(seqs) == list(range(session.events[-1].seq + 1))
    replies = [event for event in session.events if isinstance(event, AssistantMessage)]
    assert all(list(event.source_event_seqs or ())[-1] == event.seq - 1 for event in replies)
    assert sum(session.skipped.values()) == len(session.stream)


def test_the_header_is_that_of_a_session_a_person_started() -> None:
    """Named by its seed unless told otherwise."""
    plain = SessionHeader(id="synthetic-3", created_at_ms=START_MS, cwd="/home/dev/project", delegation_depth=0)
    assert synthetic_session(3, steps=1).header == plain
    assert synthetic_session(3, steps=1, session_id="mine").header.id == "mine"


@given(sessions())
def test_every_event_follows_the_rules_of_the_surface(session: Session) -> None:
    """Whatever happens, seqs have no gap but the stream's, and every marker and source is legal."""
    surface = Surface()
    for event in session.events:
        check_surface(event, surface.nodes, session.find)
        surface = fold_surface([event], surface)
    assert (session.surface, session.closed()) == (surface, session)


@given(sessions(edition="readme"))
def test_readings_pass_the_checks_of_their_edition_and_of_the_original(session: Session) -> None:
    """Position, source, browser zone, elapsed and instant are right, by the companion's stricter rules as well."""
    assert check_session(session, companion=True) == ()


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"steps": -1}, "steps"),
        ({"steps": 2.5}, "steps"),
        ({"steps": 1, "interval_ms": -5}, "interval"),
        ({"steps": 1, "edition": "current"}, "edition"),
        ({"steps": 1, "edition": "memo"}, "edition"),
        ({"steps": 1, "start_ms": -1}, "start_ms"),
        ({"steps": 1, "lag_ms": True}, "lag_ms"),
        ({"steps": 1, "seed": "7"}, "seed"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], kind: str) -> None:
    """Numbers out of range and editions with other log formats are refused."""
    with pytest.raises(ScenarioError) as refused:
        synthetic_session(**({"seed": 1} | arguments))
    assert refused.value.kind == kind


def test_a_wrong_zone_is_named() -> None:
    """The fallback zone has to exist, and the last browser zone has to be one that lets a turn go on."""
    with pytest.raises(ZoneError):
        synthetic_session(1, steps=1, time_zone="Mars/Base")
    with pytest.raises(TimectxError) as refused:
        synthetic_session(1, steps=1, browser_zones=("Asia/Kolkata",))
    assert refused.value.kind == "zone-not-canonical"


def test_the_header_event_comes_first_on_resume_and_on_change_only() -> None:
    """One header opens the log; a resume and another model log one each, with their reason."""
    session = synthetic_session(
        6, steps=20, happenings=(Happening("resume", 8, ms=60_000), Happening("model", 14), Happening("resume", 99))
    )
    reasons = [event.data.reason for event in session.events if isinstance(event, RequestHeader)]
    assert reasons == ["initial", "resume", "change"]

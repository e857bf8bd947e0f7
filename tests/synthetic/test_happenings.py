"""Hold everything that can happen to a made-up session to what it leaves in the log."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ScenarioError
from timectx.session import Event, Session, is_reading_event
from timectx.session.closers import OUTCOME_UNKNOWN_TEXT
from timectx.session.events import AssistantMessage, EndSeed, StepStart, ToolCall, ToolResult, UserMessage
from timectx.synthetic import Habits, Happening, synthetic_session
from timectx.synthetic.happenings import Agenda

FOUR_STEPS = Habits(steps_per_turn_tenths=((0, 40), (1000, 40)), more_calls_permille=0)
"""Turns of four steps; each but the last calls one tool."""

HOUR_MS = 3_600_000


def made(*happenings: Happening, steps: int = 8, **options: Any) -> Session:
    """Return a session of turns of four steps in which something happens."""
    return synthetic_session(11, steps=steps, habits=FOUR_STEPS, happenings=happenings, **options)


def turns(session: Session) -> list[tuple[str | None, int]]:
    """Return how each turn ended, after how many steps."""
    return [(turn.reason, len(turn.steps)) for turn in session.turns]


def types(session: Session, first: int, last: int) -> list[str]:
    """Return the types of the events of a step, from 1 over the whole session, to before a later one."""
    starts = [event.seq for event in session.events if isinstance(event, StepStart)] + [session.events[-1].seq + 1]
    return [event.type for event in session.events if starts[first - 1] <= event.seq < starts[last - 1]]


COMPLETED = ("completed", 4)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("pause", [("completed", 2), COMPLETED, ("completed", 2)]),
        ("resume", [("completed", 2), COMPLETED, ("completed", 2)]),
        ("clock", [COMPLETED, COMPLETED]),
        ("compaction", [COMPLETED, COMPLETED]),
        ("prune", [COMPLETED, COMPLETED]),
        ("model", [COMPLETED, COMPLETED]),
        ("steer", [COMPLETED, COMPLETED]),
        ("retry", [COMPLETED, COMPLETED]),
        ("max-tokens", [("max-tokens", 3), COMPLETED, ("completed", 1)]),
        ("interrupt", [("aborted", 3), COMPLETED, ("completed", 1)]),
        ("failure", [("error", 3), COMPLETED, ("completed", 1)]),
        ("crash", [("interrupted", 3), COMPLETED, ("completed", 1)]),
        ("block", [("blocked", 2), COMPLETED, ("completed", 2)]),
        ("error", [("error", 2), COMPLETED, ("completed", 2)]),
        ("abort", [("aborted", 2), COMPLETED, ("completed", 2)]),
    ],
)
def test_turns_end_the_way_the_happening_at_step_3_says(kind: Any, expected: list[tuple[str, int]]) -> None:
    """Eight steps there are in any case; those after a turn that was cut short come in new turns."""
    assert turns(made(Happening(kind, 3))) == expected


@pytest.mark.parametrize(("kind", "reason"), [("block", "blocked"), ("error", "error"), ("abort", "aborted")])
def test_a_turn_can_end_before_its_first_step(kind: Any, reason: str) -> None:
    """Where the step would have opened a turn, there is one more turn, without a step; also behind the last step."""
    assert turns(made(Happening(kind, 5))) == [COMPLETED, (reason, 0), COMPLETED]
    assert turns(made(Happening(kind, 9))) == [COMPLETED, COMPLETED, (reason, 0)]


@pytest.mark.parametrize(
    ("edition", "kind", "count"),
    [
        ("readme", "block", 0),
        ("readme", "error", 0),
        ("readme", "abort", 0),
        ("note", "block", 1),
        ("note", "error", 1),
    ],
)
def test_only_the_early_order_leaves_a_reading_where_no_step_follows(edition: Any, kind: Any, count: int) -> None:
    """There the reading is in the log before anything can go wrong."""
    session = made(Happening(kind, 5), edition=edition)
    start = session.turns[1].start_seq
    assert (
        sum(is_reading_event(event) for event in session.events if start < event.seq < session.turns[2].start_seq)
        == count
    )


def test_a_pause_is_as_long_as_it_says() -> None:
    """From the end of a turn to the next prompt."""
    session = made(Happening("pause", 5, ms=HOUR_MS))
    assert 0 <= session.turns[1].start_ms - (session.turns[0].end_ms or 0) - HOUR_MS < 10


@pytest.mark.parametrize("ms", [-90_000, 5000])
def test_the_clock_can_be_set_back_and_forth(ms: int) -> None:
    """Everything from the step on is shifted, and nothing else changes."""
    plain, shifted = made(), made(Happening("clock", 3, ms=ms))
    moved = [after.time_ms - before.time_ms for before, after in zip(plain.events, shifted.events, strict=True)]
    assert sorted(set(moved)) == sorted([0, ms])
    assert moved[-1] == ms


def test_a_resume_ends_the_seed_and_logs_its_header_again() -> None:
    """The end of the taken-over history carries the time of the reopening; turn numbers go on."""
    session = made(Happening("resume", 5, ms=HOUR_MS))
    [seed] = [event for event in session.events if isinstance(event, EndSeed)]
    assert (seed.seq, seed.time_ms) == ((session.turns[0].end_seq or 0) + 1, (session.turns[0].end_ms or 0) + HOUR_MS)
    assert types(session, 5, 6)[:4] == ["step/start", "user/message", "user/message", "request/header"]
    assert [turn.turn for turn in session.turns] == [1, 2]


def test_a_crash_is_closed_the_way_dsh_closes_it() -> None:
    """The running tool gets a failed result, its step and turn end at the time of the last entry."""
    session = made(Happening("crash", 2, ms=HOUR_MS))
    tail = [event for event in session.events if event.seq <= (session.turns[0].end_seq or 0)][-4:]
    assert [event.type for event in tail] == ["tool/call", "tool/result", "step/end", "turn/end"]
    assert len({event.time_ms for event in tail}) == 1
    assert isinstance(tail[1], ToolResult)
    assert tail[1].data.message.content[0]["content"][0]["text"] == OUTCOME_UNKNOWN_TEXT
    assert session.turns[1].start_ms >= tail[-1].time_ms + HOUR_MS


def test_a_retry_is_another_request_of_the_same_step_without_a_new_reading() -> None:
    """The failure, its announcement and the next request stand in the step; readings and steps stay as many."""
    session = made(Happening("retry", 2, ms=4000))
    assert types(session, 2, 3) == [
        *("step/start", "user/message", "assistant/chunk", "llm/retry", "llm/retry-started"),
        *("assistant/chunk", "assistant/chunk", "assistant/message", "tool/call", "tool/result", "step/end"),
    ]
    assert [step.requests for step in session.steps] == [1, 2, 1, 1, 1, 1, 1, 1]


def test_steering_enters_with_the_next_step_of_the_running_turn() -> None:
    """It waits in the inbox until then, with the zone of its own browser."""
    session = made(Happening("steer", 3, text="wait!", zone="Asia/Tokyo"), browser_zones=("UTC",))
    assert types(session, 2, 3)[-5:] == [
        *("tool/call", "tool/result", "agent/inbox/spliced", "step/end", "agent/inbox/spliced")
    ]
    messages = [event for event in session.events if isinstance(event, UserMessage)]
    [steered] = [event for event in messages if event.data.content[0]["text"] == "wait!"]
    assert steered.seq == session.steps[2].start_seq + 1
    [reading] = [event for event in messages if event.seq == steered.seq + 1]
    assert 'mixed ["Asia/Tokyo","UTC"]' in reading.data.content[0]["text"]


def test_steering_keeps_a_turn_going_that_would_have_ended() -> None:
    """A message that waits is answered in the same turn."""
    assert turns(made(Happening("steer", 5)))[0] == ("completed", 5)


def test_steering_in_the_early_order_stands_before_the_end_of_the_step() -> None:
    """There it is on the surface at once."""
    session = made(Happening("steer", 3, text="wait!"), edition="note")
    assert types(session, 2, 3)[-3:] == ["user/message", "step/end", "user/message"]


def test_an_interrupted_reply_says_so_and_has_no_usage() -> None:
    """What the model had said so far is kept, if it had said anything."""
    replies: list[AssistantMessage | None] = []
    for seed in range(12):
        session = synthetic_session(seed, steps=1, happenings=(Happening("interrupt", 1),))
        replies.append(next((event for event in session.events if isinstance(event, AssistantMessage)), None))
    said = [(reply.data.interrupted, reply.data.usage) for reply in replies if reply]
    assert (None in replies, set(said)) == (True, {(True, None)})


def test_another_model_answers_after_a_change() -> None:
    """Header, context and replies name it from then on."""
    session = made(Happening("model", 3))
    models = [event.data.message.source["model"] for event in session.events if isinstance(event, AssistantMessage)]
    assert models == ["deepseek-v4-flash"] * 2 + ["deepseek-v4-pro"] * 6


def test_a_long_tool_run_asks_for_approval() -> None:
    """A tool that takes minutes waits for a person: asked before, decided just before it returns."""
    habits = Habits(tool_ms=((0, 300_000), (1000, 300_000)), steps_per_turn_tenths=((0, 20), (1000, 20)))
    session = synthetic_session(1, steps=2, habits=habits)
    assert types(session, 1, 2)[-5:] == ["tool/call", "approval/asked", "approval/decided", "tool/result", "step/end"]


def test_tools_of_one_reply_can_run_side_by_side() -> None:
    """Results come in the order of the calls, whether each call waits for the one before or not."""
    habits = Habits(more_calls_permille=1000, steps_per_turn_tenths=((0, 20), (1000, 20)))
    orders = set()
    for seed in range(8):
        session = synthetic_session(seed, steps=2, habits=habits)
        calls = [event.data.call_id for event in session.events if isinstance(event, ToolCall)]
        results = [call_of(event) for event in session.events if isinstance(event, ToolResult)]
        assert calls == results
        orders.add(tuple(kind for kind in types(session, 1, 2) if kind.startswith("tool/"))[:2])
    assert orders == {("tool/call", "tool/call"), ("tool/call", "tool/result")}


def call_of(event: Event) -> Any:
    """Return the call a result answers."""
    return event.data.message.source["callId"]


@pytest.mark.parametrize(
    "happening",
    [Happening("steer", 1), Happening("compaction", 1), Happening("prune", 1), Happening("retry", 99)],
    ids=lambda happening: f"{happening.kind}-{happening.step}",
)
def test_what_cannot_happen_is_passed_over(happening: Happening) -> None:
    """Steering into a turn that has not begun, shortening nothing, a step that never comes: the session is the same."""
    assert made(happening).events == made().events


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("nap", 1), "'nap'"),
        (("pause", 0), "got 0"),
        (("pause", True), "got True"),
        (("pause", 1, -5), "got -5"),
        (("clock", 1, 0.5), "got 0.5"),
        (("prune", 1, 0, -1), "got -1"),
    ],
)
def test_a_happening_that_makes_no_sense_is_refused(arguments: tuple[Any, ...], shown: str) -> None:
    """Unknown kinds, steps before the first and lengths below 0 are named."""
    with pytest.raises(ScenarioError) as refused:
        Happening(*arguments)
    assert (refused.value.kind, shown in str(refused.value)) == ("happening", True)


def test_an_agenda_hands_out_each_happening_once_and_in_order() -> None:
    """Those of one step keep their order, by kind; asking looks at nothing else."""
    first, second, other = Happening("retry", 2, ms=1), Happening("retry", 2, ms=2), Happening("clock", 2)
    agenda = Agenda([first, other, second])
    assert (agenda.has(2, "retry"), agenda.has(2, "pause"), agenda.has(3, "retry")) == (True, False, False)
    assert (agenda.take(2, "retry"), agenda.take_all(2, "retry", "clock"), agenda.take(2, "retry")) == (
        first,
        [other, second],
        None,
    )

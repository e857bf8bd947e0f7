"""Show that the faults other tools had with refreshing the time are not made here."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import decisions, readings, three
from timectx.replay import Scenario, is_due, replay_session
from timectx.session import Session
from timectx.session.events import SURFACE_CLASSES
from timectx.session.surface import fold_surface

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def step(built: LogBuilder, time_ms: int) -> LogBuilder:
    """Add a turn of one step at a time."""
    return built.at(time_ms).turn().prompt("hi").step().reply("ok").end_turn()


def shown(text: str) -> str:
    """Return date, hour and minute that a reading shows."""
    return text.partition(": ")[2][:16]


def test_a_reading_from_the_future_does_not_block_the_next() -> None:
    """The newest one lies 30 days ahead: the clock went back, so a fresh one is due now and reads 0 s elapsed."""
    built = step(step(log(), 30 * DAY), 0)
    run = replay_session(built.build(), Scenario(interval_ms=MINUTE))
    assert decisions(run) == [(1, 1, "added", None), (2, 1, "added", -30 * DAY)]
    assert readings(run)[1] == three(2, 1, "00:00:00", "0s")
    assert [each.staleness_ms for each in run.steps] == [0, 0]


@pytest.mark.parametrize("back_ms", [1, 500, MINUTE - 1, MINUTE, HOUR, 30 * DAY])
def test_a_clock_that_steps_back_never_lengthens_the_wait(back_ms: int) -> None:
    """However far: a reading is due at once, and the next no later than one interval after it."""
    assert is_due(HOUR - back_ms, HOUR, MINUTE)
    assert [is_due(HOUR - back_ms + later, HOUR - back_ms, MINUTE) for later in (0, MINUTE - 1, MINUTE)] == [
        False, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("interval_ms", "word"),
    [(0, "added"), (MINUTE, "added"), (26 * HOUR, "added"), (26 * HOUR + 1, "suppressed")],
    ids=["every-attempt", "minute", "26-hours", "longer"],
)
def test_the_date_is_not_that_of_the_sessions_start_a_day_later(interval_ms: int, word: str) -> None:
    """A session resumed after 26 hours is due for any interval up to that; for a longer one staleness says 26 hours."""
    built = step(step(log(), 0).event("session/end-seed", {}), 26 * HOUR)
    run = replay_session(built.build(), Scenario(interval_ms=interval_ms))
    assert decisions(run)[1] == (2, 1, word, 26 * HOUR)
    assert run.steps[1].staleness_ms == (0 if word == "added" else 26 * HOUR)
    assert [shown(text) for text in readings(run)][1:] == (["1970-01-02T02:00"] if word == "added" else [])


def test_baselines_follow_the_log_though_its_tail_holds_earlier_times() -> None:
    """The newest entry counts, not the latest time: a resumed log may have copied older history to its end."""
    built = step(step(log(), 10 * MINUTE), 2 * MINUTE)
    run = replay_session(step(built, 3 * MINUTE).build(), Scenario(interval_ms=5 * MINUTE))
    assert decisions(run) == [
        (1, 1, "added", None), (2, 1, "added", -8 * MINUTE), (3, 1, "suppressed", MINUTE),
    ]  # fmt: skip
    assert readings(run)[1] == three(2, 1, "00:02:00", "0s")
    assert readings(replay_session(built.build(), Scenario()))[1] == three(2, 1, "00:02:00", "0s")


def sent(session: Session) -> list[tuple[str, ...]]:
    """Return the texts each step's request holds, in order."""
    found = []
    for each in session.steps:
        nodes = fold_surface(session.events[: session.position(each.request_seq)]).nodes
        events = (session.find(seq) for seq in nodes)
        messages = [event.data for event in events if isinstance(event, SURFACE_CLASSES)]
        found.append(tuple(str(message) for message in messages))
    return found


def test_elapsed_times_that_were_told_never_change_later() -> None:
    """The same state a minute later: every reading keeps its words, and each request begins with all of the last."""
    built = step(step(log(), 0), MINUTE)
    first = readings(replay_session(built.build(), Scenario()))
    later = step(step(built, 2 * MINUTE), 3 * MINUTE)
    run = replay_session(later.build(), Scenario())
    assert readings(run)[: len(first)] == first
    told = log()
    for turn, text in enumerate(readings(run)):
        told = told.at(turn * MINUTE).turn().prompt("hi").step().reading(text).reply("ok").end_turn()
    requests = sent(told.build())
    assert [after[: len(before)] for before, after in pairwise(requests)] == requests[:-1]


def test_midnight_rewrites_nothing_that_was_sent_before() -> None:
    """The new date comes in a message at the end: header and earlier messages stay as they were."""
    midnight_ms = int(datetime(2026, 7, 16, tzinfo=UTC).timestamp() * 1000)
    built = log(start_ms=midnight_ms - MINUTE).turn().prompt("hi").step().header("You are an agent.").reply("ok")
    run = replay_session(step(built, midnight_ms + MINUTE).build(), Scenario(interval_ms=MINUTE))
    assert [shown(text) for text in readings(run)] == ["2026-07-15T23:59", "2026-07-16T00:01"]
    assert [each.header_tokens for each in run.steps] == [9, 9]
    first, second = run.steps
    new = 9 + 9  # the reply and the next prompt
    assert second.surface_tokens == first.surface_tokens + new + run.readings[1].price_tokens
    assert [reading.resent_requests for reading in run.readings] == [1, 0]

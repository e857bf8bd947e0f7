"""Test that intervals are tried on each session, and that nothing is counted twice."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.replay import Scenario, as_recorded, replay_session
from timectx.results import Recorded, Trial, Tried, inherited_part, pool_runs, recommend_interval
from timectx.session import Session, SessionHeader, is_reading_event
from timectx.session.events import TurnEnd
from timectx.synthetic import synthetic_session

INTERVALS = (0, 60_000, 600_000)


@cache
def session(seed: int = 7) -> Session:
    """Return a made-up session of twelve steps, readings included."""
    return synthetic_session(seed, steps=12)


def without_readings(whole: Session) -> Session:
    """Return a session as it would have been without any reading."""
    return replace(whole, events=tuple(event for event in whole.events if not is_reading_event(event)))


def forked(whole: Session, turns: int) -> tuple[Session, Session]:
    """Return the first turns of a session as one of its own, and the whole one as its child."""
    ends = [event.seq for event in whole.events if isinstance(event, TurnEnd)]
    length = ends[min(turns, len(ends)) - 1] + 1
    start = tuple(event for event in whole.events if event.seq < length)
    parent = replace(whole, header=SessionHeader(id="parent"), events=start, tail=None)
    child = replace(whole, header=SessionHeader(id="child", parent_session="parent", seed_length=length))
    return parent, child


def test_each_interval_is_tried_once_and_in_order() -> None:
    """Intervals come out sorted, without repeats, and the runs of a session in that order."""
    trial = Trial([600_000, 0, 60_000, 0], Scenario())
    assert [tried.run.scenario.interval_ms for tried in trial.add(session())] == list(INTERVALS)
    assert list(trial.totals()) == list(INTERVALS)


def test_intervals_are_tried_even_where_the_scenario_says_as_recorded() -> None:
    """An interval only matters under the policy of that name."""
    recorded, plain = Trial(INTERVALS, Scenario(policy="recorded")), Trial(INTERVALS, Scenario())
    assert recorded.add(session()) == plain.add(session())


def test_a_run_keeps_its_measures_alone() -> None:
    """What takes memory is left away, the rest is that of replay_session."""
    (tried,) = Trial([60_000], Scenario()).add(session())
    whole = replay_session(session(), Scenario(interval_ms=60_000))
    bare = msgspec.structs.replace(whole, attempts=(), readings=(), steps=(), compactions=())
    assert tried == Tried(bare, inherited_steps=0)


def test_totals_pool_all_sessions() -> None:
    """Each interval's totals are those of all its runs, and the recommendation is drawn from them."""
    trial = Trial(INTERVALS, Scenario())
    for each in (session(1), session(2)):
        trial.add(each)
    expected = {
        ms: pool_runs(replay_session(each, Scenario(interval_ms=ms)) for each in (session(1), session(2)))
        for ms in INTERVALS
    }
    assert (trial.totals(), trial.recommendation()) == (expected, recommend_interval(expected))


def test_today_compares_only_sessions_that_hold_readings() -> None:
    """A session without readings says nothing about the setting in force, on neither side."""
    trial = Trial(INTERVALS, Scenario())
    trial.add(without_readings(session(1)))
    trial.add(session(2))
    assert [(each.session, each.path) for each in trial.recorded] == [(session(2).header.id, None)]
    assert trial.today(600_000) == (
        pool_runs([replay_session(session(2), as_recorded(session(2)))]),
        pool_runs([replay_session(session(2), Scenario(interval_ms=600_000))]),
    )


def test_what_explains_a_session_is_kept() -> None:
    """The scenario found is that of as_recorded."""
    trial = Trial([0], Scenario())
    trial.add(session())
    (recorded,) = trial.recorded
    assert isinstance(recorded, Recorded)
    assert recorded.explanation.scenario == as_recorded(session())


@given(st.integers(0, 30), st.integers(1, 4), st.booleans())
def test_parent_and_child_together_count_as_the_child_alone(seed: int, turns: int, with_readings: bool) -> None:
    """What a child took over is the parent's whole, so the two sum up to the child, as recorded too."""
    whole = session(seed) if with_readings else without_readings(session(seed))
    parent, child = forked(whole, turns)
    together, alone = Trial(INTERVALS, Scenario()), Trial(INTERVALS, Scenario())
    together.add(parent, {"parent", "child"})
    together.add(child, {"parent", "child"})
    alone.add(child, {"child"})

    def as_one(trial: Trial) -> list[object]:
        totals = [*trial.totals().values(), *(trial.today(0) if trial.recorded else ())]
        return [msgspec.structs.replace(each, runs=1) for each in totals]

    assert as_one(together) == as_one(alone)


@pytest.mark.parametrize(
    ("header", "given_ids"),
    [
        (SessionHeader(id="s"), {"s", "p"}),
        (SessionHeader(id="s", parent_session="p"), {"s", "p"}),
        (SessionHeader(id="s", parent_session="p", seed_length=0), {"s", "p"}),
        (SessionHeader(id="s", parent_session="p", seed_length=5), {"s"}),
        (SessionHeader(id="s", parent_session="s", seed_length=5), {"s"}),
    ],
    ids=["no parent", "no length", "nothing taken over", "parent not given", "its own parent"],
)
def test_a_session_counts_whole_unless_its_parent_is_given(header: SessionHeader, given_ids: set[str]) -> None:
    """Without the parent among the sessions, nobody else counts what was taken over."""
    assert inherited_part(replace(session(), header=header), given_ids) is None


def test_the_inherited_part_is_the_events_before_the_seed_length() -> None:
    """It ends where the session's own history begins."""
    _, child = forked(session(), 1)
    part = inherited_part(child, {"parent"})
    assert part is not None
    assert part.events == tuple(event for event in child.events if event.seq < (child.header.seed_length or 0))

"""The kernel measures every session under every scenario as a replay and a bill do, compiled or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.sweep.kernel.comparing import assert_equal, assert_kernel_equals_replay
from tests.sweep.kernel.strategies import long_sessions, odd_sessions, scenario_groups, swept_sessions
from timectx.errors import SessionError
from timectx.replay import Compaction, Scenario, ShareOfShadowed
from timectx.session import Session
from timectx.session.events import TurnStart
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.lanes import misfit
from timectx.sweep.kernel.running import run_columns
from timectx.sweep.replayed import replay_columns
from timectx.synthetic import Happening, synthetic_session

ONCE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def hold(session: Session, scenarios: list[Scenario], *, compiled: bool = False) -> None:
    """Hold the kernel to replays; a session that neither can read is no example."""
    try:
        assert_kernel_equals_replay(session, scenarios, compiled=compiled)
    except SessionError:
        with pytest.raises(SessionError):
            replay_columns(session, scenarios)


@given(odd_sessions(), scenario_groups())
def test_every_measure_of_a_short_session_is_that_of_its_replay(session: Session, scenarios: list[Scenario]) -> None:
    """Backward clocks, tools, strays, retries, overflows, prunes, every edition, policy, delivery, meter and cache."""
    hold(session, scenarios)


@given(long_sessions(), scenario_groups())
def test_steps_passed_over_in_one_go_count_as_if_each_were_replayed(
    session: Session, scenarios: list[Scenario]
) -> None:
    """Runs of plain steps end at the right place, and sum up to the same."""
    hold(session, scenarios)


@pytest.mark.slow
@ONCE
@given(swept_sessions(), scenario_groups())
def test_machine_code_measures_the_same(compiled: bool, session: Session, scenarios: list[Scenario]) -> None:
    """The compiled kernel gives what the same source gives as Python."""
    hold(session, scenarios, compiled=compiled)


@pytest.mark.parametrize(
    "delivery", ["appended", "system-prompt", "replaced", "session-prefix", "request-line", "tool", "timer"]
)
@given(swept_sessions(), st.data())
@settings(max_examples=20)
def test_each_delivery_is_measured_as_it_is_replayed(delivery: Any, session: Session, data: st.DataObject) -> None:
    """Whichever way time reaches the model."""
    hold(session, data.draw(scenario_groups(delivery)))


@given(swept_sessions(), scenario_groups(), st.data())
def test_what_a_session_took_over_happens_but_does_not_count(
    session: Session, scenarios: list[Scenario], data: st.DataObject
) -> None:
    """Counted from the start of a turn, all is what the replay has beyond the replay of the part before it."""
    starts = [event.seq for event in session.events if isinstance(event, TurnStart) and event.seq > 0]
    assume(starts)
    seq = data.draw(st.sampled_from(starts))
    header = msgspec.structs.replace(session.header, seed_length=seq, parent_session="parent")
    fork = replace(session, header=header)
    seeded = replace(fork, events=tuple(event for event in fork.events if event.seq < seq), tail=None)
    asked = [scenario.replace(skip_empty=False) for scenario in scenarios]
    try:
        columns = columns_of(fork, asked[0])
    except SessionError:
        return
    assume(not any(misfit(scenario, columns.facts) for scenario in asked))
    found = run_columns(columns, asked, counted_from=seq, compiled=False)
    assert_equal(found, replay_columns(fork, asked, inherited=seeded))


def test_nothing_counts_where_all_was_taken_over() -> None:
    """A fork that has done nothing yet has a row of zeros."""
    session = synthetic_session(1, steps=9)
    columns = columns_of(session, Scenario())
    found = run_columns(columns, [Scenario()], counted_from=len(session.events), compiled=False)
    assert (found["attempts"].tolist(), found["inherited_steps"].tolist(), found["cost_usd"].tolist()) == (
        [0],
        [9],
        [0.0],
    )


@pytest.mark.parametrize("anchor", ["step-start", "reply"])
def test_pressure_bounds_hold_where_readings_pile_up(anchor: Any) -> None:
    """Between two compactions the surface grows by readings alone, and is looked at again in time."""
    session = synthetic_session(3, steps=300, happenings=[Happening("clock", 150, -3_600_000)])
    compaction = Compaction(context_window=90_000, anchor=anchor, summary=ShareOfShadowed(0.3))
    scenarios = [
        Scenario(interval_ms=interval_ms, compaction=compaction) for interval_ms in (0, 1, 7000, 40_000, 10**7)
    ]
    hold(session, scenarios)
    assert min(replay_columns(session, scenarios[:1])["compactions"]) > 3

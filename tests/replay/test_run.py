"""The value a replay returns."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from tests.builders import log
from timectx.reading import zone_database_release
from timectx.replay import Decision, Run, Scenario, replay_session


def run() -> Run:
    """Return the run of a session of one step."""
    built = log(session_id="s-7").turn().prompt("hi").step().reply("ok").end_turn()
    return replay_session(built.build(), Scenario())


def test_a_run_says_which_session_scenario_and_zone_data_it_is_of() -> None:
    """The scenario is resolved: its zone and interval are those in force."""
    found = run()
    assert (found.session_id, found.scenario, found.zone_database) == (
        "s-7",
        Scenario(time_zone="UTC", interval_ms=0),
        zone_database_release(),
    )


def test_a_run_and_its_parts_cannot_be_changed() -> None:
    """They are shared by frames, plots and panels."""
    found = run()
    for part in (found, found.readings[0], found.attempts[0], found.steps[0], found.measures):
        value: Any = part
        with pytest.raises(AttributeError):
            value.turn = 5


def test_an_attempt_is_decided_in_one_of_four_ways() -> None:
    """These words stand in frames and JSON."""
    assert get_args(Decision) == ("added", "suppressed", "ineligible", "failed")

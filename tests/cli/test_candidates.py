"""Test which scenarios are compared."""

from __future__ import annotations

import pytest

from timectx.cli.candidates import candidates, takes_intervals
from timectx.errors import ScenarioError
from timectx.replay import Scenario

MINUTE_MS = 60_000


def test_each_base_is_tried_under_each_interval() -> None:
    """Base by base, in the order of the intervals."""
    found = candidates([Scenario(), Scenario(edition="note")], [0, MINUTE_MS])
    assert [(each.edition, each.interval_ms) for each in found] == [
        ("readme", 0),
        ("readme", MINUTE_MS),
        ("note", 0),
        ("note", MINUTE_MS),
    ]


@pytest.mark.parametrize(
    ("knobs", "takes"),
    [
        ({}, True),
        ({"policy": "interval | gap"}, True),
        ({"policy": "turn"}, False),
        ({"policy": "recorded"}, False),
        ({"delivery": "session-prefix"}, False),
        ({"delivery": "tool"}, False),
        ({"delivery": "request-line"}, True),
        ({"delivery": "timer", "policy": "turn", "interval_ms": MINUTE_MS}, True),
    ],
)
def test_a_base_without_an_interval_is_tried_once(knobs: dict[str, object], takes: bool) -> None:
    """Where nothing asks for the interval, others would only repeat it."""
    base = Scenario(**knobs)
    assert takes_intervals(base) is takes
    assert len(candidates([base], [MINUTE_MS, 2 * MINUTE_MS])) == (2 if takes else 1)


def test_presets_are_tried_as_they_are_and_nothing_twice() -> None:
    """A preset that the intervals hold already is not repeated."""
    presets = [Scenario(interval_ms=MINUTE_MS), Scenario(edition="current")]
    assert candidates([Scenario()], [MINUTE_MS], presets) == [Scenario(interval_ms=MINUTE_MS), presets[1]]
    assert candidates([], [MINUTE_MS], presets) == presets


def test_an_interval_too_short_for_a_timer_is_refused() -> None:
    """It is asked for by name, so it is not passed over."""
    with pytest.raises(ScenarioError):
        candidates([Scenario(delivery="timer", interval_ms=MINUTE_MS)], [0])

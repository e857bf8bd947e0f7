"""Test the scenarios that have a name."""

from __future__ import annotations

import pytest

from timectx.errors import ScenarioError
from timectx.replay import Scenario, parse_scenario
from timectx.replay.deliveries import DELIVERIES
from timectx.replay.policies import RULES
from timectx.replay.presets import PRESETS, preset, presets


def test_the_two_that_dsh_itself_had_are_these() -> None:
    """The first web interface set nothing, which meant every attempt; 0.2.1 made ten minutes of it."""
    found = {name: (PRESETS[name].title, PRESETS[name].scenario) for name in ("web-overlay", "dsh-0.2.1")}
    assert found == {
        "web-overlay": ("web overlay (every attempt)", Scenario(edition="readme", interval_ms=0)),
        "dsh-0.2.1": ("0.2.1 default (10 min)", Scenario(edition="current")),
    }


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_names_a_scenario_that_a_file_can_hold(name: str) -> None:
    """Each goes by its own name, says what it is, and comes back from TOML."""
    found = preset(name)
    assert preset(found.title) is found
    assert (found.name, bool(found.title), found.about[-1]) == (name, True, ".")
    assert parse_scenario(found.scenario.to_toml()) == found.scenario


def test_no_two_presets_are_the_same() -> None:
    """Neither by title nor by what they set."""
    titles = {each.title for each in PRESETS.values()}
    knobs = {each.scenario.to_toml() for each in PRESETS.values()}
    assert (len(titles), len(knobs)) == (len(PRESETS), len(PRESETS))


@pytest.mark.parametrize(
    ("name", "hint"), [("web-overlays", "did you mean web-overlay"), ("xyz", "expected one of web-")]
)
def test_a_preset_that_does_not_exist_is_answered_with_those_that_do(name: str, hint: str) -> None:
    """A near one alone, else all."""
    with pytest.raises(ScenarioError, match=hint) as caught:
        preset(name)
    assert caught.value.kind == "preset"


def test_every_delivery_and_every_rule_can_be_tried_with_one_word() -> None:
    """Each has a preset, and all presets together are scenarios by their titles."""
    scenarios = presets()
    assert list(scenarios.items()) == [(each.title, each.scenario) for each in PRESETS.values()]
    assert {scenario.delivery for scenario in scenarios.values()} == set(DELIVERIES)
    named = {rule for scenario in scenarios.values() for rule in scenario.policy.split(" | ")}
    assert named == set(RULES)

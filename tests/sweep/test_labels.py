"""A few words tell the scenarios of a sweep apart."""

from __future__ import annotations

import pytest

from timectx.replay import Compaction, Scenario
from timectx.sweep.labels import scenario_label, scenario_labels


@pytest.mark.parametrize(
    ("scenario", "label"),
    [
        (Scenario(), "0"),
        (Scenario(edition="current"), "10m, edition current"),
        (Scenario(interval_ms=5_400_000, time_zone="Asia/Kolkata"), "1h 30m, zone Asia/Calcutta"),
        (Scenario(policy="recorded"), "recorded"),
        (Scenario(policy="after-compaction | interval", interval_ms=60_000), "1m | after-compaction"),
        (Scenario(policy="gap & turn", gap_ms=600_000), "turn & gap 10m"),
        (Scenario(delivery="tool", tool_calls=2), "0, tool x2"),
        (Scenario(delivery="system-prompt"), "0, system-prompt"),
        (Scenario(compaction="off", skip_empty=True), "0, compaction off, skip-empty"),
        (
            Scenario(compaction=Compaction(context_window=200_000, settings={"thresholdRatio": 0.5})),
            "0, compaction simulated settings {thresholdRatio 0.5} context-window 200000",
        ),
    ],
)
def test_a_label_says_what_is_not_as_usual(scenario: Scenario, label: str) -> None:
    """First when a reading is due, then how it is delivered, then the rest."""
    assert scenario_label(scenario) == label


def test_labels_that_would_be_alike_are_numbered() -> None:
    """No two scenarios of a sweep have one label."""
    asked = [Scenario(counter=lambda text: 1), Scenario(counter=lambda text: 2), Scenario()]
    assert scenario_labels(asked) == ["0, counter <lambda>", "0, counter <lambda> #2", "0"]

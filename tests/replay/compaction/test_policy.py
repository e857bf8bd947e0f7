"""What holds for one model, and which budgets that leads to in one window."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ScenarioError
from timectx.reading import Edition
from timectx.replay.compaction.policy import Budget, Target, budget_of
from timectx.replay.compaction.settings import compaction_settings

TARGET = Target("deepseek", "chat-3")


def budget(window: float, reserved: float = 0, *, edition: Edition = "readme", **config: Any) -> Budget:
    """Return the budget of a configuration."""
    return budget_of(compaction_settings(config, edition=edition).policy, TARGET, window, reserved)


def test_a_models_own_policy_changes_what_it_names() -> None:
    """Its retained tail replaces the other, also in the other unit; other models keep what holds for all."""
    own = {"provider": "deepseek", "model": "chat-3", "retainTokens": 5, "compactionRetries": 3}
    settings = compaction_settings({"retainRatio": 0.3, "modelPolicies": [own]})
    changed = settings.policy_for(TARGET)
    assert (changed.retain_ratio, changed.retain_tokens, changed.compaction_retries) == (None, 5, 3)
    assert changed.threshold_ratio == settings.policy.threshold_ratio
    assert settings.policy_for(Target("deepseek", "chat")) == settings.policy
    back = compaction_settings({"retainTokens": 5, "modelPolicies": [{**own, "retainTokens": 0}]})
    assert back.policy_for(TARGET).retain_tokens == 0


def test_ratios_round_down_as_doubles_do() -> None:
    """0.29 of 100 is 28.999… there."""
    assert budget(100, retainRatio=0.29, thresholdRatio=0.57) == Budget(56, 28)


def test_a_tail_in_tokens_does_not_follow_the_window() -> None:
    """It has to stay below the threshold all the same."""
    assert budget(1000, retainTokens=799) == Budget(800, 799)


@pytest.mark.parametrize(
    ("window", "reserved", "expected"),
    [
        (1_000_000, 256_000, Budget(678_464, 119_040)),
        (200_000, 0, Budget(134_464, 32_000)),
        (200_000, 32_000, Budget(102_464, 26_880)),
        (400_000, 10_000, Budget(320_000, 62_400)),
    ],
    ids=["deepseek", "no-reply", "a-reply", "the-ratio-binds"],
)
def test_current_keeps_room_for_a_reply_and_a_headroom(window: int, reserved: int, expected: Budget) -> None:
    """The threshold is the lower of the ratio's and what both leave; the tail is a share of what a reply leaves."""
    assert budget(window, reserved, edition="current") == expected


def test_the_earlier_editions_do_not_look_at_the_reply() -> None:
    """Only the window counts."""
    assert budget(1000, 999) == budget(1000) == Budget(800, 160)


@pytest.mark.parametrize(
    ("edition", "window", "reserved", "config", "kind"),
    [
        ("readme", 0, 0, {}, "basiccompactionconfig-contextwindow-must-be-a-positive"),
        ("readme", True, 0, {}, "basiccompactionconfig-contextwindow-must-be-a-positive"),
        ("readme", 10, 0, {"retainTokens": 8}, "basiccompactionconfig-deepseek-chat-retaintokens-must-be"),
        ("current", 1.5, 0, {}, "context-window-invalid"),
        ("current", 1000, -1, {}, "reserved-invalid"),
        ("current", 1000, 1000, {}, "no-message-budget"),
        ("current", 1000, 100, {"headroomTokens": 900}, "no-pressure-budget"),
        ("current", 1000, 100, {"headroomTokens": 899, "retainTokens": 1}, "retain-not-below-threshold"),
    ],
)
def test_a_window_that_leaves_no_budget_is_refused(
    edition: Edition, window: float, reserved: float, config: dict[str, Any], kind: str
) -> None:
    """For the rule it breaks first, in its edition's words."""
    with pytest.raises(ScenarioError) as refused:
        budget(window, reserved, edition=edition, **config)
    assert refused.value.kind == kind


def test_a_target_prints_as_the_original_names_it() -> None:
    """Provider, slash, model."""
    assert str(TARGET) == "deepseek/chat-3"

"""The settings of compaction: what is refused, and what is filled in."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ScenarioError
from timectx.reading import Edition
from timectx.replay.compaction.policy import CompactionPolicy, CompactionSettings, ModelPolicy, Target
from timectx.replay.compaction.settings import compaction_settings

DEFAULTS: dict[str, Any] = {
    "threshold_ratio": 0.8,
    "retain_ratio": 0.16,
    "retain_tokens": None,
    "headroom_tokens": 0,
    "summarization_provider": "",
    "summarization_model": "",
    "max_tokens": 8192,
    "compaction_retries": 1,
    "max_overflow_retries": 1,
}
OWN = {"provider": "p", "model": "m"}


def policy(edition: Edition = "readme", **changes: Any) -> CompactionPolicy:
    """Return the default policy with changes."""
    return CompactionPolicy(edition=edition, **{**DEFAULTS, **changes})


def test_nothing_given_takes_every_default() -> None:
    """Compaction is on, at four fifths of the window, and keeps about a sixth."""
    assert compaction_settings() == CompactionSettings(policy=policy())
    assert compaction_settings({}) == compaction_settings(None)


def test_in_current_the_headroom_is_also_the_cap_of_a_summary() -> None:
    """Unless the cap is given; 0 as headroom needs one."""
    default = compaction_settings(edition="current").policy
    assert (default.headroom_tokens, default.max_tokens) == (65_536, 65_536)
    assert compaction_settings({"headroomTokens": 7}, edition="current").policy.max_tokens == 7
    given = compaction_settings({"headroomTokens": 0, "maxTokens": 7}, edition="current").policy
    assert (given.headroom_tokens, given.max_tokens) == (0, 7)


def test_a_tail_in_tokens_replaces_the_ratio() -> None:
    """There is one retained tail, in one unit."""
    assert compaction_settings({"retainTokens": 0}).policy == policy(retain_ratio=None, retain_tokens=0)


def test_whole_floats_are_whole_numbers() -> None:
    """JSON does not tell them apart."""
    assert compaction_settings({"retainTokens": 70.0}).policy.retain_tokens == 70


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ([], "basiccompactionconfig-must-be-an-object"),
        ({"threshold_ratio": 0.5}, "basiccompactionconfig-unknown-key"),
        ({"headroomTokens": 1}, "basiccompactionconfig-unknown-key"),
        ({"thresholdRatio": True}, "basiccompactionconfig-thresholdratio-must-be-a-number"),
        ({"thresholdRatio": float("nan")}, "basiccompactionconfig-thresholdratio-must-be-a-number"),
        ({"retainRatio": 0}, "basiccompactionconfig-retainratio-must-be-a-number"),
        ({"retainTokens": True}, "basiccompactionconfig-retaintokens-must-be-a-non"),
        ({"maxTokens": None}, "basiccompactionconfig-maxtokens-must-be-a-positive"),
        ({"thresholdRatio": 0.16}, "basiccompactionconfig-retainratio-must-be-less-than"),
        ({"thresholdRatio": 0.1, "retainRatio": 0.2}, "basiccompactionconfig-retainratio-must-be-less-than"),
        ({"summarizationModel": ""}, "basiccompactionconfig-summarizationprovider-and-summarizationmodel-must-be"),
        ({"auto": 1}, "basiccompactionconfig-auto-must-be-a-boolean"),
        ({"modelPolicies": "pm"}, "basiccompactionconfig-modelpolicies-must-be-an-array"),
        ({"modelPolicies": [{"model": "m"}]}, "basiccompactionconfig-modelpolicies-provider-must-be-a"),
        ({"modelPolicies": [OWN, OWN]}, "basiccompactionconfig-duplicate-model-policy-for-p"),
        ({"modelPolicies": [{**OWN, "auto": True}]}, "basiccompactionconfig-modelpolicies-unknown-key"),
        ({"modelPolicies": [{**OWN, "maxTokens": 0}]}, "basiccompactionconfig-modelpolicies-maxtokens-must-be-a"),
        (
            {"modelPolicies": [{**OWN, "thresholdRatio": 0.1}]},
            "basiccompactionconfig-modelpolicies-retainratio-must-be-less",
        ),
        (
            {"modelPolicies": [{**OWN, "retainRatio": 0.1, "retainTokens": 5}]},
            "basiccompactionconfig-modelpolicies-retainratio-and-retaintokens-are",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_named(config: Any, kind: str) -> None:
    """Each with the original's own word, and a line that says what it should be."""
    with pytest.raises(ScenarioError) as refused:
        compaction_settings(config)
    assert refused.value.kind == kind
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("given", [{}, {"modelPolicies": [{**OWN, "headroomTokens": 0}]}], ids=["all", "one-model"])
def test_a_summary_without_a_token_is_refused(given: dict[str, Any]) -> None:
    """A headroom of 0 in `current` leaves it none, unless the cap is given."""
    config = given or {"headroomTokens": 0}
    with pytest.raises(ScenarioError) as refused:
        compaction_settings(config, edition="current")
    assert refused.value.kind == "max-tokens-invalid"
    assert compaction_settings({**config, "maxTokens": 9}, edition="current").policy.max_tokens == 9


def test_a_model_follows_its_own_headroom_unless_a_cap_is_given_for_all() -> None:
    """So its policy is written down with a cap of its own."""
    own = {**OWN, "headroomTokens": 9}
    free = compaction_settings({"modelPolicies": [own]}, edition="current")
    assert free.model_policies == (ModelPolicy(provider="p", model="m", headroom_tokens=9, max_tokens=9),)
    capped = compaction_settings({"modelPolicies": [own], "maxTokens": 50}, edition="current")
    assert capped.policy_for(Target("p", "m")).max_tokens == 50

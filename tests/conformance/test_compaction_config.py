"""Hold the settings of compaction, and the budgets they lead to, to the original's."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.conformance.rows import rows
from timectx.errors import ScenarioError
from timectx.reading import Edition
from timectx.replay.compaction.policy import CompactionPolicy, ModelPolicy, Target, budget_of
from timectx.replay.compaction.settings import compaction_settings

NAMES: Final = {
    "thresholdRatio": "threshold_ratio",
    "headroomTokens": "headroom_tokens",
    "retainRatio": "retain_ratio",
    "retainTokens": "retain_tokens",
    "summarizationProvider": "summarization_provider",
    "summarizationModel": "summarization_model",
    "maxTokens": "max_tokens",
    "compactionRetries": "compaction_retries",
    "maxOverflowRetries": "max_overflow_retries",
}


def _cases() -> list[Any]:
    files: dict[Edition, str] = {
        "readme": "compaction_config.jsonl",
        "current": "current_compaction_config.jsonl",
    }
    return [
        pytest.param(row, edition, id=f"{edition}-{at}")
        for edition, name in files.items()
        for at, row in enumerate(rows(name))
    ]


def _plain(policy: CompactionPolicy | ModelPolicy, edition: Edition) -> dict[str, Any]:
    """Return the settings that a policy has, by the original's names."""
    known = {key: getattr(policy, name) for key, name in NAMES.items()}
    return {
        key: value
        for key, value in known.items()
        if value is not None and (edition == "current" or key != "headroomTokens")
    }


def _kind(refused: pytest.ExceptionInfo[ScenarioError]) -> dict[str, str]:
    return {"name": "Error", "kind": refused.value.kind}


@pytest.mark.parametrize(("row", "edition"), _cases())
def test_settings_policy_and_budget_equal_the_original(row: dict[str, Any], edition: Edition) -> None:
    """What a configuration resolves to, for all models and for one, or for which rule it is refused."""
    if "error" in row:
        with pytest.raises(ScenarioError) as refused:
            compaction_settings(row["config"], edition=edition)
        assert _kind(refused) == row["error"]
        return
    settings = compaction_settings(row["config"], edition=edition)
    owns = [{"provider": own.provider, "model": own.model, **_plain(own, edition)} for own in settings.model_policies]
    resolved = {**_plain(settings.policy, edition), "modelPolicies": owns, "auto": settings.auto}
    assert resolved == row["resolved"]
    target = Target(**row["target"])
    policy = settings.policy_for(target)
    assert {"target": row["target"], **_plain(policy, edition)} == row["policy"]
    window, reserved = row["contextWindow"], row.get("reservedCompletionTokens", 0)
    if "specError" in row:
        with pytest.raises(ScenarioError) as refused:
            budget_of(policy, target, window, reserved)
        assert _kind(refused) == row["specError"]
        return
    budget = budget_of(policy, target, window, reserved)
    spec = {key: value for key, value in _plain(policy, edition).items() if key in row["spec"]}
    spec |= {"thresholdTokens": budget.threshold_tokens, "retainTokens": budget.retain_tokens}
    assert {"target": row["target"], "contextWindow": window, **spec} == row["spec"]

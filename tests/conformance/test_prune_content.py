"""Hold the shortening of tool results, and its settings, to the original's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.errors import ScenarioError
from timectx.replay.compaction.pruning import prune_content, prune_settings

ROWS = rows("prune_content.jsonl")
SETTINGS = [row for row in ROWS if "blocks" not in row]
CONTENTS = [row for row in ROWS if "blocks" in row]


@pytest.mark.parametrize("row", SETTINGS, ids=range(len(SETTINGS)))
def test_prune_settings_equal_the_original(row: dict[str, Any]) -> None:
    """What a configuration resolves to, or for which rule it is refused."""
    if "error" in row:
        with pytest.raises(ScenarioError) as refused:
            prune_settings(row["config"])
        assert {"name": "Error", "kind": refused.value.kind} == row["error"]
        return
    settings = prune_settings(row["config"])
    assert row["resolved"] == {
        "thresholdChars": settings.threshold_chars,
        "headChars": settings.head_chars,
        "tailChars": settings.tail_chars,
    }


@pytest.mark.parametrize("row", CONTENTS, ids=range(len(CONTENTS)))
def test_pruned_content_equals_the_original(row: dict[str, Any]) -> None:
    """Which blocks are left of a tool result and what they say; a second pass changes nothing."""
    settings = prune_settings(row["config"])
    assert sum(len(block["text"]) for block in row["blocks"] if block["type"] == "text") == row["chars"]
    pruned = prune_content(row["blocks"], settings)
    assert (None if pruned is None else list(pruned)) == row["pruned"]
    assert pruned is None or prune_content(pruned, settings) is None

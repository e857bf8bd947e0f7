"""Test what there is to paste, and that it promises no setting that does not exist."""

from __future__ import annotations

import pytest
import yaml

from timectx.errors import TuneError
from timectx.sweep.advice.snippet import snippet_for


@pytest.mark.parametrize(("interval_ms", "words"), [(300_000, "5m"), (0, "a reading at every attempt")])
def test_dsh_gets_its_setting(interval_ms: int, words: str) -> None:
    """The number is milliseconds, the comment says it in words."""
    text = snippet_for("dsh", interval_ms)
    assert text == f"config:\n  refreshIntervalMs: {interval_ms}  # {words}"
    assert yaml.safe_load(text) == {"config": {"refreshIntervalMs": interval_ms}}


@pytest.mark.parametrize(
    ("agent", "name"),
    [("claude-code", "Claude Code"), ("codex", "Codex"), ("pi", "pi"), ("generic", "An agent of your own")],
)
def test_other_agents_get_a_number_for_a_hook_and_are_told_so(agent: str, name: str) -> None:
    """Nothing looks like a setting of theirs."""
    assert snippet_for(agent, 300_000) == (  # type: ignore[arg-type]
        f"# {name} has no setting for this: the number is for a hook of your own.\n"
        "# In the hook, tell the time when the newest reading is at least 5m old;\n"
        "# put it into a message of its own at the end of the conversation.\n"
        "REFRESH_INTERVAL_MS=300000  # at least 5m between two readings"
    )


def test_what_dsh_has_no_setting_for_is_said_in_words_that_set_nothing() -> None:
    """Every line is a comment, so pasting it changes nothing."""
    text = snippet_for("dsh", 600_000, "interval & turn | after-compaction", "system-prompt")
    assert text == (
        "# The time-context plugin has no setting for this: it takes a listener of your own.\n"
        "# Give a reading when the newest reading is at least 10m old and the turn has none yet "
        "or a compaction came after the newest one;\n"
        "# put it into a line in the system prompt, overwritten each time."
    )
    assert yaml.safe_load(text) is None


@pytest.mark.parametrize(
    ("policy", "delivery", "number"),
    [("turn", "appended", False), ("interval | turn", "appended", True), ("turn", "timer", True)],
)
def test_a_policy_without_an_interval_gets_no_number(policy: str, delivery: str, number: bool) -> None:
    """An interval that nothing asks for would only mislead; a timer has one whatever the policy."""
    text = snippet_for("generic", 60_000, policy, delivery)
    assert ("REFRESH_INTERVAL_MS=60000" in text, "number" in text) == (number, number)


def test_an_unknown_agent_is_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(TuneError, match=r"one of dsh, claude-code, codex, pi, generic; got 'emacs'") as caught:
        snippet_for("emacs", 0)  # type: ignore[arg-type]
    assert caught.value.kind == "agent"


def test_a_way_that_asks_no_policy_says_when_it_tells_the_time() -> None:
    """The model asks a clock tool; a session's prefix is written once; neither has a number to set."""
    asked = snippet_for("generic", 60_000, delivery="tool")
    assert "when the model asks for it, which it does in the first steps of each turn" in asked
    assert "when the session begins, and never again" in snippet_for("dsh", 60_000, delivery="session-prefix")
    assert "REFRESH_INTERVAL_MS" not in asked

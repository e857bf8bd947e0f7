"""The words for a compaction that is refused or fails."""

from __future__ import annotations

from typing import get_args

import pytest

from timectx.errors import TimectxError
from timectx.replay.compaction.refusals import CompactionError, Rule, refusal, rule_word


def test_a_refusal_carries_its_editions_word_and_a_code() -> None:
    """The word depends on the edition, the text and the code do not."""
    for edition, kind in (("note", "summary-is-not-smaller-than-the"), ("current", "not-smaller")):
        error = refusal("not-smaller", "no gain", edition, code="summary")
        assert (str(error), error.kind, error.code) == ("no gain", kind, "summary")
    assert refusal("not-smaller", "no gain", "readme").code == ""


def test_a_failed_compaction_is_caught_as_an_error_of_the_package_or_of_a_value() -> None:
    """So that plain handlers work."""
    assert issubclass(CompactionError, TimectxError)
    assert issubclass(CompactionError, ValueError)


@pytest.mark.parametrize("rule", get_args(Rule))
def test_every_rule_has_a_word_in_every_edition(rule: Rule) -> None:
    """The editions before `current` share theirs."""
    words = [rule_word(rule, edition) for edition in ("note", "note-v2", "readme", "current")]
    assert words[0] == words[1] == words[2]
    assert all(word and word == word.lower() for word in words)

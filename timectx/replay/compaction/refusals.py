"""Name every way a compaction is refused or fails, by the word that each edition's original has for it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from timectx.errors import TimectxError
from timectx.reading import Edition

__all__ = ["CompactionError", "Rule", "refusal", "rule_word"]

Rule: TypeAlias = Literal[
    "busy",
    "busy-pressure",
    "capacity-invalid",
    "capacity-missing",
    "end-unbalanced",
    "manual-open-turn",
    "manual-summary",
    "no-open-turn",
    "not-smaller",
    "start-unbalanced",
    "still-above",
    "summary-empty",
    "summary-failed",
    "summary-image",
    "summary-truncated",
    "surface-changed",
    "system-head",
]

_WORDS: Final[dict[Rule, tuple[str, str]]] = {
    "busy": ("compaction-compaction-already-in-progress-the", "lock-active"),
    "busy-pressure": ("automatic-pressure-compaction-compaction-already-in", "lock-active"),
    "capacity-invalid": ("adapter-returned-invalid-context-metadata-for",) * 2,
    "capacity-missing": ("compaction-basic-no-context-capacity-for",) * 2,
    "end-unbalanced": ("compactregion-end-seq-is-not-a",) * 2,
    "manual-open-turn": ("manual-compaction-the-session-already-has",) * 2,
    "manual-summary": ("manual-compaction-could-not-produce-a", "manual-not-smaller"),
    "no-open-turn": ("compactregion-no-open-turn-automatic-compaction",) * 2,
    "not-smaller": ("summary-is-not-smaller-than-the", "not-smaller"),
    "start-unbalanced": ("compactregion-start-seq-is-not-a",) * 2,
    "still-above": ("compaction-still-above-threshold-after-compaction", "still-above-threshold"),
    "summary-empty": ("summarization-produced-no-text-summary-content", "no-summary-text"),
    "summary-failed": ("summary-failed",) * 2,
    "summary-image": ("compaction-summary-cannot-contain-image-output",) * 2,
    "summary-truncated": ("summarization-truncated-at-the-token-cap", "summary-truncated"),
    "surface-changed": ("compaction-session-surface-changed-during-summarization", "surface-changed"),
    "system-head": ("system-head-protected",) * 2,
}


class CompactionError(TimectxError, ValueError):
    """
    Signal a compaction that is refused, fails or does not help.

    Parameters
    ----------
    message : str
        What was wrong, what was expected and the value.
    kind : str
        The edition's word for the rule that was broken.
    code : str, optional
        The class of failure that an agent acts upon, such as ``busy`` (come back later), ``summary``
        (a compaction run by hand gained nothing) or a provider's own word; empty where there is none.
    """

    def __init__(self, message: str, *, kind: str, code: str = "") -> None:
        super().__init__(message, kind=kind)
        self.code = code


def refusal(rule: Rule, message: str, edition: Edition, *, code: str = "") -> CompactionError:
    """
    Return the error for a broken rule, ready to be raised.

    Parameters
    ----------
    rule : str
        Which rule; the same word in every edition.
    message : str
        What was wrong, what was expected and the value.
    edition : {"note", "note-v2", "readme", "current"}
        Whose word becomes the error's kind.
    code : str, optional
        As for `CompactionError`.

    Returns
    -------
    CompactionError
        With the edition's word.

    Examples
    --------
    >>> refusal("not-smaller", "no gain", "current").kind
    'not-smaller'
    """
    return CompactionError(message, kind=rule_word(rule, edition), code=code)


def rule_word(rule: Rule, edition: Edition) -> str:
    """
    Return an edition's word for a rule.

    Parameters
    ----------
    rule : str
        Which rule; the same word in every edition.
    edition : {"note", "note-v2", "readme", "current"}
        Whose word.

    Returns
    -------
    str
        What `CompactionError` carries as its kind.

    Examples
    --------
    >>> rule_word("busy", "readme")
    'compaction-compaction-already-in-progress-the'
    """
    earlier, current = _WORDS[rule]
    return current if edition == "current" else earlier

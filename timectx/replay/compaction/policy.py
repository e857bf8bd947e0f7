"""Hold the settings of compaction as they stand for one model, and turn them into budgets for its window."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any, Final, NoReturn

from msgspec import Struct
from msgspec.structs import asdict

from timectx.errors import ScenarioError
from timectx.reading import Edition

__all__ = [
    "Budget",
    "Capacity",
    "CompactionPolicy",
    "CompactionSettings",
    "ModelPolicy",
    "Target",
    "budget_of",
    "setting_word",
]

_WORDS: Final = 6


class Target(Struct, frozen=True):
    """Name a model: who provides it, and what it is called there."""

    provider: str
    model: str

    def __str__(self) -> str:
        """Return both, as the original prints them."""
        return f"{self.provider}/{self.model}"


class Budget(Struct, frozen=True):
    """Hold, in tokens, the pressure at which compaction starts and how much of the newest it keeps."""

    threshold_tokens: int
    retain_tokens: int


class Capacity(Struct, frozen=True):
    """
    Say how much a model can take.

    `context_window` is in tokens; `max_tokens` is what a reply may take where the request's header
    does not say, 0 = nothing is kept for it.
    """

    context_window: float
    max_tokens: int = 0


class ModelPolicy(Struct, frozen=True, kw_only=True):
    """
    Hold what one model does otherwise; None leaves a setting as it is for all.

    `provider` and `model` name the model; the other fields are those of `CompactionPolicy`.
    """

    provider: str
    model: str
    threshold_ratio: float | None = None
    headroom_tokens: int | None = None
    retain_ratio: float | None = None
    retain_tokens: int | None = None
    summarization_provider: str | None = None
    summarization_model: str | None = None
    max_tokens: int | None = None
    compaction_retries: int | None = None
    max_overflow_retries: int | None = None


@dataclass(frozen=True, kw_only=True)
class CompactionPolicy:
    """
    Hold the settings that are in force for one model.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme", "current"}
        Whose rules turn the settings into budgets.
    threshold_ratio : float
        Share of the window at which compaction starts, above 0 and up to 1.
    retain_ratio : float or None
        Share of the window that the newest nodes keep, below the threshold's; None where
        `retain_tokens` says it.
    retain_tokens : int or None
        The same in tokens; 0 keeps only the last node.
    headroom_tokens : int
        Tokens that ``current`` leaves free below the window; 0 in the other editions.
    summarization_provider, summarization_model : str
        The model that writes summaries; both empty = the one whose conversation is compacted.
    max_tokens : int
        The cap on a summary's length, in tokens.
    compaction_retries : int
        How often compaction tries again when the pressure is still at the threshold.
    max_overflow_retries : int
        How many times in a row a request that did not fit is compacted and asked again.
    """

    edition: Edition
    threshold_ratio: float
    retain_ratio: float | None
    retain_tokens: int | None
    headroom_tokens: int
    summarization_provider: str
    summarization_model: str
    max_tokens: int
    compaction_retries: int
    max_overflow_retries: int


@dataclass(frozen=True, kw_only=True)
class CompactionSettings:
    """
    Hold every setting of compaction, resolved and checked; made by `compaction_settings`.

    Parameters
    ----------
    policy : CompactionPolicy
        What holds for every model without a policy of its own.
    model_policies : tuple of ModelPolicy
        What single models do otherwise.
    auto : bool
        Whether compaction runs by itself, before steps and after requests that did not fit.
    """

    policy: CompactionPolicy
    model_policies: tuple[ModelPolicy, ...] = field(default=())
    auto: bool = True

    def policy_for(self, target: Target) -> CompactionPolicy:
        """
        Return the settings for one model.

        Parameters
        ----------
        target : Target
            The model whose conversation is compacted.

        Returns
        -------
        CompactionPolicy
            Those for all models, with what the model's own policy changes: its retained tail replaces
            the other, whichever way each was given.
        """
        for own in self.model_policies:
            if (own.provider, own.model) == (target.provider, target.model):
                return _merged(self.policy, own)
        return self.policy


def budget_of(policy: CompactionPolicy, target: Target, context_window: float, reserved_tokens: float = 0) -> Budget:
    """
    Return what a policy means for one window.

    Parameters
    ----------
    policy : CompactionPolicy
        The settings for the model.
    target : Target
        The model, for what an error says.
    context_window : int
        How many tokens the model can see; anything but a whole number from 1 is refused.
    reserved_tokens : int, optional
        Tokens that a reply may take, which ``current`` keeps out of the window; the other editions
        do not look at it.

    Returns
    -------
    Budget
        Threshold and retained tail. Ratios are taken in doubles and rounded down, as in the original:
        0.29 of 100 is 28.

    Raises
    ------
    ScenarioError
        Kind ``basiccompactionconfig-contextwindow-must-be-a-positive`` (``context-window-invalid`` in
        ``current``), or ``basiccompactionconfig-<provider>-<model>-retaintokens-must-be``
        (``retain-not-below-threshold``); in ``current`` also ``reserved-invalid``,
        ``no-message-budget`` and ``no-pressure-budget``.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/config.ts, `resolveCompactSpec`.

    Examples
    --------
    >>> from timectx.replay.compaction.settings import compaction_settings
    >>> budget_of(compaction_settings().policy, Target("p", "m"), 1000)
    Budget(threshold_tokens=800, retain_tokens=160)
    >>> budget_of(compaction_settings(edition="current").policy, Target("p", "m"), 1_000_000, 256_000)
    Budget(threshold_tokens=678464, retain_tokens=119040)
    """
    is_current = policy.edition == "current"
    if not _is_whole(context_window, least=1):
        kind = "context-window-invalid" if is_current else setting_word("contextWindow must be a positive")
        _refuse(kind, f"a context window is a whole number of tokens from 1; got {context_window!r}")
    if is_current:
        return _current_budget(policy, target, context_window, reserved_tokens)
    threshold = math.floor(context_window * policy.threshold_ratio)
    return _checked_budget(policy, target, threshold, _retained(policy, context_window))


def setting_word(rule: str) -> str:
    """
    Return the word under which the original refuses a setting.

    Parameters
    ----------
    rule : str
        Which setting breaks which rule, as words.

    Returns
    -------
    str
        The kind of a `ScenarioError`: the first words of the rule, letters alone.

    Examples
    --------
    >>> setting_word("modelPolicies unknown key"), setting_word("p-1/m retainTokens must be less")
    ('basiccompactionconfig-modelpolicies-unknown-key', 'basiccompactionconfig-p-m-retaintokens-must-be')
    """
    return "-".join(["basiccompactionconfig", *re.findall("[a-z]+", rule.lower())][:_WORDS])


def _current_budget(policy: CompactionPolicy, target: Target, window: float, reserved: float) -> Budget:
    if not _is_whole(reserved):
        _refuse("reserved-invalid", f"what a reply may take is a whole number of tokens from 0; got {reserved!r}")
    messages = window - reserved
    pressure = messages - policy.headroom_tokens
    if messages <= 0:
        _refuse("no-message-budget", f"a reply's {reserved} tokens leave nothing of a window of {window}")
    if pressure <= 0:
        taken = f"a reply's {reserved} and a headroom of {policy.headroom_tokens} tokens"
        _refuse("no-pressure-budget", f"{taken} leave nothing of a window of {window}")
    threshold = math.floor(min(window * policy.threshold_ratio, pressure))
    return _checked_budget(policy, target, threshold, _retained(policy, messages))


def _retained(policy: CompactionPolicy, window: float) -> int:
    return policy.retain_tokens or 0 if policy.retain_ratio is None else math.floor(window * policy.retain_ratio)


def _checked_budget(policy: CompactionPolicy, target: Target, threshold: int, retain: int) -> Budget:
    if retain >= threshold:
        is_current = policy.edition == "current"
        kind = "retain-not-below-threshold" if is_current else setting_word(f"{target} retainTokens must be less")
        _refuse(kind, f"{target} keeps fewer tokens than its threshold of {threshold}; got {retain}")
    return Budget(threshold, retain)


def _merged(policy: CompactionPolicy, own: ModelPolicy) -> CompactionPolicy:
    changes: dict[str, Any] = {name: value for name, value in asdict(own).items() if value is not None}
    del changes["provider"], changes["model"]
    if "retain_tokens" in changes or "retain_ratio" in changes:
        changes = {"retain_tokens": None, "retain_ratio": None} | changes
    return replace(policy, **changes)


def _is_whole(value: object, *, least: int = 0) -> bool:
    return type(value) is int and value >= least


def _refuse(kind: str, message: str) -> NoReturn:
    raise ScenarioError(message, kind=kind)

"""Check the settings of compaction as a configuration gives them, and fill in what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from timectx.errors import ScenarioError
from timectx.reading import Edition
from timectx.replay.compaction.policy import (
    CompactionPolicy,
    CompactionSettings,
    ModelPolicy,
    Target,
    setting_word,
)
from timectx.session.records import json_numbers

__all__ = ["compaction_settings"]

_THRESHOLD_RATIO: Final = 0.8
_RETAIN_RATIO: Final = 0.16
_MAX_TOKENS: Final = 8192
_HEADROOM_TOKENS: Final = 65_536
_RETRIES: Final = 1
_HEADROOM: Final = "headroomTokens"
_FIELDS: Final = {
    "thresholdRatio": "threshold_ratio",
    _HEADROOM: "headroom_tokens",
    "retainRatio": "retain_ratio",
    "retainTokens": "retain_tokens",
    "summarizationProvider": "summarization_provider",
    "summarizationModel": "summarization_model",
    "maxTokens": "max_tokens",
    "compactionRetries": "compaction_retries",
    "maxOverflowRetries": "max_overflow_retries",
}


def compaction_settings(config: Mapping[str, Any] | None = None, *, edition: Edition = "readme") -> CompactionSettings:
    """
    Check the settings of compaction and fill in what they leave out.

    Parameters
    ----------
    config : Mapping, optional
        Settings by the original's names, such as ``thresholdRatio``; None takes every default.
    edition : {"note", "note-v2", "readme", "current"}, optional
        Whose settings: ``headroomTokens`` is known to ``current`` alone, and there it is also the
        default of ``maxTokens``.

    Returns
    -------
    CompactionSettings
        Resolved.

    Raises
    ------
    ScenarioError
        Kind ``basiccompactionconfig-…``, where the rest names the setting and its rule;
        ``max-tokens-invalid`` where a headroom of 0 leaves a summary no tokens.

    Notes
    -----
    Lowering the threshold's ratio to 0.16 or less needs a ratio for the retained tail as well.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/config.ts.

    Examples
    --------
    >>> settings = compaction_settings({"modelPolicies": [{"provider": "p", "model": "m", "retainTokens": 5}]})
    >>> settings.policy.retain_ratio, settings.policy_for(Target("p", "m")).retain_tokens
    (0.16, 5)
    >>> compaction_settings({"thresholdRatio": 0.1})
    Traceback (most recent call last):
    timectx.errors.ScenarioError: retainRatio is below thresholdRatio; 0.16 is not below 0.1
    """
    given = _checked_object("", {} if config is None else config)
    keys = tuple(key for key in _FIELDS if edition == "current" or key != _HEADROOM)
    _check_names("", given, (*keys, "modelPolicies", "auto"))
    _check_values("", given)
    auto = given.get("auto", True)
    if not isinstance(auto, bool):
        _refuse("auto must be a boolean", f"auto is true or false; got {auto!r}")
    headroom = given.get(_HEADROOM, _HEADROOM_TOKENS if edition == "current" else 0)
    policy = CompactionPolicy(
        edition=edition,
        threshold_ratio=given.get("thresholdRatio", _THRESHOLD_RATIO),
        retain_ratio=given.get("retainRatio", None if "retainTokens" in given else _RETAIN_RATIO),
        retain_tokens=given.get("retainTokens"),
        headroom_tokens=headroom,
        summarization_provider=given.get("summarizationProvider", ""),
        summarization_model=given.get("summarizationModel", ""),
        max_tokens=given.get("maxTokens", headroom if edition == "current" else _MAX_TOKENS),
        compaction_retries=given.get("compactionRetries", _RETRIES),
        max_overflow_retries=given.get("maxOverflowRetries", _RETRIES),
    )
    owns = _model_policies(given.get("modelPolicies", []), keys, follow_headroom="maxTokens" not in given)
    settings = CompactionSettings(policy=policy, model_policies=owns, auto=auto)
    _check_resolved("", policy)
    for own in owns:
        _check_resolved("modelPolicies ", settings.policy_for(Target(own.provider, own.model)))
    return settings


def _model_policies(given: object, keys: tuple[str, ...], *, follow_headroom: bool) -> tuple[ModelPolicy, ...]:
    if not isinstance(given, list | tuple):
        _refuse("modelPolicies must be an array", f"modelPolicies is a list; got {given!r}")
    found: dict[Target, ModelPolicy] = {}
    for item in given:
        own = _model_policy(_checked_object("modelPolicies ", item), keys, follow_headroom=follow_headroom)
        target = Target(own.provider, own.model)
        if target in found:
            _refuse(f"duplicate model policy for {target}", f"a model has one policy; {target} has two")
        found[target] = own
    return tuple(found.values())


def _model_policy(given: dict[str, Any], keys: tuple[str, ...], *, follow_headroom: bool) -> ModelPolicy:
    _check_names("modelPolicies ", given, ("provider", "model", *keys))
    for name in ("provider", "model"):
        if not isinstance(given.get(name), str) or not given[name]:
            _refuse(f"modelPolicies {name} must be a non-empty string", f"a policy names its {name}; got {given!r}")
    _check_values("modelPolicies ", given)
    if follow_headroom and _HEADROOM in given and "maxTokens" not in given:
        given = {**given, "maxTokens": given[_HEADROOM]}
    return ModelPolicy(**{_FIELDS.get(key, key): value for key, value in given.items()})


def _checked_object(entry: str, given: object) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        _refuse(f"{entry}must be an object", f"settings are an object of names and values; got {given!r}")
    return {key: json_numbers(value) for key, value in given.items()}


def _check_names(entry: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            _refuse(f"{entry}unknown key", f"compaction has no setting {key!r}; it has {', '.join(known)}")


def _check_values(entry: str, given: Mapping[str, Any]) -> None:
    for key in ("thresholdRatio", "retainRatio"):
        if key in given and not _is_ratio(given[key]):
            _refuse(f"{entry}{key} must be a number", f"{key} is a number above 0 and up to 1; got {given[key]!r}")
    for key in ("retainTokens", _HEADROOM, "compactionRetries", "maxOverflowRetries"):
        if key in given and not _is_whole(given[key]):
            _refuse(f"{entry}{key} must be a non-negative integer", f"{key} is whole, from 0; got {given[key]!r}")
    if "maxTokens" in given and not _is_whole(given["maxTokens"], least=1):
        _refuse(f"{entry}maxTokens must be a positive", f"maxTokens is whole, from 1; got {given['maxTokens']!r}")
    if "retainRatio" in given and "retainTokens" in given:
        _refuse(f"{entry}retainRatio and retainTokens are mutually exclusive", "set retainRatio or retainTokens")
    _check_summarizer(entry, given)


def _check_summarizer(entry: str, given: Mapping[str, Any]) -> None:
    pair = ("summarizationProvider", "summarizationModel")
    for key in pair:
        if key in given and not isinstance(given[key], str):
            _refuse(f"{entry}{key} must be a string", f"{key} is a text; got {given[key]!r}")
    provider, model = (given.get(key) for key in pair)
    if (provider is None, bool(provider)) != (model is None, bool(model)):
        _refuse(
            f"{entry}summarizationProvider and summarizationModel must be set together",
            f"summarizationProvider and summarizationModel are both set or both empty; got {provider!r} and {model!r}",
        )


def _check_resolved(entry: str, policy: CompactionPolicy) -> None:
    if policy.max_tokens < 1:
        raise ScenarioError(
            "a summary needs tokens: set maxTokens where headroomTokens is 0", kind="max-tokens-invalid"
        )
    if policy.retain_ratio is not None and policy.retain_ratio >= policy.threshold_ratio:
        _refuse(
            f"{entry}retainRatio must be less than",
            f"retainRatio is below thresholdRatio; {policy.retain_ratio} is not below {policy.threshold_ratio}",
        )


def _is_ratio(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _is_whole(value: object, *, least: int = 0) -> bool:
    return type(value) is int and value >= least


def _refuse(rule: str, message: str) -> NoReturn:
    raise ScenarioError(message, kind=setting_word(rule))

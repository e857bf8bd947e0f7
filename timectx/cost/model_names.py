"""Bring the many spellings of a model's name to the one that price lists use."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["model_key", "provider_rank", "split_model"]

_CLOUD: Final = re.compile(r"^(?:[a-z]+\.)?(?:anthropic|deepseek|openai)\.")
_VARIANT: Final = re.compile(r"\[[^\]]*\]$")
_VERSION: Final = re.compile(r"(?:-v\d+(?::\d+)?|@(?:\d{8}|latest|default))$")
_DATE: Final = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


def model_key(model: str) -> str:
    """
    Return what a price list knows a model by.

    Parameters
    ----------
    model : str
        Its name in a log, with or without gateway, region, date or context size.

    Returns
    -------
    str
        In lower case, dots as hyphens. Names that differ in anything else stay different: a small or a fast
        variant is another model.

    Examples
    --------
    >>> model_key("claude-haiku-4-5-20251001"), model_key("openrouter/anthropic/claude-haiku-4.5")
    ('claude-haiku-4-5', 'claude-haiku-4-5')
    >>> model_key("us.anthropic.claude-opus-4-6-v1:0"), model_key("claude-sonnet-4-5[1m]")
    ('claude-opus-4-6', 'claude-sonnet-4-5')
    >>> model_key("gpt-5.4-mini")
    'gpt-5-4-mini'
    """
    text = model.strip().lower().rsplit("/", 1)[-1]
    text = _VERSION.sub("", _VARIANT.sub("", _CLOUD.sub("", text)))
    return _DATE.sub("", text).replace(".", "-")


def split_model(text: str) -> tuple[str, str]:
    """
    Split a name as people type it into provider and model.

    Parameters
    ----------
    text : str
        Such as ``deepseek-v4-pro`` or ``anthropic/claude-opus-5``.

    Returns
    -------
    tuple of str
        Provider, empty where none is named, and model.

    Examples
    --------
    >>> split_model("anthropic/claude-opus-5"), split_model("deepseek-v4-pro")
    (('anthropic', 'claude-opus-5'), ('', 'deepseek-v4-pro'))
    """
    *path, model = text.strip().split("/")
    return (path[-1] if path else ""), model


def provider_rank(named: str, provider: str) -> int:
    """
    Tell how well a price entry's provider fits the one a log names.

    Parameters
    ----------
    named : str
        The provider in the log; empty when it names none.
    provider : str
        The provider of the entry.

    Returns
    -------
    int
        0 where they agree, as ``deepseek-official`` does with ``deepseek``; else 1.
    """
    one, other = named.strip().lower(), provider.lower()
    return 0 if one == other or one.startswith(other + "-") else 1

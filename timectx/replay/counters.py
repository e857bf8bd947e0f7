"""Know counters by name: tokenizers, and rules of thumb that say they are some."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Final

from timectx.errors import ScenarioError
from timectx.replay.js_json import utf16_length
from timectx.replay.meter import Counter
from timectx.replay.tokenizers import TOKENIZERS, load_tokenizer

__all__ = ["COUNTER_NAMES", "NamedCounter", "counter_label", "counter_of"]

COUNTER_NAMES: Final = (*TOKENIZERS, "cjk", "chars/N")
"""What `NamedCounter` takes, where ``N`` stands for a number such as 2.8."""

_CHARS: Final = re.compile(r"chars/([0-9]{1,3}(?:\.[0-9]{1,6})?)")
_CHARS_PER_TOKEN: Final = 4
_CJK: Final = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)


class NamedCounter(str):
    """
    Count tokens by a rule that goes under a name, so that a file can hold it and every process has it.

    Parameters
    ----------
    name : str
        ``o200k``, ``cl100k`` (extra ``tokens``) or ``deepseek`` (extra ``deepseek``): a tokenizer.
        ``cjk``: one token for each Chinese, Japanese or Korean character, and one for every four
        of the rest. ``chars/N``: one token for every `N` UTF-16 units, rounded up. The last two are
        rules of thumb.

    Raises
    ------
    ScenarioError
        Kind ``counter`` when no counter has that name; when it first counts, ``counter-missing`` where
        its extra is not installed.

    Notes
    -----
    A text, too: the name in its canonical spelling. All of them are blind to digits.

    Examples
    --------
    >>> NamedCounter("chars/2.80"), NamedCounter("chars/2.8")("x" * 28), NamedCounter("cjk")("中文 and so on")
    ('chars/2.8', 10, 5)
    """

    __slots__ = ()

    def __new__(cls, name: str) -> NamedCounter:
        """Check the name and spell it as files do."""
        return str.__new__(cls, _canonical(name))

    def __call__(self, text: str) -> int:
        """Return how many tokens a text has."""
        return _counting(str(self))(text)

    @property
    def is_heuristic(self) -> bool:
        """Whether it is a rule of thumb rather than a tokenizer."""
        return self not in TOKENIZERS


def counter_of(counter: object) -> Counter | None:
    """
    Return a counter by its name, or as it is.

    Parameters
    ----------
    counter : callable, str or None
        A function from text to tokens, or one of `COUNTER_NAMES`.

    Returns
    -------
    callable or None
        The counter; None stays None.

    Raises
    ------
    ScenarioError
        Kind ``counter`` when it is none of these.

    Examples
    --------
    >>> counter_of("cjk"), counter_of(len) is len, counter_of(None)
    ('cjk', True, None)
    """
    if isinstance(counter, str):
        return counter if isinstance(counter, NamedCounter) else NamedCounter(counter)
    if counter is None or callable(counter):
        return counter
    raise ScenarioError(
        f"counter is a function from text to tokens, or one of {', '.join(COUNTER_NAMES)}; got {counter!r}",
        kind="counter",
    )


def counter_label(counter: Counter | None) -> str:
    """
    Say what stands behind numbers of tokens.

    Parameters
    ----------
    counter : callable or None
        A scenario's.

    Returns
    -------
    str
        A few words; a rule of thumb is called a heuristic.

    Examples
    --------
    >>> counter_label(None)
    'chars/4 and fixed parts (heuristic)'
    >>> counter_label(NamedCounter("chars/2.8")), counter_label(NamedCounter("o200k"))
    ('chars/2.8 (heuristic)', 'o200k (tokenizer)')
    >>> counter_label(len)
    'len (own counter)'
    """
    if counter is None:
        return f"chars/{_CHARS_PER_TOKEN} and fixed parts (heuristic)"
    if isinstance(counter, NamedCounter):
        return f"{counter} ({'heuristic' if counter.is_heuristic else 'tokenizer'})"
    return f"{getattr(counter, '__qualname__', type(counter).__qualname__)} (own counter)"


def _canonical(name: str) -> str:
    matched = _CHARS.fullmatch(name)
    if matched and (ratio := Decimal(matched[1])):
        return f"chars/{ratio.normalize():f}"
    if name in TOKENIZERS or name == "cjk":
        return str(name)
    raise ScenarioError(
        f"counter is a function from text to tokens, or one of {', '.join(COUNTER_NAMES)}; got {name!r}",
        kind="counter",
    )


@cache
def _counting(name: str) -> Callable[[str], int]:
    if name in TOKENIZERS:
        return load_tokenizer(name)
    return _cjk_tokens if name == "cjk" else _chars_counting(*Decimal(name.removeprefix("chars/")).as_integer_ratio())


def _chars_counting(chars: int, tokens: int) -> Callable[[str], int]:
    """Count by whole numbers: so many UTF-16 units make so many tokens."""
    return lambda text: -(-utf16_length(text) * tokens // chars)


def _cjk_tokens(text: str) -> int:
    wide = 0 if text.isascii() else len(_CJK.findall(text))
    rest = utf16_length(text) if not wide else utf16_length(_CJK.sub("", text))
    return wide - (-rest // _CHARS_PER_TOKEN)

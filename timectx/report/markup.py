"""Build HTML from parts in which text is text: whatever is not markup already is escaped."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable
from typing import Final

__all__ = ["Markup", "joined", "plain_text", "tag"]

_LONGEST: Final = 300
_VOID: Final = frozenset({"br", "hr", "img", "meta", "source"})


class Markup(str):
    """Hold HTML that is safe to put into a page as it is."""

    __slots__ = ()


def plain_text(text: str, longest: int = _LONGEST) -> str:
    r"""
    Make text from elsewhere fit to be read on a page.

    Parameters
    ----------
    text : str
        Anything: a path, an id, a message.
    longest : int, optional
        How many characters of it are shown; the middle of a longer text is left out.

    Returns
    -------
    str
        Not yet escaped. Characters that have no shape of their own, or change the direction of writing,
        stand as escapes; line breaks stay.

    Examples
    --------
    >>> plain_text("a\x00b\u202ec"), plain_text("x" * 400, longest=9)
    ('a\\x00b\\u202ec', 'xxxx…xxxx')
    """
    return _visible(_shortened(text, longest))


def tag(name: str, *children: str, **attributes: str | None) -> Markup:
    """
    Build an element.

    Parameters
    ----------
    name : str
        Of the element.
    *children : str
        What it holds: `Markup` as it is, any other text escaped, and what has no shape of its own in it shown.
    **attributes : str or None
        Of the element; a trailing underscore is dropped and others become hyphens. None leaves one away.

    Returns
    -------
    Markup
        The element.

    Examples
    --------
    >>> tag("td", "<b>", tag("br"), class_="number")
    '<td class="number">&lt;b&gt;<br></td>'
    """
    named = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None)
    head = "".join(f' {key}="{_safe(value)}"' for key, value in named)
    if name in _VOID:
        return Markup(f"<{name}{head}>")
    return Markup(f"<{name}{head}>{joined(children)}</{name}>")


def joined(parts: Iterable[str], separator: str = "") -> Markup:
    """
    Put parts together.

    Parameters
    ----------
    parts : iterable of str
        `Markup` as it is, any other text escaped.
    separator : str, optional
        What stands between them, the same way.

    Returns
    -------
    Markup
        All of them.
    """
    return Markup(_safe(separator).join(map(_safe, parts)))


def _safe(part: str) -> str:
    return part if isinstance(part, Markup) else html.escape(_visible(part))


def _shortened(text: str, longest: int) -> str:
    if len(text) > longest:
        half = longest // 2
        return f"{text[:half]}…{text[len(text) - (longest - half - 1) :]}"
    return text


def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable() or char == "\n" or unicodedata.category(char) == "Zs"
        else char.encode("unicode_escape").decode()
        for char in text
    )

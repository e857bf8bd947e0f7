"""Tell what messages and headers cost in tokens: by the original's fixed rule, or by a counter."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from timectx.errors import ScenarioError
from timectx.replay.js_json import js_json, utf16_length
from timectx.session.events import Block, Message, SurfaceEvent
from timectx.session.surface import message_of
from timectx.units import Tokens

__all__ = [
    "Counter",
    "Pricing",
    "Scaled",
    "count_header_tokens",
    "count_message_tokens",
    "count_tokens",
    "estimate_header_tokens",
    "estimate_message_tokens",
    "estimate_node_tokens",
    "estimate_reading_tokens",
    "estimate_text_tokens",
    "header_texts",
    "message_text",
]

Counter: TypeAlias = Callable[[str], int]
"""Anything that returns how many tokens a text has."""


class Scaled(Struct, frozen=True):
    """
    Multiply prices by one factor.

    Parameters
    ----------
    ratio : float
        The factor, above 0.
    counter : callable, optional
        Whose prices; None multiplies those of the fixed estimate.

    Notes
    -----
    Each price of a message, a header or a reading is multiplied and rounded by itself, so that sums of
    prices stay sums of whole numbers.

    Examples
    --------
    >>> estimate_reading_tokens("x" * 100), estimate_reading_tokens("x" * 100, Scaled(1.5))
    (33, 50)
    """

    ratio: float
    counter: Counter | None = None

    def tokens(self, price: int) -> Tokens:
        """
        Return a price times the factor.

        Parameters
        ----------
        price : int
            In tokens.

        Returns
        -------
        Tokens
            The nearest whole number, the larger of two as near.
        """
        return Tokens(math.floor(price * self.ratio + 0.5))


Pricing: TypeAlias = Counter | Scaled
"""What stands in the place of the fixed estimate: a counter, or a factor."""

_PER_BLOCK: Final = 4
_PER_MESSAGE: Final = 4
_CHARS_PER_TOKEN: Final = 4


def estimate_message_tokens(message: Message) -> Tokens:
    """
    Estimate the price of one message.

    Parameters
    ----------
    message : Message
        Any message; its id and source cost nothing.

    Returns
    -------
    Tokens
        A quarter of the length of each block's text in UTF-16 units, rounded up, plus 4 a block
        and 4 for the message.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/estimate.ts.

    Examples
    --------
    >>> estimate_message_tokens(Message(content=({"type": "text", "text": "hello"},), source={}))
    10
    """
    return Tokens(_content_tokens(message.content) + _PER_MESSAGE)


def estimate_node_tokens(event: SurfaceEvent, counter: Pricing | None = None) -> Tokens:
    """
    Estimate the price of one surface node.

    Parameters
    ----------
    event : SurfaceEvent
        The node's event.
    counter : callable or Scaled, optional
        Counts the message's text in place of the fixed rule, or scales what that says; None uses the rule.

    Returns
    -------
    Tokens
        0 for a node that sends no message.

    Raises
    ------
    ScenarioError
        As `count_tokens`.
    """
    if isinstance(counter, Scaled):
        return counter.tokens(estimate_node_tokens(event, counter.counter))
    message = message_of(event)
    if message is None:
        return Tokens(0)
    return count_message_tokens(message, counter) if counter else estimate_message_tokens(message)


def estimate_reading_tokens(text: str, counter: Pricing | None = None) -> Tokens:
    """
    Estimate the price of a reading.

    Parameters
    ----------
    text : str
        The reading as the model sees it.
    counter : callable or Scaled, optional
        As for `estimate_node_tokens`.

    Returns
    -------
    Tokens
        The price of a message with that text as its one block.

    Examples
    --------
    >>> estimate_reading_tokens("x" * 100)
    33
    """
    if isinstance(counter, Scaled):
        return counter.tokens(estimate_reading_tokens(text, counter.counter))
    if counter:
        return count_tokens(text, counter)
    return estimate_message_tokens(Message(content=({"type": "text", "text": text},), source={}))


def estimate_header_tokens(header: Mapping[str, Any] | None, counter: Pricing | None = None) -> Tokens:
    """
    Estimate the price of a request header.

    Parameters
    ----------
    header : Mapping or None
        With `system` and `tools`; None costs nothing.
    counter : callable or Scaled, optional
        As for `estimate_node_tokens`.

    Returns
    -------
    Tokens
        A quarter of the system prompt's length and of the length of the tools' JSON text, each
        rounded up, plus 4 for each that is present; with a counter what it says of the two texts.

    Raises
    ------
    ScenarioError
        As `count_tokens`.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/estimate.ts.
    """
    if isinstance(counter, Scaled):
        return counter.tokens(estimate_header_tokens(header, counter.counter))
    if counter:
        return count_header_tokens(header, counter)
    return Tokens(sum(_quarter(utf16_length(text)) + _PER_BLOCK for text in header_texts(header)))


def estimate_text_tokens(text: str, counter: Pricing | None = None) -> Tokens:
    """
    Estimate the price of a bare text.

    Parameters
    ----------
    text : str
        No message: part of one, or what a model answers.
    counter : callable or Scaled, optional
        As for `estimate_node_tokens`.

    Returns
    -------
    Tokens
        A quarter of its length in UTF-16 units, rounded up, without fixed parts.

    Raises
    ------
    ScenarioError
        As `count_tokens`.

    Examples
    --------
    >>> estimate_text_tokens("hello"), estimate_text_tokens("hello", len), estimate_text_tokens("hello", Scaled(2.0))
    (2, 5, 4)
    """
    if isinstance(counter, Scaled):
        return counter.tokens(estimate_text_tokens(text, counter.counter))
    return count_tokens(text, counter) if counter else Tokens(_quarter(utf16_length(text)))


def count_tokens(text: str, counter: Counter) -> Tokens:
    """
    Ask a counter how many tokens a text has.

    Parameters
    ----------
    text : str
        Any text; of an empty one nothing is asked.
    counter : callable
        What counts.

    Returns
    -------
    Tokens
        Exactly what the counter says; 0 for an empty text.

    Raises
    ------
    ScenarioError
        Kind ``counter`` when it says anything but a whole number from 0.

    Examples
    --------
    >>> count_tokens("one two three", lambda text: len(text.split()))
    3
    """
    if not text:
        return Tokens(0)
    found = counter(text)
    tokens = _whole(found)
    if tokens is None or tokens < 0:
        raise ScenarioError(
            f"a counter returns a whole number of tokens from 0; got {found!r} for a text of {len(text)} characters",
            kind="counter",
        )
    return Tokens(tokens)


def count_message_tokens(message: Message, counter: Counter) -> Tokens:
    """
    Ask a counter what a message costs.

    Parameters
    ----------
    message : Message
        Any message.
    counter : callable
        What counts.

    Returns
    -------
    Tokens
        What it says of `message_text`; nothing is added for roles, blocks or the message itself.

    Raises
    ------
    ScenarioError
        As `count_tokens`.

    Examples
    --------
    >>> count_message_tokens(Message(content=({"type": "text", "text": "hello"},), source={}), len)
    5
    """
    return count_tokens(message_text(message), counter)


def count_header_tokens(header: Mapping[str, Any] | None, counter: Counter) -> Tokens:
    """
    Ask a counter what a request header costs.

    Parameters
    ----------
    header : Mapping or None
        With `system` and `tools`; None costs nothing.
    counter : callable
        What counts.

    Returns
    -------
    Tokens
        What it says of the system prompt, plus what it says of the tools' JSON text.

    Raises
    ------
    ScenarioError
        As `count_tokens`.
    """
    return Tokens(sum(count_tokens(text, counter) for text in header_texts(header)))


def message_text(message: Message) -> str:
    r"""
    Return the one text of a message that a counter is asked about.

    Parameters
    ----------
    message : Message
        Any message.

    Returns
    -------
    str
        Joined by newlines, in order: the text of text and reasoning blocks, name and arguments of
        a tool call, what a tool result holds, and the JSON text of any other block.

    Examples
    --------
    >>> call = {"type": "tool-call", "id": "1", "name": "read", "arguments": "{}"}
    >>> message_text(Message(content=({"type": "text", "text": "I look."}, call), source={}))
    'I look.\nread\n{}'
    """
    return "\n".join(part for block in message.content for part in _texts(block))


def header_texts(header: Mapping[str, Any] | None) -> tuple[str, ...]:
    """
    Return the texts of a request header.

    Parameters
    ----------
    header : Mapping or None
        With `system` and `tools`.

    Returns
    -------
    tuple of str
        The system prompt and the tools' JSON text, each if it is there.

    Examples
    --------
    >>> header_texts({"system": "Be brief.", "tools": [{"name": "read"}]})
    ('Be brief.', '[{"name":"read"}]')
    """
    if header is None:
        return ()
    system, tools = header.get("system"), header.get("tools")
    return (*((system,) if isinstance(system, str) else ()), *((js_json(tools),) if tools else ()))


def _whole(value: object) -> int | None:
    try:
        return None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _texts(block: Block) -> Iterator[str]:
    match block:
        case {"type": "tool-result", "content": [*inner]} if all(isinstance(item, dict) for item in inner):
            for item in inner:
                yield from _texts(item)
        case {"type": "text" | "reasoning", "text": str(text)}:
            yield text
        case {"type": "tool-call", "name": str(name), "arguments": str(arguments)}:
            yield from (name, arguments)
        case _:
            yield js_json(block)


def _content_tokens(content: Iterable[Block]) -> int:
    total, pending = 0, list(content)
    while pending:
        block = pending.pop()
        inner = block.get("content") if block.get("type") == "tool-result" else None
        if isinstance(inner, list) and all(isinstance(item, dict) for item in inner):
            total += _PER_BLOCK
            pending.extend(inner)
        else:
            total += _block_tokens(block)
    return total


def _block_tokens(block: Block) -> int:
    match block:
        case {"type": "text" | "reasoning", "text": str(text)}:
            return _quarter(utf16_length(text)) + _PER_BLOCK
        case {"type": "tool-call", "name": str(name), "arguments": str(arguments)}:
            return _quarter(utf16_length(name)) + _quarter(utf16_length(arguments)) + _PER_BLOCK
        case _:
            return _PER_BLOCK + _quarter(utf16_length(js_json(block)))


def _quarter(length: int) -> int:
    return math.ceil(length / _CHARS_PER_TOKEN)

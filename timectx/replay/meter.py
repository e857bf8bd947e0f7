"""Estimate what messages and headers cost in tokens, by the original's fixed rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from timectx.replay.js_json import js_json, utf16_length
from timectx.session.events import Block, Message, SurfaceEvent
from timectx.session.surface import message_of
from timectx.units import Tokens

__all__ = [
    "Counter",
    "estimate_header_tokens",
    "estimate_message_tokens",
    "estimate_node_tokens",
    "estimate_reading_tokens",
]

Counter: TypeAlias = Callable[[Message], int]
"""Anything that returns the price in tokens of one message."""

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


def estimate_node_tokens(event: SurfaceEvent, counter: Counter | None = None) -> Tokens:
    """
    Estimate the price of one surface node.

    Parameters
    ----------
    event : SurfaceEvent
        The node's event.
    counter : callable, optional
        Prices a message in place of the fixed rule; None uses the rule.

    Returns
    -------
    Tokens
        0 for a node that sends no message.
    """
    message = message_of(event)
    if message is None:
        return Tokens(0)
    return Tokens(counter(message)) if counter else estimate_message_tokens(message)


def estimate_reading_tokens(text: str, counter: Counter | None = None) -> Tokens:
    """
    Estimate the price of a reading.

    Parameters
    ----------
    text : str
        The reading as the model sees it.
    counter : callable, optional
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
    message = Message(content=({"type": "text", "text": text},), source={})
    return Tokens(counter(message)) if counter else estimate_message_tokens(message)


def estimate_header_tokens(header: Mapping[str, Any] | None) -> Tokens:
    """
    Estimate the price of a request header.

    Parameters
    ----------
    header : Mapping or None
        With `system` and `tools`; None costs nothing.

    Returns
    -------
    Tokens
        A quarter of the system prompt's length and of the length of the tools' JSON text, each
        rounded up, plus 4 for each that is present.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/estimate.ts.
    """
    if header is None:
        return Tokens(0)
    system, tools = header.get("system"), header.get("tools")
    price = _quarter(utf16_length(system)) + _PER_BLOCK if isinstance(system, str) else 0
    return Tokens(price + (_quarter(utf16_length(js_json(tools))) + _PER_BLOCK if tools else 0))


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

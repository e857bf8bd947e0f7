"""Price messages and request headers by the fixed rule of one edition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from timectx.reading import Edition
from timectx.replay.js_json import js_json, utf16_length
from timectx.replay.meter import (
    Pricing,
    Scaled,
    count_message_tokens,
    estimate_header_tokens,
    estimate_message_tokens,
)
from timectx.session.events import Block, Message
from timectx.units import Tokens

__all__ = ["price_header", "price_message"]

_OVERHEAD: Final = 4
_CHARS_PER_TOKEN: Final = 4
_OPAQUE: Final = ("tool-result", "image")


def price_message(message: Message, edition: Edition, counter: Pricing | None = None) -> Tokens:
    """
    Estimate the price of one message under an edition's rule.

    Parameters
    ----------
    message : Message
        Any message; its role matters in ``current`` alone, its id and source never.
    edition : {"note", "note-v2", "readme", "current"}
        Whose rule: ``current`` prices a tool result's blocks like any others, a system prompt by its
        bare length, and an image without the mark that it was moved out.
    counter : callable or Scaled, optional
        Counts a message's text in place of the rule, the same in every edition, or scales what the rule
        says; None uses the rule.

    Returns
    -------
    Tokens
        0 for an empty system prompt of ``current``; else at least 4. With a counter what it says.

    Raises
    ------
    ScenarioError
        As `timectx.replay.meter.count_tokens`.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/estimate.ts.

    Examples
    --------
    >>> prompt = Message(content=({"type": "text", "text": "abc"}, {"type": "text", "text": "de"}), source={})
    >>> price_message(prompt, "readme"), price_message(replace(prompt, role="system"), "current")
    (14, 6)
    """
    if isinstance(counter, Scaled):
        return counter.tokens(price_message(message, edition, counter.counter))
    if counter is not None:
        return count_message_tokens(message, counter)
    if edition != "current":
        return estimate_message_tokens(message)
    return _system_tokens(message) if message.role == "system" else _current_tokens(message)


def price_header(header: Mapping[str, Any] | None, edition: Edition, counter: Pricing | None = None) -> Tokens:
    """
    Estimate the price of a request header under an edition's rule.

    Parameters
    ----------
    header : Mapping or None
        With `system` and `tools`; None costs nothing.
    edition : {"note", "note-v2", "readme", "current"}
        Whose rule: in ``current`` the tools alone, because the system prompt is a node of the surface.
    counter : callable or Scaled, optional
        As for `price_message`.

    Returns
    -------
    Tokens
        The price of what every request carries beside messages.

    Raises
    ------
    ScenarioError
        As `timectx.replay.meter.count_tokens`.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/estimate.ts.

    Examples
    --------
    >>> price_header({"system": "x" * 40}, "readme"), price_header({"system": "x" * 40}, "current")
    (14, 0)
    """
    if header is None or edition != "current":
        return estimate_header_tokens(header, counter)
    return estimate_header_tokens({"tools": header.get("tools")}, counter)


def _current_tokens(message: Message) -> Tokens:
    opaque = [block for block in message.content if block.get("type") in _OPAQUE]
    if not opaque:
        return estimate_message_tokens(message)
    plain = tuple(block for block in message.content if block.get("type") not in _OPAQUE)
    return Tokens(estimate_message_tokens(replace(message, content=plain)) + sum(map(_opaque_tokens, opaque)))


def _system_tokens(message: Message) -> Tokens:
    if not message.content:
        return Tokens(0)
    return Tokens(_quarter(sum(_bare_length(block) for block in message.content)) + _OVERHEAD)


def _bare_length(block: Block) -> int:
    match block:
        case {"type": "text", "text": str(text)}:
            return utf16_length(text)
        case _:
            return utf16_length(js_json(block))


def _opaque_tokens(block: Block) -> int:
    kept = block
    if block.get("type") == "image":
        kept = {key: value for key, value in block.items() if key != "offloaded"}
    return _OVERHEAD + _quarter(utf16_length(js_json(kept)))


def _quarter(length: int) -> int:
    return -(-length // _CHARS_PER_TOKEN)

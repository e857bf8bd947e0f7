"""Bring what providers report of a request to parts that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from timectx.cost.entries import Rates
from timectx.session.data import Usage
from timectx.session.turns import Turn

__all__ = [
    "UsageParts",
    "anthropic_usage",
    "deepseek_usage",
    "dsh_usage",
    "openai_usage",
    "reported_usage",
    "usage_cost",
]


class UsageParts(Struct, frozen=True, kw_only=True):
    """
    Hold the tokens of one or several requests, each token in one part.

    Parameters
    ----------
    uncached : int
        Paid as plain input.
    cached : int
        Read from the cache.
    written, written_1h : int
        Written to it for its usual time, and for an hour.
    output : int
        The reply.
    """

    uncached: int = 0
    cached: int = 0
    written: int = 0
    written_1h: int = 0
    output: int = 0

    @property
    def input_tokens(self) -> int:
        """Size of the prompts: all parts but the reply."""
        return self.uncached + self.cached + self.written + self.written_1h


def openai_usage(raw: Mapping[str, Any]) -> UsageParts:
    """
    Read usage in which the prompt includes what was cached and written.

    Parameters
    ----------
    raw : Mapping
        As OpenAI and local servers with its interface report it, under either of its sets of names.

    Returns
    -------
    UsageParts
        The prompt less what is told apart, never below 0.

    Examples
    --------
    >>> parts = openai_usage({"prompt_tokens": 38_196, "prompt_tokens_details": {"cached_tokens": 38_153}})
    >>> parts.uncached, parts.input_tokens
    (43, 38196)
    """
    details = raw.get("prompt_tokens_details") or raw.get("input_tokens_details") or {}
    cached, written = _count(details, "cached_tokens"), _count(details, "cache_write_tokens")
    prompt = _count(raw, "prompt_tokens", "input_tokens")
    return UsageParts(
        uncached=max(0, prompt - cached - written),
        cached=cached,
        written=written,
        output=_count(raw, "completion_tokens", "output_tokens"),
    )


def anthropic_usage(raw: Mapping[str, Any]) -> UsageParts:
    """
    Read usage in which plain input, reads and writes stand beside each other.

    Parameters
    ----------
    raw : Mapping
        As Anthropic reports it. Without a split by lifetime, all writes are the usual ones of five minutes.

    Returns
    -------
    UsageParts
        The parts as they are.

    Examples
    --------
    >>> anthropic_usage({"input_tokens": 50, "cache_read_input_tokens": 150_000}).input_tokens
    150050
    """
    by_lifetime = raw.get("cache_creation")
    if isinstance(by_lifetime, Mapping):
        written = _count(by_lifetime, "ephemeral_5m_input_tokens")
        written_1h = _count(by_lifetime, "ephemeral_1h_input_tokens")
    else:
        written, written_1h = _count(raw, "cache_creation_input_tokens"), 0
    return UsageParts(
        uncached=_count(raw, "input_tokens"),
        cached=_count(raw, "cache_read_input_tokens"),
        written=written,
        written_1h=written_1h,
        output=_count(raw, "output_tokens"),
    )


def deepseek_usage(raw: Mapping[str, Any]) -> UsageParts:
    """
    Read usage that counts what the cache held and what it did not.

    Parameters
    ----------
    raw : Mapping
        As DeepSeek reports it; without the two counts it is read as `openai_usage`.

    Returns
    -------
    UsageParts
        Nothing is written at a rate of its own.

    Examples
    --------
    >>> deepseek_usage({"prompt_tokens": 10, "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 2}).cached
    8
    """
    if "prompt_cache_hit_tokens" not in raw and "prompt_cache_miss_tokens" not in raw:
        return openai_usage(raw)
    return UsageParts(
        uncached=_count(raw, "prompt_cache_miss_tokens"),
        cached=_count(raw, "prompt_cache_hit_tokens"),
        output=_count(raw, "completion_tokens"),
    )


def dsh_usage(usage: Usage) -> UsageParts:
    """
    Read usage as a dsh log holds it, whoever reported it first.

    Parameters
    ----------
    usage : Usage
        Its parts are disjoint already.

    Returns
    -------
    UsageParts
        The same; a part not reported is 0.
    """
    return UsageParts(
        uncached=usage.input_tokens,
        cached=usage.cache_read_tokens or 0,
        written=usage.cache_write_tokens or 0,
        output=usage.output_tokens,
    )


def reported_usage(turns: Iterable[Turn]) -> UsageParts:
    """
    Sum up what the provider reported for a session.

    Parameters
    ----------
    turns : iterable of Turn
        The turns to count; leave out those that another session counts.

    Returns
    -------
    UsageParts
        Each step once, by what was reported last for it: samples while it streamed are replaced, not added.
    """
    parts = [dsh_usage(step.usage) for turn in turns for step in turn.steps if step.usage is not None]
    return UsageParts(**{name: sum(getattr(each, name) for each in parts) for name in UsageParts.__struct_fields__})


def usage_cost(parts: UsageParts, rates: Rates) -> int:
    """
    Return what reported tokens cost.

    Parameters
    ----------
    parts : UsageParts
        Of one request; the size of its prompt decides which rates are right.
    rates : Rates
        From `PriceList.rates_at`.

    Returns
    -------
    int
        In pico-USD.
    """
    cost = parts.uncached * rates.input + parts.cached * rates.cached + parts.output * rates.output
    return cost + parts.written * rates.write + parts.written_1h * rates.write_1h


def _count(raw: Any, *names: str) -> int:
    """Return the first count there is; anything but a whole number from 0 counts as none."""
    for name in names:
        value = raw.get(name) if isinstance(raw, Mapping) else None
        if type(value) is int and value >= 0:
            return value
    return 0

"""Hold reported usage to parts that do not overlap, whoever reports it."""

from __future__ import annotations

from tests.builders import log
from timectx.cost.entries import Rates
from timectx.cost.usage import (
    UsageParts,
    anthropic_usage,
    deepseek_usage,
    dsh_usage,
    openai_usage,
    reported_usage,
    usage_cost,
)
from timectx.session.data import Usage


def test_openai_is_read_under_both_sets_of_names() -> None:
    """Chat completions and responses name the same counts differently."""
    expected = UsageParts(uncached=50, cached=40, written=10, output=5)
    chat = {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 10}}
    responses = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 10}}
    assert openai_usage(chat | {"completion_tokens": 5}) == expected
    assert openai_usage(responses | {"output_tokens": 5}) == expected


def test_odd_counts_are_no_counts() -> None:
    """Null, text and negative numbers count nothing, and no part falls below 0."""
    assert (
        openai_usage({"prompt_tokens": None, "prompt_tokens_details": None, "completion_tokens": "5"}) == UsageParts()
    )
    assert openai_usage({"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 20}}).uncached == 0
    assert anthropic_usage({"input_tokens": -1, "cache_creation": {}}) == UsageParts()


def test_deepseek_counts_hits_and_misses() -> None:
    """Without them it is read by the interface it shares."""
    raw = {"prompt_tokens": 10, "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 2, "completion_tokens": 3}
    assert deepseek_usage(raw) == UsageParts(uncached=2, cached=8, output=3)
    assert deepseek_usage({"prompt_tokens": 10}) == UsageParts(uncached=10)


def test_dsh_parts_are_disjoint_already() -> None:
    """A part that was not reported is 0."""
    assert dsh_usage(Usage(input_tokens=3, output_tokens=2, cache_read_tokens=7)) == UsageParts(
        uncached=3, cached=7, output=2
    )


def test_every_part_has_its_rate() -> None:
    """In pico-USD, without rounding."""
    rates = Rates(input=2, cached=3, write=5, write_1h=7, output=11)
    assert usage_cost(UsageParts(uncached=1, cached=10, written=100, written_1h=1000, output=10_000), rates) == 117_532


def test_a_session_without_reports_has_none() -> None:
    """Nothing reported sums up to zeros."""
    session = log().turn().prompt("hello").step().reply("hi").end_step().end_turn().build()
    assert reported_usage(session.turns) == UsageParts()

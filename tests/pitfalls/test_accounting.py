"""Show that the faults other tools made in counting and billing tokens are not made here."""

from __future__ import annotations

from collections.abc import Sequence

from tests.builders import log
from tests.cost.requests import run_of, sent
from timectx.cost import (
    CACHE_RULES,
    UnpricedModel,
    UsageParts,
    anthropic_usage,
    bill_run,
    dsh_usage,
    openai_usage,
    packaged_prices,
    reported_usage,
    usage_cost,
)
from timectx.replay import Run, Scenario, estimate_message_tokens, replay_session
from timectx.session.data import Usage
from timectx.session.events import Message

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
EVENING_MS = 1_786_838_340_000  # 2026-08-15T23:59:00Z
TOKENS = 20_000


def around_midnight(stable: Sequence[int], idle_ms: int = 2 * MINUTE_MS) -> Run:
    """Return requests before and after midnight, to a cache that lives five minutes; tools and system take 4000."""
    first = sent(TOKENS, time_ms=EVENING_MS, header_tokens=4000)
    return run_of(
        first,
        *(
            sent(TOKENS + 100 * number, tokens, time_ms=EVENING_MS + number * idle_ms, header_tokens=4000)
            for number, tokens in enumerate(stable, 1)
        ),
        model="claude-sonnet-5",
    )


def test_a_date_in_the_system_prompt_pays_the_whole_history_again_at_midnight() -> None:
    """Only what stands before the date is read; with appended readings everything is."""
    in_system, appended = (bill_run(around_midnight([tokens])) for tokens in (4000, TOKENS))
    assert (in_system.cached_input_tokens, in_system.written_input_tokens) == (4000, TOKENS + TOKENS + 100 - 4000)
    assert (appended.cached_input_tokens, appended.written_input_tokens) == (TOKENS, TOKENS + 100)


def test_a_cache_that_had_run_out_by_midnight_loses_as_much_either_way() -> None:
    """After a night both are paid in full, so the date is not to blame."""
    in_system, appended = (bill_run(around_midnight([tokens], 8 * HOUR_MS)) for tokens in (4000, TOKENS))
    assert in_system.cached_input_tokens == appended.cached_input_tokens == 0
    assert in_system.cost_usd == appended.cost_usd


def test_one_step_that_reports_its_usage_twice_counts_once() -> None:
    """The sample of a stream is replaced by what stands in the finished message."""
    sample = {"inputTokens": 90, "outputTokens": 1}
    final = {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 50}
    built = log().turn().prompt("hello").step().chunk("usage", usage=sample)
    session = built.reply("hi", usage=final).end_step().end_turn().build()
    assert reported_usage(session.turns) == UsageParts(uncached=100, cached=50, output=20)


def test_cached_tokens_inside_the_prompt_are_not_added_to_it() -> None:
    """OpenAI's prompt of 38,196 with 38,153 cached is 38,196 long."""
    parts = openai_usage({"prompt_tokens": 38_196, "prompt_tokens_details": {"cached_tokens": 38_153}})
    assert (parts.uncached, parts.cached, parts.input_tokens) == (43, 38_153, 38_196)


def test_cached_tokens_beside_the_input_are_not_left_out() -> None:
    """Anthropic's input of 50 with 150,000 read is a context of 150,050, and so is it in a dsh log."""
    assert anthropic_usage({"input_tokens": 50, "cache_read_input_tokens": 150_000}).input_tokens == 150_050
    usage = Usage(input_tokens=50, cache_read_tokens=150_000)
    assert dsh_usage(usage).input_tokens == usage.prompt_tokens == 150_050


def test_writes_for_an_hour_are_billed_as_such() -> None:
    """They cost twice the input, those for five minutes one and a quarter; a bare sum is taken for the latter."""
    rates = packaged_prices().rates_at("anthropic", "claude-sonnet-4-5", EVENING_MS)
    assert rates is not None
    split = {"cache_creation": {"ephemeral_1h_input_tokens": 8989, "ephemeral_5m_input_tokens": 0}}
    bare = {"cache_creation_input_tokens": 8989}
    costs = [usage_cost(anthropic_usage(raw), rates) for raw in (split, bare, split | bare)]
    assert costs == [8989 * 6_000_000, 8989 * 3_750_000, 8989 * 6_000_000]


def test_a_what_if_with_hour_long_marks_pays_their_rate() -> None:
    """The rule of a scenario brings its rate along."""
    usual, hour = (
        bill_run(run_of(sent(9000), model="claude-sonnet-4-5", cache=name)) for name in (None, "anthropic-1h")
    )
    assert (usual.cost_pico_usd, hour.cost_pico_usd) == (9000 * 3_750_000, 9000 * 6_000_000)


def test_an_unknown_model_is_not_free() -> None:
    """It is listed with its turns and tokens, and the bill has no sum."""
    bill = bill_run(
        run_of(sent(1000, output_tokens=50, model="unknown-model-xyz"), sent(9, model="unknown-model-xyz", turn=2))
    )
    assert bill.cost_usd is None
    assert bill.unpriced == (UnpricedModel(provider="p", model="unknown-model-xyz", requests=2, turns=2, tokens=1059),)


def test_a_new_price_leaves_old_requests_as_they_were() -> None:
    """Each request is billed by its own date, before and after the change."""
    change = 1_786_896_000_000  # 2026-08-16T16:00Z
    requests = [sent(1000, time_ms=change + offset) for offset in (-1, 0)]
    costs = [bill_run(run_of(each, model="deepseek-v4-flash")).cost_pico_usd for each in requests]
    assert costs == [1000 * 140_000, 1000 * 220_000]


def test_each_provider_forgets_in_its_own_time() -> None:
    """Two hours later DeepSeek still reads the prefix; marks of five minutes and of an hour are gone."""
    run = [sent(TOKENS), sent(TOKENS, TOKENS, time_ms=2 * HOUR_MS)]
    names = ("deepseek-units", "anthropic-5m", "anthropic-1h", "openai-breakpoints")
    cached = {name: bill_run(run_of(*run, cache=name)).cached_input_tokens for name in names}
    assert cached == {"deepseek-units": TOKENS, "anthropic-5m": 0, "anthropic-1h": 0, "openai-breakpoints": 0}


def test_use_prolongs_the_life_of_a_mark() -> None:
    """Requests every four minutes never miss a cache of five."""
    assert CACHE_RULES["anthropic-5m"].ttl_ms == 5 * MINUTE_MS
    run = run_of(*(sent(TOKENS, TOKENS if n else 0, time_ms=4 * n * MINUTE_MS) for n in range(9)), cache="anthropic-5m")
    assert bill_run(run).cached_input_tokens == 8 * TOKENS


def test_an_estimate_is_called_one_and_stays_apart_from_counts() -> None:
    """100 Chinese characters are 25 tokens by the fixed rule, 8 for the message; another counter may know better."""
    message = Message(content=({"type": "text", "text": "\u65f6" * 100},), source={})
    assert estimate_message_tokens(message) == 25 + 8
    session = log().turn().prompt("\u65f6" * 100).step().reply("hi").end_step().end_turn().build()
    counted = Scenario(counter=len)
    estimate, own = (replay_session(session, each) for each in (Scenario(), counted))
    assert own.measures.input_tokens > estimate.measures.input_tokens
    assert bill_run(estimate).describe()[0] == "tokens: estimate"

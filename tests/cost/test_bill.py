"""Hold bills to their requests: every token in one part, every request at its own rates, nothing unknown for free."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from tests.cost.lists import PEAK, price, prices_of
from tests.cost.oracle import Request
from tests.cost.requests import run_of, sent
from tests.cost.strategies import streams
from tests.cost.test_cache import rows_of, splits
from tests.results.runs import COMPACTION
from timectx.cost.bill import Bill, UnpricedModel, bill_run
from timectx.cost.cache import CACHE_RULES
from timectx.errors import CostError

RATES = "input = 10\ncached = 1\nwrite = 20\nwrite_1h = 30\noutput = 100"
PRICES = prices_of(price('cache = "deepseek-units"', rates=RATES))
BREAKPOINTS = prices_of(price('cache = "anthropic-5m"\nminimum_tokens = 10', rates=RATES))
SUMMARY = replace(COMPACTION, summary_input_tokens=500, summary_output_tokens=50, provider="p", model="m", time_ms=0)


def test_a_bill_adds_up_by_hand() -> None:
    """100 tokens are new, then 30, behind 120 that are read; the replies have 20 and 5."""
    run = run_of(sent(100, reply_tokens=20, output_tokens=20), sent(150, 100, output_tokens=5))
    bill = bill_run(run, PRICES)
    assert bill == Bill(
        cached_input_tokens=120,
        written_input_tokens=0,
        uncached_input_tokens=130,
        output_tokens=25,
        priced_pico_usd=(130 * 10 + 120 * 1 + 25 * 100) * 1_000_000,
        entries=PRICES.entries,
    )
    assert bill.cost_usd == pytest.approx(0.00392)


def test_writes_have_their_own_rate() -> None:
    """What a prompt adds to the cache costs more than plain input; an hour's marks more still."""
    requests = (sent(100, header_tokens=50), sent(150, 100, header_tokens=50))
    usual, hour = (bill_run(run_of(*requests, cache=cache), BREAKPOINTS) for cache in (None, "anthropic-1h"))
    assert (usual.cached_input_tokens, usual.written_input_tokens, usual.uncached_input_tokens) == (100, 150, 0)
    assert usual.cost_pico_usd == (100 * 1 + 150 * 20) * 1_000_000
    assert hour.cost_pico_usd == (100 * 1 + 150 * 30) * 1_000_000


@given(streams())
def test_the_cache_sees_what_the_requests_say(requests: list[Request]) -> None:
    """Each field of a request reaches the cache function in its place."""
    time_ms, made = 0, []
    for each, row in zip(requests, rows_of(requests), strict=True):
        time_ms += each.idle_ms
        _, size, stable, nodes, reply, header, line = row
        parts = {"nodes": nodes, "reply_tokens": reply, "header_tokens": header, "line_tokens": line}
        made.append(sent(size, stable, time_ms=time_ms, **parts))
    for name in ("anthropic-5m", "deepseek-units", "openai-breakpoints"):
        small = replace(CACHE_RULES[name], minimum_tokens=4, ttl_ms=5, name=name)
        prices = prices_of(price())
        prices.rules[name] = small
        bill = bill_run(run_of(*made, cache=name), prices)
        expected = splits(small, rows_of(requests))
        assert bill.cached_input_tokens == sum(hit for hit, _ in expected)
        assert bill.written_input_tokens == sum(written for _, written in expected)
        parts_sum = bill.cached_input_tokens + bill.written_input_tokens + bill.uncached_input_tokens
        assert parts_sum == sum(len(each.prompt) for each in requests)


def test_a_clock_that_went_back_lets_no_time_pass() -> None:
    """The cache of the provider does not age backwards, and not twice either."""
    times = (0, 240_000, -10_000_000, -9_760_000)
    requests = [sent(100 + number, 99 + number if number else 0, time_ms=time) for number, time in enumerate(times)]
    assert bill_run(run_of(*requests), BREAKPOINTS).cached_input_tokens == 100 + 101 + 102


def test_another_model_starts_with_an_empty_cache() -> None:
    """Also one that answered before; each is billed at its own rates."""
    prices = prices_of(price('cache = "deepseek-units"'), price('cache = "deepseek-units"', models='["n"]'))
    run = run_of(sent(100), sent(110, 100, model="n"), sent(120, 110), sent(130, 120))
    bill = bill_run(run, prices)
    assert (bill.cached_input_tokens, bill.entries) == (120, prices.entries)


def test_a_summary_is_billed_to_its_model_and_paid_in_full() -> None:
    """A simulated compaction's request is input and output like any other; a recorded one's is not known."""
    bill = bill_run(run_of(sent(100), compactions=(COMPACTION, SUMMARY)), PRICES)
    assert (bill.uncached_input_tokens, bill.output_tokens) == (600, 50)
    assert bill.cost_pico_usd == (600 * 10 + 50 * 100) * 1_000_000


def test_one_request_without_price_leaves_the_cost_open() -> None:
    """The volume is told by model, the priced part as well, and the whole is None, not the part."""
    run = run_of(
        sent(100, output_tokens=7),
        sent(110, 100, model="new", output_tokens=5, turn=2),
        sent(120, 110, model="new", turn=3),
        compactions=(replace(SUMMARY, model="new"),),
    )
    bill = bill_run(run, PRICES)
    assert bill.unpriced == (UnpricedModel(provider="p", model="new", requests=3, turns=2, tokens=115 + 120 + 550),)
    assert (bill.unpriced_requests, bill.unpriced_tokens) == (3, 785)
    assert (bill.cost_usd, bill.cost_pico_usd, bill.priced_pico_usd) == (None, None, (1000 + 700) * 1_000_000)
    assert bill.describe()[-1] == "unpriced: p/new, 3 requests in 2 turns, 785 tokens"


def test_without_any_price_the_volumes_are_told_all_the_same() -> None:
    """Whose cache it is is not known either, unless the scenario says so."""
    requests = (sent(100, model="new"), sent(150, 100, model="new"))
    assert bill_run(run_of(*requests), PRICES).uncached_input_tokens == 250
    assert bill_run(run_of(*requests, cache="deepseek-units"), PRICES).cached_input_tokens == 100


def test_a_scenario_may_name_the_model_to_bill() -> None:
    """All requests go to it, and its cache is never emptied by a change of model."""
    prices = prices_of(price('cache = "deepseek-units"', models='["other"]', provider="q"))
    run = run_of(sent(100), sent(150, 100, model="n"), compactions=(SUMMARY,), model="q/other")
    bill = bill_run(run, prices)
    assert (bill.cached_input_tokens, bill.entries) == (100, prices.entries)
    assert bill.cost_pico_usd == (150 + 500 + 2 * 50) * 1_000_000 + 100 * 1_000_000


def test_an_unknown_cache_is_refused() -> None:
    """The rules there are stand in the message."""
    with pytest.raises(CostError, match="a cache is one of none, "):
        bill_run(run_of(sent(100), cache="best"), PRICES)


def test_each_request_is_billed_at_its_hour_and_size() -> None:
    """Peak hours and long prompts count request by request."""
    bands = '{ hours = "peak", input = 3, output = 1 }, { above_tokens = 100, input = 5, output = 1 }'
    both = '{ hours = "peak", above_tokens = 100, input = 7, output = 1 }'
    prices = prices_of(PEAK, price(f"bands = [{bands}, {both}]"))
    hour, friday = 3_600_000, 86_400_000
    times_and_sizes = [(0, 100), (0, 101), (friday + hour, 100), (friday + hour, 101)]
    run = run_of(*(sent(size, time_ms=time_ms) for time_ms, size in times_and_sizes))
    assert bill_run(run, prices).cost_pico_usd == (100 * 1 + 101 * 5 + 100 * 3 + 101 * 7) * 1_000_000


def test_what_another_session_pays_for_fills_the_cache_only() -> None:
    """The inherited requests and compactions are not billed, and what they left in the cache is read."""
    run = run_of(sent(100), sent(150, 100), compactions=(SUMMARY, replace(SUMMARY, summary_input_tokens=7)))
    bill = bill_run(run, PRICES, skip_requests=1, skip_compactions=1)
    assert (bill.cached_input_tokens, bill.uncached_input_tokens, bill.output_tokens) == (100, 57, 50)


def test_a_bill_says_how_tokens_were_counted() -> None:
    """A sum of estimates is never taken for one of counts."""
    assert bill_run(run_of(sent(100)), PRICES).describe()[0] == "tokens: estimate"
    assert bill_run(run_of(sent(100), meter="reported"), PRICES).describe()[0] == "tokens: reported"


def test_nothing_sent_costs_nothing() -> None:
    """A session without requests has a bill of zeros, not an unknown one."""
    assert (bill_run(run_of(), PRICES), bill_run(run_of(), PRICES).cost_usd) == (Bill(), 0.0)

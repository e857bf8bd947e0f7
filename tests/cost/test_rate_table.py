"""Hold the table of rates to the price list it was made from, at every instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cost.lists import PEAK, price, prices_of
from timectx.cost.entries import Rates
from timectx.cost.prices import packaged_prices
from timectx.cost.rate_table import RateTable, rate_row, rate_table, request_cost

MODELS = [(entry.provider, model) for entry in packaged_prices().entries for model in entry.models]
TABLE = rate_table(packaged_prices(), MODELS)
INSTANTS = st.integers(-(10**12), 2 * 10**12)
EDGES = [
    time + offset
    for model in range(len(MODELS))
    for time in TABLE.starts[TABLE.first[model] + 1 : TABLE.first[model + 1]]
    for offset in (-1, 0)
]


def found(table: RateTable, model: int, time_ms: int) -> int:
    """Return the row of a model at an instant."""
    return rate_row(table.first, table.starts, table.weeks, model, time_ms)


@given(st.integers(0, len(MODELS) - 1), INSTANTS | st.sampled_from(EDGES), st.sampled_from([0, 100_000, 300_000]))
@example(2, 1_786_896_000_000 - 1, 0)
def test_the_table_says_what_the_list_says(model: int, time_ms: int, input_tokens: int) -> None:
    """Each of the four rates, below and above the size limit, and nothing where the list knows nothing."""
    rates = packaged_prices().rates_at(*MODELS[model], time_ms, input_tokens)
    row = found(TABLE, model, time_ms)
    assert (row == 0) == (rates is None)
    if rates is not None:
        numbers = TABLE.rates[row]
        at = 5 if 0 < numbers[0] < input_tokens else 1
        assert numbers[at : at + 4] == (rates.input, rates.cached, rates.write, rates.output)


@given(st.integers(0, 10**6), st.data())
def test_a_request_costs_the_sum_of_its_parts(input_tokens: int, data: st.DataObject) -> None:
    """The whole prompt decides on the band; every token is billed once."""
    cached = data.draw(st.integers(0, input_tokens))
    written = data.draw(st.integers(0, input_tokens - cached))
    output = data.draw(st.integers(0, 10**5))
    time_ms = 1_793_000_000_000
    for model in ("claude-haiku-5-5", "gpt-6-sol", "deepseek-v4-pro"):
        table = rate_table(packaged_prices(), [("", model)])
        rates = packaged_prices().rates_at("", model, time_ms, input_tokens)
        assert isinstance(rates, Rates)
        expected = (input_tokens - cached - written) * rates.input + cached * rates.cached
        expected += written * rates.write + output * rates.output
        assert request_cost(table.rates[found(table, 0, time_ms)], input_tokens, cached, written, output) == expected


@pytest.fixture(scope="module")
def compiled() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Compile both functions as they stand."""
    numba = pytest.importorskip("numba", reason="numba is not installed")
    return numba.njit(rate_row), numba.njit(request_cost)


@given(st.integers(0, len(MODELS) - 1), INSTANTS, st.integers(0, 10**6))
def test_compiled_they_answer_the_same(
    compiled: tuple[Callable[..., Any], Callable[..., Any]], model: int, time_ms: int, tokens: int
) -> None:
    """The same source, compiled and fed arrays, gives the same row and the same cost."""
    arrays = [np.array(column, dtype=np.int64) for column in (TABLE.first, TABLE.starts, TABLE.weeks)]
    row = found(TABLE, model, time_ms)
    assert compiled[0](*arrays, model, time_ms) == row
    parts = (tokens, tokens // 3, tokens // 5, tokens // 7)
    assert compiled[1](np.array(TABLE.rates[row]), *parts) == request_cost(TABLE.rates[row], *parts)


def test_row_0_is_what_nobody_knows() -> None:
    """A model without an entry has one period of it."""
    table = rate_table(packaged_prices(), [("", "a-model-nobody-lists")])
    assert (table.first, table.starts, set(table.weeks)) == ((0, 1), (-(2**62),), {0})
    assert (table.rates, table.entries, table.rule_of) == (((0,) * 9,), (None,), (0,))
    assert table.rules == ((0,) * 11,)


def test_a_cache_asked_for_goes_for_every_row() -> None:
    """Also for a model without a price; an hour's writes are billed at their own rate."""
    table = rate_table(packaged_prices(), [("", "claude-opus-4-6"), ("", "nobody")], cache="anthropic-1h")
    row = found(table, 0, 0)
    assert table.rates[row][3] == 10_000_000
    assert [table.rules[table.rule_of[each]][1:3] for each in (0, row)] == [(1024, 3_600_000), (4096, 3_600_000)]


def test_a_day_off_has_a_period_of_its_own() -> None:
    """From midnight to midnight, in UTC."""
    prices = prices_of(PEAK, price('bands = [{ hours = "peak", input = 5, output = 6 }]'))
    table = rate_table(prices, [("p", "m")])
    assert table.starts == (-(2**62), 8 * 86_400_000, 9 * 86_400_000)
    assert [table.rates[found(table, 0, time)][1] for time in (90_000_000, 8 * 86_400_000 + 3_600_000)] == [
        5_000_000,
        1_000_000,
    ]

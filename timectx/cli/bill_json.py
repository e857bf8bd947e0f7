"""Put a run's requests and its bill into plain values, so that each amount can be computed again."""

from __future__ import annotations

from typing import Any, Final

from msgspec import to_builtins

from timectx.cost import (
    PriceList,
    RateTable,
    bill_requests,
    bill_run,
    billed_table,
    packaged_prices,
    rate_row,
    request_cost,
)
from timectx.replay import Run

__all__ = ["bill_document", "billed_compactions", "billed_requests"]

_RATES: Final = ("input", "cached", "write", "output")


def bill_document(run: Run, prices: PriceList | None = None) -> dict[str, Any]:
    """
    Return the bill of a run.

    Parameters
    ----------
    run : Run
        With its requests.
    prices : PriceList, optional
        What to bill by; None takes the list that comes with the package.

    Returns
    -------
    dict
        The fields of a `Bill`, with the whole cost in USD and in pico-USD: None while any request has no price.
    """
    bill = bill_run(run, prices)
    return {**to_builtins(bill), "cost_pico_usd": bill.cost_pico_usd, "cost_usd": bill.cost_usd}


def billed_requests(run: Run, prices: PriceList | None = None) -> list[dict[str, Any]]:
    """
    Return the requests of a run, each with its share of the bill.

    Parameters
    ----------
    run : Run
        With its requests.
    prices : PriceList, optional
        As for `bill_document`.

    Returns
    -------
    list of dict
        The fields of a `RunRequest`, how many of its tokens the cache held and how many were written to it, and
        its rates and cost in pico-USD, None where no price is known.
    """
    table = billed_table(run, prices or packaged_prices())
    one_model = 0 if run.scenario.model else None
    rows = []
    for request, (hit, written) in zip(run.requests, bill_requests(run.requests, table, one_model), strict=True):
        place = table.models.index((request.provider, request.model)) if one_model is None else one_model
        split = {"cached_input_tokens": hit, "written_input_tokens": written}
        tokens = (request.input_tokens, hit, written, request.output_tokens)
        rows.append({**to_builtins(request), **split, **_cost(table, place, request.time_ms, tokens)})
    return rows


def billed_compactions(run: Run, prices: PriceList | None = None) -> list[dict[str, Any]]:
    """
    Return the compactions of a run, each with what its summary costs.

    Parameters
    ----------
    run : Run
        Any.
    prices : PriceList, optional
        As for `bill_document`.

    Returns
    -------
    list of dict
        The fields of a `RunCompaction`, and rates and cost in pico-USD; None where no price is known, or where the
        log recorded it and nothing is billed.
    """
    table = billed_table(run, prices or packaged_prices())
    rows = []
    for each in run.compactions:
        cost: dict[str, Any] = {"rates_pico_usd": None, "cost_pico_usd": None}
        if each.summary_input_tokens is not None:
            place = 0 if run.scenario.model else table.models.index((each.provider, each.model))
            tokens = (each.summary_input_tokens, 0, 0, each.summary_output_tokens or 0)
            cost = _cost(table, place, each.time_ms, tokens)
        rows.append({**to_builtins(each), **cost})
    return rows


def _cost(table: RateTable, model: int, time_ms: int, tokens: tuple[int, int, int, int]) -> dict[str, Any]:
    row = rate_row(table.first, table.starts, table.weeks, model, time_ms)
    if table.entries[row] is None:
        return {"rates_pico_usd": None, "cost_pico_usd": None}
    rates = table.rates[row]
    at = 5 if 0 < rates[0] < tokens[0] else 1
    return {
        "rates_pico_usd": dict(zip(_RATES, rates[at : at + 4], strict=True)),
        "cost_pico_usd": request_cost(rates, *tokens),
    }

"""Bill a run: what of its prompts came from the cache, what was written to it, and what all of it cost."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from timectx.cost.cache import FIRST_MARK, new_marks, split_input
from timectx.cost.entries import PriceEntry
from timectx.cost.model_names import split_model
from timectx.cost.prices import PriceList, packaged_prices
from timectx.cost.rate_table import RateTable, rate_row, rate_table, request_cost
from timectx.replay.run import Run, RunCompaction, RunRequest

__all__ = ["Bill", "UnpricedModel", "bill_requests", "bill_run", "billed_table"]

_PICO_A_DOLLAR = 10**12


class UnpricedModel(Struct, frozen=True, kw_only=True):
    """
    Hold what a model without a price was sent.

    `requests` and `turns` count where it was used, `tokens` sums prompts and replies.
    """

    provider: str
    model: str
    requests: int
    turns: int
    tokens: int


class Bill(Struct, frozen=True, kw_only=True):
    """
    Hold what a run costs, and of which tokens.

    Parameters
    ----------
    cached_input_tokens, written_input_tokens, uncached_input_tokens : int
        What was read from the cache, what was written to it at a rate of its own, and the rest; together the
        input tokens of all requests and of the summaries of simulated compactions.
    output_tokens : int
        Replies and those summaries.
    priced_pico_usd : int
        What the requests with a price cost, in pico-USD (1e-12 USD).
    unpriced_requests, unpriced_tokens : int
        Requests without one, and their prompts and replies.
    unpriced : tuple of UnpricedModel
        The same by model, in order of first use.
    entries : tuple of PriceEntry
        What was billed by, in order of first use.
    meter : str
        How the tokens were counted: the scenario's meter. Estimates and counts of a provider never meet in a bill.
    """

    cached_input_tokens: int = 0
    written_input_tokens: int = 0
    uncached_input_tokens: int = 0
    output_tokens: int = 0
    priced_pico_usd: int = 0
    unpriced_requests: int = 0
    unpriced_tokens: int = 0
    unpriced: tuple[UnpricedModel, ...] = ()
    entries: tuple[PriceEntry, ...] = ()
    meter: str = "estimate"

    @property
    def cost_pico_usd(self) -> int | None:
        """The whole cost in pico-USD; None while any request has no price."""
        return None if self.unpriced_requests else self.priced_pico_usd

    @property
    def cost_usd(self) -> float | None:
        """The whole cost in USD; None while any request has no price."""
        return None if self.unpriced_requests else self.priced_pico_usd / _PICO_A_DOLLAR

    def describe(self) -> tuple[str, ...]:
        """
        Say what was billed by, and what could not be billed.

        Returns
        -------
        tuple of str
            One line each: how tokens were counted, the entries with source and day, their doubts, and the models
            without a price with their volume.
        """
        lines = [f"tokens: {self.meter}"]
        for entry in self.entries:
            lines.append(entry.describe())
            lines += [f"{entry.models[0]}: {entry.note}"] if entry.note else []
        for each in self.unpriced:
            name = "/".join(part for part in (each.provider, each.model) if part) or "a model the log does not name"
            lines.append(f"unpriced: {name}, {each.requests} requests in {each.turns} turns, {each.tokens} tokens")
        return tuple(lines)


def bill_run(run: Run, prices: PriceList | None = None, *, skip_requests: int = 0, skip_compactions: int = 0) -> Bill:
    """
    Bill a run.

    Parameters
    ----------
    run : Run
        With its requests; its scenario says whose prices and which cache rule to take.
    prices : PriceList, optional
        None = the list that comes with the package.
    skip_requests, skip_compactions : int, optional
        How many of the first ones another session pays for: they fill the cache and are not billed.

    Returns
    -------
    Bill
        Whole numbers throughout. The summary of a simulated compaction is paid in full, whatever the cache may
        hold of its prompt.

    Raises
    ------
    CostError
        Kind ``cache`` if the scenario names a cache rule that does not exist.
    """
    table = billed_table(run, prices or packaged_prices())
    model = 0 if run.scenario.model else None
    account = _Account(table)
    split = bill_requests(run.requests, table, model)
    for request, (hit, written) in zip(run.requests[skip_requests:], split[skip_requests:], strict=True):
        place = _place(table, request) if model is None else model
        account.add(place, request.time_ms, request.turn, request.input_tokens, hit, written, request.output_tokens)
    for compaction in run.compactions[skip_compactions:]:
        if compaction.summary_input_tokens is not None:
            place = _place(table, compaction) if model is None else model
            tokens = (compaction.summary_input_tokens, 0, 0, compaction.summary_output_tokens or 0)
            account.add(place, compaction.time_ms, compaction.turn, *tokens)
    return account.bill(run.scenario.meter)


def billed_table(run: Run, prices: PriceList) -> RateTable:
    """
    Lay out the prices a run is billed by.

    Parameters
    ----------
    run : Run
        The run.
    prices : PriceList
        Where to look.

    Returns
    -------
    RateTable
        With the scenario's model alone, where it names one; else with every model of the run, as the log
        names them, in order of first use.

    Raises
    ------
    CostError
        Kind ``cache`` if the scenario names a cache rule that does not exist.
    """
    if run.scenario.model:
        models = [split_model(run.scenario.model)]
    else:
        sent = [(each.provider, each.model) for each in run.requests]
        asked = [(each.provider, each.model) for each in run.compactions if each.summary_input_tokens is not None]
        models = list(dict.fromkeys(sent + asked))
    return rate_table(prices, models, run.scenario.cache)


def bill_requests(requests: Sequence[RunRequest], table: RateTable, model: int | None = None) -> list[tuple[int, int]]:
    """
    Split each prompt into what the cache holds, what is written to it and the rest.

    Parameters
    ----------
    requests : sequence of RunRequest
        All requests of a run, in order.
    table : RateTable
        Says which cache rule each request falls under.
    model : int, optional
        The one model all are billed as, by its place in the table; None = each its own.

    Returns
    -------
    list of (int, int)
        For each request the tokens read and the tokens written.

    Notes
    -----
    Another model starts with an empty cache, also one that answered before.
    """
    positions, times, nodes = new_marks(len(requests))
    count, last, last_ms, split = FIRST_MARK, -1, 0, []
    for request in requests:
        place = _place(table, request) if model is None else model
        if place != last:
            positions[0] = positions[1] = times[0] = times[1] = nodes[1] = 0
            count, last, last_ms = FIRST_MARK, place, request.time_ms
        row = rate_row(table.first, table.starts, table.weeks, place, request.time_ms)
        hit, written, count = split_input(
            table.rules[table.rule_of[row]],
            positions,
            times,
            nodes,
            count,
            max(0, request.time_ms - last_ms),
            request.input_tokens,
            request.stable_tokens,
            request.nodes,
            request.reply_tokens,
            request.header_tokens,
            request.line_tokens,
        )
        last_ms = request.time_ms
        split.append((hit, written))
    return split


def _place(table: RateTable, sent: RunRequest | RunCompaction) -> int:
    return table.models.index((sent.provider, sent.model))


class _Account:
    """Add up requests, each at the rates of its model and instant."""

    def __init__(self, table: RateTable) -> None:
        self._table = table
        self._cached = self._written = self._uncached = self._output = self._cost = 0
        self._entries: dict[int, PriceEntry] = {}
        self._unpriced: dict[int, list[tuple[int | None, int]]] = {}

    def add(
        self, model: int, time_ms: int, turn: int | None, input_tokens: int, hit: int, written: int, output: int
    ) -> None:
        """Add a request."""
        self._cached += hit
        self._written += written
        self._uncached += input_tokens - hit - written
        self._output += output
        row = rate_row(self._table.first, self._table.starts, self._table.weeks, model, time_ms)
        entry = self._table.entries[row]
        if entry is None:
            self._unpriced.setdefault(model, []).append((turn, input_tokens + output))
        else:
            self._entries.setdefault(id(entry), entry)
            self._cost += request_cost(self._table.rates[row], input_tokens, hit, written, output)

    def bill(self, meter: str) -> Bill:
        """Return the sums."""
        unpriced = tuple(self._unpriced_model(model, sent) for model, sent in self._unpriced.items())
        return Bill(
            cached_input_tokens=self._cached,
            written_input_tokens=self._written,
            uncached_input_tokens=self._uncached,
            output_tokens=self._output,
            priced_pico_usd=self._cost,
            unpriced_requests=sum(each.requests for each in unpriced),
            unpriced_tokens=sum(each.tokens for each in unpriced),
            unpriced=unpriced,
            entries=tuple(self._entries.values()),
            meter=meter,
        )

    def _unpriced_model(self, model: int, sent: Sequence[tuple[int | None, int]]) -> UnpricedModel:
        provider, name = self._table.models[model]
        turns = {turn for turn, _ in sent if turn is not None}
        tokens = sum(tokens for _, tokens in sent)
        return UnpricedModel(provider=provider, model=name, requests=len(sent), turns=len(turns), tokens=tokens)

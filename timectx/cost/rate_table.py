"""Lay prices out as whole numbers, so that a bill is a look-up by model and hour of the week."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from timectx.cost.entries import HOURS_A_WEEK, Hours, PriceEntry, Rates
from timectx.cost.prices import PriceList

__all__ = ["BEGIN_MS", "RATES_A_ROW", "RateTable", "rate_row", "rate_table", "request_cost"]

BEGIN_MS: Final = -(2**62)
"""When a model's first period starts."""

RATES_A_ROW: Final = 9

_DAY_MS: Final = 86_400_000


class RateTable(Struct, frozen=True, kw_only=True):
    """
    Hold the rates of some models at any instant.

    Parameters
    ----------
    models : tuple of (str, str)
        Provider and model, as they were asked for.
    first : tuple of int
        Where each model's periods begin in `starts`, and after the last model where they end.
    starts : tuple of int
        When each period starts, in epoch milliseconds, rising within a model; its first is `BEGIN_MS`.
    weeks : tuple of int
        For each period the rows of its 168 hours from Monday 00:00 UTC on.
    rates : tuple of tuple of int
        For each row `RATES_A_ROW` numbers: the prompt size above which the second half holds (0 = none), then
        input, cached, write and output in pico-USD a token up to that size, then the same four above it. Row 0 is
        all zeros: no price is known.
    rules : tuple of tuple of int
        Cache rules as `split_input` takes them.
    rule_of : tuple of int
        For each row its cache rule.
    entries : tuple of PriceEntry or None
        For each row what it was made from; None for row 0.
    """

    models: tuple[tuple[str, str], ...]
    first: tuple[int, ...]
    starts: tuple[int, ...]
    weeks: tuple[int, ...]
    rates: tuple[tuple[int, ...], ...]
    rules: tuple[tuple[int, ...], ...]
    rule_of: tuple[int, ...]
    entries: tuple[PriceEntry | None, ...]


def rate_row(first: Sequence[int], starts: Sequence[int], weeks: Sequence[int], model: int, time_ms: int) -> int:
    """
    Return the row of rates that holds for a model at an instant.

    Parameters
    ----------
    first, starts, weeks : sequence of int
        Of a `RateTable`.
    model : int
        The model's place in the table.
    time_ms : int
        In epoch milliseconds.

    Returns
    -------
    int
        0 where no price is known.

    Notes
    -----
    Plain loops over whole numbers, so that a compiler takes the function as it is.
    """
    period = first[model + 1] - 1
    while starts[period] > time_ms:
        period -= 1
    return weeks[period * 168 + (time_ms // 3_600_000 + 72) % 168]


def request_cost(
    rates: Sequence[int], input_tokens: int, cached_tokens: int, written_tokens: int, output_tokens: int
) -> int:
    """
    Return what one request costs.

    Parameters
    ----------
    rates : sequence of int
        A row of a `RateTable`.
    input_tokens : int
        Length of the whole prompt; it decides on the rates for long ones.
    cached_tokens, written_tokens : int
        What of it is read from the cache, and what is written to it at a rate of its own.
    output_tokens : int
        Length of the reply.

    Returns
    -------
    int
        In pico-USD.

    Examples
    --------
    >>> request_cost((0, 140_000, 2_800, 140_000, 280_000, 0, 0, 0, 0), 1000, 900, 0, 50)
    30520000
    """
    at = 5 if 0 < rates[0] < input_tokens else 1
    plain_tokens = input_tokens - cached_tokens - written_tokens
    cost = plain_tokens * rates[at] + cached_tokens * rates[at + 1]
    return cost + written_tokens * rates[at + 2] + output_tokens * rates[at + 3]


def rate_table(prices: PriceList, models: Iterable[tuple[str, str]], cache: str | None = None) -> RateTable:
    """
    Lay out what some models cost.

    Parameters
    ----------
    prices : PriceList
        Where to look.
    models : iterable of (str, str)
        Provider and model; no price is known for one that no list names.
    cache : str, optional
        The cache rule of every request; None = each entry's own.

    Returns
    -------
    RateTable
        With the models in their order.

    Raises
    ------
    CostError
        Kind ``cache`` if no rule is called so.
    """
    layout = _Layout(prices, cache)
    models = tuple(models)
    for provider, model in models:
        layout.add(provider, model)
    return RateTable(
        models=models,
        first=tuple(layout.first),
        starts=tuple(layout.starts),
        weeks=tuple(layout.weeks),
        rates=tuple(layout.rates),
        rules=tuple(layout.rules),
        rule_of=tuple(layout.rule_of),
        entries=tuple(layout.entries),
    )


class _Layout:
    """Collect the parts of a table; equal rows and rules are kept once."""

    def __init__(self, prices: PriceList, cache: str | None) -> None:
        self._prices, self._cache = prices, cache
        self.first = [0]
        self.starts: list[int] = []
        self.weeks: list[int] = []
        self.rates: list[tuple[int, ...]] = []
        self.rules: list[tuple[int, ...]] = []
        self.rule_of: list[int] = []
        self.entries: list[PriceEntry | None] = []
        self._rows: dict[tuple[int, bool], int] = {}
        self._add_row(None, (0,) * RATES_A_ROW)

    def add(self, provider: str, model: str) -> None:
        """Add a model: one period for each span of time over which nothing changes but the hour."""
        for start in self._starts(self._prices.named(provider, model)):
            entry = self._prices.find(provider, model, start)
            self.starts.append(start)
            self.weeks.extend(self._week(entry, start))
        self.first.append(len(self.starts))

    def _starts(self, entries: Iterable[PriceEntry]) -> list[int]:
        starts = {BEGIN_MS}
        for entry in entries:
            starts |= {edge for edge in (entry.valid_from_ms, entry.valid_until_ms) if edge is not None}
            days = self._hours(entry).off_days if entry.hours else ()
            starts |= {edge * _DAY_MS for day in days for edge in (day, day + 1)}
        return sorted(starts)

    def _week(self, entry: PriceEntry | None, start: int) -> list[int]:
        if entry is None:
            return [0] * HOURS_A_WEEK
        plain = self._row(entry, in_hours=False)
        if entry.hours is None:
            return [plain] * HOURS_A_WEEK
        hours = self._hours(entry)
        if start // _DAY_MS in hours.off_days:
            return [plain] * HOURS_A_WEEK
        other = self._row(entry, in_hours=True)
        return [other if hours.holds(hour) else plain for hour in range(HOURS_A_WEEK)]

    def _hours(self, entry: PriceEntry) -> Hours:
        return self._prices.hours[entry.hours or ""]

    def _row(self, entry: PriceEntry, in_hours: bool) -> int:
        key = (id(entry), in_hours)
        if key not in self._rows:
            rule = self._prices.rule_for(entry, self._cache)
            limit = entry.limit_tokens
            low, high = entry.rates_for(in_hours, limit), entry.rates_for(in_hours, limit + 1)
            four = [(each.input, each.cached, _write(each, rule.write_rate), each.output) for each in (low, high)]
            self._rows[key] = len(self.rates)
            self._add_row(entry, (limit, *four[0], *four[1]))
        return self._rows[key]

    def _add_row(self, entry: PriceEntry | None, rates: tuple[int, ...]) -> None:
        rule = self._prices.rule_for(entry, self._cache).ints
        if rule not in self.rules:
            self.rules.append(rule)
        self.rates.append(rates)
        self.rule_of.append(self.rules.index(rule))
        self.entries.append(entry)


def _write(rates: Rates, name: str) -> int:
    return rates.write_1h if name == "write_1h" else rates.write

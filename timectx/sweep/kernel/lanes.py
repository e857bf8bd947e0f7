"""Lay scenarios out as the numbers that a kernel takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from timectx.cost.model_names import split_model
from timectx.cost.prices import PriceList
from timectx.cost.rate_table import RATES_A_ROW, RateTable, rate_table
from timectx.errors import TimectxError
from timectx.replay import Compaction, FixedText, FixedTokens, Scenario, ShareOfShadowed, SummaryRequest
from timectx.replay.compaction.checkpoint import Lifecycle, checkpoint_message
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.compaction.policy import Target, budget_of
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import instruction_message, summary_blocks
from timectx.replay.deliveries import DELIVERIES as DESIGNS
from timectx.replay.deliveries import too_many_ticks
from timectx.replay.meter import Pricing, estimate_text_tokens
from timectx.replay.policies import INTERVAL, parse_policy
from timectx.replay.prices import PriceBook, chars_per_token
from timectx.sweep.flat.codes import DELIVERIES, NEVER, SESSION_PREFIX, TIMER, TOOL
from timectx.sweep.flat.columns import ColumnFacts
from timectx.sweep.labels import compaction_word

__all__ = ["Lanes", "Sheet", "misfit", "misfits", "pack_lanes", "sheet_for"]

_SHADOWED_TOKENS: Final = 1000
_MOST_KEPT: Final = 256
"""What lanes remember at most: with a factor fitted to each session, nothing fits the next one."""
_UNPRICED: Final = -1
"""What stands for a prompt size in the row of rates that are not known."""


class Lanes(Struct, frozen=True, kw_only=True):
    """
    Hold scenarios as numbers, as far as they do not depend on a session.

    `knobs` and `masks` are as `timectx.sweep.kernel.kernel.replay_lanes` takes them; `compactions` and `bills` are
    the different ones among the scenarios, a bill by its model and its cache rule. `timer_ms` is the shortest interval
    of a timer, None without one. `kept` remembers what was worked out for sessions of one sort.
    """

    scenarios: tuple[Scenario, ...]
    knobs: tuple[int, ...]
    masks: tuple[int, ...]
    compactions: tuple[tuple[Compaction, Scenario], ...]
    bills: tuple[tuple[str | None, str | None], ...]
    timer_ms: int | None
    kept: dict[Any, Any]


class Sheet(Struct, frozen=True, kw_only=True):
    """
    Hold what lanes need to know of one sort of session.

    `plans` are `PLAN` of each compaction and `sizes` three numbers more: the size of a summary as a share of what it
    stands for, how many characters a token buys, the factor of prices. `budgets` are `BUDGET` of each compaction for
    each capacity, `places` those of each bill's routes in the price `table`; its `highest_rate` is in pico-USD a token.
    """

    plans: tuple[int, ...]
    sizes: tuple[float, ...]
    budgets: tuple[int, ...]
    routes: int
    places: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    highest_rate: int


def misfit(scenario: Scenario, facts: ColumnFacts) -> str:
    """
    Say why a kernel cannot replay a session under a scenario.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    facts : ColumnFacts
        Of the session's columns.

    Returns
    -------
    str
        Empty where it can.
    """
    if facts.unfit:
        return facts.unfit
    if scenario.delivery == "timer" and too_many_ticks(facts.forward_ms, scenario.interval):
        return too_many_ticks(facts.forward_ms, scenario.interval)
    if scenario.delivery == "timer" and not facts.steady:
        return "a timer's readings change their form between attempts"
    compaction = scenario.compaction
    asked = (scenario.edition, compaction_word(compaction), scenario.meter == "reported", scenario.delivery == "tool")
    if asked != (facts.edition, facts.compaction, facts.reported, facts.called):
        return "the columns are for another edition, compaction, meter or delivery"
    if (scenario.meter == "scaled") is (facts.scale is None) or scenario.scale not in (None, facts.scale):
        return "the columns are for another scale"
    if not isinstance(compaction, Compaction):
        return ""
    summary = compaction.summary
    if type(summary) not in (FixedText, FixedTokens, ShareOfShadowed):
        return "the summary model is a function of its own"
    if isinstance(summary, ShareOfShadowed) and scenario.counter is not None:
        return "a counter prices summaries of every size"
    return ""


def misfits(lanes: Lanes, facts: ColumnFacts) -> tuple[str, ...]:
    """
    Say of each scenario why a kernel cannot replay a session under it.

    Parameters
    ----------
    lanes : Lanes
        The scenarios.
    facts : ColumnFacts
        Of the session's columns.

    Returns
    -------
    tuple of str
        As `misfit`; worked out once for sessions of one sort.
    """
    sort = (facts.unfit, facts.edition, facts.compaction, facts.reported, facts.called, facts.steady, facts.scale)
    is_long = lanes.timer_ms is not None and too_many_ticks(facts.forward_ms, lanes.timer_ms)
    key = ("misfits", *sort, facts.forward_ms if is_long else 0)
    if key not in lanes.kept:
        lanes.kept[key] = tuple(misfit(scenario, facts) for scenario in lanes.scenarios)
    found: tuple[str, ...] = lanes.kept[key]
    return found


def pack_lanes(scenarios: Sequence[Scenario]) -> Lanes:
    """
    Lay scenarios out as numbers.

    Parameters
    ----------
    scenarios : sequence of Scenario
        Those of one set of columns.

    Returns
    -------
    Lanes
        In the same order; to be used for any number of sessions.
    """
    knobs: list[int] = []
    masks: list[int] = []
    compactions: dict[Any, tuple[Compaction, Scenario]] = {}
    bills: dict[tuple[str | None, str | None], int] = {}
    numbers: dict[Any, int] = {}
    spans: dict[str, tuple[int, int]] = {}
    for scenario in scenarios:
        if scenario.policy not in spans:
            first = len(masks)
            masks += parse_policy(scenario.policy)
            spans[scenario.policy] = (first, len(masks))
        first, last = spans[scenario.policy]
        plan = 0
        if isinstance(scenario.compaction, Compaction):
            key = (id(scenario.compaction), scenario.edition, id(scenario.counter))
            plan = numbers.setdefault(key, len(numbers))
            compactions.setdefault(key, (scenario.compaction, scenario))
        delivery = DELIVERIES[scenario.delivery]
        knobs += (
            scenario.interval,
            delivery,
            scenario.policy == "recorded" and DESIGNS[scenario.delivery].asks_policy,
            first,
            last,
            delivery == TIMER or (masks[first:last] == [INTERVAL] and delivery not in (SESSION_PREFIX, TOOL)),
            scenario.gap_ms,
            scenario.tool_calls,
            plan,
            bills.setdefault((scenario.model, scenario.cache), len(bills)),
        )
    return Lanes(
        scenarios=tuple(scenarios),
        knobs=tuple(map(int, knobs)),
        masks=tuple(masks),
        compactions=tuple(compactions.values()),
        bills=tuple(bills),
        timer_ms=min((each.interval for each in scenarios if each.delivery == "timer"), default=None),
        kept={},
    )


def sheet_for(lanes: Lanes, facts: ColumnFacts, prices: PriceList) -> Sheet:
    """
    Return what lanes need to know of a session's models.

    Parameters
    ----------
    lanes : Lanes
        The scenarios.
    facts : ColumnFacts
        Of the session's columns.
    prices : PriceList
        What to bill by.

    Returns
    -------
    Sheet
        The same for every session of the same models.
    """
    key = ("sheet", facts.models, repr(facts.capacities), facts.scale, id(prices))
    if key not in lanes.kept:
        if len(lanes.kept) >= _MOST_KEPT:
            lanes.kept.clear()
        lanes.kept[key] = (prices, _sheet(lanes, facts, prices))
    sheet: Sheet = lanes.kept[key][1]
    return sheet


def _plan(compaction: Compaction, scenario: Scenario, scale: float | None) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return `PLAN` of a compaction, and what the sizes of its summaries follow from."""
    pricing = PriceBook(scenario.counter, scale).memory
    share = compaction.summary.ratio if isinstance(compaction.summary, ShareOfShadowed) else 0.0
    anchor = compaction.anchor or ("reply" if scenario.edition == "current" else "step-start")
    # what a share comes to is counted, and scaled, in the kernel
    sizes = _summary_sizes(compaction, scenario, None if share else pricing)
    price, output = sizes or (0, 0)
    ints = (
        anchor == "step-start",
        compaction.spare,
        compaction.checkpoint_counts,
        compaction.pruning is not None,
        sizes is None,
        share > 0,
        price - output if share else price,
        output,
        price_message(instruction_message(), scenario.edition, pricing),
    )
    return tuple(map(int, ints)), (float(share), chars_per_token(pricing), 1.0 if scale is None else scale)


def _summary_sizes(compaction: Compaction, scenario: Scenario, pricing: Pricing | None) -> tuple[int, int] | None:
    """Return the price of a checkpoint and the size of its summary; None where no summary succeeds."""
    request = SummaryRequest(
        messages=(),
        header=None,
        provider="",
        model="",
        max_tokens=1,
        shadowed_tokens=_SHADOWED_TOKENS,
        chars_per_token=chars_per_token(pricing),
    )
    try:
        blocks = summary_blocks(compaction.summary(request), scenario.edition)
    except TimectxError:
        return None
    message = checkpoint_message(blocks, Lifecycle("c"), scenario.edition)
    output = sum(estimate_text_tokens(str(block.get("text", "")), pricing) for block in blocks)
    return price_message(message, scenario.edition, pricing), output


def _sheet(lanes: Lanes, facts: ColumnFacts, prices: PriceList) -> Sheet:
    routes = list(facts.models)
    plans: list[int] = []
    sizes: list[float] = []
    budgets: list[int] = []
    for compaction, scenario in lanes.compactions:
        plan, numbers = _plan(compaction, scenario, facts.scale)
        plans += plan
        sizes += numbers
        for capacity in facts.capacities:
            budget, route = _budget(compaction, scenario, capacity)
            if route not in routes:
                routes.append(route)
            budgets += (*budget, routes.index(route))
    places: list[int] = []
    tables: list[RateTable] = []
    for model, cache in lanes.bills:
        models = [split_model(model)] if model else list(dict.fromkeys(routes))
        first = sum(len(table.models) for table in tables)
        places += [first if model else first + models.index(route) for route in routes]
        tables.append(_table(lanes, prices, tuple(models), cache))
    return Sheet(
        plans=tuple(plans),
        sizes=tuple(sizes),
        budgets=tuple(budgets),
        routes=len(routes),
        places=tuple(places),
        table=_joined(tables),
        highest_rate=max(
            (rate for table in tables for row in table.rates for rate in (*row[1:5], *row[5:])), default=0
        ),
    )


def _table(lanes: Lanes, prices: PriceList, models: tuple[tuple[str, str], ...], cache: str | None) -> RateTable:
    key = ("table", id(prices), models, cache)
    if key not in lanes.kept:
        lanes.kept[key] = (prices, rate_table(prices, models, cache))
    table: RateTable = lanes.kept[key][1]
    return table


def _budget(
    compaction: Compaction, scenario: Scenario, capacity: tuple[Any, Any, Any, Any]
) -> tuple[tuple[int, ...], tuple[str, str]]:
    """Return `BUDGET` for one capacity but for the route, and the route of the summary's request."""
    provider, model, window, reserved = capacity
    settings = compaction_settings(compaction.settings, edition=scenario.edition)
    target = Target(provider, model)
    policy = settings.policy_for(target)
    threshold, retain = NEVER, 0
    window = compaction.context_window or window
    if type(window) is int and window >= 1:
        try:
            budget = budget_of(policy, target, window, 0 if reserved is None else reserved)
            threshold, retain = min(budget.threshold_tokens, NEVER), min(budget.retain_tokens, NEVER)
        except TimectxError:
            pass
    route = (policy.summarization_provider or provider, policy.summarization_model or model)
    rounds, retries = min(policy.compaction_retries + 1, NEVER), min(policy.max_overflow_retries, NEVER)
    return (threshold, retain, rounds, retries), route


def _joined(tables: Sequence[RateTable]) -> tuple[tuple[int, ...], ...]:
    """Put price tables one after the other."""
    first: list[int] = []
    starts: list[int] = []
    weeks: list[int] = []
    rates: list[int] = []
    rules: list[tuple[int, ...]] = []
    rule_of: list[int] = []
    for table in tables:
        rows = len(rates) // RATES_A_ROW
        first += [at + len(starts) for at in table.first[:-1]]
        starts += table.starts
        weeks += [row + rows for row in table.weeks]
        rates += [_UNPRICED, *(0,) * (RATES_A_ROW - 1), *(rate for row in table.rates[1:] for rate in row)]
        rule_of += [at + len(rules) for at in table.rule_of]
        rules += table.rules
    first.append(len(starts))
    flat = tuple(number for rule in rules for number in rule)
    return tuple(first), tuple(starts), tuple(weeks), tuple(rates), tuple(rule_of), flat

"""Show how the choice was made: the limits, the neighbours on the front, how sure it is, and today beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from timectx.report.contents import Contents, setting_words
from timectx.report.markup import Markup, joined, plain_text, tag
from timectx.report.numbers import NO_VALUE, count, dollars_of, duration, interval_words, percent
from timectx.report.page import Section, facts
from timectx.report.tables import Head, Row, table
from timectx.sweep.advice.recommendation import Neighbour, Recommendation, Today
from timectx.units import format_interval

__all__ = ["choice_section", "today_section"]

_RULES: Final = {
    "knee": "the knee of the front: the smallest sum of spending and staleness, each scaled to its range on the front",
    "cheapest": "the cheapest setting of the front that keeps all limits",
    "freshest": "the freshest setting of the front that keeps all limits",
}

_GUARD: Final = "blind_guard"

_LIMITS: Final = {
    "max_staleness_ms": "staleness",
    "max_blind_ratio": "share of blind steps",
    "max_blind_steps": "blind steps",
    "budget_ratio": "share of tokens",
    _GUARD: "blind steps beyond the fewest that a setting leaves",
}


def choice_section(contents: Contents) -> Section | None:
    """
    Build the section on how the choice was made.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        None without a recommendation.
    """
    found = contents.found
    if found is None:
        return None
    parts = [
        tag("p", f"Chosen: {_RULES[found.rule]}."),
        table("limits", "Limits held", _LIMIT_HEADS, _limits(found)),
        _neighbours(found),
        tag("h3", "How sure"),
        facts(list(_sureness(found))),
    ]
    return Section("choice", "How the choice was made", joined(parts))


def today_section(contents: Contents) -> Section | None:
    """
    Build the section on what the recorded settings cost.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        None where no session holds readings, or without a recommendation.
    """
    found = contents.found
    if found is None or found.today is None:
        return None
    today = found.today
    caption = f"The {count(today.recorded.sessions)} sessions that hold readings, as recorded and as recommended"
    heads = [Head("measure", align="text"), Head("as recorded"), Head("recommended")]
    settings = [Head("setting", align="text"), Head("edition", align="text"), Head("sessions")]
    rows = [
        Row([_setting(each.policy, each.interval_ms), plain_text(each.edition), count(each.sessions)])
        for each in today.settings
    ]
    parts = [
        table("today", caption, heads, _compared(today, found.limits.quantile)),
        table("today-settings", "What explains the readings recorded", settings, rows),
    ]
    return Section("as-recorded", "Today's setting", joined(parts))


_LIMIT_HEADS: Final = [
    Head("limit", align="text"),
    Head("at most"),
    Head("the choice has"),
    Head("binds", align="text"),
]


def _limits(found: Recommendation) -> Iterator[Row]:
    limits, totals = found.limits, found.totals
    share = percent(totals.spent_tokens, totals.input_tokens)
    blind = percent(totals.blind_steps, totals.steps)
    at = f" at {100 * limits.quantile:g} %"
    if limits.max_staleness_ms is not None:
        yield _limit(found, "max_staleness_ms", duration(limits.max_staleness_ms) + at, duration(totals.staleness_ms))
    if limits.max_blind_ratio is not None:
        yield _limit(found, "max_blind_ratio", f"{100 * limits.max_blind_ratio:g} %", blind)
    if limits.max_blind_steps is not None:
        yield _limit(found, "max_blind_steps", count(limits.max_blind_steps), count(totals.blind_steps))
    if limits.max_blind_ratio is None and limits.max_blind_steps is None:
        yield _limit(found, _GUARD, "1 % of all steps", f"{count(totals.blind_steps)} in all")
    if limits.budget_ratio is not None:
        yield _limit(found, "budget_ratio", f"{100 * limits.budget_ratio:g} %", share)


def _limit(found: Recommendation, name: str, most: str, has: str) -> Row:
    return Row(
        [_LIMITS[name], most, has, "yes: without it the choice would be another" if name in found.binding else "no"]
    )


def _neighbours(found: Recommendation) -> Markup:
    heads = [
        Head("next setting", align="text"),
        Head("side", align="text"),
        Head("share", "% of input"),
        Head("tokens", "more or less"),
        Head("tokens", "%"),
        Head("staleness", f"{100 * found.limits.quantile:g} %"),
        Head("staleness", "more or less"),
        Head("blind steps", "more or less"),
        Head("bill", "more or less"),
        Head("limits it breaks", align="text"),
    ]
    return table("neighbours", "The neighbours of the choice on the front", heads, map(_neighbour, found.neighbours))


def _neighbour(each: Neighbour) -> Row:
    totals = each.totals
    ratio = NO_VALUE if each.more_tokens_ratio is None else f"{100 * each.more_tokens_ratio:+.1f} %"
    bill = ("+" if (each.more_cost_usd or 0) > 0 else "") + dollars_of(each.more_cost_usd)
    broken = ", ".join(_LIMITS[name] for name in each.breaks) or "none"
    cells = [
        *(setting_words(totals.scenario), each.side, percent(totals.spent_tokens, totals.input_tokens)),
        *(f"{each.more_tokens:+,}", ratio, duration(totals.staleness_ms), _more(each.more_staleness_ms)),
        *(f"{each.more_blind_steps:+,}", bill, broken),
    ]
    return Row(cells)


def _more(difference_ms: int) -> str:
    return ("+" if difference_ms > 0 else "") + duration(difference_ms)


def _sureness(found: Recommendation) -> Iterator[tuple[str, str]]:
    if found.same_ratio is None or found.unmet_ratio is None:
        yield "sessions drawn again", "never: fewer than two of them have steps, so the range is the choice alone"
        return
    low, high = format_interval(found.low_ms), format_interval(found.high_ms)
    yield "sessions drawn again", f"{count(found.resamples)} times, as many as there are, each time with replacement"
    yield "the same choice in", percent(round(found.same_ratio * found.resamples), found.resamples)
    yield "no setting keeps the limits in", percent(round(found.unmet_ratio * found.resamples), found.resamples)
    yield "nine of ten intervals chosen", f"{low} to {high}"


def _setting(policy: str, interval_ms: int) -> str:
    return interval_words(interval_ms) if policy == "interval" else plain_text(policy)


def _compared(today: Today, quantile: float) -> Iterator[Row]:
    pair = today.recorded, today.recommended
    writers = {
        "readings": lambda each: count(each.readings),
        "tokens added": lambda each: count(each.reading_tokens),
        "tokens resent": lambda each: count(each.resent_tokens),
        "all input tokens": lambda each: count(each.input_tokens),
        "share of tokens": lambda each: percent(each.spent_tokens, each.input_tokens),
        "staleness, median": lambda each: duration(each.staleness_median_ms),
        f"staleness, {100 * quantile:g} %": lambda each: duration(each.staleness_ms),
        "staleness, largest": lambda each: duration(each.staleness_max_ms),
        "blind steps": lambda each: count(each.blind_steps),
        "bill": lambda each: dollars_of(each.cost_usd),
    }
    for name, write in writers.items():
        yield Row([name, *map(write, pair)])

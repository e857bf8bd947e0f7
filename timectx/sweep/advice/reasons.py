"""Put a recommendation into sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from timectx.reading import format_duration
from timectx.sweep.advice.constraints import BLIND_GUARD, Limit
from timectx.sweep.advice.recommendation import Neighbour, Outlier, Recommendation, Setting, Today
from timectx.sweep.advice.wording import change, counted, duration, effect, joined, limit_words, percent, usd
from timectx.units import format_interval

__all__ = ["Footing", "reasons_for"]

_NAMED: Final = 5
"""How many sessions a sentence names; `outliers` has all of them."""


class Footing(Struct, frozen=True, kw_only=True):
    """
    Hold what a recommendation stands on.

    `limits` are those held, `drawn` counts the sessions with steps, `silent` those without, `left_out` those
    without a row under every setting, `bounded` the rows without counts of staleness, `untold` those that do not say
    what their delivery sends beside readings, `deliveries` the ways that were tried, `longest_ms` the longest interval
    of those, `cheapest` the setting with the lowest bill, None where bills are not known for all, `tried` how many
    settings there were; `without` says what would be chosen without a limit that binds.
    """

    limits: tuple[Limit, ...]
    drawn: int
    silent: int
    left_out: tuple[str, ...]
    bounded: int
    untold: int
    deliveries: tuple[str, ...]
    longest_ms: int
    cheapest: str | None
    tried: int
    without: dict[str, str] = {}


def reasons_for(found: Recommendation, footing: Footing) -> tuple[str, ...]:
    """
    Say why a setting is recommended.

    Parameters
    ----------
    found : Recommendation
        All but its reasons.
    footing : Footing
        What it stands on.

    Returns
    -------
    tuple of str
        Sentences: what it does, the rule, its neighbours, how sure it is, who stands out, what today's
        setting costs, and what the numbers do not cover.
    """
    quantile = found.limits.quantile
    return (
        f"At {found.scenario} readings take {effect(found.totals, quantile)}.",
        *(_neighbour(each, quantile, footing) for each in found.neighbours),
        *_rule(found, footing),
        *_set_aside(found),
        _sureness(found, footing),
        *_outliers(found.outliers, "limit"),
        *_outliers(found.outliers, "far"),
        *(_today(found.today, found) if found.today else ()),
        *_footing(found, footing),
    )


def _neighbour(each: Neighbour, quantile: float, footing: Footing) -> str:
    parts = [f"{percent(each.totals.spent_ratio)} of all tokens"]
    parts.append(change(counted(abs(each.more_tokens), "token"), each.more_tokens, each.more_tokens_ratio))
    if each.more_cost_usd is not None:
        parts.append(f"bill {change(usd(abs(each.more_cost_usd)), each.more_cost_usd, each.more_cost_ratio)}")
    stale = change(duration(abs(each.more_staleness_ms)), each.more_staleness_ms, each.more_staleness_ratio)
    parts.append(f"staleness at {100 * quantile:g} % {duration(each.totals.staleness_ms)}, {stale}")
    if each.more_blind_steps:
        parts.append(change(counted(abs(each.more_blind_steps), "blind step"), each.more_blind_steps, None))
    broken = [limit_words(limit, quantile) for limit in footing.limits if limit.name in each.breaks]
    beyond = f"; it does not keep {joined(broken)}" if broken else ""
    return f"The next {each.side} setting, {each.totals.scenario}: {'; '.join(parts)}{beyond}."


def _rule(found: Recommendation, footing: Footing) -> Iterator[str]:
    what = "the bill" if found.limits.by == "cost" else "share of tokens"
    kept = [limit_words(each, found.limits.quantile) for each in footing.limits if each.name != BLIND_GUARD]
    if found.rule == "knee" and len(found.front) > 1:
        yield (
            f"Rule: of the settings that no other beats in both, the one where {what} and staleness, "
            "each scaled to its range here (at least 1 % and one minute), have the smallest sum."
        )
    elif found.rule != "knee":
        yield f"Rule: the {found.rule} setting with {joined(kept)}."
    if footing.tried == 1:
        yield "It is the only setting tried."
    elif len(found.front) == 1:
        yield "No other setting tried is cheaper or fresher."
    for each in footing.limits:
        if each.name in footing.without:
            words = limit_words(each, found.limits.quantile)
            yield f"Without the limit of {words}, the choice would be {footing.without[each.name]}."
    if found.rule != "knee" and not footing.without:
        yield "No limit binds: among the settings tried the choice would be the same without any one of them."
    if found.interval_ms == footing.longest_ms and len(found.front) > 1 and found.rule != "freshest":
        yield "It is the longest interval tried; a longer one may do, too."


def _set_aside(found: Recommendation) -> Iterator[str]:
    if found.set_aside:
        why = "they leave more steps without any reading"
        if found.limits.by == "cost" and found.limits.budget_ratio is not None:
            why += " or take more tokens"
        yield f"Set aside, because {why}: {', '.join(found.set_aside)}."


def _sureness(found: Recommendation, footing: Footing) -> str:
    if found.same_ratio is None:
        held = "Only one session has steps" if footing.drawn == 1 else "No session has steps"
        return f"{held}, so there is nothing to draw again, and the range is the choice alone."
    if footing.tried == 1 and not found.unmet_ratio:
        return "With one setting there is nothing to choose from, whichever sessions are drawn."
    low, high = format_interval(found.low_ms), format_interval(found.high_ms)
    drawn = f"{footing.drawn:,} sessions drawn again {found.resamples:,} times"
    sure = f"With the {drawn}, {percent(found.same_ratio)} of the choices are the same"
    spread = f"nine of ten lie from {low} to {high}" if low != high else "nine of ten have this interval"
    unmet = f"; in {percent(found.unmet_ratio)} no setting keeps the limits" if found.unmet_ratio else ""
    return f"{sure}, and {spread}{unmet}."


def _outliers(outliers: Sequence[Outlier], why: str) -> Iterator[str]:
    words = {"staleness_ms": "staleness", "spent_ratio": "share of tokens", "blind_ratio": "blind steps"}
    for measure, noun in words.items():
        those = [each for each in outliers if (each.why, each.measure) == (why, measure)]
        if those:
            named = ", ".join(f"{each.session} ({_amount(each)})" for each in those[:_NAMED])
            more = f" and {len(those) - _NAMED:,} more" if len(those) > _NAMED else ""
            what = "Beyond the limit on their own" if why == "limit" else "Far from the other sessions"
            yield f"{what} in {noun}: {named}{more}."


def _amount(outlier: Outlier) -> str:
    if outlier.measure == "staleness_ms":
        return format_duration(int(outlier.value))
    return f"{100 * outlier.value:.2f} %"


def _today(today: Today, found: Recommendation) -> Iterator[str]:
    settings = "; ".join(map(_setting, today.settings))
    recorded, quantile = today.recorded, found.limits.quantile
    yield f"As recorded, {counted(recorded.sessions, 'session')} ({settings}): {effect(recorded, quantile)}."
    saved = today.saved_tokens
    ratio = -saved / recorded.spent_tokens if recorded.spent_tokens else None
    yield (
        f"Over the same sessions the recommendation takes {effect(today.recommended, quantile)}: "
        f"{change(counted(abs(saved), 'token'), -saved, ratio)}."
    )


def _setting(each: Setting) -> str:
    due = f"interval {format_interval(each.interval_ms)}" if each.policy == "interval" else "no one interval"
    return f"{each.sessions:,} with {due}" + (f", edition {each.edition}" if each.edition else "")


def _footing(found: Recommendation, footing: Footing) -> Iterator[str]:
    if footing.silent:
        yield f"Without any step: {counted(footing.silent, 'session')}."
    if footing.left_out:
        yield f"Left out, for want of a row under every setting: {counted(len(footing.left_out), 'session')}."
    if footing.bounded:
        yield (
            f"Staleness is an upper bound: {counted(footing.bounded, 'row')} without counts, "
            "of which only the median, the 95th percentile and the largest value are known."
        )
    if footing.untold:
        yield (
            f"Spending is a lower bound: {counted(footing.untold, 'row')} of deliveries tool and timer without "
            "extra_tokens, whose own requests count as 0."
        )
    if found.totals.unpriced_sessions and found.totals.cost_usd is not None:
        unpriced = counted(found.totals.unpriced_sessions, "session")
        yield f"Costs leave out {unpriced} without a price ({counted(found.totals.unpriced_tokens, 'token')})."
    if len(footing.deliveries) > 1 and found.limits.by == "tokens":
        bill = f"; the lowest bill is that of {footing.cheapest}" if footing.cheapest else ""
        yield (
            f"Deliveries differ in what they do to a provider's cache ({', '.join(footing.deliveries)}), "
            f"which shares of tokens do not show{bill}."
        )

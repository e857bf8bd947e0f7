"""Lead with the answer: the setting to use, what it does, how sure it is, and the text to paste."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from timectx.report.contents import Contents, setting_words
from timectx.report.markup import Markup, joined, plain_text, tag
from timectx.report.numbers import count, dollars_of, duration, percent
from timectx.report.page import Section
from timectx.sweep.advice.recommendation import Recommendation
from timectx.sweep.advice.snippet import Agent
from timectx.units import format_interval

__all__ = ["answer_section", "snippet_section"]

_AGENTS: Final = {
    "dsh": "DeepSeek Harness (the time-context plugin)",
    "claude-code": "Claude Code",
    "codex": "Codex",
    "pi": "pi",
    "generic": "Any other agent",
}


def answer_section(contents: Contents) -> Section:
    """
    Build the section that answers which setting to use.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section
        Without a recommendation it says why there is none.
    """
    found = contents.found
    if found is None:
        why = contents.refusal or "no setting was asked for"
        content = joined([tag("p", "There is no recommendation: ", plain_text(why, 2000), class_="lead")])
        return Section("answer", "No recommendation", content, kind="answer")
    big = tag("p", setting_words(found.scenario), class_="big")
    reasons = tag("ul", *(tag("li", plain_text(each, 2000)) for each in _reasons(contents, found)), class_="reasons")
    content = joined([big, tag("ul", *_cards(found), class_="cards"), tag("h3", "Why"), reasons])
    return Section("answer", "Recommended setting", content, kind="answer")


def snippet_section(contents: Contents) -> Section | None:
    """
    Build the section with the text to paste.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        None without a recommendation.
    """
    if contents.found is None:
        return None
    parts = [
        tag("div", tag("h3", _AGENTS[agent]), tag("pre", plain_text(contents.found.snippet(agent), 2000), tabindex="0"))
        for agent in get_args(Agent)
    ]
    return Section("configuration", "Configuration to paste", tag("div", *parts, class_="pair"))


def _cards(found: Recommendation) -> Iterator[Markup]:
    totals = found.totals
    spent = f"{count(totals.spent_tokens)} of {count(totals.input_tokens)} input tokens tell the time"
    yield _card("Share of tokens", percent(totals.spent_tokens, totals.input_tokens), spent)
    quantile = f"{100 * found.limits.quantile:g} %"
    seeing = f"at most, at {quantile} of the steps that see a reading"
    yield _card(f"Staleness, {quantile}", duration(totals.staleness_ms), seeing)
    yield _card("Blind steps", count(totals.blind_steps), f"of {count(totals.steps)} steps see no reading")
    if found.resamples:
        low, high = format_interval(found.low_ms), format_interval(found.high_ms)
        spread = f"{low} to {high}" if low != high else low
        drawn = f"nine of ten choices, the sessions drawn again {count(found.resamples)} times"
        yield _card("How sure", spread, drawn)
    if totals.cost_usd is not None:
        priced = f"for {count(totals.sessions - totals.unpriced_sessions)} sessions with a price"
        yield _card("Whole bill", dollars_of(totals.cost_usd), priced)


def _card(name: str, value: str, note: str) -> Markup:
    return tag("li", tag("span", name, class_="name"), " ", tag("b", value), " ", tag("span", note))


def _reasons(contents: Contents, found: Recommendation) -> Iterator[str]:
    """Yield the reasons, without the sentences that name sessions where those are not to be named."""
    named = () if contents.names else tuple(f"{each.session} (" for each in found.outliers)
    for reason in found.reasons:
        if not any(each in reason for each in named):
            yield reason

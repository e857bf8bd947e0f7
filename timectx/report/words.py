"""Explain the words and the method of a report, so that it can be read without anything else."""

from __future__ import annotations

from typing import Final

from timectx.report.contents import Contents
from timectx.report.markup import Markup, joined, tag
from timectx.report.measures import BILL, FRESHNESS, SPENDING, TROUBLE, shown, words_of
from timectx.report.page import Section

__all__ = ["method_section", "words_section"]

_IDEAS: Final = {
    "reading": "a short message that tells the model the time; it stays until a compaction hides it",
    "refresh interval": "the least time between two readings; at every attempt where it is 0",
    "attempt": "the moment before a step when a reading may be added",
    "step": "one request to the model with its retries, and the tools it runs",
    "staleness": "at a step, the time since the newest reading that the model sees; 0 where it just got one",
    "age": "before a step, the time since the newest reading in the log, seen or not; it decides when one is due",
    "blind step": "a step at which the model sees no reading at all",
    "added, resent": "the tokens of readings when first sent, and in every later request that still holds them",
    "compaction": "older messages, readings among them, replaced by a summary",
    "front": "the settings that no other beats in both tokens and staleness",
    "knee": "the setting on the front from which a fresher one starts to cost more than it gains",
}

_METHOD: Final = (
    "Each session was replayed once for each setting: the readings it held were taken away, and those were added that "
    "the setting gives at the same moments. Nothing was sent to any model.",
    "Tokens are estimates by the meter named under “What went in”, unless it says otherwise; numbers that a provider "
    "reported are never added to estimates.",
    "Sums and shares are over all sessions, exact, with two digits of a percent shown and halves rounded up.",
    "Quantiles are nearest-rank: the smallest value that so many of the values do not exceed. Over several sessions "
    "staleness is rounded up to the next second below one minute, then to the next 5 seconds, minute, 10 minutes, "
    "hour or day; for a single session in its table it is exact.",
    "What a resumed or forked session took over from another one given here counts there alone.",
    "How sure a choice is was found by drawing the sessions again, with replacement, from a fixed seed: the same "
    "sessions give the same report, byte for byte.",
)


def words_section(contents: Contents) -> Section:
    """
    Build the section that explains words.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section
        The ideas, then each column of the tables.
    """
    measures = shown((*SPENDING, *FRESHNESS, *TROUBLE, *BILL), contents.totals)
    columns = _explained(dict(words_of(measures)))
    return Section("words", "Words", joined([_explained(_IDEAS), tag("h3", "Columns of the tables"), columns]))


def method_section() -> Section:
    """
    Build the section that explains the method.

    Returns
    -------
    Section
        In a few sentences.
    """
    return Section("method", "Method", tag("ul", *(tag("li", each) for each in _METHOD)))


def _explained(words: dict[str, str]) -> Markup:
    pairs = (tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in words.items())
    return tag("dl", *pairs, class_="words")

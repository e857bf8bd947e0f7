"""Say which measures a report shows, what it calls them, and how it writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from timectx.report.contents import Record
from timectx.report.numbers import count, dollars_of, duration, percent
from timectx.report.tables import Head
from timectx.results.columns import SWEEP, TOTALS

__all__ = [
    "BILL",
    "FRESHNESS",
    "OF_A_SESSION",
    "SHARE",
    "SPENDING",
    "TROUBLE",
    "Measure",
    "heads_of",
    "shown",
    "words_of",
]

_DESCRIPTIONS: Final = {column.name: column.description for column in (*SWEEP, *TOTALS)}


class Measure(Struct, frozen=True):
    """
    Name one measure.

    `column` is where its value comes from, `head` and `unit` stand above it, `write` writes the value of a
    row, `words` explains it, empty where the column's own description does. `always` is False for one that is
    left away where all rows hold 0 or nothing.
    """

    column: str
    head: str
    unit: str
    write: Callable[[Record], str]
    words: str = ""
    always: bool = True

    @property
    def description(self) -> str:
        """What it is, in a sentence."""
        return self.words or _DESCRIPTIONS[self.column]


def _count(column: str, head: str, unit: str = "", *, always: bool = True) -> Measure:
    return Measure(column, head, unit, lambda row: count(row[column]), always=always)


def _duration(column: str, head: str, unit: str = "") -> Measure:
    return Measure(column, head, unit, lambda row: duration(row[column]))


SHARE: Final = Measure(
    "spent_ratio",
    "share",
    "% of input",
    lambda row: percent(row["reading_tokens"] + row["resent_tokens"] + row["extra_tokens"], row["input_tokens"]),
    "tokens added, resent and sent in requests for a reading alone, as a share of all input tokens",
)

_READING_SHARE: Final = Measure(
    "reading_ratio",
    "share",
    "% of input",
    lambda row: percent(row["reading_tokens"] + row["resent_tokens"], row["input_tokens"]),
    "tokens added and resent as a share of all input tokens of the session",
)

SPENDING: Final = (
    _count("readings", "readings"),
    _count("reading_tokens", "added", "tokens"),
    _count("resent_tokens", "resent", "tokens"),
    _count("extra_tokens", "extra requests", "tokens", always=False),
    SHARE,
)

FRESHNESS: Final = (
    _duration("staleness_median_ms", "staleness", "median"),
    _duration("staleness_p95_ms", "staleness", "95 %"),
    _duration("staleness_max_ms", "staleness", "largest"),
    _count("blind_steps", "blind", "steps"),
)

_LONGEST: Final = (
    _count("longest_blind_steps", "longest blind", "steps"),
    _duration("longest_blind_ms", "longest blind", "time"),
)

OF_A_SESSION: Final = (
    _count("steps", "steps"),
    *SPENDING[:3],
    _count("input_tokens", "all input", "tokens"),
    _READING_SHARE,
    *FRESHNESS,
)

TROUBLE: Final = (
    _count("requests", "requests"),
    _count("input_tokens", "all input", "tokens"),
    *_LONGEST,
    Measure(
        "unavailable_ratio",
        "no elapsed",
        "% of readings",
        lambda row: percent(row["unavailable_readings"], row["readings"]),
        "readings whose elapsed time reads unavailable, as a share of all readings",
    ),
    _count("zone_mismatch_steps", "other zone", "steps"),
    _count("compactions", "compactions"),
    _count("compaction_input_tokens", "summaries, in", "tokens", always=False),
    _count("compaction_output_tokens", "summaries, out", "tokens", always=False),
    _count("peak_surface_tokens", "peak surface", "tokens"),
    _count("peak_pressure_tokens", "peak pressure", "tokens", always=False),
)

BILL: Final = (
    _count("cached_input_tokens", "cached input", "tokens"),
    _count("written_input_tokens", "written input", "tokens"),
    _count("uncached_input_tokens", "uncached input", "tokens"),
    _count("output_tokens", "output", "tokens"),
    Measure("cost_usd", "bill", "USD", lambda row: dollars_of(row["cost_usd"])),
    _count("unpriced_tokens", "without a price", "tokens"),
)


def shown(measures: Iterable[Measure], rows: Sequence[Record]) -> list[Measure]:
    """
    Return the measures that say something about some rows.

    Parameters
    ----------
    measures : iterable of Measure
        Those to choose from.
    rows : sequence of dict
        Rows of a table.

    Returns
    -------
    list of Measure
        Without those that the table lacks, or that may be left away and hold nothing.
    """
    return [
        each
        for each in measures
        if all(each.column in row for row in rows) and (each.always or any(row[each.column] for row in rows))
    ]


def heads_of(measures: Iterable[Measure]) -> list[Head]:
    """
    Return the heads of columns.

    Parameters
    ----------
    measures : iterable of Measure
        What the columns hold.

    Returns
    -------
    list of Head
        One each; that of the share draws it, too.
    """
    return [Head(each.head, each.unit, bar=each is SHARE) for each in measures]


def words_of(measures: Iterable[Measure]) -> list[tuple[str, str]]:
    """
    Explain measures.

    Parameters
    ----------
    measures : iterable of Measure
        Any.

    Returns
    -------
    list of tuple
        Name and meaning, once for each measure.
    """
    named = {f"{each.head}, {each.unit}" if each.unit else each.head: each.description for each in measures}
    return list(named.items())

"""Compare all settings: what each takes, how fresh it keeps readings, and how it stands against the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from timectx.plots import Palette, plot_staleness, plot_tradeoff
from timectx.report.contents import Contents, Record, setting_words
from timectx.report.figures import figure
from timectx.report.markup import Markup, joined, tag
from timectx.report.measures import BILL, FRESHNESS, SHARE, SPENDING, TROUBLE, Measure, heads_of, shown
from timectx.report.numbers import count, duration, percent
from timectx.report.page import Section
from timectx.report.tables import Head, Row, table
from timectx.sweep.labels import AS_RECORDED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["settings_section", "staleness_section", "standing", "tradeoff_section"]

_MOST_LINES: Final = 6


def tradeoff_section(contents: Contents) -> Section:
    """
    Build the section with the figure that the answer is read from.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section
        The trade-off of all settings.
    """

    def draw(palette: Palette) -> Axes:
        return plot_tradeoff(contents.frame, recommendation=contents.found, palette=palette)

    seen = [
        f"{setting_words(row['scenario'])}: {SHARE.write(row)} of all tokens, staleness {duration(row['staleness_ms'])}"
        for row in contents.totals
        if row["staleness_ms"] is not None
    ]
    caption = (
        "Each point is a setting; further down costs less, further left is fresher. Settings on the line are beaten "
        "by no other in both. Up to one second the axis is even, beyond it each tick is a multiple of the one before."
    )
    about = "Share of tokens against staleness. " + "; ".join(seen[:40]) + "."
    return Section("tradeoff", "What freshness costs", figure("tradeoff-figure", draw, about, caption))


def settings_section(contents: Contents) -> Section:
    """
    Build the section with a row for each setting.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section
        Spending and freshness in one table, everything else in another.
    """
    rows = contents.totals
    sessions = f"{count(max((row['sessions'] for row in rows), default=0))} sessions"
    first = _table(contents, "settings", f"Tokens and freshness over {sessions}", (*SPENDING, *FRESHNESS), first=True)
    second = _table(contents, "details", f"Further measures over {sessions}", TROUBLE)
    third = _table(contents, "bill", f"What a provider would bill over {sessions}", BILL)
    parts = [first, second, third]
    recorded = next((row for row in rows if row["scenario"] == AS_RECORDED), None)
    if recorded is not None:
        said = "As recorded: whatever setting explains the readings of each session that holds some"
        parts.append(tag("p", f"{said}, {count(recorded['sessions'])} of them.", class_="soft"))
    return Section("settings", "All settings", joined(parts))


def staleness_section(contents: Contents) -> Section | None:
    """
    Build the section with the distribution of staleness.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        Of the choice, its neighbours, the ends of the front and what was recorded; None where the sweep
        has no counts.
    """
    wanted = _compared(contents)
    frame = contents.frame
    if "staleness_counts" not in frame.columns or not wanted:
        return None
    picked = frame[frame["scenario"].isin(wanted)]

    def draw(palette: Palette) -> Axes:
        return plot_staleness(picked, palette=palette)

    seen = [_in_words(row) for row in contents.totals if row["scenario"] in wanted]
    caption = (
        "A line shows which share of all steps sees a reading that is at most so old. Where it ends below 100 %, the "
        "rest sees none."
    )
    about = "Share of steps by staleness. " + "; ".join(seen) + "."
    return Section("staleness", "How stale readings get", figure("staleness-figure", draw, about, caption))


def standing(contents: Contents, scenario: str) -> str:
    """
    Say how a setting stands against the others.

    Parameters
    ----------
    contents : Contents
        What the report lays out.
    scenario : str
        The setting, as the sweep calls it.

    Returns
    -------
    str
        ``recommended``, ``front``, ``set aside``, ``beaten``, ``today``, or nothing without a recommendation.
    """
    found = contents.found
    if scenario == AS_RECORDED:
        return "today"
    if found is None:
        return ""
    if scenario == found.scenario:
        return "recommended"
    if scenario in found.set_aside:
        return "set aside"
    return "front" if any(scenario == each.scenario for each in found.front) else "beaten"


def _table(contents: Contents, name: str, caption: str, measures: Sequence[Measure], *, first: bool = False) -> Markup:
    rows = contents.totals
    columns = shown(measures, rows)
    stands = [Head("standing", align="text")] if first and contents.found else []
    heads = [Head("setting", align="text"), *stands, *heads_of(columns)]
    return table(name, caption, heads, (_row(contents, row, columns, bool(stands)) for row in rows))


def _row(contents: Contents, row: Record, columns: Sequence[Measure], first: bool) -> Row:
    stands = standing(contents, row["scenario"])
    kinds = {"recommended": "chosen", "today": "today", "beaten": "beaten", "set aside": "beaten"}
    most = max(each["spent_ratio"] for each in contents.totals) or 1
    begin = 2 if first else 1
    shares = {at: 100 * row["spent_ratio"] / most for at, each in enumerate(columns, begin) if each is SHARE}
    place = [_badge(stands)] if first else []
    cells = [setting_words(row["scenario"]), *place, *(each.write(row) for each in columns)]
    return Row(cells, kinds.get(stands, ""), shares)


def _badge(stands: str) -> str:
    kinds = {"recommended": "mark", "today": "mark third"}
    return tag("span", stands, class_=kinds[stands]) if stands in kinds else stands


def _in_words(row: Record) -> str:
    median, p95 = duration(row["staleness_median_ms"]), duration(row["staleness_p95_ms"])
    blind = percent(row["blind_steps"], row["steps"])
    return f"{setting_words(row['scenario'])}: median {median}, 95 % {p95}, {blind} blind"


def _compared(contents: Contents) -> list[str]:
    found = contents.found
    known = [row["scenario"] for row in contents.totals if row["staleness_ms"] is not None]
    if found is None:
        wanted = [each for each in known if each != AS_RECORDED][: _MOST_LINES - 1]
    else:
        ends = [found.front[0].scenario, found.front[-1].scenario]
        wanted = [found.scenario, *(each.totals.scenario for each in found.neighbours), *ends]
    return [each for each in dict.fromkeys([*wanted, AS_RECORDED]) if each in known][:_MOST_LINES]

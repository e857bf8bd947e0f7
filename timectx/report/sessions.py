"""Show what the choice means for each session, which of them stand out, and one of them from inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from timectx.plots import Palette, plot_growth, plot_staleness
from timectx.report.contents import Contents, Record, setting_words
from timectx.report.figures import figure
from timectx.report.markup import Markup, joined, plain_text, tag
from timectx.report.measures import OF_A_SESSION, heads_of, shown
from timectx.report.numbers import count, duration, percent_of
from timectx.report.page import Section
from timectx.report.tables import Head, Row, table
from timectx.sweep.advice.recommendation import Outlier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_SESSIONS", "inside_section", "sessions_section"]

MOST_SESSIONS: Final = 200
"""How many sessions a report lists; the rest is in the table that the sweep can be written to."""

_STANDS_OUT: Final = {
    "staleness_ms": "staleness",
    "spent_ratio": "share of tokens",
    "blind_ratio": "share of blind steps",
}
_WHY: Final = {"limit": "beyond a limit", "far": "far from the other sessions"}


def sessions_section(contents: Contents) -> Section | None:
    """
    Build the section with a row for each session.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        Under the recommended setting, else under the first; None without any session.
    """
    scenario = contents.chosen or next((row["scenario"] for row in contents.totals), None)
    rows = [row for row in contents.rows if row["scenario"] == scenario]
    if scenario is None or not rows:
        return None
    parts = [_outliers(contents)] if contents.found and contents.found.outliers else []
    parts.append(_table(contents, setting_words(scenario), rows))
    if len(rows) > MOST_SESSIONS:
        parts.append(tag("p", f"{count(len(rows) - MOST_SESSIONS)} more sessions are not listed.", class_="soft"))
    return Section("sessions", "Each session", joined(parts))


def inside_section(contents: Contents) -> Section | None:
    """
    Build the section that shows one session from inside.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        Growth and staleness of the runs given; None without any.
    """
    called = contents.called
    runs = [replace(run, session_id=called.get(run.session_id, "a session")) for run in contents.runs if run.steps]
    if not runs:
        return None
    who = ", ".join(dict.fromkeys(run.session_id for run in runs))
    steps = count(max(len(run.steps) for run in runs))

    def draw_growth(palette: Palette) -> Axes:
        return plot_growth(runs[0] if len(runs) == 1 else runs, palette=palette)

    def draw_staleness(palette: Palette) -> Axes:
        return plot_staleness(runs[0] if len(runs) == 1 else runs, over="steps", palette=palette)

    growth = "Tokens of each request, step by step; a dotted line is a compaction, which hides older messages."
    stale = (
        "Each point is a step, each line a reading that ages until the next one. Shaded steps see no reading: a "
        "compaction hid it, or there has been none yet."
    )
    parts = [
        tag("p", f"{who}, {steps} steps.", class_="soft"),
        figure("growth-figure", draw_growth, f"Tokens in the requests of {who} over {steps} steps.", growth),
        figure("inside-figure", draw_staleness, f"Staleness at the steps of {who}.", stale),
    ]
    return Section("inside", "One session from inside", joined(parts))


def _table(contents: Contents, setting: str, rows: list[Record]) -> Markup:
    columns = shown(OF_A_SESSION, rows)
    recorded = {each["session"]: each["explanation"].partition(" (")[0] for each in contents.said("as_recorded") or ()}
    heads = [Head("session", align="text"), *heads_of(columns)]
    if recorded:
        heads.append(Head("as recorded", align="short"))
    if contents.names:
        heads.append(Head("file", align="long"))
    listed = []
    for row in rows[:MOST_SESSIONS]:
        cells = [contents.called[row["session"]], *(each.write(row) for each in columns)]
        cells += [plain_text(recorded.get(row["session"], "no readings"))] if recorded else []
        cells += [plain_text(row["path"] or "")] if contents.names else []
        listed.append(Row(cells))
    return table(
        "session-rows", f"Each session under {setting}; quantiles here are exact, not rounded up", heads, listed
    )


def _outliers(contents: Contents) -> Markup:
    heads = [
        Head("session", align="text"),
        Head("what", align="text"),
        Head("value"),
        Head("bound"),
        Head("why", align="text"),
    ]
    found = contents.found.outliers if contents.found else ()
    caption = f"Sessions that stand out under the recommended setting: {count(len(found))}"
    return table("outliers", caption, heads, _outlier_rows(contents, found))


def _outlier_rows(contents: Contents, outliers: tuple[Outlier, ...]) -> Iterator[Row]:
    for each in outliers[:MOST_SESSIONS]:
        name = contents.called.get(each.session, "a session")
        yield Row(
            [name, _STANDS_OUT[each.measure], _amount(each, each.value), _amount(each, each.bound), _WHY[each.why]]
        )


def _amount(outlier: Outlier, value: float) -> str:
    return duration(round(value)) if outlier.measure == "staleness_ms" else percent_of(value)

"""Write a report: one page that holds everything it shows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from timectx.report.answer import answer_section, snippet_section
from timectx.report.choice import choice_section, today_section
from timectx.report.contents import Contents, records
from timectx.report.inputs import inputs_section, prices_section, problems_section, versions_section
from timectx.report.markup import plain_text
from timectx.report.numbers import count
from timectx.report.page import page
from timectx.report.sessions import inside_section, sessions_section
from timectx.report.settings import settings_section, staleness_section, tradeoff_section
from timectx.report.words import method_section, words_section
from timectx.sweep import totals_frame

if TYPE_CHECKING:
    from pandas import DataFrame

    from timectx.cost.entries import PriceEntry
    from timectx.replay import Run, Scenario
    from timectx.sweep.advice.recommendation import Recommendation

__all__ = ["report_html", "write_report"]


def write_report(
    path: str | os.PathLike[str],
    frame: DataFrame,
    recommendation: Recommendation | None,
    *,
    names: bool = False,
    refusal: str = "",
    scenarios: Sequence[Scenario | str] = (),
    inputs: Mapping[str, str] | None = None,
    prices: Iterable[PriceEntry] = (),
    runs: Iterable[Run] = (),
) -> None:
    """
    Write a page on what each setting costs and buys.

    Parameters
    ----------
    path : str or path-like
        The file; one that is there is replaced.
    frame : DataFrame
        A sweep, as `timectx.sweep_sessions` returns it.
    recommendation : Recommendation or None
        What `timectx.tune` made of it; None where there is none.
    names : bool, optional
        Whether the page names sessions and files. By default they are session 1, session 2 and so on.
    refusal : str, optional
        Why there is no recommendation.
    scenarios : sequence of Scenario or str, optional
        Those of the sweep; the recommended one is shown as the file that sets it.
    inputs : Mapping of str to str, optional
        What else decided on the numbers, such as filters, by its name.
    prices : iterable of PriceEntry, optional
        What tokens were billed by.
    runs : iterable of Run, optional
        One session from inside: its run under the recommended setting, or under several.

    Raises
    ------
    FrameError
        If the frame is no sweep.
    OSError
        If the file cannot be written.

    Notes
    -----
    The page loads nothing and runs nothing: figures are inside, and a policy in its head forbids the rest. It
    holds no clock and no path of its own, so the same arguments give the same bytes. Text from sessions is escaped
    and bounded.
    """
    text = report_html(
        frame,
        recommendation,
        names=names,
        refusal=refusal,
        scenarios=scenarios,
        inputs=inputs,
        prices=prices,
        runs=runs,
    )
    Path(path).write_text(text, encoding="utf-8", newline="\n")


def report_html(
    frame: DataFrame,
    recommendation: Recommendation | None,
    *,
    names: bool = False,
    refusal: str = "",
    scenarios: Sequence[Scenario | str] = (),
    inputs: Mapping[str, str] | None = None,
    prices: Iterable[PriceEntry] = (),
    runs: Iterable[Run] = (),
) -> str:
    """
    Return the page that `write_report` writes.

    Parameters
    ----------
    frame : DataFrame
        A sweep, as `timectx.sweep_sessions` returns it.
    recommendation : Recommendation or None
        What `timectx.tune` made of it; None where there is none.
    names, refusal, scenarios, inputs, prices, runs : object
        As `write_report` takes them.

    Returns
    -------
    str
        A whole HTML document.

    Raises
    ------
    FrameError
        If the frame is no sweep.
    """
    quantile = recommendation.limits.quantile if recommendation else 0.95
    rows = records(frame)
    contents = Contents(
        frame=frame,
        rows=rows,
        totals=records(totals_frame(frame, quantile)),
        found=recommendation,
        refusal=refusal,
        called=_called([row["session"] for row in rows], names),
        names=names,
        scenarios=scenarios,
        inputs=inputs or {},
        prices=tuple(prices),
        runs=tuple(runs),
    )
    sections = (
        *(answer_section(contents), tradeoff_section(contents), snippet_section(contents)),
        *(settings_section(contents), choice_section(contents), today_section(contents)),
        *(staleness_section(contents), inside_section(contents), sessions_section(contents)),
        *(inputs_section(contents), problems_section(contents), prices_section(contents)),
        *(words_section(contents), method_section(), versions_section(contents)),
    )
    return page("Which refresh interval?", _lead(contents), [each for each in sections if each is not None])


def _called(sessions: Iterable[str], names: bool) -> dict[str, str]:
    """Give each session the name it is shown by: its own, or a number."""
    different = dict.fromkeys(sessions)
    return {each: plain_text(each, 80) if names else f"session {at:,}" for at, each in enumerate(different, 1)}


def _lead(contents: Contents) -> str:
    sessions = len(contents.called)
    noun = "session" if sessions == 1 else "sessions"
    steps = max((row["steps"] for row in contents.totals), default=0)
    return (
        f"What it takes to tell a model the time, and how stale it lets the time get, over {count(sessions)} {noun} "
        f"with {count(steps)} steps."
    )

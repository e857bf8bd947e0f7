"""Show a recommendation in a notebook: as HTML and as Markdown, every text of a session escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from timectx.sweep.advice.totals import Totals
from timectx.sweep.advice.wording import duration, percent

__all__ = ["as_html", "as_markdown"]

_HEADS: Final = ("setting", "readings", "tokens", "share", "staleness", "blind steps", "USD")
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$&])")


def as_html(scenario: str, front: Sequence[Totals], reasons: Sequence[str]) -> str:
    """
    Return a recommendation as HTML.

    Parameters
    ----------
    scenario : str
        The choice.
    front : sequence of Totals
        The front, freshest first.
    reasons : sequence of str
        Sentences.

    Returns
    -------
    str
        One element, without scripts, styles or links; its text is no mathematics to a notebook.
    """
    rows = "".join(_row(cells, "td", cells[0] == scenario) for cells in _cells(front))
    said = "".join(f"<li>{html.escape(each)}</li>" for each in reasons)
    return (
        '<div class="tex2jax_ignore mathjax_ignore">'
        f"<p>Recommended: <strong>{html.escape(scenario)}</strong></p><ul>{said}</ul>"
        f"<table><thead>{_row(_HEADS, 'th', False)}</thead><tbody>{rows}</tbody></table></div>"
    )


def as_markdown(scenario: str, front: Sequence[Totals], reasons: Sequence[str]) -> str:
    """
    Return a recommendation as Markdown.

    Parameters
    ----------
    scenario : str
        The choice.
    front : sequence of Totals
        The front, freshest first.
    reasons : sequence of str
        Sentences.

    Returns
    -------
    str
        A heading line, a list and a table; marks in the texts are escaped.
    """
    lines = [f"Recommended: **{_plain(scenario)}**", "", *(f"- {_plain(each)}" for each in reasons), ""]
    lines += [_line(_HEADS, str), _line(["---"] * len(_HEADS), str)]
    lines += [_line(cells, _plain) for cells in _cells(front)]
    return "\n".join(lines) + "\n"


def _cells(front: Sequence[Totals]) -> Iterator[tuple[str, ...]]:
    for each in front:
        yield (
            each.scenario,
            f"{each.readings:,}",
            f"{each.spent_tokens:,}",
            percent(each.spent_ratio),
            duration(each.staleness_ms),
            f"{each.blind_steps:,}",
            "-" if each.cost_usd is None else f"{each.cost_usd:,.4f}",
        )


def _row(cells: Sequence[str], tag: str, chosen: bool) -> str:
    inner = "".join(f"<{tag}>{html.escape(each)}</{tag}>" for each in cells)
    return f'<tr aria-selected="true">{inner}</tr>' if chosen else f"<tr>{inner}</tr>"


def _line(cells: Sequence[str], shown: Callable[[str], str]) -> str:
    return "| " + " | ".join(map(shown, cells)) + " |"


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))

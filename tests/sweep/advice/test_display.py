"""Test that a recommendation shows itself, and that no text of a session reaches a page as it is."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.sweep.advice.frames import CURVE, sweep
from timectx.sweep.advice.tuning import tune

EVIL = "<img src=x onerror=alert(1)> **a** [b](c) $x$ | `d`"


class Tags(HTMLParser):
    """Collect the tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, _: object) -> None:
        """Keep one."""
        self.tags.add(tag)


def test_a_recommendation_shows_as_text() -> None:
    """One line for whoever prints it by itself, all reasons as text."""
    found = tune(sweep(*CURVE))
    assert repr(found) == "<Recommendation 5m: low 5m, high 5m, front of 5>"
    assert str(found).splitlines()[:2] == ["Recommended: 5m", f"  {found.reasons[0]}"]
    assert len(str(found).splitlines()) == 1 + len(found.reasons)


def test_names_are_escaped_in_html() -> None:
    """A session or a setting called by markup is text, and dollars are no mathematics."""
    rows = [{**each, "session": f"{EVIL}{at}", "scenario": EVIL} for at in range(6) for each in CURVE[1:2]]
    rows[5] = {**rows[5], "reading_tokens": 900_000}
    found = tune(sweep(*rows))
    page = found._repr_html_()
    assert found.outliers
    assert EVIL in " ".join(found.reasons)
    assert Tags(page).tags == {"div", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.startswith('<div class="tex2jax_ignore mathjax_ignore">')


def test_names_are_escaped_in_markdown() -> None:
    """Marks lose their meaning, and a table keeps its columns."""
    text = tune(sweep(*({**each, "scenario": EVIL} for each in CURVE[1:2])))._repr_markdown_()
    assert r"\<img src=x onerror=alert\(1\)\> \*\*a\*\* \[b\]\(c\) \$x\$ \| \`d\`" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert [line.replace(r"\|", "").count("|") for line in rows] == [8] * len(rows)


def test_the_front_is_a_table_in_both() -> None:
    """Each setting of the front has its row, the choice is marked."""
    found = tune(sweep(*CURVE))
    assert found._repr_html_().count("<tr") == 1 + len(found.front)
    assert '<tr aria-selected="true"><td>5m</td><td>1</td><td>30,000</td><td>3.0 %</td>' in found._repr_html_()
    assert r"| 5m | 1 | 30,000 | 3\.0 % | 4m 40s | 0 | \- |" in found._repr_markdown_()
    assert found.front_frame()["scenario"].tolist() == ["0", "1m", "5m", "10m", "1h"]

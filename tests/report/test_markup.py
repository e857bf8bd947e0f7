"""Text from elsewhere never becomes markup, steers nothing and is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.report.markup import Markup, joined, plain_text, tag

HOSTILE = '<script>alert("1")</script>\' onload=x &amp;'


def test_text_is_escaped_wherever_it_stands() -> None:
    """In content and in attributes, whichever quotes it holds."""
    escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#x27; onload=x &amp;amp;"
    assert tag("p", HOSTILE, title=HOSTILE) == f'<p title="{escaped}">{escaped}</p>'
    assert joined(["<", Markup("<br>")], "&") == "&lt;&amp;<br>"


@given(st.text())
def test_nothing_in_a_text_opens_or_ends_an_element(text: str) -> None:
    """Whatever the text, the element around it is the only one."""
    made = tag("p", plain_text(text), title=plain_text(text))
    assert made.count("<") == made.count(">") == 2
    assert made.count('"') == 2


@given(st.text(max_size=2000))
def test_a_shown_text_is_bounded_and_visible(text: str) -> None:
    """No control, no mark of direction and no lone surrogate is left, and no text is endless."""
    shown = plain_text(text, longest=50)
    assert len(shown) <= 50 * len("\\U0001f600")
    assert all(char.isprintable() or char in "\n" or char.isspace() for char in shown)
    shown.encode("utf-8")


@pytest.mark.parametrize(("length", "shown"), [(9, 9), (10, 9), (10_000_000, 9)])
def test_a_long_text_loses_its_middle(length: int, shown: int) -> None:
    """Beginning and end stay, and together they keep to the bound."""
    assert len(plain_text("x" * length, longest=9)) == shown

"""Put sections into one page that loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from msgspec import Struct

from timectx.report.markup import Markup, joined, tag

__all__ = ["Section", "facts", "page"]

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""What a browser may load for this page: nothing but what is in it."""


class Section(Struct, frozen=True):
    """Hold a part of a page: its id, its heading, its content, and the class that sets it apart, if any."""

    name: str
    heading: str
    content: Markup
    kind: str = ""


def page(title: str, lead: str, sections: Sequence[Section]) -> Markup:
    """
    Build a page.

    Parameters
    ----------
    title : str
        What it is about.
    lead : str
        One sentence below the title.
    sections : sequence of Section
        Its parts in order; the list of contents names them.

    Returns
    -------
    Markup
        A whole HTML document.
    """
    style = files("timectx.report").joinpath("style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("meta", name_="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    top = tag("header", tag("p", "timectx report", class_="eyebrow"), tag("h1", title), tag("p", lead, class_="lead"))
    main = tag("main", top, _contents(sections), *map(_section, sections))
    return Markup(f"<!DOCTYPE html>\n{tag('html', head, tag('body', main), lang='en')}\n")


def facts(pairs: Sequence[tuple[str, str]]) -> Markup:
    """
    Build a list of names and what they stand for.

    Parameters
    ----------
    pairs : sequence of tuple
        Name and value.

    Returns
    -------
    Markup
        The list.
    """
    return tag("dl", *(joined([tag("dt", name), tag("dd", value)]) for name, value in pairs), class_="facts")


def _contents(sections: Sequence[Section]) -> Markup:
    links = (tag("li", tag("a", each.heading, href=f"#{each.name}")) for each in sections)
    return tag("nav", tag("ul", *links), aria_label="Contents")


def _section(section: Section) -> Markup:
    heading = tag("h2", section.heading, id=f"{section.name}-heading")
    labels = {"aria_labelledby": f"{section.name}-heading"}
    return tag("section", heading, section.content, id=section.name, class_=section.kind or None, **labels)

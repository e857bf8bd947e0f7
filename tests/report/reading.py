"""Read a report the way a person copies it out: tables by their names, and everything that could load something."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"br", "hr", "img", "meta", "source"}


class Page(HTMLParser):
    """
    Take a page apart.

    `tables` holds rows by the id of their table, each a dict of cells by column; a column is its name and, where it
    has one, its unit. `attributes` are those of all elements; `texts` is what can be read, `open` the elements not
    closed.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[dict[str, str]]] = {}
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.tags: list[str] = []
        self._table = ""
        self._heads: list[str] = []
        self._cells: list[str] = []
        self._in_head = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element, and begin a table, a row or a cell."""
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self._table = dict(attrs)["id"] or ""
            self.tables[self._table], self._heads = [], []
        elif tag == "tr":
            self._cells = []
        elif tag in ("td", "th"):
            self._cells.append("")
        elif tag == "small":
            self._cells[-1] += ", "
        elif tag == "thead":
            self._in_head = True

    def handle_endtag(self, tag: str) -> None:
        """Check that elements are closed in order, and end a row."""
        assert self.open.pop() == tag
        if tag == "thead":
            self._in_head = False
        elif tag == "tr" and self._in_head:
            self._heads = self._cells
        elif tag == "tr":
            self.tables[self._table].append(dict(zip(self._heads, self._cells, strict=True)))

    def handle_data(self, data: str) -> None:
        """Note what can be read, and put it into its cell."""
        if self.open and self.open[-1] == "style":
            return
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self._cells[-1] += data

    def text(self) -> str:
        """Return everything that can be read."""
        return "\n".join(self.texts)

"""Say what went into a report: sessions, settings, prices, what was wrong with files, and with which versions."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from timectx.cost.entries import PriceEntry
from timectx.errors import ScenarioError
from timectx.replay import Scenario
from timectx.report.contents import Contents, setting_words
from timectx.report.markup import Markup, joined, plain_text, tag
from timectx.report.numbers import count
from timectx.report.page import Section, facts
from timectx.report.tables import Head, Row, table
from timectx.sweep.labels import AS_RECORDED, scenario_labels

__all__ = ["inputs_section", "prices_section", "problems_section", "versions_section"]

_MOST_FILES: Final = 200
_UNIT: Final = ", USD per 1M tokens: "
_LONGEST_TOML: Final = 20_000


def inputs_section(contents: Contents) -> Section:
    """
    Build the section on what was measured.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section
        Counts of files and sessions, filters, and the scenario as a file would hold it.
    """
    parts = [facts(list(_counts(contents)))]
    if contents.scenarios:
        parts += _scenario(contents)
    return Section("inputs", "What went in", joined(parts))


def problems_section(contents: Contents) -> Section | None:
    """
    Build the section on what was wrong with files.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        A row for each file and kind of problem; None where there was none.
    """
    problems: Sequence[dict[str, Any]] = contents.said("problems") or ()
    if not problems:
        return None
    heads = [Head("file", align="text"), Head("what", align="text"), Head("times"), Head("used", align="text")]
    if contents.names:
        heads.append(Head("first message", align="long"))
    files = {path: at for at, path in enumerate(dict.fromkeys(each["path"] for each in problems), 1)}
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for each in problems:
        grouped.setdefault((each["path"], each["kind"]), []).append(each)
    rows = []
    for (path, kind), those in list(grouped.items())[:_MOST_FILES]:
        used = "no" if any(each["refused"] for each in those) or kind == "copy" else "yes"
        cells = [
            plain_text(path) if contents.names else f"file {files[path]}",
            plain_text(kind, 60),
            count(len(those)),
            used,
        ]
        rows.append(Row([*cells, plain_text(those[0]["message"])] if contents.names else cells))
    parts = [table("problems", f"{_counted(len(problems), 'problem')} in {_counted(len(files), 'file')}", heads, rows)]
    if len(grouped) > _MOST_FILES:
        parts.append(tag("p", f"{count(len(grouped) - _MOST_FILES)} more rows are not listed.", class_="soft"))
    return Section("problems", "Problems with files", joined(parts))


def prices_section(contents: Contents) -> Section | None:
    """
    Build the section on what tokens were billed by.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section or None
        A row for each price entry; None where none was used.
    """
    if not contents.prices:
        return None
    heads = [
        Head("model", align="text"),
        Head("when", align="long"),
        Head("what, and the cache rule", "USD per million tokens", align="long"),
        Head("source", align="long"),
        Head("read on", align="short"),
    ]
    entries = dict.fromkeys(contents.prices)
    parts = [
        table("prices", f"Prices of the models that were asked: {count(len(entries))}", heads, map(_price, entries))
    ]
    parts.append(tag("p", "A model without an entry is not priced; its tokens are counted in a column of their own."))
    return Section("prices", "Prices", joined(parts))


def versions_section(contents: Contents) -> Section:
    """
    Build the section on what the numbers were made with.

    Parameters
    ----------
    contents : Contents
        What the report lays out.

    Returns
    -------
    Section
        Releases of timectx, the zone database, Python and the packages that compute.
    """
    said: dict[str, str] = contents.said("versions") or {}
    names = {"zone_database": "zone database (tzdata)"}
    pairs = [(names.get(name, name), plain_text(str(value))) for name, value in said.items()]
    known = {name for name, _ in pairs}
    pairs += [(name, _version(name)) for name in ("pandas", "numpy", "matplotlib") if name not in known]
    pairs += [("numba", _version("numba", "not compiled"))] if "numba" not in known else []
    pairs += [("Python", platform.python_version())] if "python" not in known else []
    return Section("versions", "Versions", facts(pairs))


def _counts(contents: Contents) -> Iterator[tuple[str, str]]:
    problems: Sequence[dict[str, Any]] = contents.said("problems") or ()
    kinds = Counter("copy" if each["kind"] == "copy" else "refused" for each in problems if _is_out(each))
    sessions = len(contents.called)
    empty = sum(1 for steps in _steps(contents).values() if not steps)
    yield "sessions measured", f"{count(sessions)}, {count(empty)} of them without any step"
    yield "files not used", f"{count(kinds['refused'])} could not be read, {count(kinds['copy'])} were copies of others"
    yield "sessions filtered out", count(contents.said("filtered") or 0)
    yield "settings compared", count(sum(row["scenario"] != AS_RECORDED for row in contents.totals))
    for name in ("edition", "compaction", "meter", "time_zone", "model", "zone_database"):
        values = dict.fromkeys(row[name] for row in contents.rows if row.get(name) is not None)
        if values:
            yield name.replace("_", " "), plain_text("; ".join(map(str, values)))
    for name, value in contents.inputs.items():
        yield plain_text(name), plain_text(value)


def _is_out(problem: dict[str, Any]) -> bool:
    return bool(problem["refused"]) or problem["kind"] == "copy"


def _steps(contents: Contents) -> dict[str, int]:
    return {row["session"]: row["steps"] for row in contents.rows}


def _scenario(contents: Contents) -> list[Markup]:
    """Show the recommended scenario whole, and name the others."""
    labels = scenario_labels(list(contents.scenarios))
    tried = {label: each for label, each in zip(labels, contents.scenarios, strict=True) if isinstance(each, Scenario)}
    name = contents.chosen if contents.chosen in tried else next(iter(tried), None)
    if name is None:
        return []
    others = ", ".join(setting_words(each) for each in tried if each != name)
    also = tag("p", "Also tried: ", plain_text(others, 4000), ".", class_="soft") if others else Markup("")
    toml = tag("pre", plain_text(_toml(tried[name]), _LONGEST_TOML), tabindex="0")
    return [tag("h3", f"The scenario {setting_words(name)} as a file"), toml, also]


def _toml(scenario: Scenario) -> str:
    try:
        return scenario.to_toml()
    except ScenarioError as error:  # a function of one's own, which no file can hold
        return f"# {error}"


def _price(entry: PriceEntry) -> Row:
    """Show an entry as it describes itself, its source apart."""
    name = f"{entry.provider} {entry.models[0]}"
    said = entry.describe().removesuffix(f"; {entry.source}, read on {entry.read_on}")
    period, _, rates = said.removeprefix(name).partition(_UNIT)
    return Row(
        [
            plain_text(name),
            period.strip() or "any time",
            plain_text(rates, 1000),
            plain_text(entry.source),
            entry.read_on,
        ]
    )


def _counted(number: int, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def _version(package: str, without: str = "not installed") -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return without

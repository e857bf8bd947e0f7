"""Measure one session under many scenarios: by its columns where they hold all of it, else replay by replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeAlias

from msgspec import Struct

from timectx.cost import PriceList
from timectx.replay import Scenario
from timectx.replay.counters import NamedCounter
from timectx.session import Session
from timectx.sweep.columns_of import columns_key
from timectx.sweep.replayed import replay_columns
from timectx.sweep.source import Source

__all__ = ["Measured", "Part", "joined_parts", "measure_source", "parts_of"]

_Rows: TypeAlias = Mapping[str, Sequence[Any]]


class Part(Struct, frozen=True):
    """
    Hold the scenarios that one set of columns is enough for, each with its place among all.

    `name` is what such columns are called in the cache; None where nothing names them for good, as with a counter of
    one's own.
    """

    name: str | None
    scenarios: list[tuple[int, Scenario]]


class Measured(Struct, frozen=True):
    """
    Hold the rows of some scenarios.

    `places` says which scenario each row is of, `whole` are the rows that count everything, `own` those that leave
    out what was taken over from another session, None where nothing was. `digest` is equal for copies.
    """

    places: tuple[int, ...]
    whole: list[_Rows]
    own: list[_Rows] | None
    digest: bytes


def parts_of(scenarios: Sequence[tuple[int, Scenario]]) -> list[Part]:
    """
    Sort scenarios by the columns they need.

    Parameters
    ----------
    scenarios : sequence of tuple
        Each with its place.

    Returns
    -------
    list of Part
        In the order in which they are first needed.

    Examples
    --------
    >>> parts = parts_of([(0, Scenario()), (1, Scenario(edition="note")), (2, Scenario(interval_ms=60_000))])
    >>> [[place for place, _ in part.scenarios] for part in parts]
    [[0, 2], [1]]
    """
    found: dict[tuple[str, int], Part] = {}
    for place, scenario in scenarios:
        own = None if isinstance(scenario.counter, NamedCounter) else scenario.counter
        said = repr(columns_key(scenario if own is None else scenario.replace(counter=None)))
        found.setdefault((said, id(own)), Part(None if own else said, [])).scenarios.append((place, scenario))
    return list(found.values())


def joined_parts(parts: Sequence[Part], more: Sequence[Part]) -> list[Part]:
    """
    Join scenarios that need the same columns.

    Parameters
    ----------
    parts, more : sequence of Part
        Each as `parts_of` returns them.

    Returns
    -------
    list of Part
        Those of the first, with what fits of the second, and the rest of it.

    Examples
    --------
    >>> one, other = parts_of([(0, Scenario())]), parts_of([(1, Scenario(interval_ms=60_000))])
    >>> [[place for place, _ in part.scenarios] for part in joined_parts(one, other)]
    [[0, 1]]
    """
    joined = {part.name or str(at): part for at, part in enumerate(parts)}
    for at, part in enumerate(more, len(parts)):
        same = joined.get(part.name or "")
        joined[part.name or str(at)] = Part(part.name, [*(same.scenarios if same else ()), *part.scenarios])
    return list(joined.values())


def measure_source(source: Source, parts: Sequence[Part], prices: PriceList | None = None) -> Measured:
    """
    Measure a session.

    Parameters
    ----------
    source : Source
        The session.
    parts : sequence of Part
        The scenarios.
    prices : PriceList, optional
        None = the list that comes with the package.

    Returns
    -------
    Measured
        A row for each scenario.
    """
    places: list[int] = []
    whole: list[_Rows] = []
    own: list[_Rows] = []
    digest = sha256()
    for part in parts:
        scenarios = [scenario for _, scenario in part.scenarios]
        columns, content = source.columns(scenarios[0], part.name)
        digest.update(_digest(source.session) if columns.unfit else content)
        whole.append(replay_columns(source.session, scenarios, prices=prices))
        if source.facts.parent is not None:
            seeded = _inherited(source.session)
            own.append(replay_columns(source.session, scenarios, inherited=seeded, prices=prices))
        places += [place for place, _ in part.scenarios]
    return Measured(tuple(places), whole, own if source.facts.parent is not None else None, digest.digest())


def _inherited(session: Session) -> Session:
    seeded = tuple(event for event in session.events if event.seq < (session.header.seed_length or 0))
    return replace(session, events=seeded, tail=None)


def _digest(session: Session) -> bytes:
    return sha256(repr((session.events, session.tail)).encode("utf-8", "surrogatepass")).digest()

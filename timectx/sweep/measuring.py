"""Measure one session under many scenarios, by whichever way is open to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from msgspec import Struct

from timectx.replay import Scenario
from timectx.session import Session
from timectx.sweep.replayed import replay_columns
from timectx.sweep.source import Source

__all__ = ["Measured", "measure_source"]


class Measured(Struct, frozen=True):
    """
    Hold the rows of some scenarios.

    `places` says which scenario each row is of, `whole` are the rows that count everything, `own` those that leave
    out what was taken over from another session, None where nothing was. `digest` is equal for copies.
    """

    places: tuple[int, ...]
    whole: list[Mapping[str, Sequence[Any]]]
    own: list[Mapping[str, Sequence[Any]]] | None
    digest: bytes


def measure_source(source: Source, scenarios: Sequence[tuple[int, Scenario]]) -> Measured:
    """
    Measure a session.

    Parameters
    ----------
    source : Source
        The session.
    scenarios : sequence of tuple
        Each with its place.

    Returns
    -------
    Measured
        A row for each scenario.
    """
    places = tuple(place for place, _ in scenarios)
    asked = [scenario for _, scenario in scenarios]
    whole = replay_columns(source.session, asked)
    own: list[Mapping[str, Sequence[Any]]] | None = None
    if source.facts.parent is not None:
        own = [replay_columns(source.session, asked, inherited=_inherited(source.session))]
    return Measured(places, [whole] if whole else [], own, _digest(source.session))


def _inherited(session: Session) -> Session:
    seeded = tuple(event for event in session.events if event.seq < (session.header.seed_length or 0))
    return replace(session, events=seeded, tail=None)


def _digest(session: Session) -> bytes:
    return sha256(repr((session.events, session.tail)).encode("utf-8", "surrogatepass")).digest()

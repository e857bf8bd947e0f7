"""Measure one session under many scenarios: by its columns where they hold all of it, else replay by replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import cache, cached_property
from hashlib import sha256
from itertools import takewhile
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from timectx.cost import PriceList
from timectx.replay import Scenario
from timectx.replay.counters import NamedCounter
from timectx.replay.deliveries import too_many_ticks
from timectx.session import Session
from timectx.sweep.flat.columns import ColumnFacts, Columns
from timectx.sweep.flat.columns_of import columns_key
from timectx.sweep.kernel.compiled import can_compile, compiled_kernel, is_compiled, is_kept
from timectx.sweep.kernel.lanes import Lanes, misfit, pack_lanes
from timectx.sweep.kernel.running import WORTH_COMPILING, run_columns
from timectx.sweep.replayed import replay_columns
from timectx.sweep.source import Source

__all__ = ["Measured", "Part", "measure_source", "parts_of"]

_Rows: TypeAlias = Mapping[str, Sequence[Any]]

_EMPTY: Final[dict[str, Any]] = dict.fromkeys(("models", "capacities", "sizes"), ())
_WORTH_MAKING: Final = 5_000_000
"""Attempts times scenarios from which on it pays to make machine code; loading what was made pays from far fewer."""


@dataclass(frozen=True, eq=False)
class Part:
    """
    Hold the scenarios that one set of columns is enough for, each with its place among all.

    `name` is what such columns are called in the cache; None where nothing names them for good, as with a counter of
    one's own.
    """

    name: str | None
    scenarios: list[tuple[int, Scenario]]

    @cached_property
    def lanes(self) -> Lanes:
        """The scenarios as a kernel takes them."""
        return pack_lanes([scenario for _, scenario in self.scenarios])

    def fits(self, facts: ColumnFacts) -> tuple[bool, ...]:
        """
        Tell which of the scenarios a kernel can replay.

        Parameters
        ----------
        facts : ColumnFacts
            Of a session's columns.

        Returns
        -------
        tuple of bool
            One each; found out once for all sessions of a sort.
        """
        far_ms = facts.forward_ms if any(self.refusals(facts).values()) else 0
        sort = replace(
            facts, session_id="", time_zone=None, scale=None, attempts=0, steps=0, forward_ms=far_ms, **_EMPTY
        )
        if sort not in self._fits:
            self._fits[sort] = tuple(not misfit(scenario, facts) for _, scenario in self.scenarios)
        return self._fits[sort]

    def refusals(self, facts: ColumnFacts) -> dict[int, str]:
        """
        Tell which of the scenarios cannot be replayed at all.

        Parameters
        ----------
        facts : ColumnFacts
            Of a session's columns.

        Returns
        -------
        dict of int to str
            Why, by place: the timers that would make too many readings, those with the shortest interval first.
        """
        told = ((place, too_many_ticks(facts.forward_ms, interval_ms)) for interval_ms, place in self._timers)
        return dict(takewhile(lambda each: each[1], told))

    @cached_property
    def _timers(self) -> list[tuple[int, int]]:
        timers = (each for each in self.scenarios if each[1].delivery == "timer")
        return sorted((scenario.interval, place) for place, scenario in timers)

    @cached_property
    def _fits(self) -> dict[ColumnFacts, tuple[bool, ...]]:
        return {}


class Measured(Struct, frozen=True):
    """
    Hold the rows of some scenarios.

    `places` says which scenario each row is of, `whole` are the rows that count everything, `own` those that leave
    out what was taken over from another session, None where nothing was. `digest` is equal for copies. `refused` says
    why scenarios have no row, by their places.
    """

    places: tuple[int, ...]
    whole: list[_Rows]
    own: list[_Rows] | None
    digest: bytes
    refused: dict[int, str]


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


def measure_source(
    source: Source, parts: Sequence[Part], prices: PriceList | None = None, *, alike: int = 1
) -> Measured:
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
    alike : int, optional
        How many sessions there are to measure in the same way, which decides whether it pays to compile the kernel.

    Returns
    -------
    Measured
        A row for each scenario that can be replayed.
    """
    session = _Measuring(source, prices, alike)
    for part in parts:
        session.measure(part)
    return session.measured()


class _Measuring:
    """Measure one session part by part."""

    def __init__(self, source: Source, prices: PriceList | None, alike: int) -> None:
        self.source, self.prices, self.alike = source, prices, alike
        self.is_fork = source.facts.parent is not None
        self.places: list[int] = []
        self.whole: list[_Rows] = []
        self.own: list[_Rows] = []
        self.digest = sha256()
        self.refused: dict[int, str] = {}

    def measure(self, part: Part) -> None:
        """Measure what one set of columns is enough for, and what it turns out not to be enough for."""
        columns, content = self.source.columns(part.scenarios[0][1], part.name)
        fits, refused = part.fits(columns.facts), part.refusals(columns.facts)
        self.refused |= refused
        self.digest.update(_digest(self.source.session) if columns.unfit else content)
        if all(fits):
            self._run(columns, part.lanes, part.scenarios)
            return
        whole = [each for each in zip(part.scenarios, fits, strict=True) if each[0][0] not in refused]
        fitting = [each for each, fit in whole if fit]
        if fitting:
            self._run(columns, pack_lanes([scenario for _, scenario in fitting]), fitting)
        self._replay([each for each, fit in whole if not fit])

    def measured(self) -> Measured:
        """Return what was measured."""
        own = self.own if self.is_fork else None
        return Measured(tuple(self.places), self.whole, own, self.digest.digest(), self.refused)

    def _run(self, columns: Columns, lanes: Lanes, scenarios: Sequence[tuple[int, Scenario]]) -> None:
        work = self.alike * len(scenarios) * columns.facts.attempts
        compiled = is_compiled() or (work >= _least_work() and _compiles())
        self.places += [place for place, _ in scenarios]
        self.whole.append(run_columns(columns, lanes, prices=self.prices, compiled=compiled))
        if not self.is_fork:
            return
        seq = self.source.facts.header.seed_length or 0
        if any(each >= seq for each in columns.lists["op_seq"]):
            self.own.append(run_columns(columns, lanes, counted_from=seq, prices=self.prices, compiled=compiled))
        else:  # it took everything over, so that counting never begins
            self._replay_own([scenario for _, scenario in scenarios])

    def _replay(self, scenarios: Sequence[tuple[int, Scenario]]) -> None:
        if not scenarios:
            return
        session, asked = self.source.session, [scenario for _, scenario in scenarios]
        self.places += [place for place, _ in scenarios]
        self.whole.append(replay_columns(session, asked, prices=self.prices))
        if self.is_fork:
            self._replay_own(asked)

    def _replay_own(self, asked: Sequence[Scenario]) -> None:
        session = self.source.session
        self.own.append(replay_columns(session, asked, inherited=_inherited(session), prices=self.prices))


@cache
def _least_work() -> int:
    return WORTH_COMPILING if is_kept() else _WORTH_MAKING


@cache
def _compiles() -> bool:
    """Tell whether numba is there and works, which one that is older than its NumPy does not."""
    if not can_compile():
        return False
    try:
        compiled_kernel()
    except Exception:  # it fails in many ways
        return False
    return True


def _inherited(session: Session) -> Session:
    seeded = tuple(event for event in session.events if event.seq < (session.header.seed_length or 0))
    return changed(session, events=seeded, tail=None)


def _digest(session: Session) -> bytes:
    return sha256(repr((session.events, session.tail)).encode("utf-8", "surrogatepass")).digest()

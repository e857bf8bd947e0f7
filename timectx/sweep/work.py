"""Measure a batch of sessions under every scenario: what a worker does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from timectx.cost import PriceList
from timectx.errors import FormatError, ScenarioError
from timectx.formats import FileProblem
from timectx.formats.folders import problem_of
from timectx.formats.report import one_line
from timectx.replay import Scenario
from timectx.sweep.cache.folder import CacheFolder, cache_root
from timectx.sweep.facts import SessionFacts
from timectx.sweep.given import Given
from timectx.sweep.labels import AS_RECORDED
from timectx.sweep.measuring import Measured, Part, measure_source, parts_of
from timectx.sweep.results import BatchResult, Outcome, Recorded, RowBuilder, scenario_cells
from timectx.sweep.source import EXPLANATION, Explained, Source

__all__ = ["Batch", "Plan", "measure_batch"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """
    Say what to do with each session; small, since it goes along with every batch.

    `scenarios` may hold ``as-recorded``. `cache` is True for the worker's own cache folder, a path for another, False
    for none. `keep` tells which sessions count, None = all. `prices` None is the list that comes with the package.
    `sessions` is how many there are in all. `recorded` are knobs that ``as-recorded`` does not take from the log.
    """

    scenarios: tuple[Scenario | str, ...]
    cache: bool | str = True
    storage_options: dict[str, Any] = field(default_factory=dict)
    keep: Callable[[SessionFacts], bool] | None = None
    prices: PriceList | None = None
    sessions: int = 1
    recorded: dict[str, Any] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Travel without what follows from the rest."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def parts(self) -> list[Part]:
        """The scenarios by the columns they need, ``as-recorded`` left out."""
        named = ((place, each) for place, each in enumerate(self.scenarios) if isinstance(each, Scenario))
        return parts_of(list(named))

    def recorded_part(self, explained: Explained) -> Part:
        """
        Return ``as-recorded`` with the columns it needs.

        Parameters
        ----------
        explained : Explained
            Of one session.

        Returns
        -------
        Part
            The same for all sessions that are explained alike.
        """
        if explained.toml not in self._recorded_parts:
            (part,) = parts_of([(self.scenarios.index(AS_RECORDED), explained.scenario)])
            self._recorded_parts[explained.toml] = part
        return self._recorded_parts[explained.toml]

    @cached_property
    def _recorded_parts(self) -> dict[str, Part]:
        return {}


class Batch(Struct, frozen=True):
    """Name sessions for one worker; those that could not even be found come along to keep their place."""

    plan: Plan
    items: list[Given | FileProblem]


def measure_batch(batch: Batch) -> BatchResult:
    """
    Measure some sessions under every scenario of a plan.

    Parameters
    ----------
    batch : Batch
        The plan and the sessions.

    Returns
    -------
    BatchResult
        An outcome each, in order. Nothing is raised: what is wrong with a session is in its outcome.
    """
    worker = _Worker(batch)
    return worker.rows.result([worker.outcome(item) for item in batch.items])


class _Worker:
    """Measure the sessions of one batch, one after another."""

    def __init__(self, batch: Batch) -> None:
        self.plan = batch.plan
        self.folder = _folder(batch.plan.cache)
        self.is_recorded_asked = AS_RECORDED in batch.plan.scenarios
        self.names = [part.name for part in batch.plan.parts if part.name is not None]
        self.names += [EXPLANATION] if self.is_recorded_asked else []
        self.rows = RowBuilder()

    def outcome(self, item: Given | FileProblem) -> Outcome:
        """Measure one session, and say what became of it."""
        if isinstance(item, FileProblem):
            return Outcome(path=item.path, problem=item)
        path = item.path or ""
        try:
            return self._measured(Source(item, self.folder, self.plan.storage_options, self.names))
        except FormatError as error:
            problem = problem_of(path, error)
        except Exception as error:  # one session must not end a sweep over thousands
            text = f"{path or 'a session'}: it could not be measured: {type(error).__name__}: {error}"
            problem = FileProblem(path, 0, getattr(error, "kind", "") or "not-measured", one_line(text))
        return Outcome(path=item.path, problem=problem)

    def _measured(self, source: Source) -> Outcome:
        path, facts = source.given.path, source.facts
        if self.plan.keep is not None and not self.plan.keep(facts):
            return Outcome(path=path)
        explained = self._explained(source)
        parts = self.plan.parts if explained is None else [*self.plan.parts, self.plan.recorded_part(explained)]
        measured = measure_source(source, parts, self.plan.prices, alike=self.plan.sessions)
        for rows in (*measured.whole, *(measured.own or ())):
            self.rows.add(rows)
        return Outcome(
            path=path,
            facts=facts.brief(),
            digest=measured.digest,
            scenarios=measured.places,
            refused=_refused(path or "a session in memory", measured),
            recorded=None if explained is None else _recorded(explained),
        )

    def _explained(self, source: Source) -> Explained | None:
        """Return what explains a session's readings, with the knobs that are taken from elsewhere."""
        explained = source.explained if self.is_recorded_asked else None
        if explained is None or not self.plan.recorded:
            return explained
        try:
            scenario = explained.scenario.replace(**self.plan.recorded)
        except ScenarioError:  # settings that the session's own edition does not have: it has no such row
            return None
        try:
            return replace(explained, scenario=scenario, toml=scenario.to_toml())
        except ScenarioError:  # a function of one's own fits into no text
            return replace(explained, scenario=scenario)


def _folder(cache: bool | str) -> CacheFolder | None:
    if cache is False:
        return None
    try:
        return CacheFolder(cache_root() if cache is True else Path(cache))
    except RuntimeError:  # there is no home to keep it in
        return None


def _refused(path: str, measured: Measured) -> FileProblem | None:
    """Return why scenarios have no row, in the words of the first and as one problem: what would do is the same."""
    if not measured.refused:
        return None
    text, more = next(iter(measured.refused.values())), len(measured.refused) - 1
    text += f" ({more} more of the scenarios would make too many)" if more else ""
    return FileProblem(path, 0, "timer", text if measured.places else one_line(f"{path}: {text}"))


def _recorded(explained: Explained) -> Recorded:
    return Recorded(explained.toml, explained.text, scenario_cells(explained.scenario))

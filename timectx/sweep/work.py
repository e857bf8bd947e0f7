"""Measure a batch of sessions under every scenario: what a worker does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from timectx.sweep.cache_folder import CacheFolder, cache_root
from timectx.sweep.facts import SessionFacts
from timectx.sweep.given import Given
from timectx.sweep.labels import AS_RECORDED
from timectx.sweep.measuring import Part, joined_parts, measure_source, parts_of
from timectx.sweep.results import BatchResult, Outcome, Recorded, RowBuilder, scenario_cells
from timectx.sweep.source import EXPLANATION, Explained, Source

__all__ = ["Batch", "Plan", "measure_batch"]


class Plan(Struct, frozen=True, kw_only=True):
    """
    Say what to do with each session; small, since it goes along with every batch.

    `scenarios` may hold ``as-recorded``. `cache` is True for the worker's own cache folder, a path for another, False
    for none. `keep` tells which sessions count, None = all. `prices` None is the list that comes with the package.
    `recorded` are knobs that ``as-recorded`` does not take from the log.
    """

    scenarios: tuple[Scenario | str, ...]
    cache: bool | str = True
    storage_options: dict[str, Any] = {}
    keep: Callable[[SessionFacts], bool] | None = None
    prices: PriceList | None = None
    recorded: dict[str, Any] = {}


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
    plan, rows = batch.plan, RowBuilder()
    folder, parts = _folder(plan.cache), parts_of(_named(plan.scenarios))
    outcomes = []
    for item in batch.items:
        if isinstance(item, FileProblem):
            outcomes.append(Outcome(path=item.path, problem=item))
        else:
            outcomes.append(_outcome(plan, item, folder, parts, rows))
    return rows.result(outcomes)


def _folder(cache: bool | str) -> CacheFolder | None:
    if cache is False:
        return None
    try:
        return CacheFolder(cache_root() if cache is True else Path(cache))
    except RuntimeError:  # nobody's home
        return None


def _outcome(plan: Plan, given: Given, folder: CacheFolder | None, parts: Sequence[Part], rows: RowBuilder) -> Outcome:
    path = given.path
    names = [part.name for part in parts if part.name is not None] + [EXPLANATION] * (AS_RECORDED in plan.scenarios)
    try:
        return _measured(plan, Source(given, folder, plan.storage_options, names), parts, rows)
    except FormatError as error:
        problem = problem_of(path or "", error)
    except Exception as error:  # one session must not end a sweep over thousands
        text = f"{path or 'a session'}: it could not be measured: {type(error).__name__}: {error}"
        problem = FileProblem(path or "", 0, getattr(error, "kind", "") or "not-measured", one_line(text))
    return Outcome(path=path, problem=problem)


def _measured(plan: Plan, source: Source, parts: Sequence[Part], rows: RowBuilder) -> Outcome:
    path = source.given.path
    if plan.keep is not None and not plan.keep(source.facts):
        return Outcome(path=path, facts=source.facts, kept=False)
    explained = _explained(plan, source)
    if explained is not None:
        parts = joined_parts(parts, parts_of([(plan.scenarios.index(AS_RECORDED), explained.scenario)]))
    measured = measure_source(source, parts, plan.prices)
    for part in (*measured.whole, *(measured.own or ())):
        rows.add(part)
    return Outcome(
        path=path,
        facts=source.facts,
        digest=measured.digest,
        scenarios=measured.places,
        recorded=None if explained is None else _recorded(explained),
    )


def _explained(plan: Plan, source: Source) -> Explained | None:
    explained = source.explained if AS_RECORDED in plan.scenarios else None
    if explained is None or not plan.recorded:
        return explained
    scenario = explained.scenario.replace(**plan.recorded)
    try:
        return replace(explained, scenario=scenario, toml=scenario.to_toml())
    except ScenarioError:  # a function of one's own fits into no text
        return replace(explained, scenario=scenario)


def _named(scenarios: Sequence[Scenario | str]) -> list[tuple[int, Scenario]]:
    return [(place, each) for place, each in enumerate(scenarios) if isinstance(each, Scenario)]


def _recorded(explained: Explained) -> Recorded:
    return Recorded(explained.toml, explained.text, scenario_cells(explained.scenario))

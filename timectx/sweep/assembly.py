"""Gather what comes back from a sweep's workers: which sessions count, which are copies, what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from timectx.formats import FileProblem
from timectx.reading import zone_database_release
from timectx.replay import Scenario
from timectx.sweep.facts import SessionFacts
from timectx.sweep.labels import scenario_labels
from timectx.sweep.results import BatchResult, Outcome
from timectx.sweep.sweep_frame import Placed, column_text, sweep_frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Assembly"]


class _Shared(list[Any]):
    """Hold what frames share: pandas copies the `attrs` of a frame deeply at each of its operations."""

    def __deepcopy__(self, memo: object) -> _Shared:
        return self


class Assembly:
    """
    Gather batches in the order of the sessions.

    Parameters
    ----------
    scenarios : sequence of Scenario or str
        Those of the sweep.

    Examples
    --------
    >>> len(Assembly([Scenario()]).frame())
    0
    """

    def __init__(self, scenarios: Sequence[Scenario | str]) -> None:
        self._scenarios = scenarios
        self._results: list[BatchResult] = []
        self._rows = 0
        self._outcomes: list[tuple[Outcome, int]] = []
        self._originals: dict[tuple[str, bytes], str] = {}
        self._problems = _Shared()
        self._filtered = 0

    def take(self, result: BatchResult) -> None:
        """
        Take the next batch.

        Parameters
        ----------
        result : BatchResult
            As a worker handed it back.
        """
        for outcome in result.outcomes:
            if outcome.problem is not None:
                self._add_problem(outcome.problem, refused=True)
            elif outcome.facts is None:
                self._filtered += 1
            else:
                self._take_session(outcome)
            self._rows += outcome.rows
        self._results.append(result)

    def frame(self) -> DataFrame:
        """
        Return what was gathered.

        Returns
        -------
        DataFrame
            The columns `timectx.results.columns.SWEEP`, a row a session and scenario.
        """
        placed = self._placed()
        frame = sweep_frame(self._results, placed, self._scenarios, scenario_labels(self._scenarios))
        frame.attrs.update(
            timectx_table="sweep",
            problems=self._problems,
            as_recorded=_Shared(filter(None, map(_recorded, placed))),
            filtered=self._filtered,
            versions=_versions(),
        )
        return frame

    def _take_session(self, outcome: Outcome) -> None:
        assert outcome.facts is not None
        key = (outcome.facts.header.id, outcome.digest)
        name = outcome.path or "a session in memory"
        if key in self._originals:
            text = f"a copy of {self._originals[key]}; the session counts once"
            self._add_problem(FileProblem(name, 0, "copy", text), refused=False)
            return
        self._originals[key] = name
        self._outcomes.append((outcome, self._rows))
        if outcome.refused is not None:
            self._add_problem(outcome.refused, refused=not outcome.scenarios)
        for each in outcome.facts.problems:
            self._add_problem(FileProblem(name, each.line, each.kind, each.message), refused=False)

    def _add_problem(self, problem: FileProblem, *, refused: bool) -> None:
        self._problems.append({**to_builtins(problem), "refused": refused})

    def _placed(self) -> list[Placed]:
        """Settle what depends on all sessions: which inherit from another one, and what each is called."""
        given = {outcome.facts.header.id for outcome, _ in self._outcomes if outcome.facts}
        heads = _heads_of_rings(outcome.facts for outcome, _ in self._outcomes if outcome.facts)
        labels: set[str] = set()
        placed = []
        for outcome, start in self._outcomes:
            assert outcome.facts is not None
            name = outcome.facts.header.id
            inherits = outcome.facts.parent in given and name not in heads
            heads.discard(name)
            placed.append(
                Placed(
                    label=_new_label(column_text(name), labels),
                    outcome=outcome,
                    start=start + len(outcome.scenarios) if inherits else start,
                )
            )
        return placed


def _heads_of_rings(sessions: Iterable[SessionFacts]) -> set[str]:
    """Return the first of each ring of sessions that name each other as parents: where it begins, nobody knows."""
    parents: dict[str | None, str | None] = {}
    for facts in sessions:
        parents.setdefault(facts.header.id, facts.parent)
    order = {name: place for place, name in enumerate(parents)}
    seen: set[str | None] = set()
    heads = set()
    for name in parents:
        line, each = [], name
        while each in parents and each not in seen:
            seen.add(each)
            line.append(each)
            each = parents[each]
        if each in line:
            heads.add(min(line[line.index(each) :], key=order.__getitem__))
    return {head for head in heads if head is not None}


def _new_label(name: str, labels: set[str]) -> str:
    """Return a name that no session before has, and remember it."""
    numbered = (f"{name}#{number}" for number in count(2))
    label = next(each for each in chain([name], numbered) if each not in labels)
    labels.add(label)
    return label


def _recorded(placed: Placed) -> dict[str, Any] | None:
    outcome = placed.outcome
    if outcome.recorded is None:
        return None
    said = {"scenario": outcome.recorded.scenario, "explanation": outcome.recorded.explanation}
    return {"session": placed.label, "path": outcome.path, **said}


def _versions() -> dict[str, str]:
    from timectx import __version__

    return {"timectx": __version__, "zone_database": zone_database_release()}

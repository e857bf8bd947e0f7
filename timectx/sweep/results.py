"""Hold what workers hand back: numbers in arrays, a little text, and what became of each session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from timectx.formats import FileProblem
from timectx.replay import Scenario, counter_label
from timectx.replay.counters import counter_of
from timectx.results.columns import SWEEP
from timectx.sweep.facts import SessionFacts
from timectx.sweep.labels import compaction_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FLOATS", "INTEGERS", "MISSING", "BatchResult", "Outcome", "Recorded", "RowBuilder", "scenario_cells"]

MISSING: Final = -(2**63)
"""What stands for an integer that is not there."""

_MEASURED: Final = SWEEP[[column.name for column in SWEEP].index("inherited_steps") :]

INTEGERS: Final = tuple(column.name for column in _MEASURED if column.dtype in ("int64", "Int64"))
FLOATS: Final = tuple(column.name for column in _MEASURED if column.dtype == "float64")


def scenario_cells(scenario: Scenario) -> dict[str, Any]:
    """
    Return what a row says of its scenario.

    Parameters
    ----------
    scenario : Scenario
        The scenario.

    Returns
    -------
    dict of str to object
        By the names of a sweep's columns; None where the scenario leaves something open.

    Examples
    --------
    >>> cells = scenario_cells(Scenario(interval_ms=60_000, counter="cjk"))
    >>> cells["interval_ms"], cells["meter"]
    (60000, 'estimate, cjk (heuristic)')
    """
    counter = counter_of(scenario.counter)
    return {
        "interval_ms": scenario.interval_ms,
        "policy": scenario.policy,
        "delivery": scenario.delivery,
        "edition": scenario.edition,
        "compaction": compaction_word(scenario.compaction),
        "meter": scenario.meter if counter is None else f"{scenario.meter}, {counter_label(counter)}",
        "model": getattr(scenario, "model", None),
        "cache": getattr(scenario, "cache", None),
    }


class Recorded(Struct, frozen=True):
    """Hold the scenario that explains a session's own readings: as TOML, in a sentence, and the cells of its rows."""

    scenario: str
    explanation: str
    cells: dict[str, Any]


class Outcome(Struct, frozen=True, kw_only=True):
    """
    Say what became of one session or file.

    `problem` is why there is no session, None where there is one. `facts` are None without one and where a filter
    left it out. `digest` tells copies. `scenarios` are the places of the scenarios that gave a row, in the order of
    the rows; with a parent, as many rows follow that count the session's own part alone. `refused` is why others gave
    none, None where all did.
    """

    path: str | None
    problem: FileProblem | None = None
    facts: SessionFacts | None = None
    digest: bytes = b""
    scenarios: tuple[int, ...] = ()
    refused: FileProblem | None = None
    recorded: Recorded | None = None

    @property
    def rows(self) -> int:
        """How many rows it has among those of its batch."""
        has_own = self.facts is not None and self.facts.parent is not None
        return len(self.scenarios) * (2 if has_own else 1)


class BatchResult(Struct, frozen=True):
    """Hold the outcomes of a batch, and all their rows column by column: numbers in arrays, the rest in lists."""

    outcomes: list[Outcome]
    integers: dict[str, Any]
    floats: dict[str, Any]
    zones: list[str | None]
    counts: list[bytes]


class RowBuilder:
    """
    Gather rows, of many scenarios at once.

    Examples
    --------
    >>> RowBuilder().result([]).zones
    []
    """

    def __init__(self) -> None:
        self._parts: list[Mapping[str, Sequence[Any]]] = []

    def add(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """
        Take some rows in.

        Parameters
        ----------
        columns : Mapping of str to sequence
            By the names of a sweep's columns, lists or arrays of one length; None where there is no value.
        """
        self._parts.append(columns)

    def result(self, outcomes: list[Outcome]) -> BatchResult:
        """
        Return all rows.

        Parameters
        ----------
        outcomes : list of Outcome
            What became of the sessions they belong to.

        Returns
        -------
        BatchResult
            In the order they were taken in.
        """
        import numpy as np

        integers = {name: self._joined(name, np.int64, MISSING) for name in INTEGERS}
        floats = {name: self._joined(name, np.float64, float("nan")) for name in FLOATS}
        zones = [zone for part in self._parts for zone in part["time_zone"]]
        counts = [each for part in self._parts for each in part["staleness_counts"]]
        return BatchResult(outcomes, integers, floats, zones, counts)

    def _joined(self, name: str, dtype: type, missing: float) -> NDArray[Any]:
        import numpy as np

        arrays = [_array(part[name], dtype, missing) for part in self._parts]
        return np.concatenate(arrays) if arrays else np.empty(0, dtype)


def _array(values: Sequence[Any], dtype: type, missing: float) -> NDArray[Any]:
    import numpy as np

    if isinstance(values, list):
        values = [missing if value is None else value for value in values]
    return np.asarray(values, dtype)

"""Lay the rows of a sweep out as columns of a pandas frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from timectx.reading import zone_database_release
from timectx.replay import Scenario
from timectx.results.columns import SWEEP
from timectx.sweep.labels import AS_RECORDED
from timectx.sweep.results import FLOATS, INTEGERS, MISSING, BatchResult, Outcome, scenario_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

__all__ = ["Placed", "column_text", "sweep_frame"]

_OPTIONAL: Final = frozenset(column.name for column in SWEEP if column.dtype == "Int64")
_CELLS: Final = ("scenario", "policy", "delivery", "edition", "compaction", "meter", "cache")


class Placed(Struct, frozen=True):
    """Hold one session of a frame: what it is called there, and where its rows begin among those of all batches."""

    label: str
    outcome: Outcome
    start: int


def sweep_frame(
    results: Sequence[BatchResult], placed: Sequence[Placed], scenarios: Sequence[Scenario | str], labels: Sequence[str]
) -> DataFrame:
    """
    Return one row for each session and scenario.

    Parameters
    ----------
    results : sequence of BatchResult
        All batches, in order.
    placed : sequence of Placed
        The sessions that count, in order.
    scenarios : sequence of Scenario or str
        Those of the sweep.
    labels : sequence of str
        What each is called.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.SWEEP`; no row gives the same columns with the same types.
    """
    import numpy as np
    from pandas import DataFrame, array

    rows = _Rows(placed, scenarios, labels)
    columns: dict[str, Any] = {
        "session": _texts([each.label for each in placed], rows.session),
        "path": _texts([each.outcome.path for each in placed], rows.session),
        "model": _texts(*rows.models()),
        "interval_ms": array([cell["interval_ms"] for cell in rows.cells], dtype="Int64").take(rows.cell),
        "zone_database": _texts([zone_database_release()], np.zeros(len(rows.cell), np.intp)),
    }
    columns |= {name: _texts([cell[name] for cell in rows.cells], rows.cell) for name in _CELLS}
    columns |= _measured(results, rows.place)
    return DataFrame({column.name: columns[column.name] for column in SWEEP}, copy=False)


def column_text(text: str) -> str:
    r"""
    Return a text that fits into a column.

    Parameters
    ----------
    text : str
        Any; from a path or a log it can hold lone surrogates, which no column of texts takes.

    Returns
    -------
    str
        The same, with those as escapes.

    Examples
    --------
    >>> column_text("plain"), column_text("lone\ud800")
    ('plain', 'lone\\ud800')
    """
    return text.encode("utf-8", "backslashreplace").decode()


class _Rows:
    """
    Settle which rows make the frame, and in which order.

    `place` is where each is among those of all batches, `session` the place of its session, and `cell` the place in
    `cells` of what is said of its scenario.
    """

    def __init__(self, placed: Sequence[Placed], scenarios: Sequence[Scenario | str], labels: Sequence[str]) -> None:
        import numpy as np

        self._placed = placed
        self.cells = [
            {"scenario": label, **scenario_cells(each if isinstance(each, Scenario) else Scenario())}
            for each, label in zip(scenarios, labels, strict=True)
        ]
        self._recorded_cells: dict[str, int] = {}
        counts = [len(each.outcome.scenarios) for each in placed]
        orders = [np.argsort(np.array(each.outcome.scenarios, np.intp)) for each in placed]
        self.session: NDArray[Any] = np.repeat(np.arange(len(placed)), counts)
        self.place: NDArray[Any] = _joined([each.start + order for each, order in zip(placed, orders, strict=True)])
        self.cell: NDArray[Any] = _joined([self._cells_of(each) for each in placed])

    def _cells_of(self, placed: Placed) -> NDArray[Any]:
        """Return the cells of a session's rows; what explains its own readings is said once for all alike."""
        import numpy as np

        cells = np.array(sorted(placed.outcome.scenarios), np.intp)
        recorded = placed.outcome.recorded
        if recorded is not None:
            key = repr(recorded.cells)
            if key not in self._recorded_cells:
                self._recorded_cells[key] = len(self.cells)
                self.cells.append({"scenario": AS_RECORDED, **recorded.cells})
            at = next(at for at, cell in enumerate(self.cells) if cell["scenario"] == AS_RECORDED)
            cells[cells == at] = self._recorded_cells[key]
        return cells

    def models(self) -> tuple[list[str | None], NDArray[Any]]:
        """Return models and, for each row, the place of its own: the scenario's, else those the session asked."""
        import numpy as np

        named = [cell["model"] for cell in self.cells]
        own = [_models_of(each.outcome) for each in self._placed]
        has_name = np.array([name is not None for name in named], bool)
        return named + own, np.where(has_name[self.cell], self.cell, len(named) + self.session)


def _models_of(outcome: Outcome) -> str | None:
    asked = outcome.facts.models if outcome.facts else ()
    return ", ".join(dict.fromkeys(model for _, model in asked)) or None


def _measured(results: Sequence[BatchResult], place: NDArray[Any]) -> dict[str, Any]:
    import numpy as np
    from pandas import Series
    from pandas.arrays import IntegerArray

    columns: dict[str, Any] = {}
    for name in INTEGERS:
        values = _joined([each.integers[name] for each in results])[place]
        is_missing = values == MISSING
        columns[name] = IntegerArray(np.where(is_missing, 1, values), is_missing) if name in _OPTIONAL else values
    for name in FLOATS:
        columns[name] = _joined([each.floats[name] for each in results], np.float64)[place]
    zones = {zone: at for at, zone in enumerate(dict.fromkeys(zone for each in results for zone in each.zones))}
    codes = np.array([zones[zone] for each in results for zone in each.zones], np.intp)
    columns["time_zone"] = _texts(list(zones), codes[place])
    counts = [each for result in results for each in result.counts]
    columns["staleness_counts"] = Series([counts[at] for at in place.tolist()], dtype=object)
    return columns


def _joined(parts: Sequence[NDArray[Any]], dtype: type | None = None) -> NDArray[Any]:
    import numpy as np

    return np.concatenate(parts) if parts else np.empty(0, dtype or np.int64)


def _texts(values: Sequence[str | None], codes: NDArray[Any]) -> Any:
    """Return a column of texts, of which each is made once."""
    from pandas import array

    return array([*(None if each is None else column_text(each) for each in values), None], dtype="str").take(codes)

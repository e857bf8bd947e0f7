"""Turn runs into pandas frames whose columns carry units and can be explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from timectx.replay.run import Run
from timectx.replay.scenario import ZoneSpans
from timectx.results.columns import TABLES, Column

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "attempts_frame",
    "compactions_frame",
    "describe_columns",
    "measures_frame",
    "readings_frame",
    "requests_frame",
    "steps_frame",
]

_TABLE: Final = "timectx_table"
"""The key of `DataFrame.attrs` under which a frame remembers which table it is."""


def steps_frame(runs: Run | Iterable[Run]) -> DataFrame:
    """
    Return one row for each step.

    Parameters
    ----------
    runs : Run or iterable of Run
        One run or any number of them.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.STEPS`, `session` and `interval_ms` first; rows in
        the order of runs and steps. No row gives the same columns with the same types.

    Examples
    --------
    >>> frame = steps_frame([])
    >>> len(frame), list(frame.columns[:4])
    (0, ['session', 'interval_ms', 'turn', 'step'])
    """
    return _frame(
        "steps",
        (
            {**_head(run), **asdict(step), "blind": step.staleness_ms is None}
            for run in _all(runs)
            for step in run.steps
        ),
    )


def readings_frame(runs: Run | Iterable[Run]) -> DataFrame:
    """
    Return one row for each reading the scenario adds.

    Parameters
    ----------
    runs : Run or iterable of Run
        One run or any number of them.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.READINGS`, `session` and `interval_ms` first; rows
        in the order of runs and readings. No row gives the same columns with the same types.

    Examples
    --------
    >>> str(readings_frame([])["recorded_seq"].dtype)
    'Int64'
    """
    return _frame(
        "readings",
        (
            {**_head(run), **asdict(reading), "resent_tokens": reading.price_tokens * reading.resent_requests}
            for run in _all(runs)
            for reading in run.readings
        ),
    )


def attempts_frame(runs: Run | Iterable[Run]) -> DataFrame:
    """
    Return one row for each attempt, whether or not a reading came of it.

    Parameters
    ----------
    runs : Run or iterable of Run
        One run or any number of them.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.ATTEMPTS`, `session` and `interval_ms` first; rows
        in the order of runs and attempts. No row gives the same columns with the same types.

    Examples
    --------
    >>> list(attempts_frame([]).columns[-2:])
    ['decision', 'error']
    """
    return _frame("attempts", ({**_head(run), **asdict(each)} for run in _all(runs) for each in run.attempts))


def compactions_frame(runs: Run | Iterable[Run]) -> DataFrame:
    """
    Return one row for each replacement of older messages by a checkpoint.

    Parameters
    ----------
    runs : Run or iterable of Run
        One run or any number of them.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.COMPACTIONS`, `session` and `interval_ms` first;
        rows in the order of runs and compactions. No row gives the same columns with the same types.

    Examples
    --------
    >>> str(compactions_frame([])["turn"].dtype)
    'Int64'
    """
    return _frame("compactions", ({**_head(run), **asdict(each)} for run in _all(runs) for each in run.compactions))


def requests_frame(runs: Run | Iterable[Run]) -> DataFrame:
    """
    Return one row for each request, with how much of its beginning stayed and what followed it.

    Parameters
    ----------
    runs : Run or iterable of Run
        One run or any number of them.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.REQUESTS`, `session` and `interval_ms` first; rows
        in the order of runs and requests. No row gives the same columns with the same types.

    Examples
    --------
    >>> list(requests_frame([]).columns[4:8])
    ['time_ms', 'kind', 'input_tokens', 'stable_tokens']
    """
    return _frame("requests", ({**_head(run), **asdict(each)} for run in _all(runs) for each in run.requests))


def measures_frame(runs: Run | Iterable[Run]) -> DataFrame:
    """
    Return one row for each run, with what the scenario was and what it came to.

    Parameters
    ----------
    runs : Run or iterable of Run
        One run or any number of them.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.MEASURES`, `session` and `interval_ms` first; rows
        in the order of runs. No row gives the same columns with the same types.

    Examples
    --------
    >>> str(measures_frame([])["reading_ratio"].dtype)
    'float64'
    """
    return _frame("measures", ({**_head(run), **_scenario(run), **asdict(run.measures)} for run in _all(runs)))


def describe_columns(frame: DataFrame) -> DataFrame:
    """
    Say what each column of a frame holds.

    Parameters
    ----------
    frame : DataFrame
        One that this package made, or a selection of its rows and columns.

    Returns
    -------
    DataFrame
        One row a column, in the frame's order: `name`, `unit`, `dtype` and `description`. A column
        this package does not know has an empty unit and an empty description.

    Notes
    -----
    A frame remembers which table it is in its `attrs`. Where an operation dropped those, the
    table that knows most of its columns explains them.

    Examples
    --------
    >>> described = describe_columns(steps_frame([])[["now_ms", "requests"]])
    >>> described["unit"].tolist()
    ['epoch ms', 'count']
    """
    from pandas import DataFrame

    known = {column.name: column for column in _columns_of(frame)}
    rows = [
        (str(name), column.unit if column else "", str(dtype), column.description if column else "")
        for name, dtype in frame.dtypes.items()
        for column in (known.get(str(name)),)
    ]
    return DataFrame(rows, columns=["name", "unit", "dtype", "description"], dtype="str")


def _all(runs: Run | Iterable[Run]) -> Iterable[Run]:
    return (runs,) if isinstance(runs, Run) else runs


def _head(run: Run) -> dict[str, object]:
    return {"session": run.session_id, "interval_ms": run.scenario.interval_ms}


def _scenario(run: Run) -> dict[str, object]:
    scenario = run.scenario
    return {
        "edition": scenario.edition,
        "policy": scenario.policy,
        "delivery": scenario.delivery,
        "time_zone": _zones(scenario.time_zone),
        "meter": scenario.meter,
        "zone_database": run.zone_database,
    }


def _zones(zone: str | ZoneSpans | None) -> str | None:
    if zone is None or isinstance(zone, str):
        return zone
    return ", ".join(dict.fromkeys(name for _, name in zone))


def _frame(table: str, rows: Iterable[Mapping[str, object]]) -> DataFrame:
    from pandas import DataFrame, Series

    columns = TABLES[table]
    cells: dict[str, list[object]] = {column.name: [] for column in columns}
    for row in rows:
        for name, values in cells.items():
            values.append(row[name])
    frame = DataFrame({column.name: Series(cells[column.name], dtype=column.dtype) for column in columns})
    frame.attrs[_TABLE] = table
    return frame


def _columns_of(frame: DataFrame) -> tuple[Column, ...]:
    table = frame.attrs.get(_TABLE)
    if table in TABLES:
        return TABLES[table]
    names = {str(name) for name in frame.columns}
    return max(TABLES.values(), key=lambda columns: len(names & {column.name for column in columns}))

"""Hold two runs against each other: measure by measure, reading by reading, and where they part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from timectx.replay.run import Run, RunReading
from timectx.results.columns import COMPARISON, MEASURES, SWEEP

if TYPE_CHECKING:
    from pandas import DataFrame

    from timectx.cost import PriceList

__all__ = ["Compared", "compare_measures", "compare_runs", "own_readings", "parting_step"]

Compared = tuple[str, str, float | None, float | None, float | None, float | None, str]
"""One row of a comparison: measure, unit, a, b, difference, ratio, what it is."""

_OWN: Final = "readings at a place and an instant where the other has none"
_REWORDED: Final = "readings at the same place and instant that say something else"
_BILLED: Final = (
    "cached_input_tokens",
    "written_input_tokens",
    "uncached_input_tokens",
    "output_tokens",
    "cost_usd",
    "unpriced_tokens",
)
_PARTING: Final = "first step, counted from 1 over the session, that differs; none where all are alike"


def compare_runs(a: Run, b: Run, *, prices: PriceList | None = None) -> DataFrame:
    """
    Compare two runs measure by measure.

    Parameters
    ----------
    a : Run
        Any run.
    b : Run
        Another one, usually of the same session under another scenario.
    prices : PriceList, optional
        What the bills are made by; None takes the list that comes with the package.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.COMPARISON`: `measure`, `unit`, `a`, `b`, `difference`
        (b - a), `ratio` (b / a; missing where a is 0) and `description`. One row for each measure of a
        run and each part of its bill, then ``own_readings`` (those that only one has),
        ``reworded_readings`` and ``parting_step``, the first step that differs.

    Examples
    --------
    >>> from timectx.replay import Scenario, replay_session
    >>> from timectx.synthetic import synthetic_session
    >>> session = synthetic_session(1, steps=9)
    >>> often, seldom = (replay_session(session, Scenario(interval_ms=ms)) for ms in (0, 3_600_000))
    >>> compare_runs(often, seldom).set_index("measure").loc["readings", ["a", "b"]].tolist()
    [9.0, 1.0]
    """
    from pandas import DataFrame, Series

    cells = list(zip(*compare_measures(a, b, prices=prices), strict=True))
    frame = DataFrame(
        {column.name: Series(values, dtype=column.dtype) for column, values in zip(COMPARISON, cells, strict=True)}
    )
    frame.attrs["timectx_table"] = "comparison"
    return frame


def compare_measures(a: Run, b: Run, *, prices: PriceList | None = None) -> tuple[Compared, ...]:
    """
    Return the rows of `compare_runs` as plain values, integers where the measures are.

    Parameters
    ----------
    a : Run
        Any run.
    b : Run
        Another one.
    prices : PriceList, optional
        As for `compare_runs`.

    Returns
    -------
    tuple of tuple
        Measure, unit, a, b, difference, ratio, description; None where there is no value.

    Examples
    --------
    >>> from timectx.replay import Scenario, replay_session
    >>> from timectx.synthetic import synthetic_session
    >>> run = replay_session(synthetic_session(1, steps=9), Scenario())
    >>> compare_measures(run, run)[3][:6]
    ('readings', 'count', 9, 9, 0, 1.0)
    """
    known = {column.name: column for column in (*SWEEP, *MEASURES)}
    left, right = ({**asdict(run.measures), **_bill_of(run, prices)} for run in (a, b))
    rows = [_row(name, known[name].unit, left[name], right[name], known[name].description) for name in left]
    own = own_readings(a, b)
    reworded = _reworded(a, b)
    parting = parting_step(a, b)
    return (
        *rows,
        _row("own_readings", "count", len(own[0]), len(own[1]), _OWN),
        _row("reworded_readings", "count", reworded, reworded, _REWORDED),
        _row("parting_step", "number", parting, parting, _PARTING),
    )


def own_readings(a: Run, b: Run) -> tuple[tuple[RunReading, ...], tuple[RunReading, ...]]:
    """
    Return the readings that only one of two runs has.

    Parameters
    ----------
    a : Run
        Any run.
    b : Run
        Another one.

    Returns
    -------
    tuple of tuple of RunReading
        Those of `a`, and those of `b`, in log order. Two readings are the same one where turn, step
        and printed instant agree, whatever else they say.

    Examples
    --------
    >>> from timectx.replay import Scenario, replay_session
    >>> from timectx.synthetic import synthetic_session
    >>> session = synthetic_session(1, steps=9)
    >>> often, seldom = (replay_session(session, Scenario(interval_ms=ms)) for ms in (0, 3_600_000))
    >>> [len(each) for each in own_readings(often, seldom)]
    [8, 0]
    """
    return tuple(_beyond(a.readings, b.readings)), tuple(_beyond(b.readings, a.readings))


def parting_step(a: Run, b: Run) -> int | None:
    """
    Return the first step in which two runs differ.

    Parameters
    ----------
    a : Run
        Any run.
    b : Run
        Another one.

    Returns
    -------
    int or None
        Counted from 1 over the whole session; None where all steps are alike: same decisions, same
        readings word for word, same sizes.

    Examples
    --------
    >>> from timectx.replay import Scenario, replay_session
    >>> from timectx.synthetic import synthetic_session
    >>> run = replay_session(synthetic_session(1, steps=9), Scenario())
    >>> parting_step(run, run) is None
    True
    """
    texts_a, texts_b = _texts(a.readings), _texts(b.readings)
    for number, (one, other) in enumerate(zip_longest(a.steps, b.steps), 1):
        if one is None or other is None or one != other:
            return number
        place = one.turn, one.step
        if texts_a[place] != texts_b[place]:
            return number
    return None


def _bill_of(run: Run, prices: PriceList | None) -> dict[str, float | None]:
    from timectx.cost import bill_run  # reads the price list

    bill = bill_run(run, prices)
    return {name: getattr(bill, name) for name in _BILLED}


def _row(name: str, unit: str, a: float | None, b: float | None, description: str) -> Compared:
    if a is None or b is None:
        return name, unit, a, b, None, None, description
    return name, unit, a, b, b - a, b / a if a else None, description


def _beyond(readings: Sequence[RunReading], others: Sequence[RunReading]) -> Iterator[RunReading]:
    left = Counter(map(_place, others))
    for reading in readings:
        if left[_place(reading)]:
            left[_place(reading)] -= 1
        else:
            yield reading


def _reworded(a: Run, b: Run) -> int:
    """Count the readings of both that stand at one place with two texts."""
    texts: defaultdict[tuple[int, int, int], list[str]] = defaultdict(list)
    for reading in b.readings:
        texts[_place(reading)].append(reading.text)
    return sum(texts[_place(reading)].pop(0) != reading.text for reading in a.readings if texts[_place(reading)])


def _place(reading: RunReading) -> tuple[int, int, int]:
    return reading.turn, reading.step, reading.now_ms


def _texts(readings: Sequence[RunReading]) -> defaultdict[tuple[int, int], list[str]]:
    texts: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for reading in readings:
        texts[reading.turn, reading.step].append(reading.text)
    return texts

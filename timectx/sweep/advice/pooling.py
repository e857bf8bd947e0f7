"""Sum scenarios up over sessions, drawn any number of times: tokens, blind steps, quantiles of staleness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from timectx.errors import TuneError
from timectx.sweep.advice.constraints import By
from timectx.sweep.advice.front import Point
from timectx.sweep.advice.grid import Grid, Whole
from timectx.sweep.advice.staleness import NOT_SEEN, Counted, count_staleness, quantile_of
from timectx.sweep.advice.totals import Totals

__all__ = ["Pooled", "all_totals", "extra_tokens", "pool", "priced", "untold_rows"]

_SENDS_OF_ITS_OWN: Final = frozenset(("tool", "timer"))
_NANO: Final = 1e9

_SUMS: Final = (
    "attempts",
    "steps",
    "requests",
    "readings",
    "reading_tokens",
    "resent_tokens",
    "input_tokens",
    "blind_steps",
    "blind_before_first_steps",
    "unavailable_readings",
    "zone_mismatch_steps",
    "compactions",
    "compaction_input_tokens",
    "compaction_output_tokens",
    "cached_input_tokens",
    "written_input_tokens",
    "uncached_input_tokens",
    "output_tokens",
    "unpriced_tokens",
)
_LARGEST: Final = ("longest_blind_steps", "longest_blind_ms", "peak_surface_tokens", "peak_pressure_tokens")


@dataclass(frozen=True, eq=False)
class Pooled:
    """
    Hold what each scenario comes to in each drawing of sessions: drawings by candidates.

    `cost_nano` is in 1e-9 USD, None unless costs are weighed; `counted` has the quantile of staleness asked for.
    """

    intervals_ms: tuple[int, ...]
    spent_tokens: Whole
    input_tokens: Whole
    blind_steps: Whole
    steps: Whole
    counted: Counted
    cost_nano: Whole | None

    def points(self, drawing: int) -> list[Point]:
        """
        Return the scenarios of one drawing that give some step a reading.

        Parameters
        ----------
        drawing : int
            Its place.

        Returns
        -------
        list of Point
            In the order of the candidates.
        """
        columns = (self.spent_tokens, self.input_tokens, self.blind_steps, self.steps, self.counted.drawn)
        cells = list(zip(*(each[drawing].tolist() for each in columns), strict=True))
        costs = None if self.cost_nano is None else self.cost_nano[drawing].tolist()
        least = max(min(costs), 1) if costs else 1
        found = []
        for at, (spent, sent, blind, steps, staleness_ms) in enumerate(cells):
            if staleness_ms != NOT_SEEN:
                share = Fraction(spent, sent) if sent else Fraction(0)
                spend = Fraction(costs[at], least) if costs else share
                found.append(Point(at, self.intervals_ms[at], spend, share, staleness_ms, blind, steps))
        return found


def pool(grid: Grid, weights: Whole, quantile: float, by: By = "tokens") -> Pooled:
    """
    Sum scenarios up, session by session as often as it was drawn.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.
    weights : ndarray
        How often each session counts: drawings by sessions.
    quantile : float
        Of staleness, over the steps of all sessions drawn.
    by : {"tokens", "cost"}
        Whether costs are needed.

    Returns
    -------
    Pooled
        Exact whole numbers.

    Raises
    ------
    TuneError
        Kind ``unpriced`` if costs are needed and some session has none.
    """
    spent = grid.whole("reading_tokens") + grid.whole("resent_tokens") + extra_tokens(grid)
    return Pooled(
        tuple(each.interval_ms for each in grid.candidates),
        weights @ spent,
        weights @ grid.whole("input_tokens"),
        weights @ grid.whole("blind_steps"),
        weights @ grid.whole("steps"),
        count_staleness(grid, weights, quantile),
        weights @ _costs(grid) if by == "cost" else None,
    )


def all_totals(grid: Grid, quantile: float, counted: Counted | None = None) -> list[Totals]:
    """
    Return what each scenario comes to over all sessions.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.
    quantile : float
        Which quantile of staleness ``staleness_ms`` is.
    counted : Counted, optional
        What the counts of staleness come to, where that is known already.

    Returns
    -------
    list of Totals
        In the order of the candidates.
    """
    sums = {name: grid.whole(name).sum(axis=0).tolist() for name in _SUMS}
    sums["extra_tokens"] = extra_tokens(grid).sum(axis=0).tolist()
    sums |= {name: grid.whole(name).max(axis=0, initial=0).tolist() for name in _LARGEST}
    stale_max = grid.whole("staleness_max_ms", NOT_SEEN).max(axis=0, initial=NOT_SEEN).tolist()
    known = priced(grid)
    steps = (counted or count_staleness(grid, np.zeros((0, len(grid.sessions)), dtype=np.int64), quantile)).steps
    return [
        _totals(grid, at, quantile, {name: each[at] for name, each in sums.items()}, stale_max[at], counts, known)
        for at, counts in enumerate(steps)
    ]


def extra_tokens(grid: Grid) -> Whole:
    """
    Return what deliveries send beside readings: requests of their own, and the schema of a tool.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.

    Returns
    -------
    ndarray
        Sessions by candidates, as each run measured it; 0 where the frame does not say.
    """
    return grid.whole("extra_tokens")


def untold_rows(grid: Grid) -> int:
    """
    Count the rows that do not say what their delivery sends beside readings, though it sends something.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.

    Returns
    -------
    int
        Rows of ``tool`` and ``timer`` without `extra_tokens`, as from an older file.
    """
    sending = [each.delivery in _SENDS_OF_ITS_OWN for each in grid.candidates]
    return int(np.count_nonzero(np.isnan(grid.real("extra_tokens"))[:, sending]))


def priced(grid: Grid) -> NDArray[np.bool_]:
    """
    Tell which sessions have a price under every scenario.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.

    Returns
    -------
    ndarray
        One a session; True also where nothing was sent.
    """
    known: NDArray[np.bool_] = np.logical_and.reduce(~np.isnan(grid.real("cost_usd")) | _silent(grid), axis=1)
    return known


def _costs(grid: Grid) -> Whole:
    unpriced = [each for each, known in zip(grid.sessions, priced(grid), strict=True) if not known]
    if unpriced:
        named = ", ".join(map(repr, unpriced[:5])) + (f" and {len(unpriced) - 5} more" if len(unpriced) > 5 else "")
        raise TuneError(
            f"costs can be weighed only where every model has a price; unpriced: {named}; "
            "give prices for their models, leave them out, or weigh tokens",
            kind="unpriced",
        )
    return np.rint(np.nan_to_num(grid.real("cost_usd")) * _NANO).astype(np.int64)


def _silent(grid: Grid) -> NDArray[np.bool_]:
    silent: NDArray[np.bool_] = (grid.whole("requests") == 0) & (grid.whole("input_tokens") == 0)
    return silent


def _totals(
    grid: Grid,
    at: int,
    quantile: float,
    sums: dict[str, int],
    stale_max: int,
    counts: Whole,
    known: NDArray[np.bool_],
) -> Totals:
    candidate = grid.candidates[at]
    taken = sums["reading_tokens"] + sums["resent_tokens"]
    median, p95, asked = (int(quantile_of(counts, each, stale_max)) for each in (0.5, 0.95, quantile))
    return Totals(
        scenario=candidate.scenario,
        interval_ms=candidate.interval_ms,
        policy=candidate.policy,
        delivery=candidate.delivery,
        sessions=len(grid.sessions),
        reading_ratio=_ratio(taken, sums["input_tokens"]),
        spent_ratio=_ratio(taken + sums["extra_tokens"], sums["input_tokens"]),
        staleness_median_ms=_seen(median),
        staleness_p95_ms=_seen(p95),
        staleness_max_ms=_seen(stale_max if stale_max != NOT_SEEN else int(quantile_of(counts, 1, stale_max))),
        staleness_ms=_seen(asked),
        blind_ratio=_ratio(sums["blind_steps"], sums["steps"]),
        unavailable_ratio=_ratio(sums["unavailable_readings"], sums["readings"]),
        cost_usd=_cost(grid, at, known),
        unpriced_sessions=int(np.count_nonzero(~known)),
        **sums,
    )


def _cost(grid: Grid, at: int, known: NDArray[np.bool_]) -> float | None:
    """Return the sum over the sessions with a price, rounded once; None where none of them sent anything."""
    counted = known & ~_silent(grid)[:, at]
    return math.fsum(grid.real("cost_usd")[counted, at].tolist()) if counted.any() else None


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _seen(value_ms: int) -> int | None:
    return None if value_ms == NOT_SEEN else value_ms

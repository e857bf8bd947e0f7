"""Read how stale readings get from the counts of a sweep: quantiles over many sessions, drawn any number of times."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timectx.errors import FrameError
from timectx.results.edges import BEYOND_MS, STALENESS_EDGES_MS
from timectx.sweep.advice.grid import Grid, Numbers, Whole

__all__ = ["NOT_SEEN", "Counted", "bounded_rows", "count_staleness", "own_staleness", "quantile_of"]

NOT_SEEN: Final = -1
"""Stands for a staleness where no step sees a reading."""

_EDGES: Final = np.array(STALENESS_EDGES_MS, dtype=np.int64)
_NEAR: Final = 12
_PAIR: Final = np.dtype([("bin", "<u2"), ("count", "<u4")])


class Counted(NamedTuple):
    """
    Hold what counts of staleness come to.

    `steps` has how many steps of all sessions fall into each bin: candidates by bins. `drawn` has the
    quantile of each drawing: drawings by candidates, rounded up to the next edge, past 60 days the largest
    staleness of the sessions drawn, `NOT_SEEN` where no step sees a reading.
    """

    steps: Whole
    drawn: Whole


def count_staleness(grid: Grid, weights: Whole, quantile: float) -> Counted:
    """
    Sum up the counts of staleness, of all sessions and of each drawing of them.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.
    weights : ndarray
        How often each session counts: drawings by sessions; it may have no row.
    quantile : float
        Above 0, up to 1, by the nearest-rank rule.

    Returns
    -------
    Counted
        One scenario after the other, so that memory does not grow with their number.
    """
    found = np.full((len(weights), len(grid.candidates)), NOT_SEEN, dtype=np.int64)
    steps = np.zeros((len(grid.candidates), len(_EDGES)), dtype=np.int64)
    drawn, largest = weights.astype(np.float64), grid.whole("staleness_max_ms", NOT_SEEN)
    for at in range(len(grid.candidates)):
        counts, bins = _counts(grid, at)
        steps[at, bins] = counts.sum(axis=0).astype(np.int64)
        beyond = len(bins) > 0 and _EDGES[bins[-1]] == BEYOND_MS
        highest = _largest(weights, largest[:, at]) if beyond else np.full(len(weights), NOT_SEEN)
        found[:, at] = _drawn(drawn, counts, bins, quantile, highest)
    return Counted(steps, found)


def own_staleness(grid: Grid, candidate: int, quantile: float) -> Whole:
    """
    Return each session's own quantile of staleness under one scenario.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.
    candidate : int
        Its place.
    quantile : float
        Above 0, up to 1.

    Returns
    -------
    ndarray
        One a session, rounded up to the next edge; `NOT_SEEN` where no step sees a reading.
    """
    counts, bins = _counts(grid, candidate)
    return _edges(_place(counts, quantile), bins, grid.whole("staleness_max_ms", NOT_SEEN)[:, candidate])


def quantile_of(counts: Whole, quantile: float, largest: int) -> int:
    """
    Return a quantile of counted steps.

    Parameters
    ----------
    counts : ndarray
        Steps by bin, all bins.
    quantile : float
        Above 0, up to 1, by the nearest-rank rule.
    largest : int
        The largest staleness there is, in milliseconds; it stands for what lies past 60 days.

    Returns
    -------
    int
        Rounded up to the next edge; `NOT_SEEN` without any step.
    """
    bins = np.arange(len(_EDGES))
    return int(_edges(_place(counts[None, :].astype(np.float64), quantile), bins, np.array([largest]))[0])


def bounded_rows(grid: Grid) -> int:
    """
    Count the rows whose staleness is known by their own quantiles alone.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.

    Returns
    -------
    int
        0 where every row holds counts, or no step that sees a reading.
    """
    seeing = grid.whole("steps") > grid.whole("blind_steps")
    counted = np.frompyfunc(lambda cell: isinstance(cell, bytes), 1, 1)(grid.packed()).astype(bool)
    return int(np.count_nonzero(seeing & ~counted))


def _drawn(drawn: Numbers, counts: Numbers, bins: Whole, quantile: float, largest: Whole) -> Whole:
    """Return the quantile of each drawing; sums are exact, as whole numbers far below 2**53 are."""
    middle = int(_place(counts.sum(axis=0, keepdims=True), quantile)[0])
    low, high = max(middle - _NEAR, 0), max(middle, 0) + _NEAR
    near = np.column_stack([counts[:, :low].sum(axis=1), counts[:, low:high], counts[:, high:].sum(axis=1)])
    at = _place(drawn @ near, quantile)  # few columns: what lies far off is taken together, as it seldom matters
    if np.any((at == 0) | (at == near.shape[1] - 1)):
        return _edges(_place(drawn @ counts, quantile), bins, largest)
    return _edges(np.where(at < 0, at, at - 1 + low), bins, largest)


def _largest(weights: Whole, values: Whole) -> Whole:
    found: Whole = np.where(weights > 0, values, NOT_SEEN).max(axis=1, initial=NOT_SEEN)
    return found


def _place(counts: Numbers, quantile: float) -> Whole:
    """Return the column that the nearest-rank quantile of each row falls into; -1 where a row counts nothing."""
    exact = Fraction(str(quantile))  # as a float, 0.07 of 100 is a little over 7
    below = counts.cumsum(axis=1).astype(np.int64)
    total = below[:, -1] if counts.shape[1] else np.zeros(len(counts), dtype=np.int64)
    rank = -((-total * exact.numerator) // exact.denominator)
    found: Whole = np.where(total > 0, (below < rank[:, None]).sum(axis=1), -1)
    return found


def _edges(places: Whole, bins: Whole, largest: Whole) -> Whole:
    """Return the edge of each bin; past the last one the largest value there is."""
    edges = np.append(_EDGES[bins], NOT_SEEN)[places]
    found: Whole = np.where(edges == BEYOND_MS, np.maximum(largest, _EDGES[-2] + 1), edges)
    return found


def _counts(grid: Grid, candidate: int) -> tuple[Numbers, Whole]:
    """Return how many steps of each session fall into each bin that any of them uses, and which bins those are."""
    cells = grid.packed()[:, candidate].tolist()
    known = [isinstance(cell, bytes) for cell in cells]
    lengths = np.array(
        [len(cell) if is_known else 0 for cell, is_known in zip(cells, known, strict=True)], dtype=np.intp
    )
    if np.any(lengths % _PAIR.itemsize):
        raise FrameError("staleness_counts holds bytes that are no counts", kind="columns")
    pairs = np.frombuffer(b"".join(cell for cell in cells if isinstance(cell, bytes)), dtype=_PAIR)
    session = np.repeat(np.arange(len(cells)), lengths // _PAIR.itemsize)
    bounded = _bounded(grid, candidate, np.flatnonzero(~np.array(known, dtype=bool)))
    session = np.concatenate([session, bounded[0]])
    at = np.concatenate([pairs["bin"].astype(np.int64), bounded[1]])
    count = np.concatenate([pairs["count"].astype(np.float64), bounded[2]])
    if np.any(at >= len(_EDGES)):
        raise FrameError("staleness_counts holds bytes that are no counts", kind="columns")
    bins: Whole = np.flatnonzero(np.bincount(at, minlength=len(_EDGES))).astype(np.int64)
    column = np.cumsum(np.bincount(bins, minlength=len(_EDGES)))[at] - 1
    flat = np.bincount(session * len(bins) + column, weights=count, minlength=len(cells) * len(bins))
    return flat.astype(np.float64).reshape(len(cells), len(bins)), bins


def _bounded(grid: Grid, candidate: int, rows: NDArray[np.intp]) -> tuple[Whole, Whole, Numbers]:
    """Place the steps of rows without counts as high as their own median, 95th percentile and maximum allow."""
    steps = (grid.whole("steps") - grid.whole("blind_steps"))[rows, candidate]
    upto = np.stack([-(-steps // 2), -(-19 * steps // 20), steps])
    names = ("staleness_median_ms", "staleness_p95_ms", "staleness_max_ms")
    values = [grid.whole(name, BEYOND_MS)[rows, candidate] for name in names]
    highest = np.minimum.accumulate(np.stack(values)[::-1])[::-1]  # where one is missing, the next above it holds
    bins = np.searchsorted(_EDGES, np.maximum(highest, 0))
    counts = np.diff(upto, axis=0, prepend=0)
    kept = counts.ravel() > 0
    session = np.tile(rows.astype(np.int64), 3)
    return session[kept], bins.ravel()[kept].astype(np.int64), counts.ravel()[kept].astype(np.float64)

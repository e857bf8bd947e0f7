"""Name the sessions that a choice treats worse than a limit allows, or unlike the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from timectx.replay import nearest_rank
from timectx.sweep.advice.constraints import Limits
from timectx.sweep.advice.grid import Grid
from timectx.sweep.advice.pooling import extra_tokens
from timectx.sweep.advice.recommendation import Outlier
from timectx.sweep.advice.staleness import NOT_SEEN, own_staleness

__all__ = ["LEAST_SESSIONS", "outliers_of"]

LEAST_SESSIONS: Final = 5
"""With fewer sessions than that nothing is far from the rest."""

_FAR: Final = 3
_LEAST_DISTANCE: Final = {"staleness_ms": 60_000.0, "spent_ratio": 0.01, "blind_ratio": 0.01}

_Value = tuple[str, float]


def outliers_of(grid: Grid, candidate: int, limits: Limits) -> tuple[Outlier, ...]:
    """
    Name the sessions that stand out under one scenario.

    Parameters
    ----------
    grid : Grid
        Sessions and scenarios.
    candidate : int
        The scenario's place.
    limits : Limits
        What is held against each session alone, too; a number of blind steps is not.

    Returns
    -------
    tuple of Outlier
        Those beyond a limit first, the farthest first; then those far from the rest. A session is far
        where its value lies more than three times the distance between the quartiles of all sessions
        above the upper or below the lower one; that distance counts as at least a minute of
        staleness or 1 % of tokens or steps. Sessions without a step take no part.
    """
    beyond: list[Outlier] = []
    far: list[Outlier] = []
    most = {
        "staleness_ms": limits.max_staleness_ms,
        "spent_ratio": limits.budget_ratio,
        "blind_ratio": limits.max_blind_ratio,
    }
    for measure, values in _measured(grid, candidate, limits.quantile):
        limit = most[measure]
        over = [each for each in values if limit is not None and each[1] > limit]
        beyond += _outliers(measure, over, float(limit or 0), "limit")
        far += _far(measure, [each for each in values if each not in over], values)
    return (*beyond, *far)


def _measured(grid: Grid, candidate: int, quantile: float) -> Iterator[tuple[str, list[_Value]]]:
    steps, sent, blind = (grid.whole(name)[:, candidate].tolist() for name in ("steps", "input_tokens", "blind_steps"))
    spent = grid.whole("reading_tokens") + grid.whole("resent_tokens") + extra_tokens(grid)
    stale = own_staleness(grid, candidate, quantile).tolist()
    rows = list(zip(grid.sessions, steps, sent, blind, spent[:, candidate].tolist(), stale, strict=True))
    yield "staleness_ms", [(row[0], row[5]) for row in rows if row[1] and row[5] != NOT_SEEN]
    yield "spent_ratio", [(row[0], row[4] / row[2]) for row in rows if row[1] and row[2]]
    yield "blind_ratio", [(row[0], row[3] / row[1]) for row in rows if row[1]]


def _far(measure: str, values: Sequence[_Value], every: Sequence[_Value]) -> Iterator[Outlier]:
    """Yield what lies far outside the quartiles, above before below."""
    if len(every) < LEAST_SESSIONS:
        return
    low, high = _quartiles([value for _, value in every])
    distance = _FAR * max(high - low, _LEAST_DISTANCE[measure])
    yield from _outliers(measure, [each for each in values if each[1] > high + distance], high + distance, "far")
    yield from _outliers(measure, [each for each in values if each[1] < low - distance], low - distance, "far")


def _quartiles(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    places = [nearest_rank(range(len(ordered)), quantile) or 0 for quantile in (0.25, 0.75)]
    return ordered[places[0]], ordered[places[1]]


def _outliers(measure: str, values: Sequence[_Value], bound: float, why: Literal["limit", "far"]) -> Iterator[Outlier]:
    for session, value in sorted(values, key=lambda each: (-abs(each[1] - bound), each[0])):
        yield Outlier(session, measure, value, bound, why)

"""Choose a scenario, and gather everything that the choice is explained with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from timectx.errors import TuneError
from timectx.sweep.advice.bootstrap import Certainty, certainty_of, drawings
from timectx.sweep.advice.constraints import Limits, Pick, pick
from timectx.sweep.advice.front import Point
from timectx.sweep.advice.grid import Grid, grid_of, recorded_grid
from timectx.sweep.advice.outliers import outliers_of
from timectx.sweep.advice.pooling import Pooled, all_totals, pool, untold_rows
from timectx.sweep.advice.reasons import Footing, reasons_for
from timectx.sweep.advice.recommendation import Neighbour, Recommendation, Setting, Today
from timectx.sweep.advice.refusal import refusal
from timectx.sweep.advice.staleness import bounded_rows
from timectx.sweep.advice.totals import Totals

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["recommend"]


def recommend(frame: DataFrame, limits: Limits, resamples: int, seed: int) -> Recommendation:
    """
    Recommend one of the scenarios of a sweep; see `tune`.

    Parameters
    ----------
    frame : DataFrame
        A sweep.
    limits : Limits
        What must be kept, checked.
    resamples : int
        How often to draw the sessions again.
    seed : int
        Of the drawings.

    Returns
    -------
    Recommendation
        With its reasons.

    Raises
    ------
    TuneError
        If there is nothing to compare, or no scenario keeps the limits.
    """
    grid = grid_of(frame)
    _check(grid)
    active = [bool(each) for each in grid.whole("steps").max(axis=1, initial=0) > 0]
    pooled = pool(grid, drawings(active, resamples, seed), limits.quantile, limits.by)
    points = pooled.points(0)
    picked = _picked(points, limits, [each.scenario for each in grid.candidates])
    return _explained(frame, grid, pooled, picked, limits, active)


def _check(grid: Grid) -> None:
    if not grid.candidates:
        raise TuneError("there is nothing to compare: the frame has no row of a scenario that was tried", kind="empty")
    if not grid.sessions:
        raise TuneError(
            f"there is nothing to compare: none of {len(grid.left_out):,} sessions has a row under every scenario",
            kind="empty",
        )


def _picked(points: Sequence[Point], limits: Limits, names: Sequence[str]) -> Pick:
    if not points:
        raise TuneError("no step of these sessions sees a reading, under any scenario tried", kind="no-reading")
    picked = pick(points, limits)
    if picked.choice is None:
        raise refusal(points, limits, names)
    return picked


def _explained(
    frame: DataFrame, grid: Grid, pooled: Pooled, picked: Pick, limits: Limits, active: Sequence[bool]
) -> Recommendation:
    choice, points = picked.choice, pooled.points(0)
    assert choice is not None
    totals = all_totals(grid, limits.quantile, pooled.counted)
    without = _without(grid, points, limits, choice)
    certainty: Certainty = certainty_of(pooled, grid.candidates, limits, choice)
    chosen = grid.candidates[choice.at]
    found = Recommendation(
        scenario=chosen.scenario,
        interval_ms=chosen.interval_ms,
        policy=chosen.policy,
        delivery=chosen.delivery,
        low_ms=certainty.low_ms,
        high_ms=certainty.high_ms,
        rule=limits.rule,
        limits=limits,
        totals=totals[choice.at],
        front=tuple(totals[each.at] for each in picked.front),
        neighbours=tuple(_neighbours(picked.front, choice, totals, points, limits)),
        binding=tuple(without),
        set_aside=_set_aside(grid, points, limits),
        resamples=certainty.resamples,
        same_ratio=certainty.same_ratio,
        unmet_ratio=certainty.unmet_ratio,
        outliers=outliers_of(grid, choice.at, limits),
        today=_today(recorded_grid(frame), grid, choice.at, limits.quantile),
    )
    footing = _footing(grid, points, limits, totals, active)
    return replace(found, reasons=reasons_for(found, replace(footing, without=without)))


def _neighbours(
    front: Sequence[Point], choice: Point, totals: Sequence[Totals], points: Sequence[Point], limits: Limits
) -> Iterator[Neighbour]:
    at, ours, held = front.index(choice), totals[choice.at], limits.over(points)
    for side, place in (("fresher", at - 1), ("cheaper", at + 1)):
        if 0 <= place < len(front):
            theirs = totals[front[place].at]
            more_staleness_ms = front[place].staleness_ms - choice.staleness_ms
            costs = ours.cost_usd, theirs.cost_usd
            more_cost = None if costs[0] is None or costs[1] is None else costs[1] - costs[0]
            yield Neighbour(
                side="fresher" if side == "fresher" else "cheaper",
                totals=theirs,
                more_tokens=theirs.spent_tokens - ours.spent_tokens,
                more_tokens_ratio=_ratio(theirs.spent_tokens - ours.spent_tokens, ours.spent_tokens),
                more_staleness_ms=more_staleness_ms,
                more_staleness_ratio=_ratio(more_staleness_ms, choice.staleness_ms),
                more_blind_steps=theirs.blind_steps - ours.blind_steps,
                more_cost_usd=more_cost,
                more_cost_ratio=_ratio(more_cost, ours.cost_usd),
                breaks=tuple(each.name for each in held if not each.allows(front[place])),
            )


def _ratio(difference: float | None, whole: float | None) -> float | None:
    return difference / whole if difference is not None and whole else None


def _without(grid: Grid, points: Sequence[Point], limits: Limits, choice: Point) -> dict[str, str]:
    """Return what would be chosen without each limit that binds."""
    names = [each.name for each in limits.over(points)]
    others = {name: pick(points, limits, without=name).choice for name in names}
    return {name: grid.candidates[each.at].scenario for name, each in others.items() if each and each != choice}


def _set_aside(grid: Grid, points: Sequence[Point], limits: Limits) -> tuple[str, ...]:
    bars = [each for each in limits.over(points) if not limits.is_axis(each)]
    kept = {point.at for point in points if all(bar.allows(point) for bar in bars)}
    return tuple(each.scenario for at, each in enumerate(grid.candidates) if at not in kept)


def _today(recorded: Grid, grid: Grid, choice: int, quantile: float) -> Today | None:
    both = set(recorded.sessions) & set(grid.sessions)
    ours, theirs = grid.only(both, [choice]), recorded.only(both)
    if not both:
        return None
    return Today(
        recorded=all_totals(theirs, quantile)[0],
        recommended=all_totals(ours, quantile)[0],
        settings=_settings(theirs),
    )


def _settings(recorded: Grid) -> tuple[Setting, ...]:
    rows = recorded.frame.iloc[recorded.rows[:, 0]]
    columns = [
        [str(each) for each in rows[name].tolist()] if name in rows.columns else [default] * len(rows)
        for name, default in (("policy", "interval"), ("edition", ""))
    ]
    intervals = recorded.whole("interval_ms")[:, 0].tolist()
    counts = Counter(zip(columns[0], intervals, columns[1], strict=True))
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Setting(policy, ms, edition, count) for (policy, ms, edition), count in ranked)


def _footing(
    grid: Grid, points: Sequence[Point], limits: Limits, totals: Sequence[Totals], active: Sequence[bool]
) -> Footing:
    known = [each for each in totals if each.cost_usd is not None and not each.unpriced_sessions]
    cheapest = min(known, key=lambda each: each.cost_usd or 0.0).scenario if len(known) == len(totals) else None
    return Footing(
        limits=limits.over(points),
        drawn=int(np.count_nonzero(active)),
        silent=len(active) - int(np.count_nonzero(active)),
        left_out=grid.left_out,
        bounded=bounded_rows(grid),
        untold=untold_rows(grid),
        deliveries=tuple(dict.fromkeys(each.delivery for each in grid.candidates)),
        longest_ms=max(each.interval_ms for each in grid.candidates),
        cheapest=cheapest,
        tried=len(grid.candidates),
    )

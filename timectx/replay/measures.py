"""Sum up a run: tokens, staleness, age and blind steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from timectx.errors import UnitError
from timectx.replay.run import Measures, RunAttempt, RunCompaction, RunReading, RunRequest, RunStep

__all__ = ["measure_run", "nearest_rank"]


def nearest_rank(values: Iterable[int], quantile: float) -> int | None:
    """
    Return the quantile of a set of whole numbers by the nearest-rank rule.

    Parameters
    ----------
    values : iterable of int
        In any order.
    quantile : float
        Above 0, up to 1; 1 gives the largest value.

    Returns
    -------
    int or None
        The smallest value that at least that share of the values does not exceed; None when
        there are none.

    Raises
    ------
    UnitError
        Kind ``quantile`` if `quantile` is out of range.

    Examples
    --------
    >>> nearest_rank([30, 10, 20, 40], 0.5), nearest_rank([], 0.5)
    (20, None)
    """
    if not 0 < quantile <= 1:
        raise UnitError(f"a quantile is above 0 and at most 1, got {quantile!r}", kind="quantile")
    ordered = sorted(values)
    exact = Fraction(str(quantile))  # as a float, 0.07 of 100 is a little over 7
    return ordered[math.ceil(exact * len(ordered)) - 1] if ordered else None


def measure_run(
    attempts: Sequence[RunAttempt],
    readings: Sequence[RunReading],
    steps: Sequence[RunStep],
    compactions: Sequence[RunCompaction],
    requests: Sequence[RunRequest] = (),
    *,
    peak_pressure_tokens: int = 0,
    first_compaction_step: int | None = None,
    extra_tokens: int = 0,
) -> Measures:
    """
    Sum up what a replay found.

    Parameters
    ----------
    attempts, readings, steps, compactions : sequences
        The parts of a run.
    requests : sequence, optional
        Its requests; those that belong to no step are counted beside the steps' own.
    peak_pressure_tokens : int, optional
        As it was measured on the way.
    first_compaction_step : int, optional
        As it was counted on the way; None without a compaction.
    extra_tokens : int, optional
        As it was counted on the way.

    Returns
    -------
    Measures
        Whole numbers wherever possible.
    """
    reading_tokens = sum(reading.price_tokens for reading in readings)
    resent_tokens = sum(reading.price_tokens * reading.resent_requests for reading in readings)
    idle = [request.input_tokens for request in requests if request.kind == "timer"]
    input_tokens = sum(step.input_tokens for step in steps) + sum(idle)
    staleness = [step.staleness_ms for step in steps if step.staleness_ms is not None]
    ages = [attempt.age_ms for attempt in attempts if attempt.age_ms is not None]
    unavailable = sum(reading.elapsed_ms is None for reading in readings)
    blind_steps, blind_ms = _longest_blind(steps)
    return Measures(
        attempts=len(attempts),
        steps=len(steps),
        requests=sum(step.requests for step in steps) + len(idle),
        readings=len(readings),
        reading_tokens=reading_tokens,
        resent_tokens=resent_tokens,
        input_tokens=input_tokens,
        reading_ratio=(reading_tokens + resent_tokens) / input_tokens if input_tokens else 0.0,
        staleness_median_ms=nearest_rank(staleness, 0.5),
        staleness_p95_ms=nearest_rank(staleness, 0.95),
        staleness_max_ms=max(staleness, default=None),
        age_median_ms=nearest_rank(ages, 0.5),
        age_p95_ms=nearest_rank(ages, 0.95),
        age_max_ms=max(ages, default=None),
        blind_steps=sum(step.staleness_ms is None for step in steps),
        blind_before_first_steps=sum(step.staleness_ms is None and step.before_first for step in steps),
        longest_blind_steps=blind_steps,
        longest_blind_ms=blind_ms,
        unavailable_readings=unavailable,
        unavailable_ratio=unavailable / len(readings) if readings else 0.0,
        zone_mismatch_steps=sum(step.zone_mismatch for step in steps),
        compactions=len(compactions),
        peak_surface_tokens=max((step.surface_tokens for step in steps), default=0),
        compaction_input_tokens=sum(each.summary_input_tokens or 0 for each in compactions),
        compaction_output_tokens=sum(each.summary_output_tokens or 0 for each in compactions),
        peak_pressure_tokens=peak_pressure_tokens,
        first_compaction_step=first_compaction_step,
        extra_tokens=extra_tokens,
    )


def _longest_blind(steps: Sequence[RunStep]) -> tuple[int, int]:
    """Return the length of the longest row of blind steps, and of the longest time until one that sees."""
    longest_steps = longest_ms = row = 0
    began_ms: int | None = None
    for step in steps:
        if began_ms is not None:
            longest_ms = max(longest_ms, step.now_ms - began_ms)
        if step.staleness_ms is None:
            row += 1
            began_ms = step.now_ms if began_ms is None else began_ms
            longest_steps = max(longest_steps, row)
        else:
            row, began_ms = 0, None
    return longest_steps, longest_ms

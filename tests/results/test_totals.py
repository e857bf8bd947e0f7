"""Test that many runs are summed up as if they were one."""

from __future__ import annotations

from msgspec.structs import replace

from tests.results.runs import MEASURES, run, with_steps
from timectx.results.totals import Pool, Totals, pool_runs


def test_counts_are_added_and_the_share_is_that_of_the_sums() -> None:
    """A long session weighs more than a short one; shares are not averaged."""
    small = replace(MEASURES, reading_tokens=10, resent_tokens=0, input_tokens=20, blind_steps=3)
    totals = pool_runs([run(), run(measures=small)])
    assert totals == Totals(
        runs=2,
        attempts=4,
        steps=4,
        requests=6,
        readings=2,
        reading_tokens=81,
        resent_tokens=142,
        input_tokens=730,
        reading_ratio=223 / 730,
        staleness_median_ms=0,
        staleness_p95_ms=5000,
        staleness_max_ms=5000,
        age_median_ms=4996,
        age_p95_ms=4996,
        age_max_ms=4996,
        blind_steps=3,
        blind_before_first_steps=0,
        compactions=2,
    )


def test_quantiles_are_taken_over_all_steps_together() -> None:
    """The median of two runs is a value of one of their steps, never a mean of two medians."""
    totals = pool_runs([with_steps(0, 0, 0, 9), with_steps(100, None)])
    assert (totals.staleness_median_ms, totals.staleness_p95_ms, totals.staleness_max_ms) == (0, 100, 100)
    assert (totals.age_median_ms, totals.age_p95_ms, totals.age_max_ms) == (0, 100, 100)


def test_blind_steps_have_no_staleness() -> None:
    """A run of blind steps alone has no quantiles."""
    totals = pool_runs([with_steps(None, None)])
    assert (totals.staleness_median_ms, totals.staleness_p95_ms, totals.age_max_ms) == (None, None, None)


def test_no_run_gives_zeros() -> None:
    """Nothing in, nothing out, and no division by zero."""
    assert (pool_runs([]), pool_runs([]).reading_ratio) == (Totals(), 0.0)


def test_totals_can_be_taken_in_between() -> None:
    """A pool goes on after its totals were asked for."""
    pool = Pool()
    pool.add(run())
    first = pool.totals()
    pool.add(run())
    assert (first, pool.totals()) == (pool_runs([run()]), pool_runs([run(), run()]))


def test_an_inherited_part_counts_where_it_came_from() -> None:
    """Of a session that took over its first step, only the second is new."""
    whole = run()
    first = replace(
        MEASURES, attempts=1, steps=1, requests=1, resent_tokens=0, input_tokens=221, compactions=0, blind_steps=0
    )
    part = run(steps=whole.steps[:1], attempts=whole.attempts[:1], compactions=(), measures=first)
    pool = Pool()
    pool.add(whole, part)
    assert pool.totals() == Totals(
        runs=1,
        attempts=1,
        steps=1,
        requests=2,
        readings=0,
        reading_tokens=0,
        resent_tokens=142,
        input_tokens=489,
        reading_ratio=142 / 489,
        staleness_median_ms=5000,
        staleness_p95_ms=5000,
        staleness_max_ms=5000,
        age_median_ms=4996,
        age_p95_ms=4996,
        age_max_ms=4996,
        blind_steps=0,
        blind_before_first_steps=0,
        compactions=1,
    )

"""Test the front, its knee, and what limits leave of it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from timectx.sweep.advice.constraints import Limits, Pick, pick
from timectx.sweep.advice.front import Point, front_of, knee_of


def point(at: int, spend: int, staleness_ms: int, *, blind: int = 0, interval_ms: int | None = None) -> Point:
    """Return a point that spends that many thousandths of all tokens, over a thousand steps."""
    share = Fraction(spend, 1000)
    return Point(at, at if interval_ms is None else interval_ms, share, share, staleness_ms, blind, 1000)


def test_the_front_is_what_no_other_beats_in_both() -> None:
    """Beaten in one and equal in the other is beaten, too."""
    points = [point(0, 300, 0), point(1, 310, 0), point(2, 80, 55), point(3, 80, 60), point(4, 90, 70), point(5, 1, 99)]
    assert [each.at for each in front_of(points)] == [0, 2, 5]
    assert front_of(reversed(points)) == front_of(points)


@pytest.mark.parametrize(
    ("points", "kept"),
    [
        ([point(0, 5, 5, blind=1), point(1, 5, 5)], 1),
        ([point(0, 5, 5, interval_ms=60), point(1, 5, 5, interval_ms=10)], 1),
        ([point(1, 5, 5, interval_ms=60), point(0, 5, 5, interval_ms=60)], 0),
    ],
    ids=["fewest blind steps", "shortest interval", "first"],
)
def test_of_equal_points_one_stays(points: list[Point], kept: int) -> None:
    """Which one is a rule, not the order they came in."""
    assert [each.at for each in front_of(points)] == [kept]


@pytest.mark.parametrize(
    ("points", "knee"),
    [
        ([point(0, 300, 0), point(1, 20, 600_000)], 1),
        ([point(0, 410, 0), point(1, 300, 5000)], 1),
        ([point(0, 3, 0), point(1, 1, 500_000)], 0),
        ([point(0, 3, 0), point(1, 1, 5000)], 1),
        ([point(0, 9, 7)], 0),
    ],
    ids=["equal sums", "seconds of staleness", "a fraction of a percent", "both small", "alone"],
)
def test_what_makes_little_difference_counts_little_at_the_knee(points: list[Point], knee: int) -> None:
    """A range below one minute or one percent is not blown up to the same weight as a large one."""
    assert knee_of(points).at == knee


def test_a_budget_keeps_settings_off_the_front_where_costs_are_weighed() -> None:
    """Then it is no bound along the front, but one like that on blind steps."""
    points = [point(0, 300, 0), point(1, 80, 55_000), point(2, 10, 900_000)]
    tokens = pick(points, Limits(budget_ratio=0.1))
    costs = pick(points, Limits(budget_ratio=0.1, by="cost"))
    assert ([each.at for each in tokens.front], tokens.choice) == ([0, 1, 2], points[1])
    assert ([each.at for each in costs.front], costs.choice) == ([1, 2], points[1])


def test_a_limit_can_be_left_out_of_account() -> None:
    """The rule stays that of all limits."""
    points = [point(0, 300, 0), point(1, 80, 55_000), point(2, 10, 900_000)]
    limits = Limits(max_staleness_ms=60_000)
    assert (pick(points, limits).choice, pick(points, limits, without="max_staleness_ms").choice) == tuple(points[1:])


def test_limits_that_none_keeps_leave_the_front_without_a_choice() -> None:
    """What could be had is still there to be shown."""
    points = [point(0, 300, 5000)]
    assert pick(points, Limits(max_staleness_ms=4999)) == Pick(tuple(points), None)

"""Order scenarios by what they spend and how stale they let readings get: the front, and its knee."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

__all__ = ["LEAST_SPEND", "LEAST_STALENESS_MS", "Point", "front_of", "knee_of"]

LEAST_SPEND: Final = Fraction(1, 100)
LEAST_STALENESS_MS: Final = Fraction(60_000)
"""Ranges of spending and staleness so small that what they hold makes little difference; see `knee_of`."""


class Point(NamedTuple):
    """
    Place one scenario: what it spends, and how stale it lets readings get.

    `at` is its place among the scenarios compared. `spend` is what the front weighs against
    staleness: the share of tokens, or the bill as a multiple of the lowest one; `share` is always the
    share of tokens. `staleness_ms` is the quantile asked for, over the steps that see a reading.
    """

    at: int
    interval_ms: int
    spend: Fraction
    share: Fraction
    staleness_ms: int
    blind_steps: int
    steps: int

    @property
    def blind_ratio(self) -> Fraction:
        """The share of the steps that see no reading; 0 without steps."""
        return Fraction(self.blind_steps, self.steps) if self.steps else Fraction(0)


def front_of(points: Iterable[Point]) -> tuple[Point, ...]:
    """
    Return the points that no other beats in both spending and staleness.

    Parameters
    ----------
    points : iterable of Point
        In any order; `at` tells equal ones apart.

    Returns
    -------
    tuple of Point
        Freshest and dearest first: staleness rises strictly, spending falls strictly. Of points equal
        in both the one with the fewest blind steps stays, then the shortest interval, then the first.

    Examples
    --------
    >>> def point(at, spend, staleness_ms):
    ...     return Point(at, at, Fraction(spend, 100), Fraction(spend, 100), staleness_ms, 0, 10)
    >>> [each.at for each in front_of([point(0, 9, 0), point(1, 9, 0), point(2, 5, 60), point(3, 6, 70)])]
    [0, 2]
    """
    kept: list[Point] = []
    for each in sorted(points, key=lambda one: (one.staleness_ms, one.spend, one.blind_steps, one.interval_ms, one.at)):
        if not kept or each.spend < kept[-1].spend:
            kept.append(each)
    return tuple(kept)


def knee_of(front: Sequence[Point]) -> Point:
    """
    Return the point of a front from which a fresher reading starts to cost more than it gains.

    Parameters
    ----------
    front : sequence of Point
        As `front_of` returns it, not empty.

    Returns
    -------
    Point
        The one with the smallest sum of spending and staleness, each scaled from 0 (the least on
        the front) to 1 (the most). A range below `LEAST_SPEND` or `LEAST_STALENESS_MS` counts as
        that, so that what makes little difference weighs little. At equal sums the cheaper wins.

    Examples
    --------
    >>> def point(at, spend, staleness_ms):
    ...     return Point(at, at, Fraction(spend, 100), Fraction(spend, 100), staleness_ms, 0, 10)
    >>> knee_of([point(0, 30, 0), point(1, 5, 60_000), point(2, 1, 600_000)]).at
    1
    """
    spends = _scaled([each.spend for each in front], LEAST_SPEND)
    stalenesses = _scaled([Fraction(each.staleness_ms) for each in front], LEAST_STALENESS_MS)
    sums = [spend + staleness for spend, staleness in zip(spends, stalenesses, strict=True)]
    return min(zip(sums, front, strict=True), key=lambda pair: (pair[0], pair[1].spend))[1]


def _scaled(values: Sequence[Fraction], least_range: Fraction) -> list[Fraction]:
    low = min(values)
    span = max(max(values) - low, least_range)
    return [(value - low) / span for value in values]

"""Say which limit leaves no scenario, and what would satisfy it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, nextafter

from timectx.errors import TuneError
from timectx.sweep.advice.constraints import BLIND_GUARD, Limit, Limits
from timectx.sweep.advice.front import Point
from timectx.sweep.advice.wording import joined, limit_words, value_words

__all__ = ["refusal"]


def refusal(points: Sequence[Point], limits: Limits, names: Sequence[str]) -> TuneError:
    """
    Explain why no scenario keeps the limits.

    Parameters
    ----------
    points : sequence of Point
        The scenarios that give some step a reading, not empty.
    limits : Limits
        The limits, which none of them keeps.
    names : sequence of str
        What the scenarios are called, by their place.

    Returns
    -------
    TuneError
        Its kind is the limit that none keeps even alone, else ``together``. `nearest` and the message
        have, for each limit that would do if it alone were wider, the least value that the others
        leave; where no single one is enough, those of the scenario that breaks the fewest.

    Examples
    --------
    >>> point = Point(0, 60_000, Fraction(1, 50), Fraction(1, 50), 55_000, 0, 100)
    >>> print(refusal([point], Limits(max_staleness_ms=10_000), ["1m"]))
    no setting tried keeps a staleness of at most 10s at 95 %; the nearest has a staleness of 55s at 95 %: 1m
    """
    held = limits.over(points)
    alone = [each for each in held if not any(map(each.allows, points))]
    single = {each: point for each in held if (point := _nearest(each, points, held)) is not None}
    found = single or _fewest_broken(points, held)
    tight = alone or [each for each in held if each.name != BLIND_GUARD or each in found]
    words = joined([limit_words(each, limits.quantile) for each in tight], "or" if alone else "and")
    ways = _single_ways(found, points, names, limits) if single else [_joint_way(found, names, limits)]
    return TuneError(
        "; ".join([f"no setting tried keeps {words}" + (" at once" if len(tight) > 1 and not alone else ""), *ways]),
        kind=alone[0].name if len(alone) == 1 else "together",
        nearest={each.name: (_rounded_up(each.value(point)), names[point.at]) for each, point in found.items()},
    )


def _nearest(limit: Limit, points: Sequence[Point], held: Sequence[Limit]) -> Point | None:
    """Return the point that breaks a limit least among those that keep all others; None where none does."""
    others = [each for each in held if each != limit]
    left = [point for point in points if all(each.allows(point) for each in others)]
    return min(left, key=lambda point: (limit.value(point), point.spend, point.at), default=None)


def _fewest_broken(points: Sequence[Point], held: Sequence[Limit]) -> dict[Limit, Point]:
    broken = {point: [each for each in held if not each.allows(point)] for point in points}
    point = min(points, key=lambda each: (len(broken[each]), each.spend, each.at))
    return dict.fromkeys(broken[point], point)


def _single_ways(
    found: Mapping[Limit, Point], points: Sequence[Point], names: Sequence[str], limits: Limits
) -> list[str]:
    ways = []
    held = limits.over(points)
    for limit, point in found.items():
        which = "the nearest" + _among(limit, point, points, held)
        value = value_words(limit, limit.value(point), limits.quantile)
        allow = ", which max_blind_ratio would allow" if limit.name == BLIND_GUARD else ""
        ways.append(f"{which} has {value}: {names[point.at]}{allow}")
    return ways


def _among(limit: Limit, point: Point, points: Sequence[Point], held: Sequence[Limit]) -> str:
    """Say which scenarios come into question, where that leaves one out that has less of what is limited."""
    given = [each for each in held if each.name not in (limit.name, BLIND_GUARD)]
    if given:
        return " that keeps the other limits"
    hidden = any(limit.value(each) < limit.value(point) for each in points)
    return " that is not set aside for its blind steps" if hidden and limit.name != BLIND_GUARD else ""


def _joint_way(found: Mapping[Limit, Point], names: Sequence[str], limits: Limits) -> str:
    values = [value_words(each, each.value(point), limits.quantile) for each, point in found.items()]
    name = next(names[point.at] for point in found.values())
    return f"no single one is to blame; the nearest has {joined(values)}: {name}"


def _rounded_up(value: Fraction) -> float:
    """Return a number that, taken as a limit, allows the value."""
    found = float(value)
    return found if Fraction(str(found)) >= value else nextafter(found, inf)

"""Say which limit leaves no scenario, and what would satisfy it."""

from __future__ import annotations

from collections.abc import Sequence

from timectx.errors import TuneError
from timectx.sweep.constraints import BLIND_GUARD, Limit, Limits
from timectx.sweep.front import Point
from timectx.sweep.wording import joined, limit_words, value_words

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
        Its kind is the limit that none keeps even alone, else ``together``. The message names each
        limit that binds, with the least that the other limits leave and the scenario that has it.

    Examples
    --------
    >>> from fractions import Fraction
    >>> point = Point(0, 60_000, Fraction(1, 50), Fraction(1, 50), 55_000, 0, 100)
    >>> print(refusal([point], Limits(max_staleness_ms=10_000), ["1m"]))
    no setting tried keeps a staleness of at most 10s at 95 %; the nearest has a staleness of 55s at 95 %: 1m
    """
    held = limits.over(points)
    alone = [each for each in held if not any(map(each.allows, points))]
    near = {each: _nearest(each, points, held) for each in alone or held}
    binding = [each for each, point in near.items() if point is not None] or list(near)
    found = {each: near[each] or _nearest(each, points, (each,)) or points[0] for each in binding}
    nearest = {each.name: (float(each.value(point)), names[point.at]) for each, point in found.items()}
    kind = binding[0].name if len(binding) == 1 and alone else "together"
    message = "; ".join(
        [
            f"no setting tried keeps {joined([limit_words(each, limits.quantile) for each in binding])}"
            + ("" if alone or len(binding) == 1 else " at once"),
            *(_way_out(each, point, names[point.at], limits, held) for each, point in found.items()),
        ]
    )
    return TuneError(message, kind=kind, nearest=nearest)


def _nearest(limit: Limit, points: Sequence[Point], held: Sequence[Limit]) -> Point | None:
    """Return the point that breaks a limit least among those that keep all others; None where none does."""
    others = [each for each in held if each != limit]
    left = [point for point in points if all(each.allows(point) for each in others)]
    return min(left, key=lambda point: (limit.value(point), point.spend, point.at), default=None)


def _way_out(limit: Limit, point: Point, name: str, limits: Limits, held: Sequence[Limit]) -> str:
    value = value_words(limit, limit.value(point), limits.quantile)
    within = (
        " that keeps the other limits" if [each for each in held if each.name not in (limit.name, BLIND_GUARD)] else ""
    )
    allow = ": allow it with max_blind_ratio" if limit.name == BLIND_GUARD else ""
    return f"the nearest{within} has {value}: {name}{allow}"

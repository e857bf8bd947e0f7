"""Hold the limits a recommendation must keep, and pick from a front what keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from timectx.errors import TuneError
from timectx.sweep.advice.front import Point, front_of, knee_of

__all__ = ["BLIND_GUARD", "By", "Limit", "Limits", "Pick", "Rule", "pick"]

By: TypeAlias = Literal["tokens", "cost"]
Rule: TypeAlias = Literal["knee", "cheapest", "freshest"]

BLIND_GUARD: Final = "blind_guard"
"""The limit that holds where none on blind steps is given: at most `_GUARD` more of them than the best leaves."""

_GUARD: Final = Fraction(1, 100)

_VALUES: Final[dict[str, Callable[[Point], Fraction]]] = {
    "max_staleness_ms": lambda point: Fraction(point.staleness_ms),
    "max_blind_ratio": lambda point: point.blind_ratio,
    "max_blind_steps": lambda point: Fraction(point.blind_steps),
    BLIND_GUARD: lambda point: point.blind_ratio,
    "budget_ratio": lambda point: point.share,
}


class Limit(Struct, frozen=True):
    """Hold one limit: its name, and the most that is allowed."""

    name: str
    most: Fraction

    def value(self, point: Point) -> Fraction:
        """
        Return what a scenario has of what is limited.

        Parameters
        ----------
        point : Point
            The scenario.

        Returns
        -------
        Fraction
            In the unit that the limit's name ends in.
        """
        return _VALUES[self.name](point)

    def allows(self, point: Point) -> bool:
        """
        Tell whether a scenario keeps the limit.

        Parameters
        ----------
        point : Point
            The scenario.

        Returns
        -------
        bool
            True up to and including the limit itself.
        """
        return self.value(point) <= self.most


class Limits(Struct, frozen=True, kw_only=True):
    """
    Hold what a recommendation must keep; None sets no limit.

    Parameters are those of `tune` of the same names. `by` says what is weighed against staleness.
    """

    max_staleness_ms: int | None = None
    quantile: float = 0.95
    max_blind_ratio: float | None = None
    max_blind_steps: int | None = None
    budget_ratio: float | None = None
    by: By = "tokens"

    @property
    def rule(self) -> Rule:
        """How to choose: a limit on freshness asks for the cheapest, a budget alone for the freshest."""
        if self.max_staleness_ms is not None:
            return "cheapest"
        if self.budget_ratio is not None:
            return "freshest"
        return "cheapest" if self._limits_blind else "knee"

    @property
    def _limits_blind(self) -> bool:
        return self.max_blind_ratio is not None or self.max_blind_steps is not None

    def check(self) -> None:
        """
        Refuse limits that are none.

        Raises
        ------
        TuneError
            Kind: the parameter's name.
        """
        for name, value in (("max_staleness_ms", self.max_staleness_ms), ("max_blind_steps", self.max_blind_steps)):
            if value is not None and (type(value) is not int or value < 0):
                raise TuneError(f"{name} is a whole number of 0 or more, or None; got {value!r}", kind=name)
        for name, ratio in (("max_blind_ratio", self.max_blind_ratio), ("budget_ratio", self.budget_ratio)):
            if ratio is not None and not (_is_number(ratio) and 0 <= ratio <= 1):
                raise TuneError(f"{name} is a share from 0 to 1, or None; got {ratio!r}", kind=name)
        if not (_is_number(self.quantile) and 0 < self.quantile <= 1):
            raise TuneError(f"a quantile is above 0 and at most 1; got {self.quantile!r}", kind="quantile")
        if self.by not in ("tokens", "cost"):
            raise TuneError(f"by is one of tokens, cost; got {self.by!r}", kind="by")

    def over(self, points: Sequence[Point]) -> tuple[Limit, ...]:
        """
        Return the limits as they hold for some scenarios.

        Parameters
        ----------
        points : sequence of Point
            The scenarios compared, not empty.

        Returns
        -------
        tuple of Limit
            Those given; and where none on blind steps is, the guard against them.
        """
        given = (
            ("max_staleness_ms", self.max_staleness_ms),
            ("max_blind_ratio", self.max_blind_ratio),
            ("max_blind_steps", self.max_blind_steps),
            ("budget_ratio", self.budget_ratio),
        )
        limits = [Limit(name, Fraction(str(value))) for name, value in given if value is not None]
        if not self._limits_blind:
            limits.append(Limit(BLIND_GUARD, min(each.blind_ratio for each in points) + _GUARD))
        return tuple(limits)

    def is_axis(self, limit: Limit) -> bool:
        """
        Tell whether a limit cuts the front across, rather than keep scenarios off it.

        Parameters
        ----------
        limit : Limit
            One of them.

        Returns
        -------
        bool
            True for staleness, and for the budget where tokens are weighed.
        """
        return limit.name == "max_staleness_ms" or (limit.name == "budget_ratio" and self.by == "tokens")


class Pick(Struct, frozen=True):
    """Hold the front of the scenarios admitted, and the choice; None where the limits leave none."""

    front: tuple[Point, ...]
    choice: Point | None


def pick(points: Sequence[Point], limits: Limits, without: str = "") -> Pick:
    """
    Pick a scenario.

    Parameters
    ----------
    points : sequence of Point
        The scenarios that give some step a reading.
    limits : Limits
        What must be kept, and by which rule to choose.
    without : str, optional
        Name of a limit to leave out of account.

    Returns
    -------
    Pick
        The front, freshest first, and the choice on it.

    Examples
    --------
    >>> pick([], Limits())
    Pick(front=(), choice=None)
    """
    if not points:
        return Pick((), None)
    held = [each for each in limits.over(points) if each.name != without]
    bars = [each for each in held if not limits.is_axis(each)]
    cuts = [each for each in held if limits.is_axis(each)]
    front = front_of(point for point in points if all(bar.allows(point) for bar in bars))
    left = [point for point in front if all(cut.allows(point) for cut in cuts)]
    if not left:
        return Pick(front, None)
    if limits.rule == "knee":
        return Pick(front, knee_of(left))
    return Pick(front, left[-1] if limits.rule == "cheapest" else left[0])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

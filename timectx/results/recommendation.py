"""Recommend a refresh interval from what each one costs and how stale it lets readings get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from timectx.reading import format_duration
from timectx.results.totals import Totals
from timectx.units import format_interval

__all__ = ["Recommendation", "recommend_interval"]

_BLIND_RATIO: Final = Fraction(1, 100)
"""How much more of all steps an interval may leave blind than the best one does."""

_LEAST_SHARE: Final = Fraction(1, 100)
_LEAST_STALENESS_MS: Final = Fraction(60_000)
"""Ranges of share and staleness so small that what they hold makes little difference; see the rule."""

_AS_GOOD: Final = Fraction(1, 20)
"""How far above the best sum an interval may lie and still count as about as good."""


class Recommendation(Struct, frozen=True, kw_only=True):
    """
    Name the interval to use, and say why.

    `interval_ms` is the choice, `low_ms` to `high_ms` the range of tried intervals around it that
    are about as good, `front_ms` the tried intervals that no other beats in both cost and
    staleness, shortest first. `reasons` are sentences for people.
    """

    interval_ms: int
    low_ms: int
    high_ms: int
    front_ms: tuple[int, ...]
    reasons: tuple[str, ...]

    def snippet(self) -> str:
        """
        Return the setting as the two lines of configuration that make it so.

        Returns
        -------
        str
            YAML for the harness's time-context plugin.

        Examples
        --------
        >>> best = Recommendation(interval_ms=60_000, low_ms=60_000, high_ms=60_000, front_ms=(60_000,), reasons=())
        >>> print(best.snippet())
        config:
          refreshIntervalMs: 60000  # 1m
        """
        words = format_interval(self.interval_ms) if self.interval_ms else "a reading at every attempt"
        return f"config:\n  refreshIntervalMs: {self.interval_ms}  # {words}"


def recommend_interval(totals: Mapping[int, Totals]) -> Recommendation | None:
    """
    Recommend one of the intervals that were tried.

    Parameters
    ----------
    totals : Mapping of int to Totals
        What each interval, in milliseconds, came to over the same sessions.

    Returns
    -------
    Recommendation or None
        None when no interval gave a step that sees a reading.

    Notes
    -----
    The rule has four parts. An interval that leaves more steps blind than the best one does, by
    more than 1 % of all steps, is set aside. So is one that another beats: no larger share of
    tokens and no larger 95th percentile of staleness, and one of them smaller; of equals the
    shortest stays. Share and staleness are then scaled from 0 (the least left) to 1 (the most, or
    1 % of all tokens and one minute where that is more). The interval with the smallest sum of
    both wins: the knee of the curve, where a shorter interval starts to cost more than it gains. At
    equal sums the longer wins, because it is the cheaper one.

    Examples
    --------
    >>> recommend_interval({}) is None
    True
    """
    seen = {ms: each for ms, each in sorted(totals.items()) if each.staleness_p95_ms is not None}
    if not seen:
        return None
    kept = _sighted(seen)
    front = _front(kept)
    sums = _sums({ms: kept[ms] for ms in front})
    best = min(front, key=lambda ms: (sums[ms], -ms))
    low, high = _as_good(front, sums, best)
    return Recommendation(
        interval_ms=best,
        low_ms=low,
        high_ms=high,
        front_ms=front,
        reasons=_reasons(best, kept, front, (low, high), [ms for ms in seen if ms not in kept]),
    )


def _sighted(totals: Mapping[int, Totals]) -> dict[int, Totals]:
    blind = {ms: Fraction(each.blind_steps, each.steps) for ms, each in totals.items()}
    limit = min(blind.values()) + _BLIND_RATIO
    return {ms: each for ms, each in totals.items() if blind[ms] <= limit}


def _front(totals: Mapping[int, Totals]) -> tuple[int, ...]:
    points = {ms: (_share(each), _staleness(each)) for ms, each in totals.items()}

    def is_beaten(ms: int) -> bool:
        share, staleness = points[ms]
        return any(
            other_share <= share
            and other_staleness <= staleness
            and ((other_share, other_staleness) != (share, staleness) or other < ms)
            for other, (other_share, other_staleness) in points.items()
            if other != ms
        )

    return tuple(ms for ms in points if not is_beaten(ms))


def _sums(totals: Mapping[int, Totals]) -> dict[int, Fraction]:
    shares = _scaled([_share(each) for each in totals.values()], _LEAST_SHARE)
    stalenesses = _scaled([Fraction(_staleness(each)) for each in totals.values()], _LEAST_STALENESS_MS)
    return {ms: shares[at] + stalenesses[at] for at, ms in enumerate(totals)}


def _scaled(values: Sequence[Fraction], least_range: Fraction) -> list[Fraction]:
    low = min(values)
    span = max(max(values) - low, least_range)
    return [(value - low) / span for value in values]


def _as_good(front: tuple[int, ...], sums: Mapping[int, Fraction], best: int) -> tuple[int, int]:
    low = high = front.index(best)
    limit = sums[best] + _AS_GOOD
    while low > 0 and sums[front[low - 1]] <= limit:
        low -= 1
    while high < len(front) - 1 and sums[front[high + 1]] <= limit:
        high += 1
    return front[low], front[high]


def _reasons(
    best: int, totals: Mapping[int, Totals], front: tuple[int, ...], good: tuple[int, int], blind: Sequence[int]
) -> tuple[str, ...]:
    at = front.index(best)
    neighbours = [(front[at - 1], "shorter")] if at else []
    neighbours += [(front[at + 1], "longer")] if at + 1 < len(front) else []
    reasons = [f"At {format_interval(best)} readings take {_effect(totals[best])}."]
    reasons += [
        f"The next {word} interval worth a look, {format_interval(ms)}: {_effect(totals[ms])}."
        for ms, word in neighbours
    ]
    if good[0] < good[1]:
        reasons.append(f"Anything from {format_interval(good[0])} to {format_interval(good[1])} is about as good.")
    if blind:
        named = ", ".join(map(format_interval, blind))
        reasons.append(f"Set aside, because they leave more steps without any reading: {named}.")
    reasons.append(_RULE if len(front) > 1 else "No other interval tried is cheaper or fresher.")
    return tuple(reasons)


_RULE: Final = (
    "Rule: of the intervals that no other beats in both, the one where share of tokens and staleness, "
    "each scaled to its range here (at least 1 % and one minute), have the smallest sum."
)


def _effect(totals: Totals) -> str:
    stale = format_duration(_staleness(totals))
    return f"{100 * totals.reading_ratio:.1f} % of all tokens, and 95 % of the steps see one at most {stale} old"


def _share(totals: Totals) -> Fraction:
    spent = totals.reading_tokens + totals.resent_tokens
    return Fraction(spent, totals.input_tokens) if totals.input_tokens else Fraction(0)


def _staleness(totals: Totals) -> int:
    return totals.staleness_p95_ms or 0

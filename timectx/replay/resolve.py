"""Settle what a scenario leaves to the log: the zone that readings fall back on, and the scale of prices."""

from __future__ import annotations

from bisect import bisect_right

from timectx.replay.scenario import Scenario, ZoneSpans
from timectx.replay.timeline import Timeline

__all__ = ["fallback_zone", "resolve_scenario"]


def resolve_scenario(timeline: Timeline, scenario: Scenario) -> Scenario:
    """
    Settle what a scenario leaves to the log.

    Parameters
    ----------
    timeline : Timeline
        Of the session.
    scenario : Scenario
        Perhaps without a zone.

    Returns
    -------
    Scenario
        With the fallback zone that the log's readings print where no browser zone is resolved, in
        spans where it changes; ``UTC`` when none says. With the timeline's scale under the meter
        ``scaled``.
    """
    if scenario.meter == "scaled":
        scenario = scenario.replace(scale=timeline.prices.scale)
    if scenario.time_zone is not None:
        return scenario
    spans: list[tuple[int, str]] = []
    for moment in timeline.moments.moments:
        own = moment.own
        if own is None or (own.browser_zone is not None and own.browser_zone.kind == "resolved"):
            continue
        if not spans or not _is_same_zone(spans[-1][1], own.zone):
            spans.append((moment.attempt.seq if spans else 0, own.zone))
    if not spans:
        return scenario.replace(time_zone="UTC")
    return scenario.replace(time_zone=tuple(spans) if len(spans) > 1 else spans[0][1])


def fallback_zone(spans: ZoneSpans, seq: int) -> str:
    """
    Return the fallback zone in force at a place in the log.

    Parameters
    ----------
    spans : tuple
        Pairs of the first seq a zone holds for and the zone, by rising seq.
    seq : int
        Seq of the attempt's mark.

    Returns
    -------
    str
        The zone; before the first span, that of the first.

    Examples
    --------
    >>> spans = ((0, "UTC"), (40, "Asia/Tokyo"))
    >>> fallback_zone(spans, 39), fallback_zone(spans, 40)
    ('UTC', 'Asia/Tokyo')
    """
    return spans[max(0, bisect_right(spans, seq, key=lambda span: span[0]) - 1)][1]


def _is_same_zone(one: str, other: str) -> bool:
    """Tell whether two zones print alike; labels may be equal over clocks that are not."""
    return one == other and getattr(one, "clock", None) == getattr(other, "clock", None)

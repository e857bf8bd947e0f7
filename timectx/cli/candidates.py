"""Lay out the scenarios that tuning compares: each base under each interval, and presets as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from timectx.replay import Scenario

__all__ = ["candidates", "takes_intervals"]

_UNASKED = ("session-prefix", "tool")
"""Deliveries that never ask when a reading is due."""


def candidates(
    bases: Iterable[Scenario], intervals_ms: Sequence[int], presets: Iterable[Scenario] = ()
) -> list[Scenario]:
    """
    Return the scenarios to compare.

    Parameters
    ----------
    bases : iterable of Scenario
        Each is tried under every interval, or once where no interval plays a part in it.
    intervals_ms : sequence of int
        In milliseconds, in the order of the table.
    presets : iterable of Scenario
        Tried as they are, after the others.

    Returns
    -------
    list of Scenario
        Each once.

    Raises
    ------
    ScenarioError
        If an interval is too short for a scenario.

    Examples
    --------
    >>> [each.interval_ms for each in candidates([Scenario()], [0, 60_000])]
    [0, 60000]
    """
    found: list[Scenario] = []
    for each in (*_crossed(bases, intervals_ms), *presets):
        if each not in found:
            found.append(each)
    return found


def takes_intervals(scenario: Scenario) -> bool:
    """
    Tell whether an interval plays a part in a scenario.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    bool
        True for a timer, and wherever the policy asks for the interval.

    Examples
    --------
    >>> takes_intervals(Scenario()), takes_intervals(Scenario(policy="recorded"))
    (True, False)
    """
    if scenario.delivery == "timer":
        return True
    return scenario.delivery not in _UNASKED and "interval" in scenario.policy.split(" ")


def _crossed(bases: Iterable[Scenario], intervals_ms: Sequence[int]) -> Iterator[Scenario]:
    for base in bases:
        if takes_intervals(base):
            yield from (base.replace(interval_ms=ms) for ms in intervals_ms)
        else:
            yield base

"""Call scenarios in plots and reports what people call them."""

from __future__ import annotations

from timectx.sweep.labels import AS_RECORDED

__all__ = ["EVERY_ATTEMPT", "setting_name"]

EVERY_ATTEMPT = "every attempt"
"""What an interval of 0 means."""


def setting_name(scenario: str) -> str:
    """
    Return the name of a scenario for people.

    Parameters
    ----------
    scenario : str
        As a sweep calls it.

    Returns
    -------
    str
        In words where it is a reading at every attempt, or what was recorded; else as it is.

    Examples
    --------
    >>> setting_name("0, compaction off"), setting_name("as-recorded"), setting_name("10m")
    ('every attempt, compaction off', 'as recorded', '10m')
    """
    if scenario == AS_RECORDED:
        return "as recorded"
    first, comma, rest = scenario.partition(",")
    return f"{EVERY_ATTEMPT}{comma}{rest}" if first == "0" else scenario

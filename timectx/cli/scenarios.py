"""Say in words, and in plain values, what a scenario sets."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import Final

from timectx.replay import Compaction, Scenario
from timectx.replay.counters import counter_label, counter_of
from timectx.units import format_interval

__all__ = ["due_words", "scenario_document", "scenario_words"]

_METERS: Final = {
    "estimate": "the fixed estimate",
    "reported": "the provider's counts where the log has them",
    "scaled": "the fixed estimate, scaled to the provider's counts",
}


def scenario_words(scenario: Scenario) -> str:
    """
    Say in words what a scenario sets.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    str
        Edition, zone and meter, and whatever else is not as usual; not when a reading is due.

    Examples
    --------
    >>> scenario_words(Scenario(compaction="off"))
    'edition readme, zone from the log, tokens by the fixed estimate, no compaction'
    """
    zone = scenario.time_zone
    shown = zone if isinstance(zone, str) or zone is None else ", ".join(dict.fromkeys(name for _, name in zone))
    parts = [f"edition {scenario.edition}", f"zone {shown or 'from the log'}", f"tokens by {_sizes(scenario)}"]
    if scenario.delivery != "appended":
        parts.append(f"delivery {scenario.delivery}")
    if isinstance(scenario.compaction, Compaction):
        window = scenario.compaction.context_window
        parts.append("simulated compaction" + (f" in {window:,} tokens" if window else ""))
    elif scenario.compaction == "off":
        parts.append("no compaction")
    parts += [f"billed as {scenario.model}"] if scenario.model else []
    parts += [f"cache {scenario.cache}"] if scenario.cache else []
    return ", ".join(parts)


def due_words(scenario: Scenario) -> str:
    """
    Say in words when a reading is due.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    str
        A phrase.

    Examples
    --------
    >>> due_words(Scenario(interval_ms=60_000)), due_words(Scenario(policy="recorded"))
    ('interval 1m', 'readings as recorded')
    >>> due_words(Scenario(interval_ms=60_000, policy="interval | gap"))
    'due by interval 1m | gap of 30m'
    """
    if scenario.policy == "recorded":
        return "readings as recorded"
    if scenario.policy == "interval" or scenario.delivery == "timer":
        return f"interval {format_interval(scenario.interval)}"
    terms = {
        "interval": f"interval {format_interval(scenario.interval)}",
        "gap": f"gap of {format_interval(scenario.gap_ms)}",
    }
    return "due by " + " ".join(terms.get(word, word) for word in scenario.policy.split(" "))


def _sizes(scenario: Scenario) -> str:
    """Say what the tokens are counted by."""
    if scenario.counter is None:
        return _METERS[scenario.meter]
    return counter_label(counter_of(scenario.counter)) + (
        "" if scenario.meter == "estimate" else f", meter {scenario.meter}"
    )


def scenario_document(scenario: Scenario) -> dict[str, object]:
    """
    Return a scenario as plain values.

    Parameters
    ----------
    scenario : Scenario
        One that a file could hold.

    Returns
    -------
    dict
        Every knob by its name in TOML, and as TOML holds it; None for those that no file would name.

    Examples
    --------
    >>> document = scenario_document(Scenario(interval_ms=60_000))
    >>> document["interval_ms"], document["time_zone"]
    (60000, None)
    """
    told = tomllib.loads(scenario.to_toml())
    return {knob.name: told.get(knob.name) for knob in fields(scenario)}

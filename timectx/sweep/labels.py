"""Name scenarios in a few words, each apart from the others of its sweep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final

from timectx.replay import Compaction, Scenario
from timectx.units import format_interval

__all__ = ["AS_RECORDED", "compaction_word", "scenario_label", "scenario_labels", "zone_words"]

AS_RECORDED: Final = "as-recorded"
"""What stands for the scenario that explains a session's own readings, whichever that is."""

_TOLD: Final = ("interval_ms", "policy", "delivery", "gap_ms", "tool_calls")


def scenario_label(scenario: Scenario) -> str:
    """
    Name a scenario in a few words.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    str
        When a reading is due, and whatever else is not as in ``Scenario()``.

    Examples
    --------
    >>> scenario_label(Scenario(interval_ms=600_000)), scenario_label(Scenario(edition="current", compaction="off"))
    ('10m', '10m, edition current, compaction off')
    """
    plain = Scenario()
    parts = [_due(scenario)]
    parts += [] if scenario.delivery == plain.delivery else [_delivery(scenario)]
    for name in (field.name for field in fields(Scenario) if field.name not in _TOLD):
        value = getattr(scenario, name)
        if value != getattr(plain, name):
            parts.append(_words(name, value))
    return ", ".join(parts)


def scenario_labels(scenarios: Sequence[Scenario | str]) -> list[str]:
    """
    Name the scenarios of one sweep.

    Parameters
    ----------
    scenarios : sequence of Scenario or str
        Each once; a text names itself.

    Returns
    -------
    list of str
        One each; a number tells those apart that a few words do not.

    Examples
    --------
    >>> scenario_labels([Scenario(counter=len), Scenario(counter=id), "as-recorded"])
    ['0, counter len', '0, counter id', 'as-recorded']
    """
    seen: dict[str, int] = {}
    labels = []
    for each in scenarios:
        label = each if isinstance(each, str) else scenario_label(each)
        seen[label] = seen.get(label, 0) + 1
        labels.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return labels


def zone_words(zone: object) -> str | None:
    """
    Return the zones that a scenario falls back on, in words.

    Parameters
    ----------
    zone : str, tuple or None
        As a scenario holds it.

    Returns
    -------
    str or None
        One name, or several with commas between them, each once.

    Examples
    --------
    >>> zone_words(((0, "UTC"), (40, "Asia/Tokyo"))), zone_words(None) is None
    ('UTC, Asia/Tokyo', True)
    """
    if zone is None or isinstance(zone, str):
        return zone
    return ", ".join(dict.fromkeys(name for _, name in _spans(zone)))


def compaction_word(mode: object) -> str:
    """
    Return where the compactions of a scenario come from.

    Parameters
    ----------
    mode : str or Compaction
        As a scenario holds it.

    Returns
    -------
    str
        ``recorded``, ``off`` or ``simulated``.

    Examples
    --------
    >>> compaction_word(Compaction()), compaction_word("off")
    ('simulated', 'off')
    """
    return "simulated" if isinstance(mode, Compaction) else str(mode)


def _due(scenario: Scenario) -> str:
    interval = format_interval(scenario.interval)
    terms = {"interval": interval, "gap": f"gap {format_interval(getattr(scenario, 'gap_ms', 0))}"}
    return " ".join(terms.get(word, word) for word in scenario.policy.split(" "))


def _delivery(scenario: Scenario) -> str:
    delivery, calls = str(scenario.delivery), getattr(scenario, "tool_calls", 1)
    return f"{delivery} x{calls}" if delivery == "tool" and calls != 1 else delivery


def _words(name: str, value: object) -> str:
    word = name.replace("_", "-").removeprefix("time-")
    if isinstance(value, bool):
        return word if value else f"no {word}"
    if isinstance(value, Compaction):
        return f"compaction {compaction_word(value)}" + "".join(f" {part}" for part in _settings(value))
    if name == "time_zone":
        return f"{word} {zone_words(value)}"
    return f"{word} {getattr(value, '__name__', value)}"


def _settings(compaction: Compaction) -> Iterable[str]:
    plain = Compaction()
    for name in (field.name for field in fields(Compaction)):
        value = getattr(compaction, name)
        if value != getattr(plain, name):
            yield f"{name.replace('_', '-')} {_short(value)}"


def _short(value: Any) -> str:
    if hasattr(value, "items"):
        return "{" + ", ".join(f"{key} {each}" for key, each in value.items()) + "}"
    return str(getattr(value, "__name__", value))


def _spans(zone: Any) -> tuple[tuple[int, str], ...]:
    return tuple(zone)

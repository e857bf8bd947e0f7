"""Name scenarios that people ask about, so that each can be tried with one word."""

from __future__ import annotations

import difflib
from typing import Final

from msgspec import Struct

from timectx.errors import ScenarioError
from timectx.replay.scenario import Scenario

__all__ = ["PRESETS", "Preset", "preset", "presets"]

_TEN_MINUTES_MS: Final = 600_000
_MINUTE_MS: Final = 60_000


class Preset(Struct, frozen=True):
    """
    Hold a scenario under a name: what to type, what it is called, and the scenario itself.

    `title` is a few words for tables, `about` one sentence on who does so, or why one would.
    """

    name: str
    title: str
    about: str
    scenario: Scenario


_ALL: Final = (
    Preset(
        "web-overlay",
        "web overlay (every attempt)",
        "The first web interface of dsh: the plugin without any setting, a reading at every attempt.",
        Scenario(edition="readme", interval_ms=0),
    ),
    Preset(
        "dsh-0.2.1",
        "0.2.1 default (10 min)",
        "What dsh 0.2.1 does where nothing is set: a reading once the newest is ten minutes old.",
        Scenario(edition="current", interval_ms=_TEN_MINUTES_MS),
    ),
    Preset("turn", "once a turn", "One reading with the first step of each turn.", Scenario(policy="turn")),
    Preset(
        "gap",
        "after a gap (30 min)",
        "A reading only when the conversation goes on after half an hour of silence.",
        Scenario(policy="gap"),
    ),
    Preset(
        "calendar-day",
        "a new day",
        "A reading only when the local date is another than in the newest one.",
        Scenario(policy="calendar-day"),
    ),
    Preset(
        "zone-change",
        "a new zone",
        "A reading only when a turn comes from another time zone than the newest reading's.",
        Scenario(policy="zone-change"),
    ),
    Preset(
        "reseeded",
        "10 min, again after compaction",
        "Ten minutes, and again right after a compaction, which leaves no step blind for long.",
        Scenario(interval_ms=_TEN_MINUTES_MS, policy="interval | after-compaction"),
    ),
    Preset(
        "system-prompt",
        "system-prompt clock (1 min)",
        "A clock in the system prompt, kept by the process and set anew each minute.",
        Scenario(delivery="system-prompt", interval_ms=_MINUTE_MS),
    ),
    Preset(
        "replaced",
        "one reading, replaced (10 min)",
        "One reading in the conversation, overwritten in its place.",
        Scenario(delivery="replaced", interval_ms=_TEN_MINUTES_MS),
    ),
    Preset(
        "session-prefix",
        "at the session's start",
        "One reading at the start of the session, never renewed.",
        Scenario(delivery="session-prefix"),
    ),
    Preset(
        "request-line",
        "a line in each request",
        "The last line of each request tells the time, and is kept nowhere.",
        Scenario(delivery="request-line", interval_ms=0),
    ),
    Preset("tool", "a clock tool", "The model calls a clock once a turn.", Scenario(delivery="tool")),
    Preset(
        "timer",
        "a timer (10 min)",
        "A timer in the background adds a reading every ten minutes, whether or not anything happens.",
        Scenario(delivery="timer", interval_ms=_TEN_MINUTES_MS),
    ),
)

PRESETS: Final = {each.name: each for each in _ALL}
"""Every preset by its name: two that exist, policies, and the ways of telling the time that dsh turned down."""


def presets() -> dict[str, Scenario]:
    """
    Return the scenarios of all presets.

    Returns
    -------
    dict
        By their titles, in the order of `PRESETS`.

    Examples
    --------
    >>> list(presets())[:2]
    ['web overlay (every attempt)', '0.2.1 default (10 min)']
    """
    return {each.title: each.scenario for each in _ALL}


def preset(name: str) -> Preset:
    """
    Return a preset by its name or its title.

    Parameters
    ----------
    name : str
        One of `PRESETS`, or the title of one.

    Returns
    -------
    Preset
        With its scenario, not yet resolved.

    Raises
    ------
    ScenarioError
        Kind ``preset`` if there is none of that name.

    Examples
    --------
    >>> preset("dsh-0.2.1").scenario.interval_ms
    600000
    """
    found = next((each for each in _ALL if name in (each.name, each.title)), None)
    if found is None:
        near = difflib.get_close_matches(name, PRESETS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(PRESETS)}"
        raise ScenarioError(f"no preset is called {name!r}; {hint}", kind="preset")
    return found

"""Make up a session from a seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final

from timectx.errors import ScenarioError
from timectx.reading import Edition, canonical_zone, check_browser_zone
from timectx.replay import Scenario
from timectx.session import Session, SessionHeader
from timectx.synthetic.author import Author
from timectx.synthetic.habits import Habits
from timectx.synthetic.happenings import Happening
from timectx.synthetic.plan import Plan
from timectx.units import is_safe_integer

__all__ = ["START_MS", "synthetic_session"]

START_MS: Final = 1_788_253_200_000
"""Where sessions start unless told otherwise: 2026-09-01T09:00:00Z, in epoch milliseconds."""

_HABITS: Final = Habits()


def synthetic_session(
    seed: int,
    *,
    steps: int,
    interval_ms: int | None = None,
    edition: Edition = "readme",
    time_zone: str = "UTC",
    start_ms: int = START_MS,
    prompts: Sequence[str] = (),
    browser_zones: Sequence[str | None] = (),
    happenings: Iterable[Happening] = (),
    habits: Habits = _HABITS,
    readings: bool = True,
    lag_ms: int = 0,
    stream: bool = False,
    session_id: str | None = None,
) -> Session:
    """
    Make up a session that looks like a real one.

    Parameters
    ----------
    seed : int
        The same seed and arguments give the same session, on every machine.
    steps : int
        How many steps it has, over all turns.
    interval_ms : int or None, optional
        Refresh interval of its readings in milliseconds; 0 = one at every attempt, None = the edition's default.
    edition : {"readme", "note", "note-v2"}, optional
        The contract of its readings, and with it the order of the log.
    time_zone : str, optional
        The fallback zone, under any name it goes by.
    start_ms : int, optional
        When it starts, in epoch milliseconds from 0.
    prompts : sequence of str, optional
        What the person asks in the first turns; filler follows.
    browser_zones : sequence of str or None, optional
        Zone that the browser sends along in the first turns (None = none); the last one goes on.
    happenings : iterable of Happening, optional
        What happens besides. One that cannot happen at its step is passed over, such as a ``steer`` at a turn's first
        step, a ``compaction`` of nothing or a second ``failure`` at one step.
    habits : Habits, optional
        The distributions everything else is drawn from.
    readings : bool, optional
        False leaves the readings out.
    lag_ms : int, optional
        The longest time between taking a reading and writing it down, in milliseconds.
    stream : bool, optional
        True logs replies piece by piece as well.
    session_id : str or None, optional
        Its id; None makes one from the seed.

    Returns
    -------
    Session
        In format 0 of the original, as if it had been read from a file.

    Raises
    ------
    ScenarioError
        If a number is out of range, or the edition is not one of format 0.
    ZoneError
        If a zone is unknown, or the last browser zone is one the original refuses.

    Notes
    -----
    Nothing but the readings, message ids and reported usage depends on `interval_ms`, as long as nothing is compacted:
    two sessions of one seed are the same work, told the time more or less often. A browser zone that the original
    refuses ends its turn with an error, as there.

    Examples
    --------
    >>> session = synthetic_session(7, steps=40, interval_ms=60_000)
    >>> len(session.steps), session.events == synthetic_session(7, steps=40, interval_ms=60_000).events
    (40, True)
    """
    checked = Scenario(edition=edition, interval_ms=interval_ms)
    if edition == "current":
        raise ScenarioError("edition current has a log format of its own; use readme, note or note-v2", kind="edition")
    for name, value in (("seed", seed), ("steps", steps), ("start_ms", start_ms), ("lag_ms", lag_ms)):
        if not is_safe_integer(value) or (name != "seed" and value < 0):
            raise ScenarioError(
                f"{name} is a whole number{'' if name == 'seed' else ' from 0'}; got {value!r}", kind=name
            )
    plan = Plan(
        steps=steps,
        interval_ms=checked.interval,
        edition=edition,
        time_zone=canonical_zone(time_zone),
        start_ms=start_ms,
        prompts=tuple(prompts),
        browser_zones=_checked_zones(browser_zones),
        happenings=tuple(happenings),
        habits=habits,
        readings=readings,
        lag_ms=lag_ms,
        stream=stream,
    )
    ledger = Author(seed, plan).write()
    return Session(
        header=SessionHeader(
            id=f"synthetic-{seed}" if session_id is None else session_id,
            created_at_ms=start_ms,
            cwd="/home/dev/project",
            delegation_depth=0,
        ),
        events=tuple(ledger.events),
        skipped=MappingProxyType(dict(ledger.skipped)),
        stream=tuple(ledger.stream),
    )


def _checked_zones(zones: Sequence[str | None]) -> tuple[str | None, ...]:
    if zones and zones[-1] is not None:
        check_browser_zone(zones[-1])  # it goes on: were it refused, no turn would ever come to a step
    return tuple(zones)

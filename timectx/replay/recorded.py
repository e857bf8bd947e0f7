"""Find the scenario that explains what a log already holds."""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec import Struct

from timectx.reading import Edition
from timectx.replay.moments import moments_of, reading_text
from timectx.replay.replay import replay_timeline
from timectx.replay.run import Run, RunAttempt
from timectx.replay.scenario import Scenario
from timectx.replay.timeline import Timeline, timeline_of
from timectx.session import Session
from timectx.session.events import UserMessage
from timectx.units import format_interval

__all__ = ["Explanation", "as_recorded", "explain_recorded"]

_CURRENT_DEFAULT_MS: Final = 600_000
_ROUND_MS: Final = (86_400_000, 3_600_000, 600_000, 60_000, 10_000, 1_000, 500, 100, 10, 1)
"""What people set an interval to a multiple of, coarsest first."""


class Explanation(Struct, frozen=True, kw_only=True):
    """
    Hold the scenario that explains a log, and how sure it is.

    Every interval above `above_ms` and up to `up_to_ms` would have given the same readings (None
    = no bound: no attempt was suppressed, or none but the first got a reading). `conflicts`
    names the attempts that no interval explains, as (turn, step); the policy is then ``recorded``.
    `unlike` names readings that the log words otherwise than their edition does from the same events, as
    in a damaged log or one of two editions.
    """

    scenario: Scenario
    above_ms: int | None = None
    up_to_ms: int | None = None
    conflicts: tuple[tuple[int, int], ...] = ()
    unlike: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        """Say in one line what was found."""
        worded = f"; worded otherwise in the log: {_named(self.unlike)}" if self.unlike else ""
        if self.conflicts:
            return f"no interval explains {_named(self.conflicts)}{worded}"
        if self.scenario.policy == "recorded":
            return "the log holds no reading"
        low = "0" if self.above_ms is None else f"above {format_interval(max(0, self.above_ms))}"
        high = "" if self.up_to_ms is None else f", up to {format_interval(self.up_to_ms)}"
        return f"interval {format_interval(self.scenario.interval)} ({low}{high}){worded}"


def as_recorded(session: Session) -> Scenario:
    """
    Return the scenario that explains what a log already holds.

    Parameters
    ----------
    session : Session
        The log.

    Returns
    -------
    Scenario
        Resolved: replaying it gives the log's readings byte for byte. Edition and zone come
        from the readings; the interval, which no log states, is inferred.

    See Also
    --------
    explain_recorded : The same, with the range of intervals that fit.
    """
    return explain_recorded(session).scenario


def explain_recorded(session: Session) -> Explanation:
    """
    Explain what a log holds, with the range of intervals that would have given the same.

    Parameters
    ----------
    session : Session
        The log.

    Returns
    -------
    Explanation
        The scenario, the range and the attempts nothing explains.

    Notes
    -----
    Where no attempt was suppressed the interval is 0. Else it lies above the oldest age that was
    suppressed and up to the youngest that was not: ten minutes if that fits, else the smallest
    multiple in range of the coarsest round duration that has one. An attempt without reading
    counts as suppressed only if its step reached a message or a request; where that leaves no interval
    that fits, those that reached neither are taken for suppressed as well.
    """
    edition = _edition_of(session)
    timeline = timeline_of(session, edition)
    run = replay_timeline(timeline, Scenario(edition=edition, policy="recorded"))
    recorded = run.scenario
    if not run.readings:
        return Explanation(scenario=recorded)
    unlike = _unlike(timeline, run)
    conflicts: tuple[tuple[int, int], ...] = ()
    for silent in (False, True):
        above_ms, up_to_ms = _range(timeline, run, silent=silent)
        interval_ms = _round_interval(above_ms, up_to_ms)
        if interval_ms is None:
            conflicts = conflicts or _contradicting(timeline, run, up_to_ms)
            continue
        explained = recorded.replace(policy="interval", interval_ms=interval_ms)
        differing = _differing(run, replay_timeline(timeline, explained))
        if not differing:
            return Explanation(scenario=explained, above_ms=above_ms, up_to_ms=up_to_ms, unlike=unlike)
        conflicts = conflicts or differing
    above_ms, up_to_ms = _range(timeline, run, silent=False)
    return Explanation(scenario=recorded, above_ms=above_ms, up_to_ms=up_to_ms, conflicts=conflicts, unlike=unlike)


def _named(places: tuple[tuple[int, int], ...]) -> str:
    named = ", ".join(f"turn {turn} step {step}" for turn, step in places[:5])
    return f"{named} and {len(places) - 5} more" if len(places) > 5 else named


def _edition_of(session: Session) -> Edition:
    """Return the edition most readings follow; ``readme`` where there is none."""
    counts: Counter[Edition] = Counter()
    for moment in moments_of(session, "readme").moments:
        if moment.own is not None and moment.own.edition in ("note", "note-v2", "readme", "current"):
            counts[moment.own.edition] += 1
    return counts.most_common(1)[0][0] if counts else "readme"


def _suppressed(timeline: Timeline, run: Run, *, silent: bool = False) -> list[RunAttempt]:
    """Return the attempts without reading; with `silent` also those whose step reached nothing."""
    pairs = zip(run.attempts, timeline.moments.moments, strict=True)
    return [attempt for attempt, moment in pairs if attempt.decision == "suppressed" and (silent or moment.reached)]


def _range(timeline: Timeline, run: Run, *, silent: bool) -> tuple[int | None, int | None]:
    """Return the oldest suppressed age and the youngest age that got a reading, each None when there is none."""
    suppressed = [each.age_ms for each in _suppressed(timeline, run, silent=silent) if each.age_ms is not None]
    added = [attempt.age_ms for attempt in run.attempts if attempt.decision == "added" and attempt.age_ms is not None]
    return max(suppressed, default=None), min((age for age in added if age >= 0), default=None)


def _round_interval(above_ms: int | None, up_to_ms: int | None) -> int | None:
    """Return the likeliest interval in a range open below and closed above; None when it is empty."""
    if above_ms is None:
        return 0
    low, high = max(0, above_ms), up_to_ms
    if high is not None and high <= low:
        return None
    if low < _CURRENT_DEFAULT_MS and (high is None or high >= _CURRENT_DEFAULT_MS):
        return _CURRENT_DEFAULT_MS
    multiples = ((low // unit + 1) * unit for unit in _ROUND_MS)
    return next(multiple for multiple in multiples if high is None or multiple <= high)


def _unlike(timeline: Timeline, run: Run) -> tuple[tuple[int, int], ...]:
    """Name the readings that the log words otherwise than their edition would."""
    logged = {moment.own_seq: moment for moment in timeline.moments.moments if moment.own_seq is not None}
    unlike = []
    for reading in run.readings:
        moment = None if reading.recorded_seq is None else logged.get(reading.recorded_seq)
        event = None if moment is None or moment.own_seq is None else timeline.session.find(moment.own_seq)
        if isinstance(event, UserMessage) and reading_text(event.data) != reading.text:
            unlike.append((reading.turn, reading.step))
    return tuple(unlike)


def _differing(recorded: Run, replayed: Run) -> tuple[tuple[int, int], ...]:
    pairs = zip(recorded.attempts, replayed.attempts, strict=True)
    return tuple((a.turn, a.step) for a, b in pairs if (a.decision == "added") != (b.decision == "added"))


def _contradicting(timeline: Timeline, run: Run, up_to_ms: int | None) -> tuple[tuple[int, int], ...]:
    """Name the suppressed attempts that were as old as one that got a reading, or that every interval gives one."""
    return tuple(
        (attempt.turn, attempt.step)
        for attempt in _suppressed(timeline, run)
        if attempt.age_ms is None or attempt.age_ms < 0 or (up_to_ms is not None and attempt.age_ms >= up_to_ms)
    )

"""Try several refresh intervals on session after session, beside the setting each one was recorded with."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import msgspec
from msgspec import Struct

from timectx.replay import (
    Explanation,
    Run,
    Scenario,
    Timeline,
    explain_recorded,
    replay_timeline,
    timeline_for,
    timeline_of,
)
from timectx.results.recommendation import Recommendation, recommend_interval
from timectx.results.totals import Pool, Totals
from timectx.session import Session, is_reading_event

__all__ = ["Recorded", "Trial", "Tried", "inherited_part"]


class Recorded(Struct, frozen=True):
    """Hold what explains the readings one session was recorded with."""

    session: str
    path: str | None
    explanation: Explanation


class Tried(Struct, frozen=True):
    """
    Hold a run with measures alone, its steps, attempts, readings and compactions left away.

    `inherited_steps` counts its leading steps that belong to another session of the trial, and
    are counted there alone in the totals.
    """

    run: Run
    inherited_steps: int = 0


class Trial:
    """
    Replay sessions under each of several intervals, and keep the sums.

    Parameters
    ----------
    intervals_ms : iterable of int
        Refresh intervals in milliseconds; each is tried once.
    scenario : Scenario
        Everything else.

    Examples
    --------
    >>> trial = Trial([600_000, 0], Scenario())
    >>> list(trial.totals()), trial.recommendation() is None
    ([0, 600000], True)
    """

    def __init__(self, intervals_ms: Iterable[int], scenario: Scenario) -> None:
        self._scenarios = {ms: scenario.replace(interval_ms=ms, policy="interval") for ms in sorted(set(intervals_ms))}
        self._pools = {ms: Pool() for ms in self._scenarios}
        self._compared = {ms: Pool() for ms in self._scenarios}
        self._today = Pool()
        self.recorded: list[Recorded] = []

    def add(self, session: Session, given: Collection[str] = ()) -> list[Tried]:
        """
        Replay one more session.

        Parameters
        ----------
        session : Session
            The session.
        given : collection of str
            Ids of all sessions of the trial. What this one took over from one of them counts
            there.

        Returns
        -------
        list of Tried
            One an interval, shortest first.
        """
        before = inherited_part(session, given)
        holds_readings = any(map(is_reading_event, session.events))
        tried = []
        for ms, run, inherited in self._replayed(session, before):
            self._pools[ms].add(run, inherited)
            if holds_readings:
                self._compared[ms].add(run, inherited)
            bare = msgspec.structs.replace(run, attempts=(), readings=(), steps=(), compactions=())
            tried.append(Tried(bare, inherited.measures.steps if inherited else 0))
        if holds_readings:
            self._explain(session, before)
        return tried

    def totals(self) -> dict[int, Totals]:
        """
        Return what each interval came to.

        Returns
        -------
        dict of int to Totals
            By interval in milliseconds, shortest first.
        """
        return {ms: pool.totals() for ms, pool in self._pools.items()}

    def recommendation(self) -> Recommendation | None:
        """
        Return the interval to use.

        Returns
        -------
        Recommendation or None
            As `recommend_interval`.
        """
        return recommend_interval(self.totals())

    def today(self, interval_ms: int) -> tuple[Totals, Totals]:
        """
        Return what the recorded settings cost, beside an interval, over the sessions that hold readings.

        Parameters
        ----------
        interval_ms : int
            One of those tried.

        Returns
        -------
        tuple of Totals
            As recorded, and under the interval.
        """
        return self._today.totals(), self._compared[interval_ms].totals()

    def _replayed(self, session: Session, before: Session | None) -> Iterable[tuple[int, Run, Run | None]]:
        whole, part = self._timeline(session), self._timeline(before) if before else None
        for ms, scenario in self._scenarios.items():
            run = replay_timeline(whole, scenario)
            yield ms, run, replay_timeline(part, run.scenario) if part else None

    def _timeline(self, session: Session) -> Timeline:
        scenario = next(iter(self._scenarios.values()))
        return timeline_for(session, scenario)

    def _explain(self, session: Session, before: Session | None) -> None:
        explanation = explain_recorded(session)
        edition = explanation.scenario.edition
        run = replay_timeline(timeline_of(session, edition), explanation.scenario)
        inherited = replay_timeline(timeline_of(before, edition), run.scenario) if before else None
        self._today.add(run, inherited)
        self.recorded.append(Recorded(session.header.id, session.path, explanation))


def inherited_part(session: Session, given: Collection[str]) -> Session | None:
    """
    Return the leading part of a session that it took over from another one.

    Parameters
    ----------
    session : Session
        A session, perhaps resumed or forked from another.
    given : collection of str
        Ids of the sessions that are counted in any case.

    Returns
    -------
    Session or None
        None where nothing was taken over, or not from one of those.
    """
    header = session.header
    if not header.seed_length or header.parent_session not in given or header.parent_session == header.id:
        return None
    seeded = tuple(event for event in session.events if event.seq < header.seed_length)
    return replace(session, events=seeded, tail=None)

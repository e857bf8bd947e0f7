"""Decide at each attempt which readings a scenario takes there."""

from __future__ import annotations

from timectx.replay.deliveries import DELIVERIES, is_clock_called, ticks_due
from timectx.replay.due import DueRules
from timectx.replay.moments import Moment
from timectx.replay.run import RunReading
from timectx.replay.scenario import Scenario
from timectx.replay.taking import ReadingTaker

__all__ = ["Decider"]


class Decider:
    """
    Decide which readings are taken.

    Parameters
    ----------
    scenario : Scenario
        Its policy and its delivery.
    due : DueRules
        Asks the policy.
    taker : ReadingTaker
        Takes the readings.

    Notes
    -----
    A timer takes its first reading at the first eligible attempt, and begins anew, with one reading, where
    the clock stands before its last tick; it knows of no other reading. A clock is called at the first eligible
    attempts of a turn that come to a step; one whose zones are refused is no call. A turn is new when its number
    differs from that of the attempt before. A session prefix is taken once. The policy decides the rest.
    """

    def __init__(self, scenario: Scenario, due: DueRules, taker: ReadingTaker) -> None:
        self._delivery, self._policy = scenario.delivery, scenario.policy
        self._interval_ms, self._tool_calls = scenario.interval, scenario.tool_calls
        self._asks_policy = DELIVERIES[scenario.delivery].asks_policy
        self._due, self._taker = due, taker
        self._newest: RunReading | None = None
        self._turn = self._calls = 0

    def readings(self, moment: Moment, turn_zone: str | None) -> list[RunReading]:
        """
        Take the readings an attempt brings.

        Parameters
        ----------
        moment : Moment
            The attempt.
        turn_zone : str or None
            The label of its turn's zone; None where that is refused.

        Returns
        -------
        list of RunReading
            None or one; of a timer one for each tick, oldest first.

        Raises
        ------
        ZoneError, ReadingError
            As `ReadingTaker.take`; nothing is taken then.
        """
        if moment.attempt.turn != self._turn:
            self._turn, self._calls = moment.attempt.turn, 0
        if self._delivery == "timer":
            return self._ticks(moment) if moment.eligible else []
        return [self._taker.take(moment)] if self._is_wanted(moment, turn_zone) else []

    def note(self, reading: RunReading, turn_zone: str | None) -> None:
        """
        Note that a reading became the newest.

        Parameters
        ----------
        reading : RunReading
            One of those taken.
        turn_zone : str or None
            The label of its turn's zone.
        """
        self._newest = reading
        self._calls += 1
        self._due.take(reading.now_ms, reading.zone, turn_zone)

    def _is_wanted(self, moment: Moment, turn_zone: str | None) -> bool:
        if self._delivery == "tool":
            may_call = moment.eligible and moment.attempt.kind == "step"
            return may_call and is_clock_called(self._calls, self._tool_calls)
        if not self._asks_policy:
            return moment.eligible and self._newest is None
        if self._policy == "recorded":
            return moment.own is not None
        return moment.eligible and self._due.is_due(moment, turn_zone)

    def _ticks(self, moment: Moment) -> list[RunReading]:
        now_ms, interval_ms = moment.now_ms, self._interval_ms
        last_ms = None if self._newest is None else self._newest.now_ms
        count = -1 if last_ms is None else ticks_due(now_ms, last_ms, interval_ms)
        if last_ms is None or count < 0:
            return [self._taker.tick(moment, now_ms)]
        times_ms = range(last_ms + interval_ms, last_ms + count * interval_ms + 1, interval_ms)
        return [self._taker.tick(moment, tick_ms, interval_ms) for tick_ms in times_ms]

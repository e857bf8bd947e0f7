"""Ask a scenario's policy at an attempt, and keep what its rules look back on."""

from __future__ import annotations

from typing import Final

from timectx.errors import ReadingError, ZoneError
from timectx.reading import Reading, line_count, local_day
from timectx.replay.moments import Moment
from timectx.replay.policies import CALENDAR_DAY, any_holds, held_rules, parse_policy
from timectx.replay.resolve import fallback_zone
from timectx.replay.scenario import Scenario, ZoneSpans
from timectx.replay.schedule import TimeContext
from timectx.session.events import SurfaceEvent

__all__ = ["DueRules"]

_LINES_WITH_ZONE: Final = 3
_UNKNOWN: Final = -1


class DueRules:
    """
    Ask a scenario's policy, attempt by attempt.

    Parameters
    ----------
    scenario : Scenario
        Resolved.
    context : TimeContext
        Follows the log; it knows when and where the newest reading stands.
    spans : tuple
        The scenario's fallback zones.

    Notes
    -----
    An eligible attempt is due when there was no reading before it, or as `held_rules` and `any_holds` say.
    The date a reading prints is that of its zone: in two-line editions the fallback zone, else the turn's;
    where the turn's zones are refused no date would be printed, and ``calendar-day`` does not hold. A stray
    reading has the date and the zone it prints; one that prints none has the date of its event in the
    fallback zone, and its zone is not known.
    """

    def __init__(self, scenario: Scenario, context: TimeContext, spans: ZoneSpans) -> None:
        self._context, self._spans = context, spans
        self._interval_ms, self._gap_ms = scenario.interval, scenario.gap_ms
        self._masks = parse_policy(scenario.policy)
        self._asks_day = any(mask & CALENDAR_DAY for mask in self._masks)
        self._prints_zone = line_count(scenario.edition) >= _LINES_WITH_ZONE
        self._day: int | None = None
        self._turn_zone: str | None = None
        self._is_compacted = False

    def is_due(self, moment: Moment, turn_zone: str | None) -> bool:
        """
        Ask the policy.

        Parameters
        ----------
        moment : Moment
            An eligible attempt.
        turn_zone : str or None
            The label of its turn's zone; None where that is refused.

        Returns
        -------
        bool
            True when it must carry a reading.
        """
        context, message_ms = self._context, moment.silence.message_ms
        if context.last_reading_ms is None:
            return True
        held = held_rules(
            moment.now_ms,
            context.last_reading_ms,
            self._interval_ms,
            context.last_reading_at,
            context.turn_started_at(moment.attempt.turn),
            message_ms is not None,
            message_ms or 0,
            self._gap_ms,
            self._asks_day and self._is_other_day(moment, turn_zone),
            _UNKNOWN if turn_zone is None else 0,
            _UNKNOWN if self._turn_zone is None else int(self._turn_zone != turn_zone),
            self._is_compacted,
        )
        return any_holds(self._masks, held)

    def take(self, now_ms: int, zone: str, turn_zone: str | None) -> None:
        """
        Note a reading of the scenario.

        Parameters
        ----------
        now_ms : int
            The instant it prints, in epoch milliseconds.
        zone : str
            The zone it prints.
        turn_zone : str or None
            The label of its turn's zone.
        """
        self._note(now_ms, zone, turn_zone)

    def stray(self, event: SurfaceEvent, reading: Reading | None) -> None:
        """
        Note a recorded message that has a reading's source and is no attempt's.

        Parameters
        ----------
        event : SurfaceEvent
            The message.
        reading : Reading or None
            What it says; None when it says no time.
        """
        if reading is None:
            self._note(event.time_ms, fallback_zone(self._spans, event.seq), None)
        else:
            self._note(reading.time_ms, reading.zone, reading.zone)

    def compact(self) -> None:
        """Note that a checkpoint replaced messages."""
        self._is_compacted = True

    def _note(self, now_ms: int, zone: str, turn_zone: str | None) -> None:
        self._day = _printed_day(now_ms, zone) if self._asks_day else None
        self._turn_zone, self._is_compacted = turn_zone, False

    def _is_other_day(self, moment: Moment, turn_zone: str | None) -> bool:
        zone = turn_zone if self._prints_zone else fallback_zone(self._spans, moment.attempt.seq)
        day = None if zone is None else _printed_day(moment.now_ms, zone)
        return day is not None and self._day is not None and day != self._day


def _printed_day(time_ms: int, zone: str) -> int | None:
    """Return the day a reading would name; None where it could name none."""
    try:
        return local_day(time_ms, zone)
    except (ReadingError, ZoneError):
        return None

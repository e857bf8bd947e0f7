"""Take the readings of a replay: what each says, and what it costs."""

from __future__ import annotations

from msgspec.structs import replace

from timectx.errors import ZoneError
from timectx.reading import display_zone, format_reading
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.deliveries import clock_message
from timectx.replay.moments import Moment
from timectx.replay.prices import PriceBook
from timectx.replay.resolve import fallback_zone
from timectx.replay.run import RunReading
from timectx.replay.scenario import Scenario, ZoneSpans
from timectx.replay.schedule import TimeContext

__all__ = ["ReadingTaker"]


class ReadingTaker:
    """
    Take readings under one scenario.

    Parameters
    ----------
    scenario : Scenario
        Its edition and its delivery matter here.
    context : TimeContext
        Follows the log.
    spans : tuple
        The scenario's fallback zones.
    prices : PriceBook
        Of the session.
    """

    def __init__(self, scenario: Scenario, context: TimeContext, spans: ZoneSpans, prices: PriceBook) -> None:
        self._edition, self._is_called = scenario.edition, scenario.delivery == "tool"
        self._context, self._spans, self._prices = context, spans, prices

    def turn_zone(self, moment: Moment) -> str | None:
        """
        Return the label of a turn's zone, whether or not the edition prints it.

        Parameters
        ----------
        moment : Moment
            An attempt of the turn.

        Returns
        -------
        str or None
            The zone its browsers agree on, else the fallback; None where the turn's zones are refused.
        """
        attempt = moment.attempt
        try:
            browser = self._context.turn_zone(attempt.turn, moment.entering)
        except ZoneError:
            return None
        return display_zone(browser, fallback_zone(self._spans, attempt.seq))

    def take(self, moment: Moment) -> RunReading:
        """
        Take the reading of an attempt.

        Parameters
        ----------
        moment : Moment
            The attempt.

        Returns
        -------
        RunReading
            At the attempt's instant; its event time is that of the log's own reading, if it has one.

        Raises
        ------
        ZoneError
            As `TimeContext.reading_at`.
        ReadingError
            If the instant cannot be printed.
        """
        return self._taken(moment, moment.now_ms, moment.time_ms, moment.own_seq)

    def tick(self, moment: Moment, tick_ms: int, elapsed_ms: int | None = None) -> RunReading:
        """
        Take the reading of a timer's tick, in the words of the attempt at which it enters.

        Parameters
        ----------
        moment : Moment
            The attempt.
        tick_ms : int
            The tick, in epoch milliseconds; its event time as well.
        elapsed_ms : int, optional
            The time since the last tick; None counts from what any reading counts from.

        Returns
        -------
        RunReading
            Without a twin in the log.

        Raises
        ------
        ZoneError, ReadingError
            As `take`.
        """
        return self._taken(moment, tick_ms, tick_ms, None, elapsed_ms)

    def _taken(
        self, moment: Moment, now_ms: int, time_ms: int, own_seq: int | None, elapsed_ms: int | None = None
    ) -> RunReading:
        attempt = moment.attempt
        reading = self._context.reading_at(
            now_ms,
            attempt.turn,
            attempt.step,
            fallback=fallback_zone(self._spans, attempt.seq),
            entering=moment.entering,
        )
        if elapsed_ms is not None:
            reading = replace(reading, elapsed_ms=elapsed_ms)
        text = format_reading(reading)
        return RunReading(
            turn=attempt.turn,
            step=attempt.step,
            now_ms=now_ms,
            time_ms=time_ms,
            zone=reading.zone,
            browser=None if reading.browser_zone is None else reading.browser_zone.kind,
            elapsed_ms=reading.elapsed_ms,
            text=text,
            price_tokens=self._price(text),
            recorded_seq=own_seq,
        )

    def _price(self, text: str) -> int:
        if not self._is_called:
            return self._prices.reading(text)
        return price_message(clock_message(text), self._edition, self._prices.memory)

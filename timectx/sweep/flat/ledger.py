"""Write down what happens in a session, column by column, while its timeline is walked."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from timectx.errors import ReadingError, ZoneError
from timectx.reading import Reading, display_zone, format_reading, format_timestamp
from timectx.reading.timestamp import local_day
from timectx.replay import Scenario
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.deliveries import clock_message
from timectx.replay.moments import Moment
from timectx.replay.reading_prices import FORM_COUNT, elapsed_form, masked
from timectx.replay.resolve import fallback_zone
from timectx.replay.schedule import TimeContext
from timectx.replay.timeline import Cue, Timeline
from timectx.session import is_reading_source
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantMessage,
    Event,
    SurfaceEvent,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from timectx.sweep.flat.codes import (
    A_ELIGIBLE,
    A_FAILS,
    A_FIRST,
    A_MESSAGE,
    A_OWN,
    A_SAID,
    A_STEP,
    AT_DECIDE,
    AT_HEADER,
    AT_INSERT,
    AT_REQUEST,
    AT_SHOW,
    AT_STRAY,
    MISSING,
    NEVER,
    NONE,
    Q_FIRST,
    Q_LAST,
    Q_REPORTED,
)
from timectx.sweep.flat.columns import COLUMN_NAMES

__all__ = ["Ledger"]

_STRIDE_MS: Final = 10 * 86_400_000
_MOST_STRIDES: Final = 4000
"""How many of them one session gets, 109 years in all; beyond, a timer is left to a replay."""
_MOST: Final = 2**31
"""Sizes beyond it could overflow where a kernel multiplies two of them."""


class Ledger:
    """
    Keep the columns that a replay needs, whichever way it is compacted.

    Parameters
    ----------
    timeline : Timeline
        What happens, in order.
    scenario : Scenario
        Resolved.

    Notes
    -----
    What happens gets numbers from 0. A place before which something stands is the number of what comes next.
    """

    def __init__(self, timeline: Timeline, scenario: Scenario) -> None:
        self.timeline, self.scenario = timeline, scenario
        self.moments, self.prices = timeline.moments.moments, timeline.prices
        self.columns: dict[str, list[int]] = {name: [] for name in COLUMN_NAMES}
        self.unfit = ""
        self.models: dict[tuple[str, str], int] = {}
        self.nodes = self.tokens = 0
        zone = scenario.time_zone
        self._spans = zone if isinstance(zone, tuple) else ((0, zone or "UTC"),)
        self._context = TimeContext(scenario.edition, is_reading_source)
        self._header, self._route = 0, ("", "")
        self._message_at, self._message_ms = NONE, 0
        self._turn_at: dict[int, int] = {}
        self._turn_numbers: dict[int, int] = {}
        self._reset_at = 0
        self._zones: dict[str, int] = {}
        self._forms: dict[tuple[int, ...], int] = {}
        self._deciding = self._asking = NONE
        self._nodes_asked = 0
        self._is_parted = False
        self._last_ms: int | None = None
        self.steady = True
        self._strides = 0
        self._called: dict[str, tuple[int, ...]] = {}
        self._seq = self._steps = 0
        self.shown: dict[int, int] = {}

    @property
    def here(self) -> int:
        """The number of what happens next."""
        return len(self.columns["op_code"])

    def happen(self, code: int, row: int = NONE) -> None:
        """
        Write down that something happens.

        Parameters
        ----------
        code : int
            What.
        row : int, optional
            Its row in the table of such things.
        """
        self.add(
            op_code=code,
            op_arg=row,
            op_nodes=self.nodes,
            op_tokens=self.tokens,
            op_seq=self._seq,
            op_step=self._steps,
        )

    def add(self, **values: int) -> int:
        """
        Add a row to a table.

        Parameters
        ----------
        **values : int
            By column.

        Returns
        -------
        int
            The row's number.
        """
        row = NONE
        for name, value in values.items():
            column = self.columns[name]
            row = len(column)
            column.append(value)
        return row

    def refuse(self, reason: str) -> None:
        """
        Note why no kernel can hold the session; the first reason stays.

        Parameters
        ----------
        reason : str
            Why.
        """
        self.unfit = self.unfit or reason

    def reach(self, seq: int) -> None:
        """
        Note how far the walk has come in the log.

        Parameters
        ----------
        seq : int
            Of an event.
        """
        self._seq = max(self._seq, seq)

    def tell(self, event: Event) -> None:
        """
        Let the schedule take in an event.

        Parameters
        ----------
        event : Event
            Any.
        """
        self._context.apply(event)
        if isinstance(event, SURFACE_CLASSES):
            self._message_at, self._message_ms = self.here, event.time_ms
            if isinstance(event, UserMessage) and is_reading_source(event.data.source):
                self._stray(event)
        elif isinstance(event, TurnStart):
            self._turn_at[event.data.turn] = self._reset_at = self.here
        elif isinstance(event, TurnEnd):
            self._reset_at = self.here

    def stand(self, event: SurfaceEvent, tokens: int) -> None:
        """
        Append a message of the log to the surface.

        Parameters
        ----------
        event : SurfaceEvent
            The message.
        tokens : int
            Its price.
        """
        if isinstance(event, AssistantMessage):
            self.answer(tokens)
        self.nodes += 1
        self.tokens += tokens
        if self.timeline.moments.strays.get(event.seq) is not None:
            row = self._stray_row(event)
            self.columns["y_node"][row] = self.nodes - 1
            self.happen(AT_SHOW, row)

    def answer(self, tokens: int) -> None:
        """
        Give the newest request its reply, if it has none.

        Parameters
        ----------
        tokens : int
            The reply's price.
        """
        if self._asking != NONE:
            if self._is_parted:
                self.refuse("a reply follows the reading of the next attempt")
            self.columns["q_output"][self._asking] = tokens
            if self.nodes == self._nodes_asked:
                self.columns["q_reply"][self._asking] = tokens
            self._asking = NONE

    def disturb(self) -> None:
        """Note that the surface changed other than by appending: a reply to come does not follow its request."""
        self._nodes_asked = NONE

    def head(self, cue: Cue) -> None:
        """
        Take in another request header.

        Parameters
        ----------
        cue : Cue
            Of that kind.
        """
        self._header = cue.tokens
        self._route = (cue.provider, cue.model)
        if cue.changed:
            self.happen(AT_HEADER)

    def decide(self, index: int) -> None:
        """
        Write down an attempt.

        Parameters
        ----------
        index : int
            Its number.
        """
        moment = self.moments[index]
        attempt = moment.attempt
        self.reach(attempt.seq)
        if index != len(self.columns["a_now"]):
            self.refuse("the attempts are not decided in their order")
        self._deciding = index
        form, zone, day = self._form(moment)
        said_ms = moment.silence.message_ms
        flags = A_ELIGIBLE * moment.eligible + A_OWN * (moment.own is not None) + A_FAILS * (form == NONE)
        flags += A_FIRST * (attempt.step == 1) + A_MESSAGE * (self._message_at != NONE) + A_SAID * (said_ms is not None)
        turn_at = self._turn_at.get(attempt.turn, 0)
        row = self.add(
            a_now=moment.now_ms,
            a_time=moment.time_ms,
            a_flags=flags + A_STEP * (attempt.kind == "step"),
            a_form=form,
            a_day=day,
            a_zone=zone,
            a_turn_zone=self._turn_zone(moment),
            a_message_at=self._message_at,
            a_message_ms=self._message_ms,
            a_base_at=self._reset_at if self.scenario.edition == "current" else turn_at,
            a_turn_at=turn_at,
            a_said_ms=said_ms or 0,
            a_gone=NONE if moment.own_seq is None else NEVER,
            a_header=self._header,
            a_model=self.models.setdefault(self._route, len(self.models)),
            a_idle_from=_or_missing(moment.silence.idle_from_ms),
            a_idle_until=_or_missing(moment.silence.idle_until_ms),
            a_turn=self._turn_numbers.setdefault(attempt.turn, len(self._turn_numbers)),
        )
        self.happen(AT_DECIDE, row)

    def insert(self, index: int) -> None:
        """
        Write down where an attempt's reading enters.

        Parameters
        ----------
        index : int
            The attempt.
        """
        if index != self._deciding:
            self.refuse("a reading enters after another attempt was decided")
        self._is_parted = True
        self.happen(AT_INSERT, index)

    def request(self, cue: Cue, recorded_reading_tokens: int) -> None:
        """
        Write down a request.

        Parameters
        ----------
        cue : Cue
            Of that kind.
        recorded_reading_tokens : int
            The price of the readings that the log itself has on its surface.
        """
        step = self.timeline.session.steps[cue.index]
        if cue.attempt != self._deciding:
            self.refuse("a request follows another attempt than its own")
        usage = step.usage if cue.last else None
        reported = 0 if usage is None else usage.prompt_tokens - recorded_reading_tokens
        row = self.add(
            q_attempt=cue.attempt,
            q_flags=Q_FIRST * cue.first + Q_LAST * cue.last + Q_REPORTED * (usage is not None),
            q_header=self._header,
            q_reported=reported,
            q_reply=0,
            q_output=0,
            q_model=self.models.setdefault(self._route, len(self.models)),
            q_nodes=self.nodes,
            q_time=self.moments[cue.attempt].now_ms,
            q_tokens=self.tokens,
        )
        self.happen(AT_REQUEST, row)
        self._steps += cue.first
        self._asking, self._nodes_asked, self._is_parted = row, self.nodes, False

    def finish(self) -> dict[str, list[int]]:
        """
        Close the columns.

        Returns
        -------
        dict of str to list
            By name.
        """
        self.columns["f_price"] = [price for form in self._forms for price in form]
        sizes = ("op_tokens", "q_header", "q_reported", "s_prompt", "s_output", "s_there", "n_tokens")
        if any(abs(value) >= _MOST for name in sizes for value in self.columns[name]):
            self.refuse("a size is beyond what a kernel multiplies")
        if not self.prices.readings.blind:
            self.refuse("the counter looks at digits")
        return self.columns

    def _form(self, moment: Moment) -> tuple[int, int, int]:
        """Return form, zone and date of the reading that an attempt could print; none where it can print none."""
        attempt = moment.attempt
        try:
            reading = self._context.reading_at(
                moment.now_ms,
                attempt.turn,
                attempt.step,
                fallback=fallback_zone(self._spans, attempt.seq),
                entering=moment.entering,
            )
            prices = self._prices_by_form(reading)
            day = local_day(moment.now_ms, reading.zone)
            self._note_offsets(moment.now_ms, reading.zone)
        except (ZoneError, ReadingError):
            return NONE, NONE, MISSING
        return self._forms.setdefault(prices, len(self._forms)), self._zone(reading.zone), day

    def _prices_by_form(self, reading: Reading) -> tuple[int, ...]:
        """Return what a reading costs for each form of its elapsed time, where the model calls for it with the call."""
        if self.scenario.delivery != "tool":
            return self.prices.readings.by_form(reading)
        plain = masked(format_reading(replace(reading, elapsed_ms=None)))
        if plain not in self._called:
            texts = (format_reading(replace(reading, elapsed_ms=elapsed_ms)) for elapsed_ms in _SAMPLES)
            self._called[plain] = tuple(
                price_message(clock_message(masked(text)), self.scenario.edition, self.prices.memory) for text in texts
            )
        return self._called[plain]

    def _note_offsets(self, now_ms: int, zone: str) -> None:
        """Note whether all that is printed beside digits stays the same since the attempt before."""
        last_ms, self._last_ms = self._last_ms, now_ms
        days = range(last_ms, now_ms, _STRIDE_MS) if last_ms is not None and last_ms < now_ms else range(0)
        self._strides += (days.stop - days.start) // _STRIDE_MS
        self.steady = self.steady and self._strides <= _MOST_STRIDES
        if self.steady:
            self.steady = len({masked(format_timestamp(time_ms, zone)) for time_ms in (*days, now_ms)}) == 1

    def _turn_zone(self, moment: Moment) -> int:
        attempt = moment.attempt
        try:
            browser = self._context.turn_zone(attempt.turn, moment.entering)
        except ZoneError:
            return NONE
        return self._zone(display_zone(browser, fallback_zone(self._spans, attempt.seq)))

    def _zone(self, name: str) -> int:
        return self._zones.setdefault(str(name), len(self._zones))

    def _stray(self, event: UserMessage) -> None:
        self.happen(AT_STRAY, self._stray_row(event))

    def _stray_row(self, event: SurfaceEvent) -> int:
        if event.seq not in self.shown:
            reading = self.timeline.moments.strays.get(event.seq)
            if reading is None:
                time_ms, zone = event.time_ms, fallback_zone(self._spans, event.seq)
            else:
                time_ms, zone = reading.time_ms, reading.zone
            self.shown[event.seq] = self.add(
                y_time=event.time_ms,
                y_now=time_ms,
                y_zone=self._zone(zone),
                y_day=_day(time_ms, zone),
                y_turn_zone=NONE if reading is None else self._zone(zone),
                y_gone=NEVER,
                y_node=NONE,
            )
        return self.shown[event.seq]


def _samples() -> tuple[int | None, ...]:
    """Return an elapsed time of each form, in milliseconds."""
    units = [
        (day_digits, hours, minutes, seconds)
        for day_digits in range(8)
        for hours in (0, 1, 10)
        for minutes in (0, 1, 10)
        for seconds in (1, 10)
    ]
    found: dict[int, int | None] = {0: None}
    for day_digits, hours, minutes, seconds in units:
        days = 10 ** (day_digits - 1) if day_digits else 0
        elapsed_ms = (days * 86_400 + hours * 3600 + minutes * 60 + seconds) * 1000
        found[elapsed_form(elapsed_ms)] = elapsed_ms
    return tuple(found[form] for form in range(FORM_COUNT))


_SAMPLES: Final = _samples()


def _or_missing(value: int | None) -> int:
    return MISSING if value is None else value


def _day(time_ms: int, zone: str) -> int:
    try:
        return local_day(time_ms, zone)
    except (ZoneError, ReadingError):
        return MISSING

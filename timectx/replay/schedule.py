"""Decide whether a reading is due, and keep what its baselines are measured from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from timectx.errors import ScenarioError
from timectx.reading import (
    BrowserZone,
    Edition,
    Reading,
    derive_browser_zone,
    display_zone,
    elapsed_of,
    line_count,
)
from timectx.replay.policies import interval_holds
from timectx.session.attempts import is_current_reading_source, is_reading_source
from timectx.session.events import (
    AssistantMessage,
    Event,
    JsonObject,
    Message,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from timectx.units import MAX_SAFE_INTEGER

__all__ = ["TimeContext", "check_interval", "is_due", "reading_message"]

_LINES_WITH_ZONE: Final = 3
_MISSING: Final = BrowserZone("missing")


def is_due(now_ms: int, last_reading_ms: int | None, interval_ms: int) -> bool:
    """
    Tell whether an attempt must carry a fresh reading.

    Parameters
    ----------
    now_ms : int
        The attempt's instant, in epoch milliseconds.
    last_reading_ms : int or None
        Event time of the newest reading in the log, shadowed or not; None when there is none.
    interval_ms : int
        Refresh interval in milliseconds; 0 makes every attempt due.

    Returns
    -------
    bool
        True when a reading is due: there is none yet, it is at least `interval_ms` old, or
        the clock stands before it.

    Raises
    ------
    ScenarioError
        Kind ``interval`` if `interval_ms` is not a whole number from 0.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `apply`.

    Examples
    --------
    >>> is_due(90_000, last_reading_ms=60_000, interval_ms=60_000)
    False
    >>> is_due(120_000, last_reading_ms=60_000, interval_ms=60_000)
    True
    >>> is_due(59_000, last_reading_ms=60_000, interval_ms=60_000)
    True
    """
    check_interval(interval_ms)
    return last_reading_ms is None or interval_holds(now_ms, last_reading_ms, interval_ms)


def check_interval(interval_ms: object) -> int:
    """
    Return a refresh interval after checking that it is one.

    Parameters
    ----------
    interval_ms : object
        The value given.

    Returns
    -------
    int
        The same value, in milliseconds; 0 means every attempt.

    Raises
    ------
    ScenarioError
        Kind ``interval`` for anything but a whole number from 0 to 2**53 - 1; a bool is none.
    """
    if type(interval_ms) is int and 0 <= interval_ms <= MAX_SAFE_INTEGER:
        return interval_ms
    raise ScenarioError(
        f"a refresh interval is a whole number of milliseconds from 0 (0 = every attempt), got {interval_ms!r}",
        kind="interval",
    )


class TimeContext:
    """
    Keep, along a log, all that a reading's text and its schedule depend on.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme", "current"}
        Whose baselines to keep.
    recognise : callable, optional
        Tells from a message's source whether it is a reading; None takes the edition's own form,
        which in ``current`` is a kind of its own.

    Notes
    -----
    The fold sees every event of the raw log in order, shadowed messages included: what a compaction
    hides still counts [1]_. The time of an event is its append time. `last_message_ms` and
    `last_reading_ms` are those of the newest message and the newest reading, None before the first;
    `last_reading_at` is the reading's place in the order of the log, -1 before the first.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `precedingMessageTime`,
       `precedingStepContextTime`, `latestInjectionTime`, `requestMessages`.
    """

    def __init__(self, edition: Edition, recognise: Callable[[JsonObject], bool] | None = None) -> None:
        self.edition = edition
        self._recognise = recognise or (is_current_reading_source if edition == "current" else is_reading_source)
        self.last_message_ms: int | None = None
        self.last_reading_ms: int | None = None
        self.last_reading_at = -1
        self._count = 0
        self._reset_at = -1
        self._turn_started_at: dict[int, int] = {}
        self._zoned_at: list[int] = []
        self._zoned: list[JsonObject] = []
        self._derived: tuple[int, int, BrowserZone] | None = None

    def apply(self, event: Event) -> None:
        """
        Take in the next event of the log.

        Parameters
        ----------
        event : Event
            The event; types that carry no time context change nothing.
        """
        match event:
            case TurnStart():
                self._turn_started_at[event.data.turn] = self._count
                self._reset_at = self._count
            case TurnEnd():
                self._reset_at = self._count
            case UserMessage():
                self.last_message_ms = event.time_ms
                self._read_source(event.data.source, event.time_ms)
            case AssistantMessage() | ToolResult():
                self.last_message_ms = event.time_ms
            case _:
                pass
        self._count += 1

    def add_reading(self, time_ms: int, *, is_message: bool = True) -> None:
        """
        Take in a reading that the replay adds.

        Parameters
        ----------
        time_ms : int
            Its event time in epoch milliseconds.
        is_message : bool, optional
            Whether the log holds it; one that only a prompt held is no message that elapsed time counts from.
        """
        self.last_reading_ms = time_ms
        if is_message:
            self.last_message_ms = time_ms
        self.last_reading_at = self._count
        self._count += 1

    def baseline_ms(self, turn: int, step: int) -> int | None:
        """
        Return the instant a reading's elapsed time counts from.

        Parameters
        ----------
        turn, step : int
            The attempt's numbers.

        Returns
        -------
        int or None
            For step 1 the last message of any kind in the log; for later steps the last reading
            of the same turn; None when there is none, which reads ``unavailable``.
        """
        if step == 1:
            return self.last_message_ms
        start = self._reset_at if self.edition == "current" else self.turn_started_at(turn)
        return self.last_reading_ms if self.last_reading_at > start else None

    def turn_started_at(self, turn: int) -> int:
        """
        Return where a turn began.

        Parameters
        ----------
        turn : int
            Its number.

        Returns
        -------
        int
            The place of its newest start in the order of the log, -1 where it never started.
        """
        return self._turn_started_at.get(turn, -1)

    def browser_zone(self, turn: int, entering: tuple[JsonObject, ...] = ()) -> BrowserZone | None:
        """
        Return the browser zone a reading states for its turn.

        Parameters
        ----------
        turn : int
            The attempt's turn.
        entering : tuple of dict
            Sources of the messages about to enter with the step.

        Returns
        -------
        BrowserZone or None
            None in the two-line editions, which state none.

        Raises
        ------
        ZoneError
            As `turn_zone`; the turn then ends with an error and gets no reading.
        """
        return None if line_count(self.edition) < _LINES_WITH_ZONE else self.turn_zone(turn, entering)

    def turn_zone(self, turn: int, entering: tuple[JsonObject, ...] = ()) -> BrowserZone:
        """
        Return what a turn's browsers say about their zone, whether or not the edition states it.

        Parameters
        ----------
        turn : int
            The turn's number; its messages are those since its newest start.
        entering : tuple of dict
            Sources of the messages about to enter with the step.

        Returns
        -------
        BrowserZone
            Resolved, mixed or missing.

        Raises
        ------
        ZoneError
            If a message of the turn names a zone that is not canonical.
        """
        started = self._turn_started_at.get(turn)
        since = len(self._zoned) if started is None else bisect_right(self._zoned_at, started)
        naming = [source for source in entering if _names_zone(source)]
        if naming:
            return derive_browser_zone([*self._zoned[since:], *naming])
        return self._zone_since(since)

    def reading_at(
        self, now_ms: int, turn: int, step: int, *, fallback: str, entering: tuple[JsonObject, ...] = ()
    ) -> Reading:
        """
        Return what a reading taken now would say.

        Parameters
        ----------
        now_ms : int
            The attempt's instant in epoch milliseconds.
        turn, step : int
            The attempt's numbers.
        fallback : str
            The zone to show where the turn's browsers do not settle one.
        entering : tuple of dict
            Sources of the messages about to enter with the step.

        Returns
        -------
        Reading
            Ready to be printed.

        Raises
        ------
        ZoneError
            As `turn_zone`.
        """
        browser = self.browser_zone(turn, entering)
        return Reading(
            turn=turn,
            step=step,
            time_ms=now_ms,
            zone=display_zone(browser, fallback),
            elapsed_ms=elapsed_of(now_ms, self.baseline_ms(turn, step)),
            browser_zone=browser,
            edition=self.edition,
        )

    def _read_source(self, source: JsonObject, time_ms: int) -> None:
        if self._recognise(source):
            self.last_reading_ms = time_ms
            self.last_reading_at = self._count
        elif _names_zone(source):
            self._zoned_at.append(self._count)
            self._zoned.append(source)

    def _zone_since(self, since: int) -> BrowserZone:
        """Return what the messages that name a zone say from one of them on; the steps of a turn ask the same."""
        until = len(self._zoned)
        if since == until:
            return _MISSING
        if self._derived is None or self._derived[:2] != (since, until):
            self._derived = (since, until, derive_browser_zone(self._zoned[since:]))
        return self._derived[2]


def reading_message(text: str, edition: Edition, message_id: str) -> Message:
    """
    Return the message that carries a reading into the log.

    Parameters
    ----------
    text : str
        The reading as the model sees it.
    edition : {"note", "note-v2", "readme", "current"}
        Sets the shape: ``note`` has neither role nor id and names only its plugin.
    message_id : str
        The message's id; unused in ``note``.

    Returns
    -------
    Message
        One text block, with the source that marks it as a reading.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts.
    """
    content = ({"type": "text", "text": text},)
    if edition == "note":
        return Message(content=content, source={"kind": "plugin", "plugin": "time-context"})
    origin = {"kind": "time-context"} if edition == "current" else {"kind": "plugin", "plugin": "time-context"}
    snapshot = {"form": "snapshot", "sections": [{"name": "time-context", "text": text}]}
    return Message(content=content, source={**origin, **snapshot}, role="user", id=message_id)


def _names_zone(source: JsonObject) -> bool:
    return source.get("kind") == "user" and "clientTimeZone" in source

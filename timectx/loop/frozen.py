"""Stop the clock of the whole process, in a notebook too, and move it by hand."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self

from timectx.errors import UnitError
from timectx.units import DurationMs, EpochMs, is_safe_integer

__all__ = ["FrozenClock", "frozen_clock"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MS: Final = -62_135_596_800_000
_LAST_MS: Final = 253_402_300_799_999
"""The instants a Python datetime holds: the years 1 to 9999."""

_LET_RUN: Final = ("jupyter_client", "ipykernel", "tornado", "zmq", "comm", "hypothesis")
"""Packages that go on reading the real clock: they talk to the notebook's front end, or time the collector."""

_IMPORTED_FIRST: Final = ("pandas",)
"""Packages whose first import under a frozen clock kills the process."""


def frozen_clock(start: int | str | datetime, *, tick_ms: int = 0) -> FrozenClock:
    """
    Freeze the process's clock and return the handle that moves it.

    Parameters
    ----------
    start : int, str or datetime
        Epoch milliseconds, an ISO 8601 text with an offset, or an aware datetime.
    tick_ms : int, optional
        How far the clock moves by itself each time it is read; 0 = not at all.

    Returns
    -------
    FrozenClock
        Already in force. Use it in a ``with`` block, or call `FrozenClock.stop`. Freezing again,
        as when a cell runs twice, takes the place of the clock before.

    Raises
    ------
    UnitError
        Kind ``instant`` if `start` has no offset, is no instant, or lies outside the years
        1 to 9999; ``tick`` if `tick_ms` is no whole number from 0.

    Notes
    -----
    `time.time`, `time.monotonic`, `datetime.now` and the like stand still; asyncio and the notebook's
    own messages run on. Frozen datetimes are of a class of their own, and the second pass of a repeated
    hour is lost in them, and threads may read the real clock: take instants from this clock and let
    `format_timestamp` write them.

    Examples
    --------
    >>> from timectx.replay import system_clock
    >>> with frozen_clock("2026-11-01T06:30:00Z") as clock:
    ...     clock.advance(1_500)
    ...     clock() == system_clock()()
    True
    """
    start_ms = _instant_ms(start)
    if not is_safe_integer(tick_ms) or tick_ms < 0:
        raise UnitError(f"a tick is a whole number of milliseconds from 0, got {tick_ms!r}", kind="tick")
    clock = FrozenClock(EpochMs(start_ms), DurationMs(tick_ms))
    clock.start()
    return clock


class FrozenClock:
    """
    Hold a frozen clock: call it for the time, move it by milliseconds, stop it.

    Parameters
    ----------
    start_ms : EpochMs
        Where it stands at first.
    tick_ms : DurationMs
        How far it moves each time it is read.

    Notes
    -----
    Only one can be in force in a process; starting one stops the one before.
    """

    _in_force: FrozenClock | None = None

    def __init__(self, start_ms: EpochMs, tick_ms: DurationMs) -> None:
        self.start_ms, self.tick_ms = start_ms, tick_ms
        self._freezer: Any = None
        self._factory: Any = None

    def __call__(self) -> EpochMs:
        """Return the frozen instant in epoch milliseconds."""
        self._check_in_force()
        return EpochMs(_ms_of(self._factory()))

    def __enter__(self) -> Self:
        """Return the clock, in force."""
        if FrozenClock._in_force is not self:
            self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the real clock run again."""
        self.stop()

    def __repr__(self) -> str:
        """Say whether the clock is in force, without reading it."""
        state = "in force" if FrozenClock._in_force is self else "stopped"
        return f"<FrozenClock {state}, started at {self.start_ms} ms>"

    def start(self) -> None:
        """Freeze the process's clock at this clock's start, whatever clock was in force before."""
        for name in _IMPORTED_FIRST:
            if importlib.util.find_spec(name) is not None:
                importlib.import_module(name)
        from freezegun import freeze_time

        if FrozenClock._in_force is not None:
            FrozenClock._in_force.stop()
        self._freezer = freeze_time(
            _datetime(self.start_ms),
            real_asyncio=True,
            ignore=list(_LET_RUN),
            auto_tick_seconds=self.tick_ms / 1000,
        )
        self._factory = self._freezer.start()
        self._move(self.start_ms)  # freezing looks through modules, and some of them look at the clock
        FrozenClock._in_force = self

    def stop(self) -> None:
        """Let the real clock run again; stopping a clock that is not in force changes nothing."""
        if FrozenClock._in_force is self:
            self._freezer.stop()
            FrozenClock._in_force = None

    def advance(self, duration_ms: int) -> None:
        """
        Move the clock.

        Parameters
        ----------
        duration_ms : int
            How far, in milliseconds; negative steps back.

        Raises
        ------
        UnitError
            Kind ``instant`` if that leads outside the years 1 to 9999.
        """
        self._check_in_force()
        self.set(self._standing_ms() + duration_ms)

    def set(self, time_ms: int) -> None:
        """
        Put the clock to an instant.

        Parameters
        ----------
        time_ms : int
            Epoch milliseconds, before or after the present ones.

        Raises
        ------
        UnitError
            Kind ``instant`` if it is no whole number within the years 1 to 9999, or the clock is
            not in force.
        """
        self._check_in_force()
        self._move(_instant_ms(time_ms))

    def _move(self, time_ms: int) -> None:
        """Put the clock to an instant; freezegun takes a move by nothing for a tick."""
        if time_ms != self._standing_ms():
            self._factory.move_to(_datetime(time_ms))

    def _standing_ms(self) -> int:
        """Return where the clock stands without making it tick."""
        return _ms_of(self._factory.time_to_freeze)

    def _check_in_force(self) -> None:
        if FrozenClock._in_force is not self:
            raise UnitError("this frozen clock is not in force; freeze it again with frozen_clock", kind="instant")


def _instant_ms(given: int | str | datetime) -> int:
    moment: object = given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
        except ValueError:
            raise UnitError(f"not an instant: {given!r}; expected ISO 8601 with an offset", kind="instant") from None
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise UnitError(f"an instant needs an offset, got {given!r}; add Z or +08:00", kind="instant")
        moment = (moment - _EPOCH) // timedelta(milliseconds=1)
    if not is_safe_integer(moment) or not isinstance(moment, int) or not _FIRST_MS <= moment <= _LAST_MS:
        raise UnitError(f"not an instant within the years 1 to 9999: {given!r}", kind="instant")
    return moment


def _ms_of(standing: datetime) -> int:
    return (standing.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


def _datetime(time_ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=time_ms)

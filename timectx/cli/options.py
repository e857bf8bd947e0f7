"""Read the values people type: intervals, zones, editions, instants."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, get_args

import click

from timectx.errors import TimectxError, UnitError
from timectx.reading import Edition, canonical_zone
from timectx.units import MAX_INSTANT_MS, MAX_SAFE_INTEGER, DurationMs, EpochMs, parse_interval

__all__ = [
    "COUNT",
    "EDITION",
    "INSTANT",
    "INTERVAL",
    "INTERVALS",
    "JOBS",
    "PATH",
    "TOKENS",
    "WHEN",
    "ZONE",
    "ValueType",
    "json_option",
    "parse_instant",
    "parse_when",
    "paths_argument",
]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_DIGITS: Final = 20
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LABEL: Final = re.compile(r"\[[^\[\]]*\]$")


def parse_instant(text: str) -> EpochMs:
    """
    Read an instant from epoch milliseconds or ISO 8601.

    Parameters
    ----------
    text : str
        A whole number, or date and time with an offset or Z; a zone in brackets behind it, as a
        reading prints it, is passed over.

    Returns
    -------
    EpochMs
        Finer parts than a millisecond are cut off.

    Raises
    ------
    UnitError
        If it is neither, has no offset, or lies outside what a log can hold.

    Examples
    --------
    >>> parse_instant("0"), parse_instant("1970-01-01T01:00:00.5+01:00[Europe/Berlin]")
    (0, 500)
    """
    trimmed = text.strip()
    if re.fullmatch(r"[+-]?[0-9]+", trimmed):
        time_ms = int(trimmed) if len(trimmed) <= _MOST_DIGITS else MAX_INSTANT_MS + 1
    else:
        time_ms = (_moment(_LABEL.sub("", trimmed), text) - _EPOCH) // timedelta(milliseconds=1)
    if abs(time_ms) > MAX_INSTANT_MS:
        raise UnitError(f"outside the instants a log can hold: {text!r}", kind="time-out-of-range")
    return EpochMs(time_ms)


def parse_when(text: str) -> EpochMs | date:
    """
    Read an instant or a day.

    Parameters
    ----------
    text : str
        As for `parse_instant`, or a day as in 2026-07-15.

    Returns
    -------
    EpochMs or date
        The day as it stands: which instants it spans depends on a zone.

    Raises
    ------
    UnitError
        If it is neither.

    Examples
    --------
    >>> parse_when("2026-07-15"), parse_when("1970-01-01T00:00:01Z")
    (datetime.date(2026, 7, 15), 1000)
    """
    day = _day(text.strip()) if _DAY.fullmatch(text.strip()) else None
    return parse_instant(text) if day is None else day


def _moment(iso: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        raise UnitError(
            f"not an instant: {text!r}; expected epoch milliseconds or ISO 8601, as in 2026-07-15T09:01:01+08:00",
            kind="time-syntax",
        ) from None
    day = _day(iso)
    if day is not None:
        raise UnitError(
            f"a day without a time: {text!r}; a time is needed, as in {day}T09:00:00+08:00", kind="time-syntax"
        )
    if moment.tzinfo is None:
        raise UnitError(
            f"an instant without an offset: {text!r}; add Z or an offset, as in {iso}+08:00", kind="time-syntax"
        )
    return moment


def _day(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:
        return None


class ValueType(click.ParamType[Any]):
    """
    Read a value with a function of this package, and let click say which option it was for.

    Parameters
    ----------
    name : str
        What the help calls it.
    read : callable
        From text to value; it raises a `TimectxError` for what it cannot read.
    """

    def __init__(self, name: str, read: Any) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """
        Read a text; anything else is taken to be read already.

        Parameters
        ----------
        value : object
            What was typed, or a default.
        param : click.Parameter or None
            The option or argument it is for.
        ctx : click.Context or None
            The command around it.

        Returns
        -------
        object
            The value.
        """
        try:
            return self._read(value) if isinstance(value, str) else value
        except TimectxError as error:
            self.fail(str(error), param, ctx)


def _intervals(text: str) -> tuple[DurationMs, ...]:
    return tuple(sorted({parse_interval(part) for part in text.split(",")}))


def _path(text: str) -> str:
    if not text:
        raise UnitError("an empty path; expected the name of a file or folder", kind="empty-path")
    return text


INTERVAL: Final = ValueType("interval", parse_interval)
INTERVALS: Final = ValueType("intervals", _intervals)
ZONE: Final = ValueType("zone", canonical_zone)
INSTANT: Final = ValueType("time", parse_instant)
WHEN: Final = ValueType("time or day", parse_when)
PATH: Final = ValueType("path", _path)
COUNT: Final = click.IntRange(1, MAX_SAFE_INTEGER)
TOKENS: Final = click.IntRange(1)
JOBS: Final = click.IntRange(1, 4096)
EDITION: Final = click.Choice(get_args(Edition))

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, to stdout.")

paths_argument: Final = click.argument("paths", metavar="PATH...", type=PATH, nargs=-1, required=True)

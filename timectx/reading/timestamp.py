"""Write an instant as local time with offset and zone, and read it back."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from timectx.errors import ReadingError, ZoneError
from timectx.reading.civil import DAY_S, civil_date, day_number, is_civil_date
from timectx.reading.zones import ODD_LABELS, ZoneLabel, canonical_zone, zone_clock
from timectx.units import MAX_INSTANT_MS, whole_number

__all__ = [
    "TIMESTAMP_PATTERN",
    "format_timestamp",
    "local_day",
    "parse_timestamp",
    "printed_label",
    "utc_offset_s",
]

TIMESTAMP_PATTERN: Final = (
    r"[1-9][0-9]{0,5}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?\[[A-Za-z0-9_+:/.-]*\]"
)
"""Regular expression that every text of `format_timestamp` matches, and few others do."""

_PARTS: Final = re.compile(
    r"([1-9][0-9]{0,5})-([0-9]{2})-([0-9]{2})T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])"
    r"(([+-])([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?)\[([A-Za-z0-9_+:/.-]*)\]"
)
_CACHED_DAYS: Final = 4096
_CACHED_OFFSETS: Final = 1024


def format_timestamp(time_ms: int, zone: str, *, label: str | None = None) -> str:
    """
    Write an instant as the local time of a zone.

    Parameters
    ----------
    time_ms : int
        Milliseconds since the Unix epoch; rounded down to the second.
    zone : str
        A zone name in any form, an offset, a `ZoneLabel` or an odd process label.
    label : str, optional
        What to print in brackets; by default the canonical id of `zone`.

    Returns
    -------
    str
        Date, time, offset and label. Years before 1 are printed as years BC without a sign,
        and no year is padded; an offset has seconds where the zone's has.

    Raises
    ------
    ZoneError
        If `zone` names no zone.
    ReadingError
        If the instant is more than 8.64e15 ms from the epoch (kind ``time-out-of-range``).
    UnitError
        If it is no whole number.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/timestamp.ts.

    Examples
    --------
    >>> format_timestamp(1_784_077_261_000, "Asia/Shanghai")
    '2026-07-15T09:01:01+08:00[Asia/Shanghai]'
    >>> format_timestamp(-63_517_780_800_000, "UTC")
    '44-03-15T12:00:00+00:00[UTC]'
    """
    time_ms = whole_number(time_ms, "an instant in milliseconds")
    offset_s = utc_offset_s(time_ms, zone)
    day, second = divmod(time_ms // 1000 + offset_s, DAY_S)
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    shown = printed_label(zone) if label is None else label
    return f"{_date_text(day)}T{hour:02d}:{minute:02d}:{second:02d}{_offset_text(offset_s)}[{shown}]"


def parse_timestamp(text: str) -> tuple[int, str]:
    """
    Read an instant that `format_timestamp` wrote.

    Parameters
    ----------
    text : str
        Date, time, offset and label.

    Returns
    -------
    int
        Milliseconds since the Unix epoch, at a whole second. The offset in the text decides,
        not the zone; a year is taken as one AD or later.
    str
        The label: a plain str if it is a canonical zone that has this offset at the instant,
        else a `ZoneLabel` with the clock the text shows. Either way it prints as it stands.

    Raises
    ------
    ReadingError
        If `format_timestamp` writes no such text (kind ``not-a-timestamp``).

    Examples
    --------
    >>> parse_timestamp("1970-01-01T00:00:00-00:44:30[Africa/Monrovia]")
    (2670000, 'Africa/Monrovia')
    """
    found = _PARTS.fullmatch(text)
    if found is None:
        raise _no_timestamp(text)
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    size_s = int(found[9]) * 3600 + int(found[10]) * 60 + int(found[11] or 0)
    offset_s = -size_s if found[8] == "-" else size_s
    time_s = day_number(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second - offset_s
    if not is_civil_date(year, month, day) or abs(time_s) * 1000 > MAX_INSTANT_MS or found[7] != _offset_text(offset_s):
        raise _no_timestamp(text)
    return time_s * 1000, _label_as_zone(found[12], found[7], offset_s, time_s)


def utc_offset_s(time_ms: int, zone: str) -> int:
    """
    Return how far a zone's local time is ahead of UTC at an instant.

    Parameters
    ----------
    time_ms : int
        Milliseconds since the Unix epoch.
    zone : str
        As for `format_timestamp`.

    Returns
    -------
    int
        Seconds, negative west of Greenwich; not always whole minutes.

    Raises
    ------
    ZoneError
        If `zone` names no zone.
    ReadingError
        If the instant is more than 8.64e15 ms from the epoch (kind ``time-out-of-range``).
    UnitError
        If it is no whole number.

    Examples
    --------
    >>> utc_offset_s(0, "Africa/Monrovia"), utc_offset_s(0, "+05:30")
    (-2670, 19800)
    """
    if not isinstance(zone, str):
        raise ZoneError(f"a time zone is a name, got {zone!r}", kind="config-zone-invalid")
    clock = zone_clock(zone)
    time_ms = whole_number(time_ms, "an instant in milliseconds")
    if not -MAX_INSTANT_MS <= time_ms <= MAX_INSTANT_MS:
        raise ReadingError(
            f"no instant: {time_ms} ms; expected at most {MAX_INSTANT_MS} ms from the epoch", kind="time-out-of-range"
        )
    return clock(time_ms // 1000)


def local_day(time_ms: int, zone: str) -> int:
    """
    Return the calendar day an instant falls on in a zone.

    Parameters
    ----------
    time_ms : int
        Milliseconds since the Unix epoch.
    zone : str
        As for `format_timestamp`.

    Returns
    -------
    int
        Days of the zone's calendar since 1970-01-01.

    Raises
    ------
    ZoneError
        If `zone` names no zone.
    ReadingError
        If the instant is more than 8.64e15 ms from the epoch (kind ``time-out-of-range``).
    UnitError
        If it is no whole number.

    Examples
    --------
    >>> local_day(0, "America/New_York"), local_day(0, "UTC")
    (-1, 0)
    """
    return (time_ms // 1000 + utc_offset_s(time_ms, zone)) // DAY_S


def printed_label(zone: str) -> str:
    """
    Return what a reading prints in brackets for a zone.

    Parameters
    ----------
    zone : str
        As for `format_timestamp`.

    Returns
    -------
    str
        The canonical id; a `ZoneLabel` and an odd process label as they stand.

    Raises
    ------
    ZoneError
        If `zone` names no zone (kind ``config-zone-invalid``).

    Examples
    --------
    >>> printed_label("asia/kolkata"), printed_label("Etc/Unknown")
    ('Asia/Calcutta', 'Etc/Unknown')
    """
    return str(zone) if isinstance(zone, ZoneLabel) or zone in ODD_LABELS else canonical_zone(zone)


@lru_cache(_CACHED_DAYS)
def _date_text(day: int) -> str:
    year, month, day_of_month = civil_date(day)
    return f"{year if year > 0 else 1 - year}-{month:02d}-{day_of_month:02d}"


@lru_cache(_CACHED_OFFSETS)
def _offset_text(offset_s: int) -> str:
    minutes, seconds = divmod(abs(offset_s), 60)
    tail = f":{seconds:02d}" if seconds else ""
    return f"{'-' if offset_s < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}{tail}"


def _label_as_zone(label: str, offset: str, offset_s: int, time_s: int) -> str:
    """Return a printed label as the zone that prints the same offset and label again."""
    try:
        canonical, clock = printed_label(label), zone_clock(label)
    except ZoneError:
        return ZoneLabel(label, offset)
    if clock(time_s) != offset_s:
        return ZoneLabel(label, offset)
    return label if label == canonical else ZoneLabel(label, canonical)


def _no_timestamp(text: str) -> ReadingError:
    return ReadingError(
        f"not a timestamp: {text!r}; expected one such as 2026-07-15T09:01:01+08:00[Asia/Shanghai]",
        kind="not-a-timestamp",
    )

"""Read zone rules from the tzdata package alone, never from the host."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache, partial
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from timectx.errors import ZoneError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["database_clock", "database_names", "standard_offset_s", "zone_database_release"]

_CYCLE_S: Final = 400 * 31_556_952  # 400 years: dates and weekdays repeat
_FIRST_S: Final = -62_104_060_800  # 0002-01-01; every zone still keeps its first offset then
_LAST_S: Final = 253_370_764_800  # 9999-01-01
_JANUARY_S: Final = 1_767_225_600
_JULY_S: Final = 1_782_864_000


@cache
def zone_database_release() -> str:
    """
    Name the release of the zone database in use.

    Returns
    -------
    str
        The version of the installed tzdata package, such as ``2026.2``.

    Examples
    --------
    >>> zone_database_release().startswith("20")
    True
    """
    from importlib.metadata import version  # costs more to import than the rest of this layer

    return version("tzdata")


@cache
def database_names() -> frozenset[str]:
    """
    List the zone names the database has rules for.

    Returns
    -------
    frozenset of str
        Names as the database spells them, aliases included.

    Examples
    --------
    >>> "Asia/Kolkata" in database_names(), "PST" in database_names()
    (True, False)
    """
    from importlib.resources import files  # likewise

    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


@cache
def database_clock(name: str) -> Callable[[int], int]:
    """
    Return the offset rule of a zone of the database.

    Parameters
    ----------
    name : str
        A zone name as the database spells it.

    Returns
    -------
    callable
        A function from seconds since the Unix epoch, of any year, to the offset in seconds
        east of UTC.

    Raises
    ------
    ZoneError
        If the installed database has no such zone.

    Notes
    -----
    Python dates end with the years 1 and 9999. Before, a zone keeps its first offset; after,
    its last rule goes on for ever, and that repeats every 400 years.

    Examples
    --------
    >>> clock = database_clock("Europe/Paris")
    >>> clock(1_784_073_600), clock(1_784_073_600 + 40 * _CYCLE_S)
    (7200, 7200)
    """
    if name not in database_names():
        raise ZoneError(
            f"the installed zone database {zone_database_release()} has no rules for {name!r}; "
            "expected a newer tzdata package",
            kind="zone-without-rules",
        )
    from importlib.resources import files  # likewise

    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as stream:
        zone = ZoneInfo.from_file(stream, key=name)
    return partial(_offset_s, zone, datetime(1970, 1, 1, tzinfo=zone))


def standard_offset_s(name: str) -> int:
    """
    Return the offset a zone keeps outside daylight time these years.

    Parameters
    ----------
    name : str
        A zone name as the database spells it.

    Returns
    -------
    int
        Seconds east of UTC: the smaller of its offsets in January and July 2026.

    Raises
    ------
    ZoneError
        If the installed database has no such zone.

    Examples
    --------
    >>> standard_offset_s("America/New_York"), standard_offset_s("Pacific/Auckland")
    (-18000, 43200)
    """
    clock = database_clock(name)
    return min(clock(_JANUARY_S), clock(_JULY_S))


def _offset_s(zone: ZoneInfo, epoch: datetime, time_s: int) -> int:
    if time_s >= _LAST_S:
        time_s -= ((time_s - _LAST_S) // _CYCLE_S + 1) * _CYCLE_S
    elif time_s < _FIRST_S:
        time_s = _FIRST_S
    # ZoneInfo.fromutc takes the fields of UTC with the zone attached
    offset = zone.fromutc(epoch + timedelta(seconds=time_s)).utcoffset()
    return offset.days * 86_400 + offset.seconds if offset is not None else 0

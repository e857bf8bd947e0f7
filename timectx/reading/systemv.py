"""Give the offsets of the SystemV zones, which ICU knows and the zone database does not."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from timectx.reading.civil import DAY_S, civil_date, day_number

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["systemv_clock"]

_NAME: Final = re.compile(r"SystemV/[A-Z]{3}(\d{1,2})([A-Z]{3})?", re.ASCII)
_HOUR_S: Final = 3600
_FIRST_YEAR: Final = 1902
_ODD_YEARS: Final = {1974: ((1, 6), (11, 24)), 1975: ((2, 23), (10, 26))}


def systemv_clock(name: str) -> Callable[[int], int] | None:
    """
    Return the offset rule of a SystemV zone.

    Parameters
    ----------
    name : str
        Any zone name.

    Returns
    -------
    callable or None
        A function from seconds since the Unix epoch to the offset in seconds east of UTC;
        None when `name` is no SystemV zone.

    Notes
    -----
    Daylight time runs from the last Sunday of April to the last Sunday of October, from 1902
    on, but from January 6 to November 24 in 1974 and from February 23 to October 26 in 1975.

    References
    ----------
    ICU, icu4c/source/tools/tzcode/icuzones, and the rule "SystemV" of the zone database's old
    file ``systemv``.

    Examples
    --------
    >>> clock = systemv_clock("SystemV/EST5EDT")
    >>> clock(0), clock(1_784_073_600), systemv_clock("Asia/Tokyo")
    (-18000, -14400, None)
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    return partial(_offset_s, -int(found[1]) * _HOUR_S, found[2] is not None)


def _offset_s(standard_s: int, has_daylight: bool, time_s: int) -> int:
    year = civil_date((time_s + standard_s) // DAY_S)[0]
    if not has_daylight or year < _FIRST_YEAR:
        return standard_s
    (begin_month, begin_day), (end_month, end_day) = _ODD_YEARS.get(year) or _usual_days(year)
    local_s = time_s + standard_s
    begin_s = day_number(year, begin_month, begin_day) * DAY_S + 2 * _HOUR_S
    end_s = day_number(year, end_month, end_day) * DAY_S + _HOUR_S  # 02:00 daylight time
    return standard_s + _HOUR_S if begin_s <= local_s < end_s else standard_s


def _usual_days(year: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (4, _last_sunday(year, 4, 30)), (10, _last_sunday(year, 10, 31))


def _last_sunday(year: int, month: int, last_day: int) -> int:
    return last_day - (day_number(year, month, last_day) + 4) % 7  # day 0 was a Thursday

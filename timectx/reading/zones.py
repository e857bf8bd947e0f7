"""Know every legal zone name and the one canonical id it stands for."""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final

from timectx.errors import ZoneError
from timectx.reading.database import database_clock, database_names
from timectx.reading.systemv import systemv_clock

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ODD_LABELS", "ZoneLabel", "canonical_zone", "spelled_zones", "zone_clock"]

ODD_LABELS: Final = frozenset({"Etc/Unknown", "undefined"})
"""Labels the original prints for a process zone it cannot name; no zone may be set to them."""

_OFFSET: Final = re.compile("([+\u2212-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?")
_CLOCK: Final = re.compile(r"([+-])([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?")
_REFUSED: Final = frozenset({"Factory", "localtime", "posixrules"})
_CACHED_NAMES: Final = 2048


class ZoneLabel(str):
    """
    Hold the text of a reading's brackets where that text does not name the clock it shows.

    Parameters
    ----------
    label : str
        The text printed in brackets, such as ``undefined`` or an old zone name.
    clock : str
        The zone or offset whose local time is printed beside it; an offset may have seconds.

    Notes
    -----
    It is a str and compares as one, so it travels wherever a zone does. Most zones are plain
    str; this class is for a process whose ``TZ`` the original misreads (`process_zone`), and
    for labels in a log that are unknown or not canonical here, or stand beside an offset that
    their zone does not have by the rules in use (`parse_timestamp`).

    Examples
    --------
    >>> label = ZoneLabel("undefined", "-05:00")
    >>> label == "undefined", label.clock
    (True, '-05:00')
    """

    __slots__ = ("clock",)
    clock: str

    def __new__(cls, label: str, clock: str) -> ZoneLabel:
        """Make the str and note the clock beside it."""
        made = super().__new__(cls, label)
        made.clock = clock
        return made

    def __reduce__(self) -> tuple[type[ZoneLabel], tuple[str, str]]:
        """Return what copying and pickling need to make the label again."""
        return ZoneLabel, (str(self), self.clock)


@lru_cache(_CACHED_NAMES)
def canonical_zone(name: str) -> str:
    """
    Return the canonical id of a zone name, or of an offset that stands for a zone.

    Parameters
    ----------
    name : str
        A name in any letter case, old or new, or an offset such as ``+05:30``, ``+0530`` or
        ``+05``.

    Returns
    -------
    str
        ICU's id, which often is the older name; an offset as ``±HH:MM``.

    Raises
    ------
    ZoneError
        If it is neither (kind ``config-zone-invalid``).

    Notes
    -----
    Names newer than the shipped table are their own ids if the installed zone database has
    them.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/timestamp.ts (the resolved zone of
    ``Intl.DateTimeFormat``); ECMA-402, "IsValidTimeZoneName".

    Examples
    --------
    >>> canonical_zone("asia/kolkata"), canonical_zone("Etc/UTC"), canonical_zone("+0530")
    ('Asia/Calcutta', 'UTC', '+05:30')
    """
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        return _canonical_offset(offset)
    # only ASCII folds: a Kelvin sign is no K
    found = _folded_zones().get(name.lower()) if name.isascii() else None
    if found is None:
        raise ZoneError(
            f"unknown time zone: {name!r}; expected an IANA name such as Europe/Berlin or an offset such as +05:30",
            kind="config-zone-invalid",
        )
    return found


@cache
def spelled_zones() -> dict[str, str]:
    """
    List every zone name in its exact spelling with its canonical id.

    Returns
    -------
    dict of str to str
        Canonical id by name; canonical ids are among the names. Not to be changed.

    Examples
    --------
    >>> spelled_zones()["Europe/Kyiv"]
    'Europe/Kiev'
    """
    from importlib.resources import files  # costly, and not needed before the first zone

    table = files("timectx.reading").joinpath("data", "zones.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in table.splitlines() if not line.startswith("#")]
    named = {name: names[0] for names in lines for name in names}
    newer = {name: name for name in database_names() - named.keys() - _REFUSED}
    return named | newer


def zone_clock(zone: str) -> Callable[[int], int]:
    """
    Return the offset rule of whatever a reading may name as its zone.

    Parameters
    ----------
    zone : str
        A zone name, an offset, a `ZoneLabel` or one of `ODD_LABELS`, which show UTC.

    Returns
    -------
    callable
        A function from seconds since the Unix epoch to the offset in seconds east of UTC.

    Raises
    ------
    ZoneError
        If it names no zone, or one the installed zone database has no rules for.

    Examples
    --------
    >>> zone_clock("-03:30")(0), zone_clock("undefined")(0), zone_clock("Asia/Tokyo")(0)
    (-12600, 0, 32400)
    """
    if isinstance(zone, ZoneLabel):
        return _fixed_clock(zone.clock) or _clock(zone.clock)
    return _clock(zone)


@lru_cache(_CACHED_NAMES)
def _clock(name: str) -> Callable[[int], int]:
    if name in ODD_LABELS:
        return partial(_fixed, 0)
    canonical = canonical_zone(name)
    return _fixed_clock(canonical) or systemv_clock(canonical) or database_clock(canonical)


@lru_cache(_CACHED_NAMES)
def _fixed_clock(offset: str) -> Callable[[int], int] | None:
    found = _CLOCK.fullmatch(offset)
    if found is None:
        return None
    size_s = int(found[2]) * 3600 + int(found[3]) * 60 + int(found[4] or 0)
    return partial(_fixed, -size_s if found[1] == "-" else size_s)


def _fixed(offset_s: int, _time_s: int) -> int:
    return offset_s


def _canonical_offset(offset: re.Match[str]) -> str:
    minutes = offset[3] or "00"
    sign = "+" if offset[1] == "+" or offset[2] + minutes == "0000" else "-"
    return f"{sign}{offset[2]}:{minutes}"


@cache
def _folded_zones() -> dict[str, str]:
    return {name.lower(): canonical for name, canonical in spelled_zones().items()}

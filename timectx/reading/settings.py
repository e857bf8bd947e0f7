"""Check a configuration of the time context the way the original does when it loads one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

import msgspec

from timectx.errors import ScenarioError, ZoneError
from timectx.reading.editions import Edition, default_interval_ms
from timectx.reading.process import process_zone
from timectx.reading.zones import canonical_zone
from timectx.units import is_safe_integer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Settings", "check_interval_ms", "check_settings", "check_time_zone"]

_INTERVAL: Final = "refreshIntervalMs"
_ZONE: Final = "timeZone"


class Settings(msgspec.Struct, frozen=True):
    """
    Hold a configuration that passed its checks.

    Parameters
    ----------
    interval_ms : int
        The refresh interval in milliseconds; 0 makes every attempt due.
    zone_label : str
        The zone shown where no browser zone is resolved.

    Examples
    --------
    >>> Settings(0, "UTC").interval_ms
    0
    """

    interval_ms: int
    zone_label: str


def check_settings(config: object, *, edition: Edition, environ: Mapping[str, str] | None = None) -> Settings:
    """
    Check a whole configuration and fill in what it leaves out.

    Parameters
    ----------
    config : object
        What the configuration file holds; None when it holds nothing. Keys other than
        ``refreshIntervalMs`` and ``timeZone`` are passed over.
    edition : {"note", "note-v2", "readme", "current"}
        Decides the default interval and what null means.
    environ : mapping of str to str, optional
        Environment whose ``TZ`` gives the zone when none is set; the process's own by default.

    Returns
    -------
    Settings
        Interval and zone.

    Raises
    ------
    ScenarioError
        If the configuration is no object or a value has the wrong type (kinds that begin
        ``invalid-config-``), or the interval is not a count (``not-safe-integer``).
    ZoneError
        If the zone is unknown or null (``config-zone-invalid``).

    Notes
    -----
    Types come first, then the interval, then the zone.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/index.ts.

    Examples
    --------
    >>> check_settings({"timeZone": "asia/kolkata"}, edition="current")
    Settings(interval_ms=600000, zone_label='Asia/Calcutta')
    """
    values = {} if config is None else config
    if not isinstance(values, dict):
        raise ScenarioError(
            f"a configuration must be an object, got {config!r}", kind="invalid-config-expected-object-but-got"
        )
    if _ZONE in values:
        _check_zone_type(values[_ZONE])
    if _INTERVAL in values:
        _check_interval_type(values[_INTERVAL])
        interval_ms = check_interval_ms(values[_INTERVAL], edition=edition)
    else:
        interval_ms = default_interval_ms(edition)
    return Settings(interval_ms, check_time_zone(values[_ZONE]) if _ZONE in values else process_zone(environ))


def check_interval_ms(value: object, *, edition: Edition) -> int:
    """
    Return a configured refresh interval as an int.

    Parameters
    ----------
    value : object
        The configured value. A float without fraction counts as the integer it equals; None is
        an explicit null.
    edition : {"note", "note-v2", "readme", "current"}
        In ``current`` null means the default; in the others it is refused.

    Returns
    -------
    int
        Milliseconds, 0 or more.

    Raises
    ------
    ScenarioError
        If it is no number (kind ``invalid-config-refreshintervalms-expected-number-but``), or
        negative, fractional or beyond 2**53 - 1 (``not-safe-integer``).

    Examples
    --------
    >>> check_interval_ms(6e4, edition="readme"), check_interval_ms(None, edition="current")
    (60000, 600000)
    """
    _check_interval_type(value)
    if value is None and edition == "current":
        return default_interval_ms(edition)
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(number, int) or not is_safe_integer(number) or number < 0:
        raise ScenarioError(
            f"{_INTERVAL} must be a whole number of milliseconds from 0 to 2**53 - 1, got {value!r}",
            kind="not-safe-integer",
        )
    return number


def check_time_zone(value: object) -> str:
    """
    Return the canonical id of a configured zone.

    Parameters
    ----------
    value : object
        The configured value; None is an explicit null.

    Returns
    -------
    str
        The canonical id, or an offset as ``±HH:MM``.

    Raises
    ------
    ScenarioError
        If it is no text (kind ``invalid-config-timezone-expected-string-but``).
    ZoneError
        If it names no zone, or is null (``config-zone-invalid``).

    Examples
    --------
    >>> check_time_zone("Etc/UTC"), check_time_zone("+05:30")
    ('UTC', '+05:30')
    """
    _check_zone_type(value)
    if not isinstance(value, str):
        raise ZoneError(f"{_ZONE} must be an IANA name, got null; leave it out instead", kind="config-zone-invalid")
    return canonical_zone(value)


def _check_zone_type(value: object) -> None:
    if value is not None and not isinstance(value, str):
        _refuse_type(_ZONE, "string", value)


def _check_interval_type(value: object) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        _refuse_type(_INTERVAL, "number", value)


def _refuse_type(key: str, expected: str, value: object) -> NoReturn:
    raise ScenarioError(
        f"{key} must be a {expected}, got {value!r}", kind=f"invalid-config-{key.lower()}-expected-{expected}-but"
    )

"""Put a reading into the words of its edition."""

from __future__ import annotations

from typing import Final

import msgspec

from timectx.errors import ReadingError
from timectx.reading.browser import BrowserZone
from timectx.reading.duration import format_duration
from timectx.reading.editions import Edition, OldEdition, check_edition, line_count
from timectx.reading.timestamp import format_timestamp
from timectx.units import whole_number

__all__ = ["Reading", "baseline_name", "browser_line", "display_zone", "elapsed_of", "format_reading"]

_MISSING: Final = BrowserZone("missing")
_LINES_WITH_BROWSER: Final = 3


class Reading(msgspec.Struct, frozen=True, gc=False):
    """
    Hold everything one time reading says.

    Parameters
    ----------
    turn : int
        The turn it was taken in, from 1.
    step : int
        The step it prepares, from 1.
    time_ms : int
        The instant it was taken, in milliseconds since the Unix epoch.
    zone : str
        The zone of its local time; where the browser zone is resolved, that one.
    elapsed_ms : int or None
        Time since the baseline in milliseconds; None when there is no baseline.
    browser_zone : BrowserZone or None
        What the turn's browsers say. None in two-line editions, which do not mention it; in
        the others None means a missing one.
    edition : str
        An `Edition`, or an `OldEdition` where an old log was read.

    Raises
    ------
    UnitError
        If a number is not whole (kind ``whole-number``).
    ReadingError
        If the edition is unknown, or has two lines and is given a browser zone (kind
        ``edition-without-browser-zone``).

    Examples
    --------
    >>> Reading(1, 1, 0, "UTC", None, None, "note").elapsed_ms is None
    True
    """

    turn: int
    step: int
    time_ms: int
    zone: str
    elapsed_ms: int | None
    browser_zone: BrowserZone | None
    edition: Edition | OldEdition

    def __post_init__(self) -> None:
        """Check the types, and settle the browser zone as the edition needs it."""
        for name in ("turn", "step", "time_ms"):
            if type(getattr(self, name)) is not int:
                msgspec.structs.force_setattr(self, name, whole_number(getattr(self, name), name))
        if self.elapsed_ms is not None and type(self.elapsed_ms) is not int:
            msgspec.structs.force_setattr(self, "elapsed_ms", whole_number(self.elapsed_ms, "elapsed_ms"))
        if self.browser_zone is not None and not isinstance(self.browser_zone, BrowserZone):
            raise ReadingError(f"a browser zone is a BrowserZone, got {self.browser_zone!r}", kind="browser-zone-type")
        has_line = line_count(self.edition) >= _LINES_WITH_BROWSER
        if has_line and self.browser_zone is None:
            msgspec.structs.force_setattr(self, "browser_zone", _MISSING)
        if not has_line and self.browser_zone is not None:
            raise ReadingError(
                f"edition {self.edition!r} does not mention the browser zone; expected None, got {self.browser_zone}",
                kind="edition-without-browser-zone",
            )


def format_reading(reading: Reading) -> str:
    r"""
    Write a reading as the model sees it.

    Parameters
    ----------
    reading : Reading
        What to write.

    Returns
    -------
    str
        Two or three lines, without a newline at the end.

    Raises
    ------
    ReadingError
        If the instant is out of range, or the edition is one that is only read (kind
        ``edition-unknown``).
    ZoneError
        If the zone is unknown.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/index.ts.

    Examples
    --------
    >>> print(format_reading(Reading(2, 3, 1_784_077_261_000, "Asia/Shanghai", 61_000, None, "note")))
    Time sampled while preparing turn 2, step 3: 2026-07-15T09:01:01+08:00[Asia/Shanghai]
    Elapsed since the preceding step context: 1m 1s.
    """
    check_edition(reading.edition)
    timestamp = format_timestamp(reading.time_ms, reading.zone)
    elapsed = "unavailable" if reading.elapsed_ms is None else format_duration(reading.elapsed_ms)
    browser = "" if reading.browser_zone is None else f"{browser_line(reading.browser_zone)}\n"
    return (
        f"Time sampled while preparing turn {reading.turn}, step {reading.step}: {timestamp}\n"
        f"{browser}"
        f"Elapsed since the preceding {baseline_name(reading.step)}: {elapsed}."
    )


def browser_line(browser_zone: BrowserZone) -> str:
    """
    Write the second line of a three-line reading.

    Parameters
    ----------
    browser_zone : BrowserZone
        What the turn's browsers say.

    Returns
    -------
    str
        The line, without a newline.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/request-zone.ts.

    Examples
    --------
    >>> browser_line(BrowserZone("mixed", ("Asia/Tokyo", "UTC")))[:65]
    'Browser time zone for this request: mixed ["Asia/Tokyo","UTC"]. A'
    """
    if browser_zone.kind == "resolved":
        said = f"{browser_zone.zones[0]}. Interpret otherwise-unqualified dates and times in this zone."
    else:
        quoted = ",".join(f'"{zone}"' for zone in browser_zone.zones)
        named = f"mixed [{quoted}]" if quoted else "unavailable"
        said = f"{named}. Ask the user to clarify otherwise-unqualified dates and times."
    return f"Browser time zone for this request: {said}"


def baseline_name(step: int) -> str:
    """
    Name what the elapsed time of a step counts from.

    Parameters
    ----------
    step : int
        The step, from 1.

    Returns
    -------
    str
        ``model-visible message`` for the first step of a turn, ``step context`` for later ones.

    Examples
    --------
    >>> baseline_name(1), baseline_name(2)
    ('model-visible message', 'step context')
    """
    return "model-visible message" if step == 1 else "step context"


def elapsed_of(now_ms: int, baseline_ms: int | None) -> int | None:
    """
    Return the time since a baseline.

    Parameters
    ----------
    now_ms : int
        The instant of the reading, in milliseconds since the Unix epoch.
    baseline_ms : int or None
        The baseline in the same unit; None when there is none.

    Returns
    -------
    int or None
        Milliseconds, 0 when the clock went back; None when there is no baseline.

    Examples
    --------
    >>> elapsed_of(5000, 2000), elapsed_of(2000, 5000), elapsed_of(5000, None)
    (3000, 0, None)
    """
    return None if baseline_ms is None else max(0, now_ms - baseline_ms)


def display_zone(browser_zone: BrowserZone | None, fallback: str) -> str:
    """
    Choose the zone a reading shows its time in.

    Parameters
    ----------
    browser_zone : BrowserZone or None
        What the turn's browsers say; None in editions that do not ask.
    fallback : str
        The configured or the process's zone.

    Returns
    -------
    str
        The browser zone when it is resolved, else `fallback`.

    Examples
    --------
    >>> display_zone(BrowserZone("resolved", ("Asia/Tokyo",)), "UTC"), display_zone(None, "UTC")
    ('Asia/Tokyo', 'UTC')
    """
    if browser_zone is not None and browser_zone.kind == "resolved":
        return browser_zone.zones[0]
    return fallback

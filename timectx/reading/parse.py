"""Read a reading's text back into what it says, whichever contract wrote it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from timectx.errors import ReadingError
from timectx.reading.browser import BrowserZone, has_browser_zone_shape
from timectx.reading.duration import DURATION_PATTERN, parse_duration
from timectx.reading.editions import Edition, OldEdition, line_count
from timectx.reading.text import Reading, baseline_name, browser_line
from timectx.reading.timestamp import TIMESTAMP_PATTERN, parse_timestamp
from timectx.units import MAX_SAFE_INTEGER

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["parse_reading"]

_FIRST: Final = re.compile(
    rf"Time (sampled while preparing|recorded before) turn ([1-9][0-9]{{0,15}}), step ([1-9][0-9]{{0,15}}): "
    rf"({TIMESTAMP_PATTERN})"
)
_LAST: Final = re.compile(
    rf"Elapsed since the preceding (model-visible message|step context): (unavailable|{DURATION_PATTERN})\."
)
_BROWSER: Final = re.compile(r'Browser time zone for this request: (mixed \["(.+)"\]|[^ ]+)\. (?:Interpret|Ask) .+')
_CLIENT: Final = re.compile(r'Client time zone for this request: (mixed \["(.+)"\]|[^ ]+)\.')
_SESSION: Final = re.compile(r"Session time zone: ([^ ]+)\.")
_WRITTEN: Final[dict[int, Edition]] = {2: "note", 3: "readme"}


def parse_reading(text: str, *, edition: Edition | None = None) -> Reading:
    r"""
    Read the text of a time reading.

    Parameters
    ----------
    text : str
        The whole text of the message.
    edition : {"note", "note-v2", "readme", "current"}, optional
        The edition to take it as; by default ``note`` for two lines and ``readme`` for three.

    Returns
    -------
    Reading
        What the text says: the instant at a whole second, the elapsed time likewise. Texts that
        only old logs hold get the editions ``recorded`` (two lines that begin "Time recorded
        before") and ``four-line``.

    Raises
    ------
    ReadingError
        If no edition, or not the one given, writes such a text (kind ``not-a-reading``).

    Notes
    -----
    For every reading of years 1 to 9999 that `format_reading` writes, the instant comes back to
    the second and the text comes out the same when written again.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/{index,request-zone}.ts.

    Examples
    --------
    >>> reading = parse_reading(
    ...     "Time sampled while preparing turn 1, step 1: 1970-01-01T00:00:00+00:00[UTC]\n"
    ...     "Elapsed since the preceding model-visible message: 1h 0s."
    ... )
    >>> reading.edition, reading.time_ms, reading.elapsed_ms
    ('note', 0, 3600000)
    """
    if not isinstance(text, str):
        raise ReadingError(f"a reading is text, got {text!r}", kind="not-a-reading")
    lines = text.split("\n")
    first, last = _FIRST.fullmatch(lines[0]), _LAST.fullmatch(lines[-1])
    if first is None or last is None:
        raise _no_reading(text)
    found = _edition_of(first[1], lines, edition)
    turn, step = int(first[2]), int(first[3])
    browser_zone = _browser_zone_of(lines[1:-1])
    is_sound = max(turn, step) <= MAX_SAFE_INTEGER and last[1] == baseline_name(step)
    if found is None or not is_sound or (browser_zone is None) != (len(lines) == line_count("note")):
        raise _no_reading(text)
    try:
        time_ms, zone = parse_timestamp(first[4])
    except ReadingError as error:
        raise _no_reading(text) from error
    elapsed_ms = None if last[2] == "unavailable" else parse_duration(last[2])
    return Reading(turn, step, time_ms, zone, elapsed_ms, browser_zone, found)


def _edition_of(opening: str, lines: Sequence[str], wanted: Edition | None) -> Edition | OldEdition | None:
    """Return the edition of a text, or None when no edition has that opening and line count."""
    if opening == "recorded before":
        return "recorded" if len(lines) == line_count("recorded") and wanted is None else None
    if len(lines) == line_count("four-line"):
        return "four-line" if wanted is None else None
    if wanted is not None:
        return wanted if len(lines) == line_count(wanted) else None
    return _WRITTEN.get(len(lines))


def _browser_zone_of(lines: Sequence[str]) -> BrowserZone | None:
    """Return what the lines between first and last say of the browser zone, or None when nothing sound."""
    if len(lines) == 1:
        browser = _BROWSER.fullmatch(lines[0])
        zone = None if browser is None else _zones_said(browser, "unavailable")
        return zone if zone is not None and browser_line(zone) == lines[0] else None
    if len(lines) == 2:
        session, client = _SESSION.fullmatch(lines[0]), _CLIENT.fullmatch(lines[1])
        is_sound = session is not None and (session[1] == "unavailable" or has_browser_zone_shape(session[1]))
        return _zones_said(client, "missing") if client is not None and is_sound else None
    return None


def _zones_said(line: re.Match[str], word_for_none: str) -> BrowserZone | None:
    if line[1] == word_for_none:
        return BrowserZone("missing")
    zones = (line[1],) if line[2] is None else tuple(line[2].split('","'))
    if not all(map(has_browser_zone_shape, zones)) or (line[2] is not None and len(zones) == 1):
        return None
    return BrowserZone("resolved" if len(zones) == 1 else "mixed", zones)


def _no_reading(text: str) -> ReadingError:
    shown = text if len(text) <= 200 else f"{text[:200]}..."
    return ReadingError(f"not a time reading: {shown!r}", kind="not-a-reading")

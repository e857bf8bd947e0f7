"""Derive the browser zone of a turn from the messages that carry one, and check each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from timectx.errors import ZoneError
from timectx.reading.zones import canonical_zone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BrowserZone", "check_browser_zone", "derive_browser_zone", "has_browser_zone_shape", "host_zone"]

_SHAPE: Final = re.compile(r"UTC|[A-Za-z][A-Za-z0-9_+.-]*(?:/[A-Za-z0-9_+.-]+)+")


class BrowserZone(msgspec.Struct, frozen=True):
    """
    Hold what the browsers of one turn say about their time zone.

    Parameters
    ----------
    kind : {"resolved", "mixed", "missing"}
        All browsers agree, they differ, or none gave a zone.
    zones : tuple of str
        The distinct canonical zones, sorted: one when resolved, two or more when mixed, none
        when missing.

    Raises
    ------
    ZoneError
        If `kind` and the number of zones contradict each other (kind ``browser-zone-count``).

    References
    ----------
    deepseek-harness, packages/context/time-context/src/request-zone.ts.

    Examples
    --------
    >>> BrowserZone("mixed", ("Asia/Tokyo", "UTC")).zones
    ('Asia/Tokyo', 'UTC')
    """

    kind: Literal["resolved", "mixed", "missing"]
    zones: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a number of zones that contradicts the kind."""
        if self.kind != _kind_of(self.zones):
            raise ZoneError(
                f"a browser zone with {len(self.zones)} zones is {_kind_of(self.zones)!r}, not {self.kind!r}",
                kind="browser-zone-count",
            )


def derive_browser_zone(sources: Iterable[Mapping[str, object]]) -> BrowserZone:
    """
    Work out the browser zone of a turn from the sources of its user messages.

    Parameters
    ----------
    sources : iterable of mapping
        The ``source`` of each user message that belongs to the turn, in log order.

    Returns
    -------
    BrowserZone
        Resolved, mixed or missing.

    Raises
    ------
    ZoneError
        For the first zone that fails `check_browser_zone`, even if zones differ anyway.

    Notes
    -----
    A source counts only if its ``kind`` is ``user`` and both ``rpcId`` (which may be empty) and
    ``clientTimeZone`` are strings; any other is passed over without a word.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/request-zone.ts.

    Examples
    --------
    >>> derive_browser_zone([{"kind": "user", "rpcId": "1", "clientTimeZone": "Asia/Tokyo"}])
    BrowserZone(kind='resolved', zones=('Asia/Tokyo',))
    >>> derive_browser_zone([{"kind": "user", "clientTimeZone": "nonsense"}])
    BrowserZone(kind='missing', zones=())
    """
    named = (zone for source in sources if (zone := _client_zone(source)) is not None)
    zones = tuple(sorted({check_browser_zone(zone) for zone in named}))
    return BrowserZone(_kind_of(zones), zones)


def check_browser_zone(value: str) -> str:
    """
    Return a browser's zone if it is one the original accepts in a message.

    Parameters
    ----------
    value : str
        The zone a client sent.

    Returns
    -------
    str
        The same text.

    Raises
    ------
    ZoneError
        If it is neither ``UTC`` nor of the form Area/Location (kind ``zone-shape``), names no
        zone (``zone-unsupported``), or is not the canonical id (``zone-not-canonical``).

    References
    ----------
    deepseek-harness, packages/context/time-context/src/request-zone.ts.

    Examples
    --------
    >>> check_browser_zone("Asia/Calcutta")
    'Asia/Calcutta'
    >>> check_browser_zone("Asia/Kolkata")
    Traceback (most recent call last):
    ...
    timectx.errors.ZoneError: browser zone is not canonical: 'Asia/Kolkata'; expected 'Asia/Calcutta'
    """
    if not has_browser_zone_shape(value):
        raise ZoneError(f"browser zone is neither UTC nor of the form Area/Location: {value!r}", kind="zone-shape")
    canonical = _canonical_or_none(value)
    if canonical is None:
        raise ZoneError(f"browser zone is unknown: {value!r}; expected an IANA name", kind="zone-unsupported")
    if canonical != value:
        raise ZoneError(f"browser zone is not canonical: {value!r}; expected {canonical!r}", kind="zone-not-canonical")
    return value


def host_zone(value: str) -> str | None:
    """
    Return what the original's server stores for a zone a browser sent.

    Parameters
    ----------
    value : str
        The zone as the client sent it.

    Returns
    -------
    str or None
        The canonical id; None when the server refuses the request.

    References
    ----------
    deepseek-harness, packages/host/apiproxy/src/api-proxy.ts.

    Examples
    --------
    >>> host_zone("asia/kolkata"), host_zone("Japan")
    ('Asia/Calcutta', None)
    """
    return _canonical_or_none(value) if has_browser_zone_shape(value) else None


def has_browser_zone_shape(value: str) -> bool:
    """
    Tell whether a text is ``UTC`` or of the form Area/Location, known or not.

    Parameters
    ----------
    value : str
        Any text.

    Returns
    -------
    bool
        True when a browser zone may look like this.

    Examples
    --------
    >>> has_browser_zone_shape("Mars/Base"), has_browser_zone_shape("Japan")
    (True, False)
    """
    return _SHAPE.fullmatch(value) is not None


def _client_zone(source: Mapping[str, object]) -> str | None:
    zone = source.get("clientTimeZone")
    counts = source.get("kind") == "user" and isinstance(source.get("rpcId"), str)
    return zone if counts and isinstance(zone, str) else None


def _kind_of(zones: tuple[str, ...]) -> Literal["resolved", "mixed", "missing"]:
    if not zones:
        return "missing"
    return "resolved" if len(zones) == 1 else "mixed"


def _canonical_or_none(name: str) -> str | None:
    try:
        return canonical_zone(name)
    except ZoneError:
        return None

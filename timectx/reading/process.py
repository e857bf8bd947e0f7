"""Find the zone a process shows when none is configured, odd ``TZ`` settings included."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from timectx.errors import UnknownZoneWarning
from timectx.reading.database import database_names, standard_offset_s
from timectx.reading.zones import ODD_LABELS, ZoneLabel, spelled_zones

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["machine_zone", "process_zone"]

_NAME_LIKE: Final = re.compile(r"[^0-9,]*[0-9]{0,2}|(?:EST5E|CST6C|MST7M|PST8P)DT", re.DOTALL)
_DIRECTORY: Final = re.compile(r"^(?:posix|right)/")
_RULE: Final = re.compile(r"(?:[A-Za-z]{3,}|<[A-Za-z+-]{3,}>)([+-]?)([0-9]{1,2})")
_CUSTOM: Final = re.compile(r"[Gg][Mm][Tt]([+-])([0-9]{1,2})")
_FOLDER: Final = "/zoneinfo/"
_SHORT: Final = (3, 4)
_ODD_ZONES: Final = ODD_LABELS | {"+00:00"}


def process_zone(environ: Mapping[str, str] | None = None) -> str:
    """
    Return the zone the original shows when its configuration names none.

    Parameters
    ----------
    environ : mapping of str to str, optional
        Environment to look ``TZ`` up in; the process's own by default.

    Returns
    -------
    str
        A canonical zone; for odd settings ``Etc/Unknown``, ``undefined``, an offset, or a
        `ZoneLabel` where the clock runs apart from the label.

    Warns
    -----
    UnknownZoneWarning
        If ``TZ`` is set to something the original does not read as the zone it was meant for.

    Notes
    -----
    A setting is taken as a name unless it has more than two digits at its end or anything
    after them; then the machine's own zone holds. Letter case counts here. A name that is
    unknown keeps the label ``undefined`` and the fixed offset the C library reads from it,
    mostly none; ``GMT+5`` thus shows ``-05:00`` labelled ``+05:00``.

    References
    ----------
    deepseek-harness, packages/context/time-context/src/index.ts (``Intl.DateTimeFormat`` with
    no zone); ICU, icu4c/source/common/putil.cpp, "uprv_tzname", and
    icu4c/source/i18n/timezone.cpp, "detectHostTimeZone".

    Examples
    --------
    >>> process_zone({"TZ": "Asia/Kolkata"})
    'Asia/Calcutta'
    """
    setting = (os.environ if environ is None else environ).get("TZ")
    if setting is None:
        return machine_zone()
    if _NAME_LIKE.fullmatch(setting) is None:
        zone = machine_zone()
        _warn(setting, f"it is no zone name, so the machine's zone {zone} is used")
        return zone
    zone = _named_zone(_DIRECTORY.sub("", setting.removeprefix(":"), count=1))
    if isinstance(zone, ZoneLabel) or zone in _ODD_ZONES:
        clock = zone.clock if isinstance(zone, ZoneLabel) else "+00:00"
        _warn(setting, f"the original shows {clock}[{zone}] for it")
    return zone


def machine_zone(root: Path = Path("/")) -> str:
    """
    Return the zone the machine itself is set to.

    Parameters
    ----------
    root : Path, optional
        Where the file system starts.

    Returns
    -------
    str
        The canonical id from the link ``etc/localtime``, else from ``etc/timezone``; ``UTC``
        when neither names a zone, and ``+00:00`` for ``GMT``, as the original shows it.

    Examples
    --------
    >>> machine_zone(Path("no/such/folder"))
    'UTC'
    """
    linked = os.path.realpath(root / "etc" / "localtime").rpartition(_FOLDER)[2]
    stated = root / "etc" / "timezone"
    names = (linked, stated.read_text(encoding="utf-8", errors="replace").strip() if stated.is_file() else "")
    known = (name for name in names if name in spelled_zones())
    return _shown(next(known, "UTC"))


def _named_zone(name: str) -> str:
    if name in {"", "Factory", "Etc/Unknown"}:
        return "Etc/Unknown"
    if name not in spelled_zones():
        label, clock = _custom_label(name), _library_offset(name)
        return label if (label, clock) == ("undefined", "+00:00") else ZoneLabel(label, clock)
    if len(name) in _SHORT and name not in database_names():
        # ICU's own short names, such as PST, mean nothing to the C library, whose UTC then wins
        return ZoneLabel(spelled_zones()[name], "+00:00")
    return _shown(name)


def _shown(name: str) -> str:
    return "+00:00" if name == "GMT" else spelled_zones()[name]


def _custom_label(name: str) -> str:
    found = _CUSTOM.fullmatch(name)
    if found is None or int(found[2]) > 23:
        return "undefined"
    # ICU calls a zero custom offset plain GMT, and the original cuts that prefix off
    return f"{found[1]}{int(found[2]):02d}:00" if int(found[2]) else ""


def _library_offset(name: str) -> str:
    rule = _RULE.fullmatch(name)
    if rule is not None and int(rule[2]) <= 23:
        return _offset_name(int(rule[2]) * 3600 * (1 if rule[1] == "-" else -1))
    if name == "posixrules":
        return _offset_name(standard_offset_s("America/New_York"))
    if name.startswith("/"):
        file = os.path.realpath(name).rpartition(_FOLDER)[2]
        return _offset_name(standard_offset_s(file)) if file in database_names() else "+00:00"
    return "+00:00"


def _offset_name(offset_s: int) -> str:
    hours, minutes = divmod(abs(offset_s) // 60, 60)
    return f"{'-' if offset_s < 0 else '+'}{hours:02d}:{minutes:02d}"


def _warn(setting: str, outcome: str) -> None:
    warnings.warn(f"TZ is {setting!r}: {outcome}; set a zone to be sure", UnknownZoneWarning, stacklevel=3)

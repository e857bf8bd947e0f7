"""Give an agent the time, and find out how often it should be told."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from timectx.formats import read_session, read_sessions
from timectx.loop import frozen_clock
from timectx.reading import (
    BrowserZone,
    Reading,
    canonical_zone,
    format_duration,
    format_reading,
    format_timestamp,
    parse_reading,
    process_zone,
)
from timectx.replay import Compaction, Scenario, as_recorded, fixed_clock, replay_session, system_clock
from timectx.results import (
    attempts_frame,
    compactions_frame,
    compare_runs,
    describe_columns,
    measures_frame,
    readings_frame,
    requests_frame,
    steps_frame,
)
from timectx.session import Session
from timectx.synthetic import synthetic_session

if TYPE_CHECKING:
    from timectx.sweep import sweep_sessions, totals_frame, tune

__all__ = [
    "format_timestamp",
    "format_duration",
    "canonical_zone",
    "process_zone",
    "BrowserZone",
    "Reading",
    "format_reading",
    "parse_reading",
    "Session",
    "read_session",
    "read_sessions",
    "synthetic_session",
    "Scenario",
    "Compaction",
    "replay_session",
    "as_recorded",
    "steps_frame",
    "readings_frame",
    "attempts_frame",
    "compactions_frame",
    "requests_frame",
    "measures_frame",
    "describe_columns",
    "compare_runs",
    "sweep_sessions",
    "totals_frame",
    "tune",
    "fixed_clock",
    "system_clock",
    "frozen_clock",
]

__version__: Final = "0.1.0"

_LATER: Final = dict.fromkeys(("sweep_sessions", "totals_frame", "tune"), "timectx.sweep")
"""Names whose modules are imported when they are first used."""


def __getattr__(name: str) -> object:
    """Import what few programs need when it is asked for."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List these names as well."""
    return sorted({*globals(), *_LATER})

"""Say what time it is, in the exact words a model was shown, and read those words back."""

from __future__ import annotations

from timectx.reading.browser import BrowserZone, check_browser_zone, derive_browser_zone, host_zone
from timectx.reading.database import zone_database_release
from timectx.reading.durable import DurableText, parse_date, parse_durable
from timectx.reading.duration import format_duration, parse_duration
from timectx.reading.editions import Edition, OldEdition, default_interval_ms, line_count
from timectx.reading.parse import parse_reading
from timectx.reading.process import machine_zone, process_zone
from timectx.reading.settings import Settings, check_interval_ms, check_settings, check_time_zone
from timectx.reading.text import Reading, baseline_name, browser_line, display_zone, elapsed_of, format_reading
from timectx.reading.timestamp import format_timestamp, local_day, parse_timestamp, printed_label, utc_offset_s
from timectx.reading.zones import ZoneLabel, canonical_zone

__all__ = [
    "BrowserZone",
    "DurableText",
    "Edition",
    "OldEdition",
    "Reading",
    "Settings",
    "ZoneLabel",
    "baseline_name",
    "browser_line",
    "canonical_zone",
    "check_browser_zone",
    "check_interval_ms",
    "check_settings",
    "check_time_zone",
    "default_interval_ms",
    "derive_browser_zone",
    "display_zone",
    "elapsed_of",
    "format_duration",
    "format_reading",
    "format_timestamp",
    "host_zone",
    "line_count",
    "local_day",
    "machine_zone",
    "parse_date",
    "parse_durable",
    "parse_duration",
    "parse_reading",
    "parse_timestamp",
    "printed_label",
    "process_zone",
    "utc_offset_s",
    "zone_database_release",
]

"""Replay what the original printed and refused: timestamps, durations, zones, configurations, browser zones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.rows import folder, rows, text
from timectx.errors import TimectxError, UnknownZoneWarning
from timectx.reading import (
    Reading,
    browser_line,
    canonical_zone,
    check_settings,
    derive_browser_zone,
    elapsed_of,
    format_duration,
    format_reading,
    format_timestamp,
    host_zone,
    parse_reading,
    parse_timestamp,
    process_zone,
    zone_database_release,
)
from timectx.reading.zones import spelled_zones

RECORDED_RELEASE = "2026.2"
CHANGED_SINCE = {"Africa/Casablanca", "Africa/El_Aaiun", "America/Sao_Paulo", "Europe/Dublin"}
"""Zones whose rules the world changed after the rows were recorded; they count under that release only."""

RULED_BY_ROWS = {"CST6CDT", "EST5EDT", "MST7MDT", "PST8PDT"}
"""Names the table of ids takes from a later runtime than the rows, which resolve them to cities."""

FIRST_OF_YEAR_1_MS = -62_135_596_800_000
NOT_JSON = {"<Infinity>": math.inf, "<-Infinity>": -math.inf, "<NaN>": math.nan}


def outcome(function: Callable[..., object], *arguments: object) -> object:
    """Return what a call gives, or the kind of its error."""
    try:
        return function(*arguments)
    except TimectxError as error:
        return {"kind": error.kind}


def wanted(row: dict[str, Any], key: str) -> object:
    """Return what a row records under a key, or the kind of its error."""
    return {"kind": row["error"]["kind"]} if "error" in row else row[key]


def timestamp_rows() -> list[dict[str, Any]]:
    """Return the rows the installed zone database has to reproduce."""
    if zone_database_release() == RECORDED_RELEASE:
        return rows("timestamps.jsonl")
    return [row for row in rows("timestamps.jsonl") if row.get("label") not in CHANGED_SINCE]


def test_every_timestamp_is_printed_as_recorded() -> None:
    """Text or kind of error, for every instant and zone."""
    wrong = [
        (row, found)
        for row in timestamp_rows()
        if (found := outcome(format_timestamp, row["ms"], row["timeZone"])) != wanted(row, "text")
    ]
    assert wrong == []


def test_every_recorded_timestamp_is_read_back() -> None:
    """Instant to the second and label, but for years BC, which no text marks."""
    printed = [row for row in rows("timestamps.jsonl") if "text" in row]
    wrong = [row for row in printed if parse_timestamp(row["text"])[1] != row["label"]]
    late = [row for row in printed if row["ms"] >= FIRST_OF_YEAR_1_MS + 86_400_000]
    wrong += [row for row in late if parse_timestamp(row["text"])[0] != row["ms"] // 1000 * 1000]
    assert wrong == []


def test_every_duration_is_printed_as_recorded() -> None:
    """From the elapsed time as from the two instants, which may be missing."""

    def shown(row: dict[str, Any]) -> str:
        elapsed_ms = row["elapsedMs"]
        if elapsed_ms is None:
            reading = Reading(1, 1, 0, "UTC", elapsed_of(row.get("now", 0), row.get("previous")), None, "note")
            return format_reading(reading).rpartition(": ")[2].removesuffix(".")
        assert elapsed_of(row["now"], row["previous"]) == max(0, elapsed_ms)
        return format_duration(elapsed_ms)

    assert [row for row in rows("durations.jsonl") if shown(row) != row["text"]] == []


def test_every_zone_is_accepted_or_refused_as_recorded() -> None:
    """As configured zone, as browser zone and by the server."""

    def browser(value: str) -> object:
        found = derive_browser_zone([{"kind": "user", "rpcId": "r", "clientTimeZone": value}])
        return {"kind": found.kind, "timeZone": found.zones[0]}

    wrong = [
        (row, found)
        for row in rows("zones.jsonl")
        if "value" in row
        and (
            found := (
                outcome(canonical_zone, row["value"]),
                outcome(browser, row["value"]),
                host_zone(row["value"]),
            )
        )
        != (wanted(row["config"], "resolved"), wanted(row["browser"], "context"), row["host"])
    ]
    assert wrong == []


def test_every_process_zone_is_shown_as_recorded() -> None:
    """The first line of a reading under each ``TZ`` setting, which also is read back."""

    def text_under(setting: str) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownZoneWarning)
            return format_reading(Reading(1, 1, 0, process_zone({"TZ": setting}), None, None, "readme"))

    texts = [(row["firstLine"], text_under(row["processTZ"])) for row in rows("zones.jsonl") if "processTZ" in row]
    assert [first for first, _ in texts] == [whole.split("\n")[0] for _, whole in texts]
    assert [whole for _, whole in texts] == [format_reading(parse_reading(whole)) for _, whole in texts]


def test_every_zone_name_has_the_recorded_canonical_id() -> None:
    """The shipped table has them all, and what ICU refuses is in neither."""
    pairs = [line.split("\t") for line in text("intl-canonical.tsv").splitlines() if not line.startswith("#")]
    known = {name: zone for name, zone in pairs if not zone.startswith("!") and name not in RULED_BY_ROWS}
    assert {name: spelled_zones()[name] for name in known} == known
    assert [name for name, zone in pairs if zone.startswith("!") and name in spelled_zones()] == []


def test_every_browser_zone_is_derived_as_recorded() -> None:
    """The second line of the reading, or the kind of error."""

    def line(messages: list[dict[str, Any]]) -> str:
        return browser_line(derive_browser_zone([message["source"] for message in messages]))

    wrong = [
        (row, found)
        for row in rows("browser_policy.jsonl")
        if (found := outcome(line, row["messages"])) != wanted(row, "line")
    ]
    assert wrong == []


def configured(row: dict[str, Any]) -> object:
    """Return the configuration of a row, with the values JSON cannot carry put back."""
    config = row["config"]
    if not isinstance(config, dict):
        return config
    restored = {key: NOT_JSON.get(value, value) if isinstance(value, str) else value for key, value in config.items()}
    return restored | ({"refreshIntervalMs": -0.0} if row.get("negativeZero") else {})


def test_every_configuration_loads_or_fails_as_recorded() -> None:
    """The fallback label, or the kind of error."""

    def label(row: dict[str, Any]) -> str:
        return check_settings(configured(row), edition="readme", environ={"TZ": "UTC"}).zone_label

    wrong = [
        (row, found) for row in rows("config.jsonl") if (found := outcome(label, row)) != wanted(row["result"], "label")
    ]
    assert wrong == []


def test_every_configuration_of_the_current_edition_loads_or_fails_as_recorded() -> None:
    """Acceptance, or the kind of error."""
    if not list(folder().glob("current_config.jsonl*")):
        pytest.skip("current_config.jsonl is not among the rows in force")

    def accepted(row: dict[str, Any]) -> bool:
        return check_settings(configured(row), edition="current", environ={"TZ": "UTC"}).interval_ms >= 0

    wrong = [
        (row, found)
        for row in rows("current_config.jsonl")
        if (found := outcome(accepted, row)) != wanted(row, "accepted")
    ]
    assert wrong == []

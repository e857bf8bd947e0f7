"""Show which configurations load, with what, and in which order the checks come."""

from __future__ import annotations

import math

import pytest

from timectx.errors import ScenarioError, TimectxError, ZoneError
from timectx.reading import Settings, check_interval_ms, check_settings, check_time_zone

TOKYO = {"TZ": "Asia/Tokyo"}
NOT_NUMBER = "invalid-config-refreshintervalms-expected-number-but"
NOT_STRING = "invalid-config-timezone-expected-string-but"
NOT_OBJECT = "invalid-config-expected-object-but-got"


@pytest.mark.parametrize(
    ("config", "settings"),
    [
        (None, Settings(0, "Asia/Tokyo")),
        ({}, Settings(0, "Asia/Tokyo")),
        ({"refreshIntervalMs": 60_000, "timeZone": "asia/kolkata"}, Settings(60_000, "Asia/Calcutta")),
        ({"refreshIntervalMs": 2**53 - 1, "timeZone": "+05"}, Settings(2**53 - 1, "+05:00")),
        ({"refreshIntervalMs": 1e3}, Settings(1000, "Asia/Tokyo")),
        ({"refreshIntervalMs": -0.0}, Settings(0, "Asia/Tokyo")),
        ({"timezone": "nonsense", "interval": True}, Settings(0, "Asia/Tokyo")),
    ],
    ids=["nothing", "empty", "both", "largest", "whole float", "minus zero", "unknown keys"],
)
def test_a_sound_configuration_loads(config: object, settings: Settings) -> None:
    """What is left out is filled in: no interval, and the zone of the process."""
    assert check_settings(config, edition="readme", environ=TOKYO) == settings


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ([], NOT_OBJECT),
        ("text", NOT_OBJECT),
        (True, NOT_OBJECT),
        ({"refreshIntervalMs": True}, NOT_NUMBER),
        ({"refreshIntervalMs": "60000"}, NOT_NUMBER),
        ({"refreshIntervalMs": -1}, "not-safe-integer"),
        ({"refreshIntervalMs": 0.5}, "not-safe-integer"),
        ({"refreshIntervalMs": 2**53}, "not-safe-integer"),
        ({"refreshIntervalMs": 1e21}, "not-safe-integer"),
        ({"refreshIntervalMs": math.nan}, "not-safe-integer"),
        ({"refreshIntervalMs": math.inf}, "not-safe-integer"),
        ({"refreshIntervalMs": None}, "not-safe-integer"),
        ({"timeZone": 8}, NOT_STRING),
        ({"timeZone": None}, "config-zone-invalid"),
        ({"timeZone": ""}, "config-zone-invalid"),
        ({"timeZone": 8, "refreshIntervalMs": -1}, NOT_STRING),
        ({"timeZone": "nonsense", "refreshIntervalMs": "1"}, NOT_NUMBER),
        ({"timeZone": "nonsense", "refreshIntervalMs": -1}, "not-safe-integer"),
    ],
)
def test_types_are_checked_first_then_the_interval_then_the_zone(config: object, kind: str) -> None:
    """The first check that fails gives the kind."""
    with pytest.raises(TimectxError) as caught:
        check_settings(config, edition="readme", environ=TOKYO)
    assert caught.value.kind == kind


@pytest.mark.parametrize("config", [{}, {"refreshIntervalMs": None}])
def test_the_current_edition_has_ten_minutes_where_none_are_set(config: object) -> None:
    """Null counts as not set there."""
    assert check_settings(config, edition="current", environ=TOKYO) == Settings(600_000, "Asia/Tokyo")


def test_zero_is_an_interval_of_its_own() -> None:
    """It asks for a reading at every attempt, in the current edition too."""
    assert check_interval_ms(0, edition="current") == 0


def test_a_bad_interval_and_a_bad_zone_are_errors_of_their_own() -> None:
    """Each also is a ValueError, and quotes the value."""
    with pytest.raises(ScenarioError, match=r"got -5$"):
        check_interval_ms(-5, edition="note")
    with pytest.raises(ZoneError, match="'CEST'"):
        check_time_zone("CEST")


def test_a_configured_zone_wins_over_the_process() -> None:
    """An odd TZ setting is not even looked at."""
    assert check_settings({"timeZone": "UTC"}, edition="readme", environ={"TZ": ""}) == Settings(0, "UTC")

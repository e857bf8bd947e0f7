"""Show that zone rules come from the tzdata package and hold for every year."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from timectx.errors import ZoneError
from timectx.reading import utc_offset_s, zone_database_release
from timectx.reading.database import database_clock, database_names, standard_offset_s
from timectx.units import MAX_INSTANT_MS

CYCLE_S = 12_622_780_800


def test_the_release_is_that_of_the_installed_package() -> None:
    """A result can say which rules it was made with."""
    assert zone_database_release() == version("tzdata")


def test_the_host_database_is_never_read(tmp_path: Path) -> None:
    """A search path with other rules in it changes nothing."""
    (tmp_path / "Asia").mkdir()
    source = Path(__file__).parents[2]
    (tmp_path / "Asia" / "Tokyo").write_bytes(_tzif_of_utc())
    code = "from timectx.reading import utc_offset_s; print(utc_offset_s(0, 'Asia/Tokyo'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONTZPATH": str(tmp_path), "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "32400\n"


@pytest.mark.parametrize("zone", ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"])
def test_the_last_rule_of_a_zone_goes_on_for_ever(zone: str) -> None:
    """Beyond the year 9999 each day has the offset it had 400 years before."""
    clock = database_clock(zone)
    days = [253_370_764_800 - 86_400 * 3 + 86_400 * day for day in range(400)]
    assert [clock(day) for day in days] == [clock(day - CYCLE_S) for day in days]
    assert [clock(day + 600 * CYCLE_S) for day in days] == [clock(day) for day in days]


@pytest.mark.parametrize(("zone", "first_s"), [("Europe/Paris", 561), ("Asia/Shanghai", 29_143), ("UTC", 0)])
def test_before_its_first_change_a_zone_keeps_local_mean_time(zone: str, first_s: int) -> None:
    """The offset of the earliest instant is that of the year 1800."""
    assert {utc_offset_s(-MAX_INSTANT_MS, zone), utc_offset_s(-5_364_662_400_000, zone)} == {first_s}


def test_every_zone_of_the_database_has_a_rule() -> None:
    """No listed name lacks its file."""
    assert all(-86_400 < database_clock(name)(0) < 86_400 for name in database_names())


def test_a_zone_the_database_lacks_is_named_with_its_release() -> None:
    """The cure is a newer package, so the message says which one is installed."""
    with pytest.raises(ZoneError) as caught:
        database_clock("Mars/Base")
    assert (caught.value.kind, "Mars/Base" in str(caught.value)) == ("zone-without-rules", True)
    assert zone_database_release() in str(caught.value)


def test_the_standard_offset_leaves_daylight_time_out() -> None:
    """North and south of the equator alike."""
    zones = ["America/New_York", "Pacific/Auckland", "Asia/Tokyo"]
    assert [standard_offset_s(zone) for zone in zones] == [-18_000, 43_200, 32_400]


def _tzif_of_utc() -> bytes:
    header = b"TZif2" + bytes(15) + bytes(16) + (1).to_bytes(4, "big") + (4).to_bytes(4, "big")
    block = bytes(6) + b"UTC\0"
    return header + block + header + block + b"\nUTC0\n"

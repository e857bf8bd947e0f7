"""Show what zone a process has, for every kind of ``TZ`` setting."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from timectx.errors import UnknownZoneWarning
from timectx.reading import format_timestamp, machine_zone, process_zone

JULY_MS = 1_784_073_600_000


@pytest.mark.parametrize(
    ("setting", "zone"),
    [
        ("Asia/Shanghai", "Asia/Shanghai"),
        ("Asia/Kolkata", "Asia/Calcutta"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("posix/Asia/Tokyo", "Asia/Tokyo"),
        (":right/Asia/Tokyo", "Asia/Tokyo"),
        ("EST", "America/Panama"),
        ("EST5EDT", "America/New_York"),
        ("Etc/GMT", "UTC"),
        ("GMT0", "UTC"),
        ("Etc/GMT+5", "Etc/GMT+5"),
        ("SystemV/AST4", "SystemV/AST4"),
    ],
)
def test_a_setting_that_names_a_zone_gives_its_canonical_id(setting: str, zone: str) -> None:
    """A colon and the folders of the C library are taken off first; no warning."""
    assert process_zone({"TZ": setting}) == zone


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ("", "2026-07-15T00:00:00+00:00[Etc/Unknown]"),
        ("posix/", "2026-07-15T00:00:00+00:00[Etc/Unknown]"),
        ("Factory", "2026-07-15T00:00:00+00:00[Etc/Unknown]"),
        ("GMT", "2026-07-15T00:00:00+00:00[+00:00]"),
        ("utc", "2026-07-15T00:00:00+00:00[undefined]"),
        ("Not/A_Zone", "2026-07-15T00:00:00+00:00[undefined]"),
        ("Asia/Shanghai ", "2026-07-15T00:00:00+00:00[undefined]"),
        ("EST5", "2026-07-14T19:00:00-05:00[undefined]"),
        ("JST-9", "2026-07-15T09:00:00+09:00[undefined]"),
        ("<ABC>-3", "2026-07-15T03:00:00+03:00[undefined]"),
        ("AB5", "2026-07-15T00:00:00+00:00[undefined]"),
        ("posixrules", "2026-07-14T19:00:00-05:00[undefined]"),
        ("GMT+5", "2026-07-14T19:00:00-05:00[+05:00]"),
        ("gmt-5", "2026-07-15T05:00:00+05:00[-05:00]"),
        ("GMT+00", "2026-07-15T00:00:00+00:00[]"),
        ("PST", "2026-07-15T00:00:00+00:00[America/Los_Angeles]"),
        ("IST", "2026-07-15T00:00:00+00:00[Asia/Calcutta]"),
    ],
)
def test_an_odd_setting_shows_what_the_original_shows_and_warns(setting: str, shown: str) -> None:
    """Label and clock may disagree; the warning names the setting and what comes of it."""
    with pytest.warns(UnknownZoneWarning) as caught:
        zone = process_zone({"TZ": setting})
    assert format_timestamp(JULY_MS, zone) == shown
    assert [repr(setting) in str(one.message) for one in caught] == [True]
    assert caught[0].filename == __file__


def test_a_path_gives_the_standard_time_of_its_zone_without_a_name() -> None:
    """The C library opens the file, ICU cannot name it."""
    with pytest.warns(UnknownZoneWarning):
        zones = [process_zone({"TZ": ":/usr/share/zoneinfo/America/New_York"}), process_zone({"TZ": "/no/zone"})]
    assert [format_timestamp(JULY_MS, zone) for zone in zones] == [
        "2026-07-14T19:00:00-05:00[undefined]",
        "2026-07-15T00:00:00+00:00[undefined]",
    ]


@pytest.mark.parametrize("setting", ["CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT4", "<+03>-3", "+05:30", "GMT+5:30"])
def test_a_rule_instead_of_a_name_leaves_the_machines_zone_in_force(setting: str) -> None:
    """Digits with more after them make it no name."""
    with pytest.warns(UnknownZoneWarning) as caught:
        zone = process_zone({"TZ": setting})
    assert zone == machine_zone()
    assert [repr(setting) in str(one.message) for one in caught] == [True]


def test_without_a_setting_the_machine_decides() -> None:
    """Nothing to warn about."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert process_zone({}) == machine_zone()


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting is read anew at each call."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    first = process_zone()
    monkeypatch.setenv("TZ", "Europe/Kyiv")
    assert [first, process_zone()] == ["Asia/Tokyo", "Europe/Kiev"]


def machine(root: Path, link: str | None = None, stated: str | None = None) -> str:
    """Return the zone of a machine set up in a folder."""
    (root / "etc").mkdir()
    if link is not None:
        (root / "etc" / "localtime").symlink_to(link)
    if stated is not None:
        (root / "etc" / "timezone").write_text(stated, encoding="utf-8")
    return machine_zone(root)


@pytest.mark.parametrize(
    ("link", "stated", "zone"),
    [
        ("/usr/share/zoneinfo/Asia/Kolkata", None, "Asia/Calcutta"),
        ("../usr/share/zoneinfo/Europe/Kyiv", "Asia/Tokyo\n", "Europe/Kiev"),
        (None, "Europe/Berlin\n", "Europe/Berlin"),
        ("/somewhere/else", "Europe/Berlin", "Europe/Berlin"),
        ("../usr/share/zoneinfo/GMT", None, "+00:00"),
        (None, "nonsense", "UTC"),
        (None, None, "UTC"),
    ],
    ids=["link", "link first", "file", "link elsewhere", "GMT", "neither known", "neither there"],
)
def test_a_machine_is_asked_for_its_link_then_its_file(
    tmp_path: Path, link: str | None, stated: str | None, zone: str
) -> None:
    """Without any answer the zone is UTC."""
    assert machine(tmp_path, link, stated) == zone

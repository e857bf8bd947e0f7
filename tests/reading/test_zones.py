"""Show which names are zones, and what each is called in the end."""

from __future__ import annotations

import copy
import pickle

import pytest

from timectx.errors import TimectxError, ZoneError
from timectx.reading import ZoneLabel, canonical_zone, utc_offset_s
from timectx.reading import zones as zones_module
from timectx.reading.database import database_names
from timectx.reading.zones import spelled_zones, zone_clock


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("Asia/Kolkata", "Asia/Calcutta"),
        ("Asia/Calcutta", "Asia/Calcutta"),
        ("aSiA/kOlKaTa", "Asia/Calcutta"),
        ("Europe/Kyiv", "Europe/Kiev"),
        ("utc", "UTC"),
        ("Etc/GMT+0", "UTC"),
        ("etc/gmt+5", "Etc/GMT+5"),
        ("EST", "America/Panama"),
        ("EST5EDT", "America/New_York"),
        ("PST8PDT", "America/Los_Angeles"),
        ("MST7MDT", "America/Denver"),
        ("CST6CDT", "America/Chicago"),
        ("IST", "Asia/Calcutta"),
        ("US/Pacific-New", "America/Los_Angeles"),
        ("Canada/East-Saskatchewan", "America/Regina"),
        ("systemv/ast4", "SystemV/AST4"),
    ],
)
def test_a_name_in_any_case_and_age_becomes_icus_id(name: str, canonical: str) -> None:
    """ICU keeps the older name of most renamed zones, and knows names the database never had."""
    assert canonical_zone(name) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("+05:30", "+05:30"),
        ("+0530", "+05:30"),
        ("+05", "+05:00"),
        ("-08:00", "-08:00"),
        ("\u221208:00", "-08:00"),
        ("-00:00", "+00:00"),
        ("-00:30", "-00:30"),
        ("+23:59", "+23:59"),
    ],
)
def test_an_offset_is_a_zone_of_its_own(text: str, canonical: str) -> None:
    """Colon and minutes may be left out, a real minus sign counts, and there is no minus zero."""
    assert canonical_zone(text) == canonical


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "UTC ",
        "UTC\n",
        "Z",
        "CEST",
        "UTC+8",
        "GMT+05:00",
        "Etc/Unknown",
        "undefined",
        "Factory",
        "localtime",
        "posixrules",
        "../Asia/Shanghai",
        "Asia/Hanoi",
        "Pacific/\u212awajalein",
        "+5:30",
        "+24:00",
        "+05:60",
        "+08:00:00",
        "+\u0660\u0665:\u0663\u0660",
        "+05:30\n",
    ],
)
def test_text_that_names_no_zone_is_refused(name: str) -> None:
    """The message holds the value as given; nothing falls back to UTC."""
    with pytest.raises(ZoneError) as caught:
        canonical_zone(name)
    assert (caught.value.kind, repr(name) in str(caught.value)) == ("config-zone-invalid", True)
    assert isinstance(caught.value, TimectxError)


def test_every_canonical_id_means_itself() -> None:
    """Names that stand for an id lead straight to it."""
    table = spelled_zones()
    assert {table[zone] for zone in table.values()} == set(table.values())
    assert all(table[zone] == zone for zone in table.values())


def test_every_zone_has_a_clock() -> None:
    """Whatever ICU accepts can be shown, also where the database lacks the name."""
    assert {type(zone_clock(name)(0)) for name in spelled_zones()} == {int}


def test_the_database_has_no_name_the_table_lacks_but_the_refused() -> None:
    """Every name of the database is a zone, except the placeholder for a zone never set."""
    assert database_names() - spelled_zones().keys() == {"Factory"}


def test_a_zone_newer_than_the_table_is_its_own_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later database may know more than the shipped table."""
    monkeypatch.setattr(zones_module, "database_names", lambda: frozenset({"Mars/Base", "Asia/Kolkata", "Factory"}))
    found = spelled_zones.__wrapped__()
    assert found["Mars/Base"] == "Mars/Base"
    assert found["Asia/Kolkata"] == "Asia/Calcutta"
    assert "Factory" not in found


def test_a_label_is_text_that_carries_its_clock() -> None:
    """It compares as str, and keeps the clock through copies and pickles."""
    label = ZoneLabel("undefined", "-05:00")
    copies = [label, copy.copy(label), copy.deepcopy(label), pickle.loads(pickle.dumps(label))]
    assert [(text, text.clock) for text in copies] == [("undefined", "-05:00")] * 4


def test_the_clock_of_a_label_wins_over_its_text() -> None:
    """Equal texts may run at different offsets."""
    fixed = ZoneLabel("America/Los_Angeles", "+00:00")
    assert fixed == "America/Los_Angeles"
    assert [utc_offset_s(0, fixed), utc_offset_s(0, "America/Los_Angeles")] == [0, -28_800]

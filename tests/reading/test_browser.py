"""Show how the zones that browsers send make up the browser zone of a turn."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ZoneError
from timectx.reading import BrowserZone, check_browser_zone, derive_browser_zone, host_zone


def user(zone: object, rpc_id: object = "r") -> dict[str, object]:
    """Return the source of a message a browser sent."""
    return {"kind": "user", "rpcId": rpc_id, "clientTimeZone": zone}


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([], BrowserZone("missing")),
        ([user("UTC")], BrowserZone("resolved", ("UTC",))),
        ([user("UTC"), user("UTC")], BrowserZone("resolved", ("UTC",))),
        ([user("Asia/Tokyo", "")], BrowserZone("resolved", ("Asia/Tokyo",))),
        (
            [user("UTC"), user("Asia/Tokyo"), user("Africa/Cairo")],
            BrowserZone("mixed", ("Africa/Cairo", "Asia/Tokyo", "UTC")),
        ),
        ([user("nonsense", 7), user("nonsense", None), user(7), user(None)], BrowserZone("missing")),
        ([{"kind": "user", "clientTimeZone": "nonsense"}], BrowserZone("missing")),
        ([{"kind": "plugin", "rpcId": "r", "clientTimeZone": "nonsense"}], BrowserZone("missing")),
        ([{}, user("Europe/Paris")], BrowserZone("resolved", ("Europe/Paris",))),
    ],
    ids=["none", "one", "same twice", "empty id", "three", "wrong types", "no id", "not a user", "empty source"],
)
def test_only_sources_of_users_with_id_and_zone_count(sources: list[dict[str, object]], expected: BrowserZone) -> None:
    """Distinct zones are sorted; sources that do not count are passed over, whatever they hold."""
    assert derive_browser_zone(sources) == expected


@pytest.mark.parametrize(
    ("zones", "kind"),
    [
        (["UTC", "Asia/Tokyo", "Asia/Kolkata"], "zone-not-canonical"),
        (["Mars/Base", ""], "zone-unsupported"),
        (["", "Mars/Base"], "zone-shape"),
    ],
)
def test_the_first_bad_zone_is_reported_even_if_zones_differ(zones: list[str], kind: str) -> None:
    """Messages are looked at in order."""
    with pytest.raises(ZoneError) as caught:
        derive_browser_zone([user(zone) for zone in zones])
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("", "zone-shape"),
        ("GMT", "zone-shape"),
        ("utc", "zone-shape"),
        ("Japan", "zone-shape"),
        ("+08:00", "zone-shape"),
        ("Asia/Tokyo\n", "zone-shape"),
        ("Asia/Tokyo/", "zone-shape"),
        ("\u0410sia/Tokyo", "zone-shape"),
        ("Mars/Base", "zone-unsupported"),
        ("Asia/../Asia/Tokyo", "zone-unsupported"),
        ("Asia/Kolkata", "zone-not-canonical"),
        ("asia/calcutta", "zone-not-canonical"),
        ("Etc/UTC", "zone-not-canonical"),
    ],
)
def test_a_browser_zone_is_checked_for_shape_then_existence_then_form(value: str, kind: str) -> None:
    """The first check that fails gives the kind."""
    with pytest.raises(ZoneError) as caught:
        check_browser_zone(value)
    assert (caught.value.kind, repr(value) in str(caught.value)) == (kind, True)


@pytest.mark.parametrize("value", ["UTC", "Asia/Calcutta", "America/Argentina/Ushuaia", "Etc/GMT-14", "SystemV/AST4"])
def test_a_canonical_browser_zone_is_returned_as_it_is(value: str) -> None:
    """UTC is the only id without a slash."""
    assert check_browser_zone(value) == value


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("asia/kolkata", "Asia/Calcutta"),
        ("Etc/UTC", "UTC"),
        ("UTC", "UTC"),
        ("utc", None),
        ("EST", None),
        ("A/B", None),
    ],
)
def test_the_server_stores_the_canonical_id_or_refuses(value: str, stored: str | None) -> None:
    """A name must look like a browser zone before it is looked up."""
    assert host_zone(value) == stored


@pytest.mark.parametrize(
    ("kind", "zones"),
    [("resolved", ()), ("missing", ("UTC",)), ("mixed", ("UTC",)), ("resolved", ("UTC", "Asia/Tokyo"))],
)
def test_a_browser_zone_whose_kind_contradicts_its_zones_is_refused(kind: Any, zones: tuple[str, ...]) -> None:
    """Missing has none, resolved has one, mixed has more."""
    with pytest.raises(ZoneError) as caught:
        BrowserZone(kind, zones)
    assert caught.value.kind == "browser-zone-count"

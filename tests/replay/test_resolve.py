"""What a scenario leaves to the log: the zone readings fall back on, in spans where it changed."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import three, two, zone_line
from timectx.reading import ZoneLabel
from timectx.replay import Scenario, replay_session, resolve_scenario, timeline_of
from timectx.replay.resolve import fallback_zone

TOKYO, PARIS = "+09:00[Asia/Tokyo]", "+01:00[Europe/Paris]"
MIXED = 'mixed ["Asia/Tokyo","UTC"]. Ask the user to clarify otherwise-unqualified dates and times.'


def zone_of(built: LogBuilder, scenario: Scenario | None = None) -> object:
    """Return the zone a scenario gets from a log."""
    return resolve_scenario(timeline_of(built.build(), "readme"), scenario or Scenario()).time_zone


def turns(*texts: str) -> LogBuilder:
    """Return a log with a turn of five events for each reading; its step starts at the second of them."""
    built = log()
    for text in texts:
        built = built.turn().step().reading(text).end_turn()
    return built


def test_without_readings_the_zone_is_utc() -> None:
    """Never the machine's, so that counts are equal everywhere."""
    assert zone_of(log().turn().step().prompt("hi").reply("ok")) == "UTC"


def test_a_zone_that_was_given_holds() -> None:
    """Whatever the readings print."""
    scenario = Scenario(time_zone="Asia/Tokyo")
    built = turns(three(1, 1, "01:00:00", offset=PARIS))
    assert resolve_scenario(timeline_of(built.build(), "readme"), scenario) is scenario


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        (three(1, 1, "09:00:00", offset=TOKYO), "Asia/Tokyo"),
        (three(1, 1, "09:00:00", offset=TOKYO, browser=MIXED), "Asia/Tokyo"),
        (three(1, 1, "09:00:00", offset=TOKYO, browser=zone_line("Asia/Tokyo")), "UTC"),
        (two(1, 1, "09:00:00", offset=TOKYO), "Asia/Tokyo"),
        (three(9, 9, "09:00:00", offset=TOKYO), "UTC"),
    ],
    ids=["unavailable", "mixed", "resolved", "two-lines", "stray"],
)
def test_readings_tell_the_fallback_zone_where_no_browser_decides_it(text: str, zone: str) -> None:
    """Two-line readings always do, a resolved browser zone never."""
    assert zone_of(turns(text)) == zone


def test_a_zone_holds_until_a_reading_prints_another() -> None:
    """The first from the start of the log, each further one from its attempt on."""
    built = turns(
        three(1, 1, "09:00:00", offset=TOKYO),
        three(2, 1, "01:00:00", offset=PARIS),
        three(3, 1, "01:00:00", offset=PARIS),
        three(4, 1, "09:00:00", offset=TOKYO, browser=zone_line("Asia/Tokyo")),
        three(5, 1, "09:00:00", offset=TOKYO),
    )
    assert zone_of(built) == ((0, "Asia/Tokyo"), (6, "Europe/Paris"), (21, "Asia/Tokyo"))


@pytest.mark.parametrize(
    ("seq", "zone"), [(0, "Asia/Tokyo"), (9, "Asia/Tokyo"), (10, "Europe/Paris"), (11, "Europe/Paris"), (99, "UTC")]
)
def test_each_place_in_the_log_has_the_zone_of_its_span(seq: int, zone: str) -> None:
    """Before the first span its zone holds as well."""
    assert fallback_zone(((3, "Asia/Tokyo"), (10, "Europe/Paris"), (50, "UTC")), seq) == zone


@pytest.mark.parametrize(
    "offset",
    ["+00:00[undefined]", "+00:00[Etc/Unknown]", "-05:00[undefined]", "+00:00[]", "+02:00[Mars/Base]",
     "+02:00[Europe/Kyiv]", "+05:30[Asia/Kolkata]", "+03:00[UTC]", "+05:30[+05:30]"],
)  # fmt: skip
def test_a_label_that_names_no_clock_prints_again_as_it_stands(offset: str) -> None:
    """An odd process zone, a name this zone data does not have, or one that another runtime calls otherwise."""
    text = three(1, 1, "12:00:00", offset=offset)
    run = replay_session(turns(text).build(), Scenario(policy="recorded"))
    assert [reading.text for reading in run.readings] == [text]


def test_a_label_whose_clock_changes_is_another_zone() -> None:
    """A name this zone data lacks had summer time: both readings come out again."""
    texts = (
        three(1, 1, "12:00:00", offset="+02:00[Mars/Base]"),
        three(2, 1, "13:00:01", "1h 0s", offset="+03:00[Mars/Base]"),
    )
    built = turns(*texts)
    zone = zone_of(built)
    assert isinstance(zone, tuple)
    assert [(seq, name, name.clock) for seq, name in zone if isinstance(name, ZoneLabel)] == [
        (0, "Mars/Base", "+02:00"),
        (6, "Mars/Base", "+03:00"),
    ]
    run = replay_session(built.build(), Scenario(policy="recorded"))
    assert [reading.text.split("\n")[0] for reading in run.readings] == [text.split("\n")[0] for text in texts]

"""The readings of a log held against the rules of the edition each one follows."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import three, two, zone_line
from timectx.replay.check import Fault, check_session


def faults(built: LogBuilder, *, companion: bool = False) -> list[tuple[int, str]]:
    """Return seq and rule of every fault."""
    return [(fault.seq, fault.rule) for fault in check_session(built.build(), companion=companion)]


def turn(text: str) -> LogBuilder:
    """Return a log whose second turn, 5 s after the first reply, has a reading as seq 9."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn()
    return built.at(5_000).turn().prompt("hi").step().reading(text).reply("ok").end_turn()


SOUND = three(2, 1, "00:00:05", "5s")


@pytest.mark.parametrize(
    "built",
    [
        turn(SOUND),
        turn(two(2, 1, "00:00:05", "5s")),
        log("early").turn().prompt("hi").at(2_000).reading(two(1, 1, "00:00:02", "2s")).step().reply("ok"),
        log().turn().prompt("hi").step().reply("ok").end_turn(),
        log().turn().prompt("hi", "UTC").step().reading(three(1, 1, "00:00:00", browser=zone_line("UTC"))).reply("ok"),
        log().turn().step().reading(three(1, 1, "02:00:00", offset="+02:00[Mars/Base]")).reply("ok"),
        log("early").turn().reading(two(1, 1, "00:00:00").replace("sampled while preparing", "recorded before")).step(),
    ],
    ids=["readme", "note-v2", "note", "no-reading", "browser", "unknown-label", "oldest"],
)  # fmt: skip
def test_a_sound_log_has_no_fault(built: LogBuilder) -> None:
    """Each reading is what its edition would have written there."""
    assert check_session(built.build()) == ()


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (three(2, 1, "00:00:05", "6s"), ["elapsed"]),
        (three(2, 1, "00:00:05"), ["elapsed"]),
        (three(2, 1, "00:00:05", "5s", browser=zone_line("UTC")), ["browser-zone"]),
        (three(2, 1, "00:00:07", "7s"), ["postdated"]),
        (three(2, 1, "00:00:07", "1s", browser=zone_line("UTC")), ["browser-zone", "elapsed", "postdated"]),
        (two(2, 1, "00:00:05", "9s"), ["elapsed"]),
        ("half past nine", ["no-reading"]),
        (three(2, 2, "00:00:05", "5s"), ["stray-reading"]),
    ],
    ids=["elapsed", "unavailable", "browser", "postdated", "three-at-once", "two-lines", "no-reading", "stray"],
)
def test_a_reading_its_edition_would_not_have_written_breaks_a_rule(text: str, rules: list[str]) -> None:
    """Line by line, and its event's time."""
    assert faults(turn(text)) == [(9, rule) for rule in rules]


def test_a_turn_number_that_comes_again_is_no_fault_of_its_readings() -> None:
    """Each of them is at home in its own turn; that the number comes again is one fault of the order."""
    built = log().turn(1).step().reading(three(1, 1, "00:00:00")).end_turn()
    built = built.turn(1).step().reading(three(1, 1, "00:00:00", "0s")).end_turn()
    assert faults(built) == [(5, "turn-number")]


def test_a_timestamp_that_no_instant_prints_is_a_fault() -> None:
    """The turn's browsers agree on another zone than the first line shows."""
    built = log().turn().prompt("hi", "Asia/Tokyo").step()
    built = built.reading(three(1, 1, "00:00:00", browser=zone_line("Asia/Tokyo"))).reply("ok")
    expected = "Time sampled while preparing turn 1, step 1: 1970-01-01T09:00:00+09:00[Asia/Tokyo]"
    written = "Time sampled while preparing turn 1, step 1: 1970-01-01T00:00:00+00:00[UTC]"
    assert check_session(built.build()) == (Fault(3, "timestamp", f"reads {written!r}, expected {expected!r}"),)


def test_a_reading_in_a_turn_whose_zone_is_refused_could_not_have_been_taken() -> None:
    """Only the attempt it stands at is meant, though another has the same numbers."""
    built = log().turn(1).prompt("hi", "Nowhere").step().reading(three(1, 1, "00:00:00")).end_turn()
    built = built.turn(1).prompt("hi").step().reading(three(1, 1, "00:00:00", "0s")).end_turn()
    assert check_session(built.build()) == (
        Fault(
            3,
            "browser-zone",
            "no reading could have been taken: browser zone is neither UTC nor of the form Area/Location: 'Nowhere'",
        ),
        Fault(6, "turn-number", "turn 1 starts, expected turn 2"),
    )


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ({}, []),
        ({"form": "snapshot", "sections": [{"name": "time-context", "text": SOUND}]}, []),
        ({"form": "full", "sections": [{"name": "time-context", "text": SOUND}]}, ["source"]),
        ({"form": "snapshot", "sections": [{"name": "time-context", "text": "other"}]}, ["source"]),
        ({"form": "snapshot"}, ["source"]),
    ],
    ids=["early", "sound", "form", "text", "no-sections"],
)
def test_a_snapshot_in_the_source_says_the_same_as_the_message(source: dict[str, object], rules: list[str]) -> None:
    """Sources of earlier releases have none."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn().at(5_000).turn().prompt("hi").step()
    built = built.message(SOUND, {"kind": "plugin", "plugin": "time-context", **source}).reply("ok").end_turn()
    assert faults(built) == [(9, rule) for rule in rules]


def test_faults_come_in_the_order_of_the_log_whatever_edition_they_are_of() -> None:
    """A log may hold readings of several."""
    built = log().turn().step().reading(three(1, 1, "00:00:00", "9s")).reply("ok").end_turn()
    built = built.turn().step().reading(two(2, 1, "00:00:00", "9s")).reply("ok").reading("soon").end_turn()
    built = built.turn().step().reading(three(3, 1, "00:00:00", "9s")).reply("ok").end_turn()
    assert faults(built) == [(2, "elapsed"), (8, "elapsed"), (10, "no-reading"), (15, "elapsed")]


def test_the_companions_checks_are_added_on_request() -> None:
    """They refuse two-line readings that their own edition allows."""
    built = turn(two(2, 1, "00:00:05", "5s"))
    assert faults(built) == []
    assert faults(built, companion=True) == [(9, "invariant-violated-by-time-context-message")]
    assert faults(turn(SOUND), companion=True) == []

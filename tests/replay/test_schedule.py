"""When a reading is due, and what it counts its elapsed time from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import three, two, zone_line
from timectx.errors import ScenarioError, ZoneError
from timectx.reading import BrowserZone, Edition, format_reading
from timectx.replay import TimeContext, is_due, reading_message
from timectx.replay.schedule import check_interval
from timectx.session.data import Message

TOKYO = {"kind": "user", "rpcId": "r", "clientTimeZone": "Asia/Tokyo"}
PARIS = {"kind": "user", "rpcId": "", "clientTimeZone": "Europe/Paris"}
OLD_NAME = {"kind": "user", "rpcId": "r", "clientTimeZone": "Asia/Kolkata"}


def context_of(built: LogBuilder, edition: Edition = "readme") -> TimeContext:
    """Return the context after every event of a log."""
    context = TimeContext(edition)
    for event in built.events():
        context.apply(event)
    return context


@pytest.mark.parametrize(
    ("now_ms", "last_ms", "interval_ms", "due"),
    [
        (60_000, None, 60_000, True),
        (0, 0, 0, True),
        (59_999, 0, 60_000, False),
        (60_000, 0, 60_000, True),
        (60_001, 0, 60_000, True),
        (5, 5, 1, False),
        (4, 5, 60_000, True),
        (-10, -5, 60_000, True),
        (-5, -10, 60_000, False),
        (2**52, 0, 2**53 - 1, False),
    ],
    ids=[
        "first", "interval-0", "just-before", "equality", "after", "same-instant", "clock-back", "before-1970-back",
        "before-1970", "longest",
    ],
)  # fmt: skip
def test_a_reading_is_due_from_the_interval_on_or_when_the_clock_went_back(
    now_ms: int, last_ms: int | None, interval_ms: int, due: bool
) -> None:
    """Suppressed only while the newest reading is younger than the interval and not ahead of the clock."""
    assert is_due(now_ms, last_ms, interval_ms) is due


@pytest.mark.parametrize(
    "value", [-1, 0.5, 60_000.0, True, None, "10m", 2**53, float("nan")],
    ids=["negative", "fraction", "float", "bool", "none", "text", "unsafe", "nan"],
)  # fmt: skip
def test_an_interval_is_a_whole_number_of_milliseconds_from_0(value: Any) -> None:
    """Whatever else is given, one sentence says what was expected, also where a schedule is asked."""
    text = f"a refresh interval is a whole number of milliseconds from 0 (0 = every attempt), got {value!r}"
    for ask in (lambda: check_interval(value), lambda: is_due(0, None, value)):
        with pytest.raises(ScenarioError) as caught:
            ask()
        assert (caught.value.kind, str(caught.value)) == ("interval", text)


def test_a_sound_interval_comes_back_as_it_is() -> None:
    """From 0 to the largest integer a JSON number holds."""
    assert [check_interval(value) for value in (0, 1, 2**53 - 1)] == [0, 1, 2**53 - 1]


def test_the_first_step_counts_from_the_newest_message_of_any_kind() -> None:
    """Prompts, replies, tool results and replacements count, on the surface or not; nothing else does."""
    built = log().turn()
    found = [context_of(built).baseline_ms(1, 1)]
    for add in (
        lambda: built.at(1).event("user/message", {"content": [], "source": {"kind": "user"}}),
        lambda: built.at(2).step().at(3).reply("ok", calls=["c"]),
        lambda: built.at(4).call("c"),
        lambda: built.at(5).result("c"),
        lambda: built.at(6).chunk("finish", reason={"kind": "stop"}),
        lambda: built.at(7).prune(built.last_seq - 1),
        lambda: built.at(8).end_turn(),
    ):
        add()
        found.append(context_of(built).baseline_ms(2, 1))
    assert found == [None, 1, 3, 3, 5, 5, 7, 7]


def test_a_later_step_counts_from_the_newest_reading_of_its_turn() -> None:
    """Not from the step before, and not from a reading of an earlier turn."""
    built = log().turn().step().at(10).reading("a").at(20).reply("ok").step().at(30).reply("ok")
    within = context_of(built)
    assert (within.baseline_ms(1, 2), within.baseline_ms(1, 3), within.last_reading_ms) == (10, 10, 10)
    after = context_of(built.at(40).turn().step())
    assert (after.baseline_ms(2, 2), after.baseline_ms(2, 1), after.last_reading_ms) == (None, 30, 10)


def test_without_its_turns_start_a_later_step_counts_from_an_earlier_turn() -> None:
    """A log that starts mid-way, or a step that names another turn, finds the newest reading of all."""
    context = context_of(log().turn().step().at(10).reading("a").end_turn())
    assert context.baseline_ms(7, 2) == 10


def test_a_turn_number_that_repeats_counts_from_its_newest_start() -> None:
    """A resumed log may start turn 1 again: the reading before that is none of its own."""
    built = log().turn(1).step().at(10).reading("a").end_turn().turn(1).step()
    assert context_of(built).baseline_ms(1, 2) is None
    assert context_of(built.at(20).reading("b")).baseline_ms(1, 2) == 20


def test_edition_current_forgets_the_turns_reading_at_every_turn_boundary() -> None:
    """There a turn's end resets the baseline as well, and so does the start of any turn."""
    ended = log().turn().step().at(10).message("a", {"kind": "time-context"}).end_turn()
    open_turn = log().turn().step().at(10).message("a", {"kind": "time-context"})
    assert [context_of(built, "current").baseline_ms(1, 2) for built in (ended, open_turn)] == [None, 10]
    older = log().turn().step().at(10).reading("a").end_turn()
    assert context_of(older, "readme").baseline_ms(1, 2) == 10


def test_a_reading_the_replay_adds_counts_like_one_of_the_log() -> None:
    """For the schedule, for the first step of a turn and for later ones."""
    context = context_of(log().turn().step().at(5).reply("ok"))
    context.add_reading(9)
    assert (context.last_reading_ms, context.baseline_ms(1, 1), context.baseline_ms(1, 2)) == (9, 9, 9)


def test_any_message_with_a_readings_source_counts_whatever_it_says() -> None:
    """The schedule goes by source and event time; text and surface do not matter."""
    source = {"kind": "plugin", "plugin": "time-context"}
    built = log().turn().at(7).event("user/message", {"content": [], "source": source})
    assert context_of(built).last_reading_ms == 7


def test_a_turns_zone_comes_from_its_messages_and_those_about_to_enter() -> None:
    """Earlier turns do not count; two zones are mixed; without any it is missing."""
    built = log().turn().step().prompt("hi", "Asia/Tokyo").reply("ok").end_turn().turn().step()
    context = context_of(built)
    assert [context.turn_zone(2), context.turn_zone(2, (PARIS,)), context.turn_zone(1, (PARIS,))] == [
        BrowserZone("missing"),
        BrowserZone("resolved", ("Europe/Paris",)),
        BrowserZone("mixed", ("Asia/Tokyo", "Europe/Paris")),
    ]


def test_a_turns_zone_follows_the_log_message_by_message() -> None:
    """What was found for one step is not kept past the message, or the turn, that changes it."""
    built = log().turn().step().prompt("hi", "Asia/Tokyo").prompt("and", "Europe/Paris").end_turn()
    built = built.turn().step().prompt("so", "UTC")
    context, found = TimeContext("readme"), []
    for event in built.events():
        context.apply(event)
        found.append((event.type, context.turn_zone(1).zones, context.turn_zone(2).zones))
    tokyo, both = ("Asia/Tokyo",), ("Asia/Tokyo", "Europe/Paris")
    assert found == [
        ("turn/start", (), ()),
        ("step/start", (), ()),
        ("user/message", tokyo, ()),
        ("user/message", both, ()),
        ("step/end", both, ()),
        ("turn/end", both, ()),
        ("turn/start", both, ()),
        ("step/start", both, ()),
        ("user/message", (*both, "UTC"), ("UTC",)),
    ]


def test_without_its_turns_start_only_entering_messages_tell_the_zone() -> None:
    """A log that starts mid-way has no turn to look back to."""
    context = context_of(log().step(2).prompt("hi", "Asia/Tokyo"))
    assert [context.turn_zone(1), context.turn_zone(1, (TOKYO,))] == [
        BrowserZone("missing"),
        BrowserZone("resolved", ("Asia/Tokyo",)),
    ]


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "user", "clientTimeZone": "Asia/Tokyo"},
        {"kind": "user", "rpcId": 4, "clientTimeZone": "Asia/Tokyo"},
        {"kind": "user", "rpcId": "r", "clientTimeZone": 9},
        {"kind": "plugin", "plugin": "p", "rpcId": "r", "clientTimeZone": "Asia/Tokyo"},
    ],
    ids=["no-rpc", "odd-rpc", "odd-zone", "no-user"],
)
def test_a_source_that_is_not_a_browsers_says_nothing(source: dict[str, object]) -> None:
    """It is passed over in silence."""
    built = log().turn().step().message("hi", source)
    assert context_of(built).turn_zone(1, (source,)) == BrowserZone("missing")


def test_a_zone_that_is_not_canonical_is_refused_each_time_it_is_asked_for() -> None:
    """In the log or about to enter, and by two-line editions only when somebody asks."""
    logged = context_of(log().turn().step().prompt("hi", "Asia/Kolkata"))
    entering = context_of(log().turn())
    for ask in (
        lambda: logged.turn_zone(1),
        lambda: logged.turn_zone(1),
        lambda: entering.turn_zone(1, (OLD_NAME,)),
        lambda: entering.browser_zone(1, (TOKYO, OLD_NAME)),
    ):
        with pytest.raises(ZoneError) as caught:
            ask()
        assert caught.value.kind == "zone-not-canonical"
    assert [TimeContext(edition).browser_zone(1, (OLD_NAME,)) for edition in ("note", "note-v2")] == [None, None]


def test_a_reading_says_instant_zone_and_elapsed_time() -> None:
    """In the browser's zone where there is one, else in the fallback zone; never below 0."""
    context = context_of(log().turn().step().at(10_000).reading("a"))
    offset = "+09:00[Asia/Tokyo]"
    texts = [
        format_reading(context.reading_at(now_ms, 1, 2, fallback="UTC", entering=entering))
        for now_ms, entering in ((71_500, ()), (71_500, (TOKYO,)), (9_000, ()))
    ]
    assert texts == [
        three(1, 2, "00:01:11", "1m 1s"),
        three(1, 2, "09:01:11", "1m 1s", browser=zone_line("Asia/Tokyo"), offset=offset),
        three(1, 2, "00:00:09", "0s"),
    ]


def test_a_two_line_reading_never_shows_the_browsers_zone() -> None:
    """It says the fallback zone's time and nothing about browsers."""
    context = context_of(log("early").turn().prompt("hi", "Asia/Tokyo"), "note")
    assert format_reading(context.reading_at(1_000, 1, 1, fallback="UTC", entering=(TOKYO,))) == two(
        1, 1, "00:00:01", "1s"
    )


def test_each_edition_carries_its_reading_in_a_message_of_its_own_shape() -> None:
    """``note`` without role and id, the others with a snapshot, ``current`` under its own kind."""
    content = ({"type": "text", "text": "T"},)
    snapshot = {"form": "snapshot", "sections": [{"name": "time-context", "text": "T"}]}
    plugin = {"kind": "plugin", "plugin": "time-context"}
    editions: tuple[Edition, ...] = ("note", "note-v2", "readme", "current")
    assert [reading_message("T", edition, "m7") for edition in editions] == [
        Message(content=content, source=plugin),
        Message(content=content, source=plugin | snapshot, role="user", id="m7"),
        Message(content=content, source=plugin | snapshot, role="user", id="m7"),
        Message(content=content, source={"kind": "time-context"} | snapshot, role="user", id="m7"),
    ]

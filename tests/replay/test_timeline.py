"""The order one edition gives to a log's events, attempts and requests."""

from __future__ import annotations

from tests.builders import LogBuilder, log
from tests.replay.texts import three, two
from timectx.reading import Edition
from timectx.replay import timeline_of


def order(built: LogBuilder, edition: Edition = "readme") -> list[str]:
    """Return each cue as its act and the seq it is about, or the index of its attempt or step."""
    return [
        f"{cue.act} {cue.event.seq if cue.event else cue.tokens if cue.act == 'header' else cue.index}"
        for cue in timeline_of(built.build(), edition).cues
    ]


LATE = log().turn().step().prompt("hi").header("abcd").reply("ok").end_turn()  # seqs 0 to 6
EARLY = log("early").turn().prompt("hi").step().header("abcd").reply("ok").end_turn()


def test_events_pass_in_the_order_of_the_log() -> None:
    """Decided at the step's start, inserted after its messages, sent before the first output."""
    assert order(LATE) == [
        "event 0", "decide 0", "event 2", "insert 0", "header 5", "request 0", "event 4", "event 6",
    ]  # fmt: skip


def test_in_note_the_messages_and_the_reading_come_before_the_steps_start() -> None:
    """Wherever the log has the messages."""
    assert order(LATE, "note") == [
        "event 0", "event 2", "decide 0", "insert 0", "header 5", "request 0", "event 4", "event 6",
    ]  # fmt: skip
    assert order(EARLY, "note") == [
        "event 0", "event 1", "decide 0", "insert 0", "header 5", "request 0", "event 4", "event 6",
    ]  # fmt: skip


def test_in_the_others_early_messages_count_only_after_the_decision() -> None:
    """They keep their place on the surface, where a compaction may meet them; baselines see them later."""
    assert order(EARLY) == [
        "event 0", "surface 1", "decide 0", "context 1", "insert 0", "header 5", "request 0", "event 4", "event 6",
    ]  # fmt: skip


def test_a_recorded_reading_is_taken_away_and_its_place_kept() -> None:
    """What another listener appended after it stays after it."""
    built = log().turn().step().prompt("hi").reading(three(1, 1, "00:00:00")).message("more", {"kind": "goal"})
    assert order(built.reply("ok")) == [
        "event 0", "decide 0", "event 2", "own 3", "insert 0", "event 4", "request 0", "event 5",
    ]  # fmt: skip


def test_in_note_a_reading_comes_before_the_compaction_of_its_pre_step_and_in_the_others_after_it() -> None:
    """Where the log has its own, that one's place before the step holds in ``note``."""
    built = log("early").turn().prompt("hi").reading(two(1, 1, "00:00:00")).compaction(1, 1).step().reply("ok")
    assert order(built, "note") == [
        "event 0", "event 1", "decide 0", "insert 0", "own 2", "event 3", "event 5", "event 6", "request 0", "event 8",
    ]  # fmt: skip
    assert order(built, "readme") == [
        "event 0", "surface 1", "own 2", "event 3", "event 5", "event 6", "decide 0", "context 1", "insert 0",
        "request 0", "event 8",
    ]  # fmt: skip


def test_in_note_messages_of_a_late_log_move_before_its_compaction() -> None:
    """The turn's prompt stood in the log when ``note`` measured whether to compact."""
    built = log().turn().step().prompt("a").reply("b").end_turn().turn().compaction(2, 3).step().prompt("c").reply("d")
    assert order(built, "note")[7:] == [
        "event 6", "event 12", "decide 1", "insert 1", "event 7", "event 9", "event 10", "request 1", "event 13",
    ]  # fmt: skip
    assert order(built, "readme")[7:] == [
        "event 6", "event 7", "event 9", "event 10", "decide 1", "event 12", "insert 1", "request 1", "event 13",
    ]  # fmt: skip


def test_a_turn_without_step_decides_before_its_end() -> None:
    """Rejected or failed before any step."""
    assert order(log().turn().end_turn("blocked")) == ["event 0", "decide 0", "insert 0", "event 1"]


def test_a_reading_without_step_decides_where_it_stands() -> None:
    """Its turn went on to end without that step."""
    built = log("early").turn().prompt("hi").reading(two(1, 1, "00:00:00")).end_turn()
    assert order(built, "note") == ["event 0", "event 1", "decide 0", "insert 0", "own 2", "event 3"]


def test_every_request_of_a_step_stands_before_its_own_output() -> None:
    """The first is marked as such, and so is the last; streamed output that was skipped counts."""
    built = log().turn().step().prompt("hi").failure().retry().skip(2).reply("ok").step().end_turn()
    timeline = timeline_of(built.build(), "readme")
    found = [(cue.index, cue.attempt, cue.first, cue.last) for cue in timeline.cues if cue.act == "request"]
    assert found == [(0, 0, True, False), (0, 0, False, True), (1, 1, True, True)]
    assert order(built) == [
        "event 0", "decide 0", "event 2", "insert 0", "request 0", "request 0", "event 7", "decide 1", "insert 1",
        "request 1", "event 11",
    ]  # fmt: skip


def test_a_step_the_log_ends_in_still_sends_its_request() -> None:
    """After everything else."""
    assert order(log().turn().step().prompt("hi"))[-2:] == ["insert 0", "request 0"]


def test_a_header_holds_from_its_event_on() -> None:
    """A change by lines included; one that changes nothing is no cue."""
    built = log().turn().step().header("abcd\nefgh").reply("ok")
    delta = {"system": {"keepStart": 1, "keepEnd": 0, "insert": ["x"]}}
    built = built.event("request/header-delta", delta).event("request/header-delta", {}).step().reply("ok")
    assert [cue for cue in order(built) if cue.startswith(("header", "request"))] == [
        "header 7", "request 0", "header 6", "request 1",
    ]  # fmt: skip


def test_events_that_mean_nothing_to_a_replay_are_no_cues() -> None:
    """Neither the surface nor a baseline follows from them."""
    built = log().turn().event("todo/write", {"todos": []}).step().call("c").chunk("finish", reason={"kind": "stop"})
    assert order(built) == ["event 0", "decide 0", "insert 0", "request 0"]

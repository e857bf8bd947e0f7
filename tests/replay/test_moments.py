"""What each attempt of a log is under an edition: its instant, its own reading, whether it can carry one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import three, two
from timectx.reading import Edition
from timectx.replay.moments import Moment, moments_of, reading_text
from timectx.session.data import Message

READING = {"kind": "plugin", "plugin": "time-context"}


def moments(built: LogBuilder, edition: Edition = "readme") -> tuple[Moment, ...]:
    """Return the moments of a log."""
    return moments_of(built.build(), edition).moments


def instants(built: LogBuilder, edition: Edition = "readme") -> list[tuple[int, int]]:
    """Return instant and event time of every moment."""
    return [(moment.now_ms, moment.time_ms) for moment in moments(built, edition)]


def second_turn(text: str) -> LogBuilder:
    """Return a log whose second turn starts at 10.5 s, 9.1 s after the last reply, with a reading in it."""
    return log().turn().step().at(1_400).reply("ok").end_turn().at(10_500).turn().step().at(10_503).reading(text)


@pytest.mark.parametrize(
    ("text", "now_ms"),
    [
        (three(2, 1, "00:00:10"), 10_500),
        (three(2, 1, "00:00:10", "9s"), 10_500),
        (three(2, 1, "00:00:10", "8s"), 10_399),
        (three(2, 1, "00:00:09", "8s"), 9_999),
        (three(2, 1, "00:00:09", "7s"), 9_399),
        (three(2, 1, "00:00:12", "10s"), 12_000),
        (three(2, 1, "00:00:12", "11s"), 12_400),
        (three(2, 1, "00:00:10", "5m 0s"), 10_500),
        (three(2, 1, "00:00:00", "0s"), 999),
    ],
    ids=[
        "second",
        "both",
        "elapsed-binds",
        "before",
        "before-binds",
        "after",
        "after-binds",
        "impossible",
        "clock-back",
    ],
)
def test_an_attempt_with_a_reading_stands_at_the_nearest_instant_that_prints_it(text: str, now_ms: int) -> None:
    """The second always, the elapsed time if both can be had; the reading keeps the time of its event."""
    assert instants(second_turn(text))[1] == (now_ms, 10_503)


def test_an_attempt_without_a_reading_stands_at_its_steps_start() -> None:
    """And a reading added there gets that time."""
    assert instants(log(start_ms=5).turn().at(70).step().at(90).prompt("hi")) == [(70, 70)]


def test_in_note_an_attempt_stands_at_its_readings_event_else_at_its_first_compaction_event_else_at_the_step() -> None:
    """There it comes before compaction, which comes before the step's start."""
    built = log("early").turn().prompt("hi").at(1_200).reading(two(1, 1, "00:00:01")).at(2_000).step().at(2_100)
    built = built.reply("ok", calls=["c"]).tool("c").end_step().at(5_000)
    built = built.prune(built.last_seq - 1).at(6_000).step().reply("ok").end_step().at(8_000).step().reply("ok")
    assert instants(built, "note") == [(1_200, 1_200), (5_000, 5_000), (8_000, 8_000)]
    assert instants(built, "readme") == [(1_999, 1_200), (6_000, 6_000), (8_000, 8_000)]


def test_in_note_the_instant_still_prints_what_the_reading_says() -> None:
    """A reading sampled just before its event was logged shows the second before."""
    built = log("early").turn().at(2_000).prompt("hi").at(3_004).reading(two(1, 1, "00:00:02", "0s")).step()
    assert instants(built, "note") == [(2_999, 3_004)]


def test_elapsed_of_a_later_step_is_held_against_the_turns_reading() -> None:
    """The baseline is the one the log had when the reading was taken, earlier readings included."""
    built = log().turn().step().at(700).reading(three(1, 1, "00:00:00")).at(900).reply("ok").at(3_500)
    assert instants(built.step().reading(three(1, 2, "00:00:03", "2s"))) == [(0, 700), (3_500, 3_500)]
    built = log().turn().step().at(700).reading(three(1, 1, "00:00:00")).at(900).reply("ok").at(3_750)
    assert instants(built.step().reading(three(1, 2, "00:00:03", "2s"))) == [(0, 700), (3_699, 3_750)]


def test_messages_admitted_with_a_step_are_named_by_source() -> None:
    """On either side of its start, up to its first output; readings and replacements are none of them."""
    built = log("early").turn().prompt("before").step().prompt("after").reading("no time")
    built = built.event("request/context", {"provider": "p", "model": "m"}).message("late", {"kind": "goal"})
    built = built.reply("ok").prompt("too late").end_step()
    assert [moment.entering for moment in moments(built)] == [({"kind": "user"}, {"kind": "user"}, {"kind": "goal"})]


@pytest.mark.parametrize(
    ("built", "kind", "eligible"),
    [
        (log().turn().step().prompt("hi"), "step", (True, True)),
        (log().turn().step().reply("ok"), "step", (True, True)),
        (log().turn().step().header(), "step", (True, True)),
        (log().turn().step().skip(3).end_turn("interrupted"), "step", (True, True)),
        (log("early").turn().prompt("hi").step().end_turn("aborted"), "step", (True, True)),
        (log().turn().step(), "step", (True, False)),
        (log().turn().step().end_turn("aborted"), "step", (True, True)),
        (log().turn().step().end_turn("interrupted"), "step", (True, False)),
        (log().turn().end_turn("blocked"), "turn-end", (True, False)),
        (log().turn().step().reply("ok").end_turn("blocked"), "turn-end", (True, False)),
        (log().turn().end_turn("error"), "turn-end", (True, False)),
        (log().turn().end_turn("aborted"), "turn-end", (False, False)),
    ],
    ids=["message", "output", "header", "streamed", "early-message", "crashed", "cancelled", "repaired",
         "blocked", "blocked-later", "error", "aborted"],
)  # fmt: skip
def test_who_can_carry_a_reading(built: LogBuilder, kind: str, eligible: tuple[bool, bool]) -> None:
    """In ``note`` all but the cancelled; in the others a step that began for good."""
    last = [moments(built, edition)[-1] for edition in ("note", "readme")]
    assert [moment.attempt.kind for moment in last] == [kind, kind]
    assert tuple(moment.eligible for moment in last) == eligible


def test_in_note_a_reading_marks_an_attempt_though_its_step_never_came() -> None:
    """In the turn that was cancelled too: the reading shows that it was not cancelled before."""
    text = two(1, 1, "00:00:01", "0s")
    for reason, kind in (("completed", "reading"), ("aborted", "turn-end"), ("error", "turn-end")):
        built = log("early").turn().prompt("hi").at(1_000).reading(text).at(2_000).end_turn(reason)
        found = [moments(built, edition)[0] for edition in ("note", "readme")]
        assert [(moment.attempt.kind, moment.own_seq, moment.eligible) for moment in found] == [
            (kind, 2, True),
            (kind, 2, False),
        ]
        assert instants(built, "note") == [(1_000, 1_000)]


@pytest.mark.parametrize("text", ["no time", three(1, 1, "00:00:00"), two(1, 2, "00:00:00"), two(9, 1, "00:00:00")])
def test_a_message_that_is_no_attempts_reading_marks_none(text: str) -> None:
    """What only looks like a reading, or names another place, does not make an attempt where no step came."""
    assert moments(log("early").turn().prompt("hi").reading(text).end_turn(), "note") == ()


@pytest.mark.parametrize(
    ("built", "edition"),
    [
        (log("early").turn().reading(two(1, 1, "00:00:00")).step().reply("ok"), "note"),
        (log().turn().step().reading(two(1, 1, "00:00:00")).reply("ok"), "note-v2"),
        (log().turn().step().reading(three(1, 1, "00:00:00")).reply("ok"), "readme"),
    ],
    ids=["note", "note-v2", "readme"],
)
def test_a_readings_edition_follows_from_its_lines_and_its_place(built: LogBuilder, edition: str) -> None:
    """Two lines before the step's start are ``note``, after it ``note-v2``; three lines are ``readme``."""
    own = moments(built)[0].own
    assert own is not None
    assert own.edition == edition


def _replacing(seq: int, text: str) -> dict[str, Any]:
    return {
        "data": {"content": [{"type": "text", "text": text}], "source": READING, "role": "user", "id": "m"},
        "surfaceOp": {"op": "replace", "start": seq, "end": seq},
        "sourceEventSeqs": [seq],
    }


@pytest.mark.parametrize(
    ("built", "problem"),
    [
        (log().turn().step().reading("half past nine").reply("ok"), "no-reading"),
        (log().turn().step().reading(three(1, 2, "00:00:00")).reply("ok"), "stray-reading"),
        (log().turn().step().reading(three(7, 1, "00:00:00")).reply("ok"), "stray-reading"),
        (log().turn().step().reply("ok").reading(three(1, 1, "00:00:00")), "stray-reading"),
        (log("early").turn().reading(three(1, 1, "00:00:00")).step().reply("ok"), "stray-reading"),
        (log().reading(three(1, 1, "00:00:00")).turn().step().reply("ok"), "stray-reading"),
        (log("early").turn().reading(two(1, 1, "00:00:00").replace("sampled while preparing", "recorded before"))
         .step().reply("ok"), "old-edition"),
        (log().turn().step().event("user/message", **_replacing(0, three(1, 1, "00:00:00"))), "stray-reading"),
    ],
    ids=["no-time", "other-step", "other-turn", "after-output", "three-lines-before-step", "outside-turns", "oldest",
         "replacement"],
)  # fmt: skip
def test_a_message_with_a_readings_source_that_is_no_attempts_stays_and_is_reported(
    built: LogBuilder, problem: str
) -> None:
    """One problem names it, and no attempt takes it for its own."""
    found = moments_of(built.build(), "readme")
    assert [moment.own for moment in found.moments] == [None]
    assert [(issue.line, issue.kind) for issue in found.problems] == [(0, problem)]
    assert [reading is None for reading in found.strays.values()] == [problem == "no-reading"]


def test_of_two_readings_for_one_attempt_the_first_is_its_own() -> None:
    """The second counts as a stray."""
    built = log().turn().step().reading(three(1, 1, "00:00:00")).reading(three(1, 1, "00:00:01")).reply("ok")
    found = moments_of(built.build(), "readme")
    assert ([moment.own_seq for moment in found.moments], list(found.strays)) == ([2], [3])
    assert [problem.message for problem in found.problems] == [
        "seq 3 reads turn 1, step 1 but is not that attempt's one reading; it stays and counts"
    ]


def test_a_reading_that_only_stands_in_the_log_is_an_attempts_own() -> None:
    """Without a surface marker the model never saw it; the schedule did."""
    data = {"content": [{"type": "text", "text": two(1, 1, "00:00:00")}], "source": READING}
    built = log("early").turn().event("user/message", data).step().reply("ok")
    assert [moment.own_seq for moment in moments(built, "note")] == [1]


def test_a_turn_number_that_repeats_keeps_each_reading_with_its_own_attempt() -> None:
    """Attempts go by place in the log; their numbers may come again."""
    built = log().turn(1).step().reading(three(1, 1, "00:00:00")).reply("a").end_turn().at(5_000)
    built = built.turn(1).step().reading(three(1, 1, "00:00:05", "5s")).reply("b").end_turn()
    assert [(moment.attempt.turn, moment.own_seq, moment.now_ms) for moment in moments(built)] == [
        (1, 2, 0),
        (1, 8, 5_000),
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (({"type": "text", "text": "T"},), "T"),
        (({"type": "text", "text": "T", "cache": True},), "T"),
        ((), None),
        (({"type": "text", "text": "T"}, {"type": "text", "text": "U"}), None),
        (({"type": "reasoning", "text": "T"},), None),
        (({"type": "text", "text": 5},), None),
    ],
    ids=["text", "more-keys", "empty", "two", "reasoning", "number"],
)
def test_a_readings_text_is_that_of_the_one_block_it_has(content: tuple[dict[str, Any], ...], text: str | None) -> None:
    """Any other shape has none."""
    assert reading_text(Message(content=content, source={})) == text

"""The moments before a step at which a reading may be added, in both layouts of a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import Layout, LogBuilder, log
from timectx.session.attempts import Attempt, attempts_of, is_reading_event, is_reading_source

READING = {"kind": "plugin", "plugin": "time-context"}


def attempt(**fields: Any) -> Attempt:
    """Return an attempt of turn 1, step 1, marked by a step/start right after the start of the log."""
    first: dict[str, Any] = {"turn": 1, "step": 1, "kind": "step", "seq": 1, "time_ms": 0, "boundary_seq": 0}
    return Attempt(**(first | fields))


# What a reading is


@pytest.mark.parametrize(
    ("source", "is_reading"),
    [
        (READING, True),
        ({**READING, "form": "snapshot", "sections": []}, True),
        ({"kind": "plugin", "plugin": "skill-catalog"}, False),
        ({"kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt"}, False),
        ({"kind": "plugin"}, False),
        ({"kind": "time-context"}, False),
        ({"kind": "user", "plugin": "time-context"}, False),
        ({"plugin": "time-context"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_a_reading_is_known_by_its_source(source: dict[str, object], is_reading: bool) -> None:
    """Injected context of other kinds is none, and neither is what a person wrote."""
    assert is_reading_source(source) is is_reading
    (event,) = log().message("any text", source).events()
    assert is_reading_event(event) is is_reading


def test_a_reading_off_the_surface_is_still_one() -> None:
    """The log counts, not what the model sees; and only a user message can be a reading."""
    built = log().event("user/message", {"content": [], "source": READING})
    built.event("future/thing", {"content": [], "source": READING})
    assert [is_reading_event(event) for event in built.events()] == [True, False]


# Attempts


def test_the_late_layout_has_its_messages_after_the_step_start() -> None:
    """The reading stands behind the prompts, and both before the first output."""
    built = log(tick_ms=10).turn().prompt("a").step().prompt("b").reading("now").header().reply("c", calls=["d"])
    built.tool("d").step().reading("later").reply("e").end_turn()
    assert attempts_of(built.events()) == (
        attempt(time_ms=10, entered=(2, 3), readings=(4,)),
        attempt(step=2, seq=10, time_ms=100, boundary_seq=9, readings=(11,)),
    )


def test_the_early_layout_has_its_messages_before_the_step_start() -> None:
    """The same chain, written the other way round."""
    built = log("early", tick_ms=10).turn().prompt("a").step().prompt("b").reading("now").header()
    built.reply("c", calls=["d"]).tool("d").step().reading("later").reply("e").end_turn()
    assert attempts_of(built.events()) == (
        attempt(seq=4, time_ms=40, entered=(1, 2), readings=(3,)),
        attempt(step=2, seq=11, time_ms=110, boundary_seq=9, readings=(10,)),
    )


def test_messages_on_both_sides_of_the_step_start_enter_it() -> None:
    """From the previous boundary to the first output, whatever the layout."""
    built = log("early").turn().prompt("a").step().wait(5).prompt("b").reply("c")
    assert attempts_of(built.events()) == (attempt(seq=2, entered=(1, 3)),)


@pytest.mark.parametrize("layout", ["late", "early"])
def test_what_comes_after_the_first_output_enters_no_step(layout: Layout) -> None:
    """A steering message amid the tools, or a reading there, belongs to no attempt."""
    built = log(layout).turn().step().reply("a", calls=["b"]).prompt("steer").reading("odd").tool("b").step().end_turn()
    assert [(found.step, found.entered, found.readings) for found in attempts_of(built.events())] == [
        (1, (), ()),
        (2, (), ()),
    ]


@pytest.mark.parametrize(
    "output",
    [
        lambda built: built.chunk("text-delta"),
        lambda built: built.skip(1),
        lambda built: built.skip(9),
        lambda built: built.reply("b"),
        lambda built: built.retry(),
    ],
    ids=["chunk", "gap of one", "gap", "reply", "retry"],
)
def test_every_kind_of_output_ends_the_entering(output: Callable[[LogBuilder], LogBuilder]) -> None:
    """A chunk, output that was not decoded, a whole reply, or a retry of a request that left none."""
    built = log().turn().prompt("a").step()
    output(built).prompt("late").reading("late").end_turn()
    assert attempts_of(built.events()) == (attempt(entered=(2,)),)


def test_a_gap_before_the_step_start_ends_nothing() -> None:
    """Output can be missing only inside a step: elsewhere a gap is something that was dropped."""
    built = log().turn().skip(3).prompt("a").step().prompt("b")
    assert attempts_of(built.events()) == (attempt(seq=4, entered=(5, 6)),)


def test_only_appended_messages_enter() -> None:
    """A checkpoint replaces what is there already, and one without marker never reaches the model."""
    built = log().turn().step().reply("a").end_step().compaction(2, 2).step()
    built.event("user/message", {"content": [], "source": {"kind": "user"}}).prompt("b").reply("c")
    *_, last = attempts_of(built.events())
    assert (last.entered, last.readings) == ((10,), ())


def test_a_compaction_before_the_step_is_part_of_its_attempt() -> None:
    """The first compaction or prune event since the boundary tells when the pre-step ran."""
    built = log(tick_ms=10).turn().step().reply("a", calls=["b"]).tool("b").end_step()
    built.prune(4).compaction(2, 6).step().reply("c").end_turn()
    first, second = attempts_of(built.events())
    assert (first.prestep_seq, first.prestep_ms) == (None, None)
    assert second == attempt(step=2, seq=12, time_ms=120, boundary_seq=5, prestep_seq=6, prestep_ms=60)


def test_a_compaction_inside_a_step_is_not() -> None:
    """Recovery from a full window runs after the attempt."""
    built = log().turn().prompt("a").step().failure().compaction(2, 2).reply("c").end_turn()
    assert attempts_of(built.events()) == (attempt(entered=(2,)),)


def test_a_turn_blocked_before_any_step_was_an_attempt() -> None:
    """It is marked by the turn's end, and would have been step 1."""
    built = log(tick_ms=10).turn().prompt("a").end_turn("blocked")
    assert attempts_of(built.events()) == (attempt(kind="turn-end", seq=1, time_ms=10),)


def test_a_turn_blocked_after_some_steps_was_an_attempt_at_the_next() -> None:
    """Steps count on."""
    built = log().turn().step().reply("a").step().reply("b").end_turn("blocked")
    assert [(found.step, found.kind, found.seq, found.boundary_seq) for found in attempts_of(built.events())] == [
        (1, "step", 1, 0),
        (2, "step", 4, 3),
        (3, "turn-end", 7, 6),
    ]


@pytest.mark.parametrize("reason", ["error", "aborted"])
def test_a_turn_that_failed_before_any_step_was_an_attempt(reason: str) -> None:
    """With a step of its own it was not: the step is the attempt."""
    built = log().turn().prompt("a").end_turn(reason).turn().prompt("b").step().end_turn(reason)
    assert [(found.turn, found.step, found.kind) for found in attempts_of(built.events())] == [
        (1, 1, "turn-end"),
        (2, 1, "step"),
    ]


@pytest.mark.parametrize("reason", ["completed", "max-tokens", "interrupted"])
def test_other_ends_are_no_attempt(reason: str) -> None:
    """A turn whose first pre-step found nothing to do ends without one."""
    assert attempts_of(log().turn().end_turn(reason).events()) == ()


@pytest.mark.parametrize(
    ("reason", "kind", "seq"),
    [
        ("blocked", "turn-end", 3),
        ("error", "turn-end", 3),
        ("aborted", "turn-end", 3),
        ("completed", "reading", 2),
        ("interrupted", "reading", 2),
    ],
)
def test_an_early_reading_marks_an_attempt_even_without_a_step(reason: str, kind: str, seq: int) -> None:
    """Its messages were logged before the turn failed, so the attempt knows them; it is one, not two."""
    built = log("early", tick_ms=10).turn().prompt("a").reading("now").end_turn(reason)
    assert attempts_of(built.events()) == (attempt(kind=kind, seq=seq, time_ms=10 * seq, entered=(1,), readings=(2,)),)


def test_an_early_reading_after_some_steps_marks_an_attempt_at_the_next() -> None:
    """Also where the end alone would mark none."""
    built = log("early").turn().step().reply("a").end_step().reading("now").end_turn("error")
    *_, last = attempts_of(built.events())
    assert last == attempt(step=2, kind="reading", seq=4, boundary_seq=3, readings=(4,))


def test_the_last_of_several_readings_marks_the_attempt() -> None:
    """Two plugins may each log one for the same step: that is one attempt, at the later."""
    built = log("early", tick_ms=10).turn().reading("one").reading("two")
    assert attempts_of(built.events()) == (attempt(kind="reading", seq=2, time_ms=20, readings=(1, 2)),)


@pytest.mark.parametrize("follows", ["nothing", "turn"])
def test_an_early_reading_at_which_the_log_stops_marks_an_attempt(follows: str) -> None:
    """Whether the log ends there or a new turn starts without the old one's end."""
    built = log("early").turn().reading("now")
    if follows == "turn":
        built.event("turn/start", {"turn": 2})
    assert attempts_of(built.events()) == (attempt(kind="reading", readings=(1,)),)


def test_messages_between_turns_enter_no_step() -> None:
    """The turn's start is a boundary too."""
    built = log("early").turn().end_turn().reading("stray").prompt("stray").turn().prompt("a").step().reply("b")
    assert attempts_of(built.events()) == (
        Attempt(turn=2, step=1, kind="step", seq=6, time_ms=0, boundary_seq=4, entered=(5,)),
    )


def test_a_step_without_a_turn_is_an_attempt() -> None:
    """The step/start names both numbers; the boundary is the start of the log."""
    built = log("early").prompt("a").reading("now").event("step/start", {"turn": 3, "step": 2})
    assert attempts_of(built.events()) == (
        attempt(turn=3, step=2, seq=2, boundary_seq=-1, entered=(0,), readings=(1,)),
    )


def test_a_second_step_start_is_a_second_attempt() -> None:
    """A log that lost a step/end still has one attempt for each step/start."""
    built = log().turn().step().prompt("a").event("step/start", {"turn": 1, "step": 2}).prompt("b").reply("c")
    assert attempts_of(built.events()) == (
        attempt(entered=(2,)),
        attempt(step=2, seq=3, boundary_seq=1, entered=(4,)),
    )


def test_a_step_end_without_a_start_is_a_boundary() -> None:
    """What stood before it enters no later step."""
    built = log("early").turn().prompt("lost").event("step/end", {"turn": 1, "step": 1}).prompt("a").step(2).reply("b")
    assert attempts_of(built.events()) == (attempt(step=2, seq=4, boundary_seq=2, entered=(3,)),)


def test_a_retry_is_no_attempt() -> None:
    """It is a further request of the same step."""
    built = log().turn().step().failure().retry().reply("a").end_turn()
    assert len(attempts_of(built.events())) == 1


def test_attempts_keep_the_order_of_the_log_when_the_clock_steps_back() -> None:
    """Their times are the log's, never sorted."""
    built = log(start_ms=1000).turn().step().reply("a").end_turn().at(400).turn().step().reply("b").end_turn()
    assert [(found.turn, found.time_ms) for found in attempts_of(built.events())] == [(1, 1000), (2, 400)]


def test_a_log_without_turns_or_steps_has_no_attempt() -> None:
    """Not even for readings that belong to nothing."""
    assert attempts_of([]) == attempts_of(log().prompt("a").reading("b").events()) == ()

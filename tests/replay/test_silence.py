"""What went before each attempt: the last word spoken, and the time between turns."""

from __future__ import annotations

from tests.builders import LogBuilder, log
from tests.replay.texts import three
from timectx.replay.silence import Silence, silences_of


def silences(built: LogBuilder) -> list[tuple[int | None, int | None, int | None]]:
    """Return what went before each attempt of a log."""
    return [(each.message_ms, each.idle_from_ms, each.idle_until_ms) for each in silences_of(built.build())]


def test_what_enters_with_an_attempt_does_not_break_its_silence() -> None:
    """On either side of the step's start; the reply, the tool's result and what was said between the steps do."""
    for layout in ("late", "early"):
        built = log(layout, tick_ms=10).turn().prompt("hi").step().reply("ok", calls=["c"]).tool("c").end_step()
        built = built.step().reply("ok").end_turn()
        times = {record["type"]: record["time"] for record in built.records()}
        assert silences(built) == [(None, None, None), (times["tool/result"], None, None)]


def test_a_reading_a_replacement_and_a_message_of_the_log_alone_are_no_words() -> None:
    """The newest message that was appended stands."""
    built = log(tick_ms=10).turn().prompt("hi").step().reply("ok", calls=["c"]).tool("c").end_step()
    said = built.now_ms - 20
    built = built.event("user/message", {"content": [], "source": {"kind": "user"}}).prune(5).compaction(2, 3)
    built = built.reading(three(1, 1, "00:00:00")).step().reply("ok").end_turn()
    assert silences(built)[1] == (said, None, None)


def test_no_turn_is_open_from_the_last_end_until_the_next_start() -> None:
    """Within the turn that follows it stays so; a turn that was never closed does not open again."""
    built = log().turn().step().reply("ok").at(100).end_turn().at(200).turn().step().reply("ok").end_step()
    built = built.at(300).step().reply("ok").end_step().event("turn/start", {"turn": 3}).at(400).step().reply("ok")
    assert [each[1:] for each in silences(built)] == [(None, None), (100, 200), (100, 200), (100, 200)]


def test_a_step_outside_any_turn_has_no_start_before_it() -> None:
    """The time between goes on."""
    built = log().turn().step().reply("ok").at(100).end_turn().at(200).step().reply("ok")
    assert silences(built)[1][1:] == (100, None)


def test_a_log_without_attempts_has_no_silence() -> None:
    """Nothing happened that could end one."""
    assert (silences_of(log().build()), Silence()) == ((), Silence(None, None, None))

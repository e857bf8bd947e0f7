"""Test the world in which a reading alone keeps no turn going."""

from __future__ import annotations

from tests.builders import LogBuilder, log
from tests.replay.texts import three
from timectx.loop import parse_script, play_script
from timectx.replay import Scenario, replay_session
from timectx.replay.empty_turns import empty_turns, without_empty_turns
from timectx.session import Session

SCRIPT = """
session: e
skip_empty: %s
time_zone: UTC
prompts: [{say: hi}, {say: never mind, after: 1m, replies: [{before: empty}]}, {say: go, after: 1m}]
"""


def billed() -> LogBuilder:
    """Write a turn with a prompt, one that only a reading opens, and one with a prompt again."""
    written = log(tick_ms=1000).turn().prompt("first").step().reading(three(1, 1, "00:00:02")).reply("one").end_turn()
    written.turn().step().reading(three(2, 1, "00:00:08", "3s")).reply("nothing was asked").end_turn()
    return written.turn().prompt("second").step().reading(three(3, 1, "00:00:14", "3s")).reply("two").end_turn()


def requests(session: Session, *, skip: bool) -> list[tuple[int, int]]:
    """Return turn and size of each step."""
    run = replay_session(session, Scenario(skip_empty=skip))
    return [(step.turn, step.surface_tokens) for step in run.steps]


def test_a_turn_that_only_a_reading_opened_is_found() -> None:
    """One with a prompt, however short, is none."""
    assert [turn.turn for turn in empty_turns(billed().build())] == [2]


def test_without_it_its_request_is_not_sent_and_its_reply_not_seen() -> None:
    """The later step is smaller by the reading and the reply of the turn that did not happen."""
    with_it, without = requests(billed().build(), skip=False), requests(billed().build(), skip=True)
    assert [turn for turn, _ in with_it] == [1, 2, 3]
    assert [turn for turn, _ in without] == [1, 3]
    assert with_it[2][1] - without[1][1] > 70


def test_a_replay_that_skips_is_what_a_loop_that_skips_did() -> None:
    """Sizes of all requests agree with those of the agent whose listener leaves such steps alone."""
    billing, skipping = (play_script(parse_script(SCRIPT % skip)) for skip in ("false", "true"))
    assert requests(billing, skip=True) == requests(skipping, skip=False) != requests(billing, skip=False)


def test_a_later_compaction_shadows_what_is_left_of_its_nodes() -> None:
    """Where it began or ended inside such a turn it is narrowed; where it held nothing else it does not happen."""
    written = billed()
    nodes = [event.seq for event in written.events() if event.type in ("user/message", "assistant/message")]
    wide = written.compaction(nodes[0], nodes[4], shadowed=nodes[:5])
    wide = wide.turn().prompt("third").step().reply("x").end_turn()
    left = without_empty_turns(wide.build())
    assert left.surface.nodes[0] == wide.build().surface.nodes[0]
    assert [node for node in nodes[:5] if node in left.surface.nodes] == []
    other = billed()
    narrow = other.compaction(nodes[3], nodes[4], shadowed=nodes[3:5]).build()
    assert without_empty_turns(narrow).surface.replace_generation == 0


def test_a_log_without_such_turns_is_left_as_it_is() -> None:
    """Nothing is copied."""
    session = log().turn().prompt("hi").step().reply("ok").end_turn().build()
    assert without_empty_turns(session) is session

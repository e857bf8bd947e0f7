"""What compaction reads from a log that is still being written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from timectx.errors import SessionError
from timectx.replay.compaction.open_log import LogView, MemoryLog
from timectx.replay.compaction.policy import Target
from timectx.replay.compaction.priced_surface import Node
from timectx.session.events import TurnData, TurnStart


def view(built: LogBuilder, **options: Any) -> LogView:
    """Return a view that has read a log."""
    found = LogView(**options)
    for event in built.events():
        found.apply(event)
    return found


def test_a_view_knows_the_open_turn_and_the_next_seq() -> None:
    """Skipped output counts for the seq."""
    built = log().turn().step().skip(5).chunk("usage")
    assert (view(built).turn, view(built).next_seq) == (1, 8)
    assert view(built.end_turn()).turn is None
    assert (view(log()).turn, view(log()).next_seq) == (None, 0)


def test_the_target_is_the_model_of_the_last_request() -> None:
    """Before there was one, the fallback."""
    assert view(log()).target == Target("", "")
    assert view(log(), fallback=Target("a", "b")).target == Target("a", "b")
    assert view(log().header()).target == Target("p", "m")


def test_a_reply_may_take_what_the_request_says() -> None:
    """None where it does not say."""
    config = {"provider": "p", "model": "m", "maxTokens": 7}
    built = log().event("request/header", {"header": {"config": config}, "reason": "initial"})
    assert (view(built).reply_tokens, view(log().header()).reply_tokens, view(log()).reply_tokens) == (7, None, None)


@pytest.mark.parametrize(
    ("types", "open_id"),
    [
        (["compaction/start"], "c"),
        (["compaction/start", "compaction/end"], None),
        (["compaction/start", "session/end-seed"], None),
        (["compaction/start", "compaction/end", "compaction/start"], "c"),
        (["compaction/end", "compaction/start"], "c"),
    ],
    ids=["begun", "ended", "taken-over", "begun-again", "an-end-before"],
)
def test_a_compaction_is_open_until_its_end_or_a_takeover(types: list[str], open_id: str | None) -> None:
    """A history that was taken over leaves no lock behind."""
    built = log().turn()
    for kind in types:
        built.event(kind, {} if kind == "session/end-seed" else {"compactionId": "c", "turn": 1})
    assert view(built).open_id == open_id


def test_the_end_of_another_compaction_closes_nothing() -> None:
    """Ids have to match."""
    built = log().turn().event("compaction/start", {"compactionId": "c", "turn": 1})
    assert view(built.event("compaction/end", {"compactionId": "d", "turn": 1})).open_id == "c"


def test_nodes_lead_back_to_their_events_and_messages() -> None:
    """A reply without content is a node and no message."""
    built = log().prompt("hello").turn().step().reply()
    found = view(built)
    assert found.nodes() == (Node(0, 10), Node(3, 0))
    assert [found.event(node).seq for node in found.nodes()] == [0, 3]
    assert [message.id for message in found.messages(found.nodes())] == ["m0"]
    with pytest.raises(SessionError) as refused:
        found.event(Node(1, 0))
    assert refused.value.kind == "no-such-node"


def test_the_surface_of_a_log_out_of_order_is_not_read() -> None:
    """It is refused for the same rule as a measurement."""
    with pytest.raises(SessionError) as refused:
        view(log().turn().event("step/end", {"turn": 1, "step": 1})).nodes()
    assert refused.value.kind == "token-meter-step-end-at-seq"


def test_a_memory_log_keeps_events_and_moves_no_clock() -> None:
    """Its time is set by hand, its ids count."""
    memory = MemoryLog(LogView(), now_ms=5)
    event = TurnStart(seq=0, time_ms=memory.now_ms, data=TurnData(turn=1))
    memory.append(event)
    assert (memory.events, memory.view.turn, memory.now_ms) == ([event], 1, 5)
    assert [memory.new_id(), memory.new_id()] == ["id-1", "id-2"]

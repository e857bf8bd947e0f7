"""The surface as priced nodes: what a message becomes, and what appending and replacing do to the sum."""

from __future__ import annotations

import pytest

from tests.builders import log
from timectx.errors import SessionError
from timectx.replay.compaction.priced_surface import Node, PricedSurface, node_of
from timectx.session.events import SURFACE_CLASSES, Message, UserMessage


def surface_of(*prices: int) -> PricedSurface:
    """Return a surface of nodes with these prices; their seqs count from 0."""
    surface = PricedSurface()
    for seq, tokens in enumerate(prices):
        surface.append(Node(seq, tokens))
    return surface


def test_messages_become_nodes_with_price_and_calls() -> None:
    """A prompt opens no call, a reply opens as many as it asks for, a result closes one."""
    built = log().turn().prompt("hello").step().reply("on it", ["a", "b"]).tool("a").tool("b")
    events = [event for event in built.events() if isinstance(event, SURFACE_CLASSES)]
    assert [node_of(event, "readme") for event in events] == [
        Node(2, 10),
        Node(3, 22, calls=2),
        Node(5, 13, calls=-1),
        Node(7, 13, calls=-1),
    ]


def test_an_empty_reply_is_a_node_of_price_0() -> None:
    """It sends nothing, so that it costs nothing, and it opens no call."""
    reply = log().turn().step().reply().events()[-1]
    assert isinstance(reply, SURFACE_CLASSES)
    assert node_of(reply, "readme") == Node(2, 0)


def test_a_counter_prices_in_place_of_the_rule() -> None:
    """Each message's text goes to the counter, and the node has what it says."""
    prompt = log("early").prompt("hello").events()[0]
    assert isinstance(prompt, SURFACE_CLASSES)
    assert node_of(prompt, "readme", lambda text: 100 + len(text)) == Node(0, 105)


def test_a_message_in_the_role_of_the_system_is_marked() -> None:
    """So that a compaction leaves it where it stands."""
    message = Message(content=({"type": "text", "text": "rules"},), source={"kind": "system-prompt"}, role="system")
    assert node_of(UserMessage(seq=4, time_ms=0, data=message), "current") == Node(4, 6, is_system=True)


def test_appending_keeps_order_and_sum() -> None:
    """Nodes stand as they came, and both ways round."""
    surface = surface_of(10, 20, 30)
    assert [node.seq for node in surface] == [0, 1, 2]
    assert [node.seq for node in reversed(surface)] == [2, 1, 0]
    assert (len(surface), surface.tokens, 1 in surface, 3 in surface) == (3, 60, True, False)


def test_a_node_is_inserted_before_those_of_later_seq_at_the_end() -> None:
    """A replacement further up, whatever its seq, keeps its place."""
    surface = surface_of(10, 20, 30, 40)
    surface.replace(0, 1, Node(9, 7))
    for seq in (6, 5, 8, 4):
        surface.insert(Node(seq, 1))
    assert [node.seq for node in surface] == [9, 2, 3, 4, 5, 6, 8]
    assert [node.seq for node in reversed(surface)] == [8, 6, 5, 4, 3, 2, 9]
    assert surface.tokens == 7 + 30 + 40 + 4


@pytest.mark.parametrize(
    ("start", "end", "left"),
    [(0, 0, [9, 1, 2, 3]), (1, 2, [0, 9, 3]), (3, 3, [0, 1, 2, 9]), (0, 3, [9])],
    ids=["first", "middle", "last", "all"],
)
def test_a_replacement_takes_the_place_of_its_range(start: int, end: int, left: list[int]) -> None:
    """The sum changes by the new node's price less those it stands for."""
    surface = surface_of(10, 20, 30, 40)
    gone = surface.replace(start, end, Node(9, 7))
    assert [node.seq for node in surface] == left
    assert [node.seq for node in reversed(surface)] == left[::-1]
    assert [node.seq for node in gone] == list(range(start, end + 1))
    assert surface.tokens == 100 + 7 - sum(node.tokens for node in gone)
    assert surface.replace_generation == 1


def test_a_replacement_can_stand_for_replacements() -> None:
    """Seqs need not rise: what counts is the place."""
    surface = surface_of(10, 20, 30, 40)
    surface.replace(0, 1, Node(8, 5))
    surface.replace(8, 2, Node(9, 6))
    assert (surface.nodes(), surface.tokens) == ((Node(9, 6), Node(3, 40)), 46)


@pytest.mark.parametrize(("start", "end"), [(7, 1), (1, 7), (2, 1)], ids=["no-start", "no-end", "backwards"])
def test_what_is_no_range_changes_nothing(start: int, end: int) -> None:
    """The error comes before anything moved."""
    surface = surface_of(10, 20, 30)
    with pytest.raises(SessionError) as refused:
        surface.replace(start, end, Node(9, 7))
    assert refused.value.kind == "token-surface-replace-at-seq-has"
    assert (surface.nodes(), surface.tokens) == (surface_of(10, 20, 30).nodes(), 60)

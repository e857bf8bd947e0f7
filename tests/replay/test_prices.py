"""The memory of what the parts of a session cost."""

from __future__ import annotations

from tests.builders import log
from timectx.replay.prices import PriceBook
from timectx.session.data import Message
from timectx.session.events import SURFACE_CLASSES


def test_each_message_is_counted_once() -> None:
    """A counter may be slow: whoever asks again gets the price it gave first."""
    asked: list[Message] = []

    def counter(message: Message) -> int:
        asked.append(message)
        return 10 * len(asked)

    nodes = [
        event
        for event in log().turn().step().prompt("a").reply("b").events()
        if isinstance(event, SURFACE_CLASSES)
    ]  # fmt: skip
    prices = PriceBook(counter)
    assert [prices.node(node) for node in (*nodes, *nodes)] == [10, 20, 10, 20]
    assert prices.counter is counter


def test_without_a_counter_the_fixed_estimate_holds() -> None:
    """For messages, headers and readings alike; no header costs nothing."""
    events = log().turn().step().prompt("abcd").events()
    nodes = [event for event in events if isinstance(event, SURFACE_CLASSES)]
    prices, header = PriceBook(), {"config": {}, "system": "abcd"}
    found = (prices.node(nodes[0]), prices.header(header), prices.header(header), prices.header(None))
    assert (*found, prices.reading("abcd"), prices.counter) == (9, 5, 5, 0, 9, None)


def test_two_headers_never_share_a_price() -> None:
    """Each header is priced by what it holds, also after another one is gone."""
    prices = PriceBook()
    found = [prices.header({"config": {}, "system": "abcd" * size}) for size in range(1, 50)]
    assert found == [size + 4 for size in range(1, 50)]

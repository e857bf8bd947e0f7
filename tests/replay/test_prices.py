"""The memory of what the parts of a session cost."""

from __future__ import annotations

from tests.builders import log
from tests.replay.texts import three
from timectx.replay.prices import CountMemory, PriceBook
from timectx.replay.reading_prices import masked
from timectx.session.events import SURFACE_CLASSES


def test_each_text_is_counted_once() -> None:
    """A counter may be slow: whoever asks again, here or through the memory, gets the price it gave first."""
    asked: list[str] = []

    def counter(text: str) -> int:
        asked.append(text)
        return 10 * len(asked)

    nodes = [
        event
        for event in log().turn().step().prompt("a").reply("b").prompt("a").events()
        if isinstance(event, SURFACE_CLASSES)
    ]  # fmt: skip
    prices, header = PriceBook(counter), {"config": {}, "system": "c"}
    assert [prices.node(node) for node in (*nodes, *nodes)] == [10, 20, 10, 10, 20, 10]
    assert [prices.header(header), prices.header(dict(header)), prices.header(None)] == [30, 30, 0]
    assert prices.memory is not None
    assert (prices.memory("b"), asked, prices.counter) == (20, ["a", "b", "c"], counter)


def test_the_memory_prices_a_reading_as_the_book_does() -> None:
    """Whether it comes as a text or as a message: once for all that differ in their digits alone."""
    asked: list[str] = []

    def counter(text: str) -> int:
        asked.append(text)
        return len(text)

    prices, texts = PriceBook(counter), [three(1, 1, f"00:00:{second}") for second in range(10, 20)]
    assert prices.memory is not None
    assert prices.readings.blind
    asked.clear()
    assert {*map(prices.reading, texts), *map(prices.memory, texts)} == {len(texts[0])}
    assert asked == [masked(texts[0])]
    assert (prices.memory(f"clock\n{{}}\n{texts[0]}"), asked[-1]) == (
        len(texts[0]) + 9,
        f"clock\n{{}}\n{masked(texts[0])}",
    )
    longer = texts[0] + "\n\n\n\nAnd more."
    assert (prices.memory(longer), asked[-1]) == (len(longer), longer)


def test_without_a_counter_the_fixed_estimate_holds() -> None:
    """For messages, headers and readings alike; no header costs nothing."""
    events = log().turn().step().prompt("abcd").events()
    nodes = [event for event in events if isinstance(event, SURFACE_CLASSES)]
    prices, header = PriceBook(), {"config": {}, "system": "abcd"}
    found = (prices.node(nodes[0]), prices.header(header), prices.header(header), prices.header(None))
    assert (*found, prices.reading("abcd"), prices.counter, prices.memory) == (9, 5, 5, 0, 9, None, None)


def test_two_headers_never_share_a_price() -> None:
    """Each header is priced by what it holds, also after another one is gone."""
    prices = PriceBook()
    found = [prices.header({"config": {}, "system": "abcd" * size}) for size in range(1, 50)]
    assert found == [size + 4 for size in range(1, 50)]


def test_texts_that_no_file_can_hold_are_counted_too() -> None:
    """A lone surrogate is a text like any other."""
    memory = CountMemory(len)
    assert (memory("a\ud800"), memory("a\ud801b")) == (2, 3)

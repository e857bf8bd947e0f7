"""The prices of readings, once per form."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from timectx.reading import Reading, format_duration, format_reading
from timectx.replay.meter import estimate_reading_tokens
from timectx.replay.reading_prices import FORM_COUNT, ReadingPrices, digit_blind, elapsed_form, masked

DAY_MS = 86_400_000


def reading(elapsed_ms: int | None, *, turn: int = 12, step: int = 3) -> Reading:
    """Return a reading of two lines."""
    return Reading(turn, step, 1_784_077_261_000, "Asia/Shanghai", elapsed_ms, None, "note")


def pairs(text: str) -> int:
    """Count like a tokenizer that knows one number of two digits as a word of its own."""
    return len(text) - text.count("37")


@given(st.integers(0, 9_999_999 * DAY_MS))
@example(0)
@example(59_999)
@example(DAY_MS)
@example(9_999_999 * DAY_MS)
def test_the_form_of_an_elapsed_time_is_how_many_digits_each_unit_has(elapsed_ms: int) -> None:
    """Two times have one form exactly when they are written alike but for their digits."""
    others = [0, 9000, 10_000, 61_000, 71_000, 600_000, 3_600_000, 36_000_000, DAY_MS, 10 * DAY_MS, 100 * DAY_MS]
    for other in others:
        alike = masked(format_duration(elapsed_ms)) == masked(format_duration(other))
        assert (elapsed_form(elapsed_ms) == elapsed_form(other)) is alike
    assert 0 < elapsed_form(elapsed_ms) < FORM_COUNT


@given(st.none() | st.integers(0, 400 * DAY_MS), st.integers(1, 999), st.integers(1, 99))
def test_the_price_by_form_is_the_price_of_the_text(elapsed_ms: int | None, turn: int, step: int) -> None:
    """Whatever the digits of turn, step, instant and elapsed time are."""
    taken = reading(elapsed_ms, turn=turn, step=step)
    form, text = elapsed_form(-1 if elapsed_ms is None else elapsed_ms), format_reading(taken)
    for prices, price in ((ReadingPrices(), estimate_reading_tokens(text)), (ReadingPrices(len), len(text))):
        assert (prices.by_form(taken)[form], prices.price(text)) == (price, price)


@pytest.mark.parametrize(
    ("counter", "blind"),
    [
        (len, True),
        (lambda text: len(text.split()), True),
        (lambda text: text.count("7"), False),
        (pairs, False),
    ],
    ids=["length", "words", "one-digit", "one-pair"],
)
def test_a_counter_is_tried_with_every_digit_and_every_pair(counter: Callable[[str], int], blind: bool) -> None:
    """One that tells two readings of one form apart is found out, even where a single pair of digits does it."""
    assert digit_blind(counter) is blind


def test_a_counter_that_sees_digits_is_asked_for_every_reading() -> None:
    """Its prices are still exact; they are just not shared."""
    prices = ReadingPrices(pairs)
    texts = [format_reading(reading(second * 1000, turn=37 + second)) for second in range(3)]
    assert (prices.blind, [prices.price(text) for text in texts]) == (False, [pairs(text) for text in texts])
    assert len(set(map(prices.price, texts))) == 2


def test_a_counter_that_sees_none_is_asked_once_a_form() -> None:
    """A hundred readings of one form cost one count, and what is known of a counter is not tried again."""
    asked: list[str] = []

    def counter(text: str) -> int:
        asked.append(text)
        return len(text)

    prices = ReadingPrices(counter, blind=True)
    forms = itertools.product(range(10, 99), (10_000, 59_000))
    found = {prices.price(format_reading(reading(ms, turn=turn))) for turn, ms in forms}
    assert (len(found), len(asked), prices.blind) == (1, 1, True)
    assert (len(prices.by_form(reading(0))), len(asked)) == (FORM_COUNT, 1 + FORM_COUNT)
    assert (prices.by_form(reading(5, turn=99)) is prices.by_form(reading(0)), len(asked)) == (True, 1 + FORM_COUNT)

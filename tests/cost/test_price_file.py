"""Hold price files to their form, and every refusal to the file and entry it is about."""

from __future__ import annotations

import pytest

from tests.cost.lists import PEAK, RULES, file_of, price
from timectx.cost.entries import Band, Hours, PriceEntry, Rates
from timectx.errors import CostError


def test_an_entry_is_read_whole() -> None:
    """Rates become whole pico-USD a token, instants epoch milliseconds; nothing is rounded."""
    text = price(
        'valid_from = 1970-01-01T00:00:01Z\nvalid_until = 1970-01-01T02:00:00+01:00\ncache = "anthropic-5m"\n'
        'minimum_tokens = 512\nderived = { write = "1.25 x input" }\nnote = "maybe"\n'
        'bands = [{ hours = "peak", input = 2, output = 4 }]',
        models='["m", "m-2"]',
        rates="input = 0.003625\ncached = 0.0028\nwrite = 3\nwrite_1h = 4\noutput = 2",
    )
    assert file_of(PEAK, text).entries == (
        PriceEntry(
            provider="p",
            models=("m", "m-2"),
            rates=Rates(input=3625, cached=2800, write=3_000_000, write_1h=4_000_000, output=2_000_000),
            bands=(
                Band(
                    rates=Rates(
                        input=2_000_000, cached=2_000_000, write=2_000_000, write_1h=2_000_000, output=4_000_000
                    ),
                    hours="peak",
                ),
            ),
            valid_from_ms=1000,
            valid_until_ms=3_600_000,
            cache="anthropic-5m",
            minimum_tokens=512,
            source="a page",
            read_on="2026-01-02",
            derived=(("write", "1.25 x input"),),
            note="maybe",
            file="my.toml",
        ),
    )


def test_a_rate_left_out_is_that_of_plain_input() -> None:
    """Reading and writing cost what plain input does; writing for an hour what writing does."""
    assert file_of(price()).entries[0].rates == Rates(
        input=1_000_000, cached=1_000_000, write=1_000_000, write_1h=1_000_000, output=2_000_000
    )
    assert file_of(price("write = 3")).entries[0].rates.write_1h == 3_000_000


def test_hours_are_read_with_their_days_off() -> None:
    """Days count from Monday, days off from the epoch."""
    assert file_of(PEAK).hours == {"peak": Hours(name="peak", days=(0, 4), spans_utc=((1, 4),), off_days=(8,))}


def test_a_cache_rule_starts_from_another() -> None:
    """A rule of one's own names what it changes."""
    rules = file_of('[[cache]]\nname = "mine"\nbase = "anthropic-5m"\nttl_ms = 1000').rules
    assert rules["mine"].ints == (0, 1024, 1000, 20, 0, 1, 0, 0, 1, 1, 1)
    assert set(rules) == {*RULES.rules, "mine"}


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("x", "toml", "my.toml: not a price list: "),
        ("[[prices]]", "entry", "my.toml: unknown table 'prices'; expected price, hours and cache"),
        ("price = 3", "entry", "my.toml: price is a list of tables, written [[price]]; got 3"),
        (price(rates="input = 1"), "entry", "my.toml: price 1 (m): object missing required field `output`"),
        (price("inpu = 1"), "entry", "my.toml: price 1 (m): object contains unknown field `inpu`"),
        (price(models='"m"'), "entry", "my.toml: price 1: expected `array`, got `str` - at `$.models`"),
        (price(rates="input = -1\noutput = 2"), "rate", "my.toml: price 1 (m): input is USD per million tokens"),
        (price("write = 0.0000001"), "rate", "my.toml: price 1 (m): write is USD per million tokens"),
        (price("write = 1e300"), "rate", "my.toml: price 1 (m): write is USD per million tokens"),
        (price("write = 1000000001"), "rate", "my.toml: price 1 (m): write is USD per million tokens"),
        (price(rates="input = nan\noutput = 2"), "rate", "my.toml: price 1 (m): input is USD per million tokens"),
        (price(rates="input = true\noutput = 2"), "entry", "my.toml: price 1 (m): expected `decimal`, got `bool`"),
        (
            price("valid_from = 2026-01-01T00:00:00"),
            "entry",
            "my.toml: price 1 (m): expected `datetime` with a timezone",
        ),
        (
            price("valid_from = 2026-01-01T00:00:00Z\nvalid_until = 2026-01-01T00:00:00Z"),
            "period",
            "my.toml: price 1 (m): valid_until comes after valid_from",
        ),
        (price('cache = "best"'), "cache", "my.toml: price 1 (m): cache is one of none, deepseek-units, "),
        (price("bands = [{ input = 1, output = 1 }]"), "bands", "my.toml: price 1 (m): each band names hours or"),
        (
            price("bands = [{ above_tokens = 1, input = 1, output = 1 }, { above_tokens = 2, input = 1, output = 1 }]"),
            "bands",
            "my.toml: price 1 (m): bands name one set of hours and one prompt size at most",
        ),
        (
            PEAK
            + price('bands = [{ above_tokens = 1, input = 1, output = 1 }, { hours = "peak", input = 1, output = 1 }]'),
            "bands",
            "my.toml: price 1 (m): with hours and prompt sizes, one band names both",
        ),
        (
            price('bands = [{ hours = "peek", input = 1, output = 1 }]'),
            "hours",
            "my.toml: price 1 (m): no [[hours]] is called 'peek'",
        ),
        (
            '[[hours]]\nname = "h"\ndays = ["mo"]\nspans_utc = [[1, 2]]',
            "entry",
            "my.toml: hours 1 (h): invalid enum value 'mo' - at `$.days[0]`",
        ),
        (
            '[[hours]]\nname = "h"\ndays = ["mon"]\nspans_utc = [[22, 2]]',
            "hours",
            "my.toml: hours 1 (h): a span ends after it starts, on the same day; got [22, 2]",
        ),
        ('[[cache]]\nname = "c"\nbase = "best"', "cache", "my.toml: cache 1 (c): base is one of none, "),
        (
            '[[cache]]\nname = "c"\nttl = 3',
            "cache",
            "my.toml: cache 1 (c): a cache rule has no 'ttl'; its keys are base, ",
        ),
        ("[[cache]]\nttl_ms = 3", "cache", "my.toml: cache 1: a cache rule needs a name; its keys are base, "),
        (
            '[[cache]]\nname = "c"\nttl_ms = -3',
            "cache",
            "my.toml: cache 1 (c): the numbers of a cache rule are 0 or more",
        ),
        (
            price() + price(models='["other", "m-latest"]'),
            "overlap",
            "my.toml: two entries of p m hold at the same time",
        ),
    ],
)
def test_a_fault_is_told_with_file_and_entry(text: str, kind: str, message: str) -> None:
    """The message starts with the place; the kind is stable."""
    with pytest.raises(CostError) as error:
        file_of(text)
    assert error.value.kind == kind
    assert str(error.value).startswith(message)


def test_periods_may_touch() -> None:
    """The end of a period is no part of it, so the next one may start there."""
    edge = "2026-01-01T00:00:00Z"
    assert len(file_of(price(f"valid_until = {edge}"), price(f"valid_from = {edge}")).entries) == 2
    with pytest.raises(CostError, match="hold at the same time"):
        file_of(price(f"valid_until = {edge}"), price("valid_from = 2025-12-31T23:59:59Z"))


def test_one_name_may_have_entries_of_several_providers() -> None:
    """A gateway's own price stands beside the maker's."""
    assert len(file_of(price(), price(provider="gateway")).entries) == 2

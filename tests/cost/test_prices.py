"""Hold look-ups to model, provider and instant, and the list that comes along to its sources."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cost.lists import PEAK, price, prices_of
from timectx.cost import prices as module
from timectx.cost.prices import PriceList, packaged_prices, packaged_prices_path, read_prices
from timectx.errors import CostError

ROOT = Path(__file__).parents[2]
SPLIT = "2026-01-01T00:00:00Z"


def at(text: str) -> int:
    """Return an instant in epoch milliseconds."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000


def dollars(provider: str, model: str, time: str, input_tokens: int = 0) -> tuple[float, ...] | None:
    """Return what the packaged list says, in USD per million: input, cached, write, write for an hour, output."""
    rates = packaged_prices().rates_at(provider, model, at(time), input_tokens)
    if rates is None:
        return None
    return tuple(getattr(rates, name) / 1e6 for name in rates.__struct_fields__)


def test_the_list_is_found_in_a_checkout_and_in_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It lies in data/, and in a wheel beside the modules."""
    assert packaged_prices_path() == ROOT / "data" / "prices.toml"
    installed = tmp_path / "prices.toml"
    installed.touch()
    monkeypatch.setattr(module, "_PLACES", (installed, ROOT / "data" / "prices.toml"))
    assert packaged_prices_path() == installed


def test_a_missing_list_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is priced by a list that is not there."""
    monkeypatch.setattr(module, "_PLACES", (tmp_path / "prices.toml",))
    with pytest.raises(CostError, match=r"prices\.toml: the price list is missing") as error:
        packaged_prices_path()
    assert error.value.kind == "no-prices"


def test_a_wheel_takes_the_list_along() -> None:
    """The build copies it to where an installed package looks."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"data/prices.toml" = "timectx/prices.toml"' in text


def test_a_request_is_priced_by_its_own_date() -> None:
    """A change of price leaves what came before as it was."""
    prices = prices_of(price(f"valid_until = {SPLIT}"), price(f"valid_from = {SPLIT}", rates="input = 3\noutput = 2"))
    edge = at("2026-01-01T00:00")
    found = [prices.rates_at("p", "m", time_ms) for time_ms in (edge - 1, edge)]
    assert [rates.input for rates in found if rates] == [1_000_000, 3_000_000]


def test_a_model_no_list_names_has_no_price() -> None:
    """Unknown is None, never 0; so is a time that no entry covers."""
    prices = prices_of(price(f"valid_until = {SPLIT}"))
    assert prices.find("p", "n", 0) is None
    assert prices.rates_at("p", "m", at("2026-01-01T00:00")) is None


def test_the_provider_decides_between_entries() -> None:
    """A gateway has its own price where a list names it; any other provider is billed as the maker."""
    prices = prices_of(price(), price(provider="local", rates="input = 0\noutput = 0"))
    found = {name: prices.rates_at(name, "m", 0) for name in ("p-official", "local", "unheard-of")}
    assert {name: rates and rates.input for name, rates in found.items()} == {
        "p-official": 1_000_000,
        "local": 0,
        "unheard-of": 1_000_000,
    }


def test_a_band_of_hours_holds_on_its_days() -> None:
    """Hours are UTC; a day off has none."""
    prices = prices_of(PEAK, price('bands = [{ hours = "peak", input = 5, output = 6 }]'))
    times = ["1970-01-02T00:59:59", "1970-01-02T01:00", "1970-01-02T04:00", "1970-01-03T01:00", "1970-01-09T01:00"]
    rates = [prices.rates_at("p", "m", at(time)) for time in times]
    assert [each.input for each in rates if each] == [1_000_000, 5_000_000, 1_000_000, 1_000_000, 1_000_000]


def test_a_band_of_sizes_starts_above_its_size() -> None:
    """The limit itself is still below."""
    prices = prices_of(price("bands = [{ above_tokens = 100, input = 5, output = 6 }]"))
    rates = [prices.rates_at("p", "m", 0, tokens) for tokens in (100, 101)]
    assert [each.input for each in rates if each] == [1_000_000, 5_000_000]


def test_the_band_with_most_conditions_wins() -> None:
    """A long prompt at peak hours pays what is listed for both."""
    bands = ", ".join(
        f"{{ {condition}, input = {rate}, output = 1 }}"
        for condition, rate in (
            ('hours = "peak"', 3),
            ('hours = "peak", above_tokens = 9', 7),
            ("above_tokens = 9", 5),
        )
    )
    prices = prices_of(PEAK, price(f"bands = [{bands}]"))
    peak, night = at("1970-01-02T01:00"), at("1970-01-02T05:00")
    found = [prices.rates_at("p", "m", time, tokens) for time in (night, peak) for tokens in (9, 10)]
    assert [rates.input // 1_000_000 for rates in found if rates] == [1, 5, 3, 7]


def test_a_list_of_ones_own_answers_first(tmp_path: Path) -> None:
    """It prices what it covers, and may name the hours and rules of the other; the rest stays as it was."""
    mine = tmp_path / "mine.toml"
    mine.write_text(
        price(f'valid_from = {SPLIT}\ncache = "mine"', models='["deepseek-v4-flash"]', provider="deepseek")
        + price('bands = [{ hours = "deepseek-peak", input = 5, output = 6 }]', models='["own"]')
        + '[[cache]]\nname = "mine"\nbase = "deepseek-units"\nttl_ms = 3600000\n',
        encoding="utf-8",
    )
    prices = read_prices(mine)
    entries = [prices.find("deepseek", "deepseek-v4-flash", at(time)) for time in ("2025-12-31", "2026-01-01")]
    assert [(entry.file, entry.cache) for entry in entries if entry] == [
        ("prices.toml", "deepseek-units"),
        (str(mine), "mine"),
    ]
    assert prices.rule_for(entries[1]).ttl_ms == 3_600_000
    assert prices.find("openai", "gpt-5.4", 0) == packaged_prices().find("openai", "gpt-5.4", 0)


def test_a_list_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The message starts with the file, and so does that of a fault in it."""
    with pytest.raises(CostError, match=r"gone\.toml: cannot read the price list: ") as error:
        read_prices(tmp_path / "gone.toml")
    assert error.value.kind == "unreadable"
    odd = tmp_path / "odd.toml"
    odd.write_bytes(b"\xff")
    with pytest.raises(CostError, match=r"odd\.toml: cannot read the price list: it is not UTF-8"):
        read_prices(odd)
    odd.write_text(price(rates="input = 1"), encoding="utf-8")
    with pytest.raises(CostError, match=re.escape(f"{odd}: price 1 (m): ")):
        read_prices(odd)


def test_the_minimum_of_a_model_goes_with_the_rules_of_its_provider() -> None:
    """What-if with the provider's other rule keeps the minimum; another provider's rule has its own."""
    prices = packaged_prices()
    entry = prices.find("anthropic", "claude-opus-4-6", 0)
    found = {name: prices.rule_for(entry, name).minimum_tokens for name in ("anthropic-1h", "openai-automatic", "none")}
    assert prices.rule_for(entry).minimum_tokens == 4096
    assert found == {"anthropic-1h": 4096, "openai-automatic": 1024, "none": 0}


def test_an_unknown_rule_is_refused_with_those_there_are() -> None:
    """A typing error in a scenario is told, not ignored."""
    with pytest.raises(CostError, match=r"a cache is one of none, deepseek-units, .*; got 'best'") as error:
        packaged_prices().rule("best")
    assert error.value.kind == "cache"


@pytest.mark.parametrize(
    ("model", "time", "usd"),
    [
        ("deepseek-chat", "2025-03-01", (0.27, 0.07, 0.27, 0.27, 1.10)),
        ("deepseek-reasoner", "2025-03-01", (0.55, 0.14, 0.55, 0.55, 2.19)),
        ("deepseek-v4-flash", "2026-08-16T15:59:59", (0.14, 0.0028, 0.14, 0.14, 0.28)),
        ("deepseek-v4-flash", "2026-08-16T16:00", (0.22, 0.007, 0.22, 0.22, 0.66)),
        ("deepseek-v4-flash", "2026-08-17T01:00", (0.44, 0.014, 0.44, 0.44, 1.32)),
        ("deepseek-v4-pro", "2026-08-16T15:59:59", (0.435, 0.003625, 0.435, 0.435, 0.87)),
        ("deepseek-v4-pro", "2026-11-02T05:00", (0.66, 0.022, 0.66, 0.66, 1.98)),
        ("deepseek-v4-pro", "2026-11-02T09:59", (1.32, 0.044, 1.32, 1.32, 3.96)),
        ("deepseek-flash", "2026-10-12T10:00", (0.15, 0.003, 0.15, 0.15, 0.60)),
        ("deepseek-flash", "2026-10-12T06:00", (0.30, 0.006, 0.30, 0.30, 1.20)),
        ("deepseek-flash", "2026-10-01T06:00", (0.15, 0.003, 0.15, 0.15, 0.60)),
        ("claude-fable-5-1", "2026-10-20", (10, 0.25, 12.50, 20, 50)),
        ("claude-mythos-5", "2026-10-20", (10, 1.00, 12.50, 20, 50)),
        ("claude-opus-5-5", "2026-10-20", (4, 0.20, 5, 8, 20)),
        ("claude-opus-5", "2026-10-20", (5, 0.50, 6.25, 10, 25)),
        ("claude-opus-4-5-20251101", "2026-01-20", (5, 0.50, 6.25, 10, 25)),
        ("claude-opus-4-1", "2025-10-20", (15, 1.50, 18.75, 30, 75)),
        ("claude-sonnet-5-5", "2026-10-06T23:59:59", (2, 0.20, 2.50, 4, 10)),
        ("claude-sonnet-5-5", "2026-10-07", (2, 0.10, 2.50, 4, 10)),
        ("claude-sonnet-5", "2026-10-07", (2, 0.20, 2.50, 4, 10)),
        ("claude-sonnet-4-5", "2025-10-07", (3, 0.30, 3.75, 6, 15)),
        ("claude-haiku-5-5", "2026-10-24", (0.10, 0.01, 0.125, 0.20, 0.50)),
        ("claude-haiku-4-5", "2026-10-24", (1, 0.10, 1.25, 2, 5)),
        ("gpt-5.4", "2026-06-04", (2.50, 0.25, 2.50, 2.50, 15)),
        ("gpt-5.4-mini", "2026-06-04", (0.75, 0.075, 0.75, 0.75, 4.50)),
        ("gpt-5.4-nano", "2026-06-04", (0.20, 0.02, 0.20, 0.20, 1.25)),
        ("gpt-5.5", "2026-06-04", (5, 0.50, 5, 5, 30)),
        ("gpt-5.6-sol", "2026-07-09", (5, 0.50, 6.25, 6.25, 30)),
        ("gpt-5.6-terra", "2026-07-29", (2.50, 0.25, 3.125, 3.125, 15)),
        ("gpt-5.6-terra", "2026-07-30", (2, 0.20, 2.50, 2.50, 12)),
        ("gpt-5.6-luna", "2026-07-29", (1, 0.10, 1.25, 1.25, 6)),
        ("gpt-5.6-luna", "2026-07-30", (0.20, 0.02, 0.25, 0.25, 1.20)),
        ("gpt-6-sol", "2026-09-22", (2, 0.20, 2.50, 2.50, 10)),
        ("gpt-6-luna", "2026-09-22", (0.10, 0.01, 0.125, 0.125, 0.50)),
        ("gpt-6.1-sol", "2026-10-26", (2, 0.10, 2.50, 2.50, 10)),
        ("gpt-6.1-terra", "2026-10-26", (1, 0.05, 1.25, 1.25, 5)),
    ],
)
def test_the_packaged_list_says_what_its_sources_say(model: str, time: str, usd: tuple[float, ...]) -> None:
    """Every row of the sources, at an instant it holds for."""
    assert dollars("", model, time) == usd


def test_long_prompts_cost_more_where_a_source_says_so() -> None:
    """The whole request is billed at the higher rates."""
    assert dollars("", "claude-haiku-5-5", "2026-10-24", 100_001) == (0.50, 0.05, 0.625, 1.00, 2.50)
    assert dollars("", "gpt-6-sol", "2026-10-24", 272_001) == (4, 0.40, 5, 5, 15)


def test_every_packaged_entry_says_where_and_when_it_was_read() -> None:
    """Each has a source, a day, a cache rule that exists and hours that exist."""
    prices = packaged_prices()
    for entry in prices.entries:
        assert entry.source
        assert re.fullmatch(r"2026-\d\d-\d\d", entry.read_on)
        assert entry.cache in prices.rules
        assert entry.hours in (None, *prices.hours)
        assert entry.describe().endswith(f"{entry.source}, read on {entry.read_on}")


def test_an_entry_is_told_in_one_line() -> None:
    """Model, period, rates, bands, cache, what was derived, source and day."""
    entry = packaged_prices().find("", "claude-opus-5-5", 0)
    assert entry is not None
    assert entry.describe() == (
        "anthropic claude-opus-5-5, USD per 1M tokens: input 4, cached 0.2, write 5, write_1h 8, output 20; "
        "cache anthropic-5m; write derived as 1.25 x input; write_1h derived as 2 x input; "
        "cached derived as 0.05 x input; platform.claude.com/docs/en/about-claude/models/whats-new-opus-5; "
        "synaps 0.10.2 for the factors, read on 2026-10-10"
    )
    flash = packaged_prices().find("", "deepseek-v4-flash", at("2026-08-20"))
    assert flash is not None
    assert flash.describe().startswith(
        "deepseek deepseek-v4-flash from 2026-08-16T16:00Z until 2026-09-10T00:00Z, USD per 1M tokens: "
        "input 0.22, cached 0.007, output 0.66; at deepseek-peak: input 0.44, cached 0.014, output 1.32; "
    )


def test_an_empty_list_prices_nothing() -> None:
    """It still knows the cache rules."""
    assert PriceList(()).find("", "m", 0) is None
    assert PriceList(()).rule("anthropic-1h").ttl_ms == 3_600_000

"""What a kernel found carries the names of a sweep's columns, in arrays, one value a scenario."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builders import log
from tests.sweep.kernel.comparing import assert_equal, plain_values
from timectx.cost.prices import PriceList, read_prices
from timectx.replay import Compaction, Scenario
from timectx.results.columns import SWEEP
from timectx.session import Session
from timectx.sweep.flat.codes import MISSING
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.lanes import pack_lanes
from timectx.sweep.kernel.running import run_columns
from timectx.sweep.replayed import replay_columns
from timectx.synthetic import synthetic_session

SESSION = synthetic_session(4, steps=25)
SCENARIOS = [Scenario(interval_ms=interval_ms) for interval_ms in (0, 60_000, 10**9)]


def test_all_measured_columns_of_a_sweep_are_there() -> None:
    """No more and no fewer, from the zone and the inherited steps on."""
    found = run_columns(columns_of(SESSION, SCENARIOS[0]), SCENARIOS, compiled=False)
    names = [column.name for column in SWEEP]
    measured = names[names.index("inherited_steps") :]
    assert set(found) == {"time_zone", *measured}
    assert {name: len(values) for name, values in found.items()} == dict.fromkeys(found, 3)


def test_scenarios_laid_out_beforehand_give_the_same() -> None:
    """For one session after the other."""
    lanes = pack_lanes(SCENARIOS)
    for seed in (1, 2):
        session = synthetic_session(seed, steps=9)
        assert_equal(
            run_columns(columns_of(session, SCENARIOS[0]), lanes, compiled=False), replay_columns(session, SCENARIOS)
        )


@pytest.mark.parametrize(
    "session",
    [
        synthetic_session(1, steps=0),
        log().turn().prompt("hi").end_turn().build(),
        log().turn().end_turn("error").build(),
        log().build(),
    ],
)
@pytest.mark.parametrize("compaction", ["recorded", "off", Compaction(context_window=100)])
def test_a_session_without_steps_has_zeros_and_no_quantiles(session: Session, compaction: Any) -> None:
    """Nothing is divided by zero."""
    scenario = Scenario(compaction=compaction)
    found = run_columns(columns_of(session, scenario), [scenario], compiled=False)
    assert_equal(found, replay_columns(session, [scenario]))
    assert (found["staleness_median_ms"][0], found["reading_ratio"][0], found["staleness_counts"]) == (
        MISSING,
        0.0,
        [b""],
    )


def test_without_a_price_there_is_no_cost_but_a_volume() -> None:
    """A request that nobody prices makes the whole cost unknown."""
    columns = columns_of(SESSION, SCENARIOS[0])
    found = run_columns(columns, SCENARIOS[:1], prices=PriceList(()), compiled=False)
    assert math.isnan(found["cost_usd"][0])
    assert found["unpriced_tokens"][0] == found["input_tokens"][0] + found["output_tokens"][0]
    assert_equal(found, replay_columns(SESSION, SCENARIOS[:1], prices=PriceList(())))


def test_integers_are_arrays_of_64_bits() -> None:
    """Missing ones have a value of their own."""
    found = run_columns(columns_of(SESSION, SCENARIOS[0]), SCENARIOS, compiled=False)
    assert {found[name].dtype for name in ("attempts", "first_compaction_step", "cached_input_tokens")} == {
        np.dtype("int64")
    }
    assert found["first_compaction_step"].tolist() == [MISSING] * 3
    assert plain_values(found)["first_compaction_step"] == [None] * 3


def test_a_scale_that_is_fitted_to_each_session_is_measured_for_each() -> None:
    """The same lanes, other prices."""
    lanes = pack_lanes([Scenario(meter="scaled")])
    for seed in (1, 2):
        session = synthetic_session(seed, steps=9)
        found = run_columns(columns_of(session, lanes.scenarios[0]), lanes, compiled=False)
        assert_equal(found, replay_columns(session, lanes.scenarios))


@pytest.mark.slow
def test_little_work_is_done_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below some amount, compiling or even loading machine code takes longer than it saves."""
    import timectx.sweep.kernel.running as running

    asked: list[bool] = []

    def note(*args: object, compiled: bool, **named: object) -> dict[str, Any]:
        asked.append(compiled)
        return {}

    monkeypatch.setattr(running, "_run", note)
    monkeypatch.setattr(running, "is_compiled", lambda: False)
    columns = columns_of(SESSION, SCENARIOS[0])
    for can_compile in (True, False):
        monkeypatch.setattr(running, "can_compile", lambda answer=can_compile: answer)
        for count in (1, 10_000):
            run_columns(columns, SCENARIOS[:1] * count)
    assert asked == [False, True, False, False]


@pytest.mark.slow
def test_a_cost_beyond_64_bits_is_added_up_all_the_same(compiled: bool, tmp_path: Path) -> None:
    """Machine code would wrap around, so it is not asked."""
    overlay = tmp_path / "prices.toml"
    overlay.write_text(
        "[[price]]\n"
        'provider = "p"\nmodels = ["deepseek-v4-flash"]\ninput = 1e6\ncached = 1e6\noutput = 1e6\ncache = "none"\n'
        'source = "here"\nread_on = 2026-01-01\n'
    )
    prices, session = read_prices(overlay), synthetic_session(1, steps=1300)
    scenario = Scenario(model="deepseek-v4-flash")
    found = run_columns(columns_of(session, scenario), [scenario], prices=prices, compiled=compiled)
    assert found["cost_usd"][0] > 2**63 / 10**12
    assert_equal(found, replay_columns(session, [scenario], prices=prices))

"""Test that sessions are summed up as if they were one."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sweep.advice.frames import CURVE, Row, recorded, row, sweep
from timectx.cost import bill_run
from timectx.errors import FrameError, TuneError
from timectx.replay import Scenario, nearest_rank, replay_session
from timectx.results import describe_columns
from timectx.results.columns import TOTALS
from timectx.results.edges import BEYOND_MS, STALENESS_EDGES_MS, edge_of, pack_counts
from timectx.sweep import sweep_sessions
from timectx.sweep.advice.totals import Totals, frame_of_totals, totals_frame
from timectx.synthetic import synthetic_session

Stale = list[int | None]
stales = st.lists(st.one_of(st.none(), st.integers(0, 10**8), st.sampled_from(STALENESS_EDGES_MS[:-1])), max_size=30)
quantiles = st.sampled_from([0.01, 0.5, 0.9, 0.95, 1])


def of(frame: pd.DataFrame, at: int = 0) -> dict[str, object]:
    """Return one row as plain values, None for what is missing."""
    return {str(name): None if pd.isna(value) else value for name, value in frame.iloc[at].items()}


def test_counts_are_added_and_ratios_are_those_of_the_sums() -> None:
    """A long session weighs more than a short one; what is longest or peak is that of one session."""
    first = row(
        60_000, [0, 9000, None], spent=10, sent=100, resent_tokens=5, unavailable_readings=1, readings=4, compactions=1,
        longest_blind_steps=1, longest_blind_ms=900, peak_surface_tokens=80, peak_pressure_tokens=95, output_tokens=7,
        cached_input_tokens=60, written_input_tokens=30, uncached_input_tokens=10, cost_usd=0.25, unpriced_tokens=0,
        blind_before_first_steps=1, zone_mismatch_steps=2, compaction_input_tokens=40, compaction_output_tokens=3,
    )  # fmt: skip
    second = row(
        60_000, [100_000], spent=0, sent=900, session="s-2", readings=0, longest_blind_steps=0, longest_blind_ms=5,
        peak_surface_tokens=90, cost_usd=0.5, unpriced_tokens=0,
    )  # fmt: skip
    expected = Totals(
        scenario="1m",
        interval_ms=60_000,
        sessions=2,
        attempts=4,
        steps=4,
        requests=4,
        readings=4,
        reading_tokens=10,
        resent_tokens=5,
        input_tokens=1000,
        reading_ratio=0.015,
        spent_ratio=0.015,
        staleness_median_ms=9000,
        staleness_p95_ms=100_000,
        staleness_max_ms=100_000,
        staleness_ms=0,
        blind_steps=1,
        blind_ratio=0.25,
        blind_before_first_steps=1,
        longest_blind_steps=1,
        longest_blind_ms=900,
        unavailable_readings=1,
        unavailable_ratio=0.25,
        zone_mismatch_steps=2,
        compactions=1,
        compaction_input_tokens=40,
        compaction_output_tokens=3,
        peak_surface_tokens=90,
        peak_pressure_tokens=95,
        cached_input_tokens=60,
        written_input_tokens=30,
        uncached_input_tokens=10,
        output_tokens=7,
        cost_usd=0.75,
    )
    found = totals_frame(sweep(first, second), quantile=0.3)
    assert of(found) == of(frame_of_totals([expected]))


def test_rows_stand_by_delivery_policy_and_interval_then_what_was_recorded() -> None:
    """Whatever order the sweep has."""
    tool = row(0, scenario="0, tool", delivery="tool")
    turn = row(60_000, scenario="turn", policy="turn")
    found = totals_frame(sweep(recorded(), tool, turn, row(60_000), row(10_000)))
    assert found["scenario"].tolist() == ["10s", "1m", "turn", "0, tool", "as-recorded"]


def test_columns_and_types_never_depend_on_the_rows() -> None:
    """An empty sweep gives the same columns, and each says what it is."""
    for frame in (sweep(*CURVE), sweep(*CURVE).iloc[:0], sweep(recorded())):
        found = totals_frame(frame)
        assert {str(name): str(dtype) for name, dtype in found.dtypes.items()} == {
            column.name: column.dtype for column in TOTALS
        }
    assert (describe_columns(found)["description"] != "").all()


def test_a_sweep_and_its_totals_explain_their_columns() -> None:
    """Both are tables that describe_columns knows, read back from a file or not."""
    swept = sweep_sessions([synthetic_session(1, steps=3)], [Scenario()])
    for frame in (swept, totals_frame(swept), swept.rename_axis(None).copy().drop(columns="path")):
        described = describe_columns(frame)
        assert described.loc[described["description"] == "", "name"].tolist() == []


def test_a_quantile_out_of_range_is_refused() -> None:
    """Zero of the steps have no staleness."""
    with pytest.raises(TuneError, match=r"a quantile is above 0 and at most 1; got 0"):
        totals_frame(sweep(*CURVE), quantile=0)


@given(st.lists(stales, min_size=1, max_size=6), quantiles)
def test_quantiles_are_those_of_all_steps_rounded_up(sessions: list[Stale], quantile: float) -> None:
    """The quantile of several sessions is that of their steps together, at its edge."""
    frame = sweep(*(row(0, stale, session=f"s-{at}") for at, stale in enumerate(sessions)))
    seen = [each for stale in sessions for each in stale if each is not None]
    found = of(totals_frame(frame, quantile))
    exact = [nearest_rank(seen, each) for each in (0.5, 0.95, quantile)]
    expected = [None if each is None else edge_of(each) for each in exact]
    names = ("staleness_median_ms", "staleness_p95_ms", "staleness_ms")
    assert [found[name] for name in names] == [max(seen) if each == BEYOND_MS else each for each in expected]
    assert found["staleness_max_ms"] == max(seen, default=None)


@given(st.lists(stales, min_size=1, max_size=6), quantiles)
def test_without_counts_a_quantile_is_never_too_low(sessions: list[Stale], quantile: float) -> None:
    """It is the highest that the rows' own quantiles allow: one session's own are exact."""
    frame = sweep(*(row(0, stale, session=f"s-{at}") for at, stale in enumerate(sessions)))
    bounded, exact = (
        of(totals_frame(frame.drop(columns="staleness_counts"), quantile)),
        of(totals_frame(frame, quantile)),
    )
    assert (bounded["staleness_ms"] is None) == (exact["staleness_ms"] is None)
    if exact["staleness_ms"] is not None:
        assert bounded["staleness_ms"] >= exact["staleness_ms"]
        if len(sessions) == 1 and quantile in (0.5, 0.95, 1):
            assert bounded["staleness_ms"] == exact["staleness_ms"]


def test_rows_without_counts_are_bounded_by_their_own_quantiles() -> None:
    """Half of a session lies at most at its median, 95 % at its 95th percentile, all at its maximum."""
    one = row(0, [0] * 10 + [60_000] * 9 + [600_000], session="a")
    two = row(0, [0] * 40, session="b")
    frame = sweep(one, two).drop(columns="staleness_counts")
    expected = {0.8: 0, 0.84: 60_000, 0.98: 60_000, 0.99: 600_000}
    assert {each: of(totals_frame(frame, each))["staleness_ms"] for each in expected} == expected


@pytest.mark.parametrize("cell", [None, float("nan"), "b'\\x00'", 7])
def test_a_cell_that_holds_no_counts_is_one_without(cell: object) -> None:
    """Rows with and without counts go together."""
    one, two = row(0, [5000] * 20, session="a"), row(0, [0] * 20, session="b", staleness_counts=cell)
    assert of(totals_frame(sweep(one, two)))["staleness_ms"] == 5000


@pytest.mark.parametrize("packed", [b"12345", pack_counts({401: 1}), pack_counts({65_535: 1})])
def test_damaged_counts_are_refused(packed: bytes) -> None:
    """Bytes that are no counts are no staleness either."""
    with pytest.raises(FrameError, match=r"holds bytes that are no counts"):
        totals_frame(sweep(row(0, staleness_counts=packed)))


def tool_row(requests: int, sent: int, **cells: object) -> Row:
    """Return a row of a delivery that sends requests of its own."""
    return row(
        0, [0], spent=70, sent=sent, **{"scenario": "0, tool", "delivery": "tool", "requests": requests, **cells}
    )


def test_requests_of_its_own_are_part_of_what_a_delivery_spends() -> None:
    """Beyond its readings it pays for what it sends beside them, whatever else was tried."""
    lone = tool_row(2, 21_070, extra_tokens=11_000)
    for frame in (sweep(lone), sweep(row(0, [0], spent=300, sent=10_300, extra_tokens=0), lone)):
        found = totals_frame(frame).iloc[-1]
        assert (found["extra_tokens"], found["spent_ratio"], found["reading_ratio"]) == (
            11_000,
            11_070 / 21_070,
            70 / 21_070,
        )


def test_a_frame_that_does_not_say_what_is_sent_beside_readings_counts_none() -> None:
    """Nothing is guessed from other rows."""
    frame = sweep(row(0, [0], spent=300, sent=10_300), tool_row(2, 21_070))
    assert totals_frame(frame)["extra_tokens"].tolist() == [0, 0]


def test_costs_cover_the_sessions_with_a_price_under_every_scenario() -> None:
    """Sums of the same sessions can be compared; a session that sent nothing needs no price."""
    nothing = {"requests": 0, "cost_usd": float("nan"), "unpriced_tokens": 0}
    rows = [
        row(0, session="a", cost_usd=1.0),
        row(1, session="a", cost_usd=2.0),
        row(0, session="b", cost_usd=4.0),
        row(1, session="b"),
        row(0, [], sent=0, session="c", **nothing),
        row(1, [], sent=0, session="c", **nothing),
    ]
    found = totals_frame(sweep(*rows))
    assert (found["cost_usd"].tolist(), found["unpriced_sessions"].tolist()) == ([1.0, 2.0], [1, 1])
    alone = totals_frame(sweep(*rows[2:]))
    assert (alone["cost_usd"].isna().all(), alone["unpriced_sessions"].tolist()) == (True, [1, 1])


def test_totals_are_those_of_replays_of_each_session() -> None:
    """Sums over a sweep are sums over runs, quantiles those of all their steps."""
    sessions = [synthetic_session(seed, steps=40) for seed in (3, 5, 8)]
    scenario = Scenario(interval_ms=60_000, time_zone="UTC")
    runs = [replay_session(each, scenario) for each in sessions]
    found = of(totals_frame(sweep_sessions(sessions, [scenario]), quantile=0.9))
    for name in ("attempts", "steps", "requests", "readings", "reading_tokens", "resent_tokens", "input_tokens"):
        assert found[name] == sum(getattr(run.measures, name) for run in runs)
    stale = [step.staleness_ms for run in runs for step in run.steps if step.staleness_ms is not None]
    assert found["staleness_ms"] == edge_of(nearest_rank(stale, 0.9) or 0)
    assert found["blind_steps"] == sum(step.staleness_ms is None for run in runs for step in run.steps)
    bills = [bill_run(run) for run in runs]
    assert found["cached_input_tokens"] == sum(bill.cached_input_tokens for bill in bills)
    assert found["cost_usd"] == pytest.approx(sum((bill.cost_usd or 0.0) for bill in bills), rel=1e-12)

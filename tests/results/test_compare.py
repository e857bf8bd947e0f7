"""Test the comparison of two runs."""

from __future__ import annotations

import pandas as pd
from msgspec.structs import asdict, replace

from tests.results.runs import MEASURES, READING, STEP, run
from timectx import Scenario, compare_runs, describe_columns, replay_session, synthetic_session
from timectx.cost import PriceList, bill_run
from timectx.results.columns import COMPARISON
from timectx.results.columns import MEASURES as COLUMNS
from timectx.results.compare import compare_measures, own_readings, parting_step

BILLED = [
    "cached_input_tokens", "written_input_tokens", "uncached_input_tokens", "output_tokens", "cost_usd",
    "unpriced_tokens",
]  # fmt: skip


def test_every_measure_has_its_row_with_difference_and_ratio() -> None:
    """Rows follow the measures; what only one run has, what reads otherwise and the first other step come last."""
    fewer = replace(MEASURES, readings=0, unavailable_readings=0, staleness_median_ms=None, input_tokens=355)
    rows = {row[0]: row[1:6] for row in compare_measures(run(), run(measures=fewer, readings=()))}
    assert list(rows) == [*asdict(MEASURES), *BILLED, "own_readings", "reworded_readings", "parting_step"]
    assert rows["readings"] == ("count", 1, 0, -1, 0.0)
    assert rows["input_tokens"] == ("tokens", 710, 355, -355, 0.5)
    assert rows["staleness_median_ms"] == ("ms", 0, None, None, None)
    assert rows["blind_steps"] == ("count", 0, 0, 0, None)
    assert rows["own_readings"] == ("count", 1, 0, -1, 0.0)
    assert rows["parting_step"] == ("number", 1, 1, 0, 1.0)
    meanings = {column.name: column.description for column in COLUMNS}
    assert [row[6] for row in compare_measures(run(), run()) if row[0] in meanings] == [
        meanings[name] for name in asdict(MEASURES)
    ]


def test_the_frame_holds_the_rows_with_declared_types() -> None:
    """compare_runs is compare_measures as a frame whose columns explain themselves."""
    other = run(readings=(), interval_ms=0)
    frame = compare_runs(run(), other)
    assert {str(name): str(dtype) for name, dtype in frame.dtypes.items()} == {
        column.name: column.dtype for column in COMPARISON
    }
    values = [
        tuple(None if pd.isna(cell) else cell for cell in row) for row in frame.itertuples(index=False, name=None)
    ]
    assert values == list(compare_measures(run(), other))
    assert describe_columns(frame)["description"].tolist() == [column.description for column in COMPARISON]


def test_a_run_beside_itself_differs_in_nothing() -> None:
    """No difference, no reading of its own, no step that parts."""
    frame = compare_runs(run(), run()).set_index("measure")
    assert set(frame["difference"].dropna()) == {0.0}
    assert frame.loc[["own_readings", "reworded_readings"], "a"].tolist() == [0.0, 0.0]
    assert pd.isna(frame.loc["parting_step", "a"])


def test_a_reading_is_the_same_at_the_same_place_and_instant() -> None:
    """Another text is another wording, another instant another reading; two at one place count twice."""
    later = replace(READING, now_ms=2000)
    reworded = replace(READING, text="Time otherwise sampled")
    a, b = run(readings=(READING, READING, later)), run(readings=(reworded, replace(READING, step=2)))
    assert own_readings(a, b) == ((READING, later), (replace(READING, step=2),))
    rows = {row[0]: row[2:4] for row in compare_measures(a, b)}
    assert (rows["own_readings"], rows["reworded_readings"]) == ((2, 1), (1, 1))


def test_runs_part_at_the_first_step_that_differs_in_size_word_or_number() -> None:
    """A wording is a difference as much as a decision, and so is the end of the shorter run."""
    second = replace(STEP, step=2)
    whole = run(steps=(STEP, second))
    assert parting_step(whole, run(steps=(STEP, replace(second, surface_tokens=1)))) == 2
    assert parting_step(whole, run(steps=(STEP,))) == 2
    assert parting_step(whole, run(steps=(STEP, second), readings=(replace(READING, text="x"),))) == 1
    assert parting_step(whole, run(steps=(STEP, second))) is None


def test_replays_of_one_session_part_where_the_first_reading_is_left_out() -> None:
    """Up to there the two runs are step by step the same."""
    session = synthetic_session(3, steps=30)
    often, seldom = (replay_session(session, Scenario(interval_ms=ms)) for ms in (0, 60_000))
    number = parting_step(often, seldom)
    assert number is not None
    assert often.steps[: number - 1] == seldom.steps[: number - 1]
    assert (often.steps[number - 1].added, seldom.steps[number - 1].added) == (True, False)
    own, none = own_readings(often, seldom)
    assert (len(own), none) == (len(often.readings) - len(seldom.readings), ())


def test_each_bill_is_made_by_the_same_prices() -> None:
    """Parts of the bill stand among the measures; a list of one's own takes the place of the package's."""
    session = synthetic_session(3, steps=30)
    runs = [replay_session(session, Scenario(interval_ms=ms, model="deepseek/deepseek-v4-flash")) for ms in (0, 60_000)]
    bills = [bill_run(each) for each in runs]
    frame = compare_runs(*runs).set_index("measure")
    assert frame.loc["uncached_input_tokens", ["a", "b"]].tolist() == [each.uncached_input_tokens for each in bills]
    assert frame.loc["cost_usd", "ratio"] == bills[1].cost_usd / bills[0].cost_usd
    unpriced = compare_runs(*runs, prices=PriceList(())).set_index("measure")
    assert unpriced.loc["cost_usd", ["a", "b", "ratio"]].isna().all()
    assert unpriced.loc["unpriced_tokens", "a"] == runs[0].measures.input_tokens + bills[0].output_tokens

"""Test the frames that runs turn into, and what they say about themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd
import pytest
from msgspec import Struct
from msgspec.structs import fields, replace
from pandas import DataFrame

from tests.results.runs import COMPACTION, READING, run
from timectx.replay.run import Measures, Run, RunAttempt, RunCompaction, RunReading, RunRequest, RunStep
from timectx.results.columns import TABLES
from timectx.results.frames import (
    attempts_frame,
    compactions_frame,
    describe_columns,
    measures_frame,
    readings_frame,
    requests_frame,
    steps_frame,
)

Maker = Callable[[Run | Iterable[Run]], DataFrame]
MAKERS: dict[str, Maker] = {
    "steps": steps_frame,
    "readings": readings_frame,
    "attempts": attempts_frame,
    "compactions": compactions_frame,
    "requests": requests_frame,
    "measures": measures_frame,
}
ROWS: dict[str, type[Struct]] = {
    "steps": RunStep,
    "readings": RunReading,
    "attempts": RunAttempt,
    "compactions": RunCompaction,
    "requests": RunRequest,
}
each_table = pytest.mark.parametrize("table", MAKERS)


def records(frame: DataFrame) -> list[dict[str, object]]:
    """Return the rows of a frame as plain values, with None for every missing one."""
    return [
        {str(name): None if pd.isna(value) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def test_a_step_gives_a_row_with_what_the_model_saw() -> None:
    """Both steps of a run appear in order, the derived column blind included."""
    head = {"session": "s-1", "interval_ms": 60_000, "turn": 1}
    sizes = {"visible_readings": 1, "reading_tokens": 71, "surface_tokens": 171, "header_tokens": 50}
    flags = {"blind": False, "before_first": False, "zone_mismatch": False}
    assert records(steps_frame(run())) == [
        {
            **head,
            **sizes,
            **flags,
            "step": 1,
            "now_ms": 1000,
            "added": True,
            "age_ms": None,
            "staleness_ms": 0,
            "requests": 1,
            "input_tokens": 221,
        },
        {
            **head,
            **sizes,
            **flags,
            "step": 2,
            "now_ms": 6000,
            "added": False,
            "age_ms": 4996,
            "staleness_ms": 5000,
            "requests": 2,
            "input_tokens": 442,
        },
    ]


def test_a_step_without_staleness_is_blind() -> None:
    """A missing staleness and blind say the same."""
    made = run()
    frame = steps_frame(run(steps=(replace(made.steps[0], staleness_ms=None), made.steps[1])))
    assert list(zip(frame["blind"], frame["staleness_ms"].isna(), strict=True)) == [(True, True), (False, False)]


def test_a_reading_gives_a_row_with_what_it_costs() -> None:
    """The resent tokens are the price times the later requests."""
    two_lines = replace(READING, browser=None, elapsed_ms=61_000, recorded_seq=None, resent_requests=0)
    head = {"session": "s-1", "interval_ms": 60_000, "turn": 1, "step": 1, "now_ms": 1000, "time_ms": 1004}
    same = {"zone": "UTC", "text": "Time sampled", "price_tokens": 71}
    resent = {"resent_requests": 2, "resent_tokens": 142}
    unsent = {"resent_requests": 0, "resent_tokens": 0}
    assert records(readings_frame(run(readings=(READING, two_lines)))) == [
        {**head, **same, **resent, "browser": "missing", "elapsed_ms": None, "recorded_seq": 7},
        {**head, **same, **unsent, "browser": None, "elapsed_ms": 61_000, "recorded_seq": None},
    ]


def test_an_attempt_gives_a_row_with_its_decision() -> None:
    """Suppressed attempts are rows too."""
    head = {"session": "s-1", "interval_ms": 60_000, "turn": 1, "kind": "step", "error": None}
    assert records(attempts_frame(run())) == [
        {**head, "step": 1, "now_ms": 1000, "age_ms": None, "decision": "added"},
        {**head, "step": 2, "now_ms": 6000, "age_ms": 4996, "decision": "suppressed"},
    ]


def test_a_compaction_gives_a_row_with_what_it_hid() -> None:
    """A compaction by hand has no turn."""
    in_turn = replace(COMPACTION, turn=3)
    row = {
        "session": "s-1",
        "interval_ms": 60_000,
        "seq": 40,
        "time_ms": 9000,
        "shadowed_nodes": 12,
        "shadowed_readings": 1,
        "checkpoint_tokens": 300,
        "before_tokens": 5000,
        "after_tokens": 900,
        "summary_input_tokens": None,
        "summary_output_tokens": None,
        "provider": "",
        "model": "",
    }
    assert records(compactions_frame(run(compactions=(COMPACTION, in_turn)))) == [
        {**row, "turn": None},
        {**row, "turn": 3},
    ]


def test_a_request_gives_a_row_with_what_stayed_of_its_prompt() -> None:
    """The first and one sent again, in the order of sending."""
    row = {
        "session": "s-1",
        "interval_ms": 60_000,
        "turn": 1,
        "step": 1,
        "time_ms": 1000,
        "kind": "step",
        "input_tokens": 221,
        "stable_tokens": 0,
        "nodes": 2,
        "reply_tokens": 9,
        "output_tokens": 9,
        "provider": "p",
        "model": "m",
        "header_tokens": 50,
        "line_tokens": 0,
    }
    again = {**row, "step": 2, "time_ms": 6000}
    assert records(requests_frame(run())) == [row, again, {**again, "kind": "retry"}]


def test_a_run_gives_a_row_with_its_scenario_and_measures() -> None:
    """Each run of several is one row, in the order given."""
    quick = run("s-2", interval_ms=0, measures=replace(run().measures, staleness_median_ms=None, readings=2))
    rows = records(measures_frame([run(), quick]))
    scenario = {
        "edition": "readme",
        "policy": "interval",
        "delivery": "appended",
        "time_zone": "UTC",
        "meter": "estimate",
        "zone_database": "2026.2",
    }
    numbers = {field.name: getattr(run().measures, field.name) for field in fields(Measures)}
    assert rows == [
        {"session": "s-1", "interval_ms": 60_000, **scenario, **numbers},
        {"session": "s-2", "interval_ms": 0, **scenario, **numbers, "staleness_median_ms": None, "readings": 2},
    ]


def test_a_zone_that_changed_is_shown_as_all_its_zones() -> None:
    """A scenario with spans of zones names each of them once, in order."""
    made = run()
    spans = ((0, "UTC"), (9, "Asia/Tokyo"), (20, "UTC"))
    frame = measures_frame(run(scenario=made.scenario.replace(time_zone=spans)))
    assert frame["time_zone"].tolist() == ["UTC, Asia/Tokyo"]


@each_table
def test_one_run_and_a_list_of_it_give_the_same_frame(table: str) -> None:
    """A run need not be wrapped, and a generator will do."""
    alone = MAKERS[table](run())
    pd.testing.assert_frame_equal(MAKERS[table](each for each in [run()]), alone)


@each_table
@pytest.mark.parametrize("made", ["nothing", "an empty run", "a full run"])
def test_columns_and_types_never_depend_on_the_rows(table: str, made: str) -> None:
    """Empty input gives an empty frame of the same shape, and full input the declared types."""
    empty_run = run(steps=(), readings=(), attempts=(), compactions=(), requests=())
    given: dict[str, list[Run]] = {"nothing": [], "an empty run": [empty_run], "a full run": [run()]}
    frame = MAKERS[table](given[made])
    assert {str(name): str(dtype) for name, dtype in frame.dtypes.items()} == {
        column.name: column.dtype for column in TABLES[table]
    }
    assert list(frame.columns[:2]) == ["session", "interval_ms"]
    assert len(frame) == {"nothing": 0, "an empty run": table == "measures"}.get(made, len(MAKERS[table](run())))


@pytest.mark.parametrize("table", ROWS)
def test_every_field_of_a_row_has_its_column(table: str) -> None:
    """A field that a run gains is missing from no frame."""
    names = {column.name for column in TABLES[table]}
    assert {field.name for field in fields(ROWS[table])} - names == set()
    assert {field.name for field in fields(Measures)} - {column.name for column in TABLES["measures"]} == set()


@each_table
def test_every_column_says_what_it_is(table: str) -> None:
    """Names are unique, suffixes agree with units, and each column has its sentence."""
    columns = TABLES[table]
    suffixes = {"tokens": "_tokens", "ratio": "_ratio", "ms": "_ms", "epoch ms": "_ms"}
    assert len({column.name for column in columns}) == len(columns)
    assert [column.name for column in columns if not column.name.endswith(suffixes.get(column.unit, ""))] == []
    assert [column.name for column in columns if not column.description] == []


@each_table
def test_described_columns_are_those_of_the_frame(table: str) -> None:
    """describe_columns gives name, unit, dtype and description of each column in order."""
    described = describe_columns(MAKERS[table](run()))
    assert list(described.columns) == ["name", "unit", "dtype", "description"]
    assert list(described.itertuples(index=False, name=None)) == [
        (column.name, column.unit, column.dtype, column.description) for column in TABLES[table]
    ]


def test_a_selection_is_described_by_the_table_it_came_from() -> None:
    """The same name means what it means there: reading_tokens of steps is not that of runs."""
    steps = steps_frame(run())
    selected = steps[steps["added"]][["session", "reading_tokens"]]
    meanings = {column.name: column.description for column in TABLES["steps"]}
    assert describe_columns(selected)["description"].tolist() == [meanings["session"], meanings["reading_tokens"]]


def test_a_frame_that_lost_its_origin_is_described_by_the_table_that_knows_most() -> None:
    """Without attrs the names decide, and a name nobody knows stays without meaning."""
    frame = DataFrame({"turn": [1], "decision": ["added"], "mine": [2.5]})
    assert list(describe_columns(frame).itertuples(index=False, name=None)) == [
        ("turn", "number", "int64", "turn, from 1"),
        (
            "decision",
            "",
            "str",
            "added, suppressed (not due), ineligible (nothing could be added) or failed (zone refused)",
        ),
        ("mine", "", "float64", ""),
    ]


def test_describing_leaves_the_frame_alone() -> None:
    """Neither cells nor attrs of the argument change."""
    frame = steps_frame(run())
    before = (frame.copy(), dict(frame.attrs))
    describe_columns(frame)
    pd.testing.assert_frame_equal(frame, before[0])
    assert frame.attrs == before[1]

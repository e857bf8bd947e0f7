"""A sweep gives one row for each session and scenario, whatever state the sessions are in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import msgspec
import pandas
import pytest

from tests.sweep.logs import SCENARIOS, content, kinds, write_empty, write_fork, write_logs
from timectx.cost import PriceList, bill_run
from timectx.errors import CostError, ScenarioError, WorkerError
from timectx.formats import read_session, write_session
from timectx.reading import zone_database_release
from timectx.replay import Scenario, explain_recorded, replay_session
from timectx.replay.deliveries import CLOCK_TOOL_TOKENS
from timectx.results.columns import SWEEP
from timectx.results.edges import edge_of, quantile_edge, unpack_counts
from timectx.session import SessionHeader, is_reading_event
from timectx.sweep import source, sweep_sessions
from timectx.synthetic import synthetic_session


def test_a_row_holds_what_a_replay_measures(tmp_path: Path) -> None:
    """Every measure of every run is a cell, beside the scenario it was measured under."""
    (path,) = write_logs(tmp_path, 1)
    frame = sweep_sessions(path, SCENARIOS)
    for (_, row), scenario in zip(frame.iterrows(), SCENARIOS, strict=True):
        run = replay_session(read_session(path), scenario)
        measures = msgspec.structs.asdict(run.measures)
        assert {name: row[name] if pandas.notna(row[name]) else None for name in measures} == measures
        said = row[["session", "path", "interval_ms", "policy", "delivery", "edition", "time_zone", "compaction"]]
        assert said.tolist() == [
            "s0", str(path), scenario.interval_ms, "interval", "appended", "readme", run.scenario.time_zone, "recorded"
        ]  # fmt: skip


def test_rows_follow_the_order_of_sessions_and_then_of_scenarios(tmp_path: Path) -> None:
    """What is given first comes first, also where its name sorts later."""
    paths = write_logs(tmp_path, 3)
    frame = sweep_sessions([paths[2], paths[0], paths[1]], SCENARIOS[::-1])
    assert frame["session"].tolist() == ["s2"] * 3 + ["s0"] * 3 + ["s1"] * 3
    assert frame["scenario"].tolist() == ["10m", "1m", "0"] * 3


def test_the_columns_are_the_same_without_any_row() -> None:
    """No session gives the same columns with the same types, and so does no scenario."""
    some = sweep_sessions(synthetic_session(1, steps=2), SCENARIOS)
    for none in (sweep_sessions([], SCENARIOS), sweep_sessions(synthetic_session(1, steps=2), [])):
        assert len(none) == 0
        assert none.dtypes.astype(str).to_dict() == some.dtypes.astype(str).to_dict()
    assert some.dtypes.astype(str).to_dict() == {column.name: column.dtype for column in SWEEP}


def test_staleness_is_counted_in_bins(tmp_path: Path) -> None:
    """The counts of a row give its quantiles, rounded up to an edge."""
    frame = sweep_sessions(write_logs(tmp_path, 2, steps=30), SCENARIOS)
    for _, row in frame.iterrows():
        counts = unpack_counts(row["staleness_counts"])
        assert sum(counts.values()) == row["steps"] - row["blind_steps"]
        assert quantile_edge(counts, 0.95) == edge_of(row["staleness_p95_ms"])


def test_sessions_in_memory_and_files_may_be_mixed(tmp_path: Path) -> None:
    """A session needs no file; one that was read remembers its own."""
    first, second = write_logs(tmp_path, 2)
    memory = synthetic_session(9, steps=4, session_id="m")
    frame = sweep_sessions([read_session(second), memory, first], SCENARIOS[:1])
    assert frame["session"].tolist() == ["s1", "m", "s0"]
    assert [None if path != path else path for path in frame["path"]] == [str(second), None, str(first)]


def test_a_scenario_counts_once() -> None:
    """Repeats are left out, as a table shows each setting once."""
    frame = sweep_sessions(synthetic_session(1, steps=2), [*SCENARIOS, SCENARIOS[0], "as-recorded", "as-recorded"])
    assert frame["scenario"].tolist() == ["0", "1m", "10m", "as-recorded"]


def test_as_recorded_is_whatever_explains_each_session(tmp_path: Path) -> None:
    """Each session has its own setting in that row, with the explanation beside the table."""
    sessions = [
        replace(synthetic_session(seed, steps=30, interval_ms=ms, session_id=f"s{seed}"), path=None)
        for seed, ms in ((1, 0), (2, 300_000), (3, 0))
    ]
    frame = sweep_sessions(sessions, ["as-recorded", *SCENARIOS[:2]])
    recorded = frame[frame["scenario"] == "as-recorded"]
    explained = [explain_recorded(each) for each in sessions]
    assert recorded["interval_ms"].tolist() == [each.scenario.interval_ms for each in explained]
    assert recorded["readings"].tolist() == [sum(map(is_reading_event, each.events)) for each in sessions]
    assert frame.attrs["as_recorded"] == [
        {"session": f"s{seed}", "path": None, "scenario": each.scenario.to_toml(), "explanation": str(each)}
        for seed, each in zip((1, 2, 3), explained, strict=True)
    ]


def test_what_was_recorded_can_be_measured_as_the_others_are() -> None:
    """Knobs given for it hold in place of the explaining scenario's, and the rest stays as explained."""
    session = synthetic_session(1, steps=9)
    knobs = {"counter": "cjk", "compaction": "off", "model": "deepseek/deepseek-v4-flash"}
    frame = sweep_sessions(session, ["as-recorded"], recorded=knobs)
    scenario = explain_recorded(session).scenario.replace(**knobs)
    run = replay_session(session, scenario)
    assert frame["input_tokens"].tolist() == [run.measures.input_tokens]
    assert frame["cost_usd"].tolist() == [bill_run(run).cost_usd]
    assert frame[["scenario", "compaction", "model"]].iloc[0].tolist() == ["as-recorded", "off", knobs["model"]]
    assert frame.attrs["as_recorded"][0]["scenario"] == scenario.to_toml()


def test_a_session_without_readings_has_no_row_as_recorded() -> None:
    """It says nothing about the setting in force."""
    bare = synthetic_session(1, steps=5, readings=False)
    frame = sweep_sessions(bare, ["as-recorded", Scenario()])
    assert (frame["scenario"].tolist(), frame.attrs["as_recorded"]) == (["0"], [])


def test_empty_sessions_have_rows_of_zeros(tmp_path: Path) -> None:
    """A session without attempts is listed, and nothing is divided by zero."""
    frame = sweep_sessions([write_empty(tmp_path), *write_logs(tmp_path, 1)], SCENARIOS)
    empty = frame[frame["session"] == "empty"]
    assert empty["interval_ms"].tolist() == [0, 60_000, 600_000]
    numbers = empty.select_dtypes("number").drop(columns="interval_ms")
    assert (numbers.fillna(0) == 0).all(axis=None)
    assert empty["staleness_median_ms"].isna().all()
    assert empty["staleness_counts"].tolist() == [b""] * 3


def test_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    """What cannot be read is named with its kind, and the others are measured."""
    good = write_logs(tmp_path, 1)[0]
    (tmp_path / "none.jsonl").write_bytes(b"")
    (tmp_path / "pi.jsonl").write_bytes(b'{"type":"session","timestamp":"2026-01-01T00:00:00Z"}\n')
    frame = sweep_sessions([tmp_path, tmp_path / "gone.jsonl", ""], SCENARIOS)
    assert frame["session"].unique().tolist() == ["s0"]
    assert frame["path"].unique().tolist() == [str(good)]
    assert kinds(frame) == [
        ("none.jsonl", "empty-or-header-less-session-log", True),
        ("pi.jsonl", "unsupported-format", True),
        ("gone.jsonl", "no-such-file", True),
        ("", "no-such-file", True),
    ]


def test_what_is_odd_about_a_file_is_said_beside_its_rows(tmp_path: Path) -> None:
    """A file that could be used all the same is not refused."""
    (path,) = write_logs(tmp_path, 1)
    path.write_bytes(path.read_bytes() + b"no json\n")
    frame = sweep_sessions(path, SCENARIOS)
    assert len(frame) == 3
    assert [(each["line"], each["refused"]) for each in frame.attrs["problems"]] == [
        (problem.line, False) for problem in read_session(path).problems
    ]


def test_a_function_that_raises_costs_one_session(tmp_path: Path) -> None:
    """Whatever a counter of one's own raises is said of the file it was raised for."""

    def count(text: object) -> int:
        raise RuntimeError("no tokenizer")

    (path,) = write_logs(tmp_path, 1)
    frame = sweep_sessions([path, *write_logs(tmp_path / "other", 1)], Scenario(counter=count))
    assert len(frame) == 0
    assert "no tokenizer" in frame.attrs["problems"][0]["message"]
    assert [each["refused"] for each in frame.attrs["problems"]] == [True, True]


def test_two_sessions_of_one_id_are_numbered(tmp_path: Path) -> None:
    """They are told apart in the order given."""
    one, two = (
        write_session(synthetic_session(seed, steps=4, session_id="x"), tmp_path / f"{seed}.jsonl") for seed in (1, 2)
    )
    frame = sweep_sessions([two, one], SCENARIOS[:1])
    assert frame[["session", "path"]].to_numpy().tolist() == [["x", str(two)], ["x#2", str(one)]]
    taken = synthetic_session(3, steps=4, session_id="x#2")
    assert sweep_sessions([taken, two, one], SCENARIOS[0])["session"].tolist() == ["x#2", "x", "x#3"]


def test_a_copy_is_left_out_and_named(tmp_path: Path) -> None:
    """The same history under another name, plain or compressed, counts once."""
    (path,) = write_logs(tmp_path, 1)
    copy = write_session(read_session(path, check=True), tmp_path / "copy.jsonl.zstd")
    frame = sweep_sessions([path, copy], SCENARIOS)
    assert frame["path"].unique().tolist() == [str(path)]
    assert kinds(frame) == [("copy.jsonl.zstd", "copy", False)]
    assert frame.attrs["problems"][0]["message"] == f"a copy of {path}; the session counts once"


def test_what_a_session_took_over_counts_where_it_happened(tmp_path: Path) -> None:
    """Where the parent is given too, parent and own part add up to the whole."""
    parent, child = write_fork(tmp_path)
    both, alone = (sweep_sessions(paths, SCENARIOS) for paths in ([child, parent], [child]))
    sums = ["attempts", "steps", "requests", "readings", "reading_tokens", "input_tokens", "blind_steps"]
    for name in sums:
        assert both.groupby("interval_ms")[name].sum().tolist() == alone[name].tolist()
    assert both["inherited_steps"].tolist() == [int(both["steps"].iloc[3])] * 3 + [0] * 3
    assert alone["inherited_steps"].tolist() == [0] * 3
    taken_over = sweep_sessions(parent, SCENARIOS)
    own = both[both["session"] == "child"].reset_index(drop=True)
    assert (own["resent_tokens"] + taken_over["resent_tokens"]).tolist() == alone["resent_tokens"].tolist()


def test_a_parent_that_cannot_be_read_counts_for_nobody(tmp_path: Path) -> None:
    """Then the child is the only one left to count what they share."""
    parent, child = write_fork(tmp_path)
    alone = sweep_sessions(child, SCENARIOS)
    parent.write_bytes(parent.read_bytes().split(b"\n")[0].replace(b'"version":0', b'"version":9') + b"\n")
    both = sweep_sessions([parent, child], SCENARIOS)
    assert content(both)[0] == content(alone)[0]


def test_a_filter_tells_by_facts_which_sessions_count(tmp_path: Path) -> None:
    """What it leaves out is counted, and is no parent of the others."""
    parent, child = write_fork(tmp_path)
    frame = sweep_sessions([parent, child], SCENARIOS, keep=lambda facts: facts.header.id != "parent")
    assert content(frame)[0] == content(sweep_sessions(child, SCENARIOS))[0]
    assert (frame.attrs["filtered"], frame.attrs["problems"]) == (1, [])


@pytest.mark.parametrize("ids", ["ab", "ba", "abc", "cab", "xab", "axb"])
def test_of_sessions_that_name_each_other_as_parents_the_first_counts_whole(ids: str) -> None:
    """Somewhere their history has to count; what goes on from the ring is no part of it."""
    ring = sorted(set(ids) - {"x"})
    parents = {**dict(zip(ring, ring[1:] + ring[:1], strict=True)), "x": "a"}
    headers = [SessionHeader(id=each, parent_session=parents[each], seed_length=40) for each in ids]
    sessions = [replace(synthetic_session(3, steps=8), header=header) for header in headers]
    frame = sweep_sessions(sessions, SCENARIOS[:1], cache=False)
    first = next(each for each in ids if each != "x")
    assert [name for name, steps in zip(frame["session"], frame["inherited_steps"], strict=True) if not steps] == [
        first
    ]


def test_without_the_session_between_a_grandparent_is_not_looked_for() -> None:
    """Only the parent that a header names takes anything over."""
    whole = synthetic_session(3, steps=8)
    given = [SessionHeader(id="a"), SessionHeader(id="c", parent_session="b", seed_length=40)]
    frame = sweep_sessions([replace(whole, header=header) for header in given], SCENARIOS[:1], cache=False)
    assert frame["inherited_steps"].tolist() == [0, 0]


def test_a_part_taken_over_that_is_longer_than_the_log_is_named() -> None:
    """Nothing is left to count beside the parent, which is not kept quiet."""
    whole = synthetic_session(3, steps=4)
    length = whole.events[-1].seq + 1 if whole.tail is None else whole.tail[0] + 1
    for more, told in ((0, []), (1, ["inherited"])):
        header = SessionHeader(id="child", parent_session="parent", seed_length=length + more)
        pair = [replace(whole, header=SessionHeader(id="parent")), replace(whole, header=header)]
        frame = sweep_sessions(pair, SCENARIOS[:1], cache=False)
        assert [each["kind"] for each in frame.attrs["problems"]] == told
        assert frame["steps"].tolist() == [4, 0]


def test_a_session_that_names_itself_as_parent_counts_whole() -> None:
    """Its history is its own."""
    session = replace(synthetic_session(3, steps=4), header=SessionHeader(id="s", parent_session="s", seed_length=10))
    assert sweep_sessions(session, SCENARIOS)["inherited_steps"].tolist() == [0] * 3


def test_progress_is_told_in_sessions(tmp_path: Path) -> None:
    """A function hears of the beginning and of each batch."""
    told: list[tuple[int, int]] = []
    sweep_sessions(write_logs(tmp_path, 3), SCENARIOS, progress=lambda *now: told.append(now), batch_bytes=1)
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_bar_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output stays as it is."""
    sweep_sessions(write_logs(tmp_path, 2), SCENARIOS, progress=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert "2/2" in said.err


def test_a_frame_says_what_made_it(tmp_path: Path) -> None:
    """Versions are those that numbers depend on; no clock and no duration is among them."""
    frame = sweep_sessions(write_logs(tmp_path, 1), SCENARIOS)
    assert frame.attrs["timectx_table"] == "sweep"
    assert frame.attrs["versions"]["zone_database"] == zone_database_release()
    assert sorted(frame.attrs) == ["as_recorded", "filtered", "problems", "timectx_table", "versions"]


@pytest.mark.parametrize("wrong", ["recorded", 600_000, None, [Scenario(), "10m"]])
def test_what_is_no_scenario_is_refused(wrong: object) -> None:
    """Nothing is read before that."""
    with pytest.raises(ScenarioError, match="expected scenarios"):
        sweep_sessions("missing.jsonl", wrong)  # type: ignore[arg-type]


def test_what_is_no_executor_is_refused() -> None:
    """A number of workers is none."""
    with pytest.raises(WorkerError, match="submit method") as caught:
        sweep_sessions([], SCENARIOS, executor=4)  # type: ignore[arg-type]
    assert caught.value.kind == "executor"


def test_a_row_holds_the_bill_of_its_run(tmp_path: Path) -> None:
    """What is billed in full, from the cache and for writing to it is all input there is."""
    (path,) = write_logs(tmp_path, 1)
    asked = [Scenario(model="claude-opus-4-5", cache=rule) for rule in ("anthropic-5m", "none")]
    frame = sweep_sessions(path, [*asked, Scenario(model="nobody/nothing")])
    for (_, row), scenario in zip(frame.iterrows(), asked, strict=False):
        bill = bill_run(replay_session(read_session(path), scenario))
        assert row["cost_usd"] == bill.cost_usd
        parts = ["cached_input_tokens", "written_input_tokens", "uncached_input_tokens"]
        assert row[parts].tolist() == [getattr(bill, name) for name in parts]
        assert row[parts].sum() == row["input_tokens"]
    assert pandas.isna(frame["cost_usd"].iloc[2])
    assert frame["unpriced_tokens"].iloc[2] == frame["input_tokens"].iloc[2] + frame["output_tokens"].iloc[2]
    assert frame["model"].tolist() == ["claude-opus-4-5", "claude-opus-4-5", "nobody/nothing"]
    assert frame["cache"].iloc[:2].tolist() == ["anthropic-5m", "none"]


def test_prices_of_ones_own_may_be_given(tmp_path: Path) -> None:
    """They take the place of those that come along."""
    (path,) = write_logs(tmp_path, 1)
    frame = sweep_sessions(path, Scenario(), prices=PriceList([]))
    assert frame["unpriced_tokens"].tolist() == (frame["input_tokens"] + frame["output_tokens"]).tolist()


def test_a_cache_rule_that_does_not_exist_is_refused_at_once() -> None:
    """Rather than once for each session."""
    with pytest.raises(CostError) as caught:
        sweep_sessions("missing.jsonl", Scenario(cache="nobody's"))
    assert caught.value.kind == "cache"


def test_what_was_recorded_can_be_counted_by_a_function_of_ones_own() -> None:
    """No text holds that, so the scenario beside the table is the one that explains the log."""
    session = synthetic_session(1, steps=10)
    frame = sweep_sessions(session, ["as-recorded", Scenario(counter=len)], recorded={"counter": len})
    assert frame["input_tokens"].iloc[0] == frame["input_tokens"].iloc[1]
    assert frame.attrs["as_recorded"][0]["scenario"] == explain_recorded(session).scenario.to_toml()


def test_the_second_sweep_reads_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for other intervals nor for what was recorded, and its frame is the same."""
    folder, kept = tmp_path / "sessions", tmp_path / "kept"
    write_fork(folder)
    write_logs(folder, 2)
    for path in folder.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    asked = [*SCENARIOS, "as-recorded"]
    first = sweep_sessions(folder, [*asked, Scenario(edition="note")], cache=kept)

    def refuse(path: str) -> None:
        raise AssertionError(f"{path} is read")

    monkeypatch.setattr(source, "read_session", refuse)
    second = sweep_sessions(folder, [*asked, Scenario(edition="note")], cache=kept)
    assert content(second) == content(first)
    assert len(sweep_sessions(folder, Scenario(interval_ms=5000), cache=kept)) == 4
    unkept = sweep_sessions(folder, SCENARIOS, cache=False)
    assert [problem["kind"] for problem in unkept.attrs["problems"]] == ["not-measured"] * 4


def test_a_lone_surrogate_costs_no_row() -> None:
    """Ids and models of any text have their rows, with what no column can hold as escapes, and stay apart."""
    ids = ("plain", "lone\ud800", "lone\\ud800")
    sessions = [synthetic_session(1, steps=3, session_id=each) for each in ids]
    frame = sweep_sessions(sessions, [Scenario(model="m\udfff")], cache=False)
    assert frame["session"].tolist() == ["plain", "lone\\ud800", "lone\\ud800#2"]
    assert set(frame["model"]) == {"m\\udfff"}


def test_what_a_clock_tool_sends_counts_without_any_other_setting_beside_it() -> None:
    """Its own requests, without the readings in them, and its schema in all others; an appended reading sends none."""
    session = synthetic_session(2, steps=12)
    tool, appended = Scenario(delivery="tool"), Scenario()
    run = replay_session(session, tool)
    shown = {id(each): 0 for each in run.requests}
    for at, each in enumerate(run.requests):
        earlier = [reading for reading in run.readings if (reading.turn, reading.step) < (each.turn, each.step)]
        shown[id(each)] = sum(reading.price_tokens for reading in earlier) if each.kind == "tool" else 0
        assert at == 0 or each.time_ms >= run.requests[at - 1].time_ms
    assert not run.compactions
    own = sum(each.input_tokens - shown[id(each)] for each in run.requests if each.kind == "tool")
    schema = CLOCK_TOOL_TOKENS * sum(each.kind != "tool" for each in run.requests)
    assert sweep_sessions([session], [tool], cache=False)["extra_tokens"].tolist() == [own + schema]
    assert sweep_sessions([session], [appended], cache=False)["extra_tokens"].tolist() == [0]

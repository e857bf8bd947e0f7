"""Test the comparison of refresh intervals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from msgspec import to_builtins

from tests.cli.logs import START_MS, STEPS_MS, Log, one_turn, run, run_json
from timectx import sweep_sessions
from timectx.cli.scenarios import scenario_document
from timectx.formats import read_session, write_session
from timectx.replay import Scenario, explain_recorded, replay_session
from timectx.results.columns import SWEEP
from timectx.sweep import totals_frame, tune
from timectx.synthetic import sample_paths, synthetic_session

WORDS = """\
2 sessions, 8 steps, 8 requests; edition readme, zone from the log, tokens by the fixed estimate

                                  tokens   tokens     share of   staleness   staleness   blind   \
longest       cost
            interval   readings    added   resent   all tokens      median        95 %   steps     \
blind        USD
───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                   0          8      546      828       48.8 %          0s          0s       0      \
  0s   unpriced
                  1m          6      412      560       40.3 %          0s         30s       0      \
  0s   unpriced
                 10m          2      142      426       28.3 %         30s      3m 20s       0      \
  0s   unpriced
as recorded (1 of 2)          4      273      414       48.8 %          0s          0s       0      \
  0s   unpriced

staleness: time since the newest reading the model sees, 0 where it just got one; blind steps see none
cost: all requests at the prices of their models, with what the provider's cache saves
front: what no other beats in both spending and staleness: 0, 1m, 10m

Recommended: 1m
  At 1m readings take 40.3 % of all tokens (972 of 2,412), and 95 % of the steps see one at most 30s old.
  The next fresher setting, 0: 48.8 % of all tokens; 402 tokens more (+41 %); staleness at 95 % 0s, \
30s less (-100 %).
  The next cheaper setting, 10m: 28.3 % of all tokens; 404 tokens less (-42 %); staleness at 95 % \
3m 20s, 2m 50s more (+567 %).
  Rule: of the settings that no other beats in both, the one where share of tokens and staleness, \
each scaled to its range here (at least 1 % and one minute), have the smallest sum.
  With the 2 sessions drawn again 200 times, 100.0 % of the choices are the same, and nine of ten \
have this interval.
  As recorded, 1 session (1 with interval 0, edition readme): 48.8 % of all tokens (687 of 1,407), \
and 95 % of the steps see one at most 0s old.
  Over the same sessions the recommendation takes 40.3 % of all tokens (486 of 1,206), and 95 % of \
the steps see one at most 30s old: 201 tokens less (-29 %).

To set it, in the configuration of the time-context plugin:

config:
  refreshIntervalMs: 60000  # 1m
"""
SCENARIOS = {"0": Scenario(interval_ms=0), "1m": Scenario(interval_ms=60_000), "10m": Scenario(interval_ms=600_000)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two sessions, the second with a reading at every attempt."""
    one_turn("a").write(tmp_path / "a.jsonl")
    one_turn("b", interval_ms=0).write(tmp_path / "b.jsonl")
    return tmp_path


def test_the_table_the_recommendation_and_the_setting_of_today_are_shown(folder: Path) -> None:
    """One table over all sessions, the choice with its reasons, what the logs' own setting costs, a snippet."""
    result = run("tune", folder, "--interval", "0,1m,10m")
    assert (result.exit_code, result.stderr, result.stdout) == (0, "", WORDS)


@pytest.mark.parametrize("options", [(), ("--json",), ("--csv", "-")], ids=["table", "json", "csv"])
def test_output_is_the_same_every_time_and_from_every_number_of_processes(
    folder: Path, options: tuple[str, ...]
) -> None:
    """Without a cache, with one, and from two processes: the same bytes."""
    printed = [run("tune", folder, *options, *more).stdout for more in ((), ("--no-cache",), (), ("--jobs", "2"))]
    assert len(set(printed)) == 1


def test_the_json_holds_no_path_and_nothing_of_its_run(folder: Path) -> None:
    """Sessions go by their ids, files by their place; neither folder nor file is named."""
    (folder / "c.jsonl").write_text("no session\n", encoding="utf-8")
    missing = folder / "missing.jsonl"
    printed = run("tune", folder, folder / "copy.jsonl", missing, "--json").stdout
    one_turn("a").write(folder / "copy.jsonl", tail=b"{")
    again = run("tune", folder, missing, "--json").stdout
    for text in (printed, again):
        assert str(folder) not in text
        assert [name for name in ("a.jsonl", "b.jsonl", "c.jsonl", "copy.jsonl", "missing.jsonl") if name in text] == []


def test_rows_hold_the_measures_of_each_session_under_each_interval(folder: Path) -> None:
    """Session by session, interval by interval, and then what was recorded: rows are what replay_session gives."""
    rows = run_json("tune", folder, "--interval", "1m,0,1m")["rows"]
    expected = []
    for name in ("a", "b"):
        session = read_session(folder / f"{name}.jsonl")
        tried = {label: SCENARIOS[label] for label in ("0", "1m")}
        if name == "b":
            tried["as-recorded"] = explain_recorded(session).scenario
        for label, scenario in tried.items():
            replayed = replay_session(session, scenario)
            head = {"session": name, "scenario": label, "interval_ms": scenario.interval_ms, "time_zone": "UTC"}
            expected.append({**head, "zone_database": replayed.zone_database, **to_builtins(replayed.measures)})
    assert [{key: row[key] for key in told} for row, told in zip(rows, expected, strict=True)] == expected
    columns = [column.name for column in SWEEP if column.name not in ("path", "staleness_counts")]
    assert {tuple(row) for row in rows} == {tuple(columns)}


def test_totals_and_recommendation_are_those_of_the_library(folder: Path) -> None:
    """The command adds nothing to what totals_frame and tune say of the sweep."""
    found = run_json("tune", folder, "--interval", "0,1m,10m")
    frame = sweep_sessions([folder / "a.jsonl", folder / "b.jsonl"], [*SCENARIOS.values(), "as-recorded"])
    totals = totals_frame(frame)
    best = tune(frame)
    assert [(each["scenario"], each["input_tokens"]) for each in found["totals"]] == list(
        zip(totals["scenario"][:3].tolist(), totals["input_tokens"][:3].tolist(), strict=True)
    )
    assert found["recommendation"] == {**best.to_dict(), "snippet": best.snippet()}
    assert (found["refusal"], found["problems"], found["filter"]) == (None, [], None)
    assert found["scenarios"] == [
        {"scenario": label, **scenario_document(scenario)} for label, scenario in SCENARIOS.items()
    ]
    assert found["versions"] == frame.attrs["versions"]


def test_what_the_logs_were_recorded_with_stands_beside_the_recommendation(folder: Path) -> None:
    """Only sessions with readings take part, in both of the totals compared."""
    found = run_json("tune", folder, "--interval", "10m")["as_recorded"]
    alone = run_json("tune", folder / "b.jsonl", "--interval", "10m")
    explained = explain_recorded(read_session(folder / "b.jsonl"))
    assert found["sessions"] == [
        {"session": "b", "explanation": str(explained), "scenario": scenario_document(explained.scenario)}
    ]
    assert found["settings"] == [{"policy": "interval", "interval_ms": 0, "edition": "readme", "sessions": 1}]
    assert found["totals"] == alone["as_recorded"]["totals"]
    assert found["recommended"] == alone["totals"][0]
    assert found["totals"]["readings"] == 4


def test_without_recorded_readings_there_is_no_setting_of_today(tmp_path: Path) -> None:
    """The JSON says null, the text says nothing."""
    path = one_turn().write(tmp_path / "a.jsonl")
    assert run_json("tune", path)["as_recorded"] is None
    assert "s recorded" not in run("tune", path).stdout


def test_the_usual_intervals_run_from_every_attempt_to_four_hours(folder: Path) -> None:
    """Without --interval eleven are tried, the last well beyond an afternoon."""
    totals = run_json("tune", folder)["totals"]
    assert [each["interval_ms"] // 1000 for each in totals] == [
        0, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400,
    ]  # fmt: skip


def test_a_bad_file_costs_only_itself(folder: Path) -> None:
    """One line on standard error names it; the others are compared, and the status is 1."""
    (folder / "c.jsonl").write_text("no session\n", encoding="utf-8")
    missing = folder / "missing.jsonl"
    result = run("tune", folder, missing, "--interval", "0,1m,10m")
    assert (result.exit_code, result.stdout) == (1, WORDS)
    places = [line.partition(": ")[0] for line in result.stderr.splitlines()]
    assert places == [f"{folder / 'c.jsonl'}:1", f"{missing}"]
    found = run_json("tune", folder, missing, status=1, silent=False)
    kept = ("input", "session", "line", "refused")
    assert [tuple(each[name] for name in kept) for each in found["problems"]] == [
        (3, None, 1, True),
        (4, None, 0, True),
    ]
    assert found["problems"][1]["message"] == "no such file; expected a session log"
    assert {row["session"] for row in found["rows"]} == {"a", "b"}


def test_nothing_to_compare_is_said_in_one_line(tmp_path: Path) -> None:
    """A folder without sessions gives no table of zeros."""
    result = run("tune", tmp_path)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "no session to compare\n", 1)
    found = run_json("tune", tmp_path, status=1, silent=False)
    assert (found["recommendation"], found["refusal"]["kind"], found["rows"]) == (None, "empty", [])


def test_a_session_without_steps_gets_no_recommendation(tmp_path: Path) -> None:
    """Nothing was sent, so nothing can be saved; the session is listed all the same."""
    log = Log()
    log.add("turn/start", START_MS, {"turn": 1})
    path = log.write(tmp_path / "a.jsonl")
    result = run("tune", path)
    assert result.exit_code == 0
    assert result.stdout.startswith("1 session, 0 steps, 0 requests; ")
    assert "\nNo recommendation: no step of these sessions sees a reading" in result.stdout
    found = run_json("tune", path, "--interval", "0")
    assert [(row["session"], row["steps"], row["reading_ratio"]) for row in found["rows"]] == [("s-1", 0, 0.0)]
    assert found["refusal"]["kind"] == "no-reading"


def test_a_session_without_steps_among_others_is_counted_apart(folder: Path) -> None:
    """It neither helps nor hurts, and is named as what it is."""
    log = Log("empty")
    log.write(folder / "c.jsonl")
    result = run("tune", folder, "--interval", "0,1m,10m")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "  Without any step: 1 session.\n" in result.stdout
    assert {row["session"] for row in run_json("tune", folder)["rows"]} == {"a", "b", "empty"}


def test_an_oddity_inside_a_file_is_named_and_no_failure(tmp_path: Path) -> None:
    """A torn last line is what a running session looks like: one line on standard error, status 0."""
    path = one_turn().write(tmp_path / "a.jsonl", tail=b'{"type":"turn/st')
    result = run("tune", path)
    (problem,) = run_json("tune", path, silent=False)["problems"]
    assert result.exit_code == 0
    assert result.stderr == f"{path}:{problem['line']}: {problem['message']}\n"
    assert (problem["line"], problem["session"], problem["refused"]) == (len(one_turn().records) + 1, "s-1", False)


@pytest.mark.parametrize("order", [("parent", "child"), ("child", "parent")])
def test_what_a_fork_took_over_counts_once(tmp_path: Path, order: tuple[str, str]) -> None:
    """With both files given, in either order, the inherited steps belong to the parent."""
    parent = one_turn("parent")
    child = one_turn("child", parentSession="parent", seedLength=len(parent.records) - 1)
    for log, name in ((parent, "parent"), (child, "child")):
        log.write(tmp_path / f"{name}.jsonl")
    paths = [tmp_path / f"{name}.jsonl" for name in order]
    both, alone = (run_json("tune", *given, "--interval", "0,1m") for given in (paths, [tmp_path / "child.jsonl"]))
    counts = [{key: each[key] for key in ("steps", "readings", "input_tokens")} for each in both["totals"]]
    assert counts == [{key: each[key] for key in counts[0]} for each in alone["totals"]]
    assert [row["session"] for row in both["rows"]] == [name for name in order for _ in range(2)]
    own = {"parent": (4, 0), "child": (0, 4)}
    assert [(row["steps"], row["inherited_steps"]) for row in both["rows"]] == [
        own[name] for name in order for _ in range(2)
    ]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.zstd"])
def test_a_copy_of_a_session_counts_once(folder: Path, ending: str) -> None:
    """The same events under the same id are one session, in whatever file; standard error names the copy."""
    original, copy = folder / "a.jsonl", folder / "copies" / f"a{ending}"
    copy.parent.mkdir()
    content = original.read_bytes()
    copy.write_bytes(content if ending == ".jsonl" else zstandard.compress(content))
    alone = run_json("tune", folder / "a.jsonl", folder / "b.jsonl")
    both = run_json("tune", original, folder / "b.jsonl", copy, silent=False)
    problem = {"input": 3, "session": None, "line": 0, "kind": "copy", "refused": False}
    assert both == {
        **alone,
        "problems": [{**problem, "message": "a copy of input 1; the session counts once"}],
    }
    result = run("tune", original, copy)
    expected = f"{copy} is a copy of {original}; the session counts once\n"
    assert (result.exit_code, result.stderr, result.stdout) == (0, expected, run("tune", original).stdout)


def test_sessions_of_one_id_with_other_events_are_no_copies(tmp_path: Path) -> None:
    """As many events at the same times do not make two sessions one; the second gets a number."""
    paths = [one_turn(prompt="p" * size).write(tmp_path / f"{size}.jsonl") for size in (40, 80)]
    found = run_json("tune", *paths, "--interval", "0")
    assert found["totals"][0]["steps"] == 8
    assert [row["session"] for row in found["rows"]] == ["s-1", "s-1#2"]


def test_a_file_counts_once_however_its_path_is_spelt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every command that takes several paths."""
    monkeypatch.chdir(folder)
    spelt = ("a.jsonl", "./a.jsonl", folder / "a.jsonl")
    assert [len(run_json("tune", *spelt, "--interval", "0")["rows"]), len(run_json("inspect", *spelt))] == [1, 1]
    assert run_json("check", *spelt)["files"] == 1


def test_intervals_given_twice_are_joined(folder: Path) -> None:
    """The option adds to what was given before it."""
    totals = run_json("tune", folder, "--interval", "1m,0", "--interval", "10m", "--interval", "0")["totals"]
    assert [each["interval_ms"] for each in totals] == [0, 60_000, 600_000]


def test_a_file_named_twice_counts_once(folder: Path) -> None:
    """The folder and a file in it are two ways to the same session."""
    assert run_json("tune", folder, folder / "a.jsonl")["totals"] == run_json("tune", folder)["totals"]


def test_samples_stand_for_the_sessions_that_come_along() -> None:
    """samples: is all of them, samples:NAME one."""
    names = list(sample_paths())
    rows = run_json("tune", "samples:", "--interval", "1h")["rows"]
    assert [row["session"] for row in rows if row["scenario"] == "1h"] == names
    (alone, _) = run_json("tune", f"samples:{names[0]}", "--interval", "1h")["rows"]
    assert alone["session"] == names[0]


def test_a_sample_that_does_not_exist_is_answered_with_those_that_do(folder: Path) -> None:
    """The line lists the names, and the other paths are still compared."""
    result = run("tune", "samples:nope", folder, "--interval", "0,1m,10m")
    known = ", ".join(sample_paths())
    assert (result.exit_code, result.stdout) == (1, WORDS)
    assert result.stderr == f"samples:nope: no sample is named 'nope'; expected one of {known}\n"


def test_control_characters_and_markup_from_files_are_printed_as_text(tmp_path: Path) -> None:
    """A path cannot clear the screen, and square brackets mean nothing."""
    folder = tmp_path / "[red]\x1b[2J\u202e"
    path = one_turn("[bold]x\x07").write(folder / "a.jsonl", tail=b"{")
    for command in (("tune",), ("tune", "--csv", "-"), ("inspect",), ("replay", "--interval", "0")):
        output = run(*command, path).output
        assert "[red]\\x1b[2J\\u202e" in output
        assert [char for char in output if char in "\x1b\x07\u202e"] == []
    (row, *_) = run_json("tune", path, silent=False)["rows"]
    assert row["session"] == "[bold]x\x07"


def test_the_price_is_named_as_an_estimate_even_for_text_that_it_undercounts(tmp_path: Path) -> None:
    """A hundred Chinese characters cost 25 by the fixed rule; the output says which rule it was."""
    short = run_json("tune", one_turn(prompt="").write(tmp_path / "a.jsonl"), "--interval", "10m")["rows"]
    long = run_json("tune", one_turn(prompt="汉" * 100).write(tmp_path / "b.jsonl"), "--interval", "10m")["rows"]
    assert long[0]["input_tokens"] - short[0]["input_tokens"] == len(STEPS_MS) * 25
    assert short[0]["meter"] == "estimate"
    assert "tokens by the fixed estimate\n" in run("tune", tmp_path / "b.jsonl").stdout


def in_a_process(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, **environment},
    )


def test_a_plus_after_a_cost_is_explained_where_there_is_one(folder: Path, tmp_path: Path) -> None:
    """It stands where some sessions have a price and others have none."""
    legend = "+ after a cost: some sessions have no price, and theirs would come on top\n"
    unpriced = run("tune", folder).stdout
    priced = write_session(synthetic_session(1, steps=4), tmp_path / "priced.jsonl")
    shown = [unpriced, run("tune", priced).stdout, run("tune", folder).stdout]
    assert [(" +\n" in each, legend in each) for each in shown] == [(False, False), (False, False), (True, True)]


def test_the_module_runs_as_a_program(folder: Path) -> None:
    """``python -m timectx`` is the command, silent on standard error where there is no terminal."""
    code = "import runpy, sys; sys.argv[0] = 'timectx'; runpy.run_module('timectx', run_name='__main__')"
    done = in_a_process(code, "tune", str(folder), "--interval", "0,1m,10m", PYTHONIOENCODING="utf-8")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", WORDS)


def test_output_survives_an_encoding_without_its_characters(folder: Path) -> None:
    """In plain ASCII rules become dashes and foreign paths escapes; nothing fails."""
    code = "from timectx.cli import main; main()"
    one_turn("é").write(folder / "日.jsonl", tail=b"{")
    done = in_a_process(code, "tune", str(folder), PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout.isascii(), done.stderr.isascii()) == (0, True, True)
    assert "\\u65e5.jsonl" in done.stderr


def test_real_logs_give_the_worked_figures(transcripts: Path) -> None:
    """A real session of 21 steps: readings, tokens, shares and staleness under three intervals."""
    path = transcripts / "dsh-v0" / "live-mode-switching.unpacked.jsonl"
    rows = run_json("tune", path, "--interval", "0,1m,10m", "--zone", "UTC")["rows"][:3]
    keys = ("steps", "readings", "reading_tokens", "resent_tokens", "staleness_median_ms", "staleness_p95_ms")
    assert [tuple(row[key] for key in keys) for row in rows] == [
        (21, 21, 1427, 14_306, 0, 0),
        (21, 3, 209, 2386, 19_357, 53_839),
        (21, 1, 71, 1420, 70_996, 142_175),
    ]
    assert [round(100 * row["reading_ratio"], 1) for row in rows] == [28.4, 6.1, 3.6]
    assert [row["blind_steps"] for row in rows] == [0, 0, 0]


def test_a_folder_of_real_logs_is_compared(transcripts: Path) -> None:
    """Every file takes part, and nothing is wrong with any."""
    files = sorted((transcripts / "dsh-v0").glob("*.jsonl*"))
    result = run("tune", transcripts / "dsh-v0")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{len(files)} sessions, ")

"""Test the comparison of refresh intervals."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from msgspec import to_builtins
from pandas import DataFrame

from tests.cli.logs import START_MS, STEPS_MS, Log, one_turn, run, run_json
from timectx.formats import read_session
from timectx.replay import Scenario, replay_session
from timectx.results import TUNED, describe_columns, pool_runs, recommend_interval
from timectx.synthetic import sample_paths

WORDS = """\
2 sessions, 8 steps, 8 requests; edition readme, zone from the log, tokens by the fixed estimate

                      tokens   tokens     share of      age      age   staleness   staleness   blind
interval   readings    added   resent   all tokens   median     95 %      median        95 %   steps
────────────────────────────────────────────────────────────────────────────────────────────────────
       0          8      546      828       48.8 %      35s   2m 15s          0s          0s       0
      1m          6      412      560       40.3 %    1m 5s   2m 15s          0s         30s       0
     10m          2      142      426       28.3 %    1m 5s   3m 20s         30s      3m 20s       0

age: time since the newest reading in the log, before each decision
staleness: time since the newest reading the model sees, 0 where it just got one; blind steps see none

Recommended: 1m
  At 1m readings take 40.3 % of all tokens, and 95 % of the steps see one at most 30s old.
  The next shorter interval worth a look, 0: 48.8 % of all tokens, and 95 % of the steps see one at most 0s old.
  The next longer interval worth a look, 10m: 28.3 % of all tokens, and 95 % of the steps see one at most 3m 20s old.
  Rule: of the intervals that no other beats in both, the one where share of tokens and staleness, \
each scaled to its range here (at least 1 % and one minute), have the smallest sum.

As recorded (1 of 2 sessions hold readings: 1 with interval 0, edition readme):
  Today:       4 readings, 273 tokens added and 414 resent, 48.8 % of all tokens, staleness 0s median, 0s at 95 %
  Recommended: 3 readings, 206 tokens added and 280 resent, 40.3 % of all tokens, staleness 0s median, 30s at 95 %

To set it, in the configuration of the time-context plugin:

config:
  refreshIntervalMs: 60000  # 1m
"""


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


def test_output_is_the_same_every_time(folder: Path) -> None:
    """Two runs print the same bytes."""
    assert run("tune", folder).stdout == run("tune", folder).stdout


def test_rows_hold_the_measures_of_each_session_under_each_interval(folder: Path) -> None:
    """Session by session, interval by interval, rows are what replay_session gives."""
    rows = run_json("tune", folder, "--interval", "1m,0,1m")["rows"]
    expected = []
    for name in ("a", "b"):
        path = folder / f"{name}.jsonl"
        for interval_ms in (0, 60_000):
            replayed = replay_session(read_session(path), Scenario(interval_ms=interval_ms))
            expected.append(
                {
                    "session": name,
                    "path": str(path),
                    "interval_ms": interval_ms,
                    "edition": "readme",
                    "time_zone": "UTC",
                    "meter": "estimate",
                    "zone_database": replayed.zone_database,
                    **to_builtins(replayed.measures),
                    "inherited_steps": 0,
                }
            )
    assert rows == expected


def test_totals_and_recommendation_are_those_of_the_library(folder: Path) -> None:
    """The command adds nothing to what pool_runs and recommend_interval say."""
    found = run_json("tune", folder, "--interval", "0,1m,10m")
    sessions = [read_session(folder / "a.jsonl"), read_session(folder / "b.jsonl")]
    totals = {
        ms: pool_runs(replay_session(session, Scenario(interval_ms=ms)) for session in sessions)
        for ms in (0, 60_000, 600_000)
    }
    best = recommend_interval(totals)
    assert best is not None
    assert found["totals"] == [{"interval_ms": ms, **to_builtins(each)} for ms, each in totals.items()]
    assert found["recommendation"] == {
        "interval_ms": 60_000,
        "low_ms": best.low_ms,
        "high_ms": best.high_ms,
        "front_ms": list(best.front_ms),
        "reasons": list(best.reasons),
        "snippet": best.snippet(),
    }
    assert found["problems"] == []


def test_what_the_logs_were_recorded_with_stands_beside_the_recommendation(folder: Path) -> None:
    """Only sessions with readings take part, in both of the totals compared."""
    session = read_session(folder / "b.jsonl")
    assert run_json("tune", folder, "--interval", "10m")["as_recorded"] == {
        "sessions": [
            {
                "session": "b",
                "path": str(folder / "b.jsonl"),
                "edition": "readme",
                "policy": "interval",
                "interval_ms": 0,
                "explanation": "interval 0 (0, up to 30s)",
            }
        ],
        "totals": to_builtins(pool_runs([replay_session(session, Scenario(interval_ms=0))])),
        "recommended": to_builtins(pool_runs([replay_session(session, Scenario(interval_ms=600_000))])),
    }


def test_without_recorded_readings_there_is_no_setting_of_today(tmp_path: Path) -> None:
    """The JSON says null, the text says nothing."""
    path = one_turn().write(tmp_path / "a.jsonl")
    assert run_json("tune", path)["as_recorded"] is None
    assert "As recorded" not in run("tune", path).stdout


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
    assert [(each["path"], each["line"], each["refused"]) for each in found["problems"]] == [
        (str(folder / "c.jsonl"), 1, True),
        (str(missing), 0, True),
    ]
    assert {row["session"] for row in found["rows"]} == {"a", "b"}


def test_nothing_to_compare_is_said_in_one_line(tmp_path: Path) -> None:
    """A folder without sessions gives no table of zeros."""
    result = run("tune", tmp_path)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "no session to compare\n", 1)
    assert run_json("tune", tmp_path, status=1, silent=False)["recommendation"] is None


def test_a_session_without_steps_gets_no_recommendation(tmp_path: Path) -> None:
    """Nothing was sent, so nothing can be saved."""
    log = Log()
    log.add("turn/start", START_MS, {"turn": 1})
    result = run("tune", log.write(tmp_path / "a.jsonl"))
    assert result.exit_code == 0
    assert result.stdout.endswith("No recommendation: no step of these sessions sees a reading.\n")


def test_an_oddity_inside_a_file_is_named_and_no_failure(tmp_path: Path) -> None:
    """A torn last line is what a running session looks like: one line on standard error, status 0."""
    path = one_turn().write(tmp_path / "a.jsonl", tail=b'{"type":"turn/st')
    result = run("tune", path)
    (problem,) = run_json("tune", path, silent=False)["problems"]
    assert result.exit_code == 0
    assert result.stderr == f"{path}:{problem['line']}: {problem['message']}\n"
    assert (problem["line"], problem["refused"]) == (len(one_turn().records) + 1, False)


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
    assert [row["steps"] for row in both["rows"]] == [4] * 4
    inherited = {"parent": 0, "child": 4}
    assert [row["inherited_steps"] for row in both["rows"]] == [inherited[name] for name in order for _ in range(2)]
    assert sum(row["steps"] - row["inherited_steps"] for row in both["rows"]) == 2 * both["totals"][0]["steps"]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.zstd"])
def test_a_copy_of_a_session_counts_once(folder: Path, ending: str) -> None:
    """The same events under the same id are one session, in whatever file; standard error names the copy."""
    original, copy = folder / "a.jsonl", folder / "copies" / f"a{ending}"
    copy.parent.mkdir()
    content = original.read_bytes()
    copy.write_bytes(content if ending == ".jsonl" else zstandard.compress(content))
    alone = run_json("tune", folder / "a.jsonl", folder / "b.jsonl")
    both = run_json("tune", original, folder / "b.jsonl", copy, silent=False)
    message = f"a copy of {original}; the session counts once"
    problem = {"path": str(copy), "line": 0, "kind": "copy", "message": message, "refused": False}
    assert both == {**alone, "problems": [problem]}
    result = run("tune", original, copy)
    expected = f"{copy} is a copy of {original}; the session counts once\n"
    assert (result.exit_code, result.stderr, result.stdout) == (0, expected, run("tune", original).stdout)


def test_sessions_of_one_id_with_other_events_are_no_copies(tmp_path: Path) -> None:
    """As many events at the same times do not make two sessions one."""
    paths = [one_turn(prompt=text * 40).write(tmp_path / f"{text}.jsonl") for text in "pq"]
    assert run_json("tune", *paths, "--interval", "0")["totals"][0]["steps"] == 8


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


def test_zone_edition_and_scenario_are_taken(folder: Path) -> None:
    """A scenario file sets what stands in it, and an option beats the file."""
    toml = folder / "x.toml"
    toml.write_text('edition = "note"\ntime_zone = "Asia/Tokyo"\ninterval_ms = 5\n', encoding="utf-8")

    def scenarios(*options: str) -> set[tuple[str, str, int]]:
        rows = run_json("tune", folder, "--interval", "1m", *options)["rows"]
        return {(row["edition"], row["time_zone"], row["interval_ms"]) for row in rows}

    assert scenarios("--scenario", str(toml)) == {("note", "Asia/Tokyo", 60_000)}
    assert scenarios("--scenario", str(toml), "--edition", "note-v2", "--zone", "Asia/Kolkata") == {
        ("note-v2", "Asia/Calcutta", 60_000)
    }


def test_csv_holds_the_rows(folder: Path) -> None:
    """The file has one line a session and interval, with the path behind the session."""
    target = folder / "out.csv"
    printed = run("tune", folder, "--interval", "0,1m", "--csv", target)
    assert (printed.exit_code, printed.stderr) == (0, "")
    with target.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    rows = run_json("tune", folder, "--interval", "0,1m")["rows"]
    assert [list(line)[:3] for line in lines] == [["session", "path", "interval_ms"]] * 4
    shared = [key for key in rows[0] if key in lines[0]]
    assert [{key: line[key] for key in shared} for line in lines] == [
        {key: "" if row[key] is None else str(row[key]) for key in shared} for row in rows
    ]
    assert set(rows[0]) - set(shared) == set()


def test_the_csv_says_which_steps_were_inherited(tmp_path: Path) -> None:
    """The column stands behind the steps, and its meaning can be looked up."""
    parent = one_turn("parent")
    parent.write(tmp_path / "a.jsonl")
    one_turn("child", parentSession="parent", seedLength=len(parent.records) - 1).write(tmp_path / "b.jsonl")
    lines = list(csv.DictReader(run("tune", tmp_path, "--interval", "0", "--csv", "-").stdout.splitlines()))
    assert [(line["session"], line["steps"], line["inherited_steps"]) for line in lines] == [
        ("parent", "4", "0"),
        ("child", "4", "4"),
    ]
    (meaning,) = describe_columns(DataFrame({"inherited_steps": [0]}))["description"]
    assert meaning == next(column.description for column in TUNED if column.name == "inherited_steps")


def test_a_dash_prints_the_csv_in_place_of_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte what a file would hold, and no file of that name."""
    monkeypatch.chdir(folder)
    run("tune", ".", "--interval", "0,1m", "--csv", "out.csv")
    result = run("tune", ".", "--interval", "0,1m", "--csv", "-")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (folder / "out.csv").read_text(encoding="utf-8")
    assert sorted(each.name for each in folder.iterdir()) == ["a.jsonl", "b.jsonl", "out.csv"]
    both = run("tune", ".", "--csv", "-", "--json")
    assert (both.exit_code, both.stdout) == (2, "")
    assert both.stderr.startswith("timectx tune: --json and --csv - both print; ")


def test_a_scenario_may_compact_on_its_own(tmp_path: Path) -> None:
    """A compaction in the file takes the place of the log's own, under every interval."""
    toml = tmp_path / "x.toml"
    compaction = "{ settings = { thresholdRatio = 0.5, retainRatio = 0.1 }, context_window = 30000 }"
    toml.write_text(f"skip_empty = true\ncompaction = {compaction}\n", encoding="utf-8")
    rows = run_json("tune", "samples:bug-hunt", "--interval", "0,10m", "--scenario", str(toml))["rows"]
    assert [row["compactions"] > 0 for row in rows] == [True, True]
    plain = run_json("tune", "samples:bug-hunt", "--interval", "0,10m")["rows"]
    assert [row["compactions"] for row in plain] == [0, 0]


@pytest.mark.parametrize("way", ["itself", "in the folder", "roundabout", "link", "hard link", "scenario"])
def test_a_csv_never_goes_over_a_file_that_is_read(folder: Path, way: str) -> None:
    """Whatever name leads to it, it is as it was and nothing is printed but the refusal."""
    target = folder / "a.jsonl"
    scenario = folder / "x.toml"
    scenario.write_text("", encoding="utf-8")
    named = {
        "itself": target,
        "in the folder": target,
        "roundabout": folder.parent / folder.name / "a.jsonl",
        "link": folder / "link.csv",
        "hard link": folder / "hard.csv",
        "scenario": scenario,
    }[way]
    if way == "link":
        named.symlink_to(target)
    elif way == "hard link":
        os.link(target, named)
    before = [each.read_bytes() for each in (target, scenario)]
    given = folder if way == "in the folder" else target
    result = run("tune", given, "--scenario", scenario, "--csv", named)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"timectx tune: {named} is one of the files to read; ")
    assert [each.read_bytes() for each in (target, scenario)] == before


@pytest.mark.parametrize(
    "start", [b'{"type":', b'\xef\xbb\xbf{"type":', b"\x28\xb5\x2f\xfd"], ids=["log", "BOM", "zstd"]
)
def test_a_csv_never_goes_over_another_session(folder: Path, start: bytes) -> None:
    """A log that was not among the paths is as dear as one that was."""
    other = folder.parent / "other.jsonl"
    other.write_bytes(start)
    result = run("tune", folder, "--csv", other)
    assert (result.exit_code, result.stdout, other.read_bytes()) == (2, "", start)
    assert result.stderr.startswith(f"timectx tune: {other} begins like a session log; ")


def test_a_csv_without_rows_leaves_the_old_one_alone(tmp_path: Path) -> None:
    """Where no session could be used, there is nothing to write."""
    target = tmp_path / "out.csv"
    target.write_text("old\n", encoding="utf-8")
    result = run("tune", tmp_path / "missing.jsonl", "--csv", target)
    assert (result.exit_code, target.read_text(encoding="utf-8")) == (1, "old\n")
    assert result.stderr.splitlines()[1:] == [f"{target} was not written: there is no row for it"]


def test_a_csv_is_replaced_as_a_whole(folder: Path) -> None:
    """A link stays a link, rights stay, and nothing else is left behind; a device is written to directly."""
    target, link = folder / "out.csv", folder / "link.csv"
    target.write_text("old\n", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("tune", folder, "--csv", link).exit_code == 0
    assert (link.is_symlink(), target.stat().st_mode & 0o777) == (True, 0o640)
    assert target.read_text(encoding="utf-8").startswith("session,path,")
    assert sorted(each.name for each in folder.iterdir()) == ["a.jsonl", "b.jsonl", "link.csv", "out.csv"]
    assert run("tune", folder, "--csv", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()


def test_a_csv_that_fills_the_disk_keeps_the_old_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new one goes, the old one is as it was."""
    target = folder / "out.csv"
    target.write_text("old\n", encoding="utf-8")

    def full(part: Path, place: Path) -> Path:
        raise OSError(28, f"No space left for {part.parent == place.parent}")

    monkeypatch.setattr(Path, "replace", full)
    result = run("tune", folder, "--csv", target)
    expected = f"timectx tune: cannot write {target}: No space left for True; see timectx tune --help\n"
    assert (result.exit_code, result.stderr, target.read_text(encoding="utf-8")) == (2, expected, "old\n")
    assert sorted(each.name for each in folder.iterdir()) == ["a.jsonl", "b.jsonl", "out.csv"]


def test_a_csv_that_cannot_be_written_is_one_line(folder: Path) -> None:
    """The place is named, and the table was printed all the same."""
    target = folder / "nowhere" / "out.csv"
    result = run("tune", folder, "--interval", "0,1m,10m", "--csv", target)
    assert (result.exit_code, result.stdout) == (2, WORDS)
    assert result.stderr.startswith(f"timectx tune: cannot write {target}: No such file or directory; ")
    assert result.stderr.count("\n") == 1


def test_samples_stand_for_the_sessions_that_come_along() -> None:
    """samples: is all of them, samples:NAME one."""
    names = list(sample_paths())
    paths = [str(path) for path in sample_paths().values()]
    assert [row["path"] for row in run_json("tune", "samples:", "--interval", "1h")["rows"]] == paths
    assert [row["path"] for row in run_json("tune", f"samples:{names[0]}", "--interval", "1h")["rows"]] == paths[:1]


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
    for command in (("tune",), ("inspect",), ("replay", "--interval", "0")):
        output = run(*command, path).output
        assert "[red]\\x1b[2J\\u202e" in output
        assert [char for char in output if char in "\x1b\x07\u202e"] == []
    assert run_json("tune", path, silent=False)["problems"][0]["path"] == str(path)


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


def test_pandas_is_imported_for_csv_alone(folder: Path) -> None:
    """A table needs no frame, so it need not wait for one."""
    code = (
        "import sys; from timectx.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print('pandas' in sys.modules)"
    )
    without = in_a_process(code, "tune", str(folder))
    with_csv = in_a_process(code, "tune", str(folder), "--csv", str(folder / "x.csv"))
    assert [each.stdout.splitlines()[-1] for each in (without, with_csv)] == ["False", "True"]


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
    rows = run_json("tune", path, "--interval", "0,1m,10m", "--zone", "UTC")["rows"]
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

"""Test the files that tuning writes: rows, the report, the recommended scenario."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.logs import Log, one_turn, run, run_json
from timectx import sweep_sessions
from timectx.replay import Scenario, parse_scenario
from timectx.results.columns import SWEEP
from timectx.sweep import tune


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two sessions, the second with a reading at every attempt."""
    one_turn("a").write(tmp_path / "a.jsonl")
    one_turn("b", interval_ms=0).write(tmp_path / "b.jsonl")
    return tmp_path


def test_csv_holds_the_rows(folder: Path) -> None:
    """The file has one line a session and scenario, with the path behind the session."""
    target = folder / "out.csv"
    printed = run("tune", folder, "--interval", "0,1m", "--csv", target)
    assert (printed.exit_code, printed.stderr) == (0, "")
    with target.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    rows = run_json("tune", folder, "--interval", "0,1m")["rows"]
    assert list(lines[0]) == [column.name for column in SWEEP if column.name != "staleness_counts"]
    assert [Path(line.pop("path")).name for line in lines] == ["a.jsonl"] * 2 + ["b.jsonl"] * 3
    assert lines == [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]


def test_the_csv_says_which_steps_were_inherited(tmp_path: Path) -> None:
    """They count where they came from, so that sums over lines are right."""
    parent = one_turn("parent")
    parent.write(tmp_path / "a.jsonl")
    one_turn("child", parentSession="parent", seedLength=len(parent.records) - 1).write(tmp_path / "b.jsonl")
    lines = list(csv.DictReader(run("tune", tmp_path, "--interval", "0", "--csv", "-").stdout.splitlines()))
    assert [(line["session"], line["steps"], line["inherited_steps"]) for line in lines] == [
        ("parent", "4", "0"),
        ("child", "0", "4"),
    ]


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
    assert (result.exit_code, result.stdout) == (2, run("tune", folder, "--interval", "0,1m,10m").stdout)
    assert result.stderr.startswith(f"timectx tune: cannot write {target}: No such file or directory; ")
    assert result.stderr.count("\n") == 1


def test_parquet_holds_everything_a_recommendation_needs(folder: Path) -> None:
    """What is read back gives the same answer as the sweep itself, counts of staleness included."""
    target = folder / "out.parquet"
    assert run("tune", folder, "--interval", "0,1m,10m", "--parquet", target).exit_code == 0
    scenarios = [Scenario(interval_ms=ms) for ms in (0, 60_000, 600_000)]
    frame = sweep_sessions([folder / "a.jsonl", folder / "b.jsonl"], [*scenarios, "as-recorded"])
    back = pd.read_parquet(target)
    assert list(back.columns) == list(frame.columns)
    assert back["staleness_counts"].tolist() == frame["staleness_counts"].tolist()
    assert tune(back) == tune(frame)


def test_parquet_without_its_package_is_refused_before_any_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("tune", folder, "--parquet", folder / "out.parquet")
    reason = "--parquet needs pyarrow: pip install 'timectx[parquet]'"
    expected = f"timectx tune: {reason}; see timectx tune --help\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


def test_the_recommended_scenario_can_be_written_and_taken_again(folder: Path) -> None:
    """The file holds the choice; tuning from it tries the same world under other intervals."""
    toml = folder / "best.toml"
    options = ("--interval", "0,1m,10m", "--edition", "current", "--compaction", "off")
    result = run("tune", folder, *options, "--write-scenario", toml)
    assert (result.exit_code, result.stderr) == (0, "")
    expected = Scenario(edition="current", interval_ms=60_000, compaction="off")
    assert parse_scenario(toml.read_text(encoding="utf-8")) == expected
    again = run_json("tune", folder, "--scenario", toml, "--interval", "0,1m")
    assert {(row["edition"], row["compaction"]) for row in again["rows"] if row["scenario"] != "as-recorded"} == {
        ("current", "off")
    }
    assert run_json("replay", folder / "a.jsonl", "--scenario", toml)["scenario"]["interval_ms"] == 60_000


def test_without_a_recommendation_no_scenario_is_written(tmp_path: Path) -> None:
    """Standard error says so."""
    path, toml = Log().write(tmp_path / "a.jsonl"), tmp_path / "best.toml"
    result = run("tune", path, "--write-scenario", toml)
    assert (result.exit_code, toml.exists()) == (0, False)
    assert result.stderr == f"{toml} was not written: there is no recommendation\n"


def test_two_results_never_share_a_file(folder: Path) -> None:
    """Whatever way it is spelt."""
    result = run("tune", folder, "--csv", folder / "x", "--report", folder / "." / "x")
    assert (result.exit_code, result.stdout, (folder / "x").exists()) == (2, "", False)
    assert result.stderr.startswith(f"timectx tune: {folder / 'x'} is named for two results; ")


@pytest.mark.parametrize("option", ["--parquet", "--report", "--write-scenario"])
def test_no_result_goes_over_a_session(folder: Path, option: str) -> None:
    """Each is looked at before any work is done."""
    before = (folder / "a.jsonl").read_bytes()
    result = run("tune", folder, option, folder / "a.jsonl")
    assert (result.exit_code, result.stdout, (folder / "a.jsonl").read_bytes()) == (2, "", before)


@pytest.fixture
def report(folder: Path) -> str:
    """Return the page written about the folder."""
    target = folder / "report.html"
    result = run("tune", folder, "--interval", "0,1m,10m", "--report", target, "--since", "0")
    assert (result.exit_code, result.stderr) == (0, "")
    return target.read_text(encoding="utf-8")


def test_the_report_is_one_page_that_names_nobody(folder: Path, report: str) -> None:
    """It holds the answer and the filter, loads nothing, and neither paths nor ids unless asked to."""
    assert report.startswith("<!DOCTYPE html>")
    assert "with a step from 1970-01-01T00:00:00+00:00[UTC] on; 0 sessions left out" in report
    assert [text for text in (str(folder), "a.jsonl", "://") if text in report] == []
    run("tune", folder, "--interval", "0,1m,10m", "--report", folder / "again.html", "--since", "0")
    assert (folder / "again.html").read_text(encoding="utf-8") == report


def test_the_report_names_sessions_where_it_may(folder: Path) -> None:
    """What a session is called is escaped, as is every text from a file."""
    one_turn("<b>bold</b>").write(folder / "c.jsonl")
    target = folder / "report.html"
    assert run("tune", folder, "--interval", "0,1m", "--report", target, "--names").exit_code == 0
    page = target.read_text(encoding="utf-8")
    assert ("&lt;b&gt;bold&lt;/b&gt;" in page, "<b>bold</b>" in page) == (True, False)


def test_a_report_without_a_recommendation_says_why(tmp_path: Path) -> None:
    """Limits that leave nothing are an answer as well."""
    path = one_turn().write(tmp_path / "a.jsonl")
    target = tmp_path / "report.html"
    result = run("tune", path, "--interval", "10m", "--max-staleness", "1s", "--report", target)
    assert result.exit_code == 2
    assert "no setting tried keeps a staleness of at most 1s at 95 %" in target.read_text(encoding="utf-8")


def test_a_scenario_file_in_another_encoding_is_said_to_be_no_toml(tmp_path: Path) -> None:
    """A codec's complaint alone would not say what is expected."""
    scenario = tmp_path / "scenario.toml"
    scenario.write_bytes(b"\xff\xfe")
    refused = run("tune", tmp_path, "--scenario", scenario)
    assert refused.exit_code == 2
    assert f"{scenario}: not a text in UTF-8, which TOML is: " in refused.stderr

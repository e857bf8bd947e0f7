"""Test what the replay of one session shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import to_builtins

from tests.cli.logs import START_MS, one_turn, run, run_json
from timectx.formats import read_session
from timectx.replay import Scenario, replay_session
from timectx.results import TABLES
from timectx.synthetic import sample_paths

READINGS = """\
interval 1m, edition readme, zone Asia/Shanghai, tokens by the fixed estimate

turn   step   time                                           elapsed   tokens    resent in
──────────────────────────────────────────────────────────────────────────────────────────
   1      1   2026-07-15T09:01:01+08:00[Asia/Shanghai]   unavailable       74   3 requests
   1      3   2026-07-15T09:02:06+08:00[Asia/Shanghai]         1m 5s       70    1 request
   1      4   2026-07-15T09:04:21+08:00[Asia/Shanghai]        2m 15s       70   0 requests

"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a log of four steps without any reading."""
    return one_turn().write(tmp_path / "a.jsonl")


def test_readings_and_measures_are_listed(path: Path) -> None:
    """Each reading stands with its time, elapsed time and cost; then every measure with its meaning."""
    result = run("replay", path, "--interval", "1m", "--zone", "Asia/Shanghai")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(READINGS)
    measures = [line.split(maxsplit=1)[0] for line in result.stdout.removeprefix(READINGS).splitlines()]
    made = replay_session(read_session(path), Scenario()).measures
    assert measures[0] == "measure"
    assert measures[2:] == [column.name for column in TABLES["measures"] if hasattr(made, column.name)]


def test_json_holds_the_whole_run(path: Path) -> None:
    """Readings, steps, attempts, compactions and measures are those of replay_session."""
    replayed = replay_session(read_session(path), Scenario(interval_ms=60_000, time_zone="Asia/Shanghai"))
    found = run_json("replay", path, "--interval", "1m", "--zone", "Asia/Shanghai")
    assert found == {
        "session": "s-1",
        "path": str(path),
        "scenario": {
            "edition": "readme",
            "policy": "interval",
            "interval_ms": 60_000,
            "delivery": "appended",
            "time_zone": "Asia/Shanghai",
            "compaction": "recorded",
            "meter": "estimate",
        },
        "readings": [to_builtins(each) for each in replayed.readings],
        "steps": [to_builtins(each) for each in replayed.steps],
        "attempts": [to_builtins(each) for each in replayed.attempts],
        "compactions": [],
        "measures": to_builtins(replayed.measures),
        "zone_database": replayed.zone_database,
        "problems": [],
    }
    assert [(each["turn"], each["step"], each["time_ms"], each["price_tokens"]) for each in found["readings"]] == [
        (1, 1, START_MS, 74),
        (1, 3, START_MS + 65_000, 70),
        (1, 4, START_MS + 200_000, 70),
    ]


def test_as_recorded_finds_the_interval_and_its_range(tmp_path: Path) -> None:
    """The readings come back as they stand in the log, with the intervals that would have given the same."""
    path = one_turn(interval_ms=60_000).write(tmp_path / "a.jsonl")
    found = run_json("replay", path, "--as-recorded")
    assert [each["recorded_seq"] is not None for each in found["readings"]] == [True, True, True]
    assert (found["scenario"]["interval_ms"], found["scenario"]["policy"]) == (60_000, "interval")
    assert found["as_recorded"] == {
        "explanation": "interval 1m (above 30s, up to 1m 5s)",
        "above_ms": 30_000,
        "up_to_ms": 65_000,
        "conflicts": [],
    }
    shown = run("replay", path, "--as-recorded").stdout.splitlines()[:2]
    assert shown == [
        "interval 1m, edition readme, zone UTC, tokens by the fixed estimate",
        "as recorded: interval 1m (above 30s, up to 1m 5s)",
    ]


def test_a_log_without_readings_says_so(path: Path) -> None:
    """There is nothing to explain, and no reading is added."""
    result = run("replay", path, "--as-recorded")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        "readings as recorded, edition readme, zone UTC, tokens by the fixed estimate",
        "as recorded: the log holds no reading",
    ]


def test_the_scenario_can_come_from_a_file(path: Path, tmp_path: Path) -> None:
    """Everything stands in the file; zone and edition may be given instead."""
    toml = tmp_path / "x.toml"
    toml.write_text('interval_ms = 60000\nedition = "note"\ntime_zone = "UTC"\n', encoding="utf-8")
    scenario = run_json("replay", path, "--scenario", toml, "--zone", "Asia/Kolkata")["scenario"]
    assert (scenario["interval_ms"], scenario["edition"], scenario["time_zone"]) == (60_000, "note", "Asia/Calcutta")


def test_what_is_odd_about_the_file_goes_to_standard_error(tmp_path: Path) -> None:
    """A torn line is named, and the rest is replayed."""
    path = one_turn().write(tmp_path / "a.jsonl", tail=b"{")
    result = run("replay", path, "--interval", "0")
    assert (result.exit_code, result.stderr.startswith(f"{path}:{len(one_turn().records) + 1}: ")) == (0, True)
    assert len(run_json("replay", path, "--interval", "0", silent=False)["problems"]) == 1


def test_a_refused_file_is_one_line_and_no_output(tmp_path: Path) -> None:
    """Status 1, and nothing on standard output that could be taken for a run."""
    result = run("replay", tmp_path / "missing.jsonl", "--interval", "0")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"{tmp_path / 'missing.jsonl'}: no such file; expected a session log\n"


def test_the_json_of_a_refused_file_holds_its_problem_alone(tmp_path: Path) -> None:
    """Every key is there, so that a program finds null instead of nothing."""
    missing = str(tmp_path / "missing.jsonl")
    good = run_json("replay", one_turn().write(tmp_path / "a.jsonl"), "--interval", "0")
    found = run_json("replay", missing, "--interval", "0", status=1, silent=False)
    assert list(found) == list(good)
    message = f"{missing}: no such file; expected a session log"
    problem = {"path": missing, "line": 0, "kind": "no-such-file", "message": message}
    assert found == {**dict.fromkeys(good), "path": missing, "problems": [problem]}


def test_a_sample_is_replayed_by_its_name() -> None:
    """samples:NAME works where a file does, samples: names too many."""
    name, path = next(iter(sample_paths().items()))
    assert run_json("replay", f"samples:{name}", "--interval", "10m")["path"] == str(path)
    result = run("replay", "samples:", "--interval", "10m")
    assert (result.exit_code, result.stdout) == (2, "")
    expected = (
        f"timectx replay: samples: holds {len(sample_paths())} files; name one of them; see timectx replay --help\n"
    )
    assert result.stderr == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give one of --interval, --as-recorded and --scenario"),
        (("--interval", "1m", "--as-recorded"), "give one of --interval, --as-recorded and --scenario"),
        (
            ("--as-recorded", "--zone", "UTC"),
            "--as-recorded takes zone and edition from the log; leave --zone and --edition away",
        ),
    ],
    ids=["none", "two", "zone as recorded"],
)
def test_the_ways_to_say_when_a_reading_is_due_exclude_each_other(
    path: Path, options: tuple[str, ...], message: str
) -> None:
    """Exactly one is given, and what was recorded is not overruled."""
    result = run("replay", path, *options)
    expected = f"timectx replay: {message}; see timectx replay --help\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("intervall_ms = 5", "a scenario has no 'intervall_ms'; did you mean interval_ms?"),
        ("interval_ms = -1", None),
        ("interval_ms = true", None),
        ("interval_ms = 0.5", None),
        ("= 5", None),
        (None, "No such file or directory"),
    ],
    ids=["unknown knob", "negative", "boolean", "fraction", "no toml", "no file"],
)
def test_a_bad_scenario_file_is_named(path: Path, tmp_path: Path, text: str | None, message: str | None) -> None:
    """One line names the file and what is wrong in it."""
    toml = tmp_path / "x.toml"
    if text is not None:
        toml.write_text(text, encoding="utf-8")
    result = run("replay", path, "--scenario", toml)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"timectx replay: {toml}: {message or ''}")
    assert result.stderr.count("\n") == 1

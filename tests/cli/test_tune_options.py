"""Test what can be asked of tuning: scenarios side by side, limits, filters, agents, processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.logs import START_MS, one_turn, run, run_json
from timectx.cli.ending import INTERRUPTED
from timectx.replay.presets import PRESETS
from timectx.sweep.labels import scenario_label

ROOT = Path(__file__).parents[2]
DAY_MS = 86_400_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three sessions of one turn, a day apart; the last one of a sub-agent."""
    for at, name in enumerate(("a", "b", "c")):
        fields = {"cwd": f"/home/dev/{name}", **({"origin": "subagent"} if name == "c" else {})}
        log = one_turn(name, **fields)
        for record in log.records[1:]:
            record["time"] = int(str(record["time"])) + at * DAY_MS
        log.write(tmp_path / f"{name}.jsonl")
    return tmp_path


def sessions(*arguments: str | Path) -> list[str]:
    """Return the sessions that count."""
    rows = run_json("tune", *arguments, "--interval", "0")["rows"]
    return [row["session"] for row in rows]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ((), "abc"),
        (("--since", "2026-07-16"), "bc"),
        (("--until", "2026-07-15"), "a"),
        (("--since", "2026-07-16", "--until", "2026-07-16"), "b"),
        (("--since", str(START_MS + 200_001)), "bc"),
        (("--until", "2026-07-15T01:01:01Z"), ""),
        (("--until", "2026-07-15", "--zone", "Pacific/Kiritimati"), "a"),
        (("--until", "2026-07-14", "--zone", "America/Los_Angeles"), "a"),
        (("--project", "a", "--project", "/home/dev/c"), "ac"),
        (("--project", "dev", "--no-subagents"), "ab"),
        (("--model", "m"), "abc"),
        (("--model", "other-*"), ""),
    ],
)
def test_filters_keep_whole_sessions(folder: Path, options: tuple[str, ...], kept: str) -> None:
    """By a step in time, the model asked, the folder worked in, and who started it."""
    assert sessions(folder, *options) == list(kept)


def test_what_a_filter_keeps_is_said(folder: Path) -> None:
    """The second line and the JSON say what was asked for and how many it left out."""
    lines = run("tune", folder, "--since", "2026-07-16", "--no-subagents").stdout.splitlines()
    asked = "with a step from 2026-07-16T00:00:00+00:00[UTC] on, not started by another agent"
    assert lines[0].startswith("1 session, 4 steps, ")
    assert lines[1] == f"Sessions {asked}; each whole, 2 others left out"
    found = run_json("tune", folder, "--since", "2026-07-16", "--no-subagents")["filter"]
    assert found == {
        "since_ms": 1_784_160_000_000, "until_ms": None, "models": [], "projects": [], "subagents": False,
        "left_out": 2,
    }  # fmt: skip
    nothing = run("tune", folder, "--model", "x")
    expected = "no session to compare of model x; each whole, 3 others left out\n"
    assert (nothing.exit_code, nothing.stdout) == (0, expected)


def test_a_fork_whose_parent_is_filtered_out_counts_whole(tmp_path: Path) -> None:
    """Its history is counted somewhere, once."""
    parent = one_turn("parent", cwd="/p")
    parent.write(tmp_path / "a.jsonl")
    child = one_turn("child", parentSession="parent", seedLength=len(parent.records) - 1, cwd="/c")
    child.write(tmp_path / "b.jsonl")
    both = run_json("tune", tmp_path, "--interval", "0")["rows"]
    alone = run_json("tune", tmp_path, "--interval", "0", "--project", "c")["rows"]
    assert [(row["session"], row["steps"], row["inherited_steps"]) for row in (*both, *alone)] == [
        ("parent", 4, 0),
        ("child", 0, 4),
        ("child", 4, 0),
    ]


def test_scenarios_of_several_files_stand_side_by_side(folder: Path) -> None:
    """Each under every interval; an option beats what is in the files."""
    paths = []
    for name, text in (("x", 'edition = "note"\n'), ("y", 'policy = "turn"\ndelivery = "replaced"\n')):
        paths += ["--scenario", folder / f"{name}.toml"]
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    found = run_json("tune", folder, *paths, "--interval", "0,1m", "--zone", "Asia/Tokyo")
    assert [
        (each["edition"], each["policy"], each["delivery"], each["interval_ms"]) for each in found["scenarios"]
    ] == [
        ("note", "interval", "appended", 0),
        ("note", "interval", "appended", 60_000),
        ("readme", "turn", "replaced", 0),
    ]
    assert {each["time_zone"] for each in found["scenarios"]} == {"Asia/Tokyo"}
    shown = run("tune", folder, *paths, "--interval", "0,1m").stdout
    assert "; 3 scenarios of 2 kinds\n" in shown
    assert [line.split("  ")[0] for line in shown.splitlines()[5:8]] == [
        "0, edition note",
        "1m, edition note",
        "turn, replaced",
    ]


def test_presets_stand_alone_or_beside_intervals(folder: Path) -> None:
    """Without --interval they are all that is compared."""
    alone = run_json("tune", folder, "--preset", "web-overlay", "--preset", "dsh-0.2.1")["scenarios"]
    assert [(each["edition"], each["interval_ms"]) for each in alone] == [("readme", 0), ("current", 600_000)]
    beside = run_json("tune", folder, "--preset", "dsh-0.2.1", "--interval", "1m")["scenarios"]
    assert [each["scenario"] for each in beside] == ["1m", "10m, edition current"]


def test_every_preset_can_be_tuned(folder: Path) -> None:
    """All at once, each with its row."""
    options = [part for name in PRESETS for part in ("--preset", name)]
    found = run_json("tune", folder, *options)
    labels = [scenario_label(each.scenario) for each in PRESETS.values()]
    assert [each["scenario"] for each in found["scenarios"]] == labels
    assert {row["scenario"] for row in found["rows"]} == set(labels)
    assert found["recommendation"]["scenario"] in labels


def test_a_timer_is_not_tried_at_every_attempt(folder: Path) -> None:
    """Of the usual intervals those it can have; one that was asked for by name is refused."""
    found = run_json("tune", folder, "--delivery", "timer")["totals"]
    assert [each["interval_ms"] // 1000 for each in found][:2] == [10, 30]
    result = run("tune", folder, "--delivery", "timer", "--interval", "0,1m")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_a_scenario_may_compact_on_its_own(tmp_path: Path) -> None:
    """A compaction in the file takes the place of the log's own, under every interval, and in what was recorded."""
    toml = tmp_path / "x.toml"
    compaction = "{ settings = { thresholdRatio = 0.5, retainRatio = 0.1 }, context_window = 30000 }"
    toml.write_text(f"skip_empty = true\ncompaction = {compaction}\n", encoding="utf-8")
    rows = run_json("tune", "samples:bug-hunt", "--interval", "0,10m", "--scenario", str(toml))["rows"]
    assert [(row["compactions"] > 0, row["compaction"]) for row in rows] == [(True, "simulated")] * 3
    plain = run_json("tune", "samples:bug-hunt", "--interval", "0,10m")["rows"]
    assert [row["compactions"] for row in plain] == [0, 0, 0]


def test_settings_of_another_edition_cost_only_the_row_as_recorded(tmp_path: Path) -> None:
    """A session recorded under an edition without such a setting is compared all the same."""
    path, toml = one_turn(interval_ms=0).write(tmp_path / "a.jsonl"), tmp_path / "x.toml"
    compaction = "{ settings = { headroomTokens = 5000 }, context_window = 30000 }"
    toml.write_text(f'edition = "current"\ncompaction = {compaction}\n', encoding="utf-8")
    found = run_json("tune", path, "--interval", "10m", "--scenario", toml)
    assert [(row["session"], row["steps"]) for row in found["rows"]] == [("s-1", 4)]
    assert (found["as_recorded"], found["problems"]) == (None, [])


def test_what_was_recorded_is_measured_as_the_others_are(tmp_path: Path) -> None:
    """Another counter, another model: today's setting is compared in the same coin."""
    path = one_turn(interval_ms=0).write(tmp_path / "a.jsonl")
    options = ("--counter", "cjk", "--priced-as", "deepseek/deepseek-v4-flash", "--compaction", "off")
    every, today = run_json("tune", path, "--interval", "0", *options)["rows"]
    assert (every.pop("scenario"), today.pop("scenario")) == (
        "0, compaction off, counter cjk, model deepseek/deepseek-v4-flash",
        "as-recorded",
    )
    assert every == today


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


@pytest.mark.parametrize(
    ("options", "scenario", "rule"),
    [
        ((), "2m", "knee"),
        (("--max-staleness", "2m15s"), "2m", "cheapest"),
        (("--max-staleness", "29s", "--quantile", "50%"), "2m", "cheapest"),
        (("--budget", "41%"), "1m", "freshest"),
        (("--max-blind", "0"), "10m", "cheapest"),
        (("--max-blind", "2%"), "10m", "cheapest"),
    ],
)
def test_limits_decide_on_the_recommendation(folder: Path, options: tuple[str, ...], scenario: str, rule: str) -> None:
    """As the library understands them."""
    found = run_json("tune", folder, "--interval", "0,1m,2m,10m", *options)["recommendation"]
    assert (found["scenario"], found["rule"]) == (scenario, rule)


@pytest.mark.parametrize(
    ("options", "binds", "way_out"),
    [
        (("--max-staleness", "1s"), "a staleness of at most 1s at 95 %", "10s"),
        (("--budget", "0.5%"), "at most 0.5 % of all tokens for readings", "10m"),
    ],
)
def test_limits_that_leave_nothing_are_a_line_that_says_what_would_do(
    tmp_path: Path, options: tuple[str, ...], binds: str, way_out: str
) -> None:
    """Status 2; the table is shown all the same, the JSON has no recommendation, and nothing is marked."""
    path = one_turn(steps_ms=range(0, 900_000, 5_000)).write(tmp_path / "a.jsonl")
    result = run("tune", path, "--interval", "10s,1m,10m", *options)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"timectx tune: no setting tried keeps {binds}; ")
    assert way_out in result.stderr
    assert (result.stdout.count("\n     10s"), "Recommended" in result.stdout) == (1, False)
    found = run_json("tune", path, "--interval", "10s,1m,10m", *options, status=2, silent=False)
    assert (found["recommendation"], found["refusal"]["nearest"][0]["scenario"]) == (None, way_out)
    assert f"timectx tune: {found['refusal']['message']}\n" == result.stderr


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--budget", "2", "not a share: '2'; expected a percentage such as 2%, or 0.02"),
        ("--max-blind", "none", "not a number or share of steps: 'none'; expected 0, 12 or 2%"),
        ("--quantile", "95", "not a quantile: '95'; expected a number above 0 and up to 1, such as 0.95"),
        ("--since", "yesterday", "not an instant: 'yesterday'"),
        ("--preset", "x", "no preset is called 'x'"),
        ("--agent", "x", "'x' is not one of 'dsh', 'claude-code', 'codex', 'pi', 'generic'"),
        ("--jobs", "0", "0 is not in the range 1<=x<="),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(folder: Path, option: str, value: str, reason: str) -> None:
    """One line, with the value and the right form."""
    result = run("tune", folder, option, value)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"timectx tune: invalid value for '{option}': {reason}")


def test_a_span_that_is_none_is_refused(folder: Path) -> None:
    """Nothing could be inside."""
    result = run("tune", folder, "--since", "2026-07-16", "--until", "2026-07-15")
    expected = "timectx tune: --until ends before --since begins; exchange them; see timectx tune --help\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi", "generic"])
def test_other_agents_get_a_number_for_a_hook_of_their_own(folder: Path, agent: str) -> None:
    """The text says that there is no setting, and the JSON holds the same text."""
    shown = run("tune", folder, "--interval", "0,1m,10m", "--agent", agent).stdout
    assert shown.endswith("REFRESH_INTERVAL_MS=60000  # at least 1m between two readings\n")
    assert "has no setting for this: the number is for a hook of your own" in shown
    snippet = run_json("tune", folder, "--interval", "0,1m,10m", "--agent", agent)["recommendation"]["snippet"]
    assert shown.endswith(f"To set it:\n\n{snippet}\n")


def test_presets_can_be_listed_without_a_path() -> None:
    """Whoever does not know their names need not have a session at hand."""
    result = run("tune", "--preset", "list")
    assert (result.exit_code, [line.split()[0] for line in result.stdout.splitlines()[2:]]) == (0, list(PRESETS))


def test_bills_can_be_by_a_list_of_ones_own(folder: Path) -> None:
    """Its entries take precedence over those of the package."""
    prices = folder / "mine.toml"
    entry = '[[price]]\nprovider = "p"\nmodels = ["m"]\ninput = 1.0\noutput = 0.0\ncache = "none"\n'
    prices.write_text(f'{entry}source = "a test"\nread_on = 2026-01-01\n', encoding="utf-8")
    rows = run_json("tune", folder, "--interval", "0", "--priced-as", "p/m", "--prices", prices)["rows"]
    assert [row["cost_usd"] for row in rows] == [row["input_tokens"] / 10**6 for row in rows]


STUCK = """
import os, signal, timectx.cli.tuning as tuning
from timectx.cli import main

def stuck(paths, scenarios, executor, **rest):
    executor.submit(os.getpid).result()
    executor.submit(signal.pause)
    os.killpg(0, signal.SIGINT)

tuning.sweep_sessions = stuck
main(prog_name="timectx")
"""


def test_ctrl_c_ends_the_workers_as_well(folder: Path) -> None:
    """Pressed on a terminal it reaches all of them: no traceback, no word, the status of the signal, and an end."""
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, "tune", str(folder), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    assert (*process.communicate(timeout=60), process.returncode) == ("", "", INTERRUPTED)

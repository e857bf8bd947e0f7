"""Test what the replay of one session shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from tests.cli.logs import START_MS, one_turn, run, run_json
from timectx.cli.scenarios import scenario_document
from timectx.cost import bill_run
from timectx.formats import read_session
from timectx.replay import Scenario, as_recorded, replay_session
from timectx.replay.presets import PRESETS
from timectx.results.compare import compare_measures
from timectx.synthetic import sample_paths

READINGS = """\
interval 1m, edition readme, zone Asia/Shanghai, tokens by the fixed estimate

turn   step   time                                           elapsed   tokens    resent in
──────────────────────────────────────────────────────────────────────────────────────────
   1      1   2026-07-15T09:01:01+08:00[Asia/Shanghai]   unavailable       74   3 requests
   1      3   2026-07-15T09:02:06+08:00[Asia/Shanghai]         1m 5s       70    1 request
   1      4   2026-07-15T09:04:21+08:00[Asia/Shanghai]        2m 15s       70   0 requests

"""


PRICES = """\
[[price]]
provider = "p"
models = ["m"]
input = 1.0
output = 1.0
cache = "none"
source = "a test"
read_on = 2026-01-01
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
    measures = [line.partition(" ")[0] for line in result.stdout.removeprefix(READINGS).splitlines()]
    made = replay_session(read_session(path), Scenario())
    assert (measures[0], measures[-3]) == ("measure", "")
    ours = ("own_readings", "reworded_readings", "parting_step")
    assert measures[2:-3] == [row[0] for row in compare_measures(made, made) if row[0] not in ours]


def test_json_holds_the_whole_run(path: Path) -> None:
    """Readings, steps, attempts, requests, compactions and measures are those of replay_session."""
    replayed = replay_session(read_session(path), Scenario(interval_ms=60_000, time_zone="Asia/Shanghai"))
    found = run_json("replay", path, "--interval", "1m", "--zone", "Asia/Shanghai")
    bill = bill_run(replayed)
    assert {**found, "requests": len(found["requests"])} == {
        "session": "s-1",
        "path": str(path),
        "scenario": scenario_document(replayed.scenario),
        "readings": [to_builtins(each) for each in replayed.readings],
        "steps": [to_builtins(each) for each in replayed.steps],
        "attempts": [to_builtins(each) for each in replayed.attempts],
        "requests": len(replayed.requests),
        "compactions": [],
        "measures": to_builtins(replayed.measures),
        "bill": {
            **json.loads(json.dumps(to_builtins(bill))),
            "cost_usd": bill.cost_usd,
            "cost_pico_usd": bill.cost_pico_usd,
        },
        "zone_database": replayed.zone_database,
        "problems": [],
    }
    for told, request in zip(found["requests"], replayed.requests, strict=True):
        assert {name: told[name] for name in to_builtins(request)} == to_builtins(request)
    assert [(each["turn"], each["step"], each["time_ms"], each["price_tokens"]) for each in found["readings"]] == [
        (1, 1, START_MS, 74),
        (1, 3, START_MS + 65_000, 70),
        (1, 4, START_MS + 200_000, 70),
    ]


def test_every_measure_and_every_cent_can_be_added_up_from_the_json() -> None:
    """Tokens, staleness, blind steps and costs follow from readings, steps, requests and compactions."""
    options = ("--compaction", "simulated", "--window", "20000", "--priced-as", "anthropic/claude-sonnet-4-5")
    found = run_json("replay", "samples:two-compactions", "--interval", "10m", *options)
    steps, requests, readings = found["steps"], found["requests"], found["readings"]
    summaries = found["compactions"]
    stale = sorted(each["staleness_ms"] for each in steps if each["staleness_ms"] is not None)
    tokens = sum(each["input_tokens"] for each in requests)
    added = sum(each["price_tokens"] for each in readings)
    resent = sum(each["price_tokens"] * each["resent_requests"] for each in readings)
    measures, bill = found["measures"], found["bill"]
    assert {name: measures[name] for name in ("requests", "readings", "reading_tokens", "resent_tokens")} == {
        "requests": len(requests),
        "readings": len(readings),
        "reading_tokens": added,
        "resent_tokens": resent,
    }
    assert (measures["input_tokens"], measures["reading_ratio"]) == (tokens, (added + resent) / tokens)
    assert measures["staleness_p95_ms"] == stale[-(-95 * len(stale) // 100) - 1]
    assert measures["blind_steps"] == len(steps) - len(stale)
    assert measures["compaction_input_tokens"] == sum(each["summary_input_tokens"] for each in summaries) > 0
    cached, written = (sum(each[f"{part}_input_tokens"] for each in requests) for part in ("cached", "written"))
    assert (bill["cached_input_tokens"], bill["written_input_tokens"]) == (cached, written)
    assert bill["uncached_input_tokens"] == tokens + measures["compaction_input_tokens"] - cached - written
    assert cached > 0 < written
    cost = sum(map(request_cost_by_hand, requests)) + sum(map(summary_cost_by_hand, summaries))
    assert (bill["cost_pico_usd"], bill["cost_usd"]) == (cost, cost / 10**12)


def request_cost_by_hand(request: dict[str, Any]) -> int:
    """Add up what one request of the JSON costs, from its tokens and its rates."""
    rates, cached, written = (
        request[name] for name in ("rates_pico_usd", "cached_input_tokens", "written_input_tokens")
    )
    plain = (request["input_tokens"] - cached - written) * rates["input"]
    cost = plain + cached * rates["cached"] + written * rates["write"] + request["output_tokens"] * rates["output"]
    assert request["cost_pico_usd"] == cost
    return int(cost)


def summary_cost_by_hand(summary: dict[str, Any]) -> int:
    """Add up what the summary of one compaction costs."""
    rates = summary["rates_pico_usd"]
    cost = summary["summary_input_tokens"] * rates["input"] + summary["summary_output_tokens"] * rates["output"]
    assert summary["cost_pico_usd"] == cost
    return int(cost)


def test_what_has_no_price_says_so(path: Path) -> None:
    """Model m is on no list: its volume is told, its cost is not; the same where the log names no model."""
    found = run_json("replay", path, "--interval", "0", "--priced-as", "p/m")
    assert {each["cost_pico_usd"] for each in found["requests"]} == {None}
    assert (found["bill"]["cost_usd"], found["bill"]["unpriced"][0]["model"]) == (None, "m")
    for options, name in ((("--priced-as", "p/m"), "p/m"), ((), "a model the log does not name")):
        shown = run("replay", path, "--interval", "0", *options).stdout
        assert f"\nunpriced: {name}, 4 requests in 1 turns, " in shown


def test_a_price_list_of_ones_own_is_laid_over_the_packages(path: Path, tmp_path: Path) -> None:
    """What it names gets a price, and a damaged one is refused by name."""
    prices = tmp_path / "mine.toml"
    prices.write_text(PRICES, encoding="utf-8")
    bill = run_json("replay", path, "--interval", "0", "--priced-as", "p/m", "--prices", prices)["bill"]
    assert bill["cost_pico_usd"] == 1_000_000 * (bill["uncached_input_tokens"] + bill["output_tokens"])
    prices.write_text("[[price]]\n", encoding="utf-8")
    result = run("replay", path, "--interval", "0", "--prices", prices)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"timectx replay: invalid value for '--prices': {prices}")


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
        ((), "give one of --interval, --as-recorded, --scenario and --preset"),
        (("--interval", "1m", "--as-recorded"), "give one of --interval, --as-recorded, --scenario and --preset"),
        (
            ("--as-recorded", "--zone", "UTC"),
            "--as-recorded takes zone, edition and policy from the log; leave --zone, --edition and --policy away",
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


SIDE_BY_SIDE = """\
a: interval 0, edition readme, zone UTC, tokens by the fixed estimate
b: interval 1m, edition readme, zone UTC, tokens by the fixed estimate

"""

PARTING = """\

a and b part at turn 1, step 2 (step 2 of the session).

only in   turn   step   time                             elapsed   tokens    resent in
──────────────────────────────────────────────────────────────────────────────────────
a            1      2   2026-07-15T01:01:31+00:00[UTC]       30s       67   2 requests
"""


def test_two_scenarios_stand_side_by_side(path: Path) -> None:
    """Each measure with both values, difference and ratio; then where they part and what only one has."""
    result = run("replay", path, "--interval", "0", "--compare", "1m")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(SIDE_BY_SIDE)
    assert result.stdout.endswith(PARTING)
    rows = [line.split()[:5] for line in result.stdout.splitlines()]
    assert ["measure", "a", "b", "b", "-"] in rows
    assert ["readings", "4", "3", "-1", "0.75"] in rows
    assert ["staleness_p95_ms", "0", "30s", "30s", "none"] in rows


def test_the_json_of_a_comparison_holds_every_run_and_how_it_differs(path: Path, tmp_path: Path) -> None:
    """What is compared stands whole beside the first run: a file, an interval, the log's own setting."""
    toml = tmp_path / "x.toml"
    toml.write_text('edition = "note"\ninterval_ms = 5\n', encoding="utf-8")
    names = ("1m", str(toml), "as-recorded")
    options = [part for name in names for part in ("--compare", name)]
    found = run_json("replay", path, "--interval", "0", *options)
    session = read_session(path)
    base = replay_session(session, Scenario(interval_ms=0))
    scenarios = (
        base.scenario.replace(interval_ms=60_000), Scenario(edition="note", interval_ms=5), as_recorded(session)
    )  # fmt: skip
    assert found["measures"] == to_builtins(base.measures)
    for told, scenario in zip(found["compared"], scenarios, strict=True):
        other = replay_session(session, scenario)
        assert told["scenario"] == scenario_document(other.scenario)
        assert told["readings"] == [to_builtins(each) for each in other.readings]
        names = ("measure", "unit", "a", "b", "difference", "ratio")
        rows = [tuple(row[name] for name in names) for row in told["comparison"]["measures"]]
        assert rows == [row[:6] for row in compare_measures(base, other)]
    first = found["compared"][0]["comparison"]
    assert first["parting"] == {"number": 2, "turn": 1, "step": 2}
    assert [(each["turn"], each["step"], each["now_ms"]) for each in first["readings_only_a"]] == [
        (1, 2, START_MS + 30_000)
    ]
    assert first["readings_only_b"] == []


def test_scenarios_that_come_to_the_same_are_said_to(path: Path) -> None:
    """Nothing parts, and no table of readings follows."""
    result = run("replay", path, "--interval", "0", "--compare", "0")
    assert result.stdout.endswith("\na and b are the same in every step.\n")
    found = run_json("replay", path, "--interval", "0", "--compare", "0")
    assert found["compared"][0]["comparison"]["parting"] is None


def test_more_than_two_are_each_compared_with_the_first(path: Path) -> None:
    """Three scenarios give two pairs, and rows that belong to a pair are left to its sentence."""
    shown = run("replay", path, "--interval", "0", "--compare", "1m", "--compare", "10m").stdout
    assert [line for line in shown.splitlines() if "part at" in line] == [
        "a and b part at turn 1, step 2 (step 2 of the session).",
        "a and c part at turn 1, step 2 (step 2 of the session).",
    ]
    assert "own_readings" not in shown


def test_what_is_no_scenario_is_refused_by_name(path: Path) -> None:
    """One line says what could have been meant."""
    result = run("replay", path, "--interval", "0", "--compare", "ten")
    reason = "no scenario is called 'ten'; expected an interval such as 10m, a TOML file, a preset or as-recorded"
    expected = f"timectx replay: {reason}\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


def test_knobs_on_the_command_line_beat_files_and_the_log(path: Path, tmp_path: Path) -> None:
    """They hold for every scenario that is shown."""
    toml = tmp_path / "x.toml"
    toml.write_text('compaction = "recorded"\ntime_zone = "UTC"\n', encoding="utf-8")
    options = ("--scenario", toml, "--compare", toml, "--compare", "as-recorded", "--compaction", "off")
    found = run_json("replay", path, *options)
    assert [each["scenario"]["compaction"] for each in (found, *found["compared"])] == ["off"] * 3


def test_a_window_is_that_of_a_simulated_compaction(path: Path, tmp_path: Path) -> None:
    """It adds to what a file says of one, and says nothing without one."""
    toml = tmp_path / "x.toml"
    toml.write_text("compaction = { spare = 1 }\n", encoding="utf-8")
    simulated = run_json("replay", path, "--interval", "0", "--compaction", "simulated", "--window", "5000")
    assert simulated["scenario"]["compaction"]["context_window"] == 5000
    held = run_json("replay", path, "--scenario", toml, "--window", "5000")["scenario"]["compaction"]
    assert (held["spare"], held["context_window"]) == (1, 5000)
    result = run("replay", path, "--interval", "0", "--window", "5000")
    reason = "--window is the context window of a simulated compaction; add --compaction simulated"
    assert (result.exit_code, result.stderr) == (2, f"timectx replay: {reason}; see timectx replay --help\n")


def test_a_preset_is_a_scenario_under_a_name(path: Path) -> None:
    """It stands alone or beside another, with the knobs of the command line."""
    found = run_json("replay", path, "--preset", "dsh-0.2.1", "--compare", "web-overlay", "--zone", "Asia/Tokyo")
    told = [(each["scenario"]["edition"], each["scenario"]["interval_ms"]) for each in (found, *found["compared"])]
    assert told == [("current", 600_000), ("readme", 0)]
    assert {each["scenario"]["time_zone"] for each in (found, *found["compared"])} == {"Asia/Tokyo"}
    titles = ("--preset", "0.2.1 default (10 min)", "--compare", "web overlay (every attempt)")
    assert run_json("replay", path, *titles, "--zone", "Asia/Tokyo") == found


def test_presets_can_be_listed(path: Path) -> None:
    """Wherever a preset is taken, list prints them all and nothing is replayed."""
    for command in (("replay",), ("replay", path)):
        result = run(*command, "--preset", "list")
        lines = result.stdout.splitlines()
        assert (result.exit_code, result.stderr) == (0, "")
        assert [line.split()[0] for line in lines[2:]] == list(PRESETS)
        assert "web overlay (every attempt)" in lines[2]


def test_a_preset_that_does_not_exist_is_a_wrong_call(path: Path) -> None:
    """With the near one."""
    result = run("replay", path, "--preset", "dsh-0.2.2")
    reason = "invalid value for '--preset': no preset is called 'dsh-0.2.2'; did you mean dsh-0.2.1?"
    assert (result.exit_code, result.stdout, result.stderr) == (
        2,
        "",
        f"timectx replay: {reason} see timectx replay --help\n",
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--policy", "after-compaction|interval"), "due by interval 1m | after-compaction, edition readme"),
        (("--delivery", "system-prompt"), "tokens by the fixed estimate, delivery system-prompt"),
        (("--compaction", "off", "--priced-as", "x"), "tokens by the fixed estimate, no compaction, billed as x"),
        (("--compaction", "simulated", "--window", "50000"), "estimate, simulated compaction in 50,000 tokens"),
        (("--counter", "cjk"), "tokens by cjk (heuristic)"),
        (("--meter", "reported"), "tokens by the provider's counts where the log has them"),
        (("--cache", "none"), "tokens by the fixed estimate, cache none"),
    ],
)
def test_every_knob_has_its_words(path: Path, options: tuple[str, ...], words: str) -> None:
    """The first line says what the numbers stand on."""
    result = run("replay", path, "--interval", "1m", *options)
    assert (result.exit_code, result.stdout.splitlines()[0].count(words)) == (0, 1)


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--policy", "sometimes", "sometimes"),
        ("--counter", "o300k", "one of o200k, cl100k, deepseek, cjk, chars/N"),
        ("--delivery", "pigeon", "is not one of 'appended', 'system-prompt', "),
        ("--cache", "fridge", "a cache is one of "),
    ],
)
def test_a_knob_that_does_not_exist_is_one_line(path: Path, option: str, value: str, reason: str) -> None:
    """It names the value and what there is."""
    result = run("replay", path, "--interval", "1m", option, value)
    assert (result.exit_code, result.stdout, result.stderr.count("\n"), reason in result.stderr) == (2, "", 1, True)

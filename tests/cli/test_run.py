"""Test that a script becomes a session in a folder, and that the story told is the one in the log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.logs import run, run_json
from timectx.formats import read_session
from timectx.loop import inspect_log, load_log
from timectx.replay import as_recorded, replay_session
from timectx.replay.check import check_session
from timectx.session.events import RequestHeader, UserMessage

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "data" / "scripts"

TWO_TURNS = """\
session two-turns, new: {path}
turn 1, 2026-07-15T09:30:00+02:00[Europe/Berlin]
  step 1
    asked: The basket shows the price without tax. Find out where the tax gets lost.
    | Time sampled while preparing turn 1, step 1: 2026-07-15T09:30:00+02:00[Europe/Berlin]
    | Browser time zone for this request: Europe/Berlin. Interpret otherwise-unqualified dates and times in this zone.
    | Elapsed since the preceding model-visible message: unavailable.
    called: bash, bash
    tool: shop/basket.py:41: total += item.net_price
    tool: shop/item.py:12: def gross_price(self)
  step 2
    answered: shop/basket.py adds up net prices in line 41; it should ask each item for its gross price.
  completed after 10s
turn 2, 2026-07-15T09:41:10+02:00[Europe/Berlin]
  step 1
    asked: Good. Change it, and run the tests.
    | Time sampled while preparing turn 2, step 1: 2026-07-15T09:41:10+02:00[Europe/Berlin]
    | Browser time zone for this request: Europe/Berlin. Interpret otherwise-unqualified dates and times in this zone.
    | Elapsed since the preceding model-visible message: 11m 0s.
    called: edit
    tool: 1 line changed
  step 2
    called: bash
    tool: 212 passed in 47.20s
  step 3
    answered: Done. All 212 tests pass.
  completed after 58s
2 turns, 5 steps, 2 readings, 0 compactions
"""


def process(*arguments: str | Path) -> str:
    """Run ``timectx`` in a process of its own and return what it printed."""
    command = [sys.executable, "-m", "timectx", *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Read a plain log with nothing but json."""
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def written(tmp_path: Path, text: str) -> Path:
    """Write a script."""
    path = tmp_path / "script.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_script_is_told_turn_by_turn_with_its_readings_as_the_model_read_them(tmp_path: Path) -> None:
    """Prompts, readings, answers, tools, and how long each turn took."""
    result = run("run", SCRIPTS / "two-turns.yaml", "--root", tmp_path)
    (path,) = tmp_path.rglob("session.jsonl.zstd")
    assert (result.exit_code, result.stderr, result.stdout) == (0, "", TWO_TURNS.format(path=path))


def test_two_processes_one_after_the_other_make_two_turns_of_one_session(tmp_path: Path) -> None:
    """Each does one task on a frozen clock; the log is right read by timectx, and by anybody who knows JSON."""
    script = SCRIPTS / "single-task.yaml"
    for start in ("2026-07-15T09:00:00+08:00", "2026-07-15T11:30:00+08:00"):
        process("run", script, "--root", tmp_path, "--raw", "--frozen", "--start", start)
    (path,) = tmp_path.rglob("session.jsonl")

    header, *lines = records(path)
    assert header == {
        "type": "session", "version": 0, "id": "single-task", "createdAt": 1784077200000, "cwd": "/home/dev/notes",
        "delegationDepth": 0,
    }  # fmt: skip
    turns = [line for line in lines if line["type"] in ("turn/start", "turn/end", "session/end-seed")]
    assert [(line["type"], line["time"], line["data"].get("turn")) for line in turns] == [
        ("turn/start", 1784077200000, 1), ("turn/end", 1784077205120, 1), ("session/end-seed", 1784086200000, None),
        ("turn/start", 1784086200000, 2), ("turn/end", 1784086205120, 2),
    ]  # fmt: skip
    assert {line["data"]["reason"]["kind"] for line in turns if line["type"] == "turn/end"} == {"completed"}
    texts = [line["data"]["content"][0]["text"].split("\n") for line in lines if line["type"] == "user/message"]
    assert [(text[0], text[-1]) for text in texts if len(text) == 3] == [
        (
            f"Time sampled while preparing turn {turn}, step {step}: 2026-07-15T{time}+08:00[Asia/Shanghai]",
            f"Elapsed since the preceding {since}.",
        )
        for turn, step, time, since in [
            (1, 1, "09:00:00", "model-visible message: unavailable"),
            (1, 2, "09:00:03", "step context: 3s"),
            (2, 1, "11:30:00", "model-visible message: 2h 29m 54s"),
            (2, 2, "11:30:03", "step context: 3s"),
        ]
    ]

    session = read_session(path, strict=True, check=True)
    assert (session.problems, check_session(session, companion=True)) == ((), ())
    assert [(turn.turn, len(turn.steps), turn.reason) for turn in session.turns] == [
        (1, 2, "completed"),
        (2, 2, "completed"),
    ]
    reasons = [event.data.reason for event in session.events if isinstance(event, RequestHeader)]
    assert reasons == ["initial", "resume"]
    again = replay_session(session, as_recorded(session))
    own = [
        event.data.content[0]["text"]
        for event in session.events
        if isinstance(event, UserMessage) and event.data.source["kind"] == "plugin"
    ]
    assert ([reading.text for reading in again.readings], len(own)) == (own, 4)


def test_json_holds_what_happened_in_this_run(tmp_path: Path) -> None:
    """Turns, steps, readings and compactions since it began; the second run says what it found."""
    script = SCRIPTS / "single-task.yaml"
    first = run_json("run", script, "--root", tmp_path)
    second = run_json("run", script, "--root", tmp_path, "--start", "1784086200000")
    session = inspect_log(tmp_path, "single-task")
    (path,) = tmp_path.rglob("session.jsonl.zstd")
    assert {name: first[name] for name in ("session", "path", "resumed", "repair", "first_seq", "crashed")} == {
        "session": "single-task", "path": str(path), "resumed": False, "repair": None, "first_seq": 0, "crashed": False,
    }  # fmt: skip
    assert first["turns"] == [
        {"turn": 1, "start_ms": 1784077200000, "end_ms": 1784077205120, "reason": "completed"},
    ]  # fmt: skip
    assert first["steps"] == [
        {"turn": 1, "step": 1, "start_ms": 1784077200000, "end_ms": 1784077203120, "requests": 1},
        {"turn": 1, "step": 2, "start_ms": 1784077203120, "end_ms": 1784077205120, "requests": 1},
    ]
    assert [(each["turn"], each["step"], each["time_ms"]) for each in first["readings"]] == [
        (1, 1, 1784077200000), (1, 2, 1784077203120),
    ]  # fmt: skip
    assert (first["compactions"], first["warnings"]) == ([], [])
    assert (second["resumed"], second["repair"]["closing_events"]) == (True, 0)
    assert [(each["turn"], each["start_ms"]) for each in second["turns"]] == [(2, 1784086200000)]
    assert second["first_seq"] == session.turns[1].start_seq - 1
    assert [each["turn"] for each in second["readings"]] == [2, 2]
    assert second["readings"][0]["text"].endswith("message: 2h 29m 54s.")
    assert second["events"] == len(session.events)


def test_a_session_without_a_start_goes_on_from_its_last_event(tmp_path: Path) -> None:
    """No time has passed between the two runs."""
    script = SCRIPTS / "single-task.yaml"
    run("run", script, "--root", tmp_path)
    found = run_json("run", script, "--root", tmp_path)
    assert found["turns"][0]["start_ms"] == 1784077205120
    assert found["readings"][0]["text"].endswith("message: 0s.")


def test_a_script_that_ends_the_process_leaves_a_session_to_take_up_again(tmp_path: Path) -> None:
    """Status 1, and the next run closes what was open before it goes on."""
    script = SCRIPTS / "crash.yaml"
    result = run("run", script, "--root", tmp_path)
    assert result.exit_code == 1
    assert result.stderr == "warning: the process ended here, as the script says; run it again to go on\n"
    assert result.stdout.splitlines()[-2:] == ["  interrupted after 4s", "1 turn, 2 steps, 2 readings, 0 compactions"]
    taken_up = run("run", script, "--root", tmp_path).stdout.splitlines()[0]
    assert "crash, taken up again after 24 events, 2 of them to close what was left open: " in taken_up
    again = run_json("run", script, "--root", tmp_path, status=1, silent=False)
    assert (again["resumed"], again["repair"]["closing_events"], again["crashed"]) == (True, 2, True)
    session = inspect_log(tmp_path, "crash")
    assert [turn.reason for turn in session.turns] == ["interrupted"] * 3
    assert check_session(session) == ()


def test_compactions_are_told_where_they_happened(tmp_path: Path) -> None:
    """Under pressure, inside a step, and between turns."""
    found = run_json("run", SCRIPTS / "small-window.yaml", "--root", tmp_path)
    assert [(each["turn"], each["shadowed_nodes"], each["error"]) for each in found["compactions"]] == [
        (1, 6, None), (2, 11, None), (None, 2, None),
    ]  # fmt: skip
    lines = run("run", SCRIPTS / "small-window.yaml", "--root", tmp_path / "other").stdout.splitlines()
    assert [line for line in lines[1:] if "compaction" in line] == [
        "  a compaction replaced 6 messages, 1 reading among them",
        "  a compaction replaced 11 messages",
        "  a compaction replaced 2 messages, 1 reading among them",
        "3 turns, 8 steps, 2 readings, 3 compactions",
    ]


SHORTENED = """
session: a
time_zone: UTC
context_window: 600
compaction:
  settings: {thresholdRatio: 0.5}
  pruning: {thresholdChars: 200, headChars: 80, tailChars: 40}
  summary: LONG
prompts:
  - {say: hi, replies: [{calls: [{result: LONG}]}, {text: LONG}]}
  - {say: hi}
""".replace("LONG", "'" + 60 * "many words " + "'")


def test_shortened_results_and_failed_compactions_are_told(tmp_path: Path) -> None:
    """The one with its size so far, the other with its reason, which the warning repeats."""
    result = run("run", written(tmp_path, SHORTENED), "--root", tmp_path / "root")
    told = [line for line in result.stdout.splitlines()[1:] if line.startswith("  a ")]
    assert (told[0], told[1].partition(":")[0]) == (
        "  a tool result of 177 tokens was shortened", "  a compaction failed",
    )  # fmt: skip
    assert result.stderr.startswith("warning: turn 2, step 1: compaction failed, the turn goes on: ")


def test_what_went_wrong_is_told_too(tmp_path: Path) -> None:
    """Failed requests, stopped answers, refused prompts; control characters stand as escapes."""
    lines = run("run", SCRIPTS / "what-goes-wrong.yaml", "--root", tmp_path).stdout.splitlines()
    assert [line.strip() for line in lines if line.startswith("  ") and not line.startswith(("   ", "  step"))] == [
        "completed after 15s", "stopped at its cap of tokens after 20s", "aborted after 9s", "aborted after 2s",
        "blocked after 0s", "failed (browser zone is unknown: 'Mars/Olympus'; expected an IANA name) after 0s",
        "completed after 2s", "failed (the key has expired) after 2s",
    ]  # fmt: skip
    assert [line.strip() for line in lines if "request failed" in line or "cut off" in line] == [
        "request failed: upstream connect error", "request failed: upstream connect error",
        "answered (cut off): Invoices are named by date and sender, one file", "request failed: the key has expired",
    ]  # fmt: skip
    odd = written(tmp_path, 'session: odd\ntime_zone: UTC\nprompts: [{say: "a\\eb", replies: [{text: "\\u202e"}]}]')
    told = run("run", odd, "--root", tmp_path).stdout
    assert ("\x1b" in told, "\u202e" in told, "asked: a\\x1bb" in told) == (False, False, True)


def test_a_warning_goes_to_standard_error(tmp_path: Path) -> None:
    """What was survived is told at the end."""
    script = written(tmp_path, "session: a\nprompts: [{say: hi, replies: [{before: reject}, {text: unused}]}]")
    result = run("run", script, "--root", tmp_path)
    assert (result.exit_code, result.stderr) == (
        0,
        "warning: between turns: replies that nothing asked for: 1\n",
    )


def test_the_clock_is_the_scripts_whatever_the_machine_s_says(tmp_path: Path) -> None:
    """Two runs give the same bytes."""
    paths = []
    for name in ("one", "other"):
        run("run", SCRIPTS / "two-turns.yaml", "--root", tmp_path / name, "--raw")
        paths.append(next((tmp_path / name).rglob("session.jsonl")))
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file or directory"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"session: a", "not a script: object missing required field prompts"),
        (b"session: a\nprompts: [{say: hi, after: soon}]", "not a script: at prompts[0].after: not a duration: 'soon'"),
    ],
    ids=["no file", "no text", "no prompts", "no duration"],
)
def test_a_script_that_cannot_be_played_is_one_line(tmp_path: Path, text: bytes | None, message: str) -> None:
    """Status 2, the file and the field, and nothing is written."""
    script = tmp_path / "x.yaml"
    if text is not None:
        script.write_bytes(text)
    result = run("run", script, "--root", tmp_path / "root")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"timectx run: {script}: {message}")
    assert not (tmp_path / "root").exists()


def test_a_session_that_has_a_writer_is_one_line(tmp_path: Path) -> None:
    """Two agents never write one log."""
    run("run", SCRIPTS / "single-task.yaml", "--root", tmp_path)
    with load_log(tmp_path, "single-task"):
        result = run("run", SCRIPTS / "single-task.yaml", "--root", tmp_path)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("timectx run: ")


def test_a_root_whose_other_sessions_are_stored_in_another_way_is_one_line(tmp_path: Path) -> None:
    """A folder holds plain logs or compressed ones."""
    run("run", SCRIPTS / "single-task.yaml", "--root", tmp_path)
    result = run("run", SCRIPTS / "two-turns.yaml", "--root", tmp_path, "--raw")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("timectx run: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "missing option '--root'"),
        (("--root", "x", "--start", "yesterday"), "invalid value for '--start': not an instant: 'yesterday'"),
    ],
    ids=["no root", "no instant"],
)
def test_a_wrong_option_is_one_line(options: tuple[str, ...], message: str) -> None:
    """It names the option."""
    result = run("run", SCRIPTS / "single-task.yaml", *options)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"timectx run: {message}")


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    result = run("run", SCRIPTS / "single-task.yaml", "--root", blocked)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert os.fspath(blocked) in result.stderr

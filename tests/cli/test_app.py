"""Test what happens between typing a command and its work: help, suggestions, refusals, exit status."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.logs import one_turn, run
from timectx.cli import main

ROOT = Path(__file__).parents[2]
DURATIONS = "expected 0, or numbers with d, h, m, s or ms, as in 10m or 1h 30m"


def test_every_command_has_its_help() -> None:
    """Help works everywhere, with a sentence for the command and each of its options."""
    assert sorted(main.commands) == ["check", "format", "inspect", "replay", "run", "samples", "tune"]
    for name, command in main.commands.items():
        result = run(name, "--help")
        assert (result.exit_code, result.stderr) == (0, "")
        assert command.short_help
        assert run(name, "-h").stdout == result.stdout
    assert all(f"  {name} " in run("--help").stdout for name in main.commands)


def test_the_name_alone_prints_the_help() -> None:
    """Whoever types only the name learns the commands; it is no success."""
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Commands:" in result.stderr


def test_the_version_is_that_of_the_project() -> None:
    """--version and pyproject.toml agree."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert run("--version").stdout == f"timectx {version}\n"


@pytest.mark.parametrize(
    ("arguments", "command", "reason"),
    [
        ("tun x", "timectx", "no such command 'tun'; did you mean one of: 'run', 'tune'?"),
        ("fly", "timectx", "no such command 'fly';"),
        ("--jsn tune", "timectx", "no such option '--jsn';"),
        ("tune --budgt 1% x", "timectx tune", "no such option '--budgt'; did you mean '--budget'?"),
        ("tune", "timectx tune", "missing argument 'PATH...';"),
        ("replay a b --interval 0", "timectx replay", "got unexpected extra argument (b);"),
        ("tune x --interval", "timectx tune", "option '--interval' requires an argument;"),
        (
            "tune x --edition old",
            "timectx tune",
            "invalid value for '--edition': 'old' is not one of 'note', 'note-v2', 'readme', 'current';",
        ),
    ],
    ids=["command", "far command", "option before", "option", "no path", "too many", "no value", "edition"],
)
def test_a_wrong_call_is_answered_in_one_line_with_the_cure(arguments: str, command: str, reason: str) -> None:
    """Status 2, the command, what was wrong, a near word where there is one, and where to read on."""
    result = run(*arguments.split())
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"{command}: {reason} see {command} --help\n")


@pytest.mark.parametrize("value", ["-5s", "-1", "0.5", "true", "True", "nan", "1e3", "10", "", "ten minutes", "5x"])
def test_an_interval_that_is_none_is_refused_with_examples(value: str) -> None:
    """Negative, fractional, boolean and unitless values name themselves and the right form."""
    reason = f"invalid value for '--interval': not a duration: {value!r}; {DURATIONS}"
    for command in ("tune", "replay"):
        result = run(command, "x", "--interval", value)
        line = f"timectx {command}: {reason}; see timectx {command} --help\n"
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", line)


def test_an_interval_finer_than_a_millisecond_is_refused() -> None:
    """What a log cannot hold is said to be just that."""
    result = run("tune", "x", "--interval", "0,0.5ms")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("timectx tune: invalid value for '--interval': not a whole number of milliseconds")
    assert ("'0.5ms'" in result.stderr, result.stderr.count("\n")) == (True, 1)


@pytest.mark.parametrize("zone", ["Mars/Base", "中国标准时间", "CEST", '"Europe/Berlin"', "UTC ", ""])
def test_an_impossible_zone_is_refused_by_name(zone: str) -> None:
    """The value stands in the one line, and no other zone takes its place."""
    for command in (("tune", "x"), ("replay", "x", "--interval", "0"), ("format", "0")):
        result = run(*command, "--zone", zone)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"timectx {command[0]}: invalid value for '--zone': ")
        assert (repr(zone) in result.stderr, result.stderr.count("\n")) == (True, 1)


def test_control_characters_in_arguments_are_printed_as_text() -> None:
    """What a shell passed on cannot steer the terminal."""
    result = run("tune", "--zone", "\x1b[31m", "x")
    assert "\x1b" not in result.stderr
    assert "\\x1b[31m" in result.stderr


def test_a_refusal_survives_an_encoding_without_its_characters() -> None:
    """In plain ASCII a foreign name stands as escapes."""
    done = subprocess.run(
        [sys.executable, "-c", "from timectx.cli import main; main()", "tune", "x", "--zone", "中国"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "\\u4e2d\\u56fd" in done.stderr


VALUES = st.sampled_from([None, True, -1, 0, 1.5, "x", [], {}, 10**20, -(10**15)])


@given(st.integers(0, 29), st.data())
@settings(max_examples=40)
def test_no_damage_to_a_log_ends_in_a_traceback(at: int, data: st.DataObject) -> None:
    """Whatever one value of one line turns into, every command answers with status 0 or 1."""
    log = one_turn(interval_ms=60_000)
    place: dict[str, object] = log.records[at % len(log.records)]
    key = data.draw(st.sampled_from(sorted(place)))
    inner = place[key]
    if isinstance(inner, dict) and inner and data.draw(st.booleans()):
        place, key = inner, data.draw(st.sampled_from(sorted(inner)))
    place[key] = data.draw(VALUES)
    with tempfile.TemporaryDirectory() as folder:
        path = log.write(Path(folder) / "a.jsonl")
        for command in ("tune", "inspect", "check --companion", "replay --as-recorded"):
            assert run(*command.split(), path, "--json").exit_code in (0, 1)


def test_a_directory_without_sessions_and_a_missing_file_are_faults_of_the_input(tmp_path: Path) -> None:
    """Every command that takes paths names the place, and ends with status 1."""
    for command in (("tune",), ("inspect",), ("check",), ("replay", "--interval", "0")):
        for path in (tmp_path, tmp_path / "missing.jsonl"):
            result = run(*command, path)
            assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
            assert result.stderr.startswith(f"{path}: ")


@pytest.mark.parametrize("command", ["tune", "inspect", "check", "replay"])
def test_an_empty_path_is_a_wrong_call(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the folder one happens to be in."""
    one_turn().write(tmp_path / "a.jsonl")
    monkeypatch.chdir(tmp_path)
    result = run(command, "")
    argument = "FILE" if command == "replay" else "PATH..."
    reason = f"invalid value for '{argument}': an empty path; expected the name of a file or folder"
    expected = f"timectx {command}: {reason}; see timectx {command} --help\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)


@pytest.mark.parametrize("option", ["--zone", "--interval"])
def test_a_value_of_megabytes_is_not_repeated_in_full(option: str) -> None:
    """The line shows how it begins and how it ends."""
    result = run("tune", "x", option, "y" * 10_000_000)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert (f"invalid value for '{option}': " in result.stderr, len(result.stderr) < 600) == (True, True)


def test_used_as_a_function_the_status_is_returned(tmp_path: Path) -> None:
    """Without click's standalone mode nothing exits, and refusals can be caught."""
    path = one_turn().write(tmp_path / "a.jsonl")
    assert main(["inspect", str(path)], standalone_mode=False) == 0
    assert main(["inspect", str(tmp_path / "missing")], standalone_mode=False) == 1
    with pytest.raises(click.ClickException) as caught:
        main(["fly"], standalone_mode=False)
    assert caught.value.exit_code == 2

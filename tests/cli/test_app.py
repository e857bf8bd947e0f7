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
    assert sorted(main.commands) == ["check", "format", "inspect", "replay", "samples", "tune"]
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
        ("tun x", "timectx", "no such command 'tun'; did you mean 'tune'?"),
        ("fly", "timectx", "no such command 'fly';"),
        ("--jsn tune", "timectx", "no such option '--jsn';"),
        ("tune --intervl 1m x", "timectx tune", "no such option '--intervl'; did you mean '--interval'?"),
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
            assert result.stderr.startswith(f"{path}:0: ")


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    """A pipe that closes after one line leaves no traceback."""
    path = one_turn().write(tmp_path / "a.jsonl")
    code = "from timectx.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "replay", str(path), "--interval", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=60)
    assert b"Traceback" not in errors


def test_used_as_a_function_the_status_is_returned(tmp_path: Path) -> None:
    """Without click's standalone mode nothing exits, and refusals can be caught."""
    path = one_turn().write(tmp_path / "a.jsonl")
    assert main(["inspect", str(path)], standalone_mode=False) == 0
    assert main(["inspect", str(tmp_path / "missing")], standalone_mode=False) == 1
    with pytest.raises(click.ClickException) as caught:
        main(["fly"], standalone_mode=False)
    assert caught.value.exit_code == 2


pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")


def on_a_terminal(*arguments: str, **environment: str) -> tuple[str, str]:
    """Run the command with a terminal of 200 columns as standard output and error, and return what each shows."""
    screens = [os.openpty(), os.openpty()]
    code = "from timectx.cli import main; main()"
    surroundings = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=screens[0][1],
        stderr=screens[1][1],
        cwd=ROOT,
        env={**surroundings, "COLUMNS": "200", "TERM": "xterm", **environment},
    )
    for _, inner in screens:
        os.close(inner)
    shown = [_read_all(outer) for outer, _ in screens]
    assert process.wait(timeout=60) == 0
    return shown[0], shown[1]


def _read_all(outer: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(outer, 65_536)
        except OSError:  # what Linux answers once the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(outer)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_progress_bar_and_a_marked_row(tmp_path: Path) -> None:
    """On a terminal the work shows, and the recommended row stands out."""
    path = one_turn().write(tmp_path / "a.jsonl")
    out, err = on_a_terminal("tune", str(path))
    assert "replaying" in err
    assert "\x1b[1m" in out


def test_no_color_is_honoured(tmp_path: Path) -> None:
    """With NO_COLOR the table is the plain one, character for character."""
    path = one_turn().write(tmp_path / "a.jsonl")
    out, _ = on_a_terminal("tune", str(path), NO_COLOR="1")
    assert out == run("tune", path).stdout

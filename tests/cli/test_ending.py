"""Test how a command ends whose output is not wanted any more, or cannot be kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.logs import one_turn, run
from timectx.cli.ending import BROKEN_PIPE, INTERRUPTED, let_go, why_lost

ROOT = Path(__file__).parents[2]
CODE = "from timectx.cli import main; main(prog_name='timectx')"
COMMANDS = ["tune samples:", "tune samples: --json", "inspect samples:", "check samples:", "samples", "--help"]
FULL = Path("/dev/full")


def start(command: str, *, code: str = CODE, **streams: Any) -> subprocess.Popen[str]:
    """Start the command line in a process of its own, its streams to be looked at."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([sys.executable, "-c", code, *command.split()], text=True, cwd=ROOT, **streams)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_went_away_is_no_fault(command: str) -> None:
    """Like any program whose pipe breaks: not a word, and the status shells know."""
    reading, writing = os.pipe()
    os.close(reading)
    process = start(command, stdout=writing)
    os.close(writing)
    assert (process.communicate(timeout=60)[1], process.returncode) == ("", BROKEN_PIPE)


def test_nobody_to_complain_to_is_no_fault_either() -> None:
    """With both streams in one broken pipe nothing is left but the status."""
    reading, writing = os.pipe()
    os.close(reading)
    process = start("tune samples:", stdout=writing, stderr=writing)
    os.close(writing)
    assert process.wait(timeout=60) == BROKEN_PIPE


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_one_line(command: str) -> None:
    """Status 2, and no traceback: the output is not what was asked for."""
    with FULL.open("w") as full:
        process = start(command, stdout=full)
        errors = process.communicate(timeout=60)[1]
    name = f"timectx {command.split()[0]}".removesuffix(" --help")
    expected = f"{name}: the output cannot be written: No space left on device\n"
    assert (process.returncode, errors) == (2, expected)


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", ["tune missing.jsonl", "fly"])
def test_complaints_that_cannot_be_written_end_quietly(command: str) -> None:
    """Status 2 is all that can be said."""
    with FULL.open("w") as full:
        assert start(command, stdout=subprocess.DEVNULL, stderr=full).wait(timeout=60) == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_output_is_one_line(command: str) -> None:
    """There is nothing to print to, so nothing is begun."""
    process = start(command, preexec_fn=lambda: os.close(1))
    expected = "timectx: the output cannot be written: standard output is closed; open it, or send it to /dev/null\n"
    assert (process.communicate(timeout=60)[1], process.returncode) == (expected, 2)


def test_a_closed_standard_error_changes_nothing_else(tmp_path: Path) -> None:
    """The table is the same without progress and complaints, and so is the status."""
    path = one_turn().write(tmp_path / "a.jsonl", tail=b"{")
    process = start(f"tune {path} missing.jsonl", preexec_fn=lambda: os.close(2))
    assert (process.communicate(timeout=60)[0], process.returncode) == (run("tune", path).stdout, 1)


def test_an_interrupt_ends_quietly() -> None:
    """Ctrl-C is no fault of the program: no traceback, no word, the status of the signal."""
    code = (
        "import os, signal, timectx.cli.tune as tune; from timectx.cli import main; "
        "tune.find_files = lambda paths: os.kill(os.getpid(), signal.SIGINT); main(prog_name='timectx')"
    )
    process = start("tune x", code=code)
    assert (*process.communicate(timeout=60), process.returncode) == ("", "", INTERRUPTED)
    assert INTERRUPTED == 128 + signal.SIGINT


def test_an_interrupt_while_the_program_loads_ends_quietly_too() -> None:
    """Ctrl-C before there is any command is no traceback of imports either."""
    code = (
        "import sys, timectx.__main__ as program\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'timectx.cli.tune':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "program.main()"
    )
    process = start("tune samples:", code=code)
    assert (*process.communicate(timeout=60), process.returncode) == ("", "", INTERRUPTED)


def test_the_statuses_are_in_the_help() -> None:
    """Whoever calls the command from a script finds what each status means."""
    text = " ".join(run("--help").stdout.split())
    assert f"{INTERRUPTED} stopped by Ctrl-C; {BROKEN_PIPE} whoever read the output went away" in text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device"), "the output cannot be written: No space left on device"),
        (OSError("odd"), "the output cannot be written: odd"),
        (PermissionError(13, "Permission denied", "a.txt"), "a.txt: Permission denied"),
    ],
    ids=["output", "no number", "a file"],
)
def test_an_error_names_its_file_or_else_the_output(error: OSError, words: str) -> None:
    """Only errors of writing what is printed have no file name."""
    assert why_lost(error) == words


def test_streams_without_a_file_behind_them_are_let_go_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A closed stream, and one in memory, hold nothing that could still fail."""
    let_go(None, sys.stdout)
    print("still here")
    assert capsys.readouterr().out == "still here\n"

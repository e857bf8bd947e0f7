"""Test what a person sees on a terminal of any width."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.logs import one_turn, run

termios = pytest.importorskip("termios", reason="no pseudo-terminals on this system")

ROOT = Path(__file__).parents[2]
_DECIDING = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
"""Settings of whoever runs the tests that would decide how it looks."""


def on_a_terminal(*arguments: str, columns: int = 200, **environment: str) -> tuple[str, str]:
    """Run the command with terminals as standard output and error, and return what each shows."""
    screens = [os.openpty(), os.openpty()]
    for _, inner in screens:
        termios.tcsetwinsize(inner, (24, columns))
    code = "from timectx.cli import main; main()"
    surroundings = {name: value for name, value in os.environ.items() if name not in _DECIDING}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=screens[0][1],
        stderr=screens[1][1],
        cwd=ROOT,
        env={**surroundings, "TERM": "xterm", **environment},
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
    assert "measuring" in err
    assert re.search(r"1 file under 11 scenarios in [0-9]+\.[0-9] s\n", err)
    assert "\x1b[1m" in out


def test_no_color_is_honoured(tmp_path: Path) -> None:
    """With NO_COLOR the table is the plain one, character for character."""
    path = one_turn().write(tmp_path / "a.jsonl")
    out, _ = on_a_terminal("tune", str(path), NO_COLOR="1")
    assert out == run("tune", path).stdout


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 100, 120])
@pytest.mark.parametrize(
    "command",
    [
        "tune samples:dst-fold --interval 0,1m,1h",
        "inspect samples:",
        "replay samples:bug-hunt --interval 1m",
        "samples",
    ],
)
def test_no_terminal_is_too_narrow_for_a_figure(command: str, columns: int) -> None:
    """Every cell of the wide table is on the narrow terminal, whole."""
    whole = run(*command.split()).stdout
    shown, _ = on_a_terminal(*command.split(), columns=columns, NO_COLOR="1")
    cells = {cell.strip() for line in whole.splitlines() for cell in line.split("   ") if "─" not in cell}
    flat = " ".join(shown.split())
    assert sorted(cell for cell in cells if " ".join(cell.split()) not in flat and cell not in _head_lines(whole)) == []


def _head_lines(text: str) -> set[str]:
    """Return the parts of heads of two lines, which stand on one line where cells stand below each other."""
    lines = text.splitlines()
    rules = [at for at, line in enumerate(lines) if "─" in line]
    return {cell.strip() for at in rules for line in lines[max(at - 2, 0) : at] for cell in line.split("   ")}


def test_a_table_in_parts_names_its_rows_in_each() -> None:
    """At 80 columns the comparison is two tables, both with the interval."""
    out, _ = on_a_terminal("tune", "samples:", "--interval", "0,1m", columns=80, NO_COLOR="1")
    assert [line.split()[:2] for line in out.splitlines() if line.lstrip().startswith(("interval", "1m "))] == [
        ["interval", "readings"],
        ["1m", "166"],
        ["interval", "steps"],
        ["1m", "0"],
    ]

"""Hold the Makefile and the CI script to what people rely on."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = {"help", "tune", "test", "check", "bench", "lab", "data", "clean"}

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without the settings of a make around it."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=folder, env=surroundings, timeout=60
    )


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in the project's folder."""
    return run("make", *arguments, folder=ROOT)


def ci_run(folder: Path, recipe: str) -> subprocess.CompletedProcess[str]:
    """Run the CI script in a folder whose ``make test`` is one recipe."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "Makefile").write_text(f"test:\n\t{recipe}\n", encoding="utf-8")
    return run(folder / ".ci" / "run", folder=Path("/"))


def test_make_alone_lists_the_targets() -> None:
    """``make`` without a target explains every target people need, one a line."""
    done = make()
    lines = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert {line[0] for line in lines} == {"make"}
    assert {line[1] for line in lines if len(line) == 3} >= NEEDED


def test_test_runs_check_and_pytest_in_that_order() -> None:
    """``make test`` is every check, then the tests; nothing else has to be remembered."""
    done = make("--dry-run", "--assume-old=.venv/.installed-all", "test")
    steps = [line.removeprefix(".venv/bin/").split()[:3] for line in done.stdout.splitlines() if ".venv/bin/" in line]
    assert steps == [
        ["ruff", "format", "--check"],
        ["ruff", "check", "."],
        ["mypy", "--strict", "timectx"],
        ["lint-imports", "--no-logo"],
        ["python", "-m", "tests.house.docstrings"],
        ["python", "-m", "pytest"],
    ]


def test_a_change_of_pins_installs_again() -> None:
    """Both stamps depend on the bounds and on the pins."""
    for stamp in (".venv/.installed-core", ".venv/.installed-all"):
        for cause in ("pyproject.toml", "constraints.txt"):
            assert "--constraint constraints.txt" in make("--dry-run", f"--what-if={cause}", stamp).stdout


def test_ci_prints_the_closing_line_of_pytest_last(tmp_path: Path) -> None:
    """Whatever follows pytest, its closing line is the last one; the status is that of make."""
    done = ci_run(tmp_path, "@echo '=== 3 passed, 1 skipped in 0.82s ==='; echo afterwards")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "=== 3 passed, 1 skipped in 0.82s ===")


def test_ci_fails_when_make_fails(tmp_path: Path) -> None:
    """A failing target makes the script fail, even where the tests passed."""
    done = ci_run(tmp_path, "@echo '=== 3 passed in 0.82s ==='; exit 1")
    assert (done.returncode != 0, done.stdout.splitlines()[-1]) == (True, "=== 3 passed in 0.82s ===")


def test_ci_says_so_when_pytest_never_ran(tmp_path: Path) -> None:
    """Without a closing line the last line says that there is none."""
    done = ci_run(tmp_path, "@exit 1")
    assert (done.returncode != 0, done.stdout.splitlines()[-1].split(":")[0]) == (True, "pytest did not run")


@pytest.mark.parametrize(("given", "seen"), [(None, "neighbour"), ("elsewhere", "elsewhere"), ("", "")])
def test_ci_takes_transcripts_that_lie_beside_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | None, seen: str
) -> None:
    """The folder beside the project is used where it exists, and a set variable, even an empty one, is left alone."""
    project, neighbour = tmp_path / "project", tmp_path / "shared" / "transcripts"
    project.mkdir()
    neighbour.mkdir(parents=True)
    monkeypatch.delenv("TIMECTX_TRANSCRIPTS", raising=False)
    if given is not None:
        monkeypatch.setenv("TIMECTX_TRANSCRIPTS", given)
    done = ci_run(project, '@echo "<$$TIMECTX_TRANSCRIPTS>"; echo "1 passed in 0.01s"')
    shown = done.stdout.splitlines()[0].strip("<>")
    assert (Path(shown).resolve() == neighbour.resolve()) if seen == "neighbour" else (shown == seen)

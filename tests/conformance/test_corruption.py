"""Show that a wrong row is noticed: with one value changed in a copy of the rows, the tests that read it fail."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.rows import folder, logs, text

ROOT = Path(__file__).parents[2]


def change_text(row: Any) -> Any:
    """Lengthen the text a row expects."""
    return {**row, "text": row["text"] + "x"}


def change_price(row: Any) -> Any:
    """Raise the price a row expects."""
    return {**row, "tokens": row["tokens"] + 1}


def change_reading(row: Any) -> Any:
    """Change the id of what a row's first reading says of its source."""
    results = json.loads(json.dumps(row["results"]).replace("time-context", "time-contexts", 1))
    return {**row, "results": results}


def change_surface(row: Any) -> Any:
    """Count one replacement more."""
    return {**row, "replaceGeneration": row["replaceGeneration"] + 1}


CHANGES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("durations.jsonl", "test_reading.py", change_text),
    ("timestamps.jsonl", "test_reading.py", change_text),
    ("tokens.jsonl", "test_tokens.py", change_price),
    ("schedule.jsonl", "test_schedule.py", change_reading),
    ("session_append.jsonl", "test_session_append.py", change_surface),
]


def run_on(rows: Path, test: str) -> str:
    """Run one file of these tests on other rows and return pytest's closing line."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/conformance/{test}"]
    environment = {**os.environ, "TIMECTX_VECTORS": str(rows)}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    return run.stdout.splitlines()[-1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the rows in force."""
    return Path(shutil.copytree(folder(), tmp_path / "rows", ignore=shutil.ignore_patterns("logs")))


@pytest.mark.parametrize(("name", "test", "change"), CHANGES, ids=[name for name, _, _ in CHANGES])
def test_one_changed_row_makes_the_tests_fail(copy: Path, name: str, test: str, change: Callable[[Any], Any]) -> None:
    """The first row of each file, changed in one value, is one failure."""
    lines = [line for line in text(name).split("\n") if line]
    at = next(at for at, line in enumerate(lines) if change is not change_text or "text" in json.loads(line))
    lines[at] = json.dumps(change(json.loads(lines[at])))
    (copy / f"{name}.gz").unlink(missing_ok=True)
    (copy / f"{name}.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (copy / name).unlink(missing_ok=True)
    assert "1 failed" in run_on(copy, test)


def test_one_changed_log_makes_the_tests_fail(copy: Path) -> None:
    """A log case whose expected events differ in one time is a failure."""
    (copy / "logs.tar.gz").unlink(missing_ok=True)
    shutil.copytree(logs(), copy / "logs")
    place = copy / "logs" / "legacy-shapes" / "expected.json"
    expected = json.loads(place.read_text(encoding="utf-8"))
    (session,) = expected["sessions"].values()
    session["inspect"]["events"][0]["time"] += 1
    place.write_text(json.dumps(expected), encoding="utf-8")
    assert "1 failed" in run_on(copy, "test_logs.py")


def test_the_rows_as_they_are_make_the_tests_pass(copy: Path) -> None:
    """The copy itself is no reason to fail."""
    assert "failed" not in run_on(copy, "test_tokens.py")

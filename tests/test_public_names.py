"""Hold ``timectx.__all__`` to what the documents promise, and subpackages to their names."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import timectx

ROOT = Path(__file__).parents[1]
NAMES = [
    "format_timestamp",
    "format_duration",
    "canonical_zone",
    "process_zone",
    "BrowserZone",
    "Reading",
    "format_reading",
    "parse_reading",
    "Session",
    "read_session",
    "read_sessions",
    "synthetic_session",
    "Scenario",
    "Compaction",
    "replay_session",
    "as_recorded",
    "steps_frame",
    "readings_frame",
    "attempts_frame",
    "compactions_frame",
    "requests_frame",
    "measures_frame",
    "describe_columns",
    "compare_runs",
    "sweep_sessions",
    "totals_frame",
    "tune",
    "fixed_clock",
    "system_clock",
    "frozen_clock",
]
HEAVY = {"dask", "freezegun", "ipywidgets", "matplotlib", "numba", "numpy", "pandas", "click", "rich"}


def test_the_public_names_are_these() -> None:
    """Users' notebooks rely on them: adding one is free, taking one away is not."""
    assert timectx.__all__ == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_a_documented_function_or_class(name: str) -> None:
    """None is a module, each explains itself, and each says where it lives."""
    value = inspect.unwrap(getattr(timectx, name))
    assert inspect.isfunction(value) or inspect.isclass(value)
    assert value.__doc__
    assert value.__module__.startswith("timectx.")


def test_every_name_in_the_readme_exists() -> None:
    """The README's table of names promises nothing that is not there."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    promised = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert promised
    assert promised - set(NAMES) == set()


def test_no_public_name_takes_the_place_of_a_module() -> None:
    """``timectx.replay`` and its siblings stay packages, whatever they export."""
    script = (
        "import json, timectx, types; "
        "print(json.dumps([name for name in dir(timectx) if isinstance(getattr(timectx, name), types.ModuleType)]))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)
    modules = {each.name for each in pkgutil.iter_modules(timectx.__path__)}
    assert set(json.loads(done.stdout)) >= {"errors", "formats", "reading", "replay", "results", "session", "units"}
    assert modules & set(NAMES) == set()
    assert isinstance(timectx.replay, ModuleType)


def test_the_version_is_that_of_the_project() -> None:
    """One number, in the package and in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert timectx.__version__ == project["version"]


def test_importing_the_package_imports_nothing_that_a_caller_may_not_need() -> None:
    """Neither frames nor figures nor the command line come with ``import timectx``."""
    script = "import json, sys, timectx; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)
    assert HEAVY & set(json.loads(done.stdout)) == set()

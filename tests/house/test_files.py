"""Keep addresses, machine paths and neighbouring folders out of the project's files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MADE = {  # what tools make here, never committed
    ".benchmarks", ".eggs", ".git", ".hypothesis", ".import_linter_cache", ".ipynb_checkpoints", ".make", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".venv", "__pycache__", "build", "dist",
}  # fmt: skip
ADDRESS = re.compile(r"\b(?:https?|ftp|ssh|git\+[a-z]+):" + r"//\S+", re.IGNORECASE)
REGISTRY = re.compile(
    r"(?:pypi|pythonhosted|anaconda|npmjs|crates|rubygems|maven)" + r"\.(?:org|io|com|net)\b"
    r"|--(?:extra-)?index-" + r"url\b|--find-" + r"links\b|\b(?:PIP|UV)_[A-Z_]*INDEX",
    re.IGNORECASE,
)
NEIGHBOUR = re.compile(r"\.\./" + r"shared\b|\bspec/" + r"[A-Z]+\.md")
PATTERNS = {"address": ADDRESS, "registry": REGISTRY, "neighbour": NEIGHBOUR}
MAY_NAME_NEIGHBOURS = {".ci/run"}


def files() -> Iterator[Path]:
    """Yield every file of the project that is not made by a tool."""
    folders = [ROOT]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if path.name in MADE or path.name.endswith(".egg-info"):
                continue
            if path.is_dir():
                folders.append(path)
            else:
                yield path


def texts() -> Iterator[tuple[str, str]]:
    """Yield the relative name and content of every text file."""
    for path in files():
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            yield path.relative_to(ROOT).as_posix(), data.decode("utf-8", errors="replace")


def machine_paths() -> list[str]:
    """Return the folders of this machine that only its own files would name."""
    return [str(folder) for folder in (ROOT, Path.home()) if len(folder.parts) > 2]


def test_the_walk_finds_the_project() -> None:
    """The files looked at below are the project's own: its root files, package, tests and docs."""
    names = {name for name, _ in texts()}
    assert {".ci/run", "pyproject.toml", "timectx/units.py", "docs/design.md", "tests/house/test_files.py"} <= names
    assert not [name for name in names if name.startswith((".venv/", ".git/"))]


@pytest.mark.parametrize("kind", PATTERNS)
def test_no_file_names_a_host_or_a_neighbour(kind: str) -> None:
    """No file holds a network address, a package registry or the place of files outside the project."""
    allowed = MAY_NAME_NEIGHBOURS if kind == "neighbour" else set()
    found = [
        (name, match[0]) for name, text in texts() if name not in allowed for match in PATTERNS[kind].finditer(text)
    ]
    assert found == []


def test_no_file_names_a_folder_of_this_machine() -> None:
    """The checkout works wherever it lies, so no file knows where that is."""
    paths = machine_paths()
    found = [
        (name, path) for name, text in texts() for path in paths if re.search(re.escape(path) + r"(?![\w-])", text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("address", "see https:" + "//example.com/x"),
        ("registry", "--index-" + "url somewhere"),
        ("registry", "from pypi" + ".org"),
        ("neighbour", "cat ../" + "shared/notes"),
    ],
    ids=["address", "option", "host", "neighbour"],
)
def test_the_patterns_catch_what_they_are_for(kind: str, text: str) -> None:
    """Each pattern finds an example of its kind."""
    assert PATTERNS[kind].search(text)

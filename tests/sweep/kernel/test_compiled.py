"""Machine code is made when it is needed, kept in the cache folder, and forgotten when its source changes."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from timectx.sweep.flat.codes import KERNEL_COLUMNS
from timectx.sweep.flat.columns import COLUMN_NAMES
from timectx.sweep.kernel import compiled as compiling

LOADS = """
import sys
from timectx.replay import Scenario
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.running import run_columns
from timectx.sweep.kernel.compiled import compiled_kernel
from timectx.synthetic import synthetic_session
run_columns(columns_of(synthetic_session(1, steps=2), Scenario()), [Scenario()], compiled=True)
print(sum(compiled_kernel().stats.cache_hits.values()), sum(compiled_kernel().stats.cache_misses.values()))
"""


def test_every_module_whose_source_goes_into_the_machine_code_is_part_of_its_name() -> None:
    """What the kernel imports from, and what that imports from in turn, is digested."""
    found, waiting = set[str](), ["timectx.sweep.kernel.kernel", "timectx.sweep.kernel.sorting"]
    while waiting:
        name = waiting.pop()
        if name in found or not name.startswith(("timectx.sweep.", "timectx.cost.", "timectx.replay.")):
            continue
        found.add(name)
        if name.startswith("timectx.sweep."):  # the others' functions are leaves
            tree = ast.parse(inspect.getsource(importlib.import_module(name)))
            waiting += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    assert found == set(compiling.PARTS)


def test_another_source_has_another_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change in any part gives another folder, so that old machine code is never loaded."""
    monkeypatch.setenv("TIMECTX_CACHE_DIR", str(tmp_path))
    one, other = ModuleType("one"), ModuleType("other")
    one.__file__, other.__file__ = str(tmp_path / "one.py"), str(tmp_path / "other.py")
    folders = []
    for text in ("a = 1", "a = 2", "a = 1"):
        (tmp_path / "one.py").write_text("b = 1")
        (tmp_path / "other.py").write_text(text)
        folders.append(compiling.code_folder((one, other)))
    assert folders[0] == folders[2] != folders[1]
    assert folders[0].parent == tmp_path / "kernel"


def test_the_kernel_takes_columns_that_are_stored() -> None:
    """All but those that only Python needs."""
    left = set(COLUMN_NAMES) - set(KERNEL_COLUMNS)
    assert len(set(KERNEL_COLUMNS)) == len(KERNEL_COLUMNS)
    assert left == {"op_seq", "q_reported"}


def test_without_numba_nothing_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for, not imported."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not compiling.can_compile()


def test_asking_whether_something_is_compiled_compiles_nothing() -> None:
    """Nor does it import numba."""
    code = (
        "import sys, timectx.sweep.kernel.running as r; print(r.is_compiled(), r.can_compile(), 'numba' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split()[0] == "False"
    assert out.split()[2] == "False"


@pytest.mark.slow
def test_machine_code_is_loaded_by_the_next_process(compiled: bool, request: pytest.FixtureRequest) -> None:
    """What the tests of this folder compiled is there for a process of its own."""
    from timectx.replay import Scenario
    from timectx.sweep.flat.columns_of import columns_of
    from timectx.sweep.kernel.running import run_columns
    from timectx.synthetic import synthetic_session

    run_columns(columns_of(synthetic_session(1, steps=2), Scenario()), [Scenario()], compiled=compiled)
    folder = str(request.config.cache.mkdir("kernel"))
    done = subprocess.run(
        [sys.executable, "-c", LOADS],
        capture_output=True,
        text=True,
        check=True,
        env={"TIMECTX_CACHE_DIR": folder, "PATH": ""},
    )
    assert done.stdout.split() == ["1", "0"]


@pytest.mark.slow
def test_where_nothing_can_be_written_it_is_compiled_all_the_same(
    compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache folder that is a file keeps nothing."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TIMECTX_CACHE_DIR", str(tmp_path / "file"))
    assert callable(compiling.compiled_kernel.__wrapped__())

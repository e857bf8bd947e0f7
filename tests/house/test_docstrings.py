"""Show that the docstring check looks everywhere and finds what it should."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from tests.house import docstrings

GOOD = '''
    """
    Double a count.

    Parameters
    ----------
    count : int
        How many there are.

    Returns
    -------
    int
        Twice as many.
    """
'''


def check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, docstring: str) -> list[str]:
    """Return the faults of one function with a docstring, as code and name."""
    source = tmp_path / "sample_module.py"
    source.write_text(f"def double(count: int) -> int:{docstring}    return 2 * count\n", encoding="utf-8")
    module = types.ModuleType("sample_module")
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), vars(module))
    monkeypatch.setitem(sys.modules, "sample_module", module)
    return [fault.split()[1] for fault in docstrings.faults(["sample_module.double"])]


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("", "", []),
        ("count : int", "counts : int", ["PR01", "PR02"]),
        ("Double a", "Doubles a", ["SS05"]),
        ("count : int", "count", ["PR04"]),
        ("Returns\n    -------", "Notes\n    -----", ["RT01"]),
    ],
    ids=["good", "another name", "not imperative", "no type", "no returns"],
)
def test_a_docstring_that_disagrees_with_its_function_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, old: str, new: str, codes: list[str]
) -> None:
    """Names, types and sections of a docstring follow the signature."""
    assert check(monkeypatch, tmp_path, GOOD.replace(old, new) if old else GOOD) == codes


def test_the_check_looks_at_functions_classes_and_methods() -> None:
    """Public names are found wherever they are defined, members included, and each only once."""
    names = list(docstrings.public_names())
    assert {
        "timectx.units.parse_interval",
        "timectx.errors.ZoneError",
        "timectx.session.log.Session.turns",
    } <= set(names)
    assert len(names) == len(set(names))

"""Hold every public name to the numpydoc form; ``python -m tests.house.docstrings`` prints what is wrong."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from numpydoc.validate import ERROR_MSGS, validate

import timectx

ROOT = Path(__file__).parents[2]


def checks() -> set[str]:
    """Return the codes that count: all of numpydoc's but those that pyproject.toml switches off."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    every, *off = settings["tool"]["numpydoc_validation"]["checks"]
    assert every == "all"
    assert set(off) <= set(ERROR_MSGS), f"numpydoc knows no {set(off) - set(ERROR_MSGS)}"
    return set(ERROR_MSGS) - set(off)


def modules() -> Iterator[ModuleType]:
    """Yield the package and every module in it."""
    yield timectx
    for found in pkgutil.walk_packages(timectx.__path__, "timectx."):
        yield importlib.import_module(found.name)


def public_names() -> Iterator[str]:
    """Yield every public class, function, method and property once, where it is defined."""
    for module in modules():
        for name in getattr(module, "__all__", ()):
            value = inspect.unwrap(getattr(module, name)) if callable(getattr(module, name)) else None
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isclass(value):
                yield f"{module.__name__}.{name}"
                yield from (f"{module.__name__}.{name}.{member}" for member in public_members(value))
            elif inspect.isfunction(value):
                yield f"{module.__name__}.{name}"


def public_members(cls: type) -> Iterator[str]:
    """Yield the public methods and properties that a class itself defines."""
    for name, member in vars(cls).items():
        plain = getattr(member, "__func__", member)
        if not name.startswith("_") and (
            inspect.isfunction(plain) or hasattr(member, "func") or isinstance(member, property)
        ):
            yield name


def is_waived(name: str, code: str, documented: bool) -> bool:
    """
    Tell whether a fault is none.

    A record deep in the package may name its fields in a sentence; a class that lists them lists them all, and
    so does every class in ``timectx.__all__``.
    """
    module, _, last = name.rpartition(".")
    is_class = inspect.isclass(getattr(sys.modules.get(module), last, None))
    return code == "PR01" and is_class and not documented and last not in timectx.__all__


def faults(names: Iterable[str]) -> list[str]:
    """Return one line for each fault in the docstrings of some names."""
    wanted, found = checks(), []
    for name in names:
        result = validate(name)
        documented = re.search(r"^ *Parameters$", result["docstring"] or "", re.MULTILINE) is not None
        found += [
            f"{name}: {code} {message}"
            for code, message in result["errors"]
            if code in wanted and not is_waived(name, code, documented)
        ]
    return found


if __name__ == "__main__":
    everything = list(public_names())
    lines = faults(everything)
    print("\n".join(lines) or f"docstrings: {len(everything)} public names are in form")
    sys.exit(bool(lines))

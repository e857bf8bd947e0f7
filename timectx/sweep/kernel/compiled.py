"""Compile the kernel when it is first needed, and keep the machine code as long as its source stays the same."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from timectx.sweep.cache.folder import cache_root

__all__ = ["can_compile", "compiled_kernel", "is_compiled", "is_kept"]

PARTS: Final = (
    "timectx.cost.cache",
    "timectx.cost.rate_table",
    "timectx.replay.deliveries",
    "timectx.replay.policies",
    "timectx.replay.reading_prices",
    "timectx.sweep.kernel.asking",
    "timectx.sweep.flat.codes",
    "timectx.sweep.kernel.compacting",
    "timectx.sweep.kernel.holding",
    "timectx.sweep.kernel.marking",
    "timectx.sweep.kernel.ordering",
    "timectx.sweep.kernel.passing",
    "timectx.sweep.kernel.relieving",
    "timectx.sweep.kernel.sorting",
    "timectx.sweep.kernel.kernel",
)
"""The modules whose functions and numbers the kernel takes in: machine code is kept by the digest of their sources."""

_FOLDER: Final = "kernel"
_OPTIONS: Final = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""No kernel makes an array, so none has to count who holds one."""


def can_compile() -> bool:
    """
    Tell whether numba is installed.

    Returns
    -------
    bool
        Found out without importing it.
    """
    return importlib.util.find_spec("numba") is not None


def is_compiled() -> bool:
    """
    Tell whether the kernel has been compiled, or its machine code loaded, by this process.

    Returns
    -------
    bool
        True after the first call of `compiled_kernel`.
    """
    return compiled_kernel.cache_info().currsize > 0


def is_kept() -> bool:
    """
    Tell whether machine code of this kernel lies in the cache folder.

    Returns
    -------
    bool
        True where loading it is most of what `compiled_kernel` has to do; found out without importing numba.
    """
    try:
        return any(code_folder(importlib.import_module(name) for name in PARTS).rglob("*.nbc"))
    except (OSError, RuntimeError):
        return False


def code_folder(modules: Iterable[ModuleType]) -> Path:
    """
    Return where machine code of some modules is kept.

    Parameters
    ----------
    modules : iterable of module
        Whose sources it is made of.

    Returns
    -------
    Path
        In the user's cache folder, named after the digest of all sources.
    """
    digest = sha256()
    for module in modules:
        digest.update(Path(module.__file__ or "").read_bytes())
    return cache_root() / _FOLDER / digest.hexdigest()[:16]


@cache
def compiled_kernel() -> Any:
    """
    Compile the kernel, or load what was compiled before.

    Returns
    -------
    callable
        As `timectx.sweep.kernel.kernel.replay_lanes`, with arrays for sequences.

    Raises
    ------
    ImportError
        Where numba is not installed.

    Notes
    -----
    What a function calls is no part of what numba compares before it loads old machine code, and an installation may be
    read-only; so machine code lies in the user's cache folder, in a place named after the digest of all sources. Where
    nothing can be written it is compiled anew by each process.
    """
    numba: Any = importlib.import_module("numba")
    modules = {name: importlib.import_module(name) for name in PARTS}
    kernel, sorting = modules["timectx.sweep.kernel.kernel"], modules["timectx.sweep.kernel.sorting"]
    part = numba.njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    entry = _jitted(kernel.replay_lanes, {"order": part(_jitted(sorting.order, {}, part))}, part)
    kept_in, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(code_folder(modules.values()))
    try:
        return numba.njit(**_OPTIONS, cache=True)(entry)
    except RuntimeError:  # no place to keep it
        return numba.njit(**_OPTIONS)(entry)
    finally:
        numba.config.CACHE_DIR = kept_in


def _jitted(function: Any, jitted: dict[str, Any], compile_it: Callable[[Any], Any]) -> FunctionType:
    """Return a copy of a function that calls compiled functions in place of the plain ones it names."""
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        named = names.get(name)
        if isinstance(named, FunctionType):
            if name not in jitted:
                jitted[name] = compile_it(_jitted(named, jitted, compile_it))
            names[name] = jitted[name]
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy

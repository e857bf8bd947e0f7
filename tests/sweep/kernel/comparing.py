"""Compare what a kernel measures with what replays and bills say, value by value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from timectx.replay import Scenario
from timectx.session import Session
from timectx.sweep.flat.codes import MISSING
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.lanes import misfit
from timectx.sweep.kernel.running import run_columns
from timectx.sweep.replayed import replay_columns

__all__ = ["assert_equal", "assert_kernel_equals_replay", "plain_values"]


def plain_values(measured: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return measured columns as lists of plain values, None for what is not there."""
    return {name: [_plain(value) for value in values] for name, values in measured.items()}


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    is_missing = value == MISSING or (isinstance(value, float) and math.isnan(value))
    return None if is_missing else value


def assert_equal(found: Mapping[str, Sequence[Any]], expected: Mapping[str, Sequence[Any]]) -> None:
    """Hold all columns of one to those of the other."""
    one, other = plain_values(found), plain_values(expected)
    assert one.keys() == other.keys()
    differing = {name: (one[name], other[name]) for name in one if one[name] != other[name]}
    assert differing == {}


def assert_kernel_equals_replay(session: Session, scenarios: list[Scenario], *, compiled: bool) -> None:
    """Hold the kernel to replays of a session, unless its columns say that no kernel can hold it."""
    columns = columns_of(session, scenarios[0])
    fitting = [scenario for scenario in scenarios if not misfit(scenario, columns.facts)]
    if fitting:
        assert_equal(run_columns(columns, fitting, compiled=compiled), replay_columns(session, fitting))

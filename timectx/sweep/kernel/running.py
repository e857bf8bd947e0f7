"""Run the kernel over columns, and name what it found."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from timectx.cost.cache import FIRST_MARK, MARKS_PER_REQUEST
from timectx.cost.prices import PriceList, packaged_prices
from timectx.replay import Scenario
from timectx.replay.reading_prices import elapsed_form
from timectx.results.edges import STALENESS_EDGES_MS
from timectx.sweep.flat.codes import FORMS_MS, KERNEL_COLUMNS, NEVER, NONE, PLACES, RESULT_COUNT, RESULTS
from timectx.sweep.flat.columns import COLUMN_NAMES, ColumnFacts, Columns
from timectx.sweep.kernel.compiled import can_compile, compiled_kernel, is_compiled
from timectx.sweep.kernel.kernel import replay_lanes
from timectx.sweep.kernel.lanes import Lanes, Sheet, pack_lanes, sheet_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WORTH_COMPILING", "run_columns"]

_PAIR_BYTES: Final = 6
_PICO_A_DOLLAR: Final = 10**12
_COST: Final = RESULTS.index("cost")
_EXACT: Final = 2**53
"""Below it every whole number is a float."""

_MOST_PICO_USD: Final = 2**62
"""What machine code can add up; a cost that might be beyond it is added up by Python."""

WORTH_COMPILING: Final = 200_000
"""Attempts times scenarios from which on it pays to compile the kernel, or to load what was compiled."""


def run_columns(
    columns: Columns,
    scenarios: Sequence[Scenario] | Lanes,
    *,
    counted_from: int = 0,
    prices: PriceList | None = None,
    compiled: bool | None = None,
) -> dict[str, Any]:
    """
    Replay a session under many scenarios.

    Parameters
    ----------
    columns : Columns
        Of the session.
    scenarios : sequence of Scenario or Lanes
        Those that the columns fit, as `timectx.sweep.kernel.lanes.misfit` says; laid out beforehand, they can be used
        for any number of sessions.
    counted_from : int, optional
        Seq of the first event that is the session's own; what came before happens, but does not count.
    prices : PriceList, optional
        None = the list that comes with the package.
    compiled : bool or None, optional
        Whether to run machine code; None = where numba is installed and there is enough to do.

    Returns
    -------
    dict of str to sequence
        By the names of a sweep's columns, one value a scenario: arrays, with `MISSING` for an integer that is not
        there, and lists for texts and counts.
    """
    lanes = scenarios if isinstance(scenarios, Lanes) else pack_lanes(scenarios)
    facts = columns.facts
    work = len(lanes.scenarios) * facts.attempts
    if compiled is None:
        compiled = is_compiled() or (work >= WORTH_COMPILING and can_compile())
    sheet = sheet_for(lanes, facts, prices or packaged_prices())
    compiled = compiled and _largest_cost(columns, lanes, sheet) < _MOST_PICO_USD
    return _run(columns, lanes, sheet, counted_from, compiled=compiled)


def _run(columns: Columns, lanes: Lanes, sheet: Sheet, counted_from: int, *, compiled: bool) -> dict[str, Any]:
    """Call the kernel with arrays where it is compiled, else with lists."""
    facts, count = columns.facts, len(lanes.scenarios)
    own_from, own_step, inherited = _own_part(columns, counted_from)
    session = (
        int(facts.compaction == "simulated"),
        int(facts.edition == "note"),
        int(facts.system_head),
        own_from,
        own_step,
        len(facts.capacities),
        sheet.routes,
        facts.schema_tokens,
        facts.call_tokens,
    )
    sizes = dict(zip(COLUMN_NAMES, facts.sizes, strict=True))
    attempts, requests, steps, strays = (sizes[name] for name in ("a_now", "q_input", "p_op", "y_now"))
    ticks = _most_ticks(columns, lanes)
    values, shown = attempts + 1, attempts + strays + ticks + 1
    marks, runs = FIRST_MARK + MARKS_PER_REQUEST * (requests + attempts + ticks), requests + 1
    make = _arrays if compiled else _lists
    kept = columns.arrays if compiled else columns.lists
    knobs, masks, plans, shares, budgets, places, table, forms, edges = _inputs(lanes, sheet, compiled=compiled)
    rows = make([len(lanes.bills) * requests, len(lanes.bills) * steps])
    [out] = make([count * RESULT_COUNT])
    packed = _bytes(count * _PAIR_BYTES * min(len(STALENESS_EDGES_MS), requests), compiled=compiled)
    kernel = compiled_kernel() if compiled else replay_lanes
    kernel(
        tuple(kept[name] for name in KERNEL_COLUMNS),
        session,
        count,
        knobs,
        masks,
        plans,
        shares,
        budgets,
        places,
        table,
        rows,
        make([shown] * 10 + [values] * 4 + [PLACES] + [marks] * 3 + [runs] * 4),
        forms,
        edges,
        out,
        packed,
    )
    return _named(out, packed, count, facts, inherited)


def _inputs(lanes: Lanes, sheet: Sheet, *, compiled: bool) -> tuple[Any, ...]:
    """Return the numbers of lanes and sheet as arrays or lists, made once."""
    key = ("inputs", id(sheet), compiled)
    if key not in lanes.kept:
        convert = _integers if compiled else list
        numbers = tuple(map(convert, (lanes.knobs, lanes.masks, sheet.plans)))
        sizes = _floats(sheet.sizes) if compiled else list(sheet.sizes)
        budgets, places = convert(sheet.budgets), convert(sheet.places)
        table = tuple(map(convert, sheet.table))
        # the sheet comes along, so that nothing else gets its identity
        lanes.kept[key] = (sheet, (*numbers, sizes, budgets, places, table, *_constants(compiled=compiled)))
    inputs: tuple[Any, ...] = lanes.kept[key][1]
    return inputs


@cache
def _constants(*, compiled: bool) -> tuple[Any, Any]:
    """Return the forms of short elapsed times, and the bins' edges."""
    convert = _integers if compiled else list
    return convert([elapsed_form(ms) for ms in range(0, FORMS_MS, 1000)]), convert(STALENESS_EDGES_MS)


def _largest_cost(columns: Columns, lanes: Lanes, sheet: Sheet) -> int:
    """Return more pico-USD than any scenario can cost: every reading in every request, all at the highest rate."""
    arrays = columns.arrays
    readings = columns.facts.attempts + _most_ticks(columns, lanes)
    requests = len(arrays["q_input"]) + readings
    if not requests or not len(arrays["q_input"]):
        return 0
    reading = int(arrays["f_price"].max()) if len(arrays["f_price"]) else 0
    prompt = int(arrays["q_input"].max()) + reading * readings + columns.facts.schema_tokens
    summaries = prompt * len(arrays["c_now"])
    return (requests * prompt + 2 * summaries + int(arrays["q_outputs"][-1])) * sheet.highest_rate


def _most_ticks(columns: Columns, lanes: Lanes) -> int:
    """Return how many readings a timer takes at most."""
    if lanes.timer_ms is None:
        return 0
    return columns.facts.forward_ms // lanes.timer_ms + columns.facts.attempts


def _own_part(columns: Columns, counted_from: int) -> tuple[int, int, int]:
    """Return what happens first of the session's own, the first plain step not before it, and the steps before."""
    if counted_from <= 0:
        return NONE, NEVER, 0
    lists = columns.lists
    own_from = next((at for at, seq in enumerate(lists["op_seq"]) if seq >= counted_from), len(lists["op_seq"]))
    own_step = bisect_right(lists["p_resume"], own_from)
    inherited = lists["op_step"][own_from] if own_from < len(lists["op_step"]) else columns.facts.steps
    return own_from, own_step, inherited


def _named(out: Any, packed: Any, count: int, facts: ColumnFacts, inherited: int) -> dict[str, Any]:
    """Name the results, and add those that follow from others."""
    import numpy as np

    cost = out[_COST::RESULT_COUNT]
    if isinstance(out, list):  # a cost may be beyond what an array holds
        out[_COST::RESULT_COUNT] = [0] * count
    whole = np.asarray(out, np.int64).reshape(count, RESULT_COUNT)
    found: dict[str, Any] = {name: whole[:, at] for at, name in enumerate(RESULTS)}
    _, unpriced, ends = (found.pop(name) for name in ("cost", "unpriced_requests", "packed"))
    bounds = [0, *ends.tolist()]
    counts = bytes(packed[: bounds[-1]])
    paid = found["input_tokens"] + found["compaction_input_tokens"]
    return {
        "time_zone": [facts.time_zone] * count,
        "inherited_steps": np.full(count, inherited),
        **found,
        "reading_ratio": _ratio(found["reading_tokens"] + found["resent_tokens"], found["input_tokens"]),
        "unavailable_ratio": _ratio(found["unavailable_readings"], found["readings"]),
        "uncached_input_tokens": paid - found["cached_input_tokens"] - found["written_input_tokens"],
        "cost_usd": np.where(unpriced > 0, math.nan, _dollars(cost)),
        "staleness_counts": [counts[start:end] for start, end in pairwise(bounds)],
    }


def _dollars(cost: Any) -> NDArray[Any]:
    """Return costs in pico-USD as USD, rounded once."""
    import numpy as np

    if isinstance(cost, list) or (cost.size and cost.max() >= _EXACT):
        return np.array([int(each) / _PICO_A_DOLLAR for each in cost], np.float64)
    dollars: NDArray[Any] = cost / _PICO_A_DOLLAR
    return dollars


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    ratio: NDArray[Any] = np.divide(part, whole, out=np.zeros(len(whole)), where=whole != 0)
    return ratio


def _arrays(sizes: Sequence[int]) -> tuple[Any, ...]:
    import numpy as np

    return tuple(np.empty(size, np.int64) for size in sizes)


def _lists(sizes: Sequence[int]) -> tuple[Any, ...]:
    return tuple([0] * size for size in sizes)


def _bytes(size: int, *, compiled: bool) -> Any:
    import numpy as np

    return np.empty(size, np.uint8) if compiled else bytearray(size)


def _integers(values: Sequence[int]) -> NDArray[Any]:
    import numpy as np

    return np.array(values, np.int64)


def _floats(values: Sequence[float]) -> NDArray[Any]:
    import numpy as np

    return np.array(values, np.float64)

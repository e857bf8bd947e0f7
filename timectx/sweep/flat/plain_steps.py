"""Find the steps at which nothing out of the ordinary happens, and sum up what is the same for every scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Final, TypeVar

from timectx.sweep.flat.codes import (
    A_ELIGIBLE,
    A_STEP,
    AT_COMPACT,
    AT_DECIDE,
    AT_INSERT,
    AT_REPLY,
    AT_REQUEST,
    AT_START,
    BLOCK,
    NEVER,
    NONE,
    Q_FIRST,
    Q_LAST,
    Q_REPORTED,
    SLOPE_BITS,
)

__all__ = ["add_plain_steps", "add_request_sums"]

_RECORDED: Final = (AT_DECIDE, AT_INSERT, AT_REQUEST)
_SIMULATED: Final = (AT_COMPACT, AT_START, AT_DECIDE, AT_INSERT, AT_REQUEST, AT_REPLY)
_SIMULATED_NOTE: Final = (AT_DECIDE, AT_INSERT, AT_COMPACT, AT_START, AT_REQUEST, AT_REPLY)

_STEEPEST: Final = 2**31
_UNTOLD: Final = (0, 0)

Table = dict[str, list[int]]
_Value = TypeVar("_Value")


def add_request_sums(columns: Table, *, reported: bool) -> None:
    """
    Add what requests hold, and its sums over all requests before each.

    Parameters
    ----------
    columns : dict of str to list
        The requests among them; these are added.
    reported : bool
        Whether requests are as long as the provider said.
    """
    headers, tokens, said = columns["q_header"], columns["q_tokens"], columns["q_reported"]
    columns["q_input"] = [
        said[row] if reported and columns["q_flags"][row] & Q_REPORTED else headers[row] + tokens[row]
        for row in range(len(headers))
    ]
    columns["q_inputs"] = _sums(columns["q_input"])
    columns["q_replies"] = _sums(columns["q_reply"])
    columns["q_outputs"] = _sums(columns["q_output"])
    columns["q_clock"] = _sums(max(0, after - before) for before, after in pairwise(columns["q_time"]))


def add_plain_steps(columns: Table, *, simulated: bool, note: bool) -> None:
    """
    Add the columns of plain steps: an attempt and its one request, with nothing else between.

    Parameters
    ----------
    columns : dict of str to list
        All others; these are added.
    simulated : bool
        Whether the columns are for simulated compaction.
    note : bool
        Whether compaction comes after the reading.
    """
    pattern = (_SIMULATED_NOTE if note else _SIMULATED) if simulated else _RECORDED
    steps = list(_steps(columns, pattern))
    columns["op_plain"] = [NONE] * len(columns["op_code"])
    for row, at in enumerate(steps):
        columns["op_plain"][at] = row
    decide, request = pattern.index(AT_DECIDE), pattern.index(AT_REQUEST)
    weighed = pattern.index(AT_INSERT if note else AT_DECIDE)
    tokens, rows = columns["op_tokens"], columns["op_arg"]
    columns["p_op"] = steps
    columns["p_attempt"] = attempts = [rows[at + decide] for at in steps]
    columns["p_request"] = requests = [rows[at + request] for at in steps]
    columns["p_now"] = [columns["a_now"][attempt] for attempt in attempts]
    columns["p_turn_zone"] = zones = [columns["a_turn_zone"][attempt] for attempt in attempts]
    columns["p_zone_end"] = _run_ends(zones)
    columns["p_surface"] = [tokens[at + request] for at in steps]
    headers = [columns["q_header"][row] for row in requests]
    columns["p_before"] = [tokens[at + weighed] + header for at, header in zip(steps, headers, strict=True)]
    columns["p_end"] = _ends(columns, pattern)
    if simulated:
        columns["p_resume"] = [at + pattern.index(AT_REPLY) for at in steps]
        columns["p_start"] = [at + pattern.index(AT_START) for at in steps]
        _add_pressure(columns, pattern)
        _add_bounds(columns)
    else:
        columns["p_resume"] = [at + len(pattern) for at in steps]
        columns["p_start"] = steps
    columns["b_first"] = [min(block) for block in _blocks(columns["p_now"])]
    columns["b_last"] = [max(block) for block in _blocks(columns["p_now"])]


def _steps(columns: Table, pattern: tuple[int, ...]) -> Iterator[int]:
    """Yield where each plain step begins."""
    codes, at, length = columns["op_code"], 0, len(pattern)
    while at <= len(codes) - length:
        if codes[at] == pattern[0] and tuple(codes[at : at + length]) == pattern and _is_plain(columns, pattern, at):
            yield at
            at += length
        else:
            at += 1


def _is_plain(columns: Table, pattern: tuple[int, ...], at: int) -> bool:
    rows = columns["op_arg"]
    attempt, request = rows[at + pattern.index(AT_DECIDE)], rows[at + pattern.index(AT_REQUEST)]
    wanted, single = A_STEP | A_ELIGIBLE, Q_FIRST | Q_LAST
    return (
        columns["a_flags"][attempt] & wanted == wanted
        and columns["q_flags"][request] & single == single
        and columns["q_attempt"][request] == attempt
        and columns["q_reported"][request] >= 0
        and (AT_COMPACT not in pattern or columns["c_ready"][rows[at + pattern.index(AT_COMPACT)]] == 1)
    )


def _ends(columns: Table, pattern: tuple[int, ...]) -> list[int]:
    """Return for each plain step where the run ends of those that follow one on the other and only grow."""
    steps, requests, inputs, replies = (columns[name] for name in ("p_op", "p_request", "q_input", "q_reply"))
    ends = [len(steps)] * len(steps)
    for row in range(len(steps) - 2, -1, -1):
        request = requests[row]
        holds = (
            steps[row] + len(pattern) == steps[row + 1]
            and requests[row + 1] == request + 1
            and inputs[request + 1] >= inputs[request] + replies[request]
            and _capacity(columns, pattern, steps[row]) == _capacity(columns, pattern, steps[row + 1])
        )
        ends[row] = ends[row + 1] if holds else row + 1
    return ends


def _capacity(columns: Table, pattern: tuple[int, ...], at: int) -> int:
    if AT_COMPACT not in pattern:
        return NONE
    return columns["c_capacity"][columns["op_arg"][at + pattern.index(AT_COMPACT)]]


def _add_pressure(columns: Table, pattern: tuple[int, ...]) -> None:
    """
    Add what the pressure before a step follows from, where the step before it was plain as well.

    It is the larger of two sums: surface and header; and `p_late` with the last prompt as the provider counted it,
    which is `p_prompt` in the share of what that prompt cost in the replay to `p_there`, what it cost in the log. Where
    usage stands for the surface at the step's start, `p_early` takes the place of `p_late`. `p_ahead` is the
    recorded part of what the prompt cost in the replay.
    """
    tokens, rows, steps = columns["op_tokens"], columns["op_arg"], columns["p_op"]
    compact, start, reply = (pattern.index(code) for code in (AT_COMPACT, AT_START, AT_REPLY))
    columns["p_compact"] = [tokens[at + compact] for at in steps]
    columns["p_header"] = [columns["c_header"][rows[at + compact]] for at in steps]
    for name, value in (("p_prompt", 0), ("p_ahead", 0), ("p_there", 1), ("p_late", -NEVER), ("p_early", -NEVER)):
        columns[name] = [value] * len(steps)
    for row, (before, at) in enumerate(pairwise(steps), 1):
        if not columns["c_anchored"][rows[at + compact]]:
            continue
        settled = rows[before + reply]
        prompt, there = columns["s_prompt"][settled], columns["s_there"][settled]
        said = columns["s_output"][settled] - columns["s_reply"][settled] + tokens[at + compact]
        if there:
            columns["p_prompt"][row], columns["p_there"][row] = prompt, there
            columns["p_ahead"][row] = columns["s_header"][settled] + tokens[before + reply]
        columns["p_late"][row] = said - tokens[before + reply] + (0 if there else prompt)
        columns["p_early"][row] = said - tokens[before + start] + (0 if there else prompt)


def _add_bounds(columns: Table) -> None:
    """
    Add for each block of steps what no pressure in it exceeds.

    `b_plain` bounds surface and header. `b_late` (`b_early`) bounds the other sum where nothing stands on the surface
    beside the log's nodes; per token that does, it grows by `b_least` to `b_most`, in units of 2 ** -SLOPE_BITS. Where
    that is not to be told, the bound is beyond any threshold.
    """
    slopes = [_slope(*each) for each in zip(columns["p_prompt"], columns["p_there"], strict=True)]
    columns["b_least"] = [min(slope[0] for slope in block) for block in _blocks(slopes)]
    columns["b_most"] = [max(slope[1] for slope in block) for block in _blocks(slopes)]
    plain = [sum(each) for each in zip(columns["p_compact"], columns["p_header"], strict=True)]
    columns["b_plain"] = [max(block) for block in _blocks(plain)]
    ahead = zip(columns["p_prompt"], columns["p_ahead"], columns["p_there"], slopes, strict=True)
    counted = [NEVER if slope == _UNTOLD else prompt * here // there + 2 for prompt, here, there, slope in ahead]
    for name, source in (("b_late", "p_late"), ("b_early", "p_early")):
        sums = [late + more for late, more in zip(columns[source], counted, strict=True)]
        columns[name] = [max(block) for block in _blocks(sums)]


def _slope(prompt: int, there: int) -> tuple[int, int]:
    """Return how a prompt grows per token of the surface, rounded down and up."""
    least = (prompt << SLOPE_BITS) // there
    return (least, least + 1) if abs(least) < _STEEPEST else _UNTOLD


def _blocks(values: list[_Value]) -> list[list[_Value]]:
    return [values[at : at + BLOCK] for at in range(0, len(values), BLOCK)]


def _run_ends(values: list[int]) -> list[int]:
    """Return for each place where the run of equal values that it is in ends."""
    ends = list(range(1, len(values) + 1))
    for at in range(len(values) - 2, -1, -1):
        if values[at] == values[at + 1]:
            ends[at] = ends[at + 1]
    return ends


def _sums(values: Iterable[int]) -> list[int]:
    return [0, *accumulate(values)]

"""Choose what a simulated compaction takes off a surface that is kept as sums."""

from __future__ import annotations

from collections.abc import Sequence

from timectx.sweep.flat.codes import NONE

__all__ = ["region_of", "savings_of"]


def savings_of(n_tokens: Sequence[int], n_pruned: Sequence[int], start: int, end: int) -> int:
    """
    Return what shortening tool results saves over a range of nodes.

    Parameters
    ----------
    n_tokens, n_pruned : sequence of int
        Sums of prices, whole and shortened, over the nodes before each.
    start, end : int
        The first node and the one after the last; an empty range saves nothing.

    Returns
    -------
    int
        Tokens.
    """
    if end <= start:
        return 0
    return n_tokens[end] - n_tokens[start] - n_pruned[end] + n_pruned[start]


def region_of(
    tail: int,
    checkpoint: int,
    nodes: int,
    pruned: int,
    retain: int,
    spare: int,
    top: int,
    v_kind: Sequence[int],
    v_node: Sequence[int],
    v_price: Sequence[int],
    n_tokens: Sequence[int],
    n_pruned: Sequence[int],
    n_calls: Sequence[int],
    n_lower: Sequence[int],
    n_previous: Sequence[int],
) -> tuple[int, int, int]:
    """
    Choose what a compaction shadows: all but the newest nodes, as `plan_compaction` does.

    Parameters
    ----------
    tail : int
        The first node of the log that is still on the surface behind the head and the checkpoint.
    checkpoint : int
        The checkpoint's price; below 0 = there is none.
    nodes : int
        How many nodes of the log have entered.
    pruned : int
        The node before which tool results are shortened.
    retain, spare : int
        As for `plan_compaction`.
    top : int
        How many entries the following columns have.
    v_kind, v_node, v_price : sequence of int
        Readings: 0 for one that is a node of its own, the node of the log that it stands before, its price.
    n_tokens, n_pruned, n_calls, n_lower, n_previous : sequence of int
        Sums over the nodes of the log, and the neighbours with fewer open calls.

    Returns
    -------
    tuple of int
        The first node of the log that stays, the first reading that stays, and the price of what goes; -1
        for the first where nothing goes.
    """
    at, reading, kept, count = nodes, top, 0, 0
    while count <= spare or kept < retain:
        while reading > 0 and v_kind[reading - 1] != 0:
            reading -= 1
        if reading > 0 and v_node[reading - 1] >= at:
            reading -= 1
            kept += v_price[reading]
            count += 1
            continue
        # nodes of the log, back to the reading before them: as many as it takes
        low = v_node[reading - 1] if reading > 0 else tail
        if low >= at:
            return NONE, 0, 0
        end, high = at, at - 1
        whole = n_tokens[end] - savings_of(n_tokens, n_pruned, tail, min(end, pruned))
        while low < high:
            middle = (low + high + 1) // 2
            cut = n_tokens[middle] - savings_of(n_tokens, n_pruned, tail, min(middle, pruned))
            if count + end - middle > spare and kept + whole - cut >= retain:
                low = middle
            else:
                high = middle - 1
        at = low
        kept += whole - n_tokens[at] + savings_of(n_tokens, n_pruned, tail, min(at, pruned))
        count += end - at
    if n_lower[tail] <= nodes:  # a result without a call: the surface is corrupt
        return NONE, 0, 0
    if n_calls[at] != n_calls[tail]:
        while n_calls[at] != n_calls[tail]:
            at = n_previous[at]
        while reading > 0 and (v_kind[reading - 1] != 0 or v_node[reading - 1] > at):
            reading -= 1
    going = at - tail
    tokens = n_tokens[at] - n_tokens[tail] - savings_of(n_tokens, n_pruned, tail, min(at, pruned))
    if checkpoint >= 0:
        going += 1
        tokens += checkpoint
    for entry in range(reading):
        if v_kind[entry] == 0:
            going += 1
            tokens += v_price[entry]
    if going == 0:
        return NONE, 0, 0
    return at, reading, tokens

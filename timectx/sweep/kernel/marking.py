"""Put into a cache's memory the marks of requests that only grew, which a kernel notes in passing."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from timectx.cost.cache import FIRST_MARK

__all__ = ["add_marks", "rule_from"]


def add_marks(
    rule: Sequence[int],
    marks: tuple[MutableSequence[int], MutableSequence[int], MutableSequence[int]],
    count: int,
    reach: int,
    runs: int,
    runs_of: tuple[Sequence[int], ...],
    requests_of: tuple[Sequence[int], ...],
    clock_shift: int,
) -> int:
    """
    Add the marks of requests each of which found the newest mark of the one before it.

    Parameters
    ----------
    rule : sequence of int
        As for `timectx.cost.cache.split_input`.
    marks : tuple of mutable sequence of int
        Positions, times and nodes of the marks, changed in place.
    count : int
        Rows in use.
    reach : int
        Marks beyond it would be dropped at once, and are left out.
    runs : int
        How many runs of requests there are.
    runs_of : tuple of sequence of int
        For each run its first request, the one after its last, and what its prompts have beside the log's own, in
        tokens and in nodes.
    requests_of : tuple of sequence of int
        Prompts, replies, times and nodes of the log's requests.
    clock_shift : int
        What the clock has beside those times.

    Returns
    -------
    int
        Rows now in use.
    """
    positions, times, nodes = marks
    firsts, ends, shifts, counts = runs_of
    prompts, replies, instants, entered = requests_of
    for run in range(runs):
        for request in range(firsts[run], ends[run]):
            clock_ms = instants[request] + clock_shift
            end_nodes = entered[request] + counts[run]
            end = prompts[request] + shifts[run]
            if count > FIRST_MARK:
                times[count - 1] = clock_ms
            if end > reach:
                return count
            while count > FIRST_MARK and positions[count - 1] >= end:
                count -= 1
            positions[count], times[count], nodes[count] = end, clock_ms, end_nodes
            count += 1
            if rule[6] == 1 and replies[request] > 0:
                if end + replies[request] > reach:
                    return count
                positions[count], times[count], nodes[count] = end + replies[request], clock_ms, end_nodes + 1
                count += 1
    return count


def rule_from(rules: Sequence[int], at: int) -> tuple[int, int, int, int, int, int, int, int, int, int, int]:
    """
    Return a cache rule from a row of them.

    Parameters
    ----------
    rules : sequence of int
        Rules one after the other, each as `timectx.cost.cache.CacheRule.ints`.
    at : int
        Where the rule begins.

    Returns
    -------
    tuple of int
        The rule.
    """
    return (
        rules[at],
        rules[at + 1],
        rules[at + 2],
        rules[at + 3],
        rules[at + 4],
        rules[at + 5],
        rules[at + 6],
        rules[at + 7],
        rules[at + 8],
        rules[at + 9],
        rules[at + 10],
    )

"""Carry out a simulated compaction on a surface that is kept as sums."""

from __future__ import annotations

from typing import Any

from timectx.cost.rate_table import rate_row
from timectx.sweep.flat.codes import NONE, RATE_COUNT
from timectx.sweep.kernel.compacting import region_of, savings_of
from timectx.sweep.kernel.holding import keep_entry

__all__ = ["relieve_surface"]


def relieve_surface(
    surface_of: tuple[int, int, int, int, int, int, int],
    requests: tuple[int, int],
    budget: tuple[int, int, int, int, int],
    plan: Any,
    sizes: tuple[float, float, float],
    log_of: tuple[int, int, int, int],
    is_allowed: bool,
    is_retry: bool,
    nodes: Any,
    entries: Any,
    route: Any,
) -> tuple[Any, ...]:
    """
    Shorten long results, and put a checkpoint in the place of the oldest nodes, until the pressure is low enough.

    Parameters
    ----------
    surface_of : tuple of int
        Entries, their price, how far the log's own nodes are off, the first of them that stays, the price of a head
        that stays for good, that of the checkpoint (below 0 = none), and up to where results are shortened.
    requests : tuple of int
        How many requests were sent, and the price of readings that no request has held.
    budget : tuple of int
        The pressure beside the surface, the threshold, the retained tail, the rounds, and how many nodes are kept
        beside the last.
    plan : tuple of int
        Whether results are shortened; whether no summary succeeds; whether a summary is a share of what it stands for;
        the checkpoint's price and the summary's size; the instruction's price.
    sizes : tuple of float
        That share, how many characters a token buys, the factor of prices.
    log_of : tuple of int
        Nodes and tokens of the log so far, whether a system prompt opens it, the price of the header.
    is_allowed : bool
        Whether a turn is open.
    is_retry : bool
        Whether a request did not fit; then the threshold is not asked.
    nodes, entries : tuple of sequence of int
        The log's nodes, and the readings that are seen.
    route : tuple
        The price table's columns, the place of the summary's model, and the instant.

    Returns
    -------
    tuple
        As `surface_of`; the price of readings no request has held; how many replacements were made, how many of them
        checkpoints, and the first place that changed; what was asked of the summary's model and what it wrote; its
        cost, and requests and tokens without a price.
    """
    top, surface, shift, tail, head, checkpoint, pruned = surface_of
    sent, unsent = requests
    lead, threshold, retain, rounds, spare = budget
    prunes, fails, is_share, framed_tokens, output_tokens, instruction = plan
    share, chars, scale = sizes
    count, tokens, system_head, header = log_of
    n_tokens, n_pruned, n_long, n_calls, n_lower, n_previous = nodes
    v_kind, v_since, v_node, v_price = entries[0], entries[6], entries[7], entries[4]
    table_first, table_starts, table_weeks, rates, place, now_ms = route
    reliefs = checkpoints = asked = written = cost = unpriced_requests = unpriced = top - top
    position = reliefs + NONE
    if prunes == 1:
        first = n_long[max(tail, pruned)]
        node = first
        while node < count:
            reliefs += 1
            node = n_long[node + 1]
        if reliefs > 0:
            position = n_tokens[first] + shift
            for entry in range(top):
                if v_kind[entry] == 0 and v_node[entry] <= first:
                    position += v_price[entry]
            shift -= savings_of(n_tokens, n_pruned, max(tail, pruned), count)
            pruned = count
    is_due = is_retry or reliefs == 0 or tokens + shift + surface + lead >= threshold
    if is_due and is_allowed and fails == 0:
        for _ in range(rounds):
            if tail == 0 and head == 0 and checkpoint < 0 and system_head == 1 and count > 0:
                opens = True
                for entry in range(top):
                    if v_kind[entry] == 0 and v_node[entry] == 0:
                        opens = False
                if opens:
                    head, tail = n_tokens[1], 1
            stays, stays_entry, region = region_of(
                tail, checkpoint, count, pruned, retain, spare, top, v_kind, v_node, v_price,
                n_tokens, n_pruned, n_calls, n_lower, n_previous,
            )  # fmt: skip
            if stays < 0:
                break
            framed, output = framed_tokens, output_tokens
            if is_share == 1:
                length = int(max(1, int(region * share)) * chars)
                words = (max(1, length) + 3) // 4
                output = int(words * scale + 0.5)
                framed = int((framed_tokens + words) * scale + 0.5)
            if framed >= region:
                break
            kept = top - top
            for entry in range(top):
                if v_kind[entry] == 0 and entry < stays_entry:
                    surface -= v_price[entry]
                    if v_since[entry] == sent:
                        unsent -= v_price[entry]
                elif v_kind[entry] != 1 or v_node[entry] >= stays:
                    keep_entry(entries, kept, entry)
                    kept += 1
            top, tail, checkpoint = kept, stays, framed
            shift = head + checkpoint - n_tokens[tail] - savings_of(n_tokens, n_pruned, tail, pruned)
            position = head
            reliefs += 1
            checkpoints += 1
            request = region + header + instruction
            asked += request
            written += output
            rate = rate_row(table_first, table_starts, table_weeks, place, now_ms) * RATE_COUNT
            if rates[rate] < 0:
                unpriced_requests += 1
                unpriced += request + output
            else:
                at = rate + (5 if 0 < rates[rate] < request else 1)
                cost += request * rates[at] + output * rates[at + 3]
            if tokens + shift + surface + lead < threshold:
                break
    return (
        top, surface, shift, tail, head, checkpoint, pruned, unsent, reliefs, checkpoints, position,
        asked, written, cost, unpriced_requests, unpriced,
    )  # fmt: skip

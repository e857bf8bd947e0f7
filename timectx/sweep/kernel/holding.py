"""Keep the readings that a kernel's model sees."""

from __future__ import annotations

from typing import Any

from timectx.sweep.flat.codes import HELD, NONE, STRAY, SURFACE

__all__ = ["keep_entry", "let_go", "loose_from", "shadow_entries"]


def keep_entry(entries: Any, to: int, at: int) -> None:
    """
    Move an entry to another place.

    Parameters
    ----------
    entries : tuple of mutable sequence of int
        The entries, column by column.
    to, at : int
        The place, and where the entry is now.
    """
    if to != at:
        v_kind, v_at, v_now, v_zone, v_price, v_attempt, v_since, v_node, v_before, v_first = entries
        v_kind[to], v_at[to], v_now[to], v_zone[to], v_price[to] = (
            v_kind[at],
            v_at[at],
            v_now[at],
            v_zone[at],
            v_price[at],
        )
        v_attempt[to], v_since[to], v_node[to] = v_attempt[at], v_since[at], v_node[at]
        v_before[to], v_first[to] = v_before[at], v_first[at]


def let_go(top: int, entries: Any) -> int:
    """
    Take out the reading that stands beside the surface.

    Parameters
    ----------
    top : int
        How many entries there are.
    entries : tuple of mutable sequence of int
        The entries, changed in place; one of them is held.

    Returns
    -------
    int
        How many entries are left.
    """
    at = top - 1
    while entries[0][at] != HELD:
        at -= 1
    for entry in range(at, top - 1):
        keep_entry(entries, entry, entry + 1)
    return top - 1


def shadow_entries(
    top: int,
    sent: int,
    here: int,
    widens: int,
    span: tuple[int, int, int, int, int],
    entries: Any,
    a_gone: Any,
    y_gone: Any,
) -> tuple[int, int, int, int]:
    """
    Take out the readings that a recorded replacement shadows.

    Parameters
    ----------
    top, sent, here : int
        How many entries there are, how many requests were sent, and the number of what happens.
    widens : int
        1 where loose readings next to the range go with it.
    span : tuple of int
        The places of the range's first and last node, of the nodes before and after it, and what it changes of the
        surface's price.
    entries : tuple of mutable sequence of int
        The entries, changed in place.
    a_gone, y_gone : sequence of int
        When each attempt's recorded reading, and when each stray, was gone.

    Returns
    -------
    tuple of int
        How many entries are left, the price of readings that went, the part of it that no request has held, and the
        price of those that stand before the range.

    References
    ----------
    timectx.replay.conversation, `Conversation.replace`.
    """
    low, high, previous, following, delta = span
    v_kind, v_at, v_price, v_attempt = entries[0], entries[1], entries[4], entries[5]
    v_since, v_before, v_first = entries[6], entries[8], entries[9]
    first, last = low, high
    if widens == 1:
        for entry in range(top - 1, -1, -1):
            if v_kind[entry] == SURFACE and v_at[entry] < low:
                if v_at[entry] < previous or loose_from(v_first[entry], a_gone) > here:
                    break
                first = v_at[entry]
        for entry in range(top):
            if v_kind[entry] == SURFACE and v_at[entry] >= high:
                if v_at[entry] >= following or loose_from(v_first[entry], a_gone) > here:
                    break
                last = v_at[entry] + 1
    kept = gone = unsent = before = top - top  # a number like the others to a compiler, not one written out
    for entry in range(top):
        if v_kind[entry] == SURFACE:
            if first <= v_at[entry] < last:
                gone += v_price[entry]
                if v_since[entry] == sent:
                    unsent += v_price[entry]
                continue
            if v_at[entry] < first:
                before += v_price[entry]
            else:
                v_before[entry] += delta
        elif v_kind[entry] == STRAY and y_gone[v_attempt[entry]] == here:
            continue
        keep_entry(entries, kept, entry)
        kept += 1
    return kept, gone, unsent, before


def loose_from(attempt: int, a_gone: Any) -> int:
    """
    Return from when on a compaction takes a reading at the edge of its range along.

    Parameters
    ----------
    attempt : int
        The attempt whose reading was first put there; below 0 for a reading of no attempt.
    a_gone : sequence of int
        When each attempt's recorded reading was gone from the log's own surface.

    Returns
    -------
    int
        -1 for one that the log has no counterpart of.
    """
    return NONE if attempt < 0 else a_gone[attempt]

"""Find how many plain steps a replay can pass over at once."""

from __future__ import annotations

from typing import Any

from timectx.replay.deliveries import is_clock_called
from timectx.replay.policies import any_holds, held_rules
from timectx.sweep.flat.codes import A_SAID, BLOCK, CLEAR_TOKENS, MISSING, SLOPE_BITS

__all__ = ["calling_step", "clear_until", "due_step", "pressing_step", "ruled_step"]


def due_step(row: int, stop: int, base_ms: int, interval_ms: int, p_now: Any, b_first: Any, b_last: Any) -> int:
    """
    Return the first step at which a reading is due by its age alone.

    Parameters
    ----------
    row, stop : int
        Where to begin, and where to give up.
    base_ms, interval_ms : int
        The newest reading, and the refresh interval, in milliseconds.
    p_now, b_first, b_last : sequence of int
        The instant of each plain step, and of each block of them the earliest and the latest.

    Returns
    -------
    int
        `stop` where none is due before it.

    References
    ----------
    timectx.replay.policies, `interval_holds`.
    """
    step = row
    while step < stop:
        block = step // BLOCK
        end = (block + 1) * BLOCK
        if end > stop:
            end = stop
        if b_first[block] < base_ms or b_last[block] - base_ms >= interval_ms:
            for each in range(step, end):
                now_ms = p_now[each]
                if now_ms - base_ms >= interval_ms or now_ms < base_ms:
                    return each
        step = end
    return stop


def ruled_step(
    row: int,
    stop: int,
    terms: Any,
    newest: tuple[int, int, int, int, bool],
    interval_ms: int,
    gap_ms: int,
    p_now: Any,
    p_attempt: Any,
    attempts: Any,
) -> int:
    """
    Return the first step at which a policy asks for a reading.

    Parameters
    ----------
    row, stop : int
        Where to begin, and where to give up.
    terms : sequence of int
        The policy's terms.
    newest : tuple
        Of the newest reading: event time, place, date, turn zone, and whether messages were replaced since.
    interval_ms, gap_ms : int
        In milliseconds.
    p_now, p_attempt : sequence of int
        The instant and the attempt of each plain step.
    attempts : tuple of sequence of int
        Of each attempt: flags, start of its turn, newest message before it, date and turn zone.

    Returns
    -------
    int
        `stop` where it asks for none before it.
    """
    last_ms, last_at, last_day, last_zone, compacted = newest
    a_flags, a_turn_at, a_said_ms, a_day, a_turn_zone = attempts
    for step in range(row, stop):
        each = p_attempt[step]
        held = held_rules(
            p_now[step],
            last_ms,
            interval_ms,
            last_at,
            a_turn_at[each] - 1,
            a_flags[each] & A_SAID > 0,
            a_said_ms[each],
            gap_ms,
            a_day[each] != MISSING and last_day != MISSING and a_day[each] != last_day,
            a_turn_zone[each],
            last_zone,
            compacted,
        )
        if any_holds(terms, held):
            return step
    return stop


def calling_step(row: int, stop: int, turn: int, calls: int, tool_calls: int, p_attempt: Any, a_turn: Any) -> int:
    """
    Return the first step at which the model calls the clock.

    Parameters
    ----------
    row, stop : int
        Where to begin, and where to give up.
    turn, calls : int
        The turn so far, and how often it has called the clock.
    tool_calls : int
        How often each turn does.
    p_attempt, a_turn : sequence of int
        The attempt of each plain step, and the turn of each attempt.

    Returns
    -------
    int
        `stop` where it does not before it.
    """
    for step in range(row, stop):
        if is_clock_called(calls if a_turn[p_attempt[step]] == turn else 0, tool_calls):
            return step
    return stop


def clear_until(row: int, stop: int, on_surface: int, limit: int, blocks: Any) -> int:
    """
    Return up to where the pressure stays far below a limit, whatever readings come in the meantime.

    Parameters
    ----------
    row, stop : int
        Where to begin, and where to give up; one step at least.
    on_surface : int
        What stands on the surface beside the log's own nodes, in tokens.
    limit : int
        What is not to be reached, also with `CLEAR_TOKENS` more on the surface.
    blocks : tuple of sequence of int
        Of each block of plain steps, what `timectx.sweep.flat.plain_steps` says of the pressure.

    Returns
    -------
    int
        The first step of a block in which it might, or `stop`.
    """
    b_plain, b_usage, b_least, b_most = blocks
    slopes = b_most if on_surface >= 0 else b_least
    block, last = row // BLOCK, (stop - 1) // BLOCK
    while (
        block <= last
        and b_plain[block] + on_surface + 4 * CLEAR_TOKENS < limit
        and b_usage[block] + (slopes[block] * on_surface >> SLOPE_BITS) + 4 * CLEAR_TOKENS < limit
        and b_least[block] >= 0
        and b_most[block] >> SLOPE_BITS < 2
    ):
        block += 1
    return min(max(block * BLOCK, row), stop)


def pressing_step(
    row: int, stop: int, on_surface: int, more: int, threshold: int, peak: int, steps: Any, blocks: Any
) -> tuple[int, int]:
    """
    Return the first step before which the pressure reaches a threshold, and the largest pressure up to there.

    Parameters
    ----------
    row, stop : int
        Where to begin, and where to give up; one step at least.
    on_surface : int
        What stands on the surface beside the log's own nodes, in tokens.
    more : int
        What the first step's pressure has besides, where it follows from usage: a reading that entered between the
        step's start before it, which usage stands for, and its request.
    threshold, peak : int
        The threshold, and the largest pressure so far.
    steps, blocks : tuple of sequence of int
        Of each plain step and of each block of them, what `timectx.sweep.flat.plain_steps` says of the pressure.

    Returns
    -------
    tuple of int
        `stop` where it does not reach it before. The pressure before the step returned is not among those compared.
    """
    begin = row
    if more > 0:
        p_compact, p_header, p_prompt, p_ahead, p_there, late = steps
        usage = late[row] + p_prompt[row] * (p_ahead[row] + on_surface) // p_there[row] + more
        pressure = max(p_compact[row] + p_header[row] + on_surface, usage)
        if pressure >= threshold:
            return row, peak
        peak = max(peak, pressure)
        begin = row + 1
    stop = _reaching(begin, stop, on_surface, threshold, steps, blocks)
    return stop, _highest(begin, stop, on_surface, peak, steps, blocks)


def _reaching(row: int, stop: int, on_surface: int, threshold: int, steps: Any, blocks: Any) -> int:
    p_compact, p_header, p_prompt, p_ahead, p_there, late = steps
    b_plain, b_usage, b_least, b_most = blocks
    slopes = b_most if on_surface >= 0 else b_least
    step = row
    while step < stop:
        block = step // BLOCK
        end = min((block + 1) * BLOCK, stop)
        if (
            b_plain[block] + on_surface >= threshold
            or b_usage[block] + (slopes[block] * on_surface >> SLOPE_BITS) >= threshold
        ):
            for each in range(step, end):
                if p_compact[each] + p_header[each] + on_surface >= threshold:
                    return each
                if late[each] + p_prompt[each] * (p_ahead[each] + on_surface) // p_there[each] >= threshold:
                    return each
        step = end
    return stop


def _highest(row: int, stop: int, on_surface: int, peak: int, steps: Any, blocks: Any) -> int:
    """Return the largest pressure before some steps, the last ones first: there it is likely to be."""
    p_compact, p_header, p_prompt, p_ahead, p_there, late = steps
    b_plain, b_usage, b_least, b_most = blocks
    slopes = b_most if on_surface >= 0 else b_least
    step = stop
    while step > row:
        block = (step - 1) // BLOCK
        begin = max(block * BLOCK, row)
        if b_plain[block] + on_surface > peak or b_usage[block] + (slopes[block] * on_surface >> SLOPE_BITS) > peak:
            for each in range(begin, step):
                peak = max(peak, p_compact[each] + p_header[each] + on_surface)
                peak = max(peak, late[each] + p_prompt[each] * (p_ahead[each] + on_surface) // p_there[each])
        step = begin
    return peak

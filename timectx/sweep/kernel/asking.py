"""Ask a cache about a prompt that did more than grow."""

from __future__ import annotations

from typing import Any

from timectx.cost.cache import FIRST_MARK, split_input
from timectx.cost.rate_table import rate_row
from timectx.sweep.flat.codes import NEVER, NONE, RATE_COUNT, RULE_COUNT
from timectx.sweep.kernel.marking import add_marks, rule_from

__all__ = ["cost_of", "lay_bills", "rates_at", "share_of", "split_prompt", "stable_part"]


def rates_at(rates: Any, row: int, tokens: int) -> int:
    """
    Return where the four rates of a prompt stand.

    Parameters
    ----------
    rates : sequence of int
        Rows of a price table, one after the other.
    row : int
        The row.
    tokens : int
        The length of the prompt.

    Returns
    -------
    int
        -1 where no price is known.

    References
    ----------
    timectx.cost.rate_table, `request_cost`.
    """
    limit = rates[row * RATE_COUNT]
    if limit < 0:
        return NONE
    return row * RATE_COUNT + (5 if 0 < limit < tokens else 1)


def cost_of(rates: Any, at: int, tokens: int, hits: int, writes: int, reply: int) -> int:
    """
    Return what prompts and replies cost.

    Parameters
    ----------
    rates : sequence of int
        As for `rates_at`.
    at : int
        Where their rates stand.
    tokens, hits, writes, reply : int
        The length of the prompts, what of it was read from the cache and written to it, and the length of the replies.

    Returns
    -------
    int
        In pico-USD; without a price, the tokens.
    """
    if at < 0:
        return tokens + reply
    cost: int = (tokens - hits - writes) * rates[at] + hits * rates[at + 1]
    cost += writes * rates[at + 2] + reply * rates[at + 3]
    return cost


def share_of(position: int, tokens: int, estimate: int) -> int:
    """
    Return where a place in the estimated prompt stands in the prompt as it was counted.

    Parameters
    ----------
    position : int
        The place.
    tokens, estimate : int
        The length of the prompt as counted, and as estimated.

    Returns
    -------
    int
        The same place where both are equal.

    References
    ----------
    timectx.replay.prompts.
    """
    if tokens == estimate:
        return position
    return position * tokens // estimate if estimate > 0 else 0


def lay_bills(
    places: Any,
    routes: int,
    table: Any,
    rule_of: Any,
    rules: Any,
    q_model: Any,
    q_time: Any,
    q_clock: Any,
    q_nodes: Any,
    p_end: Any,
    p_request: Any,
    e_row: Any,
    e_end: Any,
) -> None:
    """
    Find for each bill which rates each request is billed at, and how far a run of plain steps only goes on.

    Parameters
    ----------
    places, routes : sequence of int, int
        For each bill the place of each route in the price table; how many routes there are.
    table : tuple of sequence of int
        The price table's models, periods and weeks.
    rule_of, rules : sequence of int
        The cache rule of each row of rates, and the rules.
    q_model, q_time, q_clock, q_nodes : sequence of int
        Of each request the route, the time, the time since the first without steps back, and the nodes before it.
    p_end, p_request : sequence of int
        Of each plain step where its run ends, and its request.
    e_row, e_end : mutable sequence of int
        Filled for each bill: the row of each request, and where the run of each plain step ends.
    """
    table_first, table_starts, table_weeks = table
    requests, steps = len(q_model), len(p_end)
    for bill in range(len(places) // routes if routes > 0 else 0):
        base = bill * requests
        for request in range(requests):
            place = places[bill * routes + q_model[request]]
            e_row[base + request] = rate_row(table_first, table_starts, table_weeks, place, q_time[request])
        for row in range(steps - 1, -1, -1):
            end = row + 1
            if end < p_end[row]:
                request = p_request[row]
                rule_at = rule_of[e_row[base + request]] * RULE_COUNT
                ttl_ms, lookback = rules[rule_at + 2], rules[rule_at + 3]
                if (
                    e_row[base + request + 1] == e_row[base + request]
                    and q_model[request + 1] == q_model[request]
                    and (ttl_ms == 0 or q_clock[request + 1] - q_clock[request] < ttl_ms)
                    and (lookback == 0 or q_nodes[request + 1] - q_nodes[request] < lookback)
                ):
                    end = e_end[bill * steps + row + 1]
            e_end[bill * steps + row] = end


def stable_part(changed: int, above: int, rewritten: int, estimate: int, input_tokens: int, tokens: int) -> int:
    """
    Return how many leading tokens of a prompt are those of the one before.

    Parameters
    ----------
    changed : int
        The first place in the prompt that changed.
    above : int
        What stands before the surface, in tokens.
    rewritten : int
        The first place on the surface that changed.
    estimate, input_tokens : int
        The length of the prompt before, as estimated and as counted.
    tokens : int
        The length of the prompt.

    Returns
    -------
    int
        At most `tokens`.

    References
    ----------
    timectx.replay.prompts, `RequestBook.send`.
    """
    if estimate <= 0:
        return 0
    stable = min(changed, above + rewritten, estimate) * input_tokens // estimate
    return min(stable, tokens)


def split_prompt(
    cache: Any,
    marks: Any,
    runs_of: Any,
    requests_of: Any,
    rules: Any,
    rule: Any,
    rule_at: int,
    asked_at: int,
    is_another: bool,
    idle_ms: int,
    tokens: int,
    stable: int,
    fresh_nodes: int,
    reply: int,
    header: int,
    line: int,
) -> tuple[int, int, int, int, int, Any]:
    """
    Split a prompt into what a cache holds of it, what is written to it and the rest.

    Parameters
    ----------
    cache : tuple of int
        Rows of marks in use, runs of requests that are not among them yet, the clock and by how much it is off that
        of the log, nodes so far, the length of the prompt before, the length of its header.
    marks, runs_of, requests_of : tuple of sequence of int
        Positions, times and nodes of the marks; the runs; the requests of the log: as `add_marks` takes them.
    rules : sequence of int
        All cache rules.
    rule : tuple of int
        The one in force so far.
    rule_at, asked_at : int
        Where the rule in force so far begins, and the one for this prompt.
    is_another : bool
        Whether another model is asked, whose cache is empty.
    idle_ms, tokens, stable, fresh_nodes, reply, header, line : int
        As for `split_input`.

    Returns
    -------
    tuple
        Tokens read and written; rows in use; the newest mark, 0 = none, and its nodes; the rule.
    """
    count, runs, clock_ms, clock_shift, end_nodes, previous, previous_header = cache
    positions, times, nodes = marks
    if is_another:
        count, previous = FIRST_MARK, 0
        positions[0] = times[0] = 0
    elif rule_at != NONE:
        if runs > 0:
            reach = stable if stable < previous else NEVER
            count = add_marks(rule, marks, count, reach, runs, runs_of, requests_of, clock_shift)
        if rule[8] == 1 and previous > 0:
            positions[0] = previous_header if previous_header >= rule[1] else 0
            times[0] = clock_ms
    positions[1], times[1], nodes[1] = previous, clock_ms, end_nodes
    if asked_at != rule_at:
        rule = rule_from(rules, asked_at)
    hits, writes, count = split_input(
        rule, positions, times, nodes, count, idle_ms, tokens, stable, fresh_nodes, reply, header, line
    )
    newest, newest_nodes = 0, 0
    if rule[5] == 1 and tokens > 0 and tokens >= rule[1]:
        newest, newest_nodes = positions[count - 1], nodes[count - 1]
    return hits, writes, count, newest, newest_nodes, rule

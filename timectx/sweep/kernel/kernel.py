"""Replay one session under many scenarios, over flat columns: plain loops that run as they are, or compiled."""

from __future__ import annotations

from typing import Any

from timectx.cost.cache import FIRST_MARK
from timectx.cost.rate_table import rate_row
from timectx.replay.deliveries import is_clock_called, is_idle, ticks_due
from timectx.replay.policies import any_holds, held_rules
from timectx.replay.reading_prices import FORM_COUNT, elapsed_form
from timectx.sweep.flat.codes import (
    A_ELIGIBLE,
    A_FAILS,
    A_FIRST,
    A_OWN,
    A_SAID,
    A_STEP,
    APPENDED,
    AT_COMPACT,
    AT_DECIDE,
    AT_HEADER,
    AT_INSERT,
    AT_OVERFLOW,
    AT_REPLACE,
    AT_REPLY,
    AT_REQUEST,
    AT_REST,
    AT_SHOW,
    AT_START,
    AT_STRAY,
    BUDGET_COUNT,
    CLEAR_TOKENS,
    FORMS_MS,
    HELD,
    KNOB_COUNT,
    MISSING,
    NEVER,
    NONE,
    PLAN_COUNT,
    Q_FIRST,
    Q_LAST,
    RATE_COUNT,
    REPLACED,
    REQUEST_LINE,
    RESULT_COUNT,
    RULE_COUNT,
    SESSION_PREFIX,
    STRAY,
    SURFACE,
    TIMER,
    TOOL,
)
from timectx.sweep.kernel.asking import cost_of, lay_bills, rates_at, share_of, split_prompt, stable_part
from timectx.sweep.kernel.compacting import savings_of
from timectx.sweep.kernel.holding import let_go, shadow_entries
from timectx.sweep.kernel.marking import add_marks
from timectx.sweep.kernel.ordering import order, pack_bins, pick_rank
from timectx.sweep.kernel.passing import calling_step, clear_until, due_step, pressing_step, ruled_step
from timectx.sweep.kernel.relieving import relieve_surface

__all__ = ["replay_lanes"]


def replay_lanes(
    columns: Any,
    session: Any,
    lanes: int,
    knobs: Any,
    masks: Any,
    plans: Any,
    sizes: Any,
    budgets: Any,
    places: Any,
    table: Any,
    rows: Any,
    memory: Any,
    forms: Any,
    edges: Any,
    out: Any,
    packed: Any,
) -> None:
    """
    Replay one session under many scenarios.

    Parameters
    ----------
    columns : tuple of sequence of int
        Those in `KERNEL_COLUMNS`, in its order.
    session : tuple of int
        Whether compaction is simulated, whether the edition is ``note``, whether a system prompt opens the surface;
        what happens first of the session's own, and the first plain step that is not before it; how many
        capacities and how many routes there are; the price of the clock tool's schema, and of a call.
    lanes : int
        How many scenarios.
    knobs, masks : sequence of int
        `KNOBS` of each scenario, one after the other; and the terms of their policies.
    plans, sizes, budgets : sequence
        `PLAN` of each compaction, what the sizes of its summaries follow from, and `BUDGET` for each capacity.
    places, table, rows : sequences
        For each bill the place of each route in the price table; that table's columns; and room for the row of each
        request, and for where runs of plain steps end, of each bill.
    memory : tuple of mutable sequence of int
        Room to work in.
    forms : sequence of int
        `elapsed_form` of the first seconds.
    edges : sequence of int
        The upper edges of the bins that staleness counts in.
    out, packed : mutable sequence of int
        `RESULTS` of each scenario, one after the other; and the packed counts, of which the last result is the end.

    Notes
    -----
    A plain step at which no reading is due changes little, and in a way that sums foretell; where several follow one
    another they are passed over at once. All else happens one by one, as `timectx.replay.walk` has it.
    """
    (
        op_code, op_arg, op_nodes, op_tokens, op_step, op_plain,
        a_now, a_time, a_flags, a_form, a_day, a_zone, a_turn_zone, a_message_at, a_message_ms,
        a_base_at, a_turn_at, a_said_ms, a_gone, a_turn, a_header, a_model, a_idle_from, a_idle_until,
        q_attempt, q_flags, q_header, q_reply, q_output, q_model, q_nodes, q_time, q_tokens,
        q_input, q_inputs, q_replies, q_outputs, q_clock,
        r_low, r_high, r_previous, r_next, r_widens, r_before, r_delta, r_checkpoint,
        y_time, y_now, y_zone, y_day, y_turn_zone, y_gone, y_node,
        c_header, c_anchored, c_capacity, c_turn, c_ready, c_now,
        s_prompt, s_output, s_reply, s_there, s_header, s_reported,
        n_tokens, n_pruned, n_long, n_calls, n_lower, n_previous,
        p_op, p_resume, p_start, p_end, p_attempt, p_request, p_now, p_turn_zone, p_zone_end,
        p_surface, p_before, p_compact, p_header, p_prompt, p_ahead, p_there, p_late, p_early,
        b_first, b_last, b_plain, b_late, b_early, b_least, b_most,
        f_price,
    ) = columns  # fmt: skip
    is_simulated, is_note, system_head, own_from, own_step, capacities, routes, schema_tokens, call_tokens = session
    table_first, table_starts, table_weeks, rates, rule_of, rules = table
    e_row, e_end = rows
    (
        v_kind, v_at, v_now, v_zone, v_price, v_attempt, v_since, v_node, v_before, v_first,
        same, stale, aged, spare_values, digits, positions, times, marked, g_first, g_end, g_shift, g_nodes,
    ) = memory  # fmt: skip
    entries = (v_kind, v_at, v_now, v_zone, v_price, v_attempt, v_since, v_node, v_before, v_first)
    marks, runs_of = (positions, times, marked), (g_first, g_end, g_shift, g_nodes)
    requests_of, nodes = (
        (q_input, q_reply, q_clock, q_nodes),
        (n_tokens, n_pruned, n_long, n_calls, n_lower, n_previous),
    )
    attempts_of = (a_flags, a_turn_at, a_said_ms, a_day, a_turn_zone)
    happenings, requests, steps = len(op_code), len(q_input), len(p_op)
    lay_bills(
        places, routes, (table_first, table_starts, table_weeks), rule_of, rules, q_model, q_time, q_clock, q_nodes,
        p_end, p_request, e_row, e_end,
    )  # fmt: skip

    wrote = lanes - lanes
    for lane in range(lanes):
        at = lane * KNOB_COUNT
        interval, delivery, recorded = knobs[at], knobs[at + 1], knobs[at + 2]
        terms, simple, gap = masks[knobs[at + 3] : knobs[at + 4]], knobs[at + 5], knobs[at + 6]
        tool_calls, bill = knobs[at + 7], knobs[at + 9]
        row_at, end_at, place_at = bill * requests, bill * steps, bill * routes
        # a compiler takes numbers that are written out for types of their own, of which each function would have many
        zero = interval - interval
        none, missing = zero + NONE, zero + MISSING
        anchored_early = spare = counts = budget_at = zero
        plan, plan_sizes = (zero, zero, zero, zero, zero, zero), (0.0, 0.0, 0.0)
        if is_simulated == 1:
            budget_at = knobs[at + 8] * capacities * BUDGET_COUNT
            base, at = knobs[at + 8] * PLAN_COUNT, knobs[at + 8] * 3
            anchored_early, spare, counts = plans[base], plans[base + 1], plans[base + 2]
            plan = (
                plans[base + 3], plans[base + 4], plans[base + 5], plans[base + 6], plans[base + 7], plans[base + 8],
            )  # fmt: skip
            plan_sizes = (sizes[at], sizes[at + 1], sizes[at + 2])
        late, b_usage = (p_early, b_early) if anchored_early == 1 else (p_late, b_late)
        pressed, b_pressed = (
            (p_compact, p_header, p_prompt, p_ahead, p_there, late),
            (b_plain, b_usage, b_least, b_most),
        )
        schema = schema_tokens if delivery == TOOL else 0
        until_entry = 3 if is_simulated == 1 and is_note == 0 else 1  # from a plain step's beginning to its reading
        is_logged = delivery in (APPENDED, REPLACED, TOOL, TIMER)

        # the newest reading, and the newest message that the log does not hold
        has_last = last_ms = compacted = message_ms = zero
        last_at = last_zone = message_at = none
        last_day = missing
        # the surface
        top = surface = shift = tail = head = pruned = overhead = started = overflows = zero
        checkpoint, answered = none, zero + 1
        clear = clear_surface = zero
        # what only some deliveries have: a reading beside the surface, a call, ticks
        holding = held = held_since = taken = calls = called_price = zero
        turn = called = none
        tick_ms = missing
        # prompts
        sent = changed = input_tokens = estimate = unsent = zero
        rewritten = zero + NEVER
        # the attempt
        attempt = pending = none
        price = elapsed = is_aged = zero
        # the cache: after a request of the log its clock and nodes are those of the log but for what is shifted
        count = zero + FIRST_MARK
        runs = newest = newest_nodes = clock = clock_shift = node_shift = end_nodes = zero
        request_ms = header = last_shown = zero
        place = rule_at = last_request = none
        rule = (zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero)
        has_marks = has_outputs = charges = step_tokens = minimum = ttl_ms = lookback = zero
        # what is billed at the same rates, not added up yet
        bill_at, bill_tokens, bill_hits, bill_writes, bill_reply, bill_count = none, zero, zero, zero, zero, zero
        # sums
        attempts = asked = readings = reading_tokens = carried = first_tokens = inputs = extra = zero
        unavailable = blind = blind_first = row_blind = longest_blind = longest_ms = mismatches = zero
        compactions = asked_tokens = written_tokens = peak_surface = peak_pressure = seen_steps = passed_steps = zero
        cached = written = outputs = cost = unpriced_requests = unpriced = zero
        same_count = stale_count = aged_count = zeros = zero
        began = first_compaction = missing

        here = 0
        while True:
            if here == own_from:  # what came before belongs to another session
                attempts = asked = readings = reading_tokens = carried = first_tokens = inputs = extra = zero
                unavailable = blind = blind_first = row_blind = longest_blind = longest_ms = mismatches = zero
                compactions = asked_tokens = written_tokens = peak_surface = peak_pressure = seen_steps = (
                    passed_steps
                ) = zero
                cached = written = outputs = cost = unpriced_requests = unpriced = zero
                bill_tokens = bill_hits = bill_writes = bill_reply = bill_count = zero
                same_count = stale_count = aged_count = zeros = is_aged = zero
                began = first_compaction = missing
                clear = zero
            if here == happenings:
                break

            row = op_plain[here]
            if row >= 0 and has_last == 1 and changed == NEVER and rewritten == NEVER and estimate > 0:
                request, each, now = p_request[row], p_attempt[row], p_now[row]
                # whether this prompt, too, finds what the one before it left in the cache, even with a reading
                rate = e_row[row_at + request]
                passes = (
                    last_request == request - 1
                    and place == places[place_at + q_model[request]]
                    and rule_of[rate] * RULE_COUNT == rule_at
                    and not (ttl_ms > 0 and q_clock[request] - q_clock[request - 1] >= ttl_ms)
                    and not here < own_from < p_resume[row]
                )
                if has_marks == 1 and passes:
                    passes = 0 < newest <= q_input[request] + shift + surface + held + schema
                    if lookback > 0 and q_nodes[request] + node_shift + 1 - newest_nodes >= lookback:
                        passes = False
                if delivery != APPENDED and (
                    (delivery == REQUEST_LINE and holding == 1) or (delivery == SESSION_PREFIX and taken == 0)
                ):
                    passes = False
                # whether its attempt takes a reading
                base_ms = tick_ms if delivery == TIMER else last_ms
                first, aged_ms, fresh = 0, now - last_ms, 0
                if passes:
                    if recorded == 1:
                        fresh = a_flags[each] & A_OWN
                    elif delivery == TOOL:
                        if is_clock_called(calls if a_turn[each] == turn else zero, tool_calls):
                            fresh = 1
                    elif simple == 1:
                        if now - base_ms >= interval or now < base_ms:
                            fresh = 1
                    elif delivery != SESSION_PREFIX:
                        last = (last_ms, last_at, last_day, last_zone, compacted == 1)
                        if ruled_step(row, row + 1, terms, last, interval, gap, p_now, p_attempt, attempts_of) == row:
                            fresh = 1
                    if fresh > 0:
                        passes = delivery == APPENDED and a_flags[each] & A_FAILS == 0
                if passes and fresh > 0:
                    elapsed = none
                    if a_flags[each] & A_FIRST > 0:  # since the newest message of any kind
                        if a_message_at[each] > message_at:
                            elapsed = now - a_message_ms[each] if now > a_message_ms[each] else zero
                        elif message_at != NONE:
                            elapsed = now - message_ms if now > message_ms else zero
                    elif last_at >= a_base_at[each]:  # since the newest reading of the turn
                        elapsed = now - last_ms if now > last_ms else zero
                    form = forms[elapsed // 1000] if 0 <= elapsed < FORMS_MS else elapsed_form(elapsed)
                    price = f_price[a_form[each] * FORM_COUNT + form]
                threshold = zero + NEVER
                if passes and is_simulated == 1:
                    compact = op_arg[p_op[row] + 2 * is_note]
                    threshold = budgets[budget_at + c_capacity[compact] * BUDGET_COUNT]
                    pressure = p_compact[row] + shift + surface
                    pressure += overhead if c_anchored[compact] == 1 else p_header[row]
                    if is_note == 1 and fresh > 0:
                        pressure += price
                    if pressure > peak_pressure:
                        peak_pressure = pressure
                    passes = pressure < threshold
                if passes:
                    surface_before, more = surface, zero
                    if fresh > 0:
                        if is_note == 1:
                            surface_before += price
                        elif anchored_early == 1:
                            more = price
                        has_last, last_ms, last_at = 1, a_time[each], here + until_entry
                        last_day, last_zone, compacted = a_day[each], a_turn_zone[each], 0
                        message_at, message_ms, base_ms = last_at, last_ms, last_ms
                        readings += 1
                        reading_tokens += price
                        if elapsed < 0:
                            unavailable += 1
                        surface += price
                        unsent += price
                        node_shift += 1
                        v_kind[top], v_now[top], v_zone[top] = SURFACE, now, a_zone[each]
                        v_price[top], v_attempt[top], v_since[top] = price, each, sent
                        if is_simulated == 1:
                            v_node[top] = q_nodes[request]
                        else:
                            v_at[top], v_before[top], v_first[top] = last_at, q_tokens[request], each
                        top += 1
                        # its own attempt is as old as the reading before
                        aged[aged_count] = aged_ms
                        aged_count += 1
                        zeros += 1
                        first = 1
                    shown = shift + surface + held + schema
                    # up to the next attempt that is due
                    stop = e_end[end_at + row]
                    if row < own_step < stop:
                        stop = own_step
                    if recorded == 1:
                        for step in range(row + 1, stop):
                            if a_flags[p_attempt[step]] & A_OWN > 0:
                                stop = step
                                break
                    elif delivery == TOOL:
                        stop = calling_step(row + 1, stop, turn, calls, tool_calls, p_attempt, a_turn)
                    elif simple == 1:
                        if row + 1 < stop and (p_now[row + 1] - base_ms >= interval or p_now[row + 1] < base_ms):
                            stop = row + 1
                        else:
                            stop = due_step(row + 2, stop, base_ms, interval, p_now, b_first, b_last)
                    elif delivery != SESSION_PREFIX:
                        last = (last_ms, last_at, last_day, last_zone, compacted == 1)
                        stop = ruled_step(row + 1, stop, terms, last, interval, gap, p_now, p_attempt, attempts_of)
                    # up to the next one before which compaction is due
                    if is_simulated == 1 and stop > row + 1:
                        on_surface = shift + surface
                        if stop > clear or on_surface > clear_surface or more > CLEAR_TOKENS:
                            limit = threshold if threshold <= peak_pressure else peak_pressure + 1
                            clear = clear_until(row + 1, p_end[row], on_surface, limit, b_pressed)
                            clear_surface = on_surface + CLEAR_TOKENS
                            if stop > clear or more > CLEAR_TOKENS:
                                stop, peak_pressure = pressing_step(
                                    row + 1, stop, on_surface, more, threshold, peak_pressure, pressed, b_pressed
                                )
                    # up to the next one whose prompt is beyond the size from which on other rates hold
                    limit = rates[rate * RATE_COUNT]
                    at = rate * RATE_COUNT + 1
                    if limit != 0:
                        if limit < 0:
                            at = none
                        elif q_input[request] + shown > limit:
                            at += 4
                        else:
                            while q_input[request + stop - row - 1] + shown > limit:
                                stop -= 1
                    passed = stop - row
                    last_request, end = request + passed - 1, request + passed
                    passed_steps += passed
                    sent += passed
                    carried += passed * (surface + held)
                    if unsent > 0:
                        first_tokens += unsent
                        unsent = zero
                    tokens = q_inputs[end] - q_inputs[request] + passed * shown
                    if p_surface[stop - 1] + shift + surface > peak_surface:
                        peak_surface = p_surface[stop - 1] + shift + surface
                    if passed > 1:
                        surface_before = surface
                    if is_simulated == 0 and p_before[stop - 1] + surface_before > peak_pressure:
                        peak_pressure = p_before[stop - 1] + surface_before
                    # what the model sees
                    if top == 0:
                        blind += passed
                        row_blind += passed
                        if row_blind > longest_blind:
                            longest_blind = row_blind
                        if began == MISSING:
                            began = now
                        for now in p_now[row:stop]:
                            if now - began > longest_ms:
                                longest_ms = now - began
                            aged[aged_count] = now - last_ms
                            aged_count += 1
                    else:
                        if began != MISSING:
                            if now - began > longest_ms:
                                longest_ms = now - began
                            row_blind, began = 0, MISSING
                        newest_ms = v_now[top - 1]
                        if newest_ms == last_ms and base_ms == last_ms and simple == 1:
                            for now in p_now[row + first : stop]:  # a clock gone back would have been due
                                same[same_count] = now - last_ms
                                same_count += 1
                        else:
                            for now in p_now[row + first : stop]:
                                aged[aged_count] = now - last_ms
                                aged_count += 1
                                if now > newest_ms:
                                    stale[stale_count] = now - newest_ms
                                    stale_count += 1
                                else:
                                    zeros += 1
                        zone, step = v_zone[top - 1], row
                        while step < stop:
                            until = p_zone_end[step]
                            if until > stop:
                                until = stop
                            if p_turn_zone[step] != zone and p_turn_zone[step] >= 0:
                                mismatches += until - step
                            step = until
                    # what it costs
                    if at != bill_at:
                        more_cost = cost_of(rates, bill_at, bill_tokens, bill_hits, bill_writes, bill_reply)
                        if bill_at >= 0:
                            cost += more_cost
                        else:
                            unpriced_requests += bill_count
                            unpriced += more_cost
                        inputs += bill_tokens
                        cached += bill_hits
                        written += bill_writes
                        outputs += bill_reply
                        bill_at, bill_count = at, zero
                        bill_tokens = bill_hits = bill_writes = bill_reply = zero
                    bill_tokens += tokens
                    bill_reply += q_outputs[end] - q_outputs[request]
                    bill_count += passed
                    if has_marks == 1:
                        hits = newest + q_inputs[last_request] - q_inputs[request] + (passed - 1) * shown
                        newest = q_input[last_request] + shown
                        newest_nodes = q_nodes[last_request] + node_shift
                        if has_outputs == 1:
                            hits += q_replies[last_request] - q_replies[request]
                            if q_reply[last_request] > 0:
                                newest += q_reply[last_request]
                                newest_nodes += 1
                        bill_hits += hits
                        if charges == 1:
                            bill_writes += tokens - hits
                        g_first[runs], g_end[runs], g_shift[runs], g_nodes[runs] = request, end, shown, node_shift
                        runs += 1
                    elif step_tokens > 0:
                        extent = min(input_tokens, q_input[request] + shown)
                        for other in range(request, end):
                            if extent > 0 and extent >= minimum:
                                bill_hits += minimum + (extent - minimum) // step_tokens * step_tokens
                            extent = q_input[other] + shown
                    # what the next prompt starts from
                    input_tokens, last_shown = q_input[last_request] + shown, shown
                    end_nodes = q_nodes[last_request] + node_shift
                    attempt, is_aged, answered = p_attempt[stop - 1], zero, zero
                    if a_turn[attempt] != turn:
                        turn, calls = a_turn[attempt], zero
                    if is_simulated == 1:
                        started = op_tokens[p_start[stop - 1]] + shift + surface_before
                    here = p_resume[stop - 1]
                    continue

            code, arg = op_code[here], op_arg[here]

            if code == AT_DECIDE:
                attempt, pending = arg, NONE
                now, flags = a_now[arg], a_flags[arg]
                attempts += 1
                is_aged = has_last
                if has_last == 1:
                    aged[aged_count] = now - last_ms
                    aged_count += 1
                if a_turn[arg] != turn:
                    turn, calls = a_turn[arg], 0
                if is_simulated == 0 and is_note == 0 and flags & A_STEP > 0:
                    peak_pressure = max(peak_pressure, a_header[arg] + op_tokens[here] + surface)
                if holding == 1 and delivery == REQUEST_LINE:
                    top = let_go(top, entries)
                    if held_since == sent:
                        unsent -= held
                    holding = held = 0

                if recorded == 1:
                    wanted = flags & A_OWN > 0
                elif flags & A_ELIGIBLE == 0:
                    wanted = False
                elif delivery == TOOL:
                    wanted = flags & A_STEP > 0 and is_clock_called(calls, tool_calls)
                elif delivery == SESSION_PREFIX:
                    wanted = taken == 0
                elif delivery == TIMER:
                    wanted = tick_ms == MISSING or now < tick_ms or now - tick_ms >= interval
                elif has_last == 0:
                    wanted = True
                elif simple == 1:
                    wanted = now < last_ms or now - last_ms >= interval
                else:
                    rules_held = held_rules(
                        now,
                        last_ms,
                        interval,
                        last_at,
                        a_turn_at[arg] - 1,
                        flags & A_SAID > 0,
                        a_said_ms[arg],
                        gap,
                        a_day[arg] != MISSING and last_day != MISSING and a_day[arg] != last_day,
                        a_turn_zone[arg],
                        last_zone,
                        compacted == 1,
                    )
                    wanted = any_holds(terms, rules_held)

                if wanted and flags & A_FAILS == 0:
                    elapsed = NONE
                    if flags & A_FIRST > 0:  # since the newest message of any kind
                        if a_message_at[arg] > message_at:
                            elapsed = now - a_message_ms[arg] if now > a_message_ms[arg] else 0
                        elif message_at != NONE:
                            elapsed = now - message_ms if now > message_ms else 0
                    elif has_last == 1 and last_at >= a_base_at[arg]:  # since the newest reading of the turn
                        elapsed = now - last_ms if now > last_ms else 0
                    form = forms[elapsed // 1000] if 0 <= elapsed < FORMS_MS else elapsed_form(elapsed)
                    price = f_price[a_form[arg] * FORM_COUNT + form]
                    if delivery != TIMER:
                        pending = arg
                    else:  # every tick since the last enters at once
                        ticks = 1
                        if tick_ms == MISSING or now < tick_ms:
                            tick_ms = now - interval
                        else:
                            ticks, elapsed = ticks_due(now, tick_ms, interval), interval
                            price = f_price[a_form[arg] * FORM_COUNT + elapsed_form(interval)]
                        for _ in range(ticks):
                            tick_ms += interval
                            has_last, last_ms, last_at = 1, tick_ms, here
                            last_day, last_zone, compacted = a_day[arg], a_turn_zone[arg], 0
                            message_at, message_ms = here, tick_ms
                            readings += 1
                            reading_tokens += price
                            if elapsed < 0:
                                unavailable += 1
                            surface += price
                            unsent += price
                            node_shift += 1
                            v_kind[top], v_at[top], v_now[top], v_zone[top] = SURFACE, here, tick_ms, a_zone[arg]
                            v_price[top], v_attempt[top], v_since[top] = price, NONE, sent
                            v_node[top], v_before[top], v_first[top] = op_nodes[here], op_tokens[here], NONE
                            top += 1
                            ended_ms, started_ms = a_idle_from[arg], a_idle_until[arg]
                            if is_idle(tick_ms, ended_ms != MISSING, ended_ms, started_ms != MISSING, started_ms):
                                # a request of its own, which nothing answers
                                if last_request >= 0:
                                    estimate = q_header[last_request] + q_tokens[last_request] + last_shown
                                    header = share_of(q_header[last_request] + schema, input_tokens, estimate)
                                    clock, request_ms = q_clock[last_request] + clock_shift, q_time[last_request]
                                tokens = a_header[arg] + op_tokens[here] + shift + surface
                                stable = stable_part(changed, a_header[arg], rewritten, estimate, input_tokens, tokens)
                                is_another = place != places[place_at + a_model[arg]]
                                place = places[place_at + a_model[arg]]
                                rate = rate_row(table_first, table_starts, table_weeks, place, tick_ms)
                                idle = 0 if is_another or tick_ms < request_ms else tick_ms - request_ms
                                hits, writes, count, newest, newest_nodes, rule = split_prompt(
                                    (count, runs, clock, clock_shift, end_nodes, input_tokens, header),
                                    marks, runs_of, requests_of, rules, rule, rule_at, rule_of[rate] * RULE_COUNT,
                                    is_another, idle, tokens, stable, op_nodes[here] + node_shift - end_nodes, zero,
                                    a_header[arg], zero,
                                )  # fmt: skip
                                rule_at = rule_of[rate] * RULE_COUNT
                                step_tokens, minimum, ttl_ms, lookback = rule[0], rule[1], rule[2], rule[3]
                                has_marks, has_outputs, charges = rule[5], rule[6], rule[10]
                                runs, header, clock, request_ms = zero, a_header[arg], clock + idle, tick_ms
                                end_nodes, answered, last_request = op_nodes[here] + node_shift, zero + 1, none
                                carried += surface
                                first_tokens += unsent
                                unsent = zero
                                inputs += tokens
                                extra += tokens - surface
                                asked += 1
                                sent += 1
                                cached += hits
                                written += writes
                                at = rates_at(rates, rate, tokens)
                                more_cost = cost_of(rates, at, tokens, hits, writes, zero)
                                if at >= 0:
                                    cost += more_cost
                                else:
                                    unpriced_requests += 1
                                    unpriced += more_cost
                                input_tokens = estimate = tokens
                                changed = rewritten = zero + NEVER

            elif code == AT_INSERT:
                if pending == arg:
                    pending, taken = NONE, 1
                    calls += 1
                    has_last, last_ms, last_at = 1, a_time[arg], here
                    last_day, last_zone, compacted = a_day[arg], a_turn_zone[arg], 0
                    if is_logged:
                        message_at, message_ms = here, a_time[arg]
                    readings += 1
                    reading_tokens += price
                    if elapsed < 0:
                        unavailable += 1
                    if delivery == TOOL:  # it enters once the model has called
                        called, called_price = arg, price
                    else:
                        kind, label, node, before, first = SURFACE, here, op_nodes[here], op_tokens[here], arg
                        if not is_logged:  # it stands beside the surface, in place of the one before
                            kind = HELD
                            if holding == 1:
                                top = let_go(top, entries)
                                if held_since == sent:
                                    unsent -= held
                            holding, held, held_since = 1, price, sent
                            if delivery != REQUEST_LINE and a_header[arg] < changed:
                                changed = a_header[arg]
                        else:
                            surface += price
                            node_shift += 1
                            entry = top - 1
                            while entry >= 0 and v_kind[entry] != SURFACE:
                                entry -= 1
                            if delivery == REPLACED and entry >= 0:  # it takes the place of the one before
                                surface -= v_price[entry]
                                if v_since[entry] == sent:
                                    unsent -= v_price[entry]
                                label, node, before, first = v_at[entry], v_node[entry], v_before[entry], v_first[entry]
                                position = before
                                if is_simulated == 1:
                                    position = head + n_tokens[node] - n_tokens[tail]
                                    position -= savings_of(n_tokens, n_pruned, tail, min(node, pruned))
                                    position += max(checkpoint, 0)
                                rewritten = min(rewritten, position)
                                v_kind[entry] = HELD
                                top = let_go(top, entries)
                        unsent += price
                        v_kind[top], v_at[top], v_now[top], v_zone[top] = kind, label, a_now[arg], a_zone[arg]
                        v_price[top], v_attempt[top], v_since[top] = price, arg, sent
                        v_node[top], v_before[top], v_first[top] = node, before, first
                        top += 1
                if is_simulated == 0 and is_note == 1 and a_flags[arg] & A_STEP > 0:
                    peak_pressure = max(peak_pressure, a_header[arg] + op_tokens[here] + surface)

            elif code == AT_REQUEST:
                if last_request >= 0:
                    estimate = q_header[last_request] + q_tokens[last_request] + last_shown
                    header = share_of(q_header[last_request] + schema, input_tokens, estimate)
                    clock, request_ms = q_clock[last_request] + clock_shift, q_time[last_request]
                rate = e_row[row_at + arg]
                is_another = place != places[place_at + q_model[arg]]  # it begins with an empty cache
                place = places[place_at + q_model[arg]]
                idle = 0 if is_another or q_time[arg] < request_ms else q_time[arg] - request_ms
                above = q_header[arg] + schema
                if called == q_attempt[arg]:  # the model calls the clock first
                    tokens = above + op_tokens[here] + shift + surface
                    stable = stable_part(changed, above, rewritten, estimate, input_tokens, tokens)
                    hits, writes, count, newest, newest_nodes, rule = split_prompt(
                        (count, runs, clock, clock_shift, end_nodes, input_tokens, header), marks, runs_of,
                        requests_of, rules, rule, rule_at, rule_of[rate] * RULE_COUNT, is_another, idle, tokens, stable,
                        q_nodes[arg] + node_shift - end_nodes, call_tokens, above, zero,
                    )  # fmt: skip
                    rule_at = rule_of[rate] * RULE_COUNT
                    step_tokens, minimum, ttl_ms, lookback = rule[0], rule[1], rule[2], rule[3]
                    has_marks, has_outputs, charges = rule[5], rule[6], rule[10]
                    runs, header, clock = zero, above, clock + idle
                    end_nodes = q_nodes[arg] + node_shift
                    is_another, idle = False, zero
                    carried += surface
                    first_tokens += unsent
                    inputs += tokens
                    extra += tokens - surface - schema
                    asked += 1
                    sent += 1
                    cached += hits
                    written += writes
                    outputs += call_tokens
                    at = rates_at(rates, rate, tokens)
                    more_cost = cost_of(rates, at, tokens, hits, writes, call_tokens)
                    if at >= 0:
                        cost += more_cost
                    else:
                        unpriced_requests += 1
                        unpriced += more_cost
                    input_tokens = estimate = tokens
                    changed = rewritten = zero + NEVER
                    surface += called_price
                    unsent = called_price
                    node_shift += 1
                    v_kind[top], v_at[top], v_now[top], v_zone[top] = SURFACE, here, a_now[called], a_zone[called]
                    v_price[top], v_attempt[top], v_since[top] = called_price, called, sent
                    v_node[top], v_before[top], v_first[top] = op_nodes[here], op_tokens[here], called
                    top += 1
                    called = none

                shown = shift + surface + held + schema
                tokens = max(0, q_input[arg] + shown)
                counted = q_header[arg] + q_tokens[arg] + shown
                line, has_line = zero, held > 0 and delivery == REQUEST_LINE
                if has_line:
                    line = tokens - (counted - held) * tokens // counted
                else:
                    above += held
                reply = zero if has_line else q_reply[arg]
                nodes_now = q_nodes[arg] + node_shift
                # whether it finds what the one before it left in the cache, since it only grew
                passes = (
                    not is_another
                    and not has_line
                    and estimate > 0
                    and changed >= estimate
                    and above + rewritten >= estimate
                    and rule_of[rate] * RULE_COUNT == rule_at
                    and not (ttl_ms > 0 and idle >= ttl_ms)
                )
                if passes and has_marks == 1:
                    passes = 0 < newest <= tokens and not (lookback > 0 and nodes_now - newest_nodes >= lookback)
                hits = writes = zero
                if passes:
                    if has_marks == 1:
                        hits = newest
                        writes = tokens - hits if charges == 1 else zero
                        g_first[runs], g_end[runs], g_shift[runs] = arg, arg + 1, tokens - q_input[arg]
                        g_nodes[runs] = node_shift
                        runs += 1
                        newest, newest_nodes = tokens, nodes_now
                        if has_outputs == 1 and reply > 0:
                            newest += reply
                            newest_nodes += 1
                    elif step_tokens > 0:
                        extent = min(input_tokens, tokens)
                        if extent > 0 and extent >= minimum:
                            hits = minimum + (extent - minimum) // step_tokens * step_tokens
                else:
                    stable = stable_part(changed, above, rewritten, estimate, input_tokens, tokens)
                    its_header = share_of(q_header[arg] + schema, tokens, counted)
                    hits, writes, count, newest, newest_nodes, rule = split_prompt(
                        (count, runs, clock, clock_shift, end_nodes, input_tokens, header), marks, runs_of,
                        requests_of, rules, rule, rule_at, rule_of[rate] * RULE_COUNT, is_another, idle, tokens, stable,
                        nodes_now - end_nodes, reply, its_header, line,
                    )  # fmt: skip
                    rule_at, runs = rule_of[rate] * RULE_COUNT, zero
                    step_tokens, minimum, ttl_ms, lookback = rule[0], rule[1], rule[2], rule[3]
                    has_marks, has_outputs, charges = rule[5], rule[6], rule[10]
                clock_shift = clock + idle - q_clock[arg]
                end_nodes, answered, last_request, last_shown = nodes_now, zero, arg, shown
                carried += surface + held
                first_tokens += unsent
                unsent = zero
                asked += 1
                sent += 1
                at = rates_at(rates, rate, tokens)
                if at != bill_at:
                    more_cost = cost_of(rates, bill_at, bill_tokens, bill_hits, bill_writes, bill_reply)
                    if bill_at >= 0:
                        cost += more_cost
                    else:
                        unpriced_requests += bill_count
                        unpriced += more_cost
                    inputs += bill_tokens
                    cached += bill_hits
                    written += bill_writes
                    outputs += bill_reply
                    bill_at, bill_count = at, zero
                    bill_tokens = bill_hits = bill_writes = bill_reply = zero
                bill_tokens += tokens
                bill_hits += hits
                bill_writes += writes
                bill_reply += q_output[arg]
                bill_count += 1
                input_tokens, estimate = tokens, counted
                changed, rewritten = counted - held if has_line else zero + NEVER, zero + NEVER

                if q_flags[arg] & Q_FIRST > 0:
                    seen_steps += 1
                    now = a_now[attempt]
                    if op_tokens[here] + shift + surface > peak_surface:
                        peak_surface = op_tokens[here] + shift + surface
                    if began != MISSING and now - began > longest_ms:
                        longest_ms = now - began
                    if top == 0:
                        blind += 1
                        row_blind += 1
                        if row_blind > longest_blind:
                            longest_blind = row_blind
                        if began == MISSING:
                            began = now
                        if has_last == 0:
                            blind_first += 1
                    else:
                        row_blind, began = 0, MISSING
                        entry = top - 1
                        while entry >= 0 and v_kind[entry] == STRAY:
                            entry -= 1
                        staleness = 0
                        if not (entry >= 0 and v_attempt[entry] == attempt) and now > v_now[top - 1]:
                            staleness = now - v_now[top - 1]
                        if is_aged == 1 and aged[aged_count - 1] == staleness:
                            aged_count -= 1
                            same[same_count] = staleness
                            same_count += 1
                        elif staleness > 0:
                            stale[stale_count] = staleness
                            stale_count += 1
                        else:
                            zeros += 1
                        is_aged = 0
                        if a_turn_zone[attempt] >= 0 and v_zone[top - 1] != a_turn_zone[attempt]:
                            mismatches += 1
                if holding == 1 and delivery == REQUEST_LINE and q_flags[arg] & Q_LAST > 0:
                    top = let_go(top, entries)
                    holding = held = 0

            elif code == AT_START:
                started = op_tokens[here] + shift + surface

            elif code == AT_REPLY:
                on_surface = op_tokens[here] + shift + surface
                overhead = s_header[arg]
                if s_reported[arg] == 1:
                    prompt = s_prompt[arg]
                    if s_there[arg] != 0:
                        prompt = prompt * (s_header[arg] + on_surface) // s_there[arg]
                    prompt += s_output[arg] - s_reply[arg] - (started if anchored_early == 1 else on_surface)
                    overhead = max(overhead, prompt)
                overflows, answered = 0, 1

            elif code in (AT_COMPACT, AT_OVERFLOW):
                at = budget_at + c_capacity[arg] * BUDGET_COUNT
                lead = overhead if c_anchored[arg] == 1 else c_header[arg]
                budget = (lead, budgets[at], budgets[at + 1], budgets[at + 2], zero)
                if code == AT_COMPACT:
                    pressure = op_tokens[here] + shift + surface + lead
                    peak_pressure = max(peak_pressure, pressure)
                    is_due = c_ready[arg] == 1 and pressure >= budgets[at]
                else:
                    budget = (lead, zero, zero, zero + 1, spare)
                    is_due = c_ready[arg] == 1 and overflows < budgets[at + 3]
                    overflows += 1
                if is_due:
                    sum_place = places[place_at + budgets[at + 4]]
                    (
                        top, surface, shift, tail, head, checkpoint, pruned, unsent, reliefs, checkpoints, position,
                        more_asked, more_written, more_cost, more_requests, more_unpriced,
                    ) = relieve_surface(
                        (top, surface, shift, tail, head, checkpoint, pruned),
                        (sent, unsent),
                        budget,
                        plan,
                        plan_sizes,
                        (op_nodes[here], op_tokens[here], system_head, c_header[arg]),
                        c_turn[arg] == 1,
                        code == AT_OVERFLOW,
                        nodes,
                        entries,
                        (table_first, table_starts, table_weeks, rates, sum_place, c_now[arg]),
                    )  # fmt: skip
                    asked_tokens += more_asked
                    written_tokens += more_written
                    outputs += more_written
                    cost += more_cost
                    unpriced_requests += more_requests
                    unpriced += more_unpriced
                    if checkpoints > 0:
                        compactions += checkpoints
                        compacted = 1
                        if first_compaction == MISSING:
                            first_compaction = op_step[here] + 1
                    if reliefs > 0:
                        node_shift += reliefs
                        rewritten = min(rewritten, position)
                        if counts == 1:
                            message_at, message_ms = here, c_now[arg]
                        if answered == 0 and newest > input_tokens:  # the reply to come does not follow its prompt
                            count = add_marks(rule, marks, count, zero + NEVER, runs, runs_of, requests_of, clock_shift)
                            runs = zero
                            if count > FIRST_MARK and positions[count - 1] == newest:
                                count -= 1
                            newest = input_tokens
                            newest_nodes -= 1

            elif code == AT_REPLACE:
                span = (r_low[arg], r_high[arg], r_previous[arg], r_next[arg], r_delta[arg])
                top, gone, gone_unsent, before = shadow_entries(
                    top, sent, here, r_widens[arg], span, entries, a_gone, y_gone
                )
                surface -= gone
                unsent -= gone_unsent
                node_shift += 1
                rewritten = min(rewritten, r_before[arg] + before)
                if r_checkpoint[arg] == 1:
                    compactions += 1
                    compacted = 1
                    if first_compaction == MISSING:
                        first_compaction = op_step[here] + 1

            elif code == AT_STRAY:
                has_last, last_ms, last_at = 1, y_time[arg], here
                last_day, last_zone, compacted = y_day[arg], y_turn_zone[arg], 0

            elif code == AT_SHOW:
                v_kind[top], v_at[top], v_now[top], v_zone[top] = STRAY, here, y_now[arg], y_zone[arg]
                v_price[top], v_attempt[top], v_since[top] = 0, arg, sent
                v_node[top], v_before[top], v_first[top] = y_node[arg], 0, NONE
                top += 1

            elif code == AT_HEADER:
                changed = 0

            elif code == AT_REST:
                overflows = 0

            here += 1

        more_cost = cost_of(rates, bill_at, bill_tokens, bill_hits, bill_writes, bill_reply)
        if bill_at >= 0:
            cost += more_cost
        else:
            unpriced_requests += bill_count
            unpriced += more_cost
        inputs += bill_tokens
        cached += bill_hits
        written += bill_writes
        outputs += bill_reply
        attempts += passed_steps
        seen_steps += passed_steps
        asked += passed_steps

        order(same, same_count, spare_values, digits)
        order(stale, stale_count, spare_values, digits)
        order(aged, aged_count, spare_values, digits)
        of_steps, of_ages = zeros + same_count + stale_count, same_count + aged_count
        at = lane * RESULT_COUNT
        out[at], out[at + 1], out[at + 2], out[at + 3] = attempts, seen_steps, asked, readings
        out[at + 4], out[at + 5], out[at + 6] = reading_tokens, carried - first_tokens, inputs
        out[at + 7] = pick_rank(zeros, same, same_count, stale, stale_count, (of_steps + 1) // 2)
        out[at + 8] = pick_rank(zeros, same, same_count, stale, stale_count, (of_steps * 19 + 19) // 20)
        out[at + 9] = pick_rank(zeros, same, same_count, stale, stale_count, of_steps)
        out[at + 10] = pick_rank(zero, same, same_count, aged, aged_count, (of_ages + 1) // 2)
        out[at + 11] = pick_rank(zero, same, same_count, aged, aged_count, (of_ages * 19 + 19) // 20)
        out[at + 12] = pick_rank(zero, same, same_count, aged, aged_count, of_ages)
        out[at + 13], out[at + 14], out[at + 15], out[at + 16] = blind, blind_first, longest_blind, longest_ms
        out[at + 17], out[at + 18], out[at + 19] = unavailable, mismatches, compactions
        out[at + 20], out[at + 21], out[at + 22] = asked_tokens, written_tokens, peak_surface
        out[at + 23], out[at + 24], out[at + 25], out[at + 26] = peak_pressure, first_compaction, cached, written
        out[at + 27], out[at + 28], out[at + 29], out[at + 30] = outputs, cost, unpriced_requests, unpriced
        wrote = pack_bins(edges, zeros, same, same_count, stale, stale_count, packed, wrote)
        out[at + 31], out[at + 32] = extra + asked * schema, wrote

"""Number what the kernel tells apart: things that happen, marks of attempts and requests, ways of delivery, results."""

from __future__ import annotations

from typing import Final

# What happens
AT_DECIDE: Final = 0
AT_INSERT: Final = 1
AT_REQUEST: Final = 2
AT_REPLY: Final = 3  # an assistant message is about to enter: simulated compaction measures from it
AT_COMPACT: Final = 4  # simulated compaction looks at the pressure
AT_START: Final = 5  # a step starts: what a reply's usage is anchored to
AT_REPLACE: Final = 6  # a recorded replacement
AT_STRAY: Final = 7  # a message that looks like a reading counts for the schedule
AT_SHOW: Final = 8  # and is visible
AT_HEADER: Final = 9  # requests carry another header from here on
AT_OVERFLOW: Final = 10  # a request did not fit
AT_REST: Final = 11  # the agent was idle: overflow recovery may be tried anew

# Marks of an attempt
A_ELIGIBLE: Final = 1
A_OWN: Final = 2  # the log holds its reading
A_FAILS: Final = 4  # no reading can be taken: a zone is refused
A_FIRST: Final = 8  # step 1 of its turn
A_MESSAGE: Final = 16  # some message stands before it
A_SAID: Final = 32  # some message that does not enter with it stands before it
A_STEP: Final = 64  # a step follows

# Marks of a request
Q_FIRST: Final = 1
Q_LAST: Final = 2
Q_REPORTED: Final = 4  # the provider said how long it was

# Plain steps are looked at in blocks; how pressure grows with the surface is kept in units of 2 ** -SLOPE_BITS
BLOCK: Final = 16
SLOPE_BITS: Final = 24
CLEAR_TOKENS: Final = 1000  # by how much the surface may grow before pressure is looked at again

PLACES: Final = 2048  # room for counting digits
FORMS_MS: Final = 3_600_000  # elapsed times whose form is looked up

NONE: Final = -1
NEVER: Final = 2**62
MISSING: Final = -(2**63)

# Deliveries
APPENDED: Final = 0
SYSTEM_PROMPT: Final = 1
REPLACED: Final = 2
SESSION_PREFIX: Final = 3
REQUEST_LINE: Final = 4
TOOL: Final = 5
TIMER: Final = 6

DELIVERIES: Final = {
    "appended": APPENDED,
    "system-prompt": SYSTEM_PROMPT,
    "replaced": REPLACED,
    "session-prefix": SESSION_PREFIX,
    "request-line": REQUEST_LINE,
    "tool": TOOL,
    "timer": TIMER,
}

# A lane's knobs
KNOBS: Final = (
    *("interval", "delivery", "recorded", "first_mask", "last_mask", "simple", "gap", "calls", "plan", "bill"),
)

# A compaction's settings: for all capacities, and for each
PLAN: Final = ("anchored_early", "spare", "counts", "prunes", "fails", "share", "price", "output", "instruction")
BUDGET: Final = ("threshold", "retain", "rounds", "retries", "route")
KNOB_COUNT: Final = len(KNOBS)
PLAN_COUNT: Final = len(PLAN)
BUDGET_COUNT: Final = len(BUDGET)

RULE_COUNT: Final = 11  # a cache rule
RATE_COUNT: Final = 9  # a row of rates

# What a kernel hands back for each lane
RESULTS: Final = (
    *("attempts", "steps", "requests", "readings", "reading_tokens", "resent_tokens", "input_tokens"),
    *("staleness_median_ms", "staleness_p95_ms", "staleness_max_ms", "age_median_ms", "age_p95_ms", "age_max_ms"),
    *("blind_steps", "blind_before_first_steps", "longest_blind_steps", "longest_blind_ms", "unavailable_readings"),
    *("zone_mismatch_steps", "compactions", "compaction_input_tokens", "compaction_output_tokens"),
    *("peak_surface_tokens", "peak_pressure_tokens", "first_compaction_step"),
    *("cached_input_tokens", "written_input_tokens", "output_tokens", "cost", "unpriced_requests", "unpriced_tokens"),
    *("extra_tokens", "packed"),
)
RESULT_COUNT: Final = len(RESULTS)

# The columns that a kernel takes, in its order
KERNEL_COLUMNS: Final = (
    *("op_code", "op_arg", "op_nodes", "op_tokens", "op_step", "op_plain"),
    *("a_now", "a_time", "a_flags", "a_form", "a_day", "a_zone", "a_turn_zone", "a_message_at", "a_message_ms"),
    *("a_base_at", "a_turn_at", "a_said_ms", "a_gone", "a_turn", "a_header", "a_model", "a_idle_from", "a_idle_until"),
    *("q_attempt", "q_flags", "q_header", "q_reply", "q_output", "q_model", "q_nodes", "q_time", "q_tokens"),
    *("q_input", "q_inputs", "q_replies", "q_outputs", "q_clock"),
    *("r_low", "r_high", "r_previous", "r_next", "r_widens", "r_before", "r_delta", "r_checkpoint"),
    *("y_time", "y_now", "y_zone", "y_day", "y_turn_zone", "y_gone", "y_node"),
    *("c_header", "c_anchored", "c_capacity", "c_turn", "c_ready", "c_now"),
    *("s_prompt", "s_output", "s_reply", "s_there", "s_header", "s_reported"),
    *("n_tokens", "n_pruned", "n_long", "n_calls", "n_lower", "n_previous"),
    *("p_op", "p_resume", "p_start", "p_end", "p_attempt", "p_request", "p_now", "p_turn_zone", "p_zone_end"),
    *("p_surface", "p_before", "p_compact", "p_header", "p_prompt", "p_ahead", "p_there", "p_late", "p_early"),
    *("b_first", "b_last", "b_plain", "b_late", "b_early", "b_least", "b_most"),
    "f_price",
)

# Readings that the model sees: a node of the surface, a stray one, one beside the surface
SURFACE: Final = 0
STRAY: Final = 1
HELD: Final = 2

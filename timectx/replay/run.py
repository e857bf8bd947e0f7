"""Hold what a replay found: readings, steps, compactions and the measures over them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from timectx.replay.scenario import Scenario
from timectx.session.log import Problem

__all__ = [
    "Decision",
    "Measures",
    "RequestKind",
    "Run",
    "RunAttempt",
    "RunCompaction",
    "RunReading",
    "RunRequest",
    "RunStep",
]

Decision: TypeAlias = Literal["added", "suppressed", "ineligible", "failed"]
"""What came of an attempt."""

RequestKind: TypeAlias = Literal["step", "retry", "tool", "timer"]
"""Why a request was sent: for a step, for one again, to call the clock tool, or because a timer woke the agent."""


class RunReading(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one reading the scenario puts into the conversation.

    `now_ms` is the instant it prints, `time_ms` the event time the schedule and the baselines
    use (both epoch milliseconds). `zone` is the printed label, `browser` how the turn's
    browser zone came out (None in two-line editions), `elapsed_ms` None when it read
    ``unavailable``. `price_tokens` is its price, `resent_requests` how many later requests
    still carried it. `recorded_seq` is the seq of the reading the log holds for the same
    attempt, None when it has none.
    """

    turn: int
    step: int
    now_ms: int
    time_ms: int
    zone: str
    browser: Literal["resolved", "mixed", "missing"] | None
    elapsed_ms: int | None
    text: str
    price_tokens: int
    resent_requests: int = 0
    recorded_seq: int | None = None


class RunAttempt(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe what was decided at one attempt.

    `decision` is ``added``, ``suppressed`` (not due), ``ineligible`` (cancelled, rejected or failed
    before it could be added) or ``failed`` (the zone check refused it; `error` says why).
    `age_ms` is the time since the newest reading in the log, None before the first one; it can
    be negative when the clock went back.
    """

    turn: int
    step: int
    kind: Literal["step", "turn-end", "reading"]
    now_ms: int
    age_ms: int | None
    decision: Decision
    error: str | None = None


class RunStep(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe what the model saw at one step, at its first request.

    `staleness_ms` is the time since the newest visible reading, 0 where the step got one, None when
    no reading is visible: a blind step. `age_ms` is that of its attempt. `surface_tokens` is the
    price of all visible messages, `reading_tokens` that of all visible readings (a part of it, but for one
    that stands beside the messages), `header_tokens` the price of the request header; `input_tokens` sums
    what all requests of the step held, one that calls the clock tool included. `zone_mismatch` is True when
    the newest visible reading names another zone than the turn.
    """

    turn: int
    step: int
    now_ms: int
    added: bool
    age_ms: int | None
    staleness_ms: int | None
    before_first: bool
    visible_readings: int
    reading_tokens: int
    surface_tokens: int
    header_tokens: int
    requests: int
    input_tokens: int
    zone_mismatch: bool = False


class RunRequest(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one request.

    `time_ms` is the instant of its step's attempt in epoch milliseconds; a ``timer`` request has that of
    the tick it was sent for, and the turn and step of the attempt that came next. `input_tokens` is all
    of the prompt and `stable_tokens` how much of its beginning the request before it had as well, 0 for
    the first one. `nodes` counts the messages added to the surface since that request, a replacement as one.

    `output_tokens` is the price of the reply: of the first assistant message between this request and the
    next; of the call alone in a ``tool`` request; 0 when none came. `reply_tokens` is the same where later
    prompts go on with the reply directly after this prompt, and else 0. `provider` and `model` are those
    of the header in force, empty when it names none.

    `header_tokens` is the length of the header at the prompt's beginning, and `line_tokens` that of a line at its
    end which no later prompt holds; a cache places its marks by them. Both are parts of `input_tokens`.
    """

    turn: int
    step: int
    time_ms: int
    kind: RequestKind
    input_tokens: int
    stable_tokens: int
    nodes: int
    reply_tokens: int = 0
    output_tokens: int = 0
    provider: str = ""
    model: str = ""
    header_tokens: int = 0
    line_tokens: int = 0


class RunCompaction(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one replacement of older messages by a checkpoint.

    `shadowed_nodes` and `shadowed_readings` count what it hid, `before_tokens` and `after_tokens`
    are the surface's price around it, `checkpoint_tokens` the price of the checkpoint message.
    `turn` is None for one run by hand between turns. `summary_input_tokens` and `summary_output_tokens`
    are what a simulated one's summary cost, None for one the log recorded; `provider` and `model` are those
    it was asked of, empty for a recorded one. `seq` is that of the recorded checkpoint, -1 for a simulated one.
    """

    seq: int
    time_ms: int
    turn: int | None
    shadowed_nodes: int
    shadowed_readings: int
    checkpoint_tokens: int
    before_tokens: int
    after_tokens: int
    summary_input_tokens: int | None = None
    summary_output_tokens: int | None = None
    provider: str = ""
    model: str = ""


class Measures(Struct, frozen=True, kw_only=True):
    """
    Sum up one run.

    Tokens are prices under the scenario's meter. `reading_tokens` is what adding the readings cost,
    `resent_tokens` what every later request that still held them paid again; `reading_ratio`
    is their sum as a share of `input_tokens`, 0 when nothing was sent. Staleness is per step
    that sees a reading, age per attempt that has one in its log; medians and 95th percentiles
    are nearest-rank, None when there is no value. Blind steps see no reading at all;
    `blind_before_first_steps` is the part of them before the first reading.

    `requests` and `input_tokens` include requests that only a delivery causes; what simulated compactions
    asked for and got is apart, in `compaction_input_tokens` and `compaction_output_tokens`.
    `peak_pressure_tokens` is the largest pressure before a step: as measured by simulated compaction
    before each step, else header and surface at a step's attempt before its own decision, in ``note``
    after its reading is in. `first_compaction_step` is the step, counted from 1 over the whole session, before
    which the first compaction stood; the number of steps plus 1 where none followed, None without one.
    `extra_tokens` is what a delivery sends beside readings: its requests of its own, without the readings in
    them, and the schema of its tool in all others; 0 for most deliveries.
    """

    attempts: int
    steps: int
    requests: int
    readings: int
    reading_tokens: int
    resent_tokens: int
    input_tokens: int
    reading_ratio: float
    staleness_median_ms: int | None
    staleness_p95_ms: int | None
    staleness_max_ms: int | None
    age_median_ms: int | None
    age_p95_ms: int | None
    age_max_ms: int | None
    blind_steps: int
    blind_before_first_steps: int
    longest_blind_steps: int
    longest_blind_ms: int
    unavailable_readings: int
    unavailable_ratio: float
    zone_mismatch_steps: int
    compactions: int
    peak_surface_tokens: int
    compaction_input_tokens: int = 0
    compaction_output_tokens: int = 0
    peak_pressure_tokens: int = 0
    first_compaction_step: int | None = None
    extra_tokens: int = 0


class Run(Struct, frozen=True, kw_only=True):
    """
    Hold the result of replaying one session under one scenario.

    Parameters
    ----------
    session_id : str
        The session's id.
    scenario : Scenario
        Resolved: its zone and interval are the ones in force.
    attempts : tuple of RunAttempt
        What was decided at each attempt, in log order.
    readings : tuple of RunReading
        The readings that were added, in log order.
    steps : tuple of RunStep
        What the model saw at each step, in log order.
    compactions : tuple of RunCompaction
        The replacements by a checkpoint, in log order.
    measures : Measures
        The sums over all of these.
    requests : tuple of RunRequest, optional
        Every request in the order of sending.
    problems : tuple of Problem, optional
        Recorded readings that could not be attributed, zone checks that failed, and requests without
        a reported size; line 0 throughout.
    zone_database : str, optional
        Release of the zone data that the texts depend on.
    """

    session_id: str
    scenario: Scenario
    attempts: tuple[RunAttempt, ...]
    readings: tuple[RunReading, ...]
    steps: tuple[RunStep, ...]
    compactions: tuple[RunCompaction, ...]
    measures: Measures
    requests: tuple[RunRequest, ...] = ()
    problems: tuple[Problem, ...] = ()
    zone_database: str = ""

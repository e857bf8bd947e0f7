"""Describe the ways time can reach a model, and hold the rules that set them apart."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from timectx.replay.js_json import js_json
from timectx.replay.meter import Pricing, estimate_text_tokens
from timectx.session.events import Block, JsonObject, Message

__all__ = [
    "CLOCK_TOOL",
    "CLOCK_TOOL_TOKENS",
    "DELIVERIES",
    "MOST_TICKS",
    "SHORTEST_TIMER_MS",
    "Delivery",
    "DeliveryDesign",
    "clock_call",
    "clock_message",
    "clock_tool_tokens",
    "forward_ms",
    "is_clock_called",
    "is_idle",
    "ticks_due",
    "too_many_ticks",
]

Delivery: TypeAlias = Literal[
    "appended", "system-prompt", "replaced", "session-prefix", "request-line", "tool", "timer"
]
"""How time reaches the model."""

SHORTEST_TIMER_MS: Final = 1000
"""The least interval of a timer, in milliseconds: what a reading prints."""

MOST_TICKS: Final = 100_000
"""How many ticks of a timer a session may span: each is a reading that a replay keeps."""

CLOCK_TOOL: Final[JsonObject] = {
    "name": "clock",
    "description": "Return the current date, time and time zone.",
    "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
}
"""The schema of a clock as a tool."""

_CALL_ID: Final = "clock"
"""The same for each call, so that no price depends on how many there were."""


class DeliveryDesign(Struct, frozen=True):
    """
    Describe one way for time to reach the model.

    `sees`, `costs` and `prefix` say what the model sees, what that costs, and what it does to the prefix
    that a provider's cache can reuse. `turned_down` is why the authors of the appended reading did
    not choose it [1]_; empty for that one itself. `asks_policy` is whether the policy decides
    when a reading is taken, `is_logged` whether the reading becomes a message of the log.

    References
    ----------
    .. [1] deepseek-harness, agent note "Durable per-step time context", alternatives considered.
    """

    name: Delivery
    sees: str
    costs: str
    prefix: str
    turned_down: str
    asks_policy: bool = True
    is_logged: bool = True


_DESIGNS: Final = (
    DeliveryDesign(
        "appended",
        sees="All readings since the last compaction, each where it was taken.",
        costs="Each reading once, and again in every later request until a compaction hides it.",
        prefix="None: prompts only grow at their end.",
        turned_down="",
    ),
    DeliveryDesign(
        "system-prompt",
        sees="One reading, the newest, right after the header; no compaction hides it.",
        costs="One reading in every request, and the cache of everything after it with each new one.",
        prefix="It ends at the header with each new reading: all messages are sent anew.",
        turned_down=(
            "A new value takes away what earlier answers relied on, and a value that a process keeps "
            "cannot be rebuilt from the log."
        ),
        is_logged=False,
    ),
    DeliveryDesign(
        "replaced",
        sees="One reading, the newest, in the place where the first stood.",
        costs="One reading in every request, and the cache of everything after it with each new one.",
        prefix="It ends where the reading stands with each new one, usually near the front.",
        turned_down=(
            "A reading in an old place, or one that hides what stands between, does not say from when on it was known."
        ),
    ),
    DeliveryDesign(
        "session-prefix",
        sees="The first reading of the session, right after the header, for good.",
        costs="One reading in every request.",
        prefix="None after the first request.",
        turned_down="One value for a whole session cannot tell its steps apart, and says nothing of the time between.",
        asks_policy=False,
        is_logged=False,
    ),
    DeliveryDesign(
        "request-line",
        sees="The time of this request as its last line; nothing of earlier ones, and nothing in requests without.",
        costs="One reading in each request that carries one; nothing is sent again.",
        prefix="It ends before the line, so what the model wrote after it is sent anew once.",
        turned_down=(
            "What is put into a request alone bypasses the log: nothing says later what the model was told, and "
            "several providers may sample at different times."
        ),
        is_logged=False,
    ),
    DeliveryDesign(
        "tool",
        sees="The readings it asked for, each as a call and its result.",
        costs="A further request for each call, the tool's schema in every request, and the calls like messages.",
        prefix="None: prompts only grow at their end.",
        turned_down="Plain questions of time would cost a round trip each, and no step is sure to have a reading.",
        asks_policy=False,
    ),
    DeliveryDesign(
        "timer",
        sees="A reading for each interval that went by, also while nobody was there.",
        costs="Each reading like an appended one, and a request of its own for each tick between turns.",
        prefix="None: prompts only grow at their end.",
        turned_down=(
            "While the agent rests no request waits for the value, and a timer would begin turns for no other reason "
            "than to report that time has passed."
        ),
        asks_policy=False,
    ),
)

DELIVERIES: Final[dict[Delivery, DeliveryDesign]] = {design.name: design for design in _DESIGNS}
"""Every way for time to reach the model, by its name."""


def is_clock_called(calls: int, tool_calls: int) -> bool:
    """
    Tell whether the model calls the clock at an attempt.

    Parameters
    ----------
    calls : int
        How often it did in this turn.
    tool_calls : int
        How often it does in each turn.

    Returns
    -------
    bool
        True while there were fewer.

    Examples
    --------
    >>> is_clock_called(0, 1), is_clock_called(1, 1)
    (True, False)
    """
    return calls < tool_calls


def ticks_due(now_ms: int, last_ms: int, interval_ms: int) -> int:
    """
    Count the ticks of a timer since its last.

    Parameters
    ----------
    now_ms : int
        The instant of the attempt, in epoch milliseconds.
    last_ms : int
        The last tick, in epoch milliseconds.
    interval_ms : int
        Milliseconds from tick to tick, above 0.

    Returns
    -------
    int
        How many came up to and including now; -1 where the clock stands before the last one, and the timer
        starts anew.

    Examples
    --------
    >>> ticks_due(2999, 1000, 1000), ticks_due(3000, 1000, 1000), ticks_due(999, 1000, 1000)
    (1, 2, -1)
    """
    return -1 if now_ms < last_ms else (now_ms - last_ms) // interval_ms


def forward_ms(instants: Iterable[int]) -> int:
    """
    Add up how far a clock went forward.

    Parameters
    ----------
    instants : iterable of int
        What it showed, one after another, in epoch milliseconds.

    Returns
    -------
    int
        Milliseconds; where it went back nothing is taken off.

    Examples
    --------
    >>> forward_ms([1000, 4000, 2000, 2500])
    3500
    """
    return sum(max(later - earlier, 0) for earlier, later in pairwise(instants))


def too_many_ticks(forward_ms: int, interval_ms: int) -> str:
    """
    Say that a timer would make more readings than a replay can hold.

    Parameters
    ----------
    forward_ms : int
        How far the clock goes forward from attempt to attempt, in milliseconds, as `forward_ms` adds it up.
    interval_ms : int
        Milliseconds from tick to tick, above 0.

    Returns
    -------
    str
        How many it would make, the most allowed, and the shortest interval that would do; empty up to `MOST_TICKS`.

    Examples
    --------
    >>> too_many_ticks(100_000_999, 1000)
    ''
    >>> too_many_ticks(400_000_000, 1000)
    'a timer at 1000 ms would make up to 400000 readings, of which 100000 are allowed; it needs at least 4000 ms'
    """
    ticks = forward_ms // interval_ms
    if ticks <= MOST_TICKS:
        return ""
    shortest_ms = forward_ms // (MOST_TICKS + 1) + 1
    return (
        f"a timer at {interval_ms} ms would make up to {ticks} readings, of which {MOST_TICKS} are allowed; "
        f"it needs at least {shortest_ms} ms"
    )


def is_idle(tick_ms: int, has_end: bool, end_ms: int, has_start: bool, start_ms: int) -> bool:
    """
    Tell whether a tick came while no turn was open.

    Parameters
    ----------
    tick_ms : int
        The tick, in epoch milliseconds.
    has_end : bool
        Whether any turn ended before the attempt.
    end_ms : int
        When the last of them did; unread without one.
    has_start : bool
        Whether a turn started after that and before the attempt.
    start_ms : int
        When the first of them did; unread without one.

    Returns
    -------
    bool
        True after that end and before that start.

    Examples
    --------
    >>> is_idle(5, True, 4, True, 6), is_idle(4, True, 4, True, 6), is_idle(6, True, 4, True, 6)
    (True, False, False)
    """
    return has_end and tick_ms > end_ms and (not has_start or tick_ms < start_ms)


def clock_call() -> Message:
    """
    Return what the model writes to call the clock.

    Returns
    -------
    Message
        One call without arguments.
    """
    return Message(content=(_call_block(),), source={"kind": "model"}, role="assistant")


def clock_message(text: str) -> Message:
    """
    Return a call of the clock with its result, as the one node that they are.

    Parameters
    ----------
    text : str
        The reading.

    Returns
    -------
    Message
        The two blocks can not be parted.

    Examples
    --------
    >>> [block["type"] for block in clock_message("It is late.").content]
    ['tool-call', 'tool-result']
    """
    result = {"type": "tool-result", "toolCallId": _CALL_ID, "content": [{"type": "text", "text": text}]}
    return Message(
        content=(_call_block(), {**result, "isError": False}), source={"kind": "tool", "callId": _CALL_ID}, role="user"
    )


def clock_tool_tokens(counter: Pricing | None = None) -> int:
    """
    Return what the clock's schema adds to a header.

    Parameters
    ----------
    counter : callable or Scaled, optional
        Counts the schema's JSON text in place of the fixed estimate, or scales what that says; None uses the
        estimate.

    Returns
    -------
    int
        Tokens; by the estimate a quarter of the text's length, rounded up.

    Raises
    ------
    ScenarioError
        As `timectx.replay.meter.count_tokens`.
    """
    return estimate_text_tokens(js_json(CLOCK_TOOL), counter)


def _call_block() -> Block:
    return {"type": "tool-call", "id": _CALL_ID, "name": "clock", "arguments": "{}"}


CLOCK_TOOL_TOKENS: Final = clock_tool_tokens()
"""What the clock's schema adds to a header, by the fixed estimate."""

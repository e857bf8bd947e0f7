"""Tell how much of each prompt a provider's cache already holds, as positions in the prompt."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Final, Literal

from msgspec import Struct

__all__ = ["CACHE_RULES", "FIRST_MARK", "MARKS_PER_REQUEST", "CacheRule", "new_marks", "split_input"]

FIRST_MARK: Final = 2
"""Where the marks begin: row 0 holds the mark at the header's end, row 1 the previous request."""

MARKS_PER_REQUEST: Final = 3
"""How many rows one request can add."""

_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 3_600_000


class CacheRule(Struct, frozen=True, kw_only=True):
    """
    Describe what a provider keeps of a prompt, and for how long.

    A cache keeps *marks*: positions in the prompt up to which everything is stored. A later prompt that
    begins with the same tokens need not pay in full for the part before the newest such mark.

    Parameters
    ----------
    name : str
        What scenarios and price lists call it.
    step_tokens : int
        Size of the blocks that are kept wherever they end; 0 = only marks are kept.
    minimum_tokens : int
        The shortest prefix that is kept; 0 = any.
    ttl_ms : int
        How long a mark lives after its last use, in milliseconds; 0 = for ever.
    lookback_nodes : int
        How many nodes back from the prompt's end a mark is looked for, the end itself counted; 0 = all.
        The mark at the header's end is always found.
    lookback_marks : int
        How many of the newest marks are looked at; 0 = all.
    marks_prompt, marks_output, marks_common, marks_header : bool
        Whether marks are kept at the end of the prompt, at the end of the reply, where two
        successive prompts part, and at the header's end.
    spares_line : bool
        Whether the mark at the prompt's end stands before a line that only this request carries.
    charges_writes : bool
        Whether what a request adds to the cache is billed at a rate of its own.
    write_rate : {"write", "write_1h"}
        Which of a price entry's rates that is.
    """

    name: str
    step_tokens: int = 0
    minimum_tokens: int = 0
    ttl_ms: int = 0
    lookback_nodes: int = 0
    lookback_marks: int = 0
    marks_prompt: bool = False
    marks_output: bool = False
    marks_common: bool = False
    marks_header: bool = False
    spares_line: bool = False
    charges_writes: bool = False
    write_rate: Literal["write", "write_1h"] = "write"

    @property
    def ints(self) -> tuple[int, ...]:
        """The rule as `split_input` takes it: eleven whole numbers in the order of the fields."""
        return (
            self.step_tokens,
            self.minimum_tokens,
            self.ttl_ms,
            self.lookback_nodes,
            self.lookback_marks,
            int(self.marks_prompt),
            int(self.marks_output),
            int(self.marks_common),
            int(self.marks_header),
            int(self.spares_line),
            int(self.charges_writes),
        )


_PRESETS: Final = (
    CacheRule(name="none"),
    CacheRule(name="deepseek-units", ttl_ms=24 * _HOUR_MS, marks_prompt=True, marks_output=True, marks_common=True),
    CacheRule(name="deepseek-blocks-64", step_tokens=64, minimum_tokens=64, ttl_ms=24 * _HOUR_MS),
    CacheRule(
        name="anthropic-5m",
        minimum_tokens=1024,
        ttl_ms=5 * _MINUTE_MS,
        lookback_nodes=20,
        marks_prompt=True,
        marks_header=True,
        spares_line=True,
        charges_writes=True,
    ),
    CacheRule(
        name="anthropic-1h",
        minimum_tokens=1024,
        ttl_ms=_HOUR_MS,
        lookback_nodes=20,
        marks_prompt=True,
        marks_header=True,
        spares_line=True,
        charges_writes=True,
        write_rate="write_1h",
    ),
    CacheRule(name="openai-automatic", step_tokens=128, minimum_tokens=1024, ttl_ms=10 * _MINUTE_MS),
    CacheRule(
        name="openai-breakpoints",
        minimum_tokens=1024,
        ttl_ms=30 * _MINUTE_MS,
        lookback_marks=80,
        marks_prompt=True,
        charges_writes=True,
    ),
)

CACHE_RULES: Final = {rule.name: rule for rule in _PRESETS}
"""The rules that come with the package, by name; docs/cost.md says where each number is from."""


def new_marks(requests: int) -> tuple[list[int], list[int], list[int]]:
    """
    Return the memory of an empty cache.

    Parameters
    ----------
    requests : int
        How many requests it has to have room for.

    Returns
    -------
    tuple of list of int
        Positions in tokens, times in milliseconds and counts of nodes, all 0. `FIRST_MARK` rows
        are in use.
    """
    rows = FIRST_MARK + MARKS_PER_REQUEST * requests
    return [0] * rows, [0] * rows, [0] * rows


def split_input(
    rule: Sequence[int],
    positions: MutableSequence[int],
    times: MutableSequence[int],
    nodes: MutableSequence[int],
    count: int,
    idle_ms: int,
    input_tokens: int,
    stable_tokens: int,
    new_nodes: int,
    reply_tokens: int,
    header_tokens: int,
    line_tokens: int,
) -> tuple[int, int, int]:
    """
    Tell what of one prompt comes from the cache and what is written to it, and renew the marks.

    Parameters
    ----------
    rule : sequence of int
        `CacheRule.ints`.
    positions, times, nodes : mutable sequence of int
        The marks, changed in place, as `new_marks` makes them; an empty cache has zeros in the first
        `FIRST_MARK` rows. There must be `MARKS_PER_REQUEST` rows left.
    count : int
        Rows in use; `FIRST_MARK` for an empty cache.
    idle_ms : int
        Time since the previous request in milliseconds; 0 for the first, and where the clock went back.
    input_tokens : int
        Length of the prompt.
    stable_tokens : int
        How many of its leading tokens are those of the previous request's prompt.
    new_nodes : int
        Nodes that came since the previous request.
    reply_tokens : int
        Length of the reply, where the next prompt goes on with it; 0 = none.
    header_tokens : int
        Length of the prompt's header.
    line_tokens : int
        Length of what stands at the prompt's end in this request only; 0 = nothing.

    Returns
    -------
    tuple of int
        Tokens read from the cache, tokens written to it at a rate of their own, and rows now in use.
        The rest of `input_tokens` is paid in full.

    Notes
    -----
    Plain loops over whole numbers, so that a compiler takes the function as it is. A prompt that only
    grew, whose newest mark still lives, costs a few operations, whatever came before. Compiled, it is
    several times faster with the rule as a tuple than as an array.
    """
    previous_tokens = positions[1]
    clock_ms = times[1] + idle_ms  # the provider's own: it does not go back
    end_nodes = nodes[1] + new_nodes
    step, minimum, ttl_ms = rule[0], rule[1], rule[2]

    # Nothing below the previous prompt's end changed: the reply's end is still a prefix, too.
    reach = input_tokens
    if stable_tokens < previous_tokens and stable_tokens < reach:
        reach = stable_tokens
    while count > FIRST_MARK and positions[count - 1] > reach:
        count -= 1

    hit = 0
    if step > 0 and (ttl_ms == 0 or idle_ms < ttl_ms):  # the previous request used every block of its prompt
        extent = previous_tokens if previous_tokens < reach else reach
        if extent > 0 and extent >= minimum:
            hit = minimum + (extent - minimum) // step * step

    lookback_nodes, last = rule[3], FIRST_MARK
    if rule[4] > 0 and count - rule[4] > last:
        last = count - rule[4]
    for row in range(count - 1, last - 1, -1):  # the newest mark that lives
        if positions[row] <= hit or (lookback_nodes > 0 and end_nodes - nodes[row] >= lookback_nodes):
            break
        if ttl_ms == 0 or clock_ms - times[row] < ttl_ms:
            hit = positions[row]
            times[row] = clock_ms
            break

    if rule[8] == 1:  # the header's end
        if positions[0] > hit and positions[0] <= reach and (ttl_ms == 0 or clock_ms - times[0] < ttl_ms):
            hit = positions[0]
        positions[0] = header_tokens if header_tokens >= minimum else 0
        times[0] = clock_ms

    written = 0
    end = input_tokens - line_tokens if rule[9] == 1 else input_tokens
    if rule[5] == 1 and end > 0 and end >= minimum:
        if rule[7] == 1 and 0 < reach < previous_tokens and reach >= minimum and reach < end:
            if count == FIRST_MARK or positions[count - 1] < reach:
                positions[count], nodes[count] = reach, nodes[1]
                count += 1
            times[count - 1] = clock_ms
        while count > FIRST_MARK and positions[count - 1] >= end:
            count -= 1
        positions[count], times[count], nodes[count] = end, clock_ms, end_nodes
        count += 1
        if rule[6] == 1 and reply_tokens > 0:
            positions[count], times[count], nodes[count] = end + reply_tokens, clock_ms, end_nodes + 1
            count += 1
        if rule[10] == 1 and end > hit:
            written = end - hit

    positions[1], times[1], nodes[1] = input_tokens, clock_ms, end_nodes
    return hit, written, count

"""Hold a session as flat columns of whole numbers, which is all that a kernel reads of it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COLUMN_NAMES", "ColumnFacts", "Columns", "make_columns"]

COLUMN_NAMES: Final = (
    # what happens, in order: a code, the row of the table it is about, nodes and tokens of the log's own surface so far
    *("op_code", "op_arg", "op_nodes", "op_tokens", "op_seq", "op_step"),
    # attempts
    *("a_now", "a_time", "a_flags", "a_form", "a_day", "a_zone", "a_turn_zone", "a_message_at", "a_message_ms"),
    *("a_base_at", "a_turn_at", "a_said_ms", "a_gone", "a_turn", "a_header", "a_model", "a_idle_from", "a_idle_until"),
    # requests
    *("q_attempt", "q_flags", "q_header", "q_reported", "q_reply", "q_output", "q_model", "q_nodes", "q_time"),
    *("q_tokens", "q_input", "q_inputs", "q_replies", "q_outputs", "q_clock"),
    # recorded replacements
    *("r_low", "r_high", "r_previous", "r_next", "r_widens", "r_before", "r_delta", "r_checkpoint"),
    # messages that look like readings and are no attempt's
    *("y_time", "y_now", "y_zone", "y_day", "y_turn_zone", "y_gone", "y_node"),
    # places where simulated compaction measures, and replies it measures from
    *("c_header", "c_anchored", "c_capacity", "c_turn", "c_ready", "c_now"),
    *("s_prompt", "s_output", "s_reply", "s_there", "s_header", "s_reported"),
    # nodes: prefix sums of price, of shortened price, of results to shorten, of open calls; neighbours with fewer calls
    *("n_tokens", "n_pruned", "n_long", "n_calls", "n_lower", "n_previous"),
    # plain steps: an attempt, its request and its reply in a row, with nothing else between
    *(
        "op_plain",
        "p_op",
        "p_resume",
        "p_start",
        "p_end",
        "p_attempt",
        "p_request",
        "p_now",
        "p_turn_zone",
        "p_zone_end",
    ),
    *("p_surface", "p_before", "p_compact", "p_header", "p_prompt", "p_ahead", "p_there", "p_late", "p_early"),
    # blocks of plain steps: bounds of what is in them
    *("b_first", "b_last", "b_plain", "b_late", "b_early", "b_least", "b_most"),
    # prices of a reading, by form and form of elapsed time
    "f_price",
)
"""The columns in the order in which they are stored."""


class ColumnFacts(Struct, frozen=True, kw_only=True):
    """
    Say what columns are of, and how they are laid out.

    `time_zone` is the resolved fallback zone. `unfit` says why no kernel can replay the session, empty where one
    can. `models` are the (provider, model) pairs of its requests, `capacities` what simulated compaction may see as
    (provider, model, context window, tokens kept for a reply). `reported` is whether requests are as long
    as the provider said, `called` whether readings cost what calls of a tool cost, `steady` whether a reading of any
    instant between attempts has the form of one at them; `schema_tokens` and `call_tokens` are what the clock as a
    tool and a call of it cost; `forward_ms` is how far the clock goes forward from attempt to attempt. `sizes` are the
    lengths of the columns.
    """

    session_id: str
    edition: str
    compaction: str
    time_zone: str | None
    scale: float | None
    attempts: int
    steps: int
    zone_database: str
    unfit: str
    models: tuple[tuple[str, str], ...]
    capacities: tuple[tuple[Any, Any, Any, Any], ...]
    system_head: bool
    reported: bool
    called: bool
    steady: bool
    schema_tokens: int
    call_tokens: int
    forward_ms: int
    sizes: tuple[int, ...]


class Columns:
    """
    Hold a session as flat columns, for every scenario that differs from another in no more than a few knobs.

    Parameters
    ----------
    facts : ColumnFacts
        What they are of.
    integers : memoryview or array
        All columns one after another, signed integers of eight bytes.

    Notes
    -----
    Made by `timectx.sweep.flat.columns_of.columns_of`; the texts of the session are not in it.
    """

    def __init__(self, facts: ColumnFacts, integers: memoryview | array[int]) -> None:
        self.facts = facts
        self.integers = memoryview(integers).cast("B")

    @property
    def unfit(self) -> str:
        """Why no kernel can replay it; empty where one can."""
        return self.facts.unfit

    @cached_property
    def digest(self) -> bytes:
        """Equal for columns of equal content."""
        said = repr(msgspec.structs.replace(self.facts, session_id="")).encode("utf-8", "surrogatepass")
        return sha256(said + self.integers).digest()

    @cached_property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The columns as arrays, by name."""
        import numpy as np

        whole = np.frombuffer(self.integers, np.int64)
        if not whole.flags.aligned:
            whole = whole.copy()
        whole.setflags(write=False)  # one kind of array, wherever it comes from
        return self._cut(whole)

    @cached_property
    def lists(self) -> dict[str, list[int]]:
        """The columns as lists, by name."""
        return self._cut(self.integers.cast("q").tolist())

    def _cut(self, whole: Any) -> dict[str, Any]:
        cut, at = {}, 0
        for name, size in zip(COLUMN_NAMES, self.facts.sizes, strict=True):
            cut[name] = whole[at : at + size]
            at += size
        return cut


def make_columns(facts: Mapping[str, Any], columns: Mapping[str, Sequence[int]]) -> Columns:
    """
    Join columns into one piece.

    Parameters
    ----------
    facts : Mapping
        The fields of `ColumnFacts` but the last.
    columns : Mapping of str to sequence
        The values by name; a missing column is empty.

    Returns
    -------
    Columns
        The columns.
    """
    whole = array("q")
    for name in COLUMN_NAMES:
        whole.extend(columns.get(name, ()))
    sizes = tuple(len(columns.get(name, ())) for name in COLUMN_NAMES)
    return Columns(ColumnFacts(**facts, sizes=sizes), whole)

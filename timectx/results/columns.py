"""Say what each column of each result table holds: its name, its unit, its type and its meaning."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

__all__ = [
    "ATTEMPTS",
    "COMPACTIONS",
    "COMPARISON",
    "MEASURES",
    "READINGS",
    "REQUESTS",
    "STEPS",
    "TABLES",
    "TOTALS",
    "Column",
]


class Column(Struct, frozen=True):
    """
    Describe one column.

    `unit` is ``ms`` (a duration), ``epoch ms`` (an instant), ``tokens``, ``ratio`` (0 to 1), ``count``,
    ``number`` (a place in an order), ``USD`` or empty. `dtype` is the pandas type: ``int64``, ``Int64`` or
    ``Float64`` where a value can be missing, ``float64``, ``bool``, ``str`` or ``object`` (bytes).
    """

    name: str
    unit: str
    dtype: str
    description: str


_RUN: Final = (
    Column("session", "", "str", "id of the session"),
    Column("interval_ms", "ms", "Int64", "refresh interval in force; 0 = a reading at every attempt"),
)

_PLACE: Final = (
    Column("turn", "number", "int64", "turn, from 1"),
    Column("step", "number", "int64", "step within the turn, from 1"),
)

STEPS: Final = (
    *_RUN,
    *_PLACE,
    Column("now_ms", "epoch ms", "int64", "when the step was prepared"),
    Column("added", "", "bool", "the step got a reading of its own"),
    Column(
        "age_ms", "ms", "Int64", "before the decision: time since the newest reading in the log; none before the first"
    ),
    Column(
        "staleness_ms", "ms", "Int64", "after the decision: time since the newest reading the model sees; none if blind"
    ),
    Column("blind", "", "bool", "the model sees no reading at all"),
    Column("before_first", "", "bool", "the session has had no reading up to here"),
    Column("visible_readings", "count", "int64", "readings the model sees"),
    Column("reading_tokens", "tokens", "int64", "price of the readings the model sees"),
    Column("surface_tokens", "tokens", "int64", "price of all messages the model sees, readings included"),
    Column("header_tokens", "tokens", "int64", "price of what each request carries beside messages"),
    Column("requests", "count", "int64", "requests the step sent, retries included"),
    Column("input_tokens", "tokens", "int64", "header and messages, summed over the step's requests"),
    Column("zone_mismatch", "", "bool", "the newest reading the model sees names another zone than the turn"),
)
"""One row a step: what the model saw at its first request."""

READINGS: Final = (
    *_RUN,
    *_PLACE,
    Column("now_ms", "epoch ms", "int64", "the instant it prints"),
    Column("time_ms", "epoch ms", "int64", "its event time, from which schedule and baselines count"),
    Column("zone", "", "str", "the zone it prints"),
    Column("browser", "", "str", "the turn's browser zone: resolved, mixed or missing; none in two-line editions"),
    Column("elapsed_ms", "ms", "Int64", "time since its baseline; none where it reads unavailable"),
    Column("text", "", "str", "what the model reads"),
    Column("price_tokens", "tokens", "int64", "price of sending it once"),
    Column("resent_requests", "count", "int64", "later requests that still hold it"),
    Column("resent_tokens", "tokens", "int64", "price of sending it again in those requests"),
    Column("recorded_seq", "number", "Int64", "seq of the log's own reading at this attempt; none without one"),
)
"""One row a reading that the scenario adds."""

ATTEMPTS: Final = (
    *_RUN,
    *_PLACE,
    Column("kind", "", "str", "what marks it in the log: step, turn-end or reading"),
    Column("now_ms", "epoch ms", "int64", "when it was made"),
    Column(
        "age_ms",
        "ms",
        "Int64",
        "time since the newest reading in the log; none before the first, below 0 if the clock went back",
    ),
    Column(
        "decision",
        "",
        "str",
        "added, suppressed (not due), ineligible (nothing could be added) or failed (zone refused)",
    ),
    Column("error", "", "str", "why it failed; none otherwise"),
)
"""One row an attempt, whether or not a reading came of it."""

COMPACTIONS: Final = (
    *_RUN,
    Column("seq", "number", "int64", "seq of the checkpoint; -1 for a simulated one"),
    Column("time_ms", "epoch ms", "int64", "event time of the checkpoint"),
    Column("turn", "number", "Int64", "turn it ran in; none between turns"),
    Column("shadowed_nodes", "count", "int64", "messages it hid, readings included"),
    Column("shadowed_readings", "count", "int64", "readings it hid"),
    Column("checkpoint_tokens", "tokens", "int64", "price of the checkpoint"),
    Column("before_tokens", "tokens", "int64", "price of all visible messages before it"),
    Column("after_tokens", "tokens", "int64", "price of all visible messages after it"),
    Column("summary_input_tokens", "tokens", "Int64", "size of a simulated summary's request; none where recorded"),
    Column("summary_output_tokens", "tokens", "Int64", "size of a simulated summary; none where recorded"),
    Column("provider", "", "str", "provider that wrote a simulated summary; empty where recorded"),
    Column("model", "", "str", "model that wrote a simulated summary; empty where recorded"),
)
"""One row a replacement of older messages by a checkpoint."""

REQUESTS: Final = (
    *_RUN,
    *_PLACE,
    Column("time_ms", "epoch ms", "int64", "when its step was prepared; of a timer's own request, its tick"),
    Column("kind", "", "str", "step, retry, tool (to call the clock) or timer (sent for a tick alone)"),
    Column("input_tokens", "tokens", "int64", "size of the prompt"),
    Column("stable_tokens", "tokens", "int64", "how much of its beginning the request before it had as well"),
    Column("nodes", "count", "int64", "messages the model sees since that request, a replacement as one"),
    Column("reply_tokens", "tokens", "int64", "price of the reply where later prompts go on right after it, else 0"),
    Column("output_tokens", "tokens", "int64", "price of the reply, 0 where none came"),
    Column("provider", "", "str", "provider the header names; empty when it names none"),
    Column("model", "", "str", "model the header names; empty when it names none"),
    Column("header_tokens", "tokens", "int64", "the part of the prompt at its beginning that is no message"),
    Column("line_tokens", "tokens", "int64", "the part at its end that no later prompt holds"),
)
"""One row a request, in the order of sending."""

MEASURES: Final = (
    *_RUN,
    Column("edition", "", "str", "published contract the readings follow"),
    Column("policy", "", "str", "what makes an attempt due"),
    Column("delivery", "", "str", "how time reaches the model"),
    Column("time_zone", "", "str", "zone shown where the browser's is not known"),
    Column("meter", "", "str", "how tokens were priced, and by which counter if one was set"),
    Column("zone_database", "", "str", "release of the zone data"),
    Column("attempts", "count", "int64", "moments at which a reading could be added"),
    Column("steps", "count", "int64", "steps"),
    Column("requests", "count", "int64", "requests, retries included"),
    Column("readings", "count", "int64", "readings added"),
    Column("reading_tokens", "tokens", "int64", "price of all readings, each sent once"),
    Column("resent_tokens", "tokens", "int64", "price of sending them again with every later request"),
    Column("input_tokens", "tokens", "int64", "price of everything sent, over all requests"),
    Column("reading_ratio", "ratio", "float64", "readings, sent and resent, as a share of everything sent"),
    Column("staleness_median_ms", "ms", "Int64", "median staleness of the steps that see a reading"),
    Column("staleness_p95_ms", "ms", "Int64", "95th percentile of their staleness"),
    Column("staleness_max_ms", "ms", "Int64", "largest of their staleness"),
    Column("age_median_ms", "ms", "Int64", "median age at the attempts that have a reading behind them"),
    Column("age_p95_ms", "ms", "Int64", "95th percentile of these ages"),
    Column("age_max_ms", "ms", "Int64", "largest of these ages"),
    Column("blind_steps", "count", "int64", "steps that see no reading"),
    Column("blind_before_first_steps", "count", "int64", "the part of them before the first reading"),
    Column("longest_blind_steps", "count", "int64", "most blind steps in a row"),
    Column("longest_blind_ms", "ms", "int64", "longest time that blind steps in a row took"),
    Column("unavailable_readings", "count", "int64", "readings whose elapsed time reads unavailable"),
    Column("unavailable_ratio", "ratio", "float64", "their share of all readings"),
    Column("zone_mismatch_steps", "count", "int64", "steps whose newest reading names another zone than the turn"),
    Column("compactions", "count", "int64", "compactions"),
    Column("peak_surface_tokens", "tokens", "int64", "largest price of all visible messages at once"),
    Column("compaction_input_tokens", "tokens", "int64", "size of the requests for simulated summaries"),
    Column("compaction_output_tokens", "tokens", "int64", "size of simulated summaries"),
    Column("peak_pressure_tokens", "tokens", "int64", "largest pressure before a step"),
    Column(
        "first_compaction_step", "number", "Int64", "step before which the first compaction stood; none without one"
    ),
    Column("extra_tokens", "tokens", "int64", "sent beside readings: own requests of a delivery, schema of its tool"),
)
"""One row a run."""

COMPARISON: Final = (
    Column("measure", "", "str", "name of the measure"),
    Column("unit", "", "str", "unit of a, b and difference"),
    Column("a", "", "Float64", "its value in the first run; none where it has none"),
    Column("b", "", "Float64", "its value in the second run; none where it has none"),
    Column("difference", "", "Float64", "b - a; none where one is missing"),
    Column("ratio", "", "Float64", "b / a; none where one is missing or a is 0"),
    Column("description", "", "str", "what the measure is"),
)
"""One row a measure of two runs."""

_KNOWN: Final = {column.name: column for column in MEASURES}

SWEEP: Final = (
    Column("session", "", "str", "id of the session; numbered where several files share one"),
    Column("path", "", "str", "file of the session; none where it was made in memory"),
    Column(
        "scenario", "", "str", "the scenario in a few words; as-recorded is whichever explains the session's readings"
    ),
    _KNOWN["interval_ms"],
    _KNOWN["policy"],
    Column("delivery", "", "str", "how time reaches the model"),
    _KNOWN["edition"],
    _KNOWN["time_zone"],
    Column("compaction", "", "str", "where compactions come from: recorded, off or simulated"),
    _KNOWN["meter"],
    Column("model", "", "str", "model whose prices the bill uses: the scenario's, else those the session asked"),
    Column("cache", "", "str", "cache rule the bill uses; none where it is that of the price entry"),
    _KNOWN["zone_database"],
    Column("inherited_steps", "count", "int64", "leading steps that count in another session of the table, not here"),
    *(_KNOWN[name] for name in ("attempts", "steps", "requests", "readings", "reading_tokens", "resent_tokens")),
    *(_KNOWN[name] for name in ("extra_tokens", "input_tokens", "reading_ratio")),
    *(_KNOWN[name] for name in ("staleness_median_ms", "staleness_p95_ms", "staleness_max_ms")),
    *(_KNOWN[name] for name in ("age_median_ms", "age_p95_ms", "age_max_ms")),
    *(_KNOWN[name] for name in ("blind_steps", "blind_before_first_steps", "longest_blind_steps", "longest_blind_ms")),
    *(_KNOWN[name] for name in ("unavailable_readings", "unavailable_ratio", "zone_mismatch_steps", "compactions")),
    Column("compaction_input_tokens", "tokens", "int64", "size of the requests for simulated summaries"),
    Column("compaction_output_tokens", "tokens", "int64", "size of simulated summaries"),
    _KNOWN["peak_surface_tokens"],
    Column("peak_pressure_tokens", "tokens", "int64", "largest pressure before a step"),
    Column(
        "first_compaction_step", "number", "Int64", "step before which the first compaction stood; none without one"
    ),
    Column("cached_input_tokens", "tokens", "int64", "input that the provider's cache held already"),
    Column("written_input_tokens", "tokens", "int64", "input that was billed for being written to the cache"),
    Column("uncached_input_tokens", "tokens", "int64", "input that was billed in full"),
    Column("output_tokens", "tokens", "int64", "output, that of summaries included"),
    Column("cost_usd", "USD", "float64", "price of input and output; none where a model has no price"),
    Column("unpriced_tokens", "tokens", "int64", "input and output of models without a price"),
    Column("staleness_counts", "", "object", "steps by staleness, in the bins of timectx.results.edges, as bytes"),
)
"""One row a session and scenario; all of it counts the session's own part only."""

_SWEPT: Final = {column.name: column for column in SWEEP}

TOTALS: Final = (
    *(_SWEPT[name] for name in ("scenario", "interval_ms", "policy", "delivery")),
    Column("sessions", "count", "int64", "sessions summed up"),
    *(_SWEPT[name] for name in ("attempts", "steps", "requests", "readings", "reading_tokens", "resent_tokens")),
    *(_SWEPT[name] for name in ("extra_tokens", "input_tokens", "reading_ratio")),
    Column("spent_ratio", "ratio", "float64", "readings and requests sent for them, as a share of everything sent"),
    Column("staleness_median_ms", "ms", "Int64", "median staleness of the steps that see a reading, rounded up"),
    Column("staleness_p95_ms", "ms", "Int64", "95th percentile of their staleness, rounded up"),
    _SWEPT["staleness_max_ms"],
    Column("staleness_ms", "ms", "Int64", "the quantile asked for of their staleness, rounded up"),
    _SWEPT["blind_steps"],
    Column("blind_ratio", "ratio", "float64", "their share of all steps"),
    *(_SWEPT[name] for name in ("blind_before_first_steps", "longest_blind_steps", "longest_blind_ms")),
    *(_SWEPT[name] for name in ("unavailable_readings", "unavailable_ratio", "zone_mismatch_steps", "compactions")),
    *(_SWEPT[name] for name in ("compaction_input_tokens", "compaction_output_tokens")),
    *(_SWEPT[name] for name in ("peak_surface_tokens", "peak_pressure_tokens")),
    *(_SWEPT[name] for name in ("cached_input_tokens", "written_input_tokens", "uncached_input_tokens")),
    _SWEPT["output_tokens"],
    Column("cost_usd", "USD", "float64", "price of the sessions that have one under every scenario; none without any"),
    Column("unpriced_sessions", "count", "int64", "sessions without a price under some scenario"),
    _SWEPT["unpriced_tokens"],
)
"""One row a scenario: what it comes to over all sessions."""

TABLES: Final = {
    "steps": STEPS,
    "readings": READINGS,
    "attempts": ATTEMPTS,
    "compactions": COMPACTIONS,
    "requests": REQUESTS,
    "measures": MEASURES,
    "comparison": COMPARISON,
    "sweep": SWEEP,
    "totals": TOTALS,
}
"""The columns of every table, by its name."""

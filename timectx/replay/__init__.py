"""Replay a session: when a reading is due, what it costs, and what the model sees."""

from timectx.replay.clock import Clock, fixed_clock, system_clock
from timectx.replay.compaction.summaries import FixedText, FixedTokens, ShareOfShadowed, SummaryReply, SummaryRequest
from timectx.replay.counters import COUNTER_NAMES, NamedCounter, counter_label
from timectx.replay.deliveries import DELIVERIES
from timectx.replay.measures import nearest_rank
from timectx.replay.meter import (
    Counter,
    estimate_header_tokens,
    estimate_message_tokens,
    estimate_node_tokens,
    estimate_reading_tokens,
)
from timectx.replay.policies import format_policy, parse_policy
from timectx.replay.presets import PRESETS, preset
from timectx.replay.recorded import Explanation, as_recorded, explain_recorded
from timectx.replay.replay import replay_session, replay_timeline, timeline_for
from timectx.replay.resolve import resolve_scenario
from timectx.replay.run import Decision, Measures, Run, RunAttempt, RunCompaction, RunReading, RunRequest, RunStep
from timectx.replay.scenario import Scenario, parse_scenario
from timectx.replay.schedule import TimeContext, is_due, reading_message
from timectx.replay.simulation import Compaction
from timectx.replay.timeline import Timeline, timeline_of

__all__ = [
    "SummaryRequest",
    "SummaryReply",
    "ShareOfShadowed",
    "FixedTokens",
    "FixedText",
    "Compaction",
    "Clock",
    "COUNTER_NAMES",
    "DELIVERIES",
    "PRESETS",
    "Counter",
    "NamedCounter",
    "counter_label",
    "Decision",
    "Explanation",
    "Measures",
    "Run",
    "RunAttempt",
    "RunCompaction",
    "RunReading",
    "RunRequest",
    "RunStep",
    "Scenario",
    "TimeContext",
    "Timeline",
    "as_recorded",
    "estimate_header_tokens",
    "estimate_message_tokens",
    "estimate_node_tokens",
    "estimate_reading_tokens",
    "explain_recorded",
    "fixed_clock",
    "format_policy",
    "is_due",
    "nearest_rank",
    "parse_policy",
    "parse_scenario",
    "preset",
    "reading_message",
    "replay_session",
    "replay_timeline",
    "resolve_scenario",
    "system_clock",
    "timeline_for",
    "timeline_of",
]

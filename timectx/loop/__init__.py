"""Run a scripted agent and keep what happens in a durable log."""

from timectx.errors import StoreError
from timectx.loop.agent import Agent, ListenerError
from timectx.loop.clocks import HandClock, MovableClock
from timectx.loop.frozen import FrozenClock, frozen_clock
from timectx.loop.inbox import Inbox
from timectx.loop.listeners import compaction_listener, time_listener
from timectx.loop.live_log import LiveLog
from timectx.loop.play import agent_of, header_of, play_prompts, play_script
from timectx.loop.requests import CrashError, RequestError
from timectx.loop.route import Route
from timectx.loop.script import (
    Call,
    CompactionPlan,
    Failure,
    Prompt,
    Reply,
    Script,
    Steer,
    check_script,
    parse_script,
)
from timectx.loop.spans import parse_start, span_ms
from timectx.loop.store.access import fork_log, inspect_log, load_log, open_log, resume_log
from timectx.loop.store.durable import DurableLog
from timectx.loop.store.folder import find_log, list_logs
from timectx.loop.store.repair import Repair
from timectx.loop.waterfall import AbortedError, Decision, Enter, Listener, PreStep, Reject, Signal, Waterfall

__all__ = [
    "AbortedError",
    "Agent",
    "Call",
    "CompactionPlan",
    "CrashError",
    "Decision",
    "DurableLog",
    "Enter",
    "Failure",
    "FrozenClock",
    "HandClock",
    "Inbox",
    "Listener",
    "ListenerError",
    "LiveLog",
    "MovableClock",
    "PreStep",
    "Prompt",
    "Reject",
    "Repair",
    "Reply",
    "RequestError",
    "Route",
    "Script",
    "Signal",
    "Steer",
    "StoreError",
    "Waterfall",
    "agent_of",
    "check_script",
    "compaction_listener",
    "find_log",
    "fork_log",
    "frozen_clock",
    "header_of",
    "inspect_log",
    "list_logs",
    "load_log",
    "open_log",
    "parse_script",
    "parse_start",
    "play_prompts",
    "play_script",
    "resume_log",
    "span_ms",
    "time_listener",
]

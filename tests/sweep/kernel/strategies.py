"""Draw sessions and scenarios that a kernel has to measure as a replay does."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from tests.builders import LogBuilder, log
from tests.session.strategies import logs
from tests.synthetic.strategies import KINDS, LENGTHS_MS, ZONES, sessions
from timectx.replay import Compaction, FixedText, FixedTokens, Scenario, ShareOfShadowed
from timectx.replay.deliveries import Delivery
from timectx.session import Session
from timectx.synthetic import Habits, Happening, synthetic_session

__all__ = ["compactions", "long_sessions", "odd_sessions", "pressing_logs", "scenario_groups", "swept_sessions"]

POLICIES = (
    "interval",
    "turn",
    "gap",
    "calendar-day",
    "zone-change",
    "after-compaction",
    "interval & turn | calendar-day",
    "interval | after-compaction",
    "gap & zone-change | turn & after-compaction",
    "recorded",
)
INTERVALS_MS = (0, 1, 999, 5000, 30_000, 60_000, 600_000, 3_600_000, 7_777_777)
MODELS = (None, "deepseek-v4-pro", "claude-haiku-5.5", "gpt-5.4", "a-model-nobody-lists")
CACHES = (
    None,
    "none",
    "deepseek-units",
    "deepseek-blocks-64",
    "anthropic-5m",
    "anthropic-1h",
    "openai-automatic",
    "openai-breakpoints",
)
SHORT = Habits(
    longest_result_chars=400,
    argument_chars=((0, 60), (1000, 200)),
    text_chars=((0, 20), (1000, 200)),
    reasoning_chars=((0, 20), (1000, 300)),
)
OVERFLOW = {"kind": "error", "failure": {"message": "too long", "code": "CONTEXT_WINDOW_EXCEEDED"}}


@st.composite
def compactions(draw: st.DrawFn) -> Any:
    """Draw where compactions come from: the log, nowhere, or a simulation with any settings."""
    kind = draw(st.sampled_from(("recorded", "off", "simulated", "simulated")))
    if kind != "simulated":
        return kind
    settings: dict[str, Any] = {
        "thresholdRatio": draw(st.sampled_from((0.2, 0.5, 0.9))),
        "compactionRetries": draw(st.integers(0, 2)),
        "maxOverflowRetries": draw(st.integers(0, 2)),
    }
    settings |= draw(st.sampled_from(({"retainTokens": 0}, {"retainTokens": 30}, {"retainRatio": 0.15})))
    if draw(st.booleans()):
        settings["modelPolicies"] = [{"provider": "p", "model": "m", "retainTokens": 9, "thresholdRatio": 0.3}]
    return Compaction(
        settings=settings,
        context_window=draw(st.sampled_from((None, 200, 600, 2000, 10_000, 60_000))),
        summary=draw(
            st.sampled_from(
                (
                    *(ShareOfShadowed(ratio) for ratio in (0.1, 0.001, 0.9)),
                    *(FixedTokens(5), FixedText("   "), FixedText("so far, so good")),
                )
            )
        ),
        pruning=draw(st.sampled_from((None, {"thresholdChars": 120, "headChars": 40, "tailChars": 20}))),
        anchor=draw(st.sampled_from((None, "step-start", "reply"))),
        spare=draw(st.integers(0, 2)),
        checkpoint_counts=draw(st.booleans()),
    )


@st.composite
def scenario_groups(draw: st.DrawFn, *deliveries: Delivery) -> list[Scenario]:
    """Draw scenarios that one set of columns is enough for, of some deliveries (none = any)."""
    compaction = draw(compactions())
    meters = ("estimate", "estimate", "reported", "scaled") if compaction == "recorded" else ("estimate", "scaled")
    named = deliveries or get_args(Delivery)
    first = draw(st.sampled_from(named))
    alike = [delivery for delivery in named if (delivery == "tool") == (first == "tool")]
    shared: dict[str, Any] = {
        "compaction": compaction,
        "edition": draw(st.sampled_from(("readme", "note", "note-v2", "current"))),
        "meter": draw(st.sampled_from(meters)),
        "skip_empty": draw(st.booleans()),
        "time_zone": draw(st.sampled_from((None, "Asia/Tokyo"))),
    }
    return [draw(_scenarios(shared, alike)) for _ in range(3)]


@st.composite
def _scenarios(draw: st.DrawFn, shared: dict[str, Any], deliveries: list[Delivery]) -> Scenario:
    delivery, interval_ms = draw(st.sampled_from(deliveries)), draw(st.sampled_from(INTERVALS_MS))
    return Scenario(
        **shared,
        delivery=delivery,
        interval_ms=max(interval_ms, 30_000) if delivery == "timer" else interval_ms,
        policy=draw(st.sampled_from(POLICIES)),
        gap_ms=draw(st.sampled_from((0, 1000, 60_000, 1_800_000))),
        tool_calls=draw(st.integers(0, 2)),
        model=draw(st.sampled_from(MODELS)),
        cache=draw(st.sampled_from(CACHES)),
    )


@st.composite
def long_sessions(draw: st.DrawFn) -> Session:
    """Draw a session with so many plain steps that a kernel passes over runs of them."""
    kinds = [kind for kind in KINDS if kind not in ("block", "error", "abort")]
    happenings = st.builds(
        Happening, st.sampled_from(kinds), st.integers(1, 120), st.sampled_from(LENGTHS_MS), st.sampled_from((0, 60))
    )
    return synthetic_session(
        draw(st.integers(0, 10**6)),
        steps=draw(st.integers(30, 120)),
        interval_ms=draw(st.sampled_from((0, 60_000, 600_000))),
        edition=draw(st.sampled_from(("readme", "note"))),
        browser_zones=draw(st.lists(st.sampled_from((*ZONES, None)), max_size=3)),
        happenings=draw(st.lists(happenings, max_size=4)),
        habits=draw(st.sampled_from((SHORT, Habits()))),
        lag_ms=draw(st.sampled_from((0, 40))),
    )


@st.composite
def pressing_logs(draw: st.DrawFn) -> LogBuilder:
    """Draw a log of steps with usage, calls that are answered or not, requests that do not fit, and other windows."""
    built = log(draw(st.sampled_from(("late", "early"))), start_ms=draw(st.integers(0, 10**12)))
    sizes = st.integers(0, 400)
    for _ in range(draw(st.integers(1, 4))):
        built.turn()
        for _ in range(draw(st.integers(1, 6))):
            built.prompt("p" * draw(sizes)).step()
            if draw(st.integers(0, 3)) == 0:
                built.header("s" * draw(sizes))
                window = draw(st.sampled_from((None, 300, 1000, 5000)))
                context = {} if window is None else {"contextWindow": window}
                built.event("request/context", {"provider": "p", "model": "m", **context})
            for _ in range(draw(st.integers(0, 2))):
                built.chunk("finish", reason=OVERFLOW)
                built.retry()
            calls = [f"c{built.next_seq}-{number}" for number in range(draw(st.integers(0, 3)))]
            usage = draw(st.none() | st.fixed_dictionaries({"inputTokens": sizes, "outputTokens": sizes}))
            built.reply("r" * draw(sizes), calls, usage=usage)
            for call in calls[: draw(st.integers(0, 3))]:
                built.tool(call, "t" * draw(sizes))
            built.wait(draw(st.integers(-20_000, 120_000)))
            built.end_step()
        built.end_turn()
    return built


def odd_sessions() -> st.SearchStrategy[Session]:
    """Draw a short session in which anything happens."""
    built = st.one_of(logs(), pressing_logs()).map(lambda each: each.build())
    return st.one_of(sessions(), built)


def swept_sessions() -> st.SearchStrategy[Session]:
    """Draw any session."""
    return st.one_of(odd_sessions(), long_sessions())

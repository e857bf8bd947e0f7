"""Draw scripts for an agent: what people ask, how the model answers, and what goes wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.loop.scenes import EDITIONS
from timectx.loop import Call, CompactionPlan, Failure, Prompt, Reply, Script, Steer
from timectx.reading import Edition
from timectx.session import Usage

TEXTS = st.sampled_from(["ok", "x" * 90, "word " * 80])
SPANS = st.sampled_from([0, 1, 700, "3s", "2m", "1h 1s", "-5s"])
ZONES = st.sampled_from([None, None, "UTC", "Asia/Tokyo", "America/New_York", "Mars/Olympus"])
INTERVALS = st.sampled_from([0, "1s", "10s", "1m", "10m", "1d"])
USAGES = st.none() | st.builds(Usage, input_tokens=st.integers(0, 900), output_tokens=st.integers(0, 50))

steers = st.builds(Steer, say=TEXTS, zone=ZONES)
calls = st.builds(
    Call, name=st.sampled_from(["ls", "read"]), takes=SPANS, result=TEXTS, fails=st.booleans(), concludes=st.just(False)
)
failures = st.builds(
    Failure, code=st.sampled_from(["SERVER", "CONTEXT_WINDOW_EXCEEDED"]), retry=st.booleans(), wait=SPANS
)


@st.composite
def replies(draw: st.DrawFn, *, crashing: bool = False) -> Reply:
    """Draw one answer, whole or with one thing gone wrong."""
    kinds = ["answer", "tools", "tools", "cap", "failure", "stopped", "stopped tools", "before", "concluded"]
    fields: dict[str, Any] = {"takes": draw(SPANS)}
    kind = draw(st.sampled_from([*kinds, "crash"] if crashing else kinds))
    if kind != "before":
        fields["text"] = draw(TEXTS | st.just(""))
    if kind in ("answer", "tools", "cap", "concluded"):
        fields |= {"usage": draw(USAGES), "steers": tuple(draw(st.lists(steers, max_size=1)))}
    if kind in ("tools", "stopped tools", "cap"):
        fields |= {"calls": tuple(draw(st.lists(calls, min_size=1, max_size=3))), "parallel": draw(st.booleans())}
    match kind:
        case "cap":
            fields["finish"] = "max-tokens"
        case "failure":
            fields["error"] = draw(failures)
        case "stopped":
            fields["cancel"] = "stream"
        case "stopped tools":
            fields["cancel"] = "tools"
        case "before":
            fields["before"] = draw(st.sampled_from(["reject", "fail", "cancel", "empty"]))
        case "concluded":
            fields["calls"] = (Call(concludes=True),)
        case "crash":
            fields["crash"] = True
        case _:
            pass
    return Reply(**fields)


prompts = st.builds(
    Prompt,
    say=TEXTS,
    after=SPANS,
    zone=ZONES,
    compact=st.booleans(),
    withdrawn=st.sampled_from([False, False, False, True]),
    replies=st.lists(replies(), max_size=4).map(tuple),
)


@st.composite
def plans(draw: st.DrawFn, edition: Edition) -> CompactionPlan:
    """Draw how a session is compacted, with windows small enough that it happens."""
    settings: dict[str, Any] = {"thresholdRatio": 0.5, "retainTokens": draw(st.sampled_from([0, 40, 120]))}
    settings |= {"headroomTokens": 0, "maxTokens": 90} if edition == "current" else {}
    settings |= draw(st.sampled_from([{}, {"auto": False}, {"compactionRetries": 0}, {"maxOverflowRetries": 2}]))
    size = draw(st.sampled_from([{"summary": "short"}, {"summary_tokens": 60}, {"summary_ratio": 0.3}]))
    pruning = draw(st.sampled_from([None, {"thresholdChars": 150, "headChars": 60, "tailChars": 30}]))
    return CompactionPlan(
        settings=settings, pruning=pruning, takes=draw(SPANS), spare=draw(st.sampled_from([0, 1])), **size
    )


@st.composite
def described(draw: st.DrawFn, edition: Edition, *, asked: st.SearchStrategy[Any] | None = None) -> Script:
    """Draw a whole script of one edition."""
    return Script(
        session=draw(st.sampled_from(["s", "t"])),
        prompts=tuple(draw(st.lists(prompts, max_size=5))) if asked is None else draw(asked),
        start=draw(st.sampled_from([0, 1_784_077_261_123])),
        edition=edition,
        interval=draw(INTERVALS),
        time_zone=draw(st.sampled_from(["UTC", "America/St_Johns"])),
        system=draw(st.sampled_from(["", "be brief"])),
        context_window=draw(st.sampled_from([500, 500, 1200, None])),
        compaction=draw(st.one_of(st.none(), plans(edition), plans(edition))),
    )


scripts = st.sampled_from(EDITIONS).flatmap(described)

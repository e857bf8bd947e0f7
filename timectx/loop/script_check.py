"""Refuse a script that cannot be played; the refusal names the field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from msgspec import Struct

from timectx.errors import ScenarioError, TimectxError
from timectx.loop.script_parts import CompactionPlan, Reply, Script
from timectx.loop.spans import Span, parse_start, span_ms
from timectx.reading import Edition, canonical_zone
from timectx.replay.compaction.pruning import prune_settings
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import FixedTokens, ShareOfShadowed

__all__ = ["check_script"]

_SPANS: Final = ("takes", "after", "wait")


def check_script(script: Script) -> None:
    """
    Refuse a script that cannot be played.

    Parameters
    ----------
    script : Script
        The script, whoever made it.

    Raises
    ------
    ScenarioError
        Kind ``script``, for a duration, a start, a zone or a setting that cannot be read, and for fields
        that contradict each other; the message names the field.
    """
    for place, span in _spans(script, ""):
        _at(place, partial(span_ms, span))
    _at("start", lambda: parse_start(script.start))
    if script.interval is not None and _at("interval", lambda: span_ms(script.interval or 0)) < 0:
        raise _refusal(f"at interval: a refresh interval is 0 or more, got {script.interval!r}")
    if script.time_zone is not None:
        _at("time_zone", lambda: canonical_zone(script.time_zone or ""))
    for name in ("context_window", "max_tokens"):
        limit = getattr(script, name)
        if limit is not None and limit < 1:
            raise _refusal(f"at {name}: a number of tokens is 1 or more, got {limit}")
    if not script.session:
        raise _refusal("at session: a session has a name")
    if script.compaction is not None:
        _check_plan(script.compaction, script.edition)
    for at, prompt in enumerate(script.prompts):
        for number, reply in enumerate(prompt.replies):
            _check_reply(f"prompts[{at}].replies[{number}]", reply)


def _spans(part: Any, place: str) -> Iterator[tuple[str, Span]]:
    """Yield every duration of a script with the place it stands at."""
    if isinstance(part, Struct):
        for name in part.__struct_fields__:
            value, inner = getattr(part, name), f"{place}.{name}" if place else name
            if name in _SPANS:
                yield inner, value
            else:
                yield from _spans(value, inner)
    elif isinstance(part, tuple):
        for at, item in enumerate(part):
            yield from _spans(item, f"{place}[{at}]")


def _check_plan(plan: CompactionPlan, edition: Edition) -> None:
    _at("compaction.settings", lambda: compaction_settings(plan.settings, edition=edition))
    _at("compaction.pruning", lambda: prune_settings(plan.pruning or {}))
    given = [name for name in ("summary", "summary_tokens", "summary_ratio") if getattr(plan, name) is not None]
    if len(given) > 1:
        raise _refusal(f"at compaction: a summary has one size, got {' and '.join(given)}")
    if plan.summary_tokens is not None:
        _at("compaction.summary_tokens", lambda: FixedTokens(plan.summary_tokens or 0))
    if plan.summary_ratio is not None:
        _at("compaction.summary_ratio", lambda: ShareOfShadowed(plan.summary_ratio or 0))
    if plan.spare < 0:
        raise _refusal(f"at compaction.spare: a number of messages is 0 or more, got {plan.spare}")


def _check_reply(place: str, reply: Reply) -> None:
    if reply.error is not None and (reply.cancel or reply.finish or reply.steers or reply.calls):
        raise _refusal(f"at {place}: a request that failed has no calls, steers, finish or cancel")
    if reply.cancel == "tools" and not reply.calls:
        raise _refusal(f"at {place}.cancel: there are no tools to cancel")
    if reply.cancel == "stream" and (reply.finish or reply.steers):
        raise _refusal(f"at {place}: a reply that was cancelled in its stream has no steers or finish")
    if reply.crash and reply.before in ("reject", "fail", "cancel"):
        raise _refusal(f"at {place}.crash: the step never starts")


def _at(place: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except TimectxError as error:
        raise _refusal(f"at {place}: {error}") from None


def _refusal(why: str) -> ScenarioError:
    return ScenarioError(f"not a script: {why}", kind="script")

"""Describe what a scripted agent lives through, as plain data: prompts, replies, tools, and what goes wrong."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from timectx.errors import ScenarioError, TimectxError
from timectx.reading import Edition
from timectx.session.data import JsonObject, Usage
from timectx.units import MAX_INSTANT_MS, is_safe_integer, parse_interval

__all__ = ["Call", "CompactionPlan", "Failure", "Prompt", "Reply", "Script", "Steer", "parse_script", "span_ms"]

Span: TypeAlias = str | int
"""A duration: milliseconds, or a text such as ``3s`` or ``1h 30m``."""


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Refuse what no part of a script is called."""


class Call(_Part, frozen=True):
    """
    Describe one tool run.

    `takes` is how long it runs, `result` the text it returns; `fails` marks that as an error.
    """

    name: str = "bash"
    arguments: str | JsonObject = "{}"
    takes: Span = 0
    result: str = ""
    fails: bool = False


class Failure(_Part, frozen=True):
    """Describe a request that fails at the provider; with `retry` the step asks again after `wait`."""

    code: str = "SERVER"
    message: str = "the provider did not answer"
    retry: bool = False
    wait: Span = 0


class Steer(_Part, frozen=True):
    """Describe a message that arrives while a step runs; `zone` is that of its browser, None = unknown."""

    say: str
    zone: str | None = None


class Reply(_Part, frozen=True):
    """
    Describe one answer of the model, and what befalls its step.

    `takes` is the time from request to last word. `calls` run one after the other, or with `parallel`
    all at once. `finish` is ``max-tokens`` for an answer that was cut off; `error` stands in its place
    for a request that failed. `cancel` stops the turn while the answer streams or before its
    tools run. `before` is what happens to the step before it starts: a listener rejects it,
    fails, or the person cancels. `steers` arrive before the tools run. `usage` is what the
    provider reports, None = nothing. `crash` ends the process where the answer would begin.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    takes: Span = "2s"
    parallel: bool = False
    usage: Usage | None = None
    finish: Literal["max-tokens"] | None = None
    error: Failure | None = None
    cancel: Literal["stream", "tools"] | None = None
    before: Literal["reject", "fail", "cancel"] | None = None
    steers: tuple[Steer, ...] = ()
    crash: bool = False


class Prompt(_Part, frozen=True):
    """
    Describe what a person asks and how the model answers.

    `after` is the pause before it, `zone` that of the browser it came from (None = unknown).
    """

    say: str
    after: Span = 0
    zone: str | None = None
    replies: tuple[Reply, ...] = (Reply(text="done"),)


class CompactionPlan(_Part, frozen=True):
    """
    Describe how the session is compacted.

    `settings` are those of the compaction, by the original's names; `pruning` those of its tool-result
    pruner, None = none. The summary is the text `summary`, or filler of `summary_tokens`, or of
    `summary_ratio` of what it stands for.
    """

    settings: JsonObject = {}
    pruning: JsonObject | None = None
    summary: str | None = None
    summary_tokens: int | None = None
    summary_ratio: float | None = None


class Script(_Part, frozen=True):
    """
    Describe one session from its first prompt to its last.

    `start` is when a new session begins: epoch milliseconds or ISO 8601 with an offset. `interval` is the
    refresh interval, None = the edition's default; `time_context` is False for an agent that is told
    no time. `context_window` is in tokens, None = unknown, and then nothing compacts under pressure.
    """

    session: str
    prompts: tuple[Prompt, ...]
    start: str | int = 0
    cwd: str | None = None
    edition: Edition = "readme"
    time_context: bool = True
    interval: Span | None = None
    time_zone: str = "UTC"
    provider: str = "scripted"
    model: str = "scripted"
    context_window: int | None = None
    max_tokens: int | None = None
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    compaction: CompactionPlan | None = None


def parse_script(text: str) -> Script:
    """
    Read a script from YAML.

    Parameters
    ----------
    text : str
        A mapping with the fields of `Script`; JSON is YAML too.

    Returns
    -------
    Script
        Checked: every duration can be read and every name exists.

    Raises
    ------
    ScenarioError
        Kind ``script`` where the text is no YAML or does not fit; the message names the field.

    Examples
    --------
    >>> parse_script("{session: one, prompts: [{say: hello}]}").prompts[0].replies[0].text
    'done'
    """
    import yaml

    try:
        script = msgspec.convert(yaml.safe_load(text), Script)
        _check_spans(script)
    except (yaml.YAMLError, msgspec.ValidationError, TimectxError, RecursionError) as error:
        told = " ".join(str(error).split())
        raise ScenarioError(f"not a script: {told}", kind="script") from None
    return script


def span_ms(span: Span) -> int:
    """
    Return a script's duration in milliseconds.

    Parameters
    ----------
    span : str or int
        Milliseconds, or a text as `parse_interval` reads it; a leading minus lets the clock step back.

    Returns
    -------
    int
        Milliseconds.

    Raises
    ------
    UnitError
        If it is neither.

    Examples
    --------
    >>> span_ms("1h 30m"), span_ms(250), span_ms("-5s")
    (5400000, 250, -5000)
    """
    if isinstance(span, str):
        text = span.strip()
        return -parse_interval(text[1:]) if text.startswith("-") else parse_interval(text)
    if not is_safe_integer(span) or abs(span) > MAX_INSTANT_MS:
        raise ScenarioError(f"not a duration in whole milliseconds: {span!r}", kind="script")
    return span


def _check_spans(part: Any) -> None:
    if isinstance(part, Struct):
        for name in part.__struct_fields__:
            value = getattr(part, name)
            if name in ("takes", "after", "wait", "interval") and value is not None:
                span_ms(value)
            else:
                _check_spans(value)
    elif isinstance(part, tuple):
        for item in part:
            _check_spans(item)

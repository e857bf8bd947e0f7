"""Describe what a scripted agent lives through, as plain data: prompts, replies, tools, and what goes wrong."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from timectx.loop.spans import Span
from timectx.reading import Edition
from timectx.replay.compaction.pressure import Anchor
from timectx.session.data import JsonObject, Usage

__all__ = ["Call", "CompactionPlan", "Failure", "Prompt", "Reply", "Script", "Steer"]


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Refuse what no part of a script is called."""


class Call(_Part, frozen=True):
    """
    Describe one tool run.

    `takes` is how long it runs, `result` the text it returns; `fails` marks that as an error, and
    `concludes` ends the turn after it.
    """

    name: str = "bash"
    arguments: str | JsonObject = "{}"
    takes: Span = 0
    result: str = ""
    fails: bool = False
    concludes: bool = False


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
    all at once. `finish` is ``max-tokens`` for an answer that was cut off; `error` is a request that
    failed, after half of the text, if there is any. `cancel` stops the turn while the answer streams or
    before its tools run. `before` is what happens to the step before it starts: a listener rejects it,
    fails, or lets no message enter (``empty``), or the person cancels. `steers` arrive before the tools
    run. `usage` is what the provider reports, None = nothing. `crash` ends the process where the answer
    would begin.
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
    before: Literal["reject", "fail", "cancel", "empty"] | None = None
    steers: tuple[Steer, ...] = ()
    crash: bool = False


class Prompt(_Part, frozen=True):
    """
    Describe what a person asks and how the model answers.

    `after` is the pause before it, `zone` that of the browser it came from (None = unknown). With
    `compact` the person has the session compacted first, with `withdrawn` takes the prompt back before
    its turn begins.
    """

    say: str
    after: Span = 0
    zone: str | None = None
    compact: bool = False
    withdrawn: bool = False
    replies: tuple[Reply, ...] = (Reply(text="done"),)


class CompactionPlan(_Part, frozen=True):
    """
    Describe how the session is compacted.

    `settings` are those of the compaction, by the original's names; `pruning` those of its tool-result
    pruner, None = none. The summary is the text `summary`, or filler of `summary_tokens`, or of
    `summary_ratio` of what it stands for, and writing it `takes` so long. After a request that did not
    fit, `spare` of the last messages stay beside the last one: 0 loses the prompt, as the original does.
    """

    settings: JsonObject = {}
    pruning: JsonObject | None = None
    summary: str | None = None
    summary_tokens: int | None = None
    summary_ratio: float | None = None
    takes: Span = 0
    spare: int = 0


class Script(_Part, frozen=True):
    """
    Describe one session from its first prompt to its last.

    `start` is when a new session begins: epoch milliseconds or ISO 8601 with an offset. `interval` is the
    refresh interval, None = the edition's default; `time_zone` the zone shown where the browsers settle
    none, None = the process's own; `time_context` is False for an agent that is told no time.
    `context_window` is in tokens, None = unknown, and then nothing compacts under pressure. `anchor`
    says what a provider's count is taken to stand for, None = as the edition does. With `skip_empty` no
    reading opens a step for which nothing else was to be said; the original bills such a step.
    """

    session: str
    prompts: tuple[Prompt, ...]
    start: Span = 0
    cwd: str | None = None
    edition: Edition = "readme"
    time_context: bool = True
    interval: Span | None = None
    time_zone: str | None = None
    skip_empty: bool = False
    provider: str = "scripted"
    model: str = "scripted"
    context_window: int | None = None
    max_tokens: int | None = None
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    compaction: CompactionPlan | None = None
    anchor: Anchor | None = None

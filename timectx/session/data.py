"""Define what the events of a log carry: messages, usage, and the data of each event type."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct, field

from timectx.units import MAX_SAFE_INTEGER

__all__ = [
    "EXTRA",
    "AssistantData",
    "Block",
    "ChunkData",
    "CompactionEndData",
    "CompactionStartData",
    "ContextData",
    "HeaderData",
    "HeaderDeltaData",
    "InboxData",
    "JsonObject",
    "LogStruct",
    "Message",
    "PruneData",
    "Replace",
    "RetryData",
    "SafeInt",
    "SeedData",
    "SeqInt",
    "SeqRange",
    "StepData",
    "SummaryData",
    "SystemDelta",
    "ToolCallData",
    "ToolResultData",
    "TurnData",
    "TurnEndData",
    "Usage",
]

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object kept as it stands, key order included, because prices depend on it."""

Block: TypeAlias = JsonObject
"""One content block of a message: ``type`` and whatever that type carries."""

SafeInt: TypeAlias = Annotated[int, Meta(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER)]
"""An integer that a JSON number of the original system holds exactly."""

SeqInt: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_SAFE_INTEGER)]
"""A place in the log, or another count, from 0."""

EXTRA: Final = "(extra)"
"""The encoded name of `extra`, which no log uses: only `event_from_record` fills that field."""


class LogStruct(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """
    Give a part of a log line the fields it is known to have.

    Decoding straight into one refuses any other field; `event_from_record` puts those into `extra`,
    where a class has that, so that nothing is lost. A field that is None was not in the line.
    """


class Usage(LogStruct, rename="camel", kw_only=True, frozen=True):
    """
    Hold what the provider reported for one request; every part is a token count.

    The parts are disjoint, except that reasoning is inside output and the total, where given, spans
    them all. None means not reported.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)

    @property
    def prompt_tokens(self) -> int:
        """Size of the prompt: uncached input, cache reads and cache writes."""
        return self.input_tokens + (self.cache_read_tokens or 0) + (self.cache_write_tokens or 0)


class Message(LogStruct, kw_only=True, frozen=True):
    """
    Hold one message of the conversation.

    `content` are its blocks, `source` says who produced it (its ``kind``, and what that adds),
    `role` is ``user`` or ``assistant``, and `id` names it. An empty role or id was not recorded.
    """

    content: tuple[Block, ...]
    source: JsonObject
    role: str = ""
    id: str = ""
    extra: JsonObject | None = field(default=None, name=EXTRA)


class Replace(LogStruct, tag_field="op", tag="replace", frozen=True):
    """
    Say that a message stands for a range of the surface.

    `start` and `end` are the seqs of the first and the last node it shadows, in surface order; since
    that is not seq order, `start` may be the larger.
    """

    start: SeqInt
    end: SeqInt


class SeqRange(LogStruct, frozen=True):
    """Name a range of nodes by the seqs of its first and its last, in surface order."""

    start: int
    end: int
    extra: JsonObject | None = field(default=None, name=EXTRA)


class TurnData(LogStruct, kw_only=True, frozen=True):
    """Hold what a turn's start says: the turn's number, from 1."""

    turn: SafeInt
    extra: JsonObject | None = field(default=None, name=EXTRA)


class TurnEndData(LogStruct, kw_only=True, frozen=True):
    """
    Hold what a turn's end says: its number, from 1, and why it ended.

    ``reason["kind"]`` is ``completed``, ``aborted``, ``blocked``, ``error``, ``max-tokens`` or
    ``interrupted`` (closed after a crash).
    """

    turn: SafeInt
    reason: JsonObject
    extra: JsonObject | None = field(default=None, name=EXTRA)


class StepData(LogStruct, kw_only=True, frozen=True):
    """Hold a step's place: its turn and its number in it, both from 1."""

    turn: SafeInt
    step: SafeInt
    extra: JsonObject | None = field(default=None, name=EXTRA)


class ChunkData(LogStruct, kw_only=True, frozen=True):
    """
    Hold one piece of a model's reply as it streamed.

    ``chunk["type"]`` is ``block-start``, ``text-delta``, ``reasoning-delta``, ``tool-call-delta``,
    ``block-end``, ``usage`` or ``finish``.
    """

    turn: SafeInt
    step: SafeInt
    chunk: JsonObject
    extra: JsonObject | None = field(default=None, name=EXTRA)


class AssistantData(LogStruct, kw_only=True, frozen=True):
    """
    Hold a model's whole reply.

    `usage` is None where the provider reported none; `interrupted` is True for the kept part of a
    reply that was cut off, else None.
    """

    turn: SafeInt
    step: SafeInt
    message: Message
    usage: Usage | None = None
    interrupted: bool | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class ToolCallData(LogStruct, kw_only=True, frozen=True):
    """
    Hold a tool run as it starts.

    `call_id` pairs it with its result; `arguments` is the raw text the model wrote.
    """

    turn: SafeInt
    step: SafeInt
    call_id: str = field(name="callId")
    name: str
    arguments: str
    extra: JsonObject | None = field(default=None, name=EXTRA)


class ToolResultData(LogStruct, kw_only=True, frozen=True):
    """
    Hold what a tool returned: a message with one ``tool-result`` block.

    `error` names the failure (``name`` and ``code``), None where there was none; `meta` is whatever
    JSON value the tool keeps for itself, None where it keeps nothing.
    """

    turn: SafeInt
    step: SafeInt
    message: Message
    error: JsonObject | None = None
    meta: Any = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class HeaderData(LogStruct, kw_only=True, frozen=True):
    """
    Hold what requests carry beside messages.

    `header` has ``config`` and perhaps ``adapterDefaults``, ``system`` and ``tools``; `reason` is
    ``initial``, ``resume`` or ``change``.
    """

    header: JsonObject
    reason: str
    extra: JsonObject | None = field(default=None, name=EXTRA)


class SystemDelta(LogStruct, rename="camel", kw_only=True, frozen=True):
    """
    Hold an edit of the system prompt by lines.

    The first `keep_start` lines stay, then comes `insert`, then the last `keep_end` lines.
    """

    keep_start: SeqInt
    keep_end: SeqInt
    insert: tuple[str, ...]
    extra: JsonObject | None = field(default=None, name=EXTRA)


class HeaderDeltaData(LogStruct, kw_only=True, frozen=True):
    """Hold an early log's change of the request header; `system` is None when something else changed."""

    system: SystemDelta | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class ContextData(LogStruct, rename="camel", kw_only=True, frozen=True):
    """Hold which model answers; `context_window` is how many tokens it can see, None = not stated."""

    provider: str
    model: str
    context_window: int | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class SeedData(LogStruct, kw_only=True, frozen=True):
    """Hold nothing, in format 0: the event itself marks the end of a history that was taken over."""

    extra: JsonObject | None = field(default=None, name=EXTRA)


class InboxData(LogStruct, rename="camel", kw_only=True, frozen=True):
    """
    Hold a change of the waiting prompts.

    `target` names the list, ``next-turn`` or ``next-step``. From its position `start` on,
    `removed_count` prompts left (None = none) and `inserted` arrived; `outcome` is ``canceled``
    where the removed ones were withdrawn, else None.
    """

    target: str
    start: int
    inserted: tuple[JsonObject, ...]
    removed_count: int | None = None
    outcome: str | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class RetryData(LogStruct, kw_only=True, frozen=True):
    """Hold the place of a further request inside an open step, after a provider's failure."""

    turn: SafeInt
    step: SafeInt
    extra: JsonObject | None = field(default=None, name=EXTRA)


class CompactionStartData(LogStruct, kw_only=True, frozen=True):
    """Hold the opening of a compaction; `turn` is None for one run by hand between turns."""

    compaction_id: str = field(name="compactionId")
    turn: int | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class CompactionEndData(LogStruct, kw_only=True, frozen=True):
    """Hold the close of a compaction; `turn` as at its opening, `error` None when it succeeded."""

    compaction_id: str = field(name="compactionId")
    turn: int | None = None
    error: str | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class SummaryData(LogStruct, rename="camel", kw_only=True, frozen=True):
    """
    Hold a compaction's summary, what it shadows and what it took.

    `shadowed_seqs` are the shadowed nodes in surface order, `shadowed_range` the first and the last of
    them, and `shadowed_token_count` the sum of their prices in tokens. `provider` and `model` wrote the
    summary; `usage` is what that request used, None where it was not reported.
    """

    compaction_id: str
    summary: tuple[Block, ...]
    shadowed_range: SeqRange
    shadowed_seqs: tuple[int, ...]
    shadowed_token_count: int
    provider: str
    model: str
    usage: Usage | None = None
    extra: JsonObject | None = field(default=None, name=EXTRA)


class PruneData(LogStruct, rename="camel", kw_only=True, frozen=True):
    """
    Hold which tool result is about to be shortened.

    `shadowed_seqs` and `shadowed_range` name its node, `shadowed_token_count` its price in tokens so far.
    """

    shadowed_range: SeqRange
    shadowed_seqs: tuple[int, ...]
    shadowed_token_count: int
    extra: JsonObject | None = field(default=None, name=EXTRA)

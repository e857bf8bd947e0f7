"""Define what a session log holds: one frozen record per event type, in one closed union."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, TypeAlias

from msgspec import field

from timectx.session.data import (
    EXTRA,
    AssistantData,
    Block,
    ChunkData,
    CompactionEndData,
    CompactionStartData,
    ContextData,
    HeaderData,
    HeaderDeltaData,
    InboxData,
    JsonObject,
    LogStruct,
    Message,
    PruneData,
    Replace,
    RetryData,
    SafeInt,
    SeedData,
    SeqInt,
    SeqRange,
    StepData,
    SummaryData,
    SystemDelta,
    ToolCallData,
    ToolResultData,
    TurnData,
    TurnEndData,
    Usage,
)

__all__ = [
    "EVENT_CLASSES",
    "SURFACE_CLASSES",
    "AssistantChunk",
    "AssistantData",
    "AssistantMessage",
    "Block",
    "ChunkData",
    "CompactionEnd",
    "CompactionEndData",
    "CompactionPrune",
    "CompactionStart",
    "CompactionStartData",
    "CompactionSummary",
    "ContextData",
    "EndSeed",
    "Event",
    "HeaderData",
    "HeaderDeltaData",
    "InboxData",
    "InboxSpliced",
    "JsonObject",
    "Message",
    "OtherEvent",
    "PruneData",
    "Replace",
    "RequestContext",
    "RequestHeader",
    "RequestHeaderDelta",
    "RetryData",
    "RetryStarted",
    "SeedData",
    "SeqRange",
    "StepData",
    "StepEnd",
    "StepStart",
    "SummaryData",
    "SurfaceEvent",
    "SystemDelta",
    "ToolCall",
    "ToolCallData",
    "ToolResult",
    "ToolResultData",
    "TurnData",
    "TurnEnd",
    "TurnEndData",
    "TurnStart",
    "Usage",
    "UserMessage",
]


class _Event(LogStruct, kw_only=True, tag_field="type", frozen=True):
    """
    Give every event its place and its time.

    `seq` counts from 0 over the whole log, `time_ms` is when it was appended, in epoch milliseconds
    (clocks step: it can fall), and `extra` holds the fields this package does not know, None = none.
    """

    seq: SeqInt
    time_ms: SafeInt = field(name="time")
    extra: JsonObject | None = field(default=None, name=EXTRA)


class _Surface(_Event, kw_only=True, frozen=True):
    """
    Mark the events the model sees as messages.

    `surface_op` is ``"append"``, a `Replace`, or None for one that only stands in the log;
    `source_event_seqs` are the events it was made from, None = not recorded.
    """

    surface_op: Literal["append"] | Replace | None = field(default=None, name="surfaceOp")
    source_event_seqs: tuple[int, ...] | None = field(default=None, name="sourceEventSeqs")


class TurnStart(_Event, tag="turn/start", frozen=True):
    """Open a turn: a prompt was admitted."""

    type: ClassVar[str] = "turn/start"
    data: TurnData


class TurnEnd(_Event, tag="turn/end", frozen=True):
    """Close a turn: the model stopped, or was stopped."""

    type: ClassVar[str] = "turn/end"
    data: TurnEndData


class StepStart(_Event, tag="step/start", frozen=True):
    """Open a step: a model request, with its retries and tool runs."""

    type: ClassVar[str] = "step/start"
    data: StepData


class StepEnd(_Event, tag="step/end", frozen=True):
    """Close a step."""

    type: ClassVar[str] = "step/end"
    data: StepData


class UserMessage(_Surface, tag="user/message", frozen=True):
    """Add a message in the role of the user: a prompt, a reading, a checkpoint or other context."""

    type: ClassVar[str] = "user/message"
    data: Message


class AssistantMessage(_Surface, tag="assistant/message", frozen=True):
    """Add a reply of the model."""

    type: ClassVar[str] = "assistant/message"
    data: AssistantData


class ToolResult(_Surface, tag="tool/result", frozen=True):
    """Add what a tool returned."""

    type: ClassVar[str] = "tool/result"
    data: ToolResultData


class AssistantChunk(_Event, tag="assistant/chunk", frozen=True):
    """Keep a piece of a reply as it streamed."""

    type: ClassVar[str] = "assistant/chunk"
    data: ChunkData


class ToolCall(_Event, tag="tool/call", frozen=True):
    """Mark the start of a tool run."""

    type: ClassVar[str] = "tool/call"
    data: ToolCallData


class RequestHeader(_Event, tag="request/header", frozen=True):
    """Set what requests carry beside their messages, from here on."""

    type: ClassVar[str] = "request/header"
    data: HeaderData


class RequestHeaderDelta(_Event, tag="request/header-delta", frozen=True):
    """Change the request header, as early logs did."""

    type: ClassVar[str] = "request/header-delta"
    data: HeaderDeltaData


class RequestContext(_Event, tag="request/context", frozen=True):
    """Set the model that answers and its window, from here on."""

    type: ClassVar[str] = "request/context"
    data: ContextData


class EndSeed(_Event, tag="session/end-seed", frozen=True):
    """Mark the end of a history taken over by a resume or a fork."""

    type: ClassVar[str] = "session/end-seed"
    data: SeedData


class InboxSpliced(_Event, tag="agent/inbox/spliced", frozen=True):
    """Change a list of waiting prompts."""

    type: ClassVar[str] = "agent/inbox/spliced"
    data: InboxData


class RetryStarted(_Event, tag="llm/retry-started", frozen=True):
    """Ask the model again in the same step."""

    type: ClassVar[str] = "llm/retry-started"
    data: RetryData


class CompactionStart(_Event, tag="compaction/start", frozen=True):
    """Open a compaction."""

    type: ClassVar[str] = "compaction/start"
    data: CompactionStartData


class CompactionSummary(_Event, tag="compaction/summary", frozen=True):
    """Give a compaction's summary; the checkpoint message follows."""

    type: ClassVar[str] = "compaction/summary"
    data: SummaryData


class CompactionEnd(_Event, tag="compaction/end", frozen=True):
    """Close a compaction, done or failed."""

    type: ClassVar[str] = "compaction/end"
    data: CompactionEndData


class CompactionPrune(_Event, tag="compaction/prune", frozen=True):
    """Announce that a tool result is shortened; the shorter one follows."""

    type: ClassVar[str] = "compaction/prune"
    data: PruneData


class OtherEvent(LogStruct, kw_only=True, frozen=True):
    """
    Keep any other entry: a type that replay does not need, an unknown type, or data of another shape.

    `data` is the JSON value as it stands; the other fields are those of every event.
    """

    type: str
    seq: SeqInt
    time_ms: SafeInt = field(name="time")
    data: Any
    extra: JsonObject | None = field(default=None, name=EXTRA)


SurfaceEvent: TypeAlias = UserMessage | AssistantMessage | ToolResult
"""An event that can be a node of the surface."""

Event: TypeAlias = (
    TurnStart
    | TurnEnd
    | StepStart
    | StepEnd
    | UserMessage
    | AssistantMessage
    | ToolResult
    | AssistantChunk
    | ToolCall
    | RequestHeader
    | RequestHeaderDelta
    | RequestContext
    | EndSeed
    | InboxSpliced
    | RetryStarted
    | CompactionStart
    | CompactionSummary
    | CompactionEnd
    | CompactionPrune
    | OtherEvent
)
"""Any event; all have `type`, `seq` from 0, `time_ms` (append time, epoch milliseconds), `data` and `extra`."""

SURFACE_CLASSES: Final = (UserMessage, AssistantMessage, ToolResult)
"""The classes of `SurfaceEvent`, for isinstance."""

EVENT_CLASSES: Final[dict[str, type[Event]]] = {
    kind.type: kind
    for kind in (
        TurnStart,
        TurnEnd,
        StepStart,
        StepEnd,
        *SURFACE_CLASSES,
        AssistantChunk,
        ToolCall,
        RequestHeader,
        RequestHeaderDelta,
        RequestContext,
        EndSeed,
        InboxSpliced,
        RetryStarted,
        CompactionStart,
        CompactionSummary,
        CompactionEnd,
        CompactionPrune,
    )
}
"""The record class of every type that has one of its own."""

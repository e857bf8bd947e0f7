"""Close a log that stops inside a turn: answer its open tool calls, end its step and its turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from timectx.session.events import (
    AssistantMessage,
    Event,
    Message,
    StepData,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    ToolResultData,
    TurnEnd,
    TurnEndData,
    TurnStart,
)

__all__ = ["NOT_STARTED_TEXT", "OUTCOME_UNKNOWN_TEXT", "closing_events"]

OUTCOME_UNKNOWN_TEXT: Final = (
    "The session stopped while this tool was running, so what it did is not known. It may have finished, "
    "done part of its work, or done nothing at all. Nothing it printed was kept. Look at the present state "
    "of whatever it was meant to change before you decide whether the same call has to be made again, whole "
    "or part."
)
"""What the model reads in place of a lost result; its length, 313 units, sets its price."""

NOT_STARTED_TEXT: Final = (
    "The session stopped before this tool was started. It changed nothing; call it once more if it is needed."
)
"""What the model reads for a call that never ran; its length, 104 units, sets its price."""


_OUTCOME_UNKNOWN: Final = {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
_NOT_STARTED: Final = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}


def closing_events(events: Sequence[Event], last: tuple[int, int] | None = None) -> tuple[Event, ...]:
    """
    Return the events that close an interrupted log.

    Parameters
    ----------
    events : sequence of Event
        A whole log.
    last : tuple of int, optional
        Seq and time in milliseconds of the log's last entry, where that is streamed output
        that is not among the events; None takes those of the last event.

    Returns
    -------
    tuple of Event
        Empty when the last turn is closed; else one failed result for every unanswered call
        of the open step, its end, and the turn's end with reason ``interrupted``. They go on
        counting seqs and carry the time of the last entry.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/repair.ts, `interruptedTurnClosers`.
    """
    tail = _Tail()
    for event in events:
        tail.apply(event)
    if tail.turn is None:
        return ()
    closing = _Closing(tail.turn, *(last or (events[-1].seq, events[-1].time_ms)))
    for call_id, call in tail.pending.items():
        closing.answer(call_id, call)
    closing.end(tail.step)
    return tuple(closing.events)


class _PendingCall(Struct):
    """Hold a call the model made: the step of its reply, and the seq of its start (None = not started)."""

    step: int
    started_seq: int | None = None


class _Tail:
    """Walk a log once, keeping what is open."""

    def __init__(self) -> None:
        self.turn: int | None = None
        self.step: int | None = None
        self.pending: dict[str, _PendingCall] = {}

    def apply(self, event: Event) -> None:
        match event:
            case TurnStart():
                self.turn, self.step, self.pending = event.data.turn, None, {}
            case TurnEnd():
                self.turn, self.step, self.pending = None, None, {}
            case StepStart():
                self.step = event.data.step  # open calls stay: only an end drops them
            case StepEnd():
                self.step, self.pending = None, {}
            case AssistantMessage():
                calls = (block for block in event.data.message.content if block.get("type") == "tool-call")
                self.pending.update({str(block.get("id")): _PendingCall(event.data.step) for block in calls})
            case ToolCall():
                if event.data.call_id in self.pending:
                    self.pending[event.data.call_id].started_seq = event.seq
            case ToolResult():
                self.pending.pop(str(event.data.message.source.get("callId")), None)
            case _:
                pass


class _Closing:
    """Collect closing events with rising seqs at one time."""

    def __init__(self, turn: int, last_seq: int, time_ms: int) -> None:
        self.turn, self.last_seq, self.time_ms = turn, last_seq, time_ms
        self.events: list[Event] = []

    @property
    def next_seq(self) -> int:
        return self.last_seq + 1 + len(self.events)

    def answer(self, call_id: str, call: _PendingCall) -> None:
        ran = call.started_seq is not None
        result = {
            "type": "tool-result",
            "toolCallId": call_id,
            "isError": True,
            "content": [{"type": "text", "text": OUTCOME_UNKNOWN_TEXT if ran else NOT_STARTED_TEXT}],
        }
        data = ToolResultData(
            turn=self.turn,
            step=call.step,
            message=Message(
                id=f"interrupted-tool-result-{call_id}-{self.next_seq}",
                role="user",
                source={"kind": "tool", "callId": call_id},
                content=(result,),
            ),
            error=dict(_OUTCOME_UNKNOWN if ran else _NOT_STARTED),
        )
        self.events.append(
            ToolResult(
                seq=self.next_seq,
                time_ms=self.time_ms,
                data=data,
                surface_op="append",
                source_event_seqs=None if call.started_seq is None else (call.started_seq,),
            )
        )

    def end(self, step: int | None) -> None:
        if step is not None:
            place = StepData(turn=self.turn, step=step)
            self.events.append(StepEnd(seq=self.next_seq, time_ms=self.time_ms, data=place))
        end = TurnEndData(turn=self.turn, reason={"kind": "interrupted"})
        self.events.append(TurnEnd(seq=self.next_seq, time_ms=self.time_ms, data=end))

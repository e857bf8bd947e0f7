"""Check the order of a whole log: turns and steps, what they enclose, calls and results, compactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from operator import attrgetter
from typing import Final, TypeAlias

from msgspec import Struct

from timectx.replay.fault import Fault
from timectx.session import Session
from timectx.session.data import ChunkData, JsonObject, PruneData, SummaryData
from timectx.session.events import (
    AssistantChunk,
    AssistantMessage,
    CompactionEnd,
    CompactionPrune,
    CompactionStart,
    CompactionSummary,
    EndSeed,
    Event,
    Replace,
    RequestContext,
    RequestHeader,
    StepEnd,
    StepStart,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from timectx.units import is_safe_integer

__all__ = ["check_contract"]

_NOT_STARTED: Final = "TOOL_NOT_STARTED"
_Broken: TypeAlias = Iterator[tuple[str, str]]
"""Rules an event breaks, each with what is wrong."""


def check_contract(session: Session) -> tuple[Fault, ...]:
    """
    Check the order in which a log's events stand.

    Parameters
    ----------
    session : Session
        The log; its streamed output is checked too, where it was decoded.

    Returns
    -------
    tuple of Fault
        In order of seq; empty when nothing is out of order.

    Notes
    -----
    Rules of turns and steps [1]_: ``seq-order``; ``turn-open``, ``turn-number``, ``turn-end``,
    ``step-left-open``; ``step-turn``, ``step-open``, ``step-number``; ``place`` (an event names another
    turn or step than the open one), ``outside-turn``, ``unpaired-result``. Rules of compactions [2]_:
    ``compaction-id``, ``compaction-open``, ``compaction-not-open``, ``compaction-owner``,
    ``compaction-command``, ``compaction-turn`` (a turn begins or ends inside one), ``summary-repeated``,
    ``summary-missing``, ``shadowed-seqs``, ``shadowed-tokens``.

    A compaction that was cut off by a crash and is closed by no event breaks no rule, as long as
    the turn around it was closed by a repair or the history was taken over. After a fault the check goes
    on from what the log says, so that one mistake is one fault. Where messages stand is free: early
    logs have them before the start of their step.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/invariant.ts.
    .. [2] deepseek-harness, packages/compaction/compaction/src/invariant.ts.
    """
    steps, compactions = _Steps(), _Compactions(_taken_over(session.events))
    return tuple(
        Fault(event.seq, rule, message)
        for event in _entries(session)
        for broken in (steps.apply(event), compactions.apply(event))
        for rule, message in broken
    )


def _entries(session: Session) -> Iterator[Event]:
    pieces = (
        row.event
        or AssistantChunk(seq=row.seq0, time_ms=row.time0_ms, data=ChunkData(turn=row.turn, step=row.step, chunk={}))
        for row in session.stream
    )
    return merge(session.events, pieces, key=attrgetter("seq")) if session.stream else iter(session.events)


class _Steps:
    """Follow the open turn and step, and the calls that wait for their results."""

    def __init__(self) -> None:
        self.last_seq = -1
        self.turn: int | None = None
        self.step: int | None = None
        self.next_turn = self.next_step = 1
        self.calls: set[str] = set()

    def apply(self, event: Event) -> _Broken:
        if event.seq <= self.last_seq:
            yield "seq-order", f"seq {event.seq} follows seq {self.last_seq}"
        self.last_seq = event.seq
        match event:
            case TurnStart():
                yield from self._open_turn(event)
            case TurnEnd():
                yield from self._close_turn(event)
            case StepStart():
                yield from self._open_step(event)
            case StepEnd():
                yield from self._check_place(event.type, event.data.turn, event.data.step)
                self.step, self.next_step = None, event.data.step + 1
                self.calls.clear()
            case ToolResult():
                yield from self._take_result(event)
            case AssistantChunk() | AssistantMessage() | ToolCall():
                yield from self._check_place(event.type, event.data.turn, event.data.step)
                if isinstance(event, ToolCall):
                    self.calls.add(event.data.call_id)
            case _ if isinstance(event, RequestHeader | RequestContext) or event.type == "todo/write":
                if self.turn is None:
                    yield "outside-turn", f"{event.type} stands outside any turn"
            case _:
                pass

    def _open_turn(self, event: TurnStart) -> _Broken:
        number = event.data.turn
        if self.turn is not None:
            yield "turn-open", f"turn {number} starts while turn {self.turn} is open"
        elif number != self.next_turn:
            yield "turn-number", f"turn {number} starts, expected turn {self.next_turn}"
        self.turn, self.step = number, None
        self.next_turn, self.next_step = number + 1, 1

    def _close_turn(self, event: TurnEnd) -> _Broken:
        number = event.data.turn
        if self.turn != number:
            yield "turn-end", f"turn {number} ends, but {_open(self.turn)}"
        if self.step is not None:
            yield "step-left-open", f"turn {number} ends while its step {self.step} is open"
        self.turn = self.step = None
        self.next_turn = number + 1

    def _open_step(self, event: StepStart) -> _Broken:
        turn, number = event.data.turn, event.data.step
        if self.turn != turn:
            yield "step-turn", f"a step of turn {turn} starts, but {_open(self.turn)}"
        elif self.step is not None:
            yield "step-open", f"step {number} starts while step {self.step} is open"
        elif number != self.next_step:
            yield "step-number", f"step {number} of turn {turn} starts, expected step {self.next_step}"
        self.step = number

    def _take_result(self, event: ToolResult) -> _Broken:
        if event.surface_op != "append":
            if isinstance(event.surface_op, Replace) and self.turn is None:
                yield "outside-turn", "a tool result is shortened outside any turn"
            return
        yield from self._check_place(event.type, event.data.turn, event.data.step)
        call_id = str(event.data.message.source.get("callId"))
        if call_id not in self.calls and not _never_started(event):
            yield "unpaired-result", f"no tool/call of this step is named {call_id!r}"
        self.calls.discard(call_id)

    def _check_place(self, kind: str, turn: int, step: int) -> _Broken:
        if (self.turn, self.step) != (turn, step):
            place = "no step is" if self.step is None else f"turn {self.turn}, step {self.step} is"
            yield "place", f"{kind} names turn {turn}, step {step}, but {place} open"


class _Open(Struct, frozen=True):
    """Name the compaction that has begun and not ended."""

    seq: int
    compaction_id: str
    command: object
    turn: int | None
    summarized: bool = False


class _Compactions:
    """Follow the open compaction; `stale` holds the starts that a taken-over history left open."""

    def __init__(self, stale: frozenset[int]) -> None:
        self.stale = stale
        self.turn: int | None = None
        self.open: _Open | None = None

    def apply(self, event: Event) -> _Broken:
        match event:
            case TurnStart() | TurnEnd():
                yield from self._cross(event)
                self.turn = event.data.turn if isinstance(event, TurnStart) else None
            case CompactionStart():
                yield from self._begin(event)
            case CompactionSummary():
                yield from self._summarize(event)
            case CompactionEnd():
                yield from self._end(event)
            case CompactionPrune():
                yield from _check_shadowed(event.data)
            case UserMessage() if isinstance(event.surface_op, Replace) and _is_checkpoint(event.data.source):
                yield from self._check_checkpoint(event.data.source)
            case EndSeed():
                self.open = None
            case _:
                pass

    def _cross(self, event: TurnStart | TurnEnd) -> _Broken:
        if self.open is None or self.open.seq in self.stale:
            return
        if isinstance(event, TurnEnd) and event.data.reason.get("kind") == "interrupted":
            return
        yield "compaction-turn", f"{event.type} {event.data.turn} stands inside {self.open.compaction_id!r}"

    def _begin(self, event: CompactionStart) -> _Broken:
        data = event.data
        if not data.compaction_id:
            yield "compaction-id", "a compaction starts without an id"
        if self.open is not None:
            yield "compaction-open", f"{data.compaction_id!r} starts while {self.open.compaction_id!r} is open"
        yield from self._check_owner(event.type, data.turn)
        self.open = _Open(event.seq, data.compaction_id, _command(data.extra), data.turn)

    def _summarize(self, event: CompactionSummary) -> _Broken:
        data = event.data
        yield from self._check_same(event.type, data.compaction_id, _command(data.extra))
        yield from _check_shadowed(data)
        if self.open is None:
            return
        yield from self._check_owner(event.type, self.open.turn)
        if self.open.summarized:
            yield "summary-repeated", f"{data.compaction_id!r} has a second summary"
        self.open = _Open(self.open.seq, self.open.compaction_id, self.open.command, self.open.turn, True)

    def _end(self, event: CompactionEnd) -> _Broken:
        data, open_now = event.data, self.open
        yield from self._check_same(event.type, data.compaction_id, _command(data.extra))
        if open_now is None:
            return
        if data.turn != open_now.turn:
            yield "compaction-owner", f"it ends for {_owner(data.turn)}, but began for {_owner(open_now.turn)}"
        yield from self._check_owner(event.type, open_now.turn)
        if data.error is None and not open_now.summarized:
            yield "summary-missing", f"{data.compaction_id!r} ends well without a summary"
        self.open = None

    def _check_checkpoint(self, source: JsonObject) -> _Broken:
        yield from self._check_same("a checkpoint", source.get("compactionId"), source.get("sourceCommandId"))

    def _check_same(self, kind: str, compaction_id: object, command: object) -> _Broken:
        if self.open is None:
            yield "compaction-not-open", f"{kind} names {compaction_id!r}, but no compaction is open"
        elif compaction_id != self.open.compaction_id:
            yield "compaction-id", f"{kind} names {compaction_id!r}, but {self.open.compaction_id!r} is open"
        elif command != self.open.command:
            yield "compaction-command", f"{kind} names command {command!r}, expected {self.open.command!r}"

    def _check_owner(self, kind: str, owner: int | None) -> _Broken:
        if owner != self.turn:
            yield "compaction-owner", f"{kind} is for {_owner(owner)}, but {_open(self.turn)}"


def _taken_over(events: Iterable[Event]) -> frozenset[int]:
    """Return the seqs of compaction starts that were still open where a history was taken over."""
    stale, open_seq = set[int](), None
    for event in events:
        match event:
            case CompactionStart():
                open_seq = event.seq
            case CompactionEnd():
                open_seq = None
            case EndSeed():
                stale |= {open_seq} if open_seq is not None else set()
                open_seq = None
            case _:
                pass
    return frozenset(stale)


def _check_shadowed(data: SummaryData | PruneData) -> _Broken:
    span, seqs = data.shadowed_range, data.shadowed_seqs
    if not seqs or (seqs[0], seqs[-1]) != (span.start, span.end):
        yield "shadowed-seqs", f"the shadowed seqs are {list(seqs)}, their range {span.start} to {span.end}"
    if not is_safe_integer(data.shadowed_token_count) or data.shadowed_token_count < 0:
        yield "shadowed-tokens", f"shadowed tokens are a whole number from 0; got {data.shadowed_token_count!r}"


def _is_checkpoint(source: JsonObject) -> bool:
    kind = source.get("kind")
    return kind == "compact-checkpoint" or (kind == "plugin" and source.get("plugin") == "compact")


def _never_started(event: ToolResult) -> bool:
    block = event.data.message.content[0] if event.data.message.content else {}
    return block.get("isError") is True and (event.data.error or {}).get("code") == _NOT_STARTED


def _command(extra: JsonObject | None) -> object:
    return (extra or {}).get("sourceCommandId")


def _open(turn: int | None) -> str:
    return "no turn is open" if turn is None else f"turn {turn} is open"


def _owner(turn: int | None) -> str:
    return "no turn" if turn is None else f"turn {turn}"

"""Group a log into turns and steps, and count the requests each step made."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from timectx.session.events import (
    AssistantChunk,
    AssistantMessage,
    Event,
    RequestContext,
    RequestHeader,
    RetryStarted,
    StepEnd,
    StepStart,
    TurnEnd,
    TurnStart,
    Usage,
    UserMessage,
)
from timectx.session.records import parse_usage

__all__ = ["Step", "Turn", "turns_of"]


class Step(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one step: a model request with its retries and tool runs.

    `start_seq` and `end_seq` bound it (None = never closed); times are epoch milliseconds.
    `request_seqs` names for each of its requests the seq of the first output (of the step's end
    where none came): the model saw the surface left by everything before. `has_output` is
    False when the model never answered, `reached` when neither a message nor a request followed its
    start. `usage` is what the provider reported last, in the reply or in a chunk before it; None when
    it reported nothing.
    """

    turn: int
    step: int
    start_seq: int
    start_ms: int
    request_seqs: tuple[int, ...]
    has_output: bool = False
    reached: bool = False
    end_seq: int | None = None
    end_ms: int | None = None
    usage: Usage | None = None

    @property
    def requests(self) -> int:
        """How many requests the step made, at least 1."""
        return len(self.request_seqs)

    @property
    def request_seq(self) -> int:
        """Seq of the first output of the last request."""
        return self.request_seqs[-1]


class Turn(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one turn: from an admitted prompt until the model stops.

    `reason` is the kind of its end, such as ``completed`` or ``aborted``; None with `end_seq`
    and `end_ms` when the log stops inside it.
    """

    turn: int
    start_seq: int
    start_ms: int
    end_seq: int | None = None
    end_ms: int | None = None
    reason: str | None = None
    steps: tuple[Step, ...] = ()


def turns_of(events: Iterable[Event], last: tuple[int, int] | None = None) -> tuple[Turn, ...]:
    """
    Group events into turns and steps.

    Parameters
    ----------
    events : iterable of Event
        In log order. A gap in their seqs stands for streamed output that was not decoded.
    last : tuple of int, optional
        Seq and time in milliseconds of the log's last entry, where that is such output; None when
        the log ends with one of the events.

    Returns
    -------
    tuple of Turn
        In log order. A step outside any open turn gets a turn of its own number.

    Notes
    -----
    A step makes one request, and one more for every ``llm/retry-started``; in a step without
    those, one more for every failed reply (a ``finish`` chunk of kind error) that more output followed [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `step`.
    """
    fold = _Fold()
    for event in events:
        fold.apply(event)
    if last:
        fold.see_gap(last[0] + 1)
    fold.close_turn(None)
    return tuple(fold.turns)


class _OpenStep(Struct, kw_only=True):
    start: StepStart
    last_seq: int
    first_output_seq: int | None = None
    retry_seqs: list[int] = field(default_factory=list)
    failure_seqs: list[int] = field(default_factory=list)
    retry_pending: bool = False
    failure_pending: bool = False
    reached: bool = False
    usage: Usage | None = None


class _OpenTurn(Struct, kw_only=True):
    turn: int
    seq: int
    time_ms: int
    steps: list[Step] = field(default_factory=list)


class _Fold:
    """Walk a log once; kept apart so that `turns_of` stays a pure function."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.turn: _OpenTurn | None = None
        self.step: _OpenStep | None = None

    def apply(self, event: Event) -> None:
        self.see_gap(event.seq)
        match event:
            case TurnStart():
                self.close_turn(None)
                self.turn = _OpenTurn(turn=event.data.turn, seq=event.seq, time_ms=event.time_ms)
            case TurnEnd():
                self.close_turn(event)
            case StepStart():
                self.close_step(None)
                if self.turn is None or self.turn.turn != event.data.turn:
                    self.close_turn(None)
                    self.turn = _OpenTurn(turn=event.data.turn, seq=event.seq, time_ms=event.time_ms)
                self.step = _OpenStep(start=event, last_seq=event.seq)
            case StepEnd():
                self._see(event)
                self.close_step(event)
            case _:
                self._see(event)

    def see_gap(self, seq: int) -> None:
        """Take the entries missing before a seq for output of the open step."""
        if self.step and seq > self.step.last_seq + 1:
            _output(self.step, self.step.last_seq + 1)
            self.step.last_seq = seq - 1

    def _see(self, event: Event) -> None:
        step = self.step
        if step is None:
            return
        step.last_seq = event.seq
        match event:
            case AssistantChunk():
                _output(step, event.seq)
                _read_chunk(step, event)
            case AssistantMessage():
                _output(step, event.seq)
                step.usage = event.data.usage or step.usage
            case RetryStarted():
                if step.retry_pending:
                    step.retry_seqs.append(event.seq)
                step.retry_pending = True
            case UserMessage() | RequestHeader() | RequestContext():
                step.reached = True
            case _:
                pass

    def close_step(self, end: StepEnd | None) -> None:
        step, self.step = self.step, None
        if step is None or self.turn is None:
            return
        after = end.seq if end else step.last_seq + 1
        if step.retry_pending:
            step.retry_seqs.append(after)
        first = after if step.first_output_seq is None else step.first_output_seq
        self.turn.steps.append(
            Step(
                turn=step.start.data.turn,
                step=step.start.data.step,
                start_seq=step.start.seq,
                start_ms=step.start.time_ms,
                request_seqs=(first, *(step.retry_seqs or step.failure_seqs)),
                has_output=step.first_output_seq is not None,
                reached=step.reached or step.first_output_seq is not None,
                end_seq=end.seq if end else None,
                end_ms=end.time_ms if end else None,
                usage=step.usage,
            )
        )

    def close_turn(self, end: TurnEnd | None) -> None:
        self.close_step(None)
        turn, self.turn = self.turn, None
        if turn is None:
            return
        kind = end.data.reason.get("kind") if end else None
        self.turns.append(
            Turn(
                turn=turn.turn,
                start_seq=turn.seq,
                start_ms=turn.time_ms,
                end_seq=end.seq if end else None,
                end_ms=end.time_ms if end else None,
                reason=kind if isinstance(kind, str) else None,
                steps=tuple(turn.steps),
            )
        )


def _output(step: _OpenStep, seq: int) -> None:
    if step.first_output_seq is None:
        step.first_output_seq = seq
    if step.retry_pending:
        step.retry_seqs.append(seq)
    if step.failure_pending:
        step.failure_seqs.append(seq)
    step.retry_pending = step.failure_pending = False


def _read_chunk(step: _OpenStep, event: AssistantChunk) -> None:
    chunk = event.data.chunk
    if chunk.get("type") == "usage":
        step.usage = parse_usage(chunk.get("usage")) or step.usage
    reason = chunk.get("reason")
    if chunk.get("type") == "finish" and isinstance(reason, dict) and reason.get("kind") == "error":
        step.failure_pending = True

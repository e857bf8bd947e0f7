"""Walk a timeline with simulated compactions in place of the log's own."""

from __future__ import annotations

from typing import Final

from timectx.errors import TimectxError
from timectx.replay.account import Shown
from timectx.replay.deliveries import clock_message
from timectx.replay.run import RunCompaction, RunReading
from timectx.replay.scenario import Scenario
from timectx.replay.schedule import reading_message
from timectx.replay.simulation import Compaction, Relief, Simulation
from timectx.replay.timeline import Act, Cue, Timeline
from timectx.replay.walk import Walk
from timectx.session import Problem
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantChunk,
    CompactionEnd,
    CompactionPrune,
    CompactionStart,
    CompactionSummary,
    Event,
    Message,
    Replace,
    SurfaceEvent,
    TurnEnd,
    TurnStart,
    UserMessage,
)

__all__ = ["SimulatedWalk"]

_RECORDED_COMPACTION: Final = (CompactionStart, CompactionSummary, CompactionEnd, CompactionPrune)


class SimulatedWalk(Walk):
    """Walk a timeline with simulated compactions in place of the log's own."""

    def __init__(self, timeline: Timeline, scenario: Scenario, compaction: Compaction) -> None:
        self.simulation = Simulation(compaction, scenario.edition, timeline.prices.memory)
        super().__init__(timeline, scenario, self.simulation)
        self.compaction = compaction
        self.turn: int | None = None
        self.failures: set[str] = set()
        self.rested = False

    def _tell(self, act: Act, event: Event) -> None:
        if act == "event":
            self._event(event)
        elif act == "context" and isinstance(event, SURFACE_CLASSES):
            self._learn(event)
            self._surface(event)
        if act != "context" and isinstance(event, SURFACE_CLASSES):
            self.simulation.record(event)

    def _event(self, event: Event) -> None:
        if isinstance(event, SURFACE_CLASSES):
            if not isinstance(event.surface_op, Replace):
                self._learn(event)
                self._surface(event)
            return
        if isinstance(event, _RECORDED_COMPACTION):
            return
        if self.rested and not (isinstance(event, TurnStart) and self.scenario.edition != "note"):
            self.simulation.rest()
        self.rested = isinstance(event, TurnEnd)
        if isinstance(event, TurnStart | TurnEnd):
            self.turn = event.data.turn if isinstance(event, TurnStart) else None
        self._learn(event)
        self.simulation.feed(event)
        if isinstance(event, AssistantChunk) and _is_overflow(event):
            self._take(*self.simulation.overflow(event.time_ms))

    def _weigh(self, cue: Cue) -> None:
        """Leave it to compaction, which measures before each step."""

    def _compact(self, index: int) -> None:
        self.peak_pressure_tokens = max(self.peak_pressure_tokens, self.simulation.pressure())
        self._take(*self.simulation.relieve(self.timeline.moments.moments[index].now_ms))

    def _take(self, reliefs: tuple[Relief, ...], failure: TimectxError | None) -> None:
        for relief in reliefs:
            if self.compaction.checkpoint_counts:
                self.context.apply(relief.event)
            if isinstance(relief.event, UserMessage):
                self._compacted(_simulated(relief, self.turn))
        if failure is not None and failure.kind not in self.failures:
            self.failures.add(failure.kind)
            self.problems.append(Problem(0, failure.kind, f"turn {self.turn}: no compaction, because {failure}"))

    def _show(self, shown: Shown, reading: RunReading) -> None:
        self.simulation.add_reading(shown, self._message(shown, reading), reading.time_ms)

    def _overwrite(self, key: int, shown: Shown, reading: RunReading) -> None:
        self.simulation.overwrite(key, shown, self._message(shown, reading), reading.time_ms)

    def _message(self, shown: Shown, reading: RunReading) -> Message:
        if self.scenario.delivery == "tool":
            return clock_message(reading.text)
        return reading_message(reading.text, self.scenario.edition, f"reading-{-shown.key}")

    def _surface(self, event: SurfaceEvent) -> None:
        if event.surface_op is not None:
            self.simulation.add(event, self._stray(event))


def _simulated(relief: Relief, turn: int | None) -> RunCompaction:
    return RunCompaction(
        seq=-1,
        time_ms=relief.event.time_ms,
        turn=turn,
        shadowed_nodes=relief.shadowed - relief.readings,
        shadowed_readings=relief.readings,
        checkpoint_tokens=relief.price_tokens,
        before_tokens=relief.before_tokens,
        after_tokens=relief.after_tokens,
        summary_input_tokens=relief.summary_input_tokens,
        summary_output_tokens=relief.summary_output_tokens,
        provider=relief.provider,
        model=relief.model,
    )


def _is_overflow(event: AssistantChunk) -> bool:
    match event.data.chunk:
        case {"type": "finish", "reason": {"kind": "error", "failure": {"code": "CONTEXT_WINDOW_EXCEEDED"}}}:
            return True
        case _:
            return False

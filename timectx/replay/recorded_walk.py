"""Walk a timeline under the compactions that the log itself holds."""

from __future__ import annotations

from timectx.replay.account import Shown, reading_key
from timectx.replay.conversation import Conversation
from timectx.replay.run import RunCompaction, RunReading
from timectx.replay.scenario import Scenario
from timectx.replay.timeline import Act, Timeline
from timectx.replay.walk import Walk
from timectx.session.events import (
    SURFACE_CLASSES,
    CompactionEnd,
    CompactionStart,
    Event,
    Replace,
    SurfaceEvent,
    UserMessage,
)

__all__ = ["RecordedWalk"]


class RecordedWalk(Walk):
    """Walk a timeline with the log's own compactions, or with none."""

    def __init__(self, timeline: Timeline, scenario: Scenario) -> None:
        owned = enumerate(timeline.moments.moments)
        twins = {reading_key(index): moment.own_seq for index, moment in owned if moment.own_seq is not None}
        self.surface = Conversation(timeline.prices.node, twins)
        super().__init__(timeline, scenario, self.surface)
        self.keeps_replacements = scenario.compaction == "recorded"
        self.compaction_turn: int | None = None

    def _tell(self, act: Act, event: Event) -> None:
        if act == "event":
            self._event(event)
        elif act == "context":
            self._learn(event)
        elif isinstance(event, SURFACE_CLASSES):
            if act == "surface":
                self._surface(event)
            else:
                self.surface.record_own(event)

    def _event(self, event: Event) -> None:
        if isinstance(event, SURFACE_CLASSES):
            if self.keeps_replacements or not isinstance(event.surface_op, Replace):
                self._learn(event)
                self._surface(event)
        elif isinstance(event, CompactionStart):
            self.compaction_turn = event.data.turn
        elif isinstance(event, CompactionEnd):
            self.compaction_turn = None
        else:
            self._learn(event)

    def _surface(self, event: SurfaceEvent) -> None:
        if event.surface_op is None:
            return
        if isinstance(event.surface_op, Replace):
            self._replace(event, event.surface_op)
            return
        self.surface.add(event, self._stray(event))

    def _replace(self, event: SurfaceEvent, op: Replace) -> None:
        done = self.surface.replace(event, op)
        if isinstance(event, UserMessage):
            self._compacted(
                RunCompaction(
                    seq=event.seq,
                    time_ms=event.time_ms,
                    turn=self.compaction_turn,
                    shadowed_nodes=done.nodes,
                    shadowed_readings=done.readings,
                    checkpoint_tokens=self.prices.node(event),
                    before_tokens=done.before_tokens,
                    after_tokens=done.after_tokens,
                )
            )

    def _show(self, shown: Shown, reading: RunReading) -> None:
        self.surface.add_reading(shown)

    def _overwrite(self, key: int, shown: Shown, reading: RunReading) -> None:
        self.surface.overwrite(key, shown)

    def _compact(self, index: int) -> None:
        """Do nothing: the log's own compactions happen where it has them."""

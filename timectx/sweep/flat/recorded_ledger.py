"""Write down a session under the compactions that its log holds, or under none."""

from __future__ import annotations

from msgspec import Struct

from timectx.replay import Scenario
from timectx.replay.timeline import Cue, Timeline
from timectx.session.events import (
    SURFACE_CLASSES,
    CompactionEnd,
    CompactionStart,
    Event,
    Replace,
    SurfaceEvent,
    UserMessage,
)
from timectx.session.surface import span_of
from timectx.sweep.flat.codes import AT_REPLACE, NEVER
from timectx.sweep.flat.ledger import Ledger

__all__ = ["RecordedLedger"]


class _Node(Struct):
    """A node of the surface without readings of a scenario: one that enters before `place` stands before it."""

    seq: int
    place: int
    tokens: int


class RecordedLedger(Ledger):
    """Keep the columns of a session with the log's own compactions, or with none."""

    def __init__(self, timeline: Timeline, scenario: Scenario) -> None:
        super().__init__(timeline, scenario)
        self._keeps_replacements = scenario.compaction == "recorded"
        self._surface: list[_Node] = []
        self._recorded: list[int] = []
        self._own_tokens: dict[int, int] = {}
        self._owners = {moment.own_seq: at for at, moment in enumerate(self.moments) if moment.own_seq is not None}
        self._gone_early: dict[int, int] = {}

    def follow(self, cue: Cue) -> None:
        """
        Let one thing happen.

        Parameters
        ----------
        cue : Cue
            The next of the timeline.
        """
        match cue.act:
            case "event" | "surface" | "context" | "own":
                if cue.event is not None:
                    self.reach(cue.event.seq)
                    self._happened(cue.act, cue.event)
            case "header":
                self.head(cue)
            case "decide":
                self.decide(cue.index)
            case "insert":
                self.insert(cue.index)
            case "request":
                self.request(cue, sum(self._own_tokens.values()))
            case _:
                pass

    def finish(self) -> dict[str, list[int]]:
        """
        Close the columns.

        Returns
        -------
        dict of str to list
            By name.
        """
        for attempt, place in self._gone_early.items():
            self.columns["a_gone"][attempt] = place
        return super().finish()

    def _happened(self, act: str, event: Event) -> None:
        if act == "own":
            if isinstance(event, SURFACE_CLASSES):
                self._take_away(event)
        elif act == "context":
            self.tell(event)
        elif act == "surface":
            if isinstance(event, SURFACE_CLASSES):
                self._place(event)
        elif not isinstance(event, SURFACE_CLASSES):
            if not isinstance(event, CompactionStart | CompactionEnd):
                self.tell(event)
        elif self._keeps_replacements or not isinstance(event.surface_op, Replace):
            self.tell(event)
            self._place(event)

    def _take_away(self, event: SurfaceEvent) -> None:
        """Take in a recorded reading, which no replay keeps."""
        if event.surface_op is None:
            self._go(event.seq)
        else:
            self._record(event.seq)
            self._own_tokens[event.seq] = self.prices.node(event)

    def _go(self, seq: int) -> None:
        attempt = self._owners.get(seq)
        if attempt is not None:
            self._gone_early[attempt] = self.here

    def _place(self, event: SurfaceEvent) -> None:
        if event.surface_op is None:
            return
        if isinstance(event.surface_op, Replace):
            self._replace(event, event.surface_op)
            return
        self._record(event.seq)
        tokens = self.prices.node(event)
        self._surface.append(_Node(event.seq, self.here, tokens))
        self.stand(event, tokens)

    def _record(self, seq: int) -> None:
        at = len(self._recorded)
        while at and self._recorded[at - 1] > seq:
            at -= 1
        self._recorded.insert(at, seq)

    def _replace(self, event: SurfaceEvent, op: Replace) -> None:
        """Write down which nodes go, and between which of those that stay readings may stand."""
        first, last = span_of(self._recorded, op)
        shadowed = self._recorded[first : last + 1]
        following = self._recorded[last + 1 :]
        self._recorded[first : last + 1] = [event.seq]
        for seq in shadowed:
            if self._own_tokens.pop(seq, None) is not None:
                self._go(seq)
        gone = frozenset(shadowed)
        low, high = self._range(gone, following)
        here = self.here
        before = self._surface[:low]
        within = self._surface[low:high]
        after = self._surface[high:]
        if within:
            low_at, high_at = within[0].place, within[-1].place
        else:
            low_at = high_at = after[0].place if after else here
        tokens = self.prices.node(event)
        delta = tokens - sum(node.tokens for node in within if node.seq in gone)
        row = self.add(
            r_low=low_at,
            r_high=high_at,
            r_previous=before[-1].place if before else 0,
            r_next=(after[0].place if after else NEVER) if within else high_at,
            r_widens=isinstance(event, UserMessage),
            r_before=sum(node.tokens for node in before),
            r_delta=delta,
            r_checkpoint=isinstance(event, UserMessage),
        )
        for node in within:
            if node.seq in gone and node.seq in self.shown:
                self.columns["y_gone"][self.shown[node.seq]] = here
        kept = [node for node in within if node.seq not in gone]
        self._surface[low:high] = [_Node(event.seq, low_at, tokens), *kept]
        self.disturb()
        self.happen(AT_REPLACE, row)
        self.tokens += delta

    def _range(self, gone: frozenset[int], following: list[int]) -> tuple[int, int]:
        places = {node.seq: at for at, node in enumerate(self._surface)}
        here = [places[seq] for seq in gone if seq in places]
        if here:
            return min(here), max(here) + 1
        anchor = next((places[seq] for seq in following if seq in places), len(self._surface))
        return anchor, anchor

"""Write down a session as simulated compaction reads it: prices, calls and results, and what replies were measured."""

from __future__ import annotations

from typing import Any, assert_never

import msgspec

from timectx.errors import SessionError
from timectx.replay import Compaction, Scenario
from timectx.replay.compaction.edition_prices import price_header
from timectx.replay.compaction.open_log import LogView
from timectx.replay.compaction.priced_surface import PricedSurface, node_of
from timectx.replay.compaction.pruning import plan_prune, prune_events, prune_settings
from timectx.replay.simulated_walk import _RECORDED_COMPACTION, _is_overflow
from timectx.replay.timeline import Cue, Timeline
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantChunk,
    AssistantMessage,
    Event,
    JsonObject,
    Replace,
    RequestContext,
    StepStart,
    SurfaceEvent,
    TurnEnd,
    TurnStart,
    Usage,
)
from timectx.sweep.flat.codes import AT_COMPACT, AT_OVERFLOW, AT_REPLY, AT_REST, AT_START, NEVER, NONE
from timectx.sweep.flat.ledger import Ledger

__all__ = ["SimulatedLedger", "next_lower", "previous_lower"]

_HUGE = 2**50
"""An output so long that what the provider counted is always the larger: it shows where that would be measured from."""


class SimulatedLedger(Ledger):
    """Keep the columns of a session without the log's own compactions, and all that others need to know."""

    def __init__(self, timeline: Timeline, scenario: Scenario, compaction: Compaction) -> None:
        super().__init__(timeline, scenario)
        self._edition, self._counter = scenario.edition, timeline.prices.memory
        self._pruning = None if compaction.pruning is None else prune_settings(compaction.pruning)
        self._view = LogView(scenario.edition, self._counter, anchor="reply")
        self._recorded = PricedSurface()
        self._window: int | None = None
        self._rested = self._overflown = False
        self._priced: tuple[JsonObject | None, int] = None, 0
        self.capacities: dict[str, tuple[Any, Any, Any, Any]] = {}
        self._long: list[bool] = []
        self.system_head = False
        for name in ("n_tokens", "n_pruned", "n_calls"):
            self.columns[name].append(0)

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
                self.request(cue, 0)
            case "compact":
                moment = self.moments[cue.index]
                self.reach(moment.attempt.seq)
                self._measure(AT_COMPACT, moment.now_ms)
            case _:
                assert_never(cue.act)

    def finish(self) -> dict[str, list[int]]:
        """
        Close the columns.

        Returns
        -------
        dict of str to list
            By name.
        """
        try:
            self._view.pressure.measure()
        except SessionError:
            self.refuse("the log breaks the order of steps")
        calls = self.columns["n_calls"]
        self.columns["n_lower"] = next_lower(calls)
        self.columns["n_previous"] = previous_lower(calls)
        self.columns["n_long"] = _next_true(self._long)
        return super().finish()

    def _happened(self, act: str, event: Event) -> None:
        if not isinstance(event, SURFACE_CLASSES):
            if act == "event":
                self._other(event)
            elif act == "context":
                self.tell(event)
            return
        if act == "context" or (act == "event" and not isinstance(event.surface_op, Replace)):
            self.tell(event)
            if event.surface_op is not None:
                self._append(event)
        if act != "context":
            self._record(event)

    def _other(self, event: Event) -> None:
        if isinstance(event, _RECORDED_COMPACTION):
            return
        if self._rested and not (isinstance(event, TurnStart) and self._edition != "note") and self._overflown:
            self.happen(AT_REST)
            self._overflown = False
        self._rested = isinstance(event, TurnEnd)
        self.tell(event)
        if isinstance(event, RequestContext):
            self._window = event.data.context_window
        self._write(event)
        if isinstance(event, StepStart):
            self.happen(AT_START)
        if isinstance(event, AssistantChunk) and _is_overflow(event):
            self._measure(AT_OVERFLOW, event.time_ms)
            self._overflown = True

    def _append(self, event: SurfaceEvent) -> None:
        node = node_of(event, self._edition, self._counter)
        if isinstance(event, AssistantMessage):
            self._settle(event)
        else:
            self._write(event)
        columns = self.columns
        if self.nodes == 0:
            self.system_head = node.is_system
        columns["n_tokens"].append(columns["n_tokens"][-1] + node.tokens)
        pruned = self._pruned_tokens(event, node.tokens)
        self._long.append(pruned is not None)
        columns["n_pruned"].append(columns["n_pruned"][-1] + (node.tokens if pruned is None else pruned))
        columns["n_calls"].append(columns["n_calls"][-1] + node.calls)
        self.stand(event, node.tokens)

    def _write(self, event: Event) -> None:
        self._view.apply(msgspec.structs.replace(event, seq=self._view.next_seq))

    def _settle(self, event: AssistantMessage) -> None:
        """Write down what a reply would make the next measurements start from."""
        header = self._header_tokens()
        before, usage = self.tokens, event.data.usage
        huge = None if usage is None else Usage(output_tokens=_HUGE)
        data = msgspec.structs.replace(event.data, usage=huge)
        self._write(msgspec.structs.replace(event, data=data, source_event_seqs=None))
        try:
            measured = self._view.pressure.measure()
        except SessionError:
            return
        row = self.add(
            s_prompt=0 if usage is None else usage.prompt_tokens,
            s_output=0 if usage is None else usage.output_tokens,
            s_reply=measured.surface_tokens - measured.surface_delta_tokens - before,
            s_there=header + self._recorded.tokens,
            s_header=header,
            s_reported=measured.baseline.kind == "usage",
        )
        self.happen(AT_REPLY, row)
        self._overflown = False

    def _header_tokens(self) -> int:
        """Return the price of the header in force, which is asked for far more often than it changes."""
        header = self._view.pressure.header
        if header is not self._priced[0]:
            self._priced = header, price_header(header, self._edition, self._counter)
        return self._priced[1]

    def _pruned_tokens(self, event: SurfaceEvent, tokens: int) -> int | None:
        """Return what a tool result costs once it is shortened; None for one that is short enough."""
        plan = plan_prune((event,), self._pruning) if self._pruning else ()
        if not plan:
            return None
        _, shorter = prune_events(plan[0], seq=0, time_ms=0, tokens=tokens)
        return node_of(shorter, self._edition, self._counter).tokens

    def _record(self, event: SurfaceEvent) -> None:
        if event.surface_op is None:
            return
        node = node_of(event, self._edition, self._counter)
        if isinstance(event.surface_op, Replace):
            self._recorded.replace(event.surface_op.start, event.surface_op.end, node)
        else:
            self._recorded.insert(node)

    def _measure(self, code: int, now_ms: int) -> None:
        pressure = self._view.pressure
        try:
            anchored = pressure.measure().baseline.kind == "usage"
        except SessionError:
            return
        target = self._view.target
        capacity = (target.provider, target.model, self._window, self._view.reply_tokens)
        self.capacities.setdefault(repr(capacity), capacity)
        row = self.add(
            c_header=self._header_tokens(),
            c_anchored=anchored,
            c_capacity=list(self.capacities).index(repr(capacity)),
            c_turn=self._view.turn is not None,
            c_ready=pressure.header is not None,
            c_now=now_ms,
        )
        self.happen(code, row)


def next_lower(values: list[int]) -> list[int]:
    """
    Find for each place the next one of a smaller value.

    Parameters
    ----------
    values : list of int
        Any.

    Returns
    -------
    list of int
        `NEVER` where none follows.

    Examples
    --------
    >>> next_lower([3, 5, 4])[1]
    2
    """
    found, waiting = [NEVER] * len(values), list[int]()
    for at, value in enumerate(values):
        while waiting and values[waiting[-1]] > value:
            found[waiting.pop()] = at
        waiting.append(at)
    return found


def previous_lower(values: list[int]) -> list[int]:
    """
    Find for each place the last one before it of a smaller value.

    Parameters
    ----------
    values : list of int
        Any.

    Returns
    -------
    list of int
        -1 where there is none.

    Examples
    --------
    >>> previous_lower([3, 5, 4])
    [-1, 0, 0]
    """
    found, lower = [], list[int]()
    for at, value in enumerate(values):
        while lower and values[lower[-1]] >= value:
            lower.pop()
        found.append(lower[-1] if lower else NONE)
        lower.append(at)
    return found


def _next_true(marks: list[bool]) -> list[int]:
    """Return for each place the next one that is marked, itself counted; one more entry stands for the end."""
    found = [NEVER]
    for at in range(len(marks) - 1, -1, -1):
        found.append(at if marks[at] else found[-1])
    return found[::-1]

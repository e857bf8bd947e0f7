"""Compact a replayed conversation as the agent would have, in place of the log's own compactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any

import msgspec
from msgspec import Struct

from timectx.errors import ScenarioError, SessionError, TimectxError
from timectx.reading import Edition
from timectx.replay.account import ReadingAccount, Shown
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.edition_prices import price_header, price_message
from timectx.replay.compaction.open_log import LogView, MemoryLog
from timectx.replay.compaction.policy import Capacity, Target
from timectx.replay.compaction.pressure import Anchor
from timectx.replay.compaction.priced_surface import PricedSurface, node_of
from timectx.replay.compaction.pruning import prune_settings
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import (
    ShareOfShadowed,
    SummaryModel,
    SummaryReply,
    SummaryRequest,
    instruction_message,
)
from timectx.replay.meter import Pricing, estimate_text_tokens
from timectx.replay.prices import chars_per_token
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantMessage,
    CompactionPrune,
    CompactionStart,
    CompactionSummary,
    Event,
    Message,
    Replace,
    RequestContext,
    SurfaceEvent,
    UserMessage,
)

__all__ = ["Compaction", "Relief", "Simulation"]


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """
    Hold how a replay compacts on its own.

    Parameters
    ----------
    settings : Mapping
        The policy by the original's names, such as ``thresholdRatio`` or ``retainTokens``; what is
        missing takes the edition's default.
    context_window : int or None
        In tokens; None takes what the log says of its model, and without that nothing compacts.
    summary : callable
        The summary model: `FixedText`, `FixedTokens`, `ShareOfShadowed`, or any function from a
        `SummaryRequest` to a `SummaryReply`. The default writes a tenth of what it stands for.
    pruning : Mapping or None
        Settings of the tool-result pruner by the original's names; None = no pruner.
    anchor : {"step-start", "reply"} or None
        Where a provider's count is anchored; None takes the edition's rule. Under ``readme`` that
        counts a step's own messages twice, and ``reply`` shows the world without it.
    spare : int
        How many nodes overflow recovery keeps beside the last. With 0, as in the original, a prompt is
        summarised away where the last node is a reading; 1 keeps it.
    checkpoint_counts : bool
        Whether a checkpoint is a message that the elapsed time of step 1 counts from, as in the
        original, which then reads ``0s`` right after a compaction.

    Raises
    ------
    ScenarioError
        If a value is none of these; settings are checked by the scenario that holds them.

    Examples
    --------
    >>> Compaction(settings={"thresholdRatio": 0.5}, context_window=200_000).spare
    0
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    context_window: int | None = None
    summary: SummaryModel = field(default_factory=lambda: ShareOfShadowed(0.1))
    pruning: Mapping[str, Any] | None = None
    anchor: Anchor | None = None
    spare: int = 0
    checkpoint_counts: bool = True

    def __post_init__(self) -> None:
        """Check what can be checked without an edition."""
        window = self.context_window
        if window is not None and (type(window) is not int or window < 1):
            raise ScenarioError(f"a context window is a number of tokens from 1; got {window!r}", kind="context-window")
        if not callable(self.summary):
            raise ScenarioError(f"a summary model is a function; got {self.summary!r}", kind="summary")
        if self.anchor not in (None, "step-start", "reply"):
            raise ScenarioError(f"anchor is one of step-start, reply; got {self.anchor!r}", kind="anchor")
        if type(self.spare) is not int or self.spare < 0:
            raise ScenarioError(f"spare is a number of messages from 0; got {self.spare!r}", kind="spare")
        if type(self.checkpoint_counts) is not bool:
            raise ScenarioError(
                f"checkpoint_counts is true or false; got {self.checkpoint_counts!r}", kind="checkpoint-counts"
            )
        for name, given in (("settings", self.settings), ("pruning", self.pruning or {})):
            if not isinstance(given, Mapping):
                raise ScenarioError(f"{name} is a mapping of names to values; got {given!r}", kind=name)
        if self.pruning is not None:
            prune_settings(self.pruning)

    def __hash__(self) -> int:
        """Return the same for equal ones; mappings count by their names."""
        names = (frozenset(self.settings), frozenset(self.pruning or ()))
        return hash((names, self.context_window, self.anchor, self.spare, self.checkpoint_counts))

    def check(self, edition: Edition) -> None:
        """
        Check the settings against an edition.

        Parameters
        ----------
        edition : {"note", "note-v2", "readme", "current"}
            Whose settings they are.

        Raises
        ------
        ScenarioError
            As `compaction_settings`.
        """
        compaction_settings(self.settings, edition=edition)


class Relief(Struct, frozen=True, kw_only=True):
    """
    Describe one replacement that the simulation made.

    `event` is the checkpoint or the shortened tool result, `shadowed` how many nodes it stands for and
    `readings` how many of them were readings. The summary's request and output are in tokens,
    0 for a shortened result; `provider` and `model` wrote it.
    """

    event: SurfaceEvent
    shadowed: int
    readings: int
    price_tokens: int
    before_tokens: int
    after_tokens: int
    summary_input_tokens: int = 0
    summary_output_tokens: int = 0
    provider: str = ""
    model: str = ""


class Simulation(ReadingAccount):
    """
    Keep the surface of a replay that compacts on its own.

    Parameters
    ----------
    compaction : Compaction
        How.
    edition : {"note", "note-v2", "readme", "current"}
        Whose prices, thresholds and anchor.
    counter : callable or Scaled, optional
        Counts texts in place of the fixed estimate, the summary request's among them, or scales what that
        says.

    Notes
    -----
    The replayed conversation is written to a log of its own, in memory, and compacted there by the very
    code that compacts an agent's log. What a provider reported for a request is scaled by the ratio of
    the two requests' prices, this one's and the recorded one's; where they are the same it is what the
    agent saw. A simulated summary takes no time, and a failed one leaves the conversation as it was.
    """

    def __init__(self, compaction: Compaction, edition: Edition, counter: Pricing | None) -> None:
        super().__init__()
        self.compaction = compaction
        self._view = LogView(edition, counter, anchor=compaction.anchor)
        self._log = MemoryLog(self._view)
        self._edition, self._counter = edition, counter
        self._recorded = PricedSurface()
        self._recorded_window: int | None = None
        self._input_tokens: dict[str, int] = {}
        self._compactor = Compactor(
            self._log,
            self._view,
            compaction_settings(compaction.settings, edition=edition),
            summarize=self._summarize,
            capacity_of=self._capacity,
            pruning=None if compaction.pruning is None else prune_settings(compaction.pruning),
        )
        self._overflows = 0
        self._seqs: dict[int, int] = {}
        self._place: tuple[int, int] | None = None

    @property
    def surface_tokens(self) -> int:
        """The price of all that the model sees."""
        return self._view.pressure.surface.tokens

    @property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """Each node the model sees, in order, as its seq in the simulated log and its price."""
        return tuple((node.seq, node.tokens) for node in self._view.pressure.surface)

    def record(self, event: SurfaceEvent) -> None:
        """
        Note what the log's own surface became; an edition can move messages ahead of others.

        Parameters
        ----------
        event : SurfaceEvent
            A recorded message, a reading or a replacement.
        """
        if event.surface_op is None:
            return
        node = node_of(event, self._edition, self._counter)
        if isinstance(event.surface_op, Replace):
            self._recorded.replace(event.surface_op.start, event.surface_op.end, node)
        else:
            self._recorded.insert(node)

    def feed(self, event: Event) -> None:
        """
        Let an event that is no message happen.

        Parameters
        ----------
        event : Event
            A boundary, a header, a piece of a reply or the like.
        """
        if isinstance(event, RequestContext):
            self._recorded_window = event.data.context_window
        self._write(event)

    def add(self, event: SurfaceEvent, shown: Shown | None = None) -> None:
        """
        Append a recorded message.

        Parameters
        ----------
        event : SurfaceEvent
            The message.
        shown : Shown, optional
            Describes it where it is a stray reading; None for all else.
        """
        if isinstance(event, AssistantMessage):
            event = self._corrected(event)
            self._overflows = 0
        seq = self._append(msgspec.structs.replace(event, source_event_seqs=None))
        if shown is not None:
            self._seqs[shown.key] = seq
            self._show(shown)

    def add_reading(self, shown: Shown, message: Message, time_ms: int) -> None:
        """
        Append a reading of the scenario.

        Parameters
        ----------
        shown : Shown
            The reading, with its key.
        message : Message
            What carries it.
        time_ms : int
            Its event time in epoch milliseconds.
        """
        event = UserMessage(seq=0, time_ms=time_ms, data=message, surface_op="append")
        position = self.surface_tokens
        seq = self._seqs[shown.key] = self._append(event)
        self._place = (seq, position)
        self._show(shown)

    def overwrite(self, key: int, shown: Shown, message: Message, time_ms: int) -> None:
        """
        Put a reading of the scenario in the place of another that is still there.

        Parameters
        ----------
        key : int
            The other's key.
        shown : Shown
            The reading, with its key.
        message : Message
            What carries it.
        time_ms : int
            Its event time in epoch milliseconds.
        """
        old = self._seqs[key]
        if self._place is None or self._place[0] != old:
            self._place = (old, self._position({old}))
        position = self._place[1]
        event = UserMessage(seq=0, time_ms=time_ms, data=message, surface_op=Replace(old, old))
        seq = self._seqs[shown.key] = self._write(event)
        self._place = (seq, position)
        self.changes.rewrite(position)
        self._forget(key)
        self._show(shown)

    def relieve(self, now_ms: int) -> tuple[tuple[Relief, ...], TimectxError | None]:
        """
        Compact if the pressure has reached the threshold, as before a step.

        Parameters
        ----------
        now_ms : int
            The attempt's instant in epoch milliseconds.

        Returns
        -------
        tuple of Relief
            What was replaced, in order.
        TimectxError or None
            Why a compaction failed; the turn goes on.
        """
        return self._reliefs(now_ms, lambda: self._compactor.relieve_pressure())

    def overflow(self, now_ms: int) -> tuple[tuple[Relief, ...], TimectxError | None]:
        """
        Make room after a request that did not fit.

        Parameters
        ----------
        now_ms : int
            When it failed, in epoch milliseconds.

        Returns
        -------
        tuple of Relief
            What was replaced, in order.
        TimectxError or None
            Why no room was made.
        """

        def recover() -> None:
            retry = self._compactor.retry_after_overflow(self._overflows, spare=self.compaction.spare)
            self._overflows += 1
            if isinstance(retry.failure, TimectxError):
                raise retry.failure

        return self._reliefs(now_ms, recover)

    def pressure(self) -> int:
        """
        Measure the pressure now.

        Returns
        -------
        int
            Tokens; 0 where the log breaks the order of steps, from which on nothing can be measured.
        """
        try:
            return self._view.pressure.measure().total_tokens
        except SessionError:
            return 0

    def rest(self) -> None:
        """Note that the agent is idle: overflow recovery may be tried anew."""
        self._overflows = 0

    def _append(self, event: SurfaceEvent) -> int:
        before = self.surface_tokens
        seq = self._write(event)
        self.changes.append(self.surface_tokens - before, is_reply=isinstance(event, AssistantMessage))
        return seq

    def _write(self, event: Event) -> int:
        seq = self._view.next_seq
        self._log.append(msgspec.structs.replace(event, seq=seq))
        return seq

    def _corrected(self, event: AssistantMessage) -> AssistantMessage:
        """Scale what the provider counted from the recorded surface to this one; the same surface changes nothing."""
        usage = event.data.usage
        header_tokens = price_header(self._view.pressure.header, self._edition, self._counter)
        here, there = header_tokens + self.surface_tokens, header_tokens + self._recorded.tokens
        if usage is None or here == there or there == 0:
            return event
        other = usage.prompt_tokens - usage.input_tokens
        scaled = msgspec.structs.replace(usage, input_tokens=usage.prompt_tokens * here // there - other)
        return msgspec.structs.replace(event, data=msgspec.structs.replace(event.data, usage=scaled))

    def _capacity(self, target: Target) -> Capacity | None:
        window = self.compaction.context_window or self._recorded_window
        return None if window is None else Capacity(window)

    def _summarize(self, request: SummaryRequest) -> SummaryReply:
        started = self._log.events[-1]
        if isinstance(started, CompactionStart):
            shadowed = request.shadowed_tokens + price_header(request.header, self._edition, self._counter)
            instruction = price_message(instruction_message(), self._edition, self._counter)
            self._input_tokens[started.data.compaction_id] = shadowed + instruction
        return self._asked(msgspec.structs.replace(request, chars_per_token=chars_per_token(self._counter)))

    def _asked(self, request: SummaryRequest) -> SummaryReply:
        try:
            reply: object = self.compaction.summary(request)
        except TimectxError:
            raise
        except Exception as error:
            text = f"the summary model failed: {type(error).__name__}: {error}"
            raise CompactionError(text, kind="summary-model") from error
        if not isinstance(reply, SummaryReply):
            raise CompactionError(f"a summary model returns a SummaryReply, got {reply!r}", kind="summary-model")
        return reply

    def _reliefs(self, now_ms: int, act: Callable[[], object]) -> tuple[tuple[Relief, ...], TimectxError | None]:
        self._log.now_ms = now_ms
        first, tokens, failure = len(self._log.events), self.surface_tokens, None
        try:
            act()
        except TimectxError as error:
            failure = error
        reliefs: list[Relief] = []
        for cause, event in pairwise(self._log.events[first:]):
            if isinstance(cause, CompactionSummary | CompactionPrune) and isinstance(event, SURFACE_CLASSES):
                relief = self._relief(cause, event, tokens)
                tokens = relief.after_tokens
                reliefs.append(relief)
        if reliefs:
            self._place = None
            self.changes.rewrite(self._position({relief.event.seq for relief in reliefs}), len(reliefs))
        return tuple(reliefs), failure

    def _position(self, seqs: Set[int]) -> int:
        """Return the price of all nodes before the first of some."""
        return sum(node.tokens for node in takewhile(lambda node: node.seq not in seqs, self._view.pressure.surface))

    def _relief(self, cause: CompactionSummary | CompactionPrune, event: SurfaceEvent, before_tokens: int) -> Relief:
        seqs = frozenset(cause.data.shadowed_seqs)
        hidden = [key for key in self._shown if self._seqs.get(key) in seqs]
        for key in hidden:
            self._forget(key)
        price = node_of(event, self._edition, self._counter).tokens
        asked = written = 0
        provider = model = ""
        if isinstance(cause, CompactionSummary):
            provider, model = cause.data.provider, cause.data.model
            asked = self._input_tokens[cause.data.compaction_id]
            texts = (str(block.get("text", "")) for block in cause.data.summary)
            written = sum(estimate_text_tokens(text, self._counter) for text in texts)
        return Relief(
            event=event,
            shadowed=len(seqs),
            readings=len(hidden),
            price_tokens=price,
            before_tokens=before_tokens,
            after_tokens=before_tokens - cause.data.shadowed_token_count + price,
            summary_input_tokens=asked,
            summary_output_tokens=written,
            provider=provider,
            model=model,
        )

"""Measure how full the model's window is, before a step decides on compaction."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from timectx.errors import SessionError
from timectx.reading import Edition
from timectx.replay.compaction.assembly import assemble_blocks, unpack_stream
from timectx.replay.compaction.edition_prices import price_header, price_message
from timectx.replay.compaction.priced_surface import PricedSurface, node_of
from timectx.replay.js_json import js_json
from timectx.replay.meter import Pricing
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantChunk,
    AssistantMessage,
    Block,
    Event,
    JsonObject,
    Message,
    Replace,
    StepEnd,
    StepStart,
    SurfaceEvent,
    Usage,
)
from timectx.session.header import canonical_header, fold_header

__all__ = ["Anchor", "Baseline", "Measurement", "PressureFold"]

Anchor: TypeAlias = Literal["step-start", "reply"]
"""Which surface a reply's usage is taken to have counted: that at its step's start, or that just before the reply."""

_CONFIG_KEYS: Final = ("provider", "model", "reasoningEffort", "temperature", "maxTokens", "stop")


class Baseline(Struct, frozen=True):
    """
    Say what a measurement starts from.

    `kind` is ``usage`` (the provider's own count of the last reply's request and reply, given whole in
    `usage`), ``estimated`` (our prices) or ``none`` (nothing was ever said); `tokens` is its size.
    """

    kind: Literal["none", "estimated", "usage"]
    tokens: int
    usage: Usage | None = None


class Measurement(Struct, frozen=True):
    """
    Hold the pressure at one moment, in tokens.

    `surface_delta_tokens` is what the surface gained (or lost) since the baseline was taken, and
    `surface_tokens` the sum of the prices of its nodes.
    """

    baseline: Baseline
    surface_delta_tokens: int
    surface_tokens: int

    @property
    def total_tokens(self) -> int:
        """The pressure: the baseline and what came since, never below 0."""
        return max(0, self.baseline.tokens + self.surface_delta_tokens)


class _Anchored(Struct, frozen=True):
    """What the last reply settled: the header it was made under, its baseline, and the surface behind both."""

    header_key: str
    baseline: Baseline
    surface_tokens: int


class PressureFold:
    """
    Keep, along a log, what a measurement needs.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme", "current"}, optional
        Whose prices and whose anchor.
    counter : callable or Scaled, optional
        Counts texts in place of the edition's rule, or scales what that says; None uses the rule.
    anchor : {"step-start", "reply"}, optional
        Overrides which surface a usage count stands for; None takes the edition's: ``reply`` in
        ``current``, else ``step-start``, which counts the step's own messages twice once the
        provider's count is the baseline.

    Notes
    -----
    Each event costs constant time, a replacement time in proportion to what it shadows, a measurement
    constant time; the nodes, where they are needed, come from `surface`. A reply is priced from
    the streamed chunks it cites; where the log was read without them, from the message itself.

    A log that breaks the order of steps is not refused when the event arrives but when it is measured,
    and from then on [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/index.ts, `_foldEvent` and `measure`.

    Examples
    --------
    >>> PressureFold().measure()
    Measurement(baseline=Baseline(kind='none', tokens=0, usage=None), surface_delta_tokens=0, surface_tokens=0)
    """

    def __init__(
        self, edition: Edition = "readme", counter: Pricing | None = None, *, anchor: Anchor | None = None
    ) -> None:
        self.edition, self.counter = edition, counter
        self.anchor: Anchor = anchor or ("reply" if edition == "current" else "step-start")
        self.surface = PricedSurface()
        self.header: JsonObject | None = None
        self._header_key, self._header_tokens = "", 0
        self._step: tuple[int, int] | None = None
        self._step_tokens = 0
        self._chunks: dict[int, JsonObject] = {}
        self._anchored: _Anchored | None = None
        self._gaps = _Gaps()
        self._fault: SessionError | None = None

    def apply(self, event: Event) -> None:
        """
        Take in the next event of the log.

        Parameters
        ----------
        event : Event
            The event; after one that breaks the order of steps nothing more is taken in.
        """
        if self._fault is not None:
            return
        self._gaps.see(event.seq)
        try:
            self._fold(event)
        except SessionError as fault:
            self._fault = fault

    def measure(self, header: JsonObject | None = None) -> Measurement:
        """
        Measure the pressure now.

        Parameters
        ----------
        header : dict, optional
            What the coming request would carry beside messages; None takes the log's last.

        Returns
        -------
        Measurement
            From the last reply's baseline where the header is the one it was made under, else from
            prices alone.

        Raises
        ------
        SessionError
            Kinds ``token-meter-step-start-at-seq`` (``step-start-twice`` in ``current``),
            ``token-meter-step-end-at-seq``, ``token-meter-assistant-message-at-seq`` and
            ``token-surface-replace-at-seq-has``, where the log breaks the order of steps.
        """
        if self._fault is not None:
            raise self._fault
        key, tokens = self._header_key, self._header_tokens
        if header is not None:
            given = canonical_header(header)
            key, tokens = _header_key(given), price_header(given, self.edition, self.counter)
        surface_tokens = self.surface.tokens
        if self._anchored is not None and self._anchored.header_key == key:
            return Measurement(self._anchored.baseline, surface_tokens - self._anchored.surface_tokens, surface_tokens)
        if not key and surface_tokens == 0:
            return Measurement(Baseline("none", 0), 0, 0)
        return Measurement(Baseline("estimated", tokens + surface_tokens), 0, surface_tokens)

    def _fold(self, event: Event) -> None:
        match event:
            case StepStart():
                self._open_step(event)
            case StepEnd():
                self._close_step(event)
            case AssistantChunk():
                self._chunks[event.seq] = event.data.chunk
            case AssistantMessage():
                self._settle(event)
            case _:
                self._read_header(event)
        if isinstance(event, SURFACE_CLASSES):
            self._place(event)

    def _open_step(self, event: StepStart) -> None:
        place = (event.data.turn, event.data.step)
        if self._step is not None:
            kind = "step-start-twice" if self.edition == "current" else "token-meter-step-start-at-seq"
            raise SessionError(f"{_named(event.seq, place)} starts before {_place(self._step)} ended", kind=kind)
        self._step, self._step_tokens, self._chunks = place, self.surface.tokens, {}

    def _close_step(self, event: StepEnd) -> None:
        place = (event.data.turn, event.data.step)
        if self._step != place:
            raise SessionError(
                f"{_named(event.seq, place)} ends without having started", kind="token-meter-step-end-at-seq"
            )
        self._step = None

    def _read_header(self, event: Event) -> None:
        header = fold_header(self.header, event)
        if header is not self.header and header is not None:
            self.header = header
            self._header_key, self._header_tokens = (
                _header_key(header),
                price_header(header, self.edition, self.counter),
            )

    def _settle(self, event: AssistantMessage) -> None:
        """Take a reply, with the usage that came with it, for what the next measurements start from."""
        place = (event.data.turn, event.data.step)
        if self._step != place:
            raise _reply_fault(event.seq, f"belongs to {_place(place)}, which is not open")
        usage = event.data.usage if self.header is not None else None
        reply_tokens = self._durable_tokens(event) if usage is None else self._streamed_tokens(event)
        before = self.surface.tokens if self.anchor == "reply" else self._step_tokens
        estimate = self._header_tokens + before + reply_tokens
        baseline = Baseline("estimated", estimate)
        if usage is not None and (reported := usage.prompt_tokens + usage.output_tokens) >= estimate:
            baseline = Baseline("usage", reported, usage)
        self._anchored = _Anchored(self._header_key, baseline, before + reply_tokens)

    def _durable_tokens(self, event: AssistantMessage) -> int:
        return node_of(event, self.edition, self.counter).tokens

    def _streamed_tokens(self, event: AssistantMessage) -> int:
        stream = (event.data.extra or {}).get("stream")
        if stream is not None:
            return self._block_tokens(event, assemble_blocks(unpack_stream(stream)))
        sources = event.source_event_seqs
        if sources is None or not self._has_chunks(event.seq, sources):
            return self._durable_tokens(event)
        return self._block_tokens(event, assemble_blocks(self._chunks[seq] for seq in sources))

    def _has_chunks(self, seq: int, sources: tuple[int, ...]) -> bool:
        """Tell whether all the cited chunks were read; one that was left out is no fault, any other event is."""
        if len(set(sources)) != len(sources):
            raise _reply_fault(seq, "cites a chunk twice")
        missing = [source for source in sources if source not in self._chunks]
        strange = [source for source in missing if not self._gaps.holds(source)]
        if strange:
            raise _reply_fault(seq, f"cites seq {strange[0]}, which is no chunk of its own step")
        return not missing

    def _block_tokens(self, event: AssistantMessage, blocks: tuple[Block, ...]) -> int:
        if not blocks:
            return 0
        message = Message(content=blocks, source=event.data.message.source, role="assistant")
        return price_message(message, self.edition, self.counter)

    def _place(self, event: SurfaceEvent) -> None:
        if event.surface_op is None:
            return
        node = node_of(event, self.edition, self.counter)
        if isinstance(event.surface_op, Replace):
            self.surface.replace(event.surface_op.start, event.surface_op.end, node)
        else:
            self.surface.append(node)


class _Gaps:
    """Remember which seqs of a log never arrived, as ranges."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._next = 0

    def see(self, seq: int) -> None:
        if seq > self._next:
            self._starts.append(self._next)
            self._ends.append(seq)
        self._next = max(self._next, seq + 1)

    def holds(self, seq: int) -> bool:
        at = bisect_right(self._starts, seq) - 1
        return at >= 0 and seq < self._ends[at]


def _header_key(header: JsonObject) -> str:
    """Return what must be equal for two headers to be the same request, as text: there key order counts."""
    config = header.get("config") or {}
    parts = [config.get(key) if isinstance(config, dict) else None for key in _CONFIG_KEYS]
    return js_json([parts, header.get("adapterDefaults"), header.get("system"), header.get("tools")])


def _reply_fault(seq: int, rule: str) -> SessionError:
    return SessionError(f"the reply at seq {seq} {rule}", kind="token-meter-assistant-message-at-seq")


def _named(seq: int, place: tuple[int, int]) -> str:
    return f"at seq {seq}, {_place(place)}"


def _place(place: tuple[int, int]) -> str:
    return f"turn {place[0]}, step {place[1]}"

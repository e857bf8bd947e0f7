"""Put a log's events, attempts and requests into the order one edition gives them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from timectx.reading import Edition
from timectx.replay.meter import Counter
from timectx.replay.moments import Moment, Moments, moments_of
from timectx.replay.prices import PriceBook
from timectx.session import Problem, Session
from timectx.session.events import (
    SURFACE_CLASSES,
    CompactionEnd,
    CompactionStart,
    Event,
    JsonObject,
    TurnEnd,
    TurnStart,
)
from timectx.session.header import fold_header

__all__ = ["Act", "Cue", "Timeline", "timeline_of"]

_TOLD: Final = (*SURFACE_CLASSES, TurnStart, TurnEnd, CompactionStart, CompactionEnd)
"""The events that mean something to a replay; the others pass in silence."""

Act: TypeAlias = Literal["event", "surface", "context", "own", "header", "decide", "insert", "compact", "request"]


class Cue(Struct, frozen=True, gc=False):
    """
    Name one thing that happens in a replay.

    `act` is ``event`` (an event enters log and surface), ``surface`` or ``context`` (only the
    one or the other, where an edition moves them apart), ``own`` (a recorded reading, which the
    replay takes away), ``header`` (requests carry one of `tokens` from here on, for `model` of `provider`;
    `changed` where anything in it is new), ``decide`` and
    ``insert`` and ``compact`` (the attempt with that `index`) or ``request`` (of the step with that `index`, prepared
    by the attempt with index `attempt`; `first` and `last` among the step's requests).
    """

    act: Act
    event: Event | None = None
    index: int = -1
    attempt: int = -1
    first: bool = False
    last: bool = False
    tokens: int = 0
    changed: bool = False
    provider: str = ""
    model: str = ""


class Timeline(Struct, frozen=True, kw_only=True):
    """Hold what a replay of one session under one edition walks through; the same for every interval."""

    session: Session
    edition: Edition
    moments: Moments
    cues: tuple[Cue, ...]
    prices: PriceBook
    whole: bool = False
    problems: tuple[Problem, ...] = ()


def timeline_of(
    session: Session,
    edition: Edition,
    counter: Counter | str | PriceBook | None = None,
    *,
    whole: bool = False,
    problems: tuple[Problem, ...] = (),
) -> Timeline:
    """
    Put a log into the order an edition gives it.

    Parameters
    ----------
    session : Session
        The log.
    edition : {"note", "note-v2", "readme", "current"}
        In ``note`` the attempt stands before its step's start, before compaction and after the
        messages admitted with it; in the others after compaction, at the step's start and before
        those messages.
    counter : callable, str or PriceBook, optional
        Counts texts, perhaps by a name, or holds the session's prices; None uses the fixed estimate.
    whole : bool, optional
        Whether to hold every event, as a simulated compaction needs; else only those that
        matter without one.
    problems : tuple of Problem, optional
        What went wrong with the prices; every run repeats it.

    Returns
    -------
    Timeline
        Reusable for every scenario of that edition, counter and scale.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `preStep` and `step`.
    """
    moments, prices = moments_of(session, edition), counter if isinstance(counter, PriceBook) else PriceBook(counter)
    order = _NoteOrder if edition == "note" else _StepOrder
    cues = order(session, moments.moments, prices, whole=whole).cues()
    return Timeline(
        session=session,
        edition=edition,
        moments=moments,
        cues=tuple(cues),
        prices=prices,
        whole=whole,
        problems=problems,
    )


class _Order(ABC):
    """Walk the events once, with what has to happen before and after each."""

    def __init__(self, session: Session, moments: tuple[Moment, ...], prices: PriceBook, *, whole: bool) -> None:
        self.session, self.moments, self.prices, self.whole = session, moments, prices, whole
        self.before: defaultdict[int, list[Cue]] = defaultdict(list)
        self.after: defaultdict[int, list[Cue]] = defaultdict(list)
        self.instead: dict[int, list[Cue]] = {}
        for index, moment in enumerate(moments):
            if moment.own_seq is not None:
                self.instead[moment.own_seq] = [Cue("own", session.find(moment.own_seq), index)]
            self.place(index, moment)

    @abstractmethod
    def place(self, index: int, moment: Moment) -> None:
        """Give an attempt its place, as each edition's order does."""

    def cues(self) -> list[Cue]:
        """Return everything in order."""
        cues: list[Cue] = []
        requests = self._requests()
        header, due = None, 0
        for event in self.session.events:
            while due < len(requests) and requests[due][0] <= event.seq:
                cues.append(requests[due][1])
                due += 1
            cues.extend(self.before.get(event.seq, ()))
            if event.seq in self.instead:
                cues.extend(self.instead[event.seq])
            elif self.whole or isinstance(event, _TOLD):
                cues.append(Cue("event", event))
            cues.extend(self.after.get(event.seq, ()))
            header, before = fold_header(header, event), header
            if header is not before:
                cues.append(self._header(header, changed=header != before))
        cues.extend(cue for _, cue in requests[due:])
        return cues

    def _header(self, header: JsonObject | None, *, changed: bool) -> Cue:
        config = (header or {}).get("config") or {}
        provider, model = (config.get(name) for name in ("provider", "model"))
        return Cue(
            "header",
            tokens=self.prices.header(header),
            changed=changed,
            provider=provider if isinstance(provider, str) else "",
            model=model if isinstance(model, str) else "",
        )

    def _requests(self) -> list[tuple[int, Cue]]:
        prepared = {moment.attempt.seq: at for at, moment in enumerate(self.moments) if moment.attempt.kind == "step"}
        return [
            (
                seq,
                Cue(
                    "request",
                    index=index,
                    attempt=prepared[step.start_seq],
                    first=at == 0,
                    last=at == len(step.request_seqs) - 1,
                ),
            )
            for index, step in enumerate(self.session.steps)
            for at, seq in enumerate(step.request_seqs)
        ]


class _StepOrder(_Order):
    """The order of every edition but ``note``: decide at the step's start, insert after its messages."""

    def place(self, index: int, moment: Moment) -> None:
        attempt = moment.attempt
        anchor = self.after if attempt.kind == "step" else self.before
        if self.whole and attempt.kind == "step":
            self.before[attempt.seq].append(Cue("compact", index=index))
        anchor[attempt.seq].append(Cue("decide", index=index))
        for seq in attempt.entered:
            if seq < attempt.seq:
                event = self.session.find(seq)
                self.instead[seq] = [Cue("surface", event)]
                anchor[attempt.seq].append(Cue("context", event))
        insert = Cue("insert", index=index)
        later = [seq for seq in attempt.entered if seq > attempt.seq]
        if moment.own_seq is not None and moment.own_seq > attempt.seq:
            self.instead[moment.own_seq].append(insert)
        elif later:
            self.after[later[-1]].append(insert)
        else:
            anchor[attempt.seq].append(insert)


class _NoteOrder(_Order):
    """The order of ``note``: messages, then the reading, then compaction, then the step's start."""

    def place(self, index: int, moment: Moment) -> None:
        attempt = moment.attempt
        at = attempt.seq if attempt.prestep_seq is None else attempt.prestep_seq
        if moment.own_seq is not None:
            at = min(at, moment.own_seq) if attempt.kind == "step" else moment.own_seq
        for seq in attempt.entered:
            if seq > at:
                self.instead[seq] = []
                self.before[at].append(Cue("event", self.session.find(seq)))
        self.before[at].append(Cue("decide", index=index))
        self.before[at].append(Cue("insert", index=index))
        if self.whole and attempt.kind == "step":
            self.before[at].append(Cue("compact", index=index))

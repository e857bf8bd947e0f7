"""Put a log, a model that summarises and a compactor together in a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.builders import LogBuilder, log
from timectx.reading import Edition
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.open_log import LogView, MemoryLog
from timectx.replay.compaction.policy import Capacity, Target
from timectx.replay.compaction.pruning import PruneSettings
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import SummaryModel, SummaryReply, SummaryRequest
from timectx.session.events import Event

SMALL = {"thresholdRatio": 0.5, "retainTokens": 120}
"""Compaction from 500 of 1000 tokens on, down to about 120."""


class Stage:
    """
    Hold a log in memory and a compactor on it.

    `answers` are given one after the other, the last again and again: a text, a whole reply, an error to
    raise, or something to call meanwhile, whose result is the answer. A `model` answers in their place.
    """

    def __init__(
        self,
        built: LogBuilder,
        *answers: str | SummaryReply | Exception | Callable[[], str],
        edition: Edition = "readme",
        capacity: Capacity | None = None,
        pruning: PruneSettings | None = None,
        model: SummaryModel | None = None,
        **config: Any,
    ) -> None:
        self.memory = MemoryLog(LogView(edition), now_ms=9_000)
        self.answers, self.requests = list(answers) or ["small checkpoint"], list[SummaryRequest]()
        self.asked_for: list[Target] = []
        self.capacity = capacity
        self.compactor = Compactor(
            self.memory,
            self.memory.view,
            compaction_settings(config or SMALL, edition=edition),
            summarize=model or self.summarize,
            capacity_of=self.capacity_of,
            pruning=pruning,
        )
        for event in built.events():
            self.memory.append(event)
        self.before = len(self.memory.events)

    def capacity_of(self, target: Target) -> Capacity | None:
        """Return the window of every model."""
        self.asked_for.append(target)
        return self.capacity

    def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Give the next answer."""
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, SummaryReply):
            return answer
        return SummaryReply(blocks=({"type": "text", "text": answer if isinstance(answer, str) else answer()},))

    @property
    def written(self) -> list[Event]:
        """What was appended since the stage was set."""
        return self.memory.events[self.before :]

    @property
    def types(self) -> list[str]:
        """The types of what was appended."""
        return [event.type for event in self.written]

    @property
    def surface(self) -> list[int]:
        """The seqs of the surface."""
        return [node.seq for node in self.memory.view.pressure.surface]

    @property
    def load(self) -> int:
        """The pressure in tokens."""
        return self.memory.view.pressure.measure().total_tokens


def talk(*sizes: int) -> LogBuilder:
    """Return a log of turns with a prompt and a reply of these sizes in tokens each, and an open turn at its end."""
    built = log()
    for at, tokens in enumerate(sizes):
        text = "x" * (4 * (tokens - 8))  # a message costs 4, and so does a block
        built.turn().prompt(text).step()
        if at == 0:
            built.header()
        built.reply(text).end_turn()
    return built.turn()

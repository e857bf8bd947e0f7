"""Hold what a made-up session was asked to be, and name a place in it."""

from __future__ import annotations

from dataclasses import dataclass

from timectx.reading import Edition
from timectx.synthetic.habits import Habits
from timectx.synthetic.happenings import Happening

__all__ = ["Place", "Plan"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Hold every argument of `synthetic_session`, checked; that function says what each means."""

    steps: int
    interval_ms: int
    edition: Edition
    time_zone: str
    start_ms: int
    prompts: tuple[str, ...]
    browser_zones: tuple[str | None, ...]
    happenings: tuple[Happening, ...]
    habits: Habits
    readings: bool
    lag_ms: int
    stream: bool

    @property
    def is_early(self) -> bool:
        """Whether messages stand before their step's start, and readings before compaction."""
        return self.edition == "note"


@dataclass(frozen=True)
class Place:
    """Name a step: its turn and its number in it, both from 1."""

    turn: int
    step: int

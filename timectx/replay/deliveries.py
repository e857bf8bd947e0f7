"""Describe the ways time can reach a model, and hold the rules that set them apart."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["SHORTEST_TIMER_MS", "Delivery"]

Delivery: TypeAlias = Literal[
    "appended", "system-prompt", "replaced", "session-prefix", "request-line", "tool", "timer"
]
"""How time reaches the model."""

SHORTEST_TIMER_MS: Final = 1000
"""The least interval of a timer, in milliseconds: what a reading prints."""

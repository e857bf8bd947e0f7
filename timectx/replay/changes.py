"""Note what happens to a surface between two requests."""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["NOWHERE", "PromptChanges"]

NOWHERE: Final = sys.maxsize
"""A position beyond every prompt."""


class PromptChanges:
    """
    Note what happened to a surface since the last request.

    Notes
    -----
    `changed_at` is the smallest position that changed, as the price of all nodes before it, and beyond every
    surface while nothing but its end did. `nodes` counts what was added, a replacement as one.
    `output_tokens` is the price of the first reply among them, and `reply_tokens` the same where that was
    the very first; both 0 without one.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew: a request was sent."""
        self.changed_at = NOWHERE
        self.nodes = self.reply_tokens = self.output_tokens = 0
        self._is_answered = False

    def append(self, price_tokens: int, *, is_reply: bool = False) -> None:
        """
        Note a node added at the end.

        Parameters
        ----------
        price_tokens : int
            Its price.
        is_reply : bool, optional
            Whether the model wrote it.
        """
        if is_reply and not self._is_answered:
            self._is_answered = True
            self.output_tokens = price_tokens
            self.reply_tokens = 0 if self.nodes else price_tokens
        self.nodes += 1

    def rewrite(self, position_tokens: int, nodes: int = 1) -> None:
        """
        Note nodes that took the place of others.

        Parameters
        ----------
        position_tokens : int
            The price of all nodes before the first of them.
        nodes : int, optional
            How many replacements there were.
        """
        self.changed_at = min(self.changed_at, position_tokens)
        self.nodes += nodes

"""Follow the prompt from one request to the next: how much of its beginning stays, and what is added."""

from __future__ import annotations

from msgspec.structs import replace

from timectx.replay.changes import NOWHERE, PromptChanges
from timectx.replay.run import RequestKind, RunRequest

__all__ = ["RequestBook"]


class RequestBook:
    """
    Keep the requests of a replay.

    Parameters
    ----------
    changes : PromptChanges
        Of the surface that the requests carry.

    Notes
    -----
    Positions are estimates. Where a request was counted otherwise, by its provider say, what stays of it
    is its share in that count.
    """

    def __init__(self, changes: PromptChanges) -> None:
        self.requests: list[RunRequest] = []
        self._changes = changes
        self._changed_at = 0
        self._input = self._estimate = 0
        self._is_open = self._has_line = False

    def change(self, position_tokens: int) -> None:
        """
        Note that prompts differ from here on.

        Parameters
        ----------
        position_tokens : int
            A place in the prompt: 0 = before the header.
        """
        self._changed_at = min(self._changed_at, position_tokens)

    def send(
        self,
        kind: RequestKind,
        *,
        turn: int,
        step: int,
        time_ms: int,
        route: tuple[str, str],
        input_tokens: int,
        above_tokens: int,
        estimate_tokens: int,
        header_tokens: int = 0,
        line_tokens: int = 0,
        output_tokens: int | None = None,
    ) -> None:
        """
        Note a request.

        Parameters
        ----------
        kind : {"step", "retry", "tool", "timer"}
            Why it is sent.
        turn, step : int
            Where it belongs.
        time_ms : int
            When, in epoch milliseconds.
        route : tuple of str
            Provider and model.
        input_tokens : int
            The size of its prompt, under the scenario's meter.
        above_tokens : int
            The part of the estimate that stands before the surface.
        estimate_tokens : int
            The estimated size of the prompt, all told.
        header_tokens : int, optional
            The part of it that is the header.
        line_tokens : int, optional
            The part of it that stands at the end and is no node: later prompts differ from there on.
        output_tokens : int, optional
            The price of the reply where that is known beforehand and follows at once; None takes what the
            surface gains before the next request.
        """
        self.settle()
        changes = self._changes
        changed_at = min(self._changed_at, above_tokens + changes.changed_at, self._estimate)
        stable = _share(changed_at, self._input, self._estimate)
        line_at = _share(estimate_tokens - line_tokens, input_tokens, estimate_tokens)
        self.requests.append(
            RunRequest(
                turn=turn,
                step=step,
                time_ms=time_ms,
                kind=kind,
                input_tokens=input_tokens,
                stable_tokens=min(stable, input_tokens),
                nodes=changes.nodes,
                reply_tokens=output_tokens or 0,
                output_tokens=output_tokens or 0,
                provider=route[0],
                model=route[1],
                header_tokens=_share(header_tokens, input_tokens, estimate_tokens),
                line_tokens=input_tokens - line_at if line_tokens else 0,
            )
        )
        self._input, self._estimate, self._is_open = input_tokens, estimate_tokens, output_tokens is None
        self._has_line = line_tokens > 0
        self._changed_at = estimate_tokens - line_tokens if self._has_line else NOWHERE
        changes.clear()

    def settle(self) -> None:
        """Give the last request the reply that came, if any."""
        changes = self._changes
        if self._is_open and changes.output_tokens:
            follows = 0 if self._has_line else changes.reply_tokens
            self.requests[-1] = replace(self.requests[-1], reply_tokens=follows, output_tokens=changes.output_tokens)
        self._is_open = False


def _share(position_tokens: int, input_tokens: int, estimate_tokens: int) -> int:
    """Return where a place in the estimated prompt stands in the prompt as it was counted."""
    return position_tokens * input_tokens // estimate_tokens if estimate_tokens else 0

"""Send the requests of a replay: what each prompt holds, in order, and how its size is told."""

from __future__ import annotations

from timectx.replay.account import ReadingAccount, Shown
from timectx.replay.prompts import RequestBook
from timectx.replay.run import RequestKind
from timectx.replay.scenario import Scenario
from timectx.replay.timeline import Cue
from timectx.session import Problem, Step

__all__ = ["Sender"]


class Sender:
    """
    Send requests over a conversation.

    Parameters
    ----------
    scenario : Scenario
        Its meter and its delivery matter here.
    conversation : ReadingAccount
        What the model sees.
    schema_tokens : int
        The price of a tool that every header has besides its own, 0 = none.

    Notes
    -----
    A prompt is the header, a reading held above the surface, the surface, and a reading held below it: of the
    two at most one. `header_tokens` is the price of the header, `plain_header_tokens` that without
    the further tool.
    """

    def __init__(self, scenario: Scenario, conversation: ReadingAccount, schema_tokens: int = 0) -> None:
        self.book = RequestBook(conversation.changes)
        self.header_tokens = self._schema_tokens = schema_tokens
        self.extra_tokens = 0
        self._is_reported = scenario.meter == "reported"
        self._is_line = scenario.delivery == "request-line"
        self._conversation = conversation
        self._route = ("", "")
        self._unreported = 0

    @property
    def plain_header_tokens(self) -> int:
        """The price of the header as the log has it."""
        return self.header_tokens - self._schema_tokens

    def set_header(self, cue: Cue) -> None:
        """
        Take another header for the requests from here on.

        Parameters
        ----------
        cue : Cue
            Its act is ``header``.
        """
        self.header_tokens = cue.tokens + self._schema_tokens
        self._route = (cue.provider, cue.model)
        if cue.changed:
            self.book.change(0)

    def hold(self, shown: Shown) -> None:
        """
        Hold a reading beside the surface.

        Parameters
        ----------
        shown : Shown
            The reading; it takes the place of the one held before.
        """
        self._conversation.hold(shown)
        if not self._is_line:
            self.book.change(self.header_tokens)

    def send(
        self,
        kind: RequestKind,
        *,
        turn: int,
        step: int,
        time_ms: int,
        reported: Step | None = None,
        output_tokens: int | None = None,
    ) -> int:
        """
        Send a request.

        Parameters
        ----------
        kind : {"step", "retry", "tool", "timer"}
            Why.
        turn, step : int
            Where it belongs.
        time_ms : int
            When, in epoch milliseconds.
        reported : Step, optional
            The recorded step whose usage counted this request; None where no usage did.
        output_tokens : int, optional
            As for `RequestBook.send`.

        Returns
        -------
        int
            The size of its prompt in tokens, under the scenario's meter.
        """
        conversation = self._conversation
        held, surface = conversation.held_tokens, conversation.surface_tokens
        estimate = self.header_tokens + surface + held
        sent = self._size(estimate, reported)
        self.book.send(
            kind,
            turn=turn,
            step=step,
            time_ms=time_ms,
            route=self._route,
            input_tokens=sent,
            above_tokens=self.header_tokens + (0 if self._is_line else held),
            estimate_tokens=estimate,
            header_tokens=self.header_tokens,
            line_tokens=held if self._is_line else 0,
            output_tokens=output_tokens,
        )
        conversation.requests += 1
        is_extra = kind in ("tool", "timer")
        self.extra_tokens += sent - conversation.added_tokens if is_extra else self._schema_tokens
        return sent

    def problems(self) -> list[Problem]:
        """
        Say how many requests nobody counted.

        Returns
        -------
        list of Problem
            One, or none.
        """
        if not self._unreported:
            return []
        total = self._conversation.requests
        text = f"the provider reported nothing for {self._unreported} of {total} requests; they count as estimated"
        return [Problem(0, "unreported", text)]

    def _size(self, estimate: int, step: Step | None) -> int:
        """Return the provider's count with the log's readings taken out and what is shown instead put in."""
        if not self._is_reported:
            return estimate
        if step is None or step.usage is None:
            self._unreported += 1
            return estimate
        conversation = self._conversation
        shown = conversation.added_tokens + self._schema_tokens
        return max(0, step.usage.prompt_tokens - conversation.recorded_reading_tokens + shown)

"""Remember what each message and header of a session costs, so that every replay prices it once."""

from __future__ import annotations

from timectx.replay.meter import (
    Counter,
    estimate_header_tokens,
    estimate_node_tokens,
    estimate_reading_tokens,
)
from timectx.session.events import JsonObject, SurfaceEvent

__all__ = ["PriceBook"]


class PriceBook:
    """
    Price the parts of one session under one counter.

    Parameters
    ----------
    counter : callable, optional
        Prices one message; None uses the fixed estimate.

    Notes
    -----
    Only a memory of pure functions: asking twice gives the same answer.
    """

    def __init__(self, counter: Counter | None = None) -> None:
        self.counter = counter
        self._nodes: dict[int, int] = {}
        self._headers: dict[int, tuple[JsonObject, int]] = {}

    def node(self, event: SurfaceEvent) -> int:
        """
        Return the price of a message event.

        Parameters
        ----------
        event : SurfaceEvent
            An event of the session; it is known by its seq.

        Returns
        -------
        int
            Tokens.
        """
        price = self._nodes.get(event.seq)
        if price is None:
            price = self._nodes[event.seq] = estimate_node_tokens(event, self.counter)
        return price

    def header(self, header: JsonObject | None) -> int:
        """
        Return the price of a request header.

        Parameters
        ----------
        header : dict or None
            The header; the same dict is priced once, and None costs nothing.

        Returns
        -------
        int
            Tokens.
        """
        if header is None:
            return 0
        known = self._headers.get(id(header))
        if known is None:
            known = self._headers[id(header)] = (header, estimate_header_tokens(header))
        return known[1]

    def reading(self, text: str) -> int:
        """
        Return the price of a reading.

        Parameters
        ----------
        text : str
            The reading as the model sees it.

        Returns
        -------
        int
            Tokens.
        """
        return estimate_reading_tokens(text, self.counter)

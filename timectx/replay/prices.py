"""Remember what each message and header of a session costs, so that every replay prices it once."""

from __future__ import annotations

import hashlib
from typing import Final

from timectx.replay.counters import NamedCounter, counter_of
from timectx.replay.meter import Counter, estimate_header_tokens, estimate_node_tokens
from timectx.replay.reading_prices import ReadingPrices
from timectx.session.events import JsonObject, SurfaceEvent

__all__ = ["CountMemory", "PriceBook"]

_OPENING: Final = "Time sampled while preparing turn "
_MOST_LINES: Final = 3


class CountMemory:
    """
    Count as a counter does, and each text once.

    Parameters
    ----------
    counter : callable
        What counts.

    Notes
    -----
    A counter itself. It keeps a digest of each text instead of the text, and `readings` counts
    those once per form.

    Examples
    --------
    >>> asked = []
    >>> memory = CountMemory(lambda text: asked.append(text) or len(text))
    >>> memory("abc"), memory("abc"), asked
    (3, 3, ['abc'])
    """

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self.readings = ReadingPrices(counter, blind=isinstance(counter, NamedCounter) or None)
        self._known: dict[bytes, int] = {}

    def __call__(self, text: str) -> int:
        """Return what the counter says of a text."""
        if text.startswith(_OPENING) and text.count("\n") < _MOST_LINES:
            return self.readings.price(text)
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.counter(text)
        return known


class PriceBook:
    """
    Price the parts of one session under one counter.

    Parameters
    ----------
    counter : callable or str, optional
        Counts texts, perhaps by a name; None uses the fixed estimate.

    Raises
    ------
    ScenarioError
        As `timectx.replay.counters.counter_of`.

    Notes
    -----
    Only a memory of pure functions: asking twice gives the same answer. `memory` is the counter
    for whoever prices the same session's messages elsewhere, None without one; `readings` prices
    readings by their form.
    """

    def __init__(self, counter: Counter | str | None = None) -> None:
        self.counter = counter_of(counter)
        self.memory = None if self.counter is None else CountMemory(self.counter)
        self.readings = ReadingPrices() if self.memory is None else self.memory.readings
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
            price = self._nodes[event.seq] = estimate_node_tokens(event, self.memory)
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
            known = self._headers[id(header)] = (header, estimate_header_tokens(header, self.memory))
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
        return self.readings.price(text)

"""Remember what each message and header of a session costs, so that every replay prices it once."""

from __future__ import annotations

import hashlib
from typing import Final

from timectx.replay.counters import NamedCounter, counter_of
from timectx.replay.meter import Counter, Pricing, Scaled, estimate_header_tokens, estimate_node_tokens
from timectx.replay.reading_prices import ReadingPrices
from timectx.session.events import JsonObject, SurfaceEvent

__all__ = ["CountMemory", "PriceBook", "chars_per_token"]

_OPENING: Final = "Time sampled while preparing turn "
_OPENS_WITHIN: Final = 64
_MOST_LINES: Final = 5
_CHARS_PER_TOKEN: Final = 4


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
        if _is_reading(text):
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
    counter : callable, str or CountMemory, optional
        Counts texts, perhaps by a name; a memory is shared. None uses the fixed estimate.
    scale : float, optional
        Multiplies every price; None leaves them as they are.

    Raises
    ------
    ScenarioError
        As `timectx.replay.counters.counter_of`.

    Notes
    -----
    Only a memory of pure functions: asking twice gives the same answer. `memory` is what prices the same
    session's messages elsewhere, in place of the fixed estimate, and None where that holds; `readings`
    prices readings by their form.

    Examples
    --------
    >>> PriceBook().reading("x" * 100), PriceBook().scaled(1.5).reading("x" * 100)
    (33, 50)
    """

    def __init__(self, counter: Counter | str | CountMemory | None = None, scale: float | None = None) -> None:
        counts = counter if isinstance(counter, CountMemory) else counter_of(counter)
        if counts is not None and not isinstance(counts, CountMemory):
            counts = CountMemory(counts)
        self.counter = None if counts is None else counts.counter
        self.scale = scale
        self.memory: Pricing | None = counts if scale is None else Scaled(scale, counts)
        self.readings = counts.readings if counts and scale is None else ReadingPrices(self.memory)
        self._counts = counts
        self._nodes: dict[int, int] = {}
        self._headers: dict[int, tuple[JsonObject, int]] = {}

    def scaled(self, scale: float) -> PriceBook:
        """
        Return a book of the same prices, each times a factor.

        Parameters
        ----------
        scale : float
            The factor, above 0.

        Returns
        -------
        PriceBook
            It shares what was counted.
        """
        return PriceBook(self._counts, scale)

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


def chars_per_token(pricing: Pricing | None) -> float:
    """
    Return how many characters of plain words a price of one token buys.

    Parameters
    ----------
    pricing : callable, Scaled or None
        What prices a text; None is the fixed estimate.

    Returns
    -------
    float
        4, or the `N` of a counter ``chars/N``, over the factor of what is scaled.

    Examples
    --------
    >>> chars_per_token(None), chars_per_token(Scaled(1.6)), chars_per_token(NamedCounter("chars/2.8"))
    (4.0, 2.5, 2.8)
    """
    if isinstance(pricing, Scaled):
        return chars_per_token(pricing.counter) / pricing.ratio
    counter = pricing.counter if isinstance(pricing, CountMemory) else pricing
    named = counter.partition("/")[2] if isinstance(counter, NamedCounter) else ""
    return float(named or _CHARS_PER_TOKEN)


def _is_reading(text: str) -> bool:
    """Tell whether a text is a reading, alone or as the result of a tool."""
    return text.find(_OPENING, 0, _OPENS_WITHIN) >= 0 and text.count("\n") < _MOST_LINES

"""Keep the surface of a replay: recorded nodes and the scenario's readings, priced."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from timectx.replay.account import ReadingAccount, Shown
from timectx.session.events import AssistantMessage, Replace, SurfaceEvent, UserMessage
from timectx.session.surface import span_of

__all__ = ["Conversation", "Shadowing"]


class Shadowing(Struct, frozen=True):
    """Say what one replacement did: nodes and readings hidden, and the surface's price around it."""

    nodes: int
    readings: int
    before_tokens: int
    after_tokens: int


class Conversation(ReadingAccount):
    """
    Keep what the model sees in a replay, next to what it saw in the log.

    Parameters
    ----------
    price_of : callable
        Returns the price in tokens of a message event.
    twins : Mapping of int to int
        By the key of a scenario's reading, the seq of the recorded reading of the same attempt.
    """

    def __init__(self, price_of: Callable[[SurfaceEvent], int], twins: Mapping[int, int]) -> None:
        super().__init__()
        self._price_of = price_of
        self._twins = twins
        self._own_prices: dict[int, int] = {}
        self._own_gone: set[int] = set()
        self._recorded: list[int] = []
        self._nodes: list[int] = []
        self._reads: dict[int, int] = {}
        self._place: tuple[int, int] | None = None
        self._prices: dict[int, int] = {}
        self._surface_tokens = 0

    @property
    def surface_tokens(self) -> int:
        """The price of all that the model sees."""
        return self._surface_tokens

    @property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """Each node the model sees, in order, as its key and its price; another key is another text."""
        return tuple((self._reads.get(key, key), self._prices[key]) for key in self._nodes)

    def record_own(self, event: SurfaceEvent) -> None:
        """
        Note that the log's own surface gained a reading that the replay takes away.

        Parameters
        ----------
        event : SurfaceEvent
            The recorded reading; one without a surface marker only stood in the log.
        """
        if event.surface_op is None:
            self._own_gone.add(event.seq)
            return
        self._record(event.seq)
        price = self._own_prices[event.seq] = self._price_of(event)
        self.recorded_reading_tokens += price

    def add(self, event: SurfaceEvent, shown: Shown | None = None) -> None:
        """
        Append a recorded message.

        Parameters
        ----------
        event : SurfaceEvent
            The message.
        shown : Shown, optional
            Describes it where it is a stray reading; None for all else.
        """
        self._record(event.seq)
        self._append(event.seq, self._price_of(event), is_reply=isinstance(event, AssistantMessage))
        if shown is not None:
            self._show(shown)

    def add_reading(self, shown: Shown) -> None:
        """
        Append a reading of the scenario.

        Parameters
        ----------
        shown : Shown
            The reading, with its key.
        """
        self._place = (shown.key, self._surface_tokens)
        self._append(shown.key, shown.price_tokens)
        self._show(shown)

    def overwrite(self, key: int, shown: Shown) -> None:
        """
        Put a reading of the scenario in the place of another that is still there.

        Parameters
        ----------
        key : int
            The other's key.
        shown : Shown
            The reading; for compactions it stays what was first put there.
        """
        node = next((node for node, read in self._reads.items() if read == key), key)
        if self._place is None or self._place[0] != node:
            self._place = (node, self._price_before(self._nodes.index(node)))
        self.changes.rewrite(self._place[1])
        self._surface_tokens += shown.price_tokens - self._prices[node]
        self._prices[node] = shown.price_tokens
        self._reads[node] = shown.key
        self._forget(key)
        self._show(shown)

    def replace(self, event: SurfaceEvent, op: Replace) -> Shadowing:
        """
        Put a recorded replacement in place of the nodes it shadows.

        Parameters
        ----------
        event : SurfaceEvent
            The checkpoint, or the rewritten tool result.
        op : Replace
            Its range in the log.

        Returns
        -------
        Shadowing
            What it did.

        Raises
        ------
        SessionError
            If the log's own surface has no such range, as `timectx.session.surface.span_of` says.

        Notes
        -----
        It shadows the nodes that it shadowed in the log, with every reading between them. A checkpoint
        also takes the scenario's readings directly before and after them, up to one whose recorded twin
        the log kept.
        """
        first, last = span_of(self._recorded, op)
        shadowed = self._recorded[first : last + 1]
        following = self._recorded[last + 1 :]
        self._recorded[first : last + 1] = [event.seq]
        self._record_shadowed(shadowed)
        low, high = self._range(shadowed, following)
        if isinstance(event, UserMessage):
            low, high = self._widened(low, high)
        return self._put(event, low, high, frozenset(shadowed))

    def _record(self, seq: int) -> None:
        """Append to the log's own surface, in the order of the log: an edition can move messages ahead of others."""
        at = len(self._recorded)
        while at and self._recorded[at - 1] > seq:
            at -= 1
        self._recorded.insert(at, seq)

    def _record_shadowed(self, shadowed: list[int]) -> None:
        for seq in shadowed:
            price = self._own_prices.pop(seq, None)
            if price is not None:
                self.recorded_reading_tokens -= price
                self._own_gone.add(seq)

    def _append(self, key: int, price: int, *, is_reply: bool = False) -> None:
        self.changes.append(price, is_reply=is_reply)
        self._nodes.append(key)
        self._prices[key] = price
        self._surface_tokens += price

    def _range(self, shadowed: list[int], following: list[int]) -> tuple[int, int]:
        """Return where the shadowed nodes stand here: from the first to the last of them, whichever that is."""
        here = {seq for seq in shadowed if seq in self._prices}
        if here:
            places = [place for place, key in enumerate(self._nodes) if key in here]
            return places[0], places[-1] + 1
        anchor = next((self._nodes.index(seq) for seq in following if seq in self._prices), len(self._nodes))
        return anchor, anchor

    def _widened(self, low: int, high: int) -> tuple[int, int]:
        while low > 0 and self._is_loose(self._nodes[low - 1]):
            low -= 1
        while high < len(self._nodes) and self._is_loose(self._nodes[high]):
            high += 1
        return low, high

    def _is_loose(self, key: int) -> bool:
        """Tell whether a node is a reading of the scenario whose recorded twin is shadowed, or that has none."""
        return key < 0 and (key not in self._twins or self._twins[key] in self._own_gone)

    def _price_before(self, place: int) -> int:
        return sum(self._prices[key] for key in self._nodes[:place])

    def _put(self, event: SurfaceEvent, low: int, high: int, shadowed: frozenset[int]) -> Shadowing:
        before = self._surface_tokens
        self.changes.rewrite(self._price_before(low))
        self._place = None
        kept = [key for key in self._nodes[low:high] if key >= 0 and key not in shadowed]
        gone = [key for key in self._nodes[low:high] if key < 0 or key in shadowed]
        readings = 0
        for key in gone:
            self._surface_tokens -= self._prices.pop(key)
            read = self._reads.pop(key, key)
            readings += read in self._shown
            self._forget(read)
        price = self._price_of(event)
        self._nodes[low:high] = [event.seq, *kept]
        self._prices[event.seq] = price
        self._surface_tokens += price
        return Shadowing(len(gone) - readings, readings, before, self._surface_tokens)

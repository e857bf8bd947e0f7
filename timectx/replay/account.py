"""Keep account of the readings a model sees, what they cost, and how often each was sent."""

from __future__ import annotations

from abc import ABC, abstractmethod

from msgspec import Struct

from timectx.replay.changes import PromptChanges

__all__ = ["ReadingAccount", "Shown", "reading_key"]


class Shown(Struct, frozen=True, gc=False):
    """Describe a reading in the conversation: its instant, its zone label, its price, and since which request."""

    key: int
    now_ms: int
    zone: str
    price_tokens: int
    since_request: int


class ReadingAccount(ABC):
    """
    Keep the readings a model sees, what they cost, and for how many requests each was sent.

    Notes
    -----
    Keys from 0 are seqs of recorded messages; a reading of the scenario has a key below 0, such as
    ``-1 - attempt``. `holds` gives, for each reading that is gone, the number of requests that held it.
    `changes` notes what became of the surface since the last request. One reading may be `held` beside the
    surface, in a place of its own in each prompt; None = there is none.
    """

    def __init__(self) -> None:
        self._shown: dict[int, Shown] = {}
        self.reading_tokens = 0
        self.added_tokens = 0
        self.recorded_reading_tokens = 0
        self.holds: dict[int, int] = {}
        self.requests = 0
        self.changes = PromptChanges()
        self.held: Shown | None = None

    @property
    @abstractmethod
    def surface_tokens(self) -> int:
        """The price of all that the model sees."""

    @property
    @abstractmethod
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """Each node the model sees, in order, as its key and its price; another key is another text."""

    @property
    def newest(self) -> Shown | None:
        """The visible reading that entered last; None when none is visible."""
        return next(reversed(self._shown.values()), None)

    @property
    def held_tokens(self) -> int:
        """The price of the reading held beside the surface, 0 without one."""
        return 0 if self.held is None else self.held.price_tokens

    @property
    def visible_readings(self) -> int:
        """How many readings the model sees."""
        return len(self._shown)

    def shows(self, key: int) -> bool:
        """
        Tell whether the model sees a reading.

        Parameters
        ----------
        key : int
            The reading's key.

        Returns
        -------
        bool
            False before it entered and once it is shadowed.
        """
        return key in self._shown

    def hold(self, shown: Shown) -> None:
        """
        Hold a reading beside the surface, in place of the one held before.

        Parameters
        ----------
        shown : Shown
            The reading; no replacement shadows it.
        """
        self.release()
        self.held = shown
        self._show(shown)

    def release(self) -> None:
        """Let go of the reading held beside the surface, if there is one."""
        if self.held is not None:
            self._forget(self.held.key)
            self.held = None

    def end(self) -> None:
        """Close the account of the readings still visible."""
        for key in list(self._shown):
            self._forget(key)

    def _show(self, shown: Shown) -> None:
        self._shown[shown.key] = shown
        self.reading_tokens += shown.price_tokens
        self.added_tokens += shown.price_tokens if shown.key < 0 else 0

    def _forget(self, key: int) -> None:
        shown = self._shown.pop(key, None)
        if shown is not None:
            self.reading_tokens -= shown.price_tokens
            self.added_tokens -= shown.price_tokens if key < 0 else 0
            self.holds[key] = self.requests - shown.since_request


def reading_key(index: int) -> int:
    """
    Turn an attempt's index into the key of its reading, and back.

    Parameters
    ----------
    index : int
        The index, or a key.

    Returns
    -------
    int
        The key, which is below 0, or the index.
    """
    return -1 - index

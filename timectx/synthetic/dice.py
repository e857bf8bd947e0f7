"""Draw numbers and names from a seed, the same on every machine and every Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, TypeAlias, TypeVar

__all__ = ["Dice", "Table"]

Table: TypeAlias = tuple[tuple[int, int], ...]
"""A distribution by its quantiles: (parts in a thousand, value), both rising, from 0 to 1000."""

_Item = TypeVar("_Item")
_FINE: Final = 1000
"""Draws between two thousandths."""


class Dice:
    """
    Hold one stream of draws.

    Parameters
    ----------
    *seed : object
        What the stream depends on; equal texts give equal streams.

    Notes
    -----
    Only ``Random.random`` is asked, whose numbers Python promises to keep, and everything after it is
    whole-number arithmetic: no logarithm or exponential that platforms round differently.
    """

    def __init__(self, *seed: object) -> None:
        self._random = Random(" ".join(map(str, seed)))

    def below(self, count: int) -> int:
        """
        Return a whole number, each as likely.

        Parameters
        ----------
        count : int
            How many there are to choose from, from 0 on.

        Returns
        -------
        int
            From 0 to `count` - 1.
        """
        return int(self._random.random() * count)

    def between(self, low: int, high: int) -> int:
        """
        Return a whole number of a range, each as likely.

        Parameters
        ----------
        low, high : int
            The smallest and the largest one.

        Returns
        -------
        int
            One of them or one between.
        """
        return low + self.below(high - low + 1)

    def chance(self, permille: int) -> bool:
        """
        Decide by chance.

        Parameters
        ----------
        permille : int
            How many times in a thousand the answer is True.

        Returns
        -------
        bool
            The answer.
        """
        return self.below(1000) < permille

    def pick(self, items: Sequence[_Item]) -> _Item:
        """
        Return one of some items, each as likely.

        Parameters
        ----------
        items : sequence
            At least one.

        Returns
        -------
        object
            One of them.
        """
        return items[int(self._random.random() * len(items))]

    def draw(self, table: Table) -> int:
        """
        Return a value of a distribution.

        Parameters
        ----------
        table : tuple of tuple
            Its quantiles.

        Returns
        -------
        int
            On a straight line between two quantiles; in the last span, which reaches out to the largest value
            ever seen, on a curve that stays near its lower end.
        """
        at = self.below(1000 * _FINE)
        upper = next(index for index, (part, _) in enumerate(table) if part * _FINE > at)
        (start, low), (end, high) = table[upper - 1], table[upper]
        power = 6 if upper == len(table) - 1 else 1
        return int(low + (high - low) * (at - start * _FINE) ** power // ((end - start) * _FINE) ** power)

    def name(self, alphabet: str, length: int) -> str:
        """
        Return a random word.

        Parameters
        ----------
        alphabet : str
            The letters it may have.
        length : int
            How many it has.

        Returns
        -------
        str
            The word.
        """
        return "".join(self.pick(alphabet) for _ in range(length))

    def uuid(self) -> str:
        """
        Return a random identifier.

        Returns
        -------
        str
            Of the usual form, version 4.
        """
        digits = f"{int(self._random.random() * 2**52):013x}{int(self._random.random() * 2**52):013x}"
        tail = f"{int(self._random.random() * 2**20):05x}"
        variant = "89ab"[int(digits[0], 16) % 4]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-{variant}{digits[15:18]}-{digits[18:26]}{tail[:4]}"

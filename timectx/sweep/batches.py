"""Cut the sessions of a sweep into batches that are worth a worker's while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

__all__ = ["BATCH_BYTES", "BATCH_SESSIONS", "batches_of"]

BATCH_BYTES: Final = 20_000_000
"""About how many bytes of transcripts a worker gets at a time: less, and sending them costs more than it gains."""

BATCH_SESSIONS: Final = 1000
"""How many sessions a worker gets at a time however small they are, since each has rows to send back."""

_Item = TypeVar("_Item")


def batches_of(items: Iterable[tuple[_Item, int]], batch_bytes: int = BATCH_BYTES) -> Iterator[list[_Item]]:
    """
    Cut items into batches of about equal size, in order.

    Parameters
    ----------
    items : iterable of tuple
        Each with its size in bytes.
    batch_bytes : int, optional
        A batch is full once another item would take it beyond this; a larger item is a batch of its own.

    Yields
    ------
    list
        At least one item each.

    Examples
    --------
    >>> list(batches_of([("a", 4), ("b", 5), ("c", 2), ("d", 30), ("e", 0)], 10))
    [['a', 'b'], ['c'], ['d'], ['e']]
    """
    batch: list[_Item] = []
    size = 0
    for item, item_bytes in items:
        if batch and (size + item_bytes > batch_bytes or len(batch) >= BATCH_SESSIONS):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item_bytes
    if batch:
        yield batch

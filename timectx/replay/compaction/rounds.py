"""Compact in rounds until the pressure is low enough, or give up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from timectx.reading import Edition
from timectx.replay.compaction.refusals import refusal

__all__ = ["relieve"]

_Done = TypeVar("_Done")


def relieve(
    compact: Callable[[], _Done | None],
    load: Callable[[], int],
    *,
    threshold_tokens: int,
    rounds: int,
    edition: Edition,
) -> _Done | None:
    """
    Compact again and again until the pressure is below the threshold.

    Parameters
    ----------
    compact : callable
        Carries out one compaction and returns what it did, None when nothing is left to take.
    load : callable
        Returns the pressure in tokens.
    threshold_tokens : int
        Where the pressure has to get below.
    rounds : int
        How many compactions are tried at most.
    edition : {"note", "note-v2", "readme", "current"}
        Whose words an error's kind takes.

    Returns
    -------
    object or None
        What the last compaction did; None when one found nothing to take.

    Raises
    ------
    CompactionError
        Rule ``still-above`` after the last round; the compactions stay.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/index.ts, `compactIfNeeded`.

    Examples
    --------
    >>> sizes = [900, 400]
    >>> relieve(lambda: "done", lambda: sizes.pop(0), threshold_tokens=500, rounds=2, edition="readme")
    'done'
    """
    left = 0
    for _ in range(rounds):
        done = compact()
        if done is None:
            return None
        left = load()
        if left < threshold_tokens:
            return done
    message = f"{left} tokens are left after {rounds} compactions; expected fewer than {threshold_tokens}"
    raise refusal("still-above", message, edition)

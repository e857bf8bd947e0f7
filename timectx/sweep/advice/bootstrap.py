"""Draw the sessions of a sweep again, the same way everywhere, and say how much the choice depends on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from timectx.replay import nearest_rank
from timectx.sweep.advice.constraints import Limits, pick
from timectx.sweep.advice.front import Point
from timectx.sweep.advice.grid import Candidate, Whole
from timectx.sweep.advice.pooling import Pooled

__all__ = ["Certainty", "certainty_of", "drawings"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Certainty(Struct, frozen=True):
    """
    Say how sure a choice is.

    `resamples` counts the drawings, 0 where there was nothing to draw; `same_ratio` is the share of them
    that choose the same scenario and `unmet_ratio` the share in which no scenario keeps the limits, both None
    without drawings. `low_ms` to `high_ms` hold nine of ten intervals chosen, and the choice itself.
    """

    low_ms: int
    high_ms: int
    resamples: int = 0
    same_ratio: float | None = None
    unmet_ratio: float | None = None


def drawings(active: Sequence[bool], resamples: int, seed: int) -> Whole:
    """
    Draw as many sessions as there are, with replacement, several times.

    Parameters
    ----------
    active : sequence of bool
        Which sessions can be drawn; the others count in no drawing.
    resamples : int
        How many drawings.
    seed : int
        The same one draws the same.

    Returns
    -------
    ndarray
        How often each session was drawn. The first row is no drawing but every session once; it
        is the only one where fewer than two sessions can be drawn.

    Notes
    -----
    Numbers come from SplitMix64, counted up from the seed: whole numbers only, the same on every
    machine and with every release of NumPy.

    References
    ----------
    .. [1] Guy L. Steele, Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number generators", 2014.

    Examples
    --------
    >>> drawings([True, False, True], 3, seed=1)[1:, 1].tolist(), drawings([True], 3, seed=1).tolist()
    ([0, 0, 0], [[1]])
    """
    places = np.flatnonzero(np.array(active, dtype=bool))
    every = np.ones((1, len(active)), dtype=np.int64)
    if len(places) < 2:
        return every
    numbers = _splitmix(seed, resamples * len(places)).reshape(resamples, len(places))
    drawn = places[((numbers >> np.uint64(32)) * np.uint64(len(places)) >> np.uint64(32)).astype(np.intp)]
    flat = (drawn + np.arange(resamples)[:, None] * len(active)).ravel()
    counts = np.bincount(flat, minlength=resamples * len(active)).reshape(resamples, len(active))
    return np.concatenate([every, counts.astype(np.int64)])


def certainty_of(pooled: Pooled, candidates: Sequence[Candidate], limits: Limits, choice: Point) -> Certainty:
    """
    Choose anew in each drawing, and say how often the choice was the same.

    Parameters
    ----------
    pooled : Pooled
        Every session once, then the drawings.
    candidates : sequence of Candidate
        The scenarios.
    limits : Limits
        What must be kept; a limit of steps is held against the steps drawn.
    choice : Point
        What was chosen from every session once.

    Returns
    -------
    Certainty
        The intervals are those of drawings that choose the policy and the delivery of the choice.
    """
    count = len(pooled.steps) - 1
    if not count:
        return Certainty(choice.interval_ms, choice.interval_ms)
    chosen = [pick(pooled.points(at), limits).choice for at in range(1, count + 1)]
    kind = _kind(candidates[choice.at])
    alike = [each.interval_ms for each in chosen if each is not None and _kind(candidates[each.at]) == kind]
    low, high = (nearest_rank(alike or [choice.interval_ms], quantile) for quantile in (0.05, 0.95))
    return Certainty(
        low_ms=min(low or 0, choice.interval_ms),
        high_ms=max(high or 0, choice.interval_ms),
        resamples=count,
        same_ratio=sum(each is not None and each.at == choice.at for each in chosen) / count,
        unmet_ratio=sum(each is None for each in chosen) / count,
    )


def _kind(candidate: Candidate) -> tuple[str, str]:
    return candidate.policy, candidate.delivery


def _splitmix(seed: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    mixed = np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN + np.uint64(seed % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))

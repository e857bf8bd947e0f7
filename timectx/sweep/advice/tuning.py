"""Answer which setting to use, from what each one came to over many sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from timectx.errors import FrameError, TuneError
from timectx.sweep.advice.constraints import By, Limits
from timectx.sweep.advice.recommendation import Recommendation

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["tune"]


def tune(
    frame: DataFrame,
    *,
    max_staleness_ms: int | None = None,
    quantile: float = 0.95,
    max_blind_ratio: float | None = None,
    max_blind_steps: int | None = None,
    budget_ratio: float | None = None,
    by: By = "tokens",
    resamples: int = 200,
    seed: int = 0,
) -> Recommendation:
    """
    Recommend one of the scenarios of a sweep.

    Parameters
    ----------
    frame : DataFrame
        As `sweep_sessions` returns it, rows in any order; one read back from a file will do. Rows of
        ``as-recorded`` are what is compared with, never a choice.
    max_staleness_ms : int, optional
        How stale readings may get, in milliseconds, at the quantile; None sets no limit.
    quantile : float, optional
        Of the staleness of all steps that see a reading, by the nearest-rank rule; above 0, up to 1.
    max_blind_ratio : float, optional
        Share of the steps that may see no reading, 0 to 1.
    max_blind_steps : int, optional
        Number of steps that may see none. Where neither limit on blind steps is given, at most 1 % of all
        steps more than the best scenario leaves.
    budget_ratio : float, optional
        Share of all tokens that telling the time may take, 0 to 1.
    by : {"tokens", "cost"}, optional
        What is weighed against staleness: the share of tokens, or the bill, which also shows what a
        delivery does to a provider's cache and needs a price for every model.
    resamples : int, optional
        How often the sessions are drawn again to see how sure the choice is; 0 leaves it open.
    seed : int, optional
        Of the drawings; the same one draws the same.

    Returns
    -------
    Recommendation
        The choice, the front, neighbours, uncertainty and reasons.

    Raises
    ------
    TuneError
        If no scenario keeps the limits: its kind is the parameter that none can keep, or
        ``together``, and the message says what would do. Kind ``empty`` without scenarios or
        sessions to compare, ``no-reading`` where no step sees a reading, ``unpriced`` where costs are to
        be weighed and a model has no price, else the name of a parameter that is out of range.
    FrameError
        If it is no frame, lacks columns, or has two rows for one session and scenario.

    Notes
    -----
    Scenarios are compared over the sessions that have a row under each. The *front* is what no other
    scenario beats in both spending and staleness, among those that keep the limit on blind steps. With a
    limit on staleness or blind steps the cheapest of the front that keeps all limits is chosen; with a
    budget and no limit on staleness, the freshest; without any, the knee: the smallest sum of
    spending and staleness, each scaled to its range on the front (at least 1 % and one minute). All of it
    is exact arithmetic, so the answer depends on neither the order of rows nor the machine.

    Spending includes what deliveries ``tool`` and ``timer`` send in requests of their own. Staleness is
    rounded up to the edges of `timectx.results.edges`. Where rows hold no counts of it, it is the highest
    that their own quantiles allow.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"session": "s", "interval_ms": [0, 60_000], "steps": 10, "blind_steps": 0,
    ...     "reading_tokens": [700, 70], "resent_tokens": [3000, 600], "input_tokens": [20_000, 17_000],
    ...     "staleness_max_ms": [0, 50_000]})
    >>> tune(frame, max_staleness_ms=60_000).scenario
    '1m'
    """
    limits = Limits(
        max_staleness_ms=_plain(max_staleness_ms),
        quantile=_plain(quantile),
        max_blind_ratio=_plain(max_blind_ratio),
        max_blind_steps=_plain(max_blind_steps),
        budget_ratio=_plain(budget_ratio),
        by=by,
    )
    limits.check()
    if type(resamples) is not int or resamples < 0:
        raise TuneError(f"resamples is a whole number of 0 or more; got {resamples!r}", kind="resamples")
    if type(seed) is not int:
        raise TuneError(f"a seed is a whole number; got {seed!r}", kind="seed")
    if not hasattr(frame, "columns"):
        raise FrameError(f"tuning takes the frame of a sweep; got {frame!r:.60}", kind="frame")
    from timectx.sweep.advice.choosing import recommend

    return recommend(frame, limits, resamples, seed)


def _plain(value: Any) -> Any:
    """Turn a number of NumPy's into one of Python's; leave all else for the check."""
    return value.item() if hasattr(value, "item") else value

"""Sum up many runs as if they were one: counts are added, quantiles taken over all steps together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from timectx.replay import Run, nearest_rank

__all__ = ["Pool", "Totals", "pool_runs"]


class Totals(Struct, frozen=True, kw_only=True):
    """
    Sum up runs of one or more sessions.

    `runs` counts them. Tokens are prices; `reading_ratio` is the share of `reading_tokens` and
    `resent_tokens` in `input_tokens`, 0 when nothing was sent. Staleness is taken over the steps
    of all runs that see a reading, age over their attempts with a reading behind them; each is
    None when there is none. Blind steps see no reading.
    """

    runs: int = 0
    attempts: int = 0
    steps: int = 0
    requests: int = 0
    readings: int = 0
    reading_tokens: int = 0
    resent_tokens: int = 0
    input_tokens: int = 0
    reading_ratio: float = 0.0
    staleness_median_ms: int | None = None
    staleness_p95_ms: int | None = None
    staleness_max_ms: int | None = None
    age_median_ms: int | None = None
    age_p95_ms: int | None = None
    age_max_ms: int | None = None
    blind_steps: int = 0
    blind_before_first_steps: int = 0
    compactions: int = 0


_COUNTS: Final = (
    "attempts",
    "steps",
    "requests",
    "readings",
    "reading_tokens",
    "resent_tokens",
    "input_tokens",
    "blind_steps",
    "blind_before_first_steps",
    "compactions",
)


class Pool:
    """
    Collect runs one at a time and keep only what their totals need.

    Examples
    --------
    >>> Pool().totals().runs
    0
    """

    def __init__(self) -> None:
        self._runs = 0
        self._counts = dict.fromkeys(_COUNTS, 0)
        self._staleness = array("q")
        self._ages = array("q")

    def add(self, run: Run, inherited: Run | None = None) -> None:
        """
        Take one run in.

        Parameters
        ----------
        run : Run
            Of any session, under any scenario.
        inherited : Run, optional
            The run of the leading part that the session took over from another, under the same
            scenario, where that part has already been counted there; None counts everything.

        Notes
        -----
        A replay of the beginning is the beginning of the replay, so what is new is the difference.
        """
        self._runs += 1
        for name in _COUNTS:
            before = getattr(inherited.measures, name) if inherited else 0
            self._counts[name] += getattr(run.measures, name) - before
        steps, attempts = (len(inherited.steps), len(inherited.attempts)) if inherited else (0, 0)
        self._staleness.extend(step.staleness_ms for step in run.steps[steps:] if step.staleness_ms is not None)
        self._ages.extend(attempt.age_ms for attempt in run.attempts[attempts:] if attempt.age_ms is not None)

    def totals(self) -> Totals:
        """
        Return the totals of the runs taken in so far.

        Returns
        -------
        Totals
            All zero without any run.
        """
        counts = self._counts
        spent, sent = counts["reading_tokens"] + counts["resent_tokens"], counts["input_tokens"]
        return Totals(
            runs=self._runs,
            reading_ratio=spent / sent if sent else 0.0,
            staleness_median_ms=nearest_rank(self._staleness, 0.5),
            staleness_p95_ms=nearest_rank(self._staleness, 0.95),
            staleness_max_ms=max(self._staleness, default=None),
            age_median_ms=nearest_rank(self._ages, 0.5),
            age_p95_ms=nearest_rank(self._ages, 0.95),
            age_max_ms=max(self._ages, default=None),
            **counts,
        )


def pool_runs(runs: Iterable[Run]) -> Totals:
    """
    Sum up runs as if they were one.

    Parameters
    ----------
    runs : iterable of Run
        Read once; only what the totals need is kept.

    Returns
    -------
    Totals
        All zero without any run.

    Examples
    --------
    >>> pool_runs([]).reading_ratio
    0.0
    """
    pool = Pool()
    for run in runs:
        pool.add(run)
    return pool.totals()

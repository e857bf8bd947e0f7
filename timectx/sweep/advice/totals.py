"""Hold what one scenario comes to over all sessions of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Totals", "frame_of_totals", "totals_frame"]


class Totals(Struct, frozen=True, kw_only=True):
    """
    Sum up one scenario over sessions; the columns ``timectx.results.columns.TOTALS`` say what each field is.

    Counts and tokens are sums, ratios those of the sums, and what is called longest or peak the largest of
    all sessions. Quantiles are taken over the steps of all sessions together and rounded up to the next
    edge of `timectx.results.edges`; None when no step sees a reading. `cost_usd` covers the sessions that
    are priced under every scenario compared, None when there is none; `unpriced_sessions` counts the others.
    """

    scenario: str
    interval_ms: int
    policy: str = "interval"
    delivery: str = "appended"
    sessions: int = 0
    attempts: int = 0
    steps: int = 0
    requests: int = 0
    readings: int = 0
    reading_tokens: int = 0
    resent_tokens: int = 0
    extra_tokens: int = 0
    input_tokens: int = 0
    reading_ratio: float = 0.0
    spent_ratio: float = 0.0
    staleness_median_ms: int | None = None
    staleness_p95_ms: int | None = None
    staleness_max_ms: int | None = None
    staleness_ms: int | None = None
    blind_steps: int = 0
    blind_ratio: float = 0.0
    blind_before_first_steps: int = 0
    longest_blind_steps: int = 0
    longest_blind_ms: int = 0
    unavailable_readings: int = 0
    unavailable_ratio: float = 0.0
    zone_mismatch_steps: int = 0
    compactions: int = 0
    compaction_input_tokens: int = 0
    compaction_output_tokens: int = 0
    peak_surface_tokens: int = 0
    peak_pressure_tokens: int = 0
    cached_input_tokens: int = 0
    written_input_tokens: int = 0
    uncached_input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    unpriced_sessions: int = 0
    unpriced_tokens: int = 0

    @property
    def spent_tokens(self) -> int:
        """What telling the time takes: readings sent and resent, and requests sent for their sake alone."""
        return self.reading_tokens + self.resent_tokens + self.extra_tokens


def totals_frame(frame: DataFrame, quantile: float = 0.95) -> DataFrame:
    """
    Sum a sweep up over its sessions.

    Parameters
    ----------
    frame : DataFrame
        As `sweep_sessions` returns it; rows in any order.
    quantile : float, optional
        Which quantile of staleness ``staleness_ms`` is; above 0, up to 1.

    Returns
    -------
    DataFrame
        One row a scenario, as `Totals`: by delivery, policy and interval; then what was recorded, over
        the sessions that hold readings. Sessions without a row under every scenario are left out. No
        row gives the same columns with the same types.

    Raises
    ------
    FrameError
        Kind ``columns`` if a column that is needed is missing or holds no numbers, ``rows`` if a
        session has two rows under one scenario.
    TuneError
        Kind ``quantile`` if `quantile` is out of range.

    Notes
    -----
    The table is the same whatever executor made the sweep and in whatever order its rows come.
    """
    from timectx.sweep.advice.constraints import Limits
    from timectx.sweep.advice.grid import grid_of, recorded_grid
    from timectx.sweep.advice.pooling import all_totals

    Limits(quantile=quantile).check()
    grid, recorded = grid_of(frame), recorded_grid(frame)
    return frame_of_totals([*all_totals(grid, quantile), *all_totals(recorded, quantile)])


def frame_of_totals(totals: Sequence[Totals]) -> DataFrame:
    """
    Put totals into a frame.

    Parameters
    ----------
    totals : sequence of Totals
        Any number of them.

    Returns
    -------
    DataFrame
        The columns ``timectx.results.columns.TOTALS``, one row each.
    """
    from pandas import DataFrame, Series

    from timectx.results.columns import TOTALS

    rows = [asdict(each) for each in totals]
    frame = DataFrame({one.name: Series([row[one.name] for row in rows], dtype=one.dtype) for one in TOTALS})
    frame.attrs["timectx_table"] = "totals"
    return frame

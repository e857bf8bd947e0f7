"""Make small sweeps by hand, every value in sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pandas import DataFrame

from timectx.replay import nearest_rank
from timectx.results.edges import bin_of, pack_counts
from timectx.sweep.labels import AS_RECORDED
from timectx.units import format_interval

Row = dict[str, Any]


def row(
    interval_ms: int,
    stale: Sequence[int | None] = (0,),
    *,
    spent: int = 0,
    sent: int = 1_000_000,
    session: str = "s-1",
    **cells: object,
) -> Row:
    """Return a row of one step for each staleness, None for a blind one; readings take `spent` of `sent` tokens."""
    seen = [each for each in stale if each is not None]
    return {
        "session": session,
        "scenario": format_interval(interval_ms),
        "interval_ms": interval_ms,
        "policy": "interval",
        "delivery": "appended",
        "edition": "readme",
        "compaction": "recorded",
        "meter": "estimate",
        "attempts": len(stale),
        "steps": len(stale),
        "requests": len(stale),
        "readings": 1,
        "reading_tokens": spent,
        "resent_tokens": 0,
        "input_tokens": sent,
        "staleness_median_ms": nearest_rank(seen, 0.5),
        "staleness_p95_ms": nearest_rank(seen, 0.95),
        "staleness_max_ms": max(seen, default=None),
        "blind_steps": len(stale) - len(seen),
        "cost_usd": float("nan"),
        "unpriced_tokens": sent,
        "staleness_counts": pack_counts(Counter(map(bin_of, seen))),
        **cells,
    }


def recorded(stale: Sequence[int | None] = (0,), interval_ms: int = 0, **cells: Any) -> Row:
    """Return a row of what a session was recorded with."""
    return row(interval_ms, stale, **{"scenario": AS_RECORDED, **cells})


def sweep(*rows: Row) -> DataFrame:
    """Return a sweep of these rows, with the types a real one has."""
    frame = DataFrame(list(rows))
    whole = [name for name in frame.columns if name.endswith("_ms")]
    return frame.astype(dict.fromkeys(whole, "Int64"))


CURVE = (
    row(0, [0] * 20, spent=300_000),
    row(60_000, [55_000] * 20, spent=80_000),
    row(300_000, [280_000] * 20, spent=30_000),
    row(600_000, [560_000] * 20, spent=20_000),
    row(3_600_000, [2_820_000] * 20, spent=10_000),
)
"""One session of twenty steps under five intervals: the shorter the dearer and the fresher."""

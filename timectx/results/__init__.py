"""Put runs into frames, sum them up over sessions, and recommend an interval."""

from timectx.results.columns import TABLES, TUNED, Column
from timectx.results.compare import compare_runs, own_readings, parting_step
from timectx.results.frames import (
    attempts_frame,
    compactions_frame,
    describe_columns,
    measures_frame,
    readings_frame,
    requests_frame,
    steps_frame,
)
from timectx.results.recommendation import Recommendation, recommend_interval
from timectx.results.totals import Pool, Totals, pool_runs
from timectx.results.trial import Recorded, Trial, Tried, inherited_part

__all__ = [
    "TABLES",
    "TUNED",
    "Column",
    "Pool",
    "Recommendation",
    "Recorded",
    "Totals",
    "Trial",
    "Tried",
    "attempts_frame",
    "compactions_frame",
    "compare_runs",
    "describe_columns",
    "inherited_part",
    "measures_frame",
    "own_readings",
    "parting_step",
    "pool_runs",
    "readings_frame",
    "recommend_interval",
    "requests_frame",
    "steps_frame",
]

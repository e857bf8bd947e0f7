"""Put runs into frames, compare them, and say what each column means."""

from timectx.results.columns import TABLES, Column
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

__all__ = [
    "TABLES",
    "Column",
    "attempts_frame",
    "compactions_frame",
    "compare_runs",
    "describe_columns",
    "measures_frame",
    "own_readings",
    "parting_step",
    "readings_frame",
    "requests_frame",
    "steps_frame",
]

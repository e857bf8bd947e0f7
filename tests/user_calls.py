"""Call the package as a user writes it; mypy in strict mode holds every line to its type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import assert_type

import pandas as pd
from matplotlib.axes import Axes

import timectx as tx
from timectx import plots
from timectx.errors import ReadingError, TimectxError, TuneError, ZoneError
from timectx.formats import FileProblem
from timectx.replay import Explanation, Measures, Run, RunCompaction, RunReading, RunStep, explain_recorded
from timectx.report import write_report
from timectx.session import Event, Message, Problem, Step, Turn
from timectx.sweep import Recommendation, Totals
from timectx.units import DurationMs, EpochMs, parse_interval


def say_the_time() -> None:
    """Write and read the parts of a reading."""
    assert_type(tx.format_timestamp(1_784_077_261_000, "Asia/Shanghai"), str)
    assert_type(tx.format_duration(90_061_000), str)
    assert_type(tx.canonical_zone("asia/kolkata"), str)
    assert_type(tx.process_zone(), str)
    reading = tx.Reading(1, 1, 0, "UTC", None, tx.BrowserZone("missing"), "readme")
    assert_type(tx.format_reading(reading), str)
    assert_type(tx.parse_reading(tx.format_reading(reading)), tx.Reading)
    assert_type(reading.elapsed_ms, int | None)


def refuse_a_zone() -> str:
    """Catch the package's errors, or plain ones."""
    try:
        return tx.canonical_zone("Mars/Base")
    except ZoneError as error:
        return error.kind
    except (ReadingError, LookupError, ValueError, TimectxError):
        return ""


def read(path: str, folder: Path) -> tx.Session:
    """Read one session, read many, make one up."""
    session = tx.read_session(path)
    assert_type(tx.read_session(folder / "x.jsonl", strict=True, check=True), tx.Session)
    sessions, problems = tx.read_sessions([path, folder])
    assert_type(sessions, list[tx.Session])
    assert_type(problems, list[FileProblem])
    assert_type(tx.synthetic_session(7, steps=120), tx.Session)
    assert_type(session.events, tuple[Event, ...])
    assert_type(session.problems, tuple[Problem, ...])
    assert_type(session.turns, tuple[Turn, ...])
    assert_type(session.steps, tuple[Step, ...])
    assert_type(session.request_at(1, 1), tuple[Message, ...])
    assert_type(session.closed(), tx.Session)
    return session


def replay(session: tx.Session) -> Run:
    """Replay a session under one interval, and as it was recorded."""
    scenario = tx.Scenario(edition="readme", interval_ms=600_000, time_zone="UTC", compaction="off")
    run = tx.replay_session(session, scenario.replace(interval_ms=parse_interval("10m")))
    assert_type(run.readings, tuple[RunReading, ...])
    assert_type(run.steps, tuple[RunStep, ...])
    assert_type(run.compactions, tuple[RunCompaction, ...])
    assert_type(run.measures, Measures)
    assert_type(run.measures.staleness_p95_ms, int | None)
    assert_type(tx.as_recorded(session), tx.Scenario)
    assert_type(explain_recorded(session), Explanation)
    assert_type(tx.compare_runs(run, tx.replay_session(session, scenario)), pd.DataFrame)
    return run


def price(session: tx.Session) -> list[int]:
    """Count tokens by a name, by a function, and by what was reported."""
    counted = [tx.Scenario(counter="o200k"), tx.Scenario(counter=len), tx.Scenario(meter="scaled", scale=1.4)]
    return [tx.replay_session(session, scenario).measures.input_tokens for scenario in counted]


def tabulate(run: Run) -> pd.DataFrame:
    """Turn one run, or several, into frames."""
    assert_type(tx.readings_frame([run, run]), pd.DataFrame)
    assert_type(tx.attempts_frame(run), pd.DataFrame)
    assert_type(tx.compactions_frame(run), pd.DataFrame)
    assert_type(tx.requests_frame(run), pd.DataFrame)
    assert_type(tx.measures_frame(each for each in [run]), pd.DataFrame)
    steps = tx.steps_frame(run)
    assert_type(steps.loc[steps["blind"], ["turn", "step"]], pd.DataFrame)
    return tx.describe_columns(steps)


def recommend(paths: list[str]) -> str:
    """Compare intervals without the command line."""
    frame = tx.sweep_sessions(paths, [tx.Scenario(interval_ms=ms) for ms in (0, 60_000)])
    assert_type(tx.totals_frame(frame, 0.9), pd.DataFrame)
    best = tx.tune(frame, max_staleness_ms=300_000, quantile=0.95, max_blind_ratio=0.01, budget_ratio=0.02)
    assert_type(best, Recommendation)
    assert_type(best.front, tuple[Totals, ...])
    assert_type(best.front_frame(), pd.DataFrame)
    try:
        return tx.tune(frame, max_blind_steps=0, by="cost", resamples=50, seed=1).snippet("claude-code")
    except TuneError as error:
        return f"{error}: {error.nearest}"


def draw(run: Run, frame: pd.DataFrame) -> bytes:
    """Draw runs and sweeps, and write a page."""
    best = tx.tune(frame)
    assert_type(plots.plot_growth(run), Axes)
    plots.plot_staleness([run, run], over="steps", palette=plots.DARK)
    plots.plot_timeline(tx.steps_frame(run), zone="Asia/Tokyo")
    plots.plot_elapsed(run, ax=plots.plot_staleness(frame[frame["interval_ms"] == 0]))
    write_report("report.html", frame, best, names=True, runs=[run])
    return plots.png_bytes(plots.plot_tradeoff(frame, recommendation=best), dpi=72)


def keep_time() -> None:
    """Pass a clock, real or not."""
    assert_type(tx.fixed_clock(0)(), EpochMs)
    clock: Callable[[], int] = tx.system_clock()
    assert_type(clock(), int)
    assert_type(parse_interval("1h 30m"), DurationMs)

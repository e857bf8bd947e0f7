"""Measure the sessions that were asked for, on as many processes as were asked for, and settle the answer."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from rich.progress import TaskID

from timectx.cli.filters import SessionFilter
from timectx.cli.screen import counted, note, progress
from timectx.cost import PriceList
from timectx.errors import TuneError
from timectx.formats import FileProblem
from timectx.replay import Scenario
from timectx.sweep import Recommendation, sweep_sessions, totals_frame, tune
from timectx.sweep.batches import BATCH_BYTES
from timectx.sweep.labels import AS_RECORDED, scenario_labels

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Request", "Tuned", "rows_of", "tune_files"]

_TASK: Final = TaskID(0)
_SMALLEST_BATCH: Final = 1_000_000
_BATCHES_A_JOB: Final = 4
_NOTHING: Final = ("empty", "no-reading")
"""Kinds of errors that only say there is nothing to recommend."""


class Request(Struct, frozen=True, kw_only=True):
    """
    Say what to tune.

    `found` are files, and what stood in the way of others; `scenarios` are to be compared, beside what was
    recorded, which takes `world`, the knobs that change more than when a reading is due. `limits` are those of
    `timectx.sweep.tune`. `jobs` is how many processes to use, None = this one; `cache` whether to keep what
    was read.
    """

    found: Sequence[str | FileProblem]
    scenarios: Sequence[Scenario]
    world: Mapping[str, Any]
    limits: Mapping[str, Any]
    keep: SessionFilter
    prices: PriceList | None = None
    jobs: int | None = None
    cache: bool = True


@dataclass(frozen=True, eq=False, kw_only=True)
class Tuned:
    """
    Hold what came of a request.

    `frame` is the sweep, `totals` its sums, `scenarios` what each label stands for. `best` is None where there is
    nothing to recommend: `refusal` says why, and is `refused` where the limits leave nothing.
    """

    request: Request
    frame: DataFrame
    totals: DataFrame
    scenarios: dict[str, Scenario]
    best: Recommendation | None = None
    refusal: TuneError | None = None

    @property
    def refused(self) -> bool:
        """Whether the limits leave no scenario, though there is something to choose from."""
        return self.refusal is not None and self.refusal.kind not in _NOTHING

    @property
    def sessions(self) -> int:
        """How many sessions count."""
        return int(self.frame["session"].nunique())


def tune_files(request: Request) -> Tuned:
    """
    Measure files under scenarios, and recommend one of these.

    Parameters
    ----------
    request : Request
        What to tune.

    Returns
    -------
    Tuned
        With everything that is to be shown.

    Notes
    -----
    How long it took is said on standard error where that is a terminal, and nowhere else.
    """
    started_s = time.perf_counter()
    frame = _swept(request)
    totals = totals_frame(frame, request.limits["quantile"])
    best, refusal = _recommended(frame, request.limits)
    labels = scenario_labels(request.scenarios)
    scenarios = dict(zip(labels, request.scenarios, strict=True))
    if sys.stderr is not None and sys.stderr.isatty():
        took_s = time.perf_counter() - started_s
        note(f"{counted(len(request.found), 'file')} under {counted(len(labels), 'scenario')} in {took_s:.1f} s")
    return Tuned(request=request, frame=frame, totals=totals, scenarios=scenarios, best=best, refusal=refusal)


def rows_of(frame: DataFrame) -> Iterator[dict[str, Any]]:
    """
    Return the rows of a frame as plain values.

    Parameters
    ----------
    frame : DataFrame
        Any.

    Yields
    ------
    dict
        By column; None for whatever is missing.
    """
    columns = [frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame.columns]
    for cells in zip(*columns, strict=True):
        yield dict(zip(map(str, frame.columns), cells, strict=True))


def _swept(request: Request) -> DataFrame:
    paths = [each for each in request.found if isinstance(each, str)]
    with _workers(request.jobs) as executor, progress("measuring", len(paths)) as bar:
        return sweep_sessions(
            paths,
            [*request.scenarios, AS_RECORDED],
            executor=executor,
            progress=lambda done, total: bar.update(_TASK, completed=done, total=total),
            cache=request.cache,
            keep=request.keep.keeps if request.keep else None,
            prices=request.prices,
            recorded=request.world,
            batch_bytes=_batch_bytes(paths, request.jobs),
        )


def _recommended(frame: DataFrame, limits: Mapping[str, Any]) -> tuple[Recommendation | None, TuneError | None]:
    try:
        return tune(frame, **limits), None
    except TuneError as error:
        return None, error


@contextmanager
def _workers(jobs: int | None) -> Iterator[Executor | None]:
    """Yield the processes to work on, and end them whatever happens; None for this process alone."""
    if jobs is None:
        yield None
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_interrupts)
    try:
        yield executor
    except KeyboardInterrupt:
        for ours in set(multiprocessing.active_children()) - before:
            ours.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _batch_bytes(paths: Sequence[str], jobs: int | None) -> int:
    """Return a size of batches that gives each process several, where there is enough for that."""
    if jobs is None:
        return BATCH_BYTES
    total = sum(Path(each).stat().st_size for each in paths if os.path.isfile(each))  # noqa: PTH113 - also of URLs
    return max(_SMALLEST_BATCH, min(BATCH_BYTES, total // (_BATCHES_A_JOB * jobs)))

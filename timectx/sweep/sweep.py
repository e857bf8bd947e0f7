"""Measure many sessions under many scenarios, on whatever executor there is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast

from timectx.cost import PriceList, packaged_prices
from timectx.errors import ScenarioError, WorkerError
from timectx.formats import FileProblem
from timectx.replay import Scenario
from timectx.replay.counters import NamedCounter
from timectx.sweep.assembly import Assembly
from timectx.sweep.batches import BATCH_BYTES, batches_of
from timectx.sweep.facts import SessionFacts
from timectx.sweep.flow import results_in_order
from timectx.sweep.given import Sweepable, settle_given
from timectx.sweep.labels import AS_RECORDED
from timectx.sweep.progress import Progress, reporting
from timectx.sweep.work import Batch, Plan, measure_batch

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["sweep_sessions"]


def sweep_sessions(
    sessions_or_paths: Sweepable | Iterable[Sweepable],
    scenarios: Scenario | str | Iterable[Scenario | str],
    *,
    executor: Executor | None = None,
    progress: Progress = None,
    cache: bool | str | os.PathLike[str] = True,
    keep: Callable[[SessionFacts], bool] | None = None,
    prices: PriceList | None = None,
    recorded: Mapping[str, Any] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    batch_bytes: int = BATCH_BYTES,
) -> DataFrame:
    """
    Measure sessions under scenarios: a row for each pair of the two.

    Parameters
    ----------
    sessions_or_paths : str, path-like, Session or iterable of them
        Files, read whatever their names; folders, searched as `read_sessions` does; URLs such as ``s3://bucket/day``,
        opened with fsspec; and sessions in memory, which are sent to the executor whole. One need not be wrapped in a
        list.
    scenarios : Scenario, str or iterable of them
        Each counts once. ``"as-recorded"`` stands for the scenario that explains a session's own readings; a session
        without readings has no such row.
    executor : Executor, optional
        Any of PEP 3148, such as a ``ProcessPoolExecutor`` or ``dask.distributed.Client(…).get_executor(pure=False)``.
        None measures one session after another in this process. No executor is made here, and none is shut down.
    progress : bool or callable, optional
        True shows a bar (tqdm); a function is called with the sessions done and their number. None tells nothing.
    cache : bool or path-like, optional
        True keeps what was read of each file in the user's cache folder (``TIMECTX_CACHE_DIR`` names another), in that
        of each worker where they are on other machines; a path names the folder; False keeps nothing.
    keep : callable, optional
        Tells by a session's facts whether it counts; None keeps all.
    prices : PriceList, optional
        What models cost; None = the list that comes with the package.
    recorded : Mapping, optional
        Knobs that ``"as-recorded"`` takes in place of the explaining scenario's, such as `meter`, `counter`,
        `compaction` or `model`, so that it is measured as the others are.
    storage_options : Mapping, optional
        What fsspec needs to open URLs.
    batch_bytes : int, optional
        About how many bytes of transcripts a worker gets at a time; the result does not depend on it.

    Returns
    -------
    DataFrame
        The columns `timectx.results.columns.SWEEP`, sessions in the order given and scenarios in theirs; the same
        bytes from any executor. Where the session that another one continues is given as well, the part they share
        counts with the former alone. In `attrs`: ``problems`` (files that gave no session, copies, and what was odd
        about the others), ``as_recorded`` (what explains each session's readings), ``filtered`` (how many `keep`
        left out) and ``versions``.

    Raises
    ------
    ScenarioError
        Kind ``scenarios`` for something that is no scenario; ``counter-missing`` for a tokenizer that is not installed.
    CostError
        Kind ``cache`` if a scenario names a cache rule that does not exist.
    WorkerError
        Kind ``executor`` for something that is no executor; ``worker`` if a worker died, or a scenario, a session or
        a function of one's own could not be sent to one.

    Notes
    -----
    A bad file costs only itself, and a timer that would make too many readings of a session only that row. Ctrl-C
    cancels whatever has not begun, and comes through.

    Examples
    --------
    >>> from timectx.synthetic import synthetic_session
    >>> frame = sweep_sessions(synthetic_session(1, steps=5), [Scenario(interval_ms=ms) for ms in (0, 600_000)])
    >>> frame["interval_ms"].tolist(), int(frame["steps"].sum())
    ([0, 600000], 10)
    """
    asked = _checked(scenarios)
    _check_names(asked, prices)
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise WorkerError(f"an executor has a submit method, as in PEP 3148; got {executor!r}", kind="executor")
    given = settle_given(sessions_or_paths, storage_options)
    plan = Plan(
        scenarios=asked,
        cache=cache if isinstance(cache, bool) else os.fsdecode(cache),
        storage_options=dict(storage_options or {}),
        keep=keep,
        prices=prices,
        sessions=len(given),
        recorded=dict(recorded or {}),
    )
    sized = ((each, 0 if isinstance(each, FileProblem) else each.size) for each in given)
    tasks = (Batch(plan, items) for items in batches_of(sized, batch_bytes))
    assembly = Assembly(asked)
    with (
        reporting(progress, len(given)) as advance,
        closing(results_in_order(executor, measure_batch, tasks)) as results,
    ):
        for result in results:
            assembly.take(result)
            advance(len(result.outcomes))
    return assembly.frame()


def _checked(scenarios: Scenario | str | Iterable[Scenario | str]) -> tuple[Scenario | str, ...]:
    alone = isinstance(scenarios, (Scenario, str)) or not isinstance(scenarios, Iterable)
    asked = cast(Iterable[Scenario | str], (scenarios,) if alone else scenarios)
    checked: dict[str, list[Scenario | str]] = {}
    for each in asked:
        if not isinstance(each, Scenario) and each != AS_RECORDED:
            raise ScenarioError(f"expected scenarios, or {AS_RECORDED!r}; got {each!r}", kind="scenarios")
        alike = checked.setdefault(repr(each), [])  # labels of zones may look the same over clocks that differ
        if each not in alike:
            alike.append(each)
    return tuple(each for alike in checked.values() for each in alike)


def _check_names(scenarios: Iterable[Scenario | str], prices: PriceList | None) -> None:
    """Refuse at once, and not for each session, what names a cache rule or a tokenizer that is not there."""
    whole = [each for each in scenarios if isinstance(each, Scenario)]
    for name in {each.cache for each in whole if each.cache is not None}:
        (prices or packaged_prices()).rule(name)
    for counter in {each.counter for each in whole if isinstance(each.counter, NamedCounter)}:
        counter("")

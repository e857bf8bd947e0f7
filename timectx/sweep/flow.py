"""Send batches to any executor, a bounded number ahead, and take their results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future
from typing import Final, TypeVar

from timectx.errors import WorkerError

__all__ = ["BATCHES_AHEAD", "results_in_order"]

BATCHES_AHEAD: Final = 64
"""How many batches may be under way at once, whatever the executor; it bounds what waits for its turn."""

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def results_in_order(
    executor: Executor | None,
    function: Callable[[_Task], _Result],
    tasks: Iterable[_Task],
    *,
    ahead: int = BATCHES_AHEAD,
) -> Generator[_Result, None, None]:
    """
    Call a function for each task, and yield the results in the order of the tasks.

    Parameters
    ----------
    executor : Executor or None
        Any of PEP 3148; nothing but its ``submit`` is used. None calls the function right here.
    function : callable
        Of one task; it reports what goes wrong in its result, and raises nothing.
    tasks : iterable
        Taken as there is room.
    ahead : int, optional
        How many tasks may be under way or waiting to be yielded.

    Yields
    ------
    object
        One result a task.

    Raises
    ------
    WorkerError
        Kind ``worker`` if a worker died, or a task could not reach it or come back.

    Notes
    -----
    Whatever ends the iteration early, Ctrl-C included, cancels the tasks that have not begun.
    """
    if executor is None:
        yield from map(function, tasks)
        return
    under_way: deque[Future[_Result]] = deque()
    try:
        for task in tasks:
            under_way.append(_sent(executor, function, task))
            if len(under_way) >= ahead:
                yield _result(under_way[0])
                under_way.popleft()
        while under_way:
            yield _result(under_way[0])
            under_way.popleft()
    finally:
        for future in under_way:
            future.cancel()


def _sent(executor: Executor, function: Callable[[_Task], _Result], task: _Task) -> Future[_Result]:
    try:
        return executor.submit(function, task)
    except Exception as error:
        raise _worker_error("a batch could not be sent to a worker", error) from error


def _result(future: Future[_Result]) -> _Result:
    try:
        return future.result()
    except Exception as error:
        raise _worker_error("a worker gave no result", error) from error


def _worker_error(what: str, error: Exception) -> WorkerError:
    said = str(error).strip().partition("\n")[0]
    cause = type(error).__name__ + (f": {said}" if said else "")
    return WorkerError(f"{what}, and the sweep has ended: {cause}", kind="worker")

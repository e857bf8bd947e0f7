"""Any executor gives the same frame, and what goes wrong with one is said once and clearly."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.sweep.logs import SCENARIOS, content, write_fork, write_logs
from timectx.errors import WorkerError
from timectx.replay import Scenario
from timectx.sweep import sweep_sessions
from timectx.sweep.flow import results_in_order
from timectx.sweep.given import Given
from timectx.sweep.work import Batch, Plan, measure_batch

ROOT = Path(__file__).parents[2]


class ThisThread(Executor):
    """Do the work when it is asked for, which is all that PEP 3148 wants of an executor."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function with what a pickle makes of its arguments."""
        self.sent.append(pickle.dumps((function, args)))
        future: Future[Any] = Future()
        function, args = pickle.loads(self.sent[-1])
        future.set_result(pickle.loads(pickle.dumps(function(*args, **kwargs))))
        return future


@contextmanager
def a_thread_pool() -> Iterator[Executor]:
    """Two threads."""
    with ThreadPoolExecutor(2) as executor:
        yield executor


@contextmanager
def a_process_pool(method: str) -> Iterator[Executor]:
    """Two processes."""
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as executor:
        yield executor


@contextmanager
def a_dask_cluster() -> Iterator[Executor]:
    """Two workers of a cluster on this machine."""
    distributed = pytest.importorskip("dask.distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor(pure=False)


@contextmanager
def one_of_my_own() -> Iterator[Executor]:
    """One that has nothing but submit."""
    yield ThisThread()


EXECUTORS: dict[str, Callable[[], Any]] = {
    "threads": a_thread_pool,
    "fork": lambda: a_process_pool("fork"),
    "spawn": lambda: a_process_pool("spawn"),
    "dask": a_dask_cluster,
    "own": one_of_my_own,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of sessions of every kind: plain ones, a fork, a copy, an empty and a broken file."""
    folder = tmp_path_factory.mktemp("sessions")
    (first, *_) = write_logs(folder, 5)
    write_fork(folder)
    (folder / "x.jsonl").write_bytes(first.read_bytes())
    (folder / "y.jsonl").write_bytes(b"")
    return folder


@pytest.mark.parametrize("name", EXECUTORS)
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_any_executor_gives_the_same_frame(name: str, folder: Path) -> None:
    """Cells, types and attributes are those of a sweep in this process, with every batch size."""
    asked = [*SCENARIOS, "as-recorded"]
    expected = content(sweep_sessions(folder, asked, cache=False))
    with EXECUTORS[name]() as executor:
        for batch_bytes in (1, 100_000, 10**9):
            frame = sweep_sessions(folder, asked, executor=executor, cache=False, batch_bytes=batch_bytes)
            assert content(frame) == expected


def test_what_is_sent_is_small(tmp_path: Path) -> None:
    """Paths and scenarios go out, not sessions."""
    executor = ThisThread()
    asked = [Scenario(interval_ms=1000 * ms) for ms in range(200)]
    sweep_sessions(write_logs(tmp_path, 3), asked, executor=executor, batch_bytes=10**9)
    assert len(executor.sent) == 1
    assert len(executor.sent[0]) < 50_000


def test_only_some_batches_are_ahead_of_the_one_awaited() -> None:
    """What is under way stays bounded however many tasks there are."""
    under_way: list[int] = []

    class Counting(ThisThread):
        def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            under_way.append(args[0])
            return super().submit(function, *args, **kwargs)

    results = results_in_order(Counting(), abs, range(100), ahead=4)
    seen = []
    for result in results:
        seen.append(result)
        assert len(under_way) - len(seen) < 4
    assert seen == list(range(100))


class Never(Executor):
    """Take work and never do any of it."""

    def __init__(self, error: BaseException) -> None:
        self.error, self.futures = error, list[Future[Any]]()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return a future that stays pending; waiting for the first one raises."""
        future: Future[Any] = Future()
        if not self.futures:
            future.set_exception(self.error)
        self.futures.append(future)
        return future


def test_an_interrupt_cancels_what_has_not_begun_and_passes_on(tmp_path: Path) -> None:
    """Ctrl-C ends a sweep as it ends anything else."""
    executor = Never(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        sweep_sessions(write_logs(tmp_path, 4), SCENARIOS, executor=executor, batch_bytes=1)
    assert [future.cancelled() for future in executor.futures] == [False, True, True, True]


def test_a_pool_goes_on_after_an_interrupt(tmp_path: Path) -> None:
    """A signal may come at any time; what has begun ends, and the executor stays its owner's."""
    paths = write_logs(tmp_path, 3)

    def interrupt(done: int, total: int) -> None:
        if done:
            signal.raise_signal(signal.SIGINT)

    with a_process_pool("spawn") as executor:
        with pytest.raises(KeyboardInterrupt):
            sweep_sessions(paths, SCENARIOS, executor=executor, batch_bytes=1, progress=interrupt)
        assert len(sweep_sessions(paths, SCENARIOS, executor=executor)) == 9


def die(batch: Batch) -> None:
    """End the process that runs this."""
    os._exit(1)


def test_a_pool_whose_worker_dies_gives_one_clear_error() -> None:
    """Whatever the executor raises is the cause of an error of this package."""
    with a_process_pool("spawn") as executor:
        with pytest.raises(WorkerError, match="a worker gave no result, and the sweep has ended: BrokenProcessPool"):
            list(results_in_order(executor, die, [Batch(Plan(scenarios=()), [])]))
        with pytest.raises(WorkerError, match="a batch could not be sent to a worker") as caught:
            list(results_in_order(executor, die, [Batch(Plan(scenarios=()), [])]))
    assert caught.value.kind == "worker"


def test_what_cannot_be_sent_gives_one_clear_error(tmp_path: Path) -> None:
    """A function without a name of its own reaches no other process."""
    asked = Scenario(counter=lambda text: len(text))
    with a_process_pool("spawn") as executor, pytest.raises(WorkerError, match=r"(?i)pickle|local object"):
        sweep_sessions(write_logs(tmp_path, 1), asked, executor=executor)


def test_an_executor_that_was_shut_down_gives_one_clear_error(tmp_path: Path) -> None:
    """It is not made again behind anybody's back."""
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(WorkerError, match="after shutdown"):
        sweep_sessions(write_logs(tmp_path, 1), SCENARIOS, executor=executor)


def test_a_worker_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    """It reads and measures without pandas, a plotting library, a progress bar, or a cluster."""
    (path,) = write_logs(tmp_path, 1)
    batch = Batch(Plan(scenarios=SCENARIOS, cache=False), [Given(str(path), 0)])
    code = (
        "import pickle, sys; from timectx.sweep.work import measure_batch; "
        f"pickle.dumps(measure_batch(pickle.loads({pickle.dumps(batch)!r}))); "
        "print(sorted({'pandas', 'matplotlib', 'tqdm', 'dask', 'fsspec', 'pyarrow', 'click', 'rich'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_a_batch_raises_nothing(tmp_path: Path) -> None:
    """A session that cannot be measured is an outcome like others, so a worker never fails because of one."""
    result = measure_batch(Batch(Plan(scenarios=SCENARIOS), [Given(str(tmp_path / "gone"), 0), Given(None, 0)]))
    assert [outcome.problem is not None for outcome in result.outcomes] == [True, True]

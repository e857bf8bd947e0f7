"""Tell how far a sweep has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["Progress", "reporting"]

Progress: TypeAlias = bool | Callable[[int, int], object] | None
"""None or False for silence, True for a bar, or a function of sessions done and sessions in all."""


@contextmanager
def reporting(progress: Progress, total: int) -> Iterator[Callable[[int], None]]:
    """
    Yield a function that takes how many more sessions are done.

    Parameters
    ----------
    progress : bool, callable or None
        True shows a bar of tqdm: a widget in a notebook, else a line on standard error. A function is called with the
        sessions done so far and their number, first with 0 done.
    total : int
        How many sessions there are.

    Yields
    ------
    callable
        To be called as sessions are done.

    Examples
    --------
    >>> with reporting(lambda done, total: print(done, "of", total), 2) as advance:
    ...     advance(2)
    0 of 2
    2 of 2
    """
    if progress is True:
        from tqdm.auto import tqdm

        with tqdm(total=total, unit="session", desc="sweep") as bar:
            yield lambda count: _drop(bar.update(count))
    elif callable(progress):
        yield _Counted(progress, total)
    else:
        yield lambda count: None


def _drop(answer: object) -> None:
    """Return nothing, whatever a bar answers."""


class _Counted:
    """Add up what is done."""

    def __init__(self, tell: Callable[[int, int], object], total: int) -> None:
        self._tell, self._total, self._done = tell, total, 0
        tell(0, total)

    def __call__(self, count: int) -> None:
        self._done += count
        self._tell(self._done, self._total)

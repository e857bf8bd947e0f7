"""Lay the rows of a sweep out by session and scenario, whatever order they come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from timectx.errors import FrameError
from timectx.sweep.labels import AS_RECORDED
from timectx.units import format_interval

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Candidate", "Grid", "Numbers", "Whole", "grid_of", "recorded_grid"]

Whole: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]

_NEEDED: Final = ("session", "interval_ms", "steps", "reading_tokens", "resent_tokens", "input_tokens", "blind_steps")
_SAME_WORLD: Final = ("compaction", "meter", "edition")


class Candidate(Struct, frozen=True, order=True):
    """
    Name one scenario of a sweep.

    `world` holds the knobs that change what a session sends even without any reading.
    """

    delivery: str
    policy: str
    interval_ms: int
    scenario: str
    world: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Grid:
    """
    Hold the rows of a frame as a table of sessions by scenarios.

    `sessions` and `candidates` are in an order of their own, not that of the frame; `rows` says which
    row of the frame belongs to which pair. `left_out` names the sessions that lack a row.
    """

    frame: DataFrame
    sessions: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    rows: NDArray[np.intp]
    left_out: tuple[str, ...] = ()
    _laid: dict[str, Any] = field(default_factory=dict, repr=False)  # columns read so far

    def whole(self, name: str, missing: int = 0) -> Whole:
        """
        Return a column of whole numbers.

        Parameters
        ----------
        name : str
            A column; one the frame lacks is all missing.
        missing : int, optional
            What stands for a missing value.

        Returns
        -------
        ndarray
            Sessions by candidates.

        Raises
        ------
        FrameError
            Kind ``columns`` if it holds no numbers.
        """
        key = f"{name} {missing}"
        if key not in self._laid:
            self._laid[key] = _whole(self.frame, name, missing)[self.rows]
        found: Whole = self._laid[key]
        return found

    def real(self, name: str) -> Numbers:
        """
        Return a column of numbers.

        Parameters
        ----------
        name : str
            A column; one the frame lacks is all missing.

        Returns
        -------
        ndarray
            Sessions by candidates; NaN where missing.

        Raises
        ------
        FrameError
            Kind ``columns`` if it holds no numbers.
        """
        if name not in self._laid:
            self._laid[name] = _numbers(self.frame, name).to_numpy("float64", na_value=np.nan)[self.rows]
        found: Numbers = self._laid[name]
        return found

    def packed(self) -> NDArray[np.object_]:
        """
        Return the counts of staleness.

        Returns
        -------
        ndarray
            Sessions by candidates, each bytes; anything else where the frame holds none.
        """
        if "staleness_counts" not in self.frame.columns:
            return np.full(self.rows.shape, None, dtype=object)
        if "packed" not in self._laid:
            self._laid["packed"] = self.frame["staleness_counts"].to_numpy(dtype=object)[self.rows]
        found: NDArray[np.object_] = self._laid["packed"]
        return found

    def only(self, sessions: Iterable[str], candidates: Sequence[int] | None = None) -> Grid:
        """
        Return a part of the table.

        Parameters
        ----------
        sessions : iterable of str
            Which to keep; those not there are no matter.
        candidates : sequence of int, optional
            Places of the candidates to keep; None keeps all.

        Returns
        -------
        Grid
            Over the same frame.
        """
        wanted = set(sessions)
        at = [place for place, each in enumerate(self.sessions) if each in wanted]
        columns = range(len(self.candidates)) if candidates is None else candidates
        return Grid(
            self.frame,
            tuple(self.sessions[each] for each in at),
            tuple(self.candidates[each] for each in columns),
            self.rows[np.ix_(at, list(columns))],
        )


def grid_of(frame: DataFrame) -> Grid:
    """
    Lay the scenarios that were tried out by session.

    Parameters
    ----------
    frame : DataFrame
        A sweep.

    Returns
    -------
    Grid
        Without the rows as recorded.

    Raises
    ------
    FrameError
        Kind ``columns`` if a column that is needed is missing, ``rows`` if a pair has two rows.
    """
    return _grid(frame, recorded=False)


def recorded_grid(frame: DataFrame) -> Grid:
    """
    Lay the rows as recorded out by session.

    Parameters
    ----------
    frame : DataFrame
        A sweep.

    Returns
    -------
    Grid
        Of one candidate, whatever setting explains each session; of none without such rows.

    Raises
    ------
    FrameError
        As `grid_of`.
    """
    return _grid(frame, recorded=True)


def _grid(frame: DataFrame, *, recorded: bool) -> Grid:
    lacking = [name for name in _NEEDED if name not in frame.columns]
    if lacking:
        raise FrameError(
            f"a sweep has the columns {', '.join(_NEEDED)}; this frame lacks {', '.join(lacking)}", kind="columns"
        )
    at = np.flatnonzero((_texts(frame, "scenario") == AS_RECORDED) == recorded)
    sessions, session_at = _sessions(frame, at)
    candidates, candidate_at = _recorded(at) if recorded else _candidates(frame, at)
    rows = np.full((len(sessions), len(candidates)), -1, dtype=np.intp)
    rows[session_at, candidate_at] = at
    if np.count_nonzero(rows >= 0) < len(at):
        _refuse_twice(session_at, candidate_at, sessions, candidates)
    full = np.logical_and.reduce(rows >= 0, axis=1) & bool(candidates)
    return Grid(
        frame,
        tuple(each for each, kept in zip(sessions, full, strict=True) if kept),
        tuple(candidates),
        rows[full],
        tuple(each for each, kept in zip(sessions, full, strict=True) if not kept),
    )


def _sessions(frame: DataFrame, at: NDArray[np.intp]) -> tuple[list[str], NDArray[np.intp]]:
    from pandas import factorize

    codes, different = factorize(frame["session"].iloc[at], use_na_sentinel=False)
    return _in_order([str(each) for each in different], codes)


def _recorded(at: NDArray[np.intp]) -> tuple[list[Candidate], NDArray[np.intp]]:
    return [Candidate("", "", 0, AS_RECORDED)] if len(at) else [], np.zeros(len(at), dtype=np.intp)


def _candidates(frame: DataFrame, at: NDArray[np.intp]) -> tuple[list[Candidate], NDArray[np.intp]]:
    intervals = _whole(frame, "interval_ms", 0)[at]
    policies, deliveries = _texts(frame, "policy", "interval")[at], _texts(frame, "delivery", "appended")[at]
    labels, worlds = _texts(frame, "scenario")[at], [_texts(frame, name)[at] for name in _SAME_WORLD]
    first, codes = _alike([deliveries, policies, intervals, labels, *worlds])
    found = [
        Candidate(
            deliveries[row],
            policies[row],
            int(intervals[row]),
            labels[row] or _label(int(intervals[row]), policies[row], deliveries[row]),
            tuple(world[row] for world in worlds),
        )
        for row in first
    ]
    return _in_order(found, codes)


def _label(interval_ms: int, policy: str, delivery: str) -> str:
    due = format_interval(interval_ms) if policy == "interval" else policy
    return due if delivery == "appended" else f"{due}, {delivery}"


def _alike(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first row of each different combination of cells, and which combination each row has."""
    from pandas import factorize

    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        each, different = factorize(column)
        codes = factorize(codes * len(different) + each)[0].astype(np.int64)
    first = np.unique(codes, return_index=True)[1]
    return first, codes


def _in_order(values: list[Any], codes: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Sort the different values, and return with them the place of each row's value."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = np.empty(len(values), dtype=np.intp)
    places[order] = np.arange(len(values))
    return [values[each] for each in order], places[codes]


def _refuse_twice(
    session_at: NDArray[np.intp], candidate_at: NDArray[np.intp], sessions: list[str], candidates: list[Candidate]
) -> None:
    pairs = sorted(zip(session_at.tolist(), candidate_at.tolist(), strict=True))
    session, candidate = next(one for one, other in pairwise(pairs) if one == other)
    raise FrameError(
        f"a session has one row under each scenario; {sessions[session]!r} has several "
        f"under {candidates[candidate].scenario!r}",
        kind="rows",
    )


def _texts(frame: DataFrame, name: str, default: str = "") -> NDArray[np.object_]:
    """Return a column of texts; what is missing, or no text, is the default."""
    found = np.full(len(frame), default, dtype=object)
    if name in frame.columns:
        given = frame[name].to_numpy(dtype=object)
        known = frame[name].notna().to_numpy()
        found[known] = [str(each) for each in given[known]]
    return found


def _whole(frame: DataFrame, name: str, missing: int) -> Whole:
    numbers = _numbers(frame, name)
    found = np.full(len(frame), missing, dtype=np.int64)
    known = numbers.notna().to_numpy()
    found[known] = numbers[known].to_numpy("int64")
    return found


def _numbers(frame: DataFrame, name: str) -> Any:
    from pandas import Series, to_numeric

    if name not in frame.columns:
        return Series(np.nan, index=range(len(frame)), dtype="float64")
    try:
        return to_numeric(frame[name])
    except (ValueError, TypeError) as error:
        raise FrameError(f"the column {name} holds what is no number: {error}", kind="columns") from error

"""Name what can happen to a made-up session besides plain work, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from timectx.errors import ScenarioError
from timectx.units import is_safe_integer

__all__ = ["Agenda", "Happening", "HappeningKind"]

HappeningKind: TypeAlias = Literal[
    "pause", "resume", "clock", "compaction", "prune", "model", "steer", "retry", "max-tokens", "interrupt", "failure",
    "crash", "block", "error", "abort",
]  # fmt: skip
"""What can happen; `Happening` says what each does."""

_KINDS: Final = frozenset(get_args(HappeningKind))
_NEGATIVE: Final = frozenset({"clock"})
"""Kinds whose `ms` may be negative."""


class Happening(Struct, frozen=True):
    """
    Let one thing happen at a step of a made-up session.

    Parameters
    ----------
    kind : str
        Before the step: ``pause`` (the person is away for `ms`, then a new turn starts), ``resume`` (the program is
        closed for `ms`, then taken up again in a new turn), ``clock`` (the clock is set forward by `ms`, back when
        it is negative), ``compaction``, ``prune`` (tool results longer than `size` characters are shortened),
        ``model`` (another model from here on) and ``steer`` (the person writes while the turn runs).
        In the step: ``retry`` (a request fails, `ms` later the next one does not), ``max-tokens`` (the reply is cut
        at its limit), ``interrupt`` (the person stops it), ``failure`` (the provider fails for good) and ``crash``
        (the program dies while a tool runs, and is taken up again after `ms`); each of the last four ends the turn.
        Instead of it, in a turn that comes to no further step: ``block`` (a hook refuses the prompt), ``error``
        (preparing the step fails) and ``abort`` (the person stops it); the step itself then follows in a new turn.
    step : int
        The step, counted from 1 over the whole session.
    ms : int
        A length of time in milliseconds, where the kind has one; 0 otherwise.
    size : int
        A number of characters, where the kind has one; 0 takes 8,192.
    text : str
        What the person writes; empty = filler.
    zone : str or None
        The browser zone sent along with it; None = none.

    Raises
    ------
    ScenarioError
        Kind ``happening`` for an unknown kind or a number out of range.

    Examples
    --------
    >>> Happening("clock", 30, ms=-90_000).ms
    -90000
    """

    kind: HappeningKind
    step: int
    ms: int = 0
    size: int = 0
    text: str = ""
    zone: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could never happen."""
        if self.kind not in _KINDS:
            raise ScenarioError(
                f"a happening is one of {', '.join(sorted(_KINDS))}; got {self.kind!r}", kind="happening"
            )
        if not is_safe_integer(self.step) or self.step < 1:
            raise ScenarioError(f"a happening stands at a step, from 1; got {self.step!r}", kind="happening")
        if not is_safe_integer(self.ms) or (self.ms < 0 and self.kind not in _NEGATIVE):
            raise ScenarioError(f"a {self.kind} takes whole milliseconds from 0; got {self.ms!r}", kind="happening")
        if not is_safe_integer(self.size) or self.size < 0:
            raise ScenarioError(f"a size is a whole number of characters from 0; got {self.size!r}", kind="happening")


class Agenda:
    """
    Hand out happenings as their steps come, each once.

    Parameters
    ----------
    happenings : iterable of Happening
        In any order; those of one step keep theirs.
    """

    def __init__(self, happenings: Iterable[Happening]) -> None:
        self._by_step: defaultdict[int, list[Happening]] = defaultdict(list)
        for happening in happenings:
            self._by_step[happening.step].append(happening)

    def has(self, step: int, *kinds: HappeningKind) -> bool:
        """
        Tell whether one of some kinds is still to come at a step.

        Parameters
        ----------
        step : int
            The step, from 1 over the whole session.
        *kinds : str
            The kinds that are asked for.

        Returns
        -------
        bool
            False once it was taken.
        """
        return step in self._by_step and any(item.kind in kinds for item in self._by_step[step])

    def take(self, step: int, *kinds: HappeningKind) -> Happening | None:
        """
        Return the next one of some kinds at a step, and strike it off.

        Parameters
        ----------
        step : int
            The step, from 1 over the whole session.
        *kinds : str
            The kinds that are asked for.

        Returns
        -------
        Happening or None
            None when there is none.
        """
        if step not in self._by_step:
            return None
        waiting = self._by_step[step]
        found = next((item for item in waiting if item.kind in kinds), None)
        if found is not None:
            waiting.remove(found)
        return found

    def take_all(self, step: int, *kinds: HappeningKind) -> list[Happening]:
        """
        Return all of some kinds at a step, and strike them off.

        Parameters
        ----------
        step : int
            The step, from 1 over the whole session.
        *kinds : str
            The kinds that are asked for.

        Returns
        -------
        list of Happening
            In their order.
        """
        found = []
        while (item := self.take(step, *kinds)) is not None:
            found.append(item)
        return found

"""Name every way timectx refuses an input, one branch per layer under one root."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "CostError",
    "FormatError",
    "FrameError",
    "ReadingError",
    "ReplayError",
    "ScenarioError",
    "SessionError",
    "StoreError",
    "TimectxError",
    "TimectxWarning",
    "TuneError",
    "UnitError",
    "UnknownZoneWarning",
    "UnsupportedFormatError",
    "WorkerError",
    "ZoneError",
]


class TimectxError(Exception):
    """
    Signal a refused input; the root of every error this package raises on purpose.

    Parameters
    ----------
    message : str
        What was wrong, what was expected, the value and where, in lower case.
    kind : str, optional
        A stable word for the rule that was broken, such as ``"seq-gap"``; empty when
        the class alone says it. Programs compare `kind`, people read the message.
    """

    def __init__(self, message: str, *, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind

    def __str__(self) -> str:
        """Return the message alone, also for LookupError branches that would quote it."""
        return str(self.args[0])


class UnitError(TimectxError, ValueError):
    """Signal a duration, count or instant that cannot be read or is out of range."""


class ZoneError(TimectxError, LookupError, ValueError):
    """Signal a time zone name that is malformed, unknown or not in canonical form."""


class ReadingError(TimectxError, ValueError):
    """Signal a text that is not a time reading, or a reading that cannot be printed."""


class SessionError(TimectxError, ValueError):
    """Signal events that contradict the rules of a session log."""


class FormatError(TimectxError, ValueError):
    """Signal a transcript that cannot be read; the message starts with ``file:line``."""


class UnsupportedFormatError(FormatError):
    """Signal a transcript whose format is recognised but cannot be read by this release."""


class ScenarioError(TimectxError, ValueError):
    """Signal a replay setting that is malformed or contradicts another."""


class TuneError(ScenarioError):
    """
    Signal that no scenario tried can be recommended: the limits leave none, or there is nothing to compare.

    Parameters
    ----------
    message : str
        As in `TimectxError`; it says what would do.
    kind : str, optional
        The limit that cannot be kept, by the name of its parameter; ``together`` where each of several
        could be kept alone; or ``empty``, ``no-reading``, ``unpriced`` and the like.
    nearest : dict of str to tuple, optional
        What would do, by limit: the value to allow and the scenario that has it. Each one alone is enough, or all
        of them together where no single one is.
    """

    def __init__(self, message: str, *, kind: str = "", nearest: Mapping[str, tuple[float, str]] | None = None) -> None:
        super().__init__(message, kind=kind)
        self.nearest = dict(nearest or {})


class ReplayError(TimectxError, LookupError):
    """Signal a question about a replay that its session cannot answer, such as an unknown step."""


class CostError(TimectxError, ValueError):
    """Signal a price list that cannot be used (the message names file and entry), or an unknown cache rule."""


class FrameError(TimectxError, ValueError):
    """Signal a frame that lacks what a plot, a sum or a report needs."""


class StoreError(TimectxError, OSError):
    """Signal a durable log that cannot be found, held or written; its cause, if any, is the system's error."""


class WorkerError(TimectxError, OSError):
    """Signal that an executor's workers died, or could not be reached; its cause is what the executor raised."""


class TimectxWarning(UserWarning):
    """Flag something legal but risky; the root of every warning this package issues."""


class UnknownZoneWarning(TimectxWarning):
    """Flag a ``TZ`` setting that the original system answers in an odd way."""

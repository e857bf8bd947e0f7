"""Leave whole sessions out: by when they ran, by model, by project, and those that another agent started."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fnmatch import fnmatchcase
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from msgspec import Struct

from timectx.cli.options import WHEN
from timectx.reading import format_timestamp, local_day, utc_offset_s
from timectx.session import Session
from timectx.session.events import AssistantMessage, RequestHeader

__all__ = ["SessionFilter", "day_start_ms", "filter_options", "session_filter"]

_DAY_MS: Final = 86_400_000
_EPOCH: Final = date(1970, 1, 1)

_Command = TypeVar("_Command", bound=Callable[..., Any])


class SessionFilter(Struct, frozen=True, kw_only=True):
    """
    Say which sessions count; a session counts as a whole or not at all.

    `since_ms` (inclusive) and `until_ms` (exclusive) are instants between which a step has to start, None = no
    bound. `models` and `projects` are names one of which has to fit, empty = any. `subagents` False
    leaves out sessions that another agent started.
    """

    since_ms: int | None = None
    until_ms: int | None = None
    models: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    subagents: bool = True

    def __bool__(self) -> bool:
        """Tell whether anything is asked for."""
        return self != SessionFilter()

    def keeps(self, session: Session) -> bool:
        """
        Tell whether a session counts.

        Parameters
        ----------
        session : Session
            The session.

        Returns
        -------
        bool
            True when it fits everything that is asked for.

        Examples
        --------
        >>> from timectx.synthetic import synthetic_session
        >>> SessionFilter(since_ms=0).keeps(synthetic_session(1, steps=2))
        True
        """
        return (
            self._is_in_time(session)
            and (self.subagents or not _is_subagent(session))
            and (not self.models or any(_fits(name, self.models) for name in _models_of(session)))
            and (not self.projects or any(_lies_in(session.header.cwd or "", each) for each in self.projects))
        )

    def words(self) -> str:
        """
        Say what is asked for.

        Returns
        -------
        str
            One phrase, each part joined by a comma; empty where nothing is.

        Examples
        --------
        >>> SessionFilter(since_ms=0, models=("deepseek-*",), subagents=False).words()
        'with a step from 1970-01-01T00:00:00+00:00[UTC] on, of model deepseek-*, not started by another agent'
        """
        parts = []
        since, until = (None if ms is None else format_timestamp(ms, "UTC") for ms in (self.since_ms, self.until_ms))
        if since and until:
            parts.append(f"with a step from {since} to before {until}")
        elif since or until:
            parts.append(f"with a step from {since} on" if since else f"with a step before {until}")
        parts += [f"of model {' or '.join(self.models)}"] if self.models else []
        parts += [f"of project {' or '.join(self.projects)}"] if self.projects else []
        parts += [] if self.subagents else ["not started by another agent"]
        return ", ".join(parts)

    def _is_in_time(self, session: Session) -> bool:
        if self.since_ms is None and self.until_ms is None:
            return True
        return any(
            (self.since_ms is None or self.since_ms <= step.start_ms)
            and (self.until_ms is None or step.start_ms < self.until_ms)
            for step in session.steps
        )


_OPTIONS: Final = (
    click.option("--since", type=WHEN, help="Only sessions with a step at or after this instant or day."),
    click.option("--until", type=WHEN, help="Only sessions with a step before this instant, or up to this day."),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="Only sessions that asked this model; * stands for anything. May be repeated.",
    ),
    click.option(
        "--project",
        "projects",
        multiple=True,
        metavar="NAME",
        help="Only sessions whose working folder is this path or in it, or has a folder of this name on its way. "
        "May be repeated.",
    ),
    click.option("--no-subagents", is_flag=True, help="Leave out sessions that another agent started."),
)


def filter_options(command: _Command) -> _Command:
    """
    Give a command the options that leave sessions out.

    Parameters
    ----------
    command : callable
        It takes `asked`, a dict of what `session_filter` takes.

    Returns
    -------
    callable
        The same, with options.
    """

    @wraps(command)
    def collected(**values: Any) -> Any:
        names = ("since", "until", "models", "projects", "no_subagents")
        return command(asked={name: values.pop(name) for name in names}, **values)

    made: Any = collected
    for option in reversed(_OPTIONS):
        made = option(made)
    return made  # type: ignore[no-any-return]


def session_filter(
    since: int | date | None,
    until: int | date | None,
    models: tuple[str, ...],
    projects: tuple[str, ...],
    *,
    no_subagents: bool,
    zone: str | None,
) -> SessionFilter:
    """
    Return the filter that some options ask for.

    Parameters
    ----------
    since : int, date or None
        The instant at which it begins, or the day with whose beginning it does.
    until : int, date or None
        The instant before which it ends, or the day with whose end it does.
    models, projects : tuple of str
        Names one of which has to fit.
    no_subagents : bool
        Leave out what another agent started.
    zone : str or None
        The zone of the days; None is UTC.

    Returns
    -------
    SessionFilter
        With instants in place of days.

    Raises
    ------
    click.UsageError
        If it ends before it begins.

    Examples
    --------
    >>> session_filter(date(1970, 1, 1), date(1970, 1, 1), (), (), no_subagents=False, zone=None).until_ms
    86400000
    """
    since_ms = day_start_ms(since, zone or "UTC") if isinstance(since, date) else since
    until_ms = _day_end_ms(until, zone or "UTC") if isinstance(until, date) else until
    if since_ms is not None and until_ms is not None and until_ms <= since_ms:
        raise click.UsageError("--until ends before --since begins; exchange them")
    folders = tuple(
        str(Path(each).absolute()) if each in (".", "..") or each[:2] == "./" else each for each in projects
    )
    return SessionFilter(
        since_ms=since_ms, until_ms=until_ms, models=models, projects=folders, subagents=not no_subagents
    )


def day_start_ms(day: date, zone: str) -> int:
    """
    Return the first instant of a day.

    Parameters
    ----------
    day : date
        A calendar day.
    zone : str
        Where.

    Returns
    -------
    int
        Epoch milliseconds; where the clock skips midnight the day begins after the gap, and where it
        passes midnight twice with the first.

    Examples
    --------
    >>> day_start_ms(date(2018, 11, 4), "America/Sao_Paulo"), day_start_ms(date(1970, 1, 1), "UTC")
    (1541300400000, 0)
    """
    return _start_ms((day - _EPOCH).days, zone)


def _day_end_ms(day: date, zone: str) -> int:
    return _start_ms((day - _EPOCH).days + 1, zone)


def _start_ms(number: int, zone: str) -> int:
    midnight_ms = number * _DAY_MS
    offsets = (utc_offset_s(midnight_ms + side * _DAY_MS, zone) for side in (-1, 1))
    starts = sorted(midnight_ms - 1000 * offset for offset in offsets)
    return next((ms for ms in starts if local_day(ms, zone) == number), starts[-1])


def _is_subagent(session: Session) -> bool:
    """Tell whether another agent started it; a fork that a person made names a parent, too, and is none."""
    return session.header.origin == "subagent" or (session.header.delegation_depth or 0) > 0


def _models_of(session: Session) -> set[str]:
    """Return each model asked, alone and behind its provider."""
    asked = [event.data.header.get("config") for event in session.events if isinstance(event, RequestHeader)]
    asked += [event.data.message.source for event in session.events if isinstance(event, AssistantMessage)]
    pairs = {(str(one.get("provider")), str(one["model"])) for one in asked if isinstance(one, dict) and "model" in one}
    return {name for provider, model in pairs for name in (model, f"{provider}/{model}")}


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def _lies_in(folder: str, project: str) -> bool:
    parts, asked = (each.replace("\\", "/").rstrip("/").split("/") for each in (folder, project))
    return parts[: len(asked)] == asked if len(asked) > 1 else asked[0] in parts

"""Take the options that leave sessions out, and find the instants at which days begin and end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from timectx.cli.filters import SessionFilter
from timectx.cli.options import WHEN
from timectx.reading import local_day, utc_offset_s

__all__ = ["day_start_ms", "filter_options", "session_filter"]

_DAY_MS: Final = 86_400_000
_EPOCH: Final = date(1970, 1, 1)

_Command = TypeVar("_Command", bound=Callable[..., Any])

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

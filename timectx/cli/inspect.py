"""Say what session files hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

import click
from msgspec import Struct, to_builtins

from timectx.cli.options import json_option, paths_argument
from timectx.cli.screen import clean, place, print_json, say
from timectx.cli.sources import Loaded, find_files, load
from timectx.cli.tables import print_table
from timectx.errors import FormatError
from timectx.formats import FileProblem, detect_format
from timectx.reading import format_duration
from timectx.replay.moments import moments_of
from timectx.session import Event, Problem, Session, is_reading_event
from timectx.session.events import OtherEvent, Replace, ToolCall, UserMessage

__all__ = ["Inspection", "inspect_command"]

_GAP_CAP_MS: Final = 300_000
_SHOWN_PROBLEMS: Final = 5
_HARMLESS: Final = frozenset({"byte-order-mark", "unterminated-line"})
"""Problems that cost nothing: all that the file says was read."""


class Inspection(Struct, frozen=True, kw_only=True):
    """
    Say what one file holds; one that cannot be read has its path, its problem and perhaps its format.

    `span_ms` is the time from the earliest event to the latest, `active_ms` the same with every
    gap cut to `active_gap_cap_ms`. `editions` counts the readings by the edition of their text,
    `events` all events by type, `other` those that are kept without being understood, `skipped`
    the records that are not among the events.
    """

    path: str
    session: str | None = None
    format: str | None = None
    version: int | None = None
    turns: int | None = None
    steps: int | None = None
    requests: int | None = None
    tool_calls: int | None = None
    readings: int | None = None
    compactions: int | None = None
    start_ms: int | None = None
    span_ms: int | None = None
    active_ms: int | None = None
    active_gap_cap_ms: int = _GAP_CAP_MS
    editions: dict[str, int] | None = None
    events: dict[str, int] | None = None
    other: dict[str, int] | None = None
    skipped: dict[str, int] | None = None
    problems: tuple[Problem | FileProblem, ...] = ()


@click.command("inspect", short_help="Say what session files hold.")
@paths_argument
@json_option
def inspect_command(paths: tuple[str, ...], as_json: bool) -> int:
    """Say what session files hold: turns, steps, readings, problems.

    Exit status 1 when a file could not be used, or something in it was lost or could not be taken as
    it stands; oddities that cost nothing (a byte order mark, no newline at the end) are listed and
    leave it 0. The span is the time from the earliest event
    to the latest; active time counts no more than 5 minutes of each gap between two events.
    """
    found = [_inspected(load(each)) for each in find_files(paths)]
    if as_json:
        print_json([to_builtins(each) for each in found])
    else:
        _show(found)
    return 1 if any(problem.kind not in _HARMLESS for each in found for problem in each.problems) else 0


def _inspected(loaded: Loaded) -> Inspection:
    session = loaded.session
    if session is None:
        problems = (loaded.problem,) if loaded.problem else ()
        return Inspection(path=loaded.path, format=_recognised(loaded.path), problems=problems)
    events = session.events
    times = _times(session)
    return Inspection(
        path=loaded.path,
        session=session.header.id,
        format=session.format,
        version=session.header.version,
        turns=len(session.turns),
        steps=len(session.steps),
        requests=sum(step.requests for step in session.steps),
        tool_calls=sum(isinstance(event, ToolCall) for event in events),
        readings=sum(map(is_reading_event, events)),
        compactions=sum(map(_is_checkpoint, events)),
        start_ms=times[0] if times else None,
        span_ms=times[-1] - times[0] if times else 0,
        active_ms=sum(min(after - before, _GAP_CAP_MS) for before, after in pairwise(times)),
        editions=_editions(session),
        events=_counted(event.type for event in events),
        other=_counted(event.type for event in events if isinstance(event, OtherEvent)),
        skipped=dict(sorted(session.skipped.items())),
        problems=session.problems,
    )


def _recognised(path: str) -> str | None:
    try:
        return detect_format(path)
    except FormatError:
        return None


def _times(session: Session) -> list[int]:
    """Return all times in order: clocks step back, so neither the first nor the last event need be an end."""
    tail = [session.tail[1]] if session.tail else []
    return sorted([*(event.time_ms for event in session.events), *tail])


def _is_checkpoint(event: Event) -> bool:
    return isinstance(event, UserMessage) and isinstance(event.surface_op, Replace)


def _editions(session: Session) -> dict[str, int]:
    moments = moments_of(session, "readme")
    readings = [moment.own for moment in moments.moments if moment.own] + list(moments.strays.values())
    return _counted(reading.edition if reading else "unreadable" for reading in readings)


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _show(found: list[Inspection]) -> None:
    heads = ("path", "format", "turns", "steps", "tool calls", "readings", "compactions", "span", "active", "problems")
    read = [each for each in found if each.session is not None]
    if read:
        print_table(heads, map(_row, read), left=("path", "format"))
    for each in read:
        for problem in each.problems[:_SHOWN_PROBLEMS]:
            say(clean(f"{place(each.path, problem.line)}: {problem.message}"))
        if len(each.problems) > _SHOWN_PROBLEMS:
            say(clean(f"{each.path}: {len(each.problems) - _SHOWN_PROBLEMS} more problems; --json lists all"))
    if len(found) == len(read) == 1:
        _show_counts(read[0])


def _row(each: Inspection) -> tuple[str, ...]:
    numbers = (each.turns, each.steps, each.tool_calls, each.readings, each.compactions)
    spans = (each.span_ms, each.active_ms)
    return (
        each.path,
        str(each.format),
        *(f"{number or 0:,}" for number in numbers),
        *(format_duration(span or 0) for span in spans),
        str(len(each.problems)),
    )


def _show_counts(each: Inspection) -> None:
    parts: dict[str, Mapping[str, int] | None] = {
        "readings by edition": each.editions,
        "events": each.events,
        "kept, not understood": each.other,
        "skipped": each.skipped,
    }
    for label, counts in parts.items():
        if counts:
            say(clean(f"{label}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items())))

"""Hold a log against the rules of its order, and its readings against those of their editions."""

from __future__ import annotations

import click
from msgspec import to_builtins

from timectx.cli.options import json_option, paths_argument
from timectx.cli.screen import clean, counted, print_json, say
from timectx.cli.sources import find_files, load
from timectx.replay.check import check_session
from timectx.session import is_reading_event

__all__ = ["check_command"]


@click.command("check", short_help="Is the log in order, and do its readings keep their rules?")
@paths_argument
@click.option("--companion", is_flag=True, help="Also apply the original's own, stricter checks.")
@json_option
def check_command(paths: tuple[str, ...], companion: bool, as_json: bool) -> int:
    """Name every event that is out of order, and every reading that breaks a rule of its edition.

    Order is that of turns and steps, of calls and their results, and of compactions. Each line names
    the file, the seq of the event and the rule. Exit status 1 when there is one, or when a file cannot
    be read.
    """
    faults: list[dict[str, object]] = []
    problems: list[object] = []
    readings = files = 0
    for found in find_files(paths):
        loaded = load(found)
        if loaded.session is None:
            problems.append(to_builtins(loaded.problem))
            continue
        files += 1
        readings += sum(map(is_reading_event, loaded.session.events))
        faults += [
            {"path": loaded.path, **to_builtins(fault)} for fault in check_session(loaded.session, companion=companion)
        ]
    if as_json:
        print_json({"files": files, "readings": readings, "faults": faults, "problems": problems})
    else:
        for fault in faults:
            say(clean("{path}: seq {seq}: {rule}: {message}".format_map(fault)))
        say(", ".join((counted(files, "file"), counted(readings, "reading"), counted(len(faults), "fault"))))
    return 1 if faults or problems else 0

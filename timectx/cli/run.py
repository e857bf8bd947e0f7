"""Play a script to a durable session, and print what happened."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from timectx.cli.options import INSTANT, PATH, json_option
from timectx.cli.screen import clean, counted, note, print_json, say
from timectx.cli.story import story_document, story_lines
from timectx.errors import ScenarioError
from timectx.loop import (
    CrashError,
    DurableLog,
    HandClock,
    MovableClock,
    Repair,
    Script,
    find_log,
    frozen_clock,
    header_of,
    inspect_log,
    load_log,
    open_log,
    parse_script,
    parse_start,
    play_script,
)
from timectx.reading import canonical_zone, process_zone
from timectx.session import Session

__all__ = ["run_command"]


@click.command("run", short_help="Run a scripted agent and keep its session.")
@click.argument("path", metavar="SCRIPT", type=PATH)
@click.option(
    "--root", metavar="DIR", type=PATH, required=True, help="Folder of all sessions; it is made where it is missing."
)
@click.option("--start", type=INSTANT, help="Where the clock stands at first, in place of the script's or the log's.")
@click.option("--frozen", is_flag=True, help="Let the clock of the whole process stand still with the script's.")
@click.option("--raw", is_flag=True, help="Write a plain log instead of a compressed one.")
@json_option
def run_command(path: str, root: str, start: int | None, frozen: bool, raw: bool, as_json: bool) -> int:
    """Run a scripted agent, keep its session in DIR, and print what happened.

    A session that is already there is taken up again: repaired where a crash left it unfinished, and
    gone on with from its last event. The clock is the script's own; it never reads the real one.
    Exit status 1 when the script ends the process in the middle of a step.
    """
    script = _script(path, start)
    warnings: list[str] = []
    with ExitStack() as stack:
        log = stack.enter_context(_opened(root, script, raw=raw))
        clock = _clock(stack, script, log, start, frozen=frozen)
        if log.repair is not None:
            log.end_seed(clock())
        first, repair, place = log.next_seq, log.repair, log.path
        crashed, session = _played(script, clock, log, warnings)
    if crashed:
        session = inspect_log(root, script.session)
        warnings.append("the process ended here, as the script says; run it again to go on")
    if as_json:
        print_json(_document(session, first, place, repair, warnings, crashed=crashed))
    else:
        _show(script, session, first, place, repair, warnings)
    return int(crashed)


def _script(path: str, start: int | None) -> Script:
    try:
        script = parse_script(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ScenarioError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ScenarioError(f"{path}: {why}", kind="script-file") from None
    return script if start is None else replace(script, start=start)


def _opened(root: str, script: Script, *, raw: bool) -> DurableLog:
    if find_log(root, script.session) is not None:
        return load_log(root, script.session)
    return open_log(root, header_of(script), compress=not raw)


def _clock(stack: ExitStack, script: Script, log: DurableLog, start: int | None, *, frozen: bool) -> MovableClock:
    events = log.session().events
    begin = events[-1].time_ms if events and start is None else parse_start(script.start)
    return stack.enter_context(frozen_clock(begin)) if frozen else HandClock(begin)


def _played(script: Script, clock: MovableClock, log: DurableLog, warnings: list[str]) -> tuple[bool, Session]:
    try:
        return False, play_script(script, clock=clock, durable=log, warn=warnings.append)
    except CrashError:
        return True, Session(log.header, ())


def _document(
    session: Session, first: int, place: Path, repair: Repair | None, warnings: list[str], *, crashed: bool
) -> dict[str, Any]:
    return {
        "session": session.header.id,
        "path": str(place),
        "resumed": repair is not None,
        "repair": None if repair is None else {"kept_bytes": repair.kept_bytes, "closing_events": len(repair.closing)},
        "first_seq": first,
        "events": len(session.events),
        **story_document(session, first),
        "warnings": warnings,
        "crashed": crashed,
    }


def _show(
    script: Script, session: Session, first: int, place: Path, repair: Repair | None, warnings: list[str]
) -> None:
    state = "new" if repair is None else f"taken up again after {counted(first, 'event')}"
    closed = len(repair.closing) if repair is not None else 0
    closing = f", {closed} of them to close what was left open" if closed else ""
    say(clean(f"session {session.header.id}, {state}{closing}: {place}"))
    zone = process_zone() if script.time_zone is None else canonical_zone(script.time_zone)
    for line in story_lines(session, first, zone):
        say(line)
    for text in warnings:
        note(f"warning: {text}")
    told = story_document(session, first)
    done = {name: [each for each in found if not each.get("error")] for name, found in told.items()}
    say(", ".join(counted(len(found), name.removesuffix("s")) for name, found in done.items()))

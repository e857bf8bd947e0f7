"""Show what a model would have been told, step by step, under one scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from msgspec import to_builtins

from timectx.cli.options import EDITION, INTERVAL, PATH, ZONE, json_option
from timectx.cli.screen import counted, note, place, print_json, say
from timectx.cli.sources import Loaded, find_files, load
from timectx.cli.tables import print_table
from timectx.errors import ScenarioError
from timectx.reading import Edition, format_duration
from timectx.replay import Explanation, Run, RunReading, Scenario, explain_recorded, parse_scenario, replay_session
from timectx.results.columns import MEASURES
from timectx.session import Session
from timectx.units import format_interval

__all__ = ["read_scenario", "replay_command", "scenario_words"]

_KEYS: Final = (
    "session",
    "path",
    "scenario",
    "readings",
    "steps",
    "attempts",
    "compactions",
    "measures",
    "zone_database",
    "problems",
)
"""What the JSON holds in any case."""

_METERS: Final = {"estimate": "the fixed estimate", "reported": "the provider's counts where the log has them"}


@click.command("replay", short_help="Show what the model would have been told.")
@click.argument("path", metavar="FILE", type=PATH)
@click.option("--interval", type=INTERVAL, help="Refresh interval, such as 10m; 0 = a reading at every attempt.")
@click.option("--as-recorded", is_flag=True, help="Find the scenario that explains the readings already there.")
@click.option("--scenario", type=PATH, metavar="TOML", help="Take the scenario from a file.")
@click.option("--zone", type=ZONE, help="Zone shown where the browser's is not known.")
@click.option("--edition", type=EDITION, help="Published contract the readings follow.")
@json_option
def replay_command(
    path: str,
    interval: int | None,
    as_recorded: bool,
    scenario: str | None,
    zone: str | None,
    edition: Edition | None,
    as_json: bool,
) -> int:
    """Show what the model would have been told in one session, and what it would have cost.

    Give one of --interval, --as-recorded and --scenario. Exit status 1 when the file cannot be used.
    """
    if (interval is not None) + as_recorded + (scenario is not None) != 1:
        raise click.UsageError("give one of --interval, --as-recorded and --scenario")
    if as_recorded and (zone or edition):
        raise click.UsageError("--as-recorded takes zone and edition from the log; leave --zone and --edition away")
    base = read_scenario(scenario, zone, edition)
    loaded = _one_file(path)
    session = loaded.session
    if session is None:
        if as_json:
            print_json(_empty_document(loaded))
        return 1
    explanation = explain_recorded(session) if as_recorded else None
    asked = explanation.scenario if explanation else base if interval is None else base.replace(interval_ms=interval)
    run = replay_session(session, asked)
    for problem in (*session.problems, *run.problems):
        note(f"{place(session.path or path, problem.line)}: {problem.message}")
    if as_json:
        print_json(_document(session, run, explanation))
    else:
        _show(run, explanation)
    return 0


def read_scenario(path: str | None, zone: str | None, edition: Edition | None) -> Scenario:
    """
    Return the scenario of a file, with what was given on the command line in its place.

    Parameters
    ----------
    path : str or None
        A TOML file; None takes the defaults.
    zone : str or None
        The fallback zone; None leaves it.
    edition : str or None
        The edition; None leaves it.

    Returns
    -------
    Scenario
        Not yet resolved.

    Raises
    ------
    ScenarioError
        If the file cannot be read or holds no scenario; the message starts with its path.
    """
    knobs = {name: value for name, value in (("time_zone", zone), ("edition", edition)) if value is not None}
    if path is None:
        return Scenario().replace(**knobs)
    try:
        return parse_scenario(Path(path).read_text(encoding="utf-8")).replace(**knobs)
    except (OSError, UnicodeDecodeError, ScenarioError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ScenarioError(f"{path}: {why}", kind="scenario-file") from None


def scenario_words(scenario: Scenario) -> str:
    """
    Say in words what a scenario sets.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    str
        Edition, zone and meter; not when a reading is due.
    """
    zone = scenario.time_zone
    shown = zone if isinstance(zone, str) or zone is None else ", ".join(dict.fromkeys(name for _, name in zone))
    return f"edition {scenario.edition}, zone {shown or 'from the log'}, tokens by {_METERS[scenario.meter]}"


def _one_file(path: str) -> Loaded:
    found = find_files([path])
    if len(found) != 1:
        raise click.UsageError(f"{path} holds {len(found)} files; name one of them")
    return load(found[0])


def _empty_document(loaded: Loaded) -> dict[str, object]:
    """Return what stands where there is no run: every key, and the problem alone filled in."""
    filled = {"path": loaded.path, "problems": to_builtins((loaded.problem,) if loaded.problem else ())}
    return {key: filled.get(key) for key in _KEYS}


def _document(session: Session, run: Run, explanation: Explanation | None) -> dict[str, object]:
    scenario = run.scenario
    document: dict[str, object] = {
        "session": run.session_id,
        "path": session.path,
        "scenario": {
            "edition": scenario.edition,
            "policy": scenario.policy,
            "interval_ms": scenario.interval_ms,
            "delivery": scenario.delivery,
            "time_zone": to_builtins(scenario.time_zone),
            "compaction": scenario.compaction,
            "meter": scenario.meter,
        },
        **{part: to_builtins(getattr(run, part)) for part in ("readings", "steps", "attempts", "compactions")},
        "measures": to_builtins(run.measures),
        "zone_database": run.zone_database,
        "problems": to_builtins((*session.problems, *run.problems)),
    }
    if explanation:
        document["as_recorded"] = {
            "explanation": str(explanation),
            "above_ms": explanation.above_ms,
            "up_to_ms": explanation.up_to_ms,
            "conflicts": to_builtins(explanation.conflicts),
        }
    return document


def _show(run: Run, explanation: Explanation | None) -> None:
    scenario = run.scenario
    due = f"interval {format_interval(scenario.interval)}" if scenario.policy == "interval" else "readings as recorded"
    say(f"{due}, {scenario_words(scenario)}")
    if explanation:
        say(f"as recorded: {explanation}")
    say("")
    heads = ("turn", "step", "time", "elapsed", "tokens", "resent in")
    print_table(heads, map(_reading_row, run.readings), left=("time",), keys=2)
    say("")
    rows = [
        (column.name, _value(column.unit, getattr(run.measures, column.name)), column.description)
        for column in MEASURES
        if hasattr(run.measures, column.name)
    ]
    print_table(("measure", "value", "what it is"), rows, left=("measure", "what it is"), prose="what it is")


def _reading_row(reading: RunReading) -> tuple[str, ...]:
    timestamp = reading.text.partition("\n")[0].rpartition(": ")[2]
    elapsed = "unavailable" if reading.elapsed_ms is None else format_duration(reading.elapsed_ms)
    numbers = (f"{reading.price_tokens:,}", counted(reading.resent_requests, "request"))
    return (str(reading.turn), str(reading.step), timestamp, elapsed, *numbers)


def _value(unit: str, value: float | None) -> str:
    if value is None:
        return "none"
    if unit == "ratio":
        return f"{100 * value:.1f} %"
    if unit == "ms":
        return ("-" if value < 0 else "") + format_interval(abs(int(value)))
    return f"{value:,}"

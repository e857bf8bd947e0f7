"""Show what a model would have been told, step by step, under one scenario or several side by side."""

from __future__ import annotations

import click

from timectx.cli.options import INTERVAL, PATH, json_option
from timectx.cli.replay_json import empty_document, replay_document
from timectx.cli.replay_tables import show_replay, show_side_by_side
from timectx.cli.scenario_options import (
    Knobs,
    knob_options,
    named_scenario,
    preset_option,
    prices_option,
    read_scenario,
)
from timectx.cli.screen import note, place, print_json
from timectx.cli.sources import Loaded, find_files, load
from timectx.cost import PriceList
from timectx.replay import Scenario, explain_recorded, replay_session
from timectx.session import Session

__all__ = ["replay_command"]


@click.command("replay", short_help="Show what the model would have been told.")
@click.argument("path", metavar="FILE", type=PATH)
@click.option("--interval", type=INTERVAL, help="Refresh interval, such as 10m; 0 = a reading at every attempt.")
@click.option("--as-recorded", is_flag=True, help="Find the scenario that explains the readings already there.")
@click.option("--scenario", type=PATH, metavar="TOML", help="Take the scenario from a file.")
@preset_option
@click.option(
    "--compare",
    "others",
    type=PATH,
    multiple=True,
    metavar="SCENARIO",
    help="Show another scenario beside it: an interval, a TOML file, a preset, or as-recorded. May be repeated.",
)
@knob_options
@prices_option
@json_option
def replay_command(
    path: str,
    interval: int | None,
    as_recorded: bool,
    scenario: str | None,
    preset: tuple[Scenario, ...],
    others: tuple[str, ...],
    knobs: Knobs,
    prices: PriceList | None,
    as_json: bool,
) -> int:
    """Show what the model would have been told in one session, and what it would have cost.

    Give one of --interval, --as-recorded, --scenario and --preset. Exit status 1 when the file cannot be
    used.
    """
    if (interval is not None) + as_recorded + (scenario is not None) + len(preset) != 1:
        raise click.UsageError("give one of --interval, --as-recorded, --scenario and --preset")
    if as_recorded and (knobs.zone or knobs.edition or knobs.policy):
        raise click.UsageError(
            "--as-recorded takes zone, edition and policy from the log; leave --zone, --edition and --policy away"
        )
    base = knobs.on(read_scenario(scenario) if scenario else preset[0] if preset else Scenario(), interval)
    loaded = _one_file(path)
    session = loaded.session
    if session is None:
        if as_json:
            print_json(empty_document(loaded))
        return 1
    explanation = explain_recorded(session) if as_recorded else None
    run = replay_session(session, knobs.on(explanation.scenario) if explanation else base)
    compared = [replay_session(session, each) for each in _others(others, session, run.scenario, knobs)]
    for problem in (*session.problems, *run.problems):
        note(f"{place(session.path or path, problem.line)}: {problem.message}")
    if as_json:
        print_json(replay_document(session, run, explanation, compared, prices))
    elif compared:
        show_side_by_side(run, compared, prices)
    else:
        show_replay(run, explanation, prices)
    return 0


def _others(names: tuple[str, ...], session: Session, base: Scenario, knobs: Knobs) -> list[Scenario]:
    return [
        knobs.on(explain_recorded(session).scenario) if name == "as-recorded" else named_scenario(name, base, knobs)
        for name in names
    ]


def _one_file(path: str) -> Loaded:
    found = find_files([path])
    if len(found) != 1:
        raise click.UsageError(f"{path} holds {len(found)} files; name one of them")
    return load(found[0])

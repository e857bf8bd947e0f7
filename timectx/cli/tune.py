"""Compare refresh intervals, and any other scenarios, over many sessions, and recommend one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast, get_args

import click

from timectx.cli.candidates import candidates
from timectx.cli.filter_options import filter_options, session_filter
from timectx.cli.limits import limit_options
from timectx.cli.options import INTERVALS, JOBS, PATH, json_option, paths_argument
from timectx.cli.problems import note_troubles, troubles_of
from timectx.cli.scenario_options import Knobs, knob_options, preset_option, prices_option, read_scenario
from timectx.cli.screen import print_json
from timectx.cli.sources import find_files
from timectx.cli.targets import STDOUT
from timectx.cli.tune_files import Outputs, output_options
from timectx.cli.tune_json import tune_document
from timectx.cli.tune_tables import show_tuned
from timectx.cli.tuning import Request, Tuned, tune_files
from timectx.cost import PriceList
from timectx.errors import TuneError
from timectx.formats import FileProblem
from timectx.replay import Scenario
from timectx.replay.deliveries import SHORTEST_TIMER_MS
from timectx.sweep.advice.snippet import Agent

__all__ = ["tune_command"]

_INTERVALS: Final = "0,10s,30s,1m,2m,5m,10m,30m,1h,2h,4h"


@click.command("tune", short_help="Compare refresh intervals, recommend one.")
@paths_argument
@click.option(
    "--interval",
    "intervals",
    type=INTERVALS,
    multiple=True,
    metavar="LIST",
    help=f"Intervals to compare, with commas between them; may be repeated.  [default: {_INTERVALS}]",
)
@click.option(
    "--scenario",
    "files",
    type=PATH,
    multiple=True,
    metavar="TOML",
    help="Take everything but the intervals from a file; several stand side by side.",
)
@preset_option
@knob_options
@limit_options
@filter_options
@prices_option
@click.option(
    "--agent",
    type=click.Choice(get_args(Agent)),
    default="dsh",
    show_default=True,
    help="Whose configuration to print.",
)
@click.option("--jobs", type=JOBS, metavar="N", help="Measure in this many processes.  [default: in this one]")
@click.option("--no-cache", is_flag=True, help="Read every file again, and keep nothing of it.")
@output_options
@json_option
def tune_command(
    paths: tuple[str, ...],
    intervals: tuple[tuple[int, ...], ...],
    files: tuple[str, ...],
    preset: tuple[Scenario, ...],
    knobs: Knobs,
    limits: dict[str, Any],
    asked: dict[str, Any],
    prices: PriceList | None,
    agent: str,
    jobs: int | None,
    no_cache: bool,
    outputs: Outputs,
    as_json: bool,
) -> int:
    """Show what each refresh interval would have cost over some sessions, and recommend one.

    The recommendation: of the intervals that no other beats in both share of tokens and staleness
    (95th percentile), the one where the two, each scaled to its range, have the smallest sum; with
    limits, the cheapest that keeps them, and with a budget alone the freshest. Where no limit on blind
    steps is given, intervals that leave more steps without any reading are set aside.

    What a session took over from another one given here counts there alone. A file that is a copy of
    another one given here is left out. Filters keep whole sessions or leave them out. Exit status 1
    when a file could not be used; the others are compared all the same. Exit status 2 when the limits
    leave nothing to recommend.
    """
    keep = session_filter(**asked, zone=knobs.zone)
    tried = _intervals(intervals, knobs.delivery)
    bases = [_base(knobs, each, tried) for each in map(read_scenario, files)]
    if not bases and not (preset and not intervals):
        bases = [_base(knobs, Scenario(), tried)]
    found = find_files(paths)
    outputs.check([*map(_path, found), *files], as_json=as_json)
    request = Request(
        found=found,
        scenarios=candidates(bases, tried, map(knobs.on, preset)),
        world=knobs.world(bases[0] if bases else Scenario()),
        limits=limits,
        keep=keep,
        prices=prices,
        jobs=jobs,
        cache=not no_cache,
    )
    return _show(tune_files(request), cast(Agent, agent), outputs, as_json=as_json)


def _show(tuned: Tuned, agent: Agent, outputs: Outputs, *, as_json: bool) -> int:
    troubles = troubles_of(tuned.request.found, tuned.frame)
    note_troubles(troubles)
    if as_json:
        print_json(tune_document(tuned, troubles, agent))
    elif outputs.csv != STDOUT:
        show_tuned(tuned, agent)
    outputs.write(tuned)
    if tuned.refused:
        raise TuneError(str(tuned.refusal).replace("max_blind_ratio", "--max-blind"), kind="limits")
    return 1 if any(each.refused for each in troubles) else 0


def _path(found: str | FileProblem) -> str:
    return found.path if isinstance(found, FileProblem) else found


def _intervals(given: Sequence[Sequence[int]], delivery: str | None) -> list[int]:
    """Return each interval once, shortest first; of the usual ones those that the delivery can have."""
    if given:
        return sorted({ms for part in given for ms in part})
    least_ms = SHORTEST_TIMER_MS if delivery == "timer" else 0
    return [ms for ms in INTERVALS.convert(_INTERVALS, None, None) if ms >= least_ms]


def _base(knobs: Knobs, scenario: Scenario, intervals_ms: Sequence[int]) -> Scenario:
    """Return a scenario to try; a timer has to have some interval before it gets each of them."""
    return knobs.on(scenario, max(intervals_ms) if knobs.delivery == "timer" else None)

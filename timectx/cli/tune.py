"""Compare refresh intervals over many sessions, and recommend one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import click
from msgspec import Struct, to_builtins
from rich.progress import TaskID

from timectx.cli.copies import Originals
from timectx.cli.options import EDITION, INTERVALS, PATH, ZONE, json_option, paths_argument
from timectx.cli.scenario_options import Knobs, read_scenario
from timectx.cli.scenarios import scenario_words
from timectx.cli.screen import clean, counted, note, place, print_json, progress, say
from timectx.cli.sources import Loaded, find_files, load
from timectx.cli.tables import print_table
from timectx.cli.targets import STDOUT, check_target, write_whole
from timectx.formats import FileProblem
from timectx.reading import Edition, format_duration
from timectx.replay import Scenario
from timectx.results.frames import measures_frame
from timectx.results.recommendation import Recommendation
from timectx.results.totals import Totals
from timectx.results.trial import Trial, Tried
from timectx.session import Problem
from timectx.units import format_interval

__all__ = ["tune_command"]

_INTERVALS: Final = "0,10s,30s,1m,2m,5m,10m,30m,1h,2h,4h"


_TASK: Final = TaskID(0)

_HEADS: Final = (
    "interval",
    "readings",
    "tokens\nadded",
    "tokens\nresent",
    "share of\nall tokens",
    "age\nmedian",
    "age\n95 %",
    "staleness\nmedian",
    "staleness\n95 %",
    "blind\nsteps",
)

_LEGEND: Final = (
    "age: time since the newest reading in the log, before each decision\n"
    "staleness: time since the newest reading the model sees, 0 where it just got one; blind steps see none"
)


class _Trouble(Struct, frozen=True):
    """Name something wrong with a file; `refused` where it could not be used at all."""

    path: str
    line: int
    kind: str
    message: str
    refused: bool


class _Tuned(Struct, frozen=True):
    """Hold what tuning found: a run for each session and interval, with the path of its file."""

    trial: Trial
    runs: list[tuple[str, Tried]]
    troubles: list[_Trouble]
    sessions: int


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
@click.option("--zone", type=ZONE, help="Zone shown where the browser's is not known.")
@click.option("--edition", type=EDITION, help="Published contract the readings follow; readme where nothing says.")
@click.option("--scenario", type=PATH, metavar="TOML", help="Take everything but the intervals from a file.")
@click.option(
    "--csv", "csv_path", type=PATH, metavar="FILE", help="Write a row for each session and interval; - prints them."
)
@json_option
def tune_command(
    paths: tuple[str, ...],
    intervals: tuple[tuple[int, ...], ...],
    zone: str | None,
    edition: Edition | None,
    scenario: str | None,
    csv_path: str | None,
    as_json: bool,
) -> int:
    """Show what each refresh interval would have cost over some sessions, and recommend one.

    The recommendation: of the intervals that no other beats in both share of tokens and staleness
    (95th percentile), the one where the two, each scaled to its range, have the smallest sum.
    Intervals that leave more steps without any reading are set aside. What a session took over from
    another one given here counts once in the table; a row of the JSON or CSV says in inherited_steps
    how many steps that are. A file that is a copy of another one given here is left out. Exit status 1
    when a file could not be used; the others are compared all the same.
    """
    if as_json and csv_path == STDOUT:
        raise click.UsageError(f"--json and --csv {STDOUT} both print; leave one of them away")
    base = Knobs(zone=zone, edition=edition).on(read_scenario(scenario) if scenario else Scenario())
    found = find_files(paths)
    if csv_path is not None:
        check_target(csv_path, _inputs(found, scenario))
    tuned = _tune(
        found, [ms for part in intervals or (INTERVALS.convert(_INTERVALS, None, None),) for ms in part], base
    )
    if as_json:
        print_json(_document(tuned))
    elif csv_path != STDOUT:
        _show(tuned, base)
    if csv_path is not None:
        _write_csv(tuned, csv_path)
    return 1 if any(each.refused for each in tuned.troubles) else 0


def _inputs(found: Sequence[str | FileProblem], scenario: str | None) -> list[str]:
    return [each.path if isinstance(each, FileProblem) else each for each in found] + ([scenario] if scenario else [])


def _tune(found: Sequence[str | FileProblem], intervals: Sequence[int], base: Scenario) -> _Tuned:
    trial = Trial(intervals, base)
    runs: dict[int, list[tuple[str, Tried]]] = {}
    originals = Originals()
    troubles: list[_Trouble] = []
    ids: set[str] = set()
    with progress("replaying", len(found)) as bar:
        for at, loaded in _parents_first(found, ids):
            if loaded.problem is not None:
                troubles.append(_Trouble(refused=True, **to_builtins(loaded.problem)))
            original = originals.of(loaded.path, loaded.session) if loaded.session else None
            if original is not None:
                troubles.append(_copy(loaded.path, original))
            elif loaded.session is not None:
                done = trial.add(loaded.session, ids)
                runs[at] = [(loaded.path, each) for each in done]
                troubles.extend(_oddities(loaded.path, (*loaded.session.problems, *done[0].run.problems)))
            bar.advance(_TASK)
    return _Tuned(trial, [each for at in sorted(runs) for each in runs[at]], troubles, len(runs))


def _parents_first(found: Sequence[str | FileProblem], ids: set[str]) -> Iterator[tuple[int, Loaded]]:
    """Yield each file with its place, and collect ids; sessions that have a parent come last, when all are known."""
    later = []
    for at, each in enumerate(found):
        loaded = load(each)
        if loaded.session is not None:
            ids.add(loaded.session.header.id)
        if loaded.session is not None and loaded.session.header.parent_session is not None:
            later.append(at)  # read again then: a whole folder of sessions does not fit in memory
        else:
            yield at, loaded
    for at in later:
        yield at, load(found[at])


def _copy(path: str, original: str) -> _Trouble:
    note(f"{path} is a copy of {original}; the session counts once")
    return _Trouble(path, 0, "copy", f"a copy of {original}; the session counts once", refused=False)


def _oddities(path: str, problems: Sequence[Problem]) -> list[_Trouble]:
    if problems:
        more = f" (and {len(problems) - 1} more; timectx inspect lists them)" if len(problems) > 1 else ""
        note(f"{place(path, problems[0].line)}: {problems[0].message}{more}")
    return [_Trouble(path, each.line, each.kind, each.message, refused=False) for each in problems]


def _write_csv(tuned: _Tuned, path: str) -> None:
    if not tuned.runs:
        note("no session to compare" if path == STDOUT else f"{path} was not written: there is no row for it")
        return
    frame = measures_frame(each.run for _, each in tuned.runs)
    frame.insert(1, "path", [clean(each) for each, _ in tuned.runs])
    inherited = [each.inherited_steps for _, each in tuned.runs]
    frame.insert(list(frame.columns).index("steps") + 1, "inherited_steps", inherited)
    text = frame.to_csv(index=False, lineterminator="\n")
    if path == STDOUT:
        say(text.removesuffix("\n"))
    else:
        write_whole(path, text)


def _document(tuned: _Tuned) -> dict[str, object]:
    best = tuned.trial.recommendation()
    return {
        "rows": [_row_of(path, each) for path, each in tuned.runs],
        "totals": [{"interval_ms": ms, **to_builtins(each)} for ms, each in tuned.trial.totals().items()],
        "recommendation": {**to_builtins(best), "snippet": best.snippet()} if best else None,
        "as_recorded": _today_of(tuned.trial, best) if best else None,
        "problems": to_builtins(tuned.troubles),
    }


def _row_of(path: str, tried: Tried) -> dict[str, object]:
    run, scenario = tried.run, tried.run.scenario
    return {
        "session": run.session_id,
        "path": path,
        "interval_ms": scenario.interval_ms,
        "edition": scenario.edition,
        "time_zone": to_builtins(scenario.time_zone),
        "meter": scenario.meter,
        "zone_database": run.zone_database,
        **to_builtins(run.measures),
        "inherited_steps": tried.inherited_steps,
    }


def _today_of(trial: Trial, best: Recommendation) -> dict[str, object] | None:
    if not trial.recorded:
        return None
    today, recommended = trial.today(best.interval_ms)
    return {
        "sessions": [
            {
                "session": each.session,
                "path": each.path,
                "edition": each.explanation.scenario.edition,
                "policy": each.explanation.scenario.policy,
                "interval_ms": each.explanation.scenario.interval_ms,
                "explanation": str(each.explanation),
            }
            for each in trial.recorded
        ],
        "totals": to_builtins(today),
        "recommended": to_builtins(recommended),
    }


def _show(tuned: _Tuned, base: Scenario) -> None:
    totals = tuned.trial.totals()
    best = tuned.trial.recommendation()
    if not tuned.sessions:
        say("no session to compare")
        return
    first = next(iter(totals.values()))
    counts = (counted(tuned.sessions, "session"), counted(first.steps, "step"), counted(first.requests, "request"))
    say(f"{', '.join(counts)}; {scenario_words(base)}")
    say("")
    marked = list(totals).index(best.interval_ms) if best else None
    print_table(_HEADS, (_cells(ms, each) for ms, each in totals.items()), marked=marked)
    say("")
    say(_LEGEND)
    say("")
    if best is None:
        say("No recommendation: no step of these sessions sees a reading.")
        return
    say(f"Recommended: {format_interval(best.interval_ms)}")
    for reason in best.reasons:
        say(f"  {reason}")
    say("")
    if tuned.trial.recorded:
        _show_today(tuned, best)
    say("To set it, in the configuration of the time-context plugin:")
    say("")
    say(best.snippet())


def _show_today(tuned: _Tuned, best: Recommendation) -> None:
    recorded = tuned.trial.recorded
    today, recommended = tuned.trial.today(best.interval_ms)
    settings = Counter(_setting(each.explanation.scenario) for each in recorded)
    named = "; ".join(f"{count:,} with {setting}" for setting, count in settings.items())
    say(f"As recorded ({len(recorded):,} of {counted(tuned.sessions, 'session')} hold readings: {named}):")
    say(f"  Today:       {_effect(today)}")
    say(f"  Recommended: {_effect(recommended)}")
    say("")


def _setting(scenario: Scenario) -> str:
    due = f"interval {format_interval(scenario.interval)}" if scenario.policy == "interval" else "no single interval"
    return f"{due}, edition {scenario.edition}"


def _effect(totals: Totals) -> str:
    tokens = f"{totals.reading_tokens:,} tokens added and {totals.resent_tokens:,} resent"
    staleness = f"{_time(totals.staleness_median_ms)} median, {_time(totals.staleness_p95_ms)} at 95 %"
    return f"{counted(totals.readings, 'reading')}, {tokens}, {_share(totals)} of all tokens, staleness {staleness}"


def _cells(interval_ms: int, totals: Totals) -> tuple[str, ...]:
    return (
        format_interval(interval_ms),
        f"{totals.readings:,}",
        f"{totals.reading_tokens:,}",
        f"{totals.resent_tokens:,}",
        _share(totals),
        _time(totals.age_median_ms),
        _time(totals.age_p95_ms),
        _time(totals.staleness_median_ms),
        _time(totals.staleness_p95_ms),
        f"{totals.blind_steps:,}",
    )


def _share(totals: Totals) -> str:
    return f"{100 * totals.reading_ratio:.1f} %"


def _time(value_ms: int | None) -> str:
    if value_ms is None:
        return "-"
    return ("-" if value_ms < 0 else "") + format_duration(abs(value_ms))

"""Print what tuning found for people: a table of settings, the recommendation and its reasons, text to paste."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from timectx.cli.scenarios import scenario_words
from timectx.cli.screen import clean, counted, say
from timectx.cli.tables import print_table
from timectx.cli.tuning import Tuned, rows_of
from timectx.reading import format_duration
from timectx.sweep.advice.snippet import Agent
from timectx.sweep.labels import AS_RECORDED
from timectx.units import format_interval

__all__ = ["show_tuned"]

_LEGEND: Final = (
    "staleness: time since the newest reading the model sees, 0 where it just got one; blind steps see none\n"
    "cost: all requests at the prices of their models, with what the provider's cache saves"
)


def show_tuned(tuned: Tuned, agent: Agent) -> None:
    """
    Print the settings that were compared, and which one to use.

    Parameters
    ----------
    tuned : Tuned
        What came of it.
    agent : str
        Whose configuration to print.
    """
    if not tuned.sessions:
        say("no session to compare" + _filtered(tuned))
        return
    table = list(rows_of(tuned.totals))  # what was recorded comes last
    rows = [each for each in table if each["scenario"] != AS_RECORDED]
    _show_head(tuned, rows)
    say("")
    chosen = [each["scenario"] for each in rows].index(tuned.best.scenario) if tuned.best else None
    cells = [(_name(each, tuned.sessions), *_cells(each)) for each in table]
    print_table(_heads(tuned, rows), cells, left=("scenario",), marked=chosen)
    say("")
    say(_LEGEND)
    if any(_is_partial(each) for each in table):
        say("+ after a cost: some sessions have no price, and theirs would come on top")
    if tuned.best:
        front = ", ".join(each.scenario for each in tuned.best.front)
        say(clean(f"front: what no other beats in both spending and staleness: {front}"))
    say("")
    _show_answer(tuned, agent)


def _show_head(tuned: Tuned, rows: Sequence[dict[str, Any]]) -> None:
    words = list(dict.fromkeys(scenario_words(each) for each in tuned.scenarios.values()))
    counts = [counted(tuned.sessions, "session")]
    if rows:
        counts += [counted(rows[0]["steps"], "step"), counted(min(each["requests"] for each in rows), "request")]
    said = words[0] if len(words) == 1 else f"{counted(len(rows), 'scenario')} of {len(words)} kinds"
    say(clean(f"{', '.join(counts)}; {said}"))
    left_out = _filtered(tuned)
    if left_out:
        say(clean(f"Sessions{left_out}"))


def _filtered(tuned: Tuned) -> str:
    """Say what a filter keeps: whole sessions, of which none is cut."""
    keep = tuned.request.keep
    if not keep:
        return ""
    left_out = tuned.frame.attrs["filtered"]
    return f" {keep.words()}; each whole, {counted(left_out, 'other')} left out"


def _heads(tuned: Tuned, rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    plain = all(each["scenario"] == format_interval(each["interval_ms"]) for each in rows)
    return (
        "interval" if plain else "scenario",
        "readings",
        "tokens\nadded",
        "tokens\nresent",
        "share of\nall tokens",
        "staleness\nmedian",
        f"staleness\n{100 * tuned.request.limits['quantile']:g} %",
        "blind\nsteps",
        "longest\nblind",
        "cost\nUSD",
    )


def _name(row: dict[str, Any], sessions: int) -> str:
    """Return what a row is called; what was recorded says of how many sessions, where not of all."""
    if row["scenario"] != AS_RECORDED:
        return str(row["scenario"])
    return "as recorded" + (f" ({row['sessions']:,} of {sessions:,})" if row["sessions"] < sessions else "")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['readings']:,}",
        f"{row['reading_tokens']:,}",
        f"{row['resent_tokens'] + row['extra_tokens']:,}",
        f"{100 * row['spent_ratio']:.1f} %",
        _time(row["staleness_median_ms"]),
        _time(row["staleness_ms"]),
        f"{row['blind_steps']:,}",
        _time(row["longest_blind_ms"]),
        _cost(row),
    )


def _show_answer(tuned: Tuned, agent: Agent) -> None:
    if tuned.best is None:
        if not tuned.refused:
            say(f"No recommendation: {tuned.refusal}.")
        return
    for line in str(tuned.best).splitlines():
        say(clean(line))
    say("")
    say("To set it:" if agent != "dsh" else "To set it, in the configuration of the time-context plugin:")
    say("")
    say(tuned.best.snippet(agent))


def _time(value_ms: int | None) -> str:
    return "-" if value_ms is None else format_duration(value_ms)


def _cost(row: dict[str, Any]) -> str:
    """Write the bill; a plus where sessions without a price would come on top."""
    if row["cost_usd"] is None:
        return "unpriced"
    return f"{row['cost_usd']:.4f}" + (" +" if _is_partial(row) else "")


def _is_partial(row: dict[str, Any]) -> bool:
    return row["cost_usd"] is not None and bool(row["unpriced_sessions"])

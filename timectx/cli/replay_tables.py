"""Print a replay for people: its readings and measures, or two and more side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Final

from timectx.cli.scenarios import due_words, scenario_words
from timectx.cli.screen import clean, counted, say
from timectx.cli.tables import print_table
from timectx.cost import PriceList, bill_run
from timectx.reading import format_duration
from timectx.replay import Explanation, Run, RunReading
from timectx.results.compare import compare_measures, own_readings, parting_step
from timectx.units import format_interval

__all__ = ["show_replay", "show_side_by_side"]

_PROSE: Final = "what it is"
_OF_A_PAIR: Final = ("own_readings", "reworded_readings", "parting_step")
"""Rows whose value for one run depends on the other."""


def show_replay(run: Run, explanation: Explanation | None = None, prices: PriceList | None = None) -> None:
    """
    Print the readings of a run, then its measures.

    Parameters
    ----------
    run : Run
        The run.
    explanation : Explanation, optional
        What explains the log, where that was asked for.
    prices : PriceList, optional
        What to bill by; None takes the list that comes with the package.
    """
    rows = [
        (name, _value(unit, value), description)
        for name, unit, value, *_, description in compare_measures(run, run, prices=prices)
        if name not in _OF_A_PAIR
    ]
    say(clean(f"{due_words(run.scenario)}, {scenario_words(run.scenario)}"))
    if explanation:
        say(f"as recorded: {explanation}")
    say("")
    heads = ("turn", "step", "time", "elapsed", "tokens", "resent in")
    print_table(heads, map(_reading_row, run.readings), left=("time",), keys=2)
    say("")
    print_table(("measure", "value", _PROSE), rows, left=("measure", _PROSE), prose=_PROSE)
    say("")
    for line in bill_run(run, prices).describe():
        say(clean(line))


def show_side_by_side(run: Run, others: Sequence[Run], prices: PriceList | None = None) -> None:
    """
    Print the measures of several runs of one session beside each other, and the readings that only one has.

    Parameters
    ----------
    run : Run
        The one that the others are compared with.
    others : sequence of Run
        At least one.
    prices : PriceList, optional
        What to bill by; None takes the list that comes with the package.
    """
    rows = list(_measure_rows(run, others, prices))
    names = [_letter(at) for at in range(len(others) + 1)]
    for name, each in zip(names, (run, *others), strict=True):
        say(clean(f"{name}: {due_words(each.scenario)}, {scenario_words(each.scenario)}"))
    say("")
    heads = ["measure", names[0]]
    for name in names[1:]:
        heads += [name, f"{name} - {names[0]}", f"{name} / {names[0]}"]
    print_table((*heads, _PROSE), rows, left=("measure", _PROSE), prose=_PROSE)
    for name, other in zip(names[1:], others, strict=True):
        say("")
        _show_parting(names[0], run, name, other)


def _letter(at: int) -> str:
    tens, ones = divmod(at, len(ascii_lowercase))
    return ascii_lowercase[ones] + (str(tens) if tens else "")


def _measure_rows(run: Run, others: Sequence[Run], prices: PriceList | None) -> Iterator[tuple[str, ...]]:
    compared = [compare_measures(run, other, prices=prices) for other in others]
    for rows in zip(*compared, strict=True):
        name, unit, first, *_, description = rows[0]
        if name == "parting_step" or (name in _OF_A_PAIR and len(others) > 1):
            continue  # a sentence says it below
        cells = [_value(unit, first)]
        for _, _, _, value, difference, ratio, _ in rows:
            cells += [_value(unit, value), _value(unit, difference), "none" if ratio is None else f"{ratio:.3g}"]
        yield name, *cells, description


def _show_parting(a_name: str, a: Run, b_name: str, b: Run) -> None:
    number = parting_step(a, b)
    if number is None:
        say(f"{a_name} and {b_name} are the same in every step.")
        return
    step = max(a.steps, b.steps, key=len)[number - 1]
    say(f"{a_name} and {b_name} part at turn {step.turn}, step {step.step} (step {number:,} of the session).")
    rows = [
        (name, *_reading_row(reading))
        for name, readings in zip((a_name, b_name), own_readings(a, b), strict=True)
        for reading in readings
    ]
    if rows:
        say("")
        heads = ("only in", "turn", "step", "time", "elapsed", "tokens", "resent in")
        print_table(heads, rows, left=("only in", "time"), keys=3)


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
    if unit == "USD":
        return f"{value:.6f} USD"
    return f"{value:,}"

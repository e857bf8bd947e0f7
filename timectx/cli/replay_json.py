"""Put a replay into plain values that hold all that is needed to compute it again by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import to_builtins

from timectx.cli.bill_json import bill_document, billed_compactions, billed_requests
from timectx.cli.scenarios import scenario_document
from timectx.cli.sources import Loaded
from timectx.cost import PriceList
from timectx.replay import Explanation, Run, RunReading
from timectx.results.compare import compare_measures, own_readings, parting_step
from timectx.session import Session

__all__ = ["empty_document", "replay_document"]

_KEYS: Final = (
    "session",
    "path",
    "scenario",
    "readings",
    "steps",
    "attempts",
    "requests",
    "compactions",
    "measures",
    "bill",
    "zone_database",
    "problems",
)
"""What the JSON holds in any case."""


def empty_document(loaded: Loaded) -> dict[str, Any]:
    """
    Return what stands where there is no run.

    Parameters
    ----------
    loaded : Loaded
        A file that gave no session.

    Returns
    -------
    dict
        Every key, and the problem alone filled in.
    """
    filled = {"path": loaded.path, "problems": to_builtins((loaded.problem,) if loaded.problem else ())}
    return {key: filled.get(key) for key in _KEYS}


def replay_document(
    session: Session,
    run: Run,
    explanation: Explanation | None = None,
    others: Iterable[Run] = (),
    prices: PriceList | None = None,
) -> dict[str, Any]:
    """
    Return a run as plain values.

    Parameters
    ----------
    session : Session
        What was replayed.
    run : Run
        What came of it.
    explanation : Explanation, optional
        What explains the log, where that was asked for; None leaves it away.
    others : iterable of Run, optional
        Further runs of the session, each to be compared with `run`.
    prices : PriceList, optional
        What to bill by; None takes the list that comes with the package.

    Returns
    -------
    dict
        Scenario, readings, steps, attempts, requests, compactions, measures and bill, with the release of the zone
        database.
    """
    document: dict[str, Any] = {
        "session": run.session_id,
        "path": session.path,
        **_run_of(run, prices),
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
    compared = [{**_run_of(other, prices), "comparison": _comparison(run, other, prices)} for other in others]
    return {**document, "compared": compared} if compared else document


def _run_of(run: Run, prices: PriceList | None) -> dict[str, Any]:
    return {
        "scenario": scenario_document(run.scenario),
        "readings": to_builtins(run.readings),
        "steps": to_builtins(run.steps),
        "attempts": to_builtins(run.attempts),
        "requests": billed_requests(run, prices),
        "compactions": billed_compactions(run, prices),
        "measures": to_builtins(run.measures),
        "bill": bill_document(run, prices),
    }


def _comparison(a: Run, b: Run, prices: PriceList | None) -> dict[str, Any]:
    names = ("measure", "unit", "a", "b", "difference", "ratio")
    only_a, only_b = own_readings(a, b)
    return {
        "measures": [dict(zip(names, row, strict=False)) for row in compare_measures(a, b, prices=prices)],
        "readings_only_a": list(map(_named, only_a)),
        "readings_only_b": list(map(_named, only_b)),
        "parting": _parting(a, b),
    }


def _named(reading: RunReading) -> dict[str, Any]:
    return {"turn": reading.turn, "step": reading.step, "now_ms": reading.now_ms, "text": reading.text}


def _parting(a: Run, b: Run) -> dict[str, int] | None:
    number = parting_step(a, b)
    if number is None:
        return None
    step = max(a.steps, b.steps, key=len)[number - 1]
    return {"number": number, "turn": step.turn, "step": step.step}

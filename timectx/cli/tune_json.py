"""Put what tuning found into plain values that are the same in every run: no path, no clock, no duration of work."""

from __future__ import annotations

from typing import Any, Final

from msgspec import to_builtins

from timectx.cli.problems import Trouble
from timectx.cli.scenarios import scenario_document
from timectx.cli.tuning import Tuned, rows_of
from timectx.replay import parse_scenario
from timectx.sweep.advice.snippet import Agent
from timectx.sweep.labels import AS_RECORDED

__all__ = ["tune_document"]

_NOT_IN_ROWS: Final = ["path", "staleness_counts"]


def tune_document(tuned: Tuned, troubles: list[Trouble], agent: Agent) -> dict[str, Any]:
    """
    Return what tuning found as plain values.

    Parameters
    ----------
    tuned : Tuned
        What came of it.
    troubles : list of Trouble
        What was wrong with files.
    agent : str
        Whose configuration to write.

    Returns
    -------
    dict
        Rows and totals, the scenarios they are of, the recommendation, what was recorded, and problems. Sessions go by
        their ids, files by their place among those given, from 1.
    """
    keep, best = tuned.request.keep, tuned.best
    return {
        "rows": list(rows_of(tuned.frame.drop(columns=_NOT_IN_ROWS))),
        "totals": [each for each in rows_of(tuned.totals) if each["scenario"] != AS_RECORDED],
        "scenarios": [{"scenario": label, **scenario_document(each)} for label, each in tuned.scenarios.items()],
        "recommendation": {**best.to_dict(), "snippet": best.snippet(agent)} if best else None,
        "refusal": _refusal(tuned),
        "as_recorded": _as_recorded(tuned),
        "filter": {**to_builtins(keep), "left_out": tuned.frame.attrs["filtered"]} if keep else None,
        "problems": [_problem(each) for each in troubles],
        "versions": tuned.frame.attrs["versions"],
    }


def _refusal(tuned: Tuned) -> dict[str, Any] | None:
    error = tuned.refusal
    if error is None:
        return None
    nearest = [{"limit": name, "value": value, "scenario": label} for name, (value, label) in error.nearest.items()]
    return {"kind": error.kind, "message": str(error), "nearest": nearest}


def _as_recorded(tuned: Tuned) -> dict[str, Any] | None:
    recorded = tuned.frame.attrs["as_recorded"]
    totals = [each for each in rows_of(tuned.totals) if each["scenario"] == AS_RECORDED]
    if not recorded or not totals:
        return None
    today = tuned.best.today if tuned.best else None
    return {
        "sessions": [
            {
                "session": each["session"],
                "explanation": each["explanation"],
                "scenario": scenario_document(parse_scenario(each["scenario"])),
            }
            for each in recorded
        ],
        "settings": to_builtins(today.settings) if today else None,
        "totals": totals[0],
        "recommended": to_builtins(today.recommended) if today else None,
    }


def _problem(trouble: Trouble) -> dict[str, Any]:
    return {
        "input": trouble.place,
        "session": trouble.session,
        "line": trouble.line,
        "kind": trouble.kind,
        "message": trouble.unplaced,
        "refused": trouble.refused,
    }

"""Make requests and runs by hand."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tests.results.runs import run
from timectx.replay.run import Run, RunRequest
from timectx.replay.scenario import Scenario

REQUEST = RunRequest(
    turn=1, step=1, time_ms=0, kind="step", input_tokens=0, stable_tokens=0, nodes=2, provider="p", model="m"
)


def sent(input_tokens: int, stable_tokens: int = 0, **parts: Any) -> RunRequest:
    """Return one request; `parts` replaces whole fields."""
    return replace(REQUEST, input_tokens=input_tokens, stable_tokens=stable_tokens, **parts)


def run_of(*requests: RunRequest, compactions: tuple[Any, ...] = (), **knobs: Any) -> Run:
    """Return a run that sent some requests, under a scenario of some knobs."""
    return run(requests=requests, compactions=compactions, scenario=Scenario(time_zone="UTC", **knobs))

"""Replay the sessions that come with timectx, each once."""

from __future__ import annotations

from functools import cache

from timectx import Scenario, Session, read_session, replay_session
from timectx.replay import Run
from timectx.synthetic import sample_paths


@cache
def session(name: str) -> Session:
    """Return a sample."""
    return read_session(sample_paths()[name])


@cache
def sample_run(name: str, interval_ms: int = 600_000) -> Run:
    """Return a sample's run under an interval."""
    return replay_session(session(name), Scenario(interval_ms=interval_ms))

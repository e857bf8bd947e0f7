"""The scenario that explains a log, tried on every log file the original wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.rows import logs
from timectx.formats import read_sessions
from timectx.replay import explain_recorded, replay_session
from timectx.session import Session, is_reading_event
from timectx.session.events import UserMessage


def recorded(session: Session) -> list[tuple[int | None, str]]:
    """Return seq and text of every reading a log holds."""
    events = [event for event in session.events if is_reading_event(event) and isinstance(event, UserMessage)]
    return [(event.seq, str(event.data.content[0]["text"])) for event in events]


@pytest.mark.parametrize("case", sorted(logs().iterdir()), ids=lambda case: case.name)
def test_as_recorded_gives_every_reading_of_a_real_log_and_no_other(case: Path) -> None:
    """Byte for byte and in its place, with an interval that explains every attempt; refused logs are left out."""
    sessions, _ = read_sessions([case / "root"], strict=True)
    for session in sessions:
        found = explain_recorded(session)
        run = replay_session(session, found.scenario)
        assert [(reading.recorded_seq, reading.text) for reading in run.readings] == recorded(session)
        assert (found.conflicts, run.problems) == ((), ())


def test_the_real_logs_hold_readings() -> None:
    """The cases above are not all empty."""
    sessions, _ = read_sessions([case / "root" for case in sorted(logs().iterdir())], strict=True)
    assert sum(len(recorded(session)) for session in sessions) > 50

"""Show which types format 0 knows."""

from __future__ import annotations

from pathlib import Path

from tests.formats.logs import event, turn, write_log
from timectx.formats import read_session, unknown_types
from timectx.formats.dsh_vocabulary import KNOWN_TYPES


def test_format_0_knows_forty_eight_types() -> None:
    """As the original lists them."""
    assert len(KNOWN_TYPES) == 48


def test_unknown_types_are_counted(tmp_path: Path) -> None:
    """They are events; only their number is told apart."""
    later = [event("b/new", 9, {}), event("a/new", 10, {}), event("todo/write", 11, {}), event("b/new", 12, {})]
    session = read_session(write_log(tmp_path / "a.jsonl", [*turn(), *later]))
    assert unknown_types(session) == {"b/new": 2, "a/new": 1}
    assert len(session.events) == 11


def test_a_log_of_known_types_has_none(tmp_path: Path) -> None:
    """An empty answer."""
    assert unknown_types(read_session(write_log(tmp_path / "a.jsonl", turn()))) == {}

"""Show how the layouts before format 0's release become the one it has now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.logs import event, user, write_log
from timectx.formats import read_session
from timectx.formats.dsh_early import is_early_reason, late_reason, late_record, legacy_id
from timectx.session import is_reading_event, record_of
from timectx.session.events import OtherEvent

TEXT = [{"type": "text", "text": "x"}]
PLUGIN = {"kind": "plugin", "plugin": "time-context"}


def settled(path: Path, *records: Any) -> list[dict[str, Any]]:
    """Return the records of a log as the tolerant reader settles them, without a problem."""
    session = read_session(write_log(path, records))
    assert session.problems == ()
    return [record_of(one) for one in session.events]


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ({"turn": 1, "trigger": {"kind": "message", "source": {"kind": "user"}}}, {"turn": 1}),
        ({"turn": 1, "trigger": None}, {"turn": 1}),
    ],
    ids=["message", "null"],
)
def test_a_turn_no_longer_says_what_triggered_it(tmp_path: Path, early: Any, late: Any) -> None:
    """The trigger is dropped."""
    assert settled(tmp_path / "a", event("turn/start", 0, early)) == [event("turn/start", 0, late)]


@pytest.mark.parametrize("kind", ["user/message", "context/message", "steering/message"])
def test_a_bare_message_becomes_a_user_message_with_role_and_id(tmp_path: Path, kind: str) -> None:
    """Whatever the type it had; the id is made from session and seq."""
    data: dict[str, Any] = {"content": TEXT, "source": PLUGIN}
    early = event(kind, 0, {"turn": 3, **data} if kind == "steering/message" else data, surfaceOp="append")
    late = event("user/message", 0, {**data, "role": "user", "id": "legacy-message:s:0"}, surfaceOp="append")
    assert settled(tmp_path / "a", early) == [late]


def test_a_reading_recorded_as_context_is_a_reading(tmp_path: Path) -> None:
    """Early logs hold their readings so."""
    early = event("context/message", 0, {"content": TEXT, "source": PLUGIN}, surfaceOp="append")
    session = read_session(write_log(tmp_path / "a", [early]))
    assert is_reading_event(session.events[0])
    assert session.surface.nodes == (0,)


@pytest.mark.parametrize(
    ("provenance", "source"),
    [
        ({"provenance": {"provider": "p", "model": "m"}}, {"provider": "p", "model": "m", "kind": "model"}),
        ({}, {"kind": "model"}),
    ],
    ids=["provenance", "none"],
)
def test_a_bare_reply_is_wrapped(tmp_path: Path, provenance: Any, source: Any) -> None:
    """What it says of its model becomes its source."""
    early = event("assistant/message", 0, {"turn": 1, "step": 1, "content": TEXT, **provenance}, surfaceOp="append")
    message = {"content": TEXT, "source": source, "role": "assistant", "id": "legacy-message:s:0"}
    late = event("assistant/message", 0, {"turn": 1, "step": 1, "message": message}, surfaceOp="append")
    assert settled(tmp_path / "a", early) == [late]


def test_a_bare_result_is_wrapped_and_a_rewritten_one_keeps_the_id(tmp_path: Path) -> None:
    """The copy that replaces a result is the same message, shortened."""
    data = {"turn": 1, "step": 1, "callId": "c", "content": TEXT, "isError": True}
    marks: dict[str, Any] = {"surfaceOp": {"op": "replace", "start": 0, "end": 0}, "sourceEventSeqs": [0]}
    early = [event("tool/result", 0, data, surfaceOp="append"), event("tool/result", 1, data, **marks)]
    block = {"type": "tool-result", "toolCallId": "c", "content": TEXT, "isError": True}
    source = {"kind": "tool", "callId": "c"}
    message = {"content": [block], "source": source, "role": "user", "id": "legacy-message:s:0"}
    late = {"turn": 1, "step": 1, "message": message}
    assert settled(tmp_path / "a", *early) == [
        event("tool/result", 0, late, surfaceOp="append"),
        event("tool/result", 1, late, **marks),
    ]


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ({"kind": "aborted"}, {"kind": "aborted", "reason": {"kind": "legacy"}}),
        ({"kind": "disposed"}, {"kind": "aborted", "reason": {"kind": "disposed"}}),
        (
            {"kind": "error", "step": 1, "message": "boom"},
            {"kind": "error", "error": {"message": "boom", "code": "UNKNOWN"}},
        ),
        (
            {"kind": "error", "step": 1, "message": "boom", "code": "E"},
            {"kind": "error", "error": {"message": "boom", "code": "E"}},
        ),
        (
            {"kind": "error", "step": 1, "failure": {"message": "boom", "status": 500}},
            {"kind": "error", "error": {"message": "boom", "status": 500, "code": "UNKNOWN"}},
        ),
        ({"kind": "completed"}, {"kind": "completed"}),
        ({"kind": "aborted", "reason": {"kind": "user"}}, {"kind": "aborted", "reason": {"kind": "user"}}),
        (
            {"kind": "error", "error": {"message": "m", "code": "C"}},
            {"kind": "error", "error": {"message": "m", "code": "C"}},
        ),
    ],
    ids=["aborted", "disposed", "error", "error code", "failure", "completed", "late abort", "late error"],
)
def test_the_reason_of_a_turns_end_is_brought_to_its_late_form(tmp_path: Path, early: Any, late: Any) -> None:
    """A bare abort, a disposal, an error of any early shape; late ones stay."""
    records = [event("turn/start", 0, {"turn": 1}), event("turn/end", 1, {"turn": 1, "reason": early})]
    assert settled(tmp_path / "a", *records)[1]["data"]["reason"] == late
    assert is_early_reason(early) == (early != late)


def test_an_error_that_is_not_recorded_is_kept_and_reported(tmp_path: Path) -> None:
    """The turn has ended all the same."""
    end = event("turn/end", 1, {"turn": 1, "reason": {"kind": "error", "step": 1}})
    session = read_session(write_log(tmp_path / "a", [event("turn/start", 0, {"turn": 1}), end]))
    assert [(problem.line, problem.kind) for problem in session.problems] == [(3, "bad-turn-end")]
    assert session.turns[0].reason == "error"
    with pytest.raises(ValueError, match="not recorded"):
        late_reason({"kind": "error", "step": 1})


@pytest.mark.parametrize("part", ["start", "end"])
def test_early_names_of_compactions_are_the_late_ones(tmp_path: Path, part: str) -> None:
    """Where their data is that of the late type."""
    data = {"compactionId": "c", "turn": None}
    assert settled(tmp_path / "a", event(f"compact/{part}", 0, data)) == [event(f"compaction/{part}", 0, data)]


def test_an_early_compaction_of_another_shape_stays_what_it_is(tmp_path: Path) -> None:
    """It is kept under its own name, and reported."""
    session = read_session(write_log(tmp_path / "a", [event("compact/start", 0, {"id": "c"})]))
    assert [(type(one), one.type) for one in session.events] == [(OtherEvent, "compact/start")]
    assert [problem.kind for problem in session.problems] == ["bad-data"]


@pytest.mark.parametrize(
    "record",
    [
        user(0),
        event("turn/start", 0, {"turn": 1}),
        event("turn/start", 0, None),
        event("tool/result", 0, {"turn": 1}),
        event("assistant/message", 0, []),
        event("compact/other", 0, {}),
        {"type": ["user/message"], "data": {"content": []}},
        {},
    ],
    ids=["late", "turn", "null", "no content", "list", "other name", "odd type", "empty"],
)
def test_what_is_not_early_is_left_alone(record: Any) -> None:
    """The same object comes back."""
    assert late_record(record) is record


@pytest.mark.parametrize("kind", ["context/message", "compact/start"])
def test_some_layouts_are_converted_tolerantly_alone(kind: str) -> None:
    """The original refuses logs that hold them."""
    record = event(kind, 0, {"content": TEXT, "source": PLUGIN})
    assert late_record(record, strict=True) is record
    assert late_record(record)["type"] != kind


def test_converting_changes_no_argument() -> None:
    """A new record comes out."""
    data = {"turn": 1, "step": 1, "callId": "c", "content": TEXT, "isError": False}
    record = event("tool/result", 0, data)
    late = late_record(record)
    assert record == event("tool/result", 0, {"turn": 1, "step": 1, "callId": "c", "content": TEXT, "isError": False})
    assert late["data"] != data


def test_an_id_that_was_not_recorded_is_the_same_on_every_reading() -> None:
    """It is made of what the log holds."""
    assert legacy_id("s", 7) == "legacy-message:s:7"


def test_edits_of_the_system_prompt_are_events(tmp_path: Path) -> None:
    """The header in force follows from them."""
    header = {"header": {"config": {"model": "m"}, "system": "a\nb\nc"}, "reason": "initial"}
    delta = {"system": {"keepStart": 1, "keepEnd": 1, "insert": ["x", "y"]}}
    records = [event("request/header", 0, header), event("request/header-delta", 1, delta)]
    assert settled(tmp_path / "a", *records) == records

"""Show dsh's own refusals beyond the recorded logs: which rule comes first, and which lines matter."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.formats.logs import (
    HEADER,
    event,
    finish,
    line,
    log_bytes,
    piece,
    reply,
    result,
    row,
    turn,
    user,
    write_frames,
    write_log,
)
from timectx.errors import FormatError, UnsupportedFormatError
from timectx.formats import full_log, read_session
from timectx.formats.dsh_store import compress_frame
from timectx.session import Session, record_of

UNPARSABLE = "corrupt-session-log-unparsable-committed-event"
GAP = "corrupt-session-log-seq-gap-in"
SEED = "stored-session-failed-validation-error-seed"
INVALID = "stored-session-failed-validation-error-session"
FRAME = "corrupt-zstandard-session-log-"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a test may write its log; not a place that dsh itself would choose."""
    return tmp_path / "a.jsonl"


def refusal(path: Path) -> tuple[int, str]:
    """Return line and kind of the refusal, the same with and without decoding the stream."""
    found = set()
    for check in (True, False):
        with pytest.raises(FormatError) as error:
            read_session(path, strict=True, check=check)
        number = str(error.value).removeprefix(f"{path}:").partition(":")[0]
        found.add((int(number), error.value.kind))
    (one,) = found
    return one


def shown(path: Path) -> Session:
    """Return what dsh shows, the same with and without decoding the stream."""
    checked, skipped = (read_session(path, strict=True, check=check) for check in (True, False))
    for name in ("header", "events", "tail", "skipped"):
        assert getattr(checked, name) == getattr(skipped, name), name
    return checked


def seqs(session: Session) -> list[int]:
    """Return the seqs of the whole log."""
    return [one.seq for one in full_log(session)]


def faults(session: Session) -> list[tuple[int, str]]:
    """Return line and kind of each problem."""
    return [(problem.line, problem.kind) for problem in session.problems]


def test_a_whole_log_is_shown_as_the_tolerant_reader_shows_it(path: Path) -> None:
    """With the same stream and no problem."""
    strict, tolerant = shown(write_log(path, turn())), read_session(path, check=True)
    assert (strict.events, strict.stream, strict.problems) == (tolerant.events, tolerant.stream, ())


@pytest.mark.parametrize(
    ("tail", "kept", "found"),
    [
        ([b'{"type":"turn/en'], 3, [(5, "torn-tail")]),
        ([line(event("step/end", 3, {"turn": 1, "step": 1}))[:-1]], 3, [(5, "torn-tail")]),
        ([b"{bad\n"], 3, [(5, UNPARSABLE)]),
        ([b"\n"], 3, [(5, UNPARSABLE)]),
        ([b"null\n"], 3, [(5, UNPARSABLE)]),
        ([b"{bad\n", finish(3), finish(4)], 3, [(5, UNPARSABLE)]),
        ([finish(4)], 3, [(5, GAP)]),
        ([finish(1)], 3, [(5, GAP)]),
        ([{**finish(3), "seq": "3"}], 3, [(5, GAP)]),
        ([{**finish(3), "seq": 3.0}], 4, []),
        ([{"type": "step/end", "time": 1, "data": {}}], 3, [(5, GAP)]),
        ([b"{bad\n", b'{"type":"turn\\/en\n'], 3, [(5, UNPARSABLE)]),
    ],
    ids=[
        *(
            "torn",
            "no newline",
            "bad",
            "blank",
            "null",
            "bad then good",
            "gap",
            "back",
            "text seq",
            "float seq",
            "no seq",
        ),
        "torn turn end",
    ],
)
def test_the_log_ends_before_the_first_line_that_cannot_be_right(
    path: Path, tail: list[Any], kept: int, found: list[Any]
) -> None:
    """What follows is left out, and that is reported; an unterminated line does not count at all."""
    session = shown(write_log(path, [*turn()[:3], *tail]))
    assert (len(session.events), faults(session)) == (kept, found)


END = event("turn/end", 9, {"turn": 1, "reason": {"kind": "completed"}})


@pytest.mark.parametrize(
    ("tail", "line_number", "kind"),
    [
        ([b"{bad\n", END], 5, UNPARSABLE),
        ([b"{bad\n", finish(4), b"{also bad\n", END], 5, UNPARSABLE),
        ([b"{bad\n", line(END).replace(b"turn/end", b"turn\\/end")], 5, UNPARSABLE),
        ([END], 5, GAP),
        ([finish(7), END], 5, GAP),
        ([{"type": "text-chunks", "seq0": 3, "time0": 1, "data": None, "x": 1}, END], None, None),
    ],
    ids=["bad", "twice", "escaped", "itself", "gap", "row"],
)
def test_a_finished_turn_behind_it_makes_it_corruption(
    path: Path, tail: list[Any], line_number: int | None, kind: str | None
) -> None:
    """Then something committed would be lost, so the log is refused at the first bad line."""
    write_log(path, [*turn()[:3], *tail])
    if kind is None:  # only a reader that decodes rows can see that one is malformed
        with pytest.raises(FormatError) as error:
            read_session(path, strict=True, check=True)
        assert error.value.kind == UNPARSABLE
        return
    assert refusal(path) == (line_number, kind)


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (b"{bad\n", "corrupt-session-log-header-line-is"),
        (b"\n", "corrupt-session-log-header-line-is"),
        (b"\xef\xbb\xbf" + line(HEADER), "corrupt-session-log-header-line-is"),
        ([], "corrupt-session-log-first-line-is"),
        ({**HEADER, "type": "log"}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "version": "0"}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "version": True}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "id": 5}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "createdAt": -1}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "createdAt": 1.5}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "delegationDepth": None}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "delegationDepth": "0"}, "corrupt-session-log-first-line-is"),
        ({**HEADER, "version": 1, "id": 5}, "session-uses-log-format-v-but"),
        ({**HEADER, "version": -1, "id": 5}, "session-uses-log-format-v-older"),
        ({**HEADER, "sandboxMode": "x"}, "session-header-uses-retired-policy-baseline"),
        ({**HEADER, "approvalPolicy": None}, "session-header-uses-retired-policy-baseline"),
        ({**HEADER, "cwd": "relative"}, INVALID),
        ({**HEADER, "cwd": 5}, INVALID),
        ({**HEADER, "cwd": "{{cwd}}"}, INVALID),
        ({**HEADER, "seedLength": -1}, INVALID),
        ({**HEADER, "origin": "user"}, INVALID),
        ({**HEADER, "parentSession": 5}, INVALID),
        ({**HEADER, "agentPreset": 5}, INVALID),
    ],
    ids=[
        *("bad", "blank", "bom", "list", "type", "text version", "bool version", "id", "negative", "fraction"),
        *("null depth", "text depth", "newer", "older", "sandbox", "approval", "relative", "number", "placeholder"),
        *("seed", "origin", "parent", "preset"),
    ],
)
def test_a_header_is_held_to_every_rule(path: Path, header: Any, kind: str) -> None:
    """The format's number comes before its structure."""
    path.write_bytes(log_bytes(turn(), header=header))
    assert refusal(path) == (1, kind)


@pytest.mark.parametrize("cwd", ["/w", "C:\\w", "c:/w", "\\\\server\\share"])
def test_a_working_folder_is_absolute_on_any_system(path: Path, cwd: str) -> None:
    """Logs of other systems are shown."""
    assert shown(write_log(path, [], header={**HEADER, "cwd": cwd})).header.cwd == cwd


@pytest.mark.parametrize(
    ("place", "header", "kind"),
    [
        ("--w--/s/session.jsonl", HEADER, None),
        ("_no-cwd/s/session.jsonl", {name: value for name, value in HEADER.items() if name != "cwd"}, None),
        ("--w--/other/session.jsonl", HEADER, "corrupt-session-log-requested-id-does"),
        ("--v--/s/session.jsonl", HEADER, "corrupt-session-log-header-id-and"),
        ("_no-cwd/s/session.jsonl", HEADER, "corrupt-session-log-header-id-and"),
        ("--w--/s/session.jsonl", {**HEADER, "id": ""}, "corrupt-session-log-requested-id-does"),
        ("--w--/s/session.jsonl", {**HEADER, "cwd": ""}, "corrupt-session-log-header-id-and"),
        ("--w--/other/copy.jsonl", HEADER, None),
        ("w/other/session.jsonl", HEADER, None),
    ],
    ids=["fits", "no cwd", "id", "cwd", "cwd given", "empty id", "empty cwd", "other name", "other folder"],
)
def test_a_log_in_dshs_own_folders_lies_where_its_header_says(
    tmp_path: Path, place: str, header: Any, kind: str | None
) -> None:
    """Anywhere else the place says nothing."""
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    write_log(path, turn(), header=header)
    if kind:
        assert refusal(path) == (1, kind)
    else:
        assert len(shown(path).events) == 7


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (event("future/thing", 0, {}), "session-contains-event-type-seq-unknown"),
        (event("future/thing", 0, {}, ignorable=False), "session-contains-event-type-seq-unknown"),
        (event("context/message", 0, {}, surfaceOp="append"), "session-contains-event-type-seq-unknown"),
        (event("compact/start", 0, {}), "session-contains-event-type-seq-unknown"),
        ({**event("x", 0, {}), "type": None}, "session-contains-event-type-seq-unknown"),
        ({**event("x", 0, {}), "type": ["turn/start"]}, "session-contains-event-type-seq-unknown"),
        (event("request/header-delta", 0, {}), INVALID),
        (event("mode/set", 0, {}), INVALID),
        (event("request/header", 0, {"header": {}, "reason": "fallback"}), INVALID),
        (event("turn/end", 0, {"turn": 1, "reason": {"kind": "error", "step": 1}}), INVALID),
        ({**event("turn/start", 0, {"turn": 1}), "time": 1.5}, "bad-envelope"),
        ({**event("turn/start", 0, {"turn": 1}), "time": "1"}, "bad-envelope"),
        ({"type": "turn/start", "seq": 0, "time": 1}, "bad-envelope"),
        (event("turn/start", 0, {"turn": 1}, note="x"), "bad-envelope"),
        (event("turn/start", 0, {"turn": 1}, ignorable=1), "bad-envelope"),
        ({**piece(0), "time": 1.5}, "bad-envelope"),
        (event("turn/start", 0, {"turn": 1}, surfaceOp="append"), "not-surface-eligible"),
        (event("turn/start", 0, {"turn": 1}, sourceEventSeqs=[0]), "not-surface-eligible"),
    ],
    ids=[
        *("unknown", "not ignorable", "context", "compact", "null type", "list type", "delta", "mode", "fallback"),
        *("turn end", "fraction", "text time", "no data", "extra", "ignorable", "piece", "marker", "sources"),
    ],
)
def test_a_record_is_held_to_every_rule(path: Path, record: Any, kind: str) -> None:
    """The error names its line."""
    write_log(path, [record])
    if record.get("type") == "assistant/chunk":  # streamed output is judged where it is decoded
        with pytest.raises(FormatError) as error:
            read_session(path, strict=True, check=True)
        assert error.value.kind == kind
        return
    assert refusal(path) == (2, kind)


def test_unknown_types_come_before_other_faults_and_early_layouts_before_those(path: Path) -> None:
    """The whole log is converted first, then its types are looked at, then its records."""
    bad, unknown = event("turn/start", 0, {}, note="x"), event("future/thing", 1, {})
    assert refusal(write_log(path, [bad, unknown])) == (3, "session-contains-event-type-seq-unknown")
    assert refusal(write_log(path, [bad, unknown, event("mode/set", 2, {})])) == (4, INVALID)


def test_an_unknown_type_is_a_matter_of_the_format(path: Path) -> None:
    """The error's class says so; one that may be ignored is shown."""
    with pytest.raises(UnsupportedFormatError, match="'future/thing'"):
        read_session(write_log(path, [event("future/thing", 0, {})]), strict=True)
    kept = shown(write_log(path, [event("future/thing", 0, {"a": 1}, ignorable=True)]))
    assert [record_of(one) for one in kept.events] == [event("future/thing", 0, {"a": 1}, ignorable=True)]


def changed(record: dict[str, Any], *path: Any, value: Any = ...) -> dict[str, Any]:
    """Return a copy of a record with one inner value changed, or taken out."""
    copy = {**record, "data": {**record["data"]}}
    here = copy["data"]
    for name in path[:-1]:
        here[name] = [*here[name]] if isinstance(here[name], list) else {**here[name]}
        here = here[name]
    if value is ...:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return copy


@pytest.mark.parametrize(
    "record",
    [
        event("user/message", 0, [], surfaceOp="append"),
        event("assistant/message", 0, {"turn": 1, "step": 1}, surfaceOp="append"),
        changed(user(0), "id", value=""),
        changed(user(0), "id", value=5),
        changed(user(0), "role", value="assistant"),
        changed(user(0), "role"),
        changed(user(0), "source", value="user"),
        changed(user(0), "source", value={"kind": ""}),
        changed(user(0), "content", value="hello"),
        changed(reply(0), "message", "role", value="user"),
        changed(reply(0), "message", "source", "kind", value="user"),
        changed(reply(0), "message", "source", "model"),
        changed(reply(0), "message", "source", "provider", value=""),
        changed(result(0, "c"), "message", "role", value="tool"),
        changed(result(0, "c"), "message", "source", "callId"),
        changed(result(0, "c"), "message", "source", "kind", value="user"),
        changed(result(0, "c"), "message", "content", value=[]),
        changed(result(0, "c"), "message", "content", 0, "type", value="text"),
        changed(result(0, "c"), "message", "content", 0, "toolCallId", value="d"),
    ],
    ids=[
        *(
            "list",
            "no message",
            "empty id",
            "number id",
            "role",
            "no role",
            "text source",
            "empty kind",
            "text content",
        ),
        *("reply role", "reply source", "no model", "empty provider", "result role", "no call", "result source"),
        *("no block", "other block", "other call"),
    ],
)
def test_a_message_is_held_to_its_shape(path: Path, record: Any) -> None:
    """Id, role, source and content, each as dsh has them."""
    assert refusal(write_log(path, [record])) == (2, SEED)


HEAD = {
    "config": {"provider": "p", "model": "m", "reasoningEffort": "high"},
    "adapterDefaults": {"reasoningEffort": True},
}


@pytest.mark.parametrize(
    ("header", "fits"),
    [
        (HEAD, True),
        ({"config": {"provider": "p", "model": "m"}}, True),
        ({"config": {"model": "m"}}, False),
        ({"config": {"provider": "", "model": "m"}}, False),
        ({"config": None}, False),
        (None, False),
        ({"config": {**HEAD["config"], "reasoningEffort": 1}}, False),
        ({**HEAD, "adapterDefaults": []}, False),
        ({**HEAD, "adapterDefaults": {"reasoningEffort": False}}, False),
        ({**HEAD, "adapterDefaults": {"maxTokens": True}}, False),
        ({**HEAD, "adapterDefaults": {"model": True}}, False),
    ],
    ids=[
        *(
            "full",
            "plain",
            "no provider",
            "empty provider",
            "no config",
            "none",
            "effort",
            "list",
            "false",
            "undefined",
        ),
        "other",
    ],
)
def test_a_request_header_is_held_to_its_shape(path: Path, header: Any, fits: bool) -> None:
    """Provider and model, and defaults only of what is defined."""
    write_log(path, [event("request/header", 0, {"header": header, "reason": "initial"})])
    if fits:
        assert len(shown(path).events) == 1
    else:
        assert refusal(path) == (2, SEED)


@pytest.mark.parametrize(
    ("marks", "kind"),
    [
        ({"surfaceOp": None}, "op-invalid"),
        ({"surfaceOp": {"op": "replace", "start": 0, "end": 1, "more": 1}}, "op-invalid-replace"),
        ({"surfaceOp": {"op": "replace", "start": 0, "end": 1}}, "sources-miss-shadowed"),
        ({"surfaceOp": {"op": "replace", "start": 0, "end": 9}, "sourceEventSeqs": [0]}, "replace-end-not-found"),
        ({"sourceEventSeqs": []}, "sources-empty"),
        ({"sourceEventSeqs": [0, 0]}, "sources-duplicate"),
        ({"sourceEventSeqs": [2]}, "sources-not-earlier"),
        ({"sourceEventSeqs": 0}, "sources-not-array"),
    ],
    ids=["null", "more", "not cited", "no end", "empty", "twice", "later", "number"],
)
def test_a_marker_is_held_to_the_rules_of_the_surface(path: Path, marks: Any, kind: str) -> None:
    """As when the event was appended."""
    assert refusal(write_log(path, [user(0), user(1), user(2, **marks)])) == (4, kind)


def test_known_types_with_odd_data_are_shown_as_they_are(path: Path) -> None:
    """The original does not look into them."""
    session = shown(write_log(path, [event("turn/start", 0, {"number": 1}), event("step/start", 1, None)]))
    assert [record_of(one)["data"] for one in session.events] == [{"number": 1}, None]
    assert faults(session) == [(2, "bad-data"), (3, "bad-data")]


@pytest.mark.parametrize(
    ("batches", "kind"),
    [
        ([[b'{"type":"turn/st\n'], [user(0)]], UNPARSABLE),
        ([[user(0)], [user(2)]], GAP),
        ([[user(0)], [line(user(1))[:-1]]], FRAME + "complete-frame"),
        ([[user(0)], [line(user(1))[:30]], [line(user(1))[30:]]], FRAME + "complete-frame"),
    ],
    ids=["bad", "gap", "no newline", "cut line"],
)
def test_nothing_may_be_wrong_in_a_complete_frame(path: Path, batches: list[Any], kind: str) -> None:
    """It was committed as a whole."""
    assert refusal(write_frames(path, *batches))[1] == kind


@pytest.mark.parametrize(
    ("frames", "kind"),
    [
        ([line(HEADER) + line(user(0))], "first-frame"),
        ([line(HEADER)[:-1]], "first-frame"),
        ([line(HEADER)[:20], line(HEADER)[20:]], "first-frame"),
        ([b"", line(HEADER)], "first-frame"),
    ],
    ids=["event", "no newline", "cut", "empty"],
)
def test_the_first_frame_is_the_header_line_alone(path: Path, frames: list[bytes], kind: str) -> None:
    """Neither more nor less."""
    path.write_bytes(b"".join(map(compress_frame, frames)))
    assert refusal(path) == (1, FRAME + kind)


def test_a_container_is_known_by_its_name_where_its_content_is_broken(tmp_path: Path) -> None:
    """As dsh opens it."""
    path = tmp_path / "a.jsonl.zstd"
    path.write_bytes(b"\x00" + compress_frame(line(HEADER))[1:])
    assert refusal(path) == (0, FRAME + "invalid-frame")


def test_a_flipped_bit_is_corruption(path: Path) -> None:
    """The checksum is verified."""
    data = bytearray(write_frames(path, [user(0)], [user(1)]).read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert refusal(path) == (3, FRAME + "frame-at")


def test_a_torn_last_frame_gives_its_complete_lines(path: Path) -> None:
    """What is wrong in it is cut off, not refused."""
    rng = random.Random(1)
    records = [user(seq, rng.randbytes(500).hex()) for seq in range(1000)]
    data = write_frames(path, [user(0)], records[1:]).read_bytes()
    path.write_bytes(data[:-5000])
    session = shown(path)
    assert 100 < len(session.events) < 1000
    assert seqs(session) == list(range(len(session.events)))
    assert [kind for _, kind in faults(session)] == ["torn-frame"]


def test_a_line_beyond_the_limit_is_refused(path: Path) -> None:
    """It might be anything; the setting is named."""
    write_log(path, [user(0, "x" * 5000)])
    with pytest.raises(FormatError, match="raise max_line_bytes") as error:
        read_session(path, strict=True, max_line_bytes=4000)
    assert error.value.kind == "line-too-long"


@pytest.mark.parametrize(
    ("records", "tail"),
    [
        ([piece(0)], (0, 0)),
        ([row(0, "a", "b")], (1, 10)),
        ([row(0, "a", "b"), finish(2)], None),
        ([row(0, "a", "b"), b"{bad\n"], (1, 10)),
        ([piece(0), b'{"type":"assistant/chunk","seq":1,"x'], (0, 0)),
        ([], None),
    ],
    ids=["piece", "row", "kept", "then bad", "then torn", "nothing"],
)
def test_the_tail_is_the_last_entry_where_that_is_streamed(path: Path, records: list[Any], tail: Any) -> None:
    """As in the tolerant reader."""
    assert shown(write_log(path, records)).tail == tail


def test_a_last_piece_that_is_not_whole_gives_no_tail(path: Path) -> None:
    """Where it is not decoded it cannot be refused either."""
    lone = {name: value for name, value in piece(1).items() if name != "time"}
    session = read_session(write_log(path, [user(0), lone]), strict=True)
    assert (len(session.events), session.tail) == (1, None)

"""Loading recorded logs for writing, case by case: the same events, the same bytes on disk, the same refusals."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.conformance.rows import logs
from timectx.errors import TimectxError
from timectx.formats import full_log
from timectx.formats.zstd import Fault, Frame, scan_frames
from timectx.loop import inspect_log, list_logs, load_log, resume_log
from timectx.session import Session, record_of
from timectx.session.closers import NOT_STARTED_TEXT, OUTCOME_UNKNOWN_TEXT

FILLERS = {"U" * 313: OUTCOME_UNKNOWN_TEXT, "N" * 104: NOT_STARTED_TEXT}
EXPECTED = {
    folder.name: json.loads((folder / "expected.json").read_text("utf-8")) for folder in sorted(logs().iterdir())
}
SESSIONS = [(case, session_id) for case, expected in EXPECTED.items() for session_id in expected["sessions"]]


@pytest.fixture
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of a case's root that may be written to."""
    case = request.node.callspec.params["case"]
    copied = tmp_path / "root"
    shutil.copytree(logs() / case / "root", copied, copy_function=shutil.copyfile)
    for folder in (copied, *copied.rglob("*/")):
        folder.chmod(0o755)
    return copied


def files(root: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def outcome(session: Session) -> dict[str, Any]:
    """Return a session as the rows write it."""
    events = [record_of(event) for event in full_log(session)]
    return {"events": [with_fillers(event) for event in events], "id": session.header.id}


def with_fillers(record: dict[str, Any]) -> Any:
    """Return a record with the recorded fillers where this package has its own words."""
    text = json.dumps(record)
    for filler, words in FILLERS.items():
        text = text.replace(json.dumps(words), json.dumps(filler))
    return json.loads(text)


def content(path: str, data: bytes) -> bytes:
    """Return the lines of a file, decompressed where it is a container."""
    if path.endswith(".zstd"):
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as reader:
            data = reader.read()
    for filler, words in FILLERS.items():
        data = data.replace(words.encode(), filler.encode())
    return data


def frames(path: Path) -> Iterator[Frame | Fault]:
    """Yield the frames of a file."""
    with path.open("rb") as stream:
        yield from scan_frames(stream, path.stat().st_size)


def kind_of(call: Any) -> str | None:
    """Return the kind of the error a call raises, None if it raises none."""
    try:
        call()
    except TimectxError as error:
        return error.kind
    return None


@pytest.mark.parametrize(("case", "session_id"), SESSIONS)
def test_a_load_gives_the_recorded_events_or_refusal(case: str, session_id: str, root: Path) -> None:
    """The log after a load holds the recorded events, closing ones included; a refused one stays as it is."""
    row = EXPECTED[case]["sessions"][session_id]
    before = files(root)
    if "loadError" in row:
        assert kind_of(lambda: load_log(root, session_id)) == row["loadError"]["kind"]
        assert files(root) == before
        return
    wanted = row["inspect"] if row["load"] == "same-as-inspect" else row["load"]
    with load_log(root, session_id) as log:
        assert outcome(log.session()) == {"events": wanted["events"], "id": wanted["meta"]["id"]}
    assert (files(root) != before) == row["mutatedByLoad"]


@pytest.mark.parametrize(("case", "session_id"), SESSIONS)
def test_an_inspection_gives_the_same_and_changes_nothing(case: str, session_id: str, root: Path) -> None:
    """Reading adds the closing events in memory; no file changes, none appears."""
    row = EXPECTED[case]["sessions"][session_id]
    before = files(root)
    if "inspectError" in row:
        assert kind_of(lambda: inspect_log(root, session_id)) == row["inspectError"]["kind"]
    else:
        assert outcome(inspect_log(root, session_id)) == {
            "events": row["inspect"]["events"],
            "id": row["inspect"]["meta"]["id"],
        }
    assert files(root) == before


@pytest.mark.parametrize("case", [case for case in EXPECTED if (logs() / case / "repaired").is_dir()])
def test_a_repaired_file_is_the_recorded_one(case: str, root: Path) -> None:
    """After the load the file is the same byte for byte: plain as it stands, a container in its content and frames."""
    for session_id in EXPECTED[case]["sessions"]:
        load_log(root, session_id).close()
    wanted = files(logs() / case / "repaired")
    found = {path: data for path, data in files(root).items() if path in wanted}
    assert {path: content(path, data) for path, data in found.items()} == {
        path: content(path, data) for path, data in wanted.items()
    }
    packed = [path for path in wanted if path.endswith(".zstd")]
    assert [len([*frames(root / path)]) for path in packed] == [
        len([*frames(logs() / case / "repaired" / path)]) for path in packed
    ]


@pytest.mark.parametrize(
    ("case", "session_id"),
    [place for place in SESSIONS if {"frames", "framesError"} & EXPECTED[place[0]]["sessions"][place[1]].keys()],
)
def test_a_container_has_the_recorded_frames(case: str, session_id: str, root: Path) -> None:
    """The number of complete frames, and the byte at which a torn one begins, are the recorded ones."""
    row = EXPECTED[case]["sessions"][session_id]
    found = [*frames(next(root.glob(f"*/{session_id}/session.jsonl.zstd")))]
    faults = [item.kind for item in found if isinstance(item, Fault) and item.kind != "torn-frame"]
    if "framesError" in row:
        assert faults[0] == row["framesError"]["kind"]
        return
    torn = [item.start for item in found if isinstance(item, Frame) and not item.complete]
    complete = [item for item in found if isinstance(item, Frame) and item.complete]
    assert (faults, len(complete)) == ([], row["frames"])
    assert torn == ([] if row["tornStart"] is None else [row["tornStart"]])


@pytest.mark.parametrize("case", EXPECTED)
def test_a_root_lists_its_recorded_sessions(case: str, root: Path) -> None:
    """The list names the same sessions, unreadable formats included, or is refused for the same rule."""
    expected = EXPECTED[case]
    if "listError" in expected:
        assert kind_of(lambda: list_logs(root)) == expected["listError"]["kind"]
    else:
        assert sorted(header.id for header in list_logs(root)) == sorted(meta["id"] for meta in expected["list"])


@pytest.mark.parametrize(
    ("case", "session_id"),
    [place for place in SESSIONS if "load" in EXPECTED[place[0]]["sessions"][place[1]]],
)
def test_a_resumed_log_loads_again_with_one_mark_more(case: str, session_id: str, root: Path) -> None:
    """Going on adds one end of seed at the caller's time; loading and going on again add nothing."""
    row = EXPECTED[case]["sessions"][session_id]
    events = row["inspect"]["events"]
    last = events[-1:]
    mark = {"type": "session/end-seed", "seq": len(events), "time": 77, "data": {}}
    wanted = events if last and last[0]["type"] == "session/end-seed" else [*events, mark]
    resume_log(root, session_id, now_ms=77).close()
    again = files(root)
    with resume_log(root, session_id, now_ms=78) as log:
        assert outcome(log.session())["events"] == wanted
    assert files(root) == again

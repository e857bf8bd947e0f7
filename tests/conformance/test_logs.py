"""Hold the strict reader to what the original shows of real log files, or to why it refuses them."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conformance.rows import logs
from timectx.errors import FormatError, TimectxError
from timectx.formats import encode_segment, full_log, log_path, read_session
from timectx.formats.dsh_header import header_record
from timectx.formats.zstd import Frame, scan_frames
from timectx.session import Session, SessionHeader, record_of
from timectx.session.closers import NOT_STARTED_TEXT, OUTCOME_UNKNOWN_TEXT


def expected(case: Path) -> dict[str, Any]:
    """Return what was recorded for one case."""
    recorded: dict[str, Any] = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    return recorded


def _sessions() -> list[Any]:
    found = []
    for case in sorted(logs().iterdir()):
        for session_id, outcome in expected(case)["sessions"].items():
            paths = sorted((case / "root").glob(f"*/{encode_segment(session_id)}/session.jsonl*"))
            found += [pytest.param(path, outcome, id=f"{case.name}-{session_id}") for path in paths]
    assert found, "no cases"
    return found


SESSIONS = _sessions()
SHOWN = [case for case in SESSIONS if "inspect" in case.values[1]]
REFUSED = [case for case in SESSIONS if "inspectError" in case.values[1]]


def records(session: Session) -> Any:
    """Return a whole log as JSON objects, its repair texts replaced by the filler the rows have."""
    text = json.dumps([record_of(event) for event in full_log(session)])
    for words, filler in ((OUTCOME_UNKNOWN_TEXT, "U"), (NOT_STARTED_TEXT, "N")):
        text = text.replace(json.dumps(words), json.dumps(filler * len(words)))
    return json.loads(text)


@pytest.mark.parametrize(("path", "outcome"), SHOWN)
def test_the_original_shows_the_same_events(path: Path, outcome: dict[str, Any]) -> None:
    """Header and events, with the stream unpacked and the closing events added, equal the recorded ones."""
    session = read_session(path, strict=True, check=True).closed()
    assert records(session) == outcome["inspect"]["events"]
    assert {**outcome["inspect"]["meta"], "type": "session"} == header_record(replace(session.header, extra=None))


@pytest.mark.parametrize(("path", "outcome"), REFUSED)
@pytest.mark.parametrize("check", [True, False], ids=["check", "skip"])
def test_the_original_refuses_the_same_files(path: Path, outcome: dict[str, Any], check: bool) -> None:
    """The same rule is named, whether streamed output is decoded or not."""
    with pytest.raises(FormatError) as refused:
        read_session(path, strict=True, check=check)
    assert refused.value.kind == outcome["inspectError"]["kind"]
    assert str(refused.value).startswith(f"{path}:")


@pytest.mark.parametrize("path", [case.values[0] for case in SESSIONS], ids=[case.id for case in SESSIONS])
@pytest.mark.parametrize("strict", [True, False], ids=["strict", "tolerant"])
def test_skipping_streamed_output_changes_no_event(path: Path, strict: bool) -> None:
    """Events, tail and counts are the same with and without decoding, and so is a refusal."""

    def read(check: bool) -> object:
        try:
            session = read_session(path, strict=strict, check=check)
        except TimectxError as error:
            return error.kind
        return session.header, session.events, session.tail, dict(session.skipped)

    assert read(check=True) == read(check=False)


@pytest.mark.parametrize("path", [case.values[0] for case in SHOWN], ids=[case.id for case in SHOWN])
def test_what_the_original_shows_is_read_tolerantly_as_well(path: Path) -> None:
    """The tolerant reader keeps every event the original keeps, and perhaps later ones."""
    strict = read_session(path, strict=True).events
    tolerant = read_session(path).events
    assert tolerant[: len(strict)] == strict


@pytest.mark.parametrize(("path", "outcome"), SHOWN)
def test_a_log_lies_where_its_header_says(path: Path, outcome: dict[str, Any]) -> None:
    """The path made from the header is the path the original chose."""
    meta = outcome["inspect"]["meta"]
    header = SessionHeader(id=meta["id"], cwd=meta.get("cwd"))
    assert log_path(path.parents[2], header, compress=path.suffix == ".zstd") == path


@pytest.mark.parametrize(("path", "outcome"), [case for case in SESSIONS if "frames" in case.values[1]])
def test_frames_are_found_as_by_the_original(path: Path, outcome: dict[str, Any]) -> None:
    """As many complete frames, and the cut one, where there is one, begins at the same byte."""
    with path.open("rb", buffering=0) as stream:
        found = [item for item in scan_frames(stream, path.stat().st_size) if isinstance(item, Frame)]
    torn = [frame.start for frame in found if not frame.complete]
    assert len(found) - len(torn) == outcome["frames"]
    assert torn == ([] if outcome["tornStart"] is None else [outcome["tornStart"]])


@pytest.mark.parametrize("path", [case.values[0] for case in SESSIONS], ids=[case.id for case in SESSIONS])
def test_reading_never_changes_the_file(path: Path) -> None:
    """Whatever is wrong with it, a file is the same afterwards."""
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    for strict in (True, False):
        with suppress(TimectxError):
            read_session(path, strict=strict, check=True)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before

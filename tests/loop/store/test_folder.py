"""Logs are found below a root by id alone, and listed by their headers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.loop.scripts import HEADER, batches, write
from timectx.errors import FormatError
from timectx.formats.dsh_store import compress_frame
from timectx.loop import StoreError, find_log, list_logs, load_log, open_log
from timectx.session import SessionHeader


def put(root: Path, project: str, segment: str, header: Any, *, name: str = "session.jsonl") -> None:
    """Write a log that holds only its first line, whatever that is."""
    folder = root / project / segment
    folder.mkdir(parents=True, exist_ok=True)
    line = header if isinstance(header, bytes) else json.dumps(header).encode() + b"\n"
    (folder / name).write_bytes(compress_frame(line) if name.endswith(".zstd") else line)


def header(session_id: str, **fields: Any) -> dict[str, Any]:
    """Return a first line that dsh accepts."""
    return {"type": "session", "version": 0, "id": session_id, "createdAt": 1, "delegationDepth": 0, **fields}


def test_a_log_is_found_in_whatever_project_it_lies(tmp_path: Path) -> None:
    """The working folder need not be known; a root that is not there holds nothing."""
    path = write(tmp_path, batches(), compress=True)
    assert (find_log(tmp_path, "s"), find_log(tmp_path, "S2"), find_log(tmp_path / "none", "s")) == (path, None, None)


@pytest.mark.parametrize(
    ("project", "name", "refusal"),
    [
        ("--x--", "session.jsonl.zstd", "session-in-two-places"),
        ("--w--", "session.jsonl", "other-compression"),
    ],
    ids=["projects", "kinds"],
)
def test_a_session_with_two_logs_is_refused(project: str, name: str, refusal: str, tmp_path: Path) -> None:
    """One id in two projects, or once plain and once compressed, is nobody's log, and no new one is made beside it."""
    write(tmp_path, batches(), compress=True)
    put(tmp_path, project, "s", header("s", cwd="/" + project.strip("-")), name=name)
    kinds = []
    for call in (lambda: find_log(tmp_path, "s"), lambda: load_log(tmp_path, "s"), lambda: open_log(tmp_path, HEADER)):
        with pytest.raises(StoreError) as caught:
            call()
        kinds.append(caught.value.kind)
    assert kinds == ["session-in-two-places", "session-in-two-places", refusal]


def test_sessions_are_listed_by_project_and_name(tmp_path: Path) -> None:
    """Plain headers and compressed ones, those without a working folder, and those of later formats are listed."""
    put(tmp_path, "--w--", "b", header("b", cwd="/w"), name="session.jsonl.zstd")
    put(tmp_path, "--w--", "a", header("a", cwd="/w"))
    put(tmp_path, "_no-cwd", "c", {"type": "session", "version": 3, "id": "c"})
    (tmp_path / "--w--" / "empty").mkdir()
    put(tmp_path, "--w--", "unfinished", b'{"type":"session"')
    (tmp_path / "note.txt").write_text("not a project")
    assert list_logs(tmp_path) == (
        SessionHeader(id="a", created_at_ms=1, cwd="/w", delegation_depth=0),
        SessionHeader(id="b", created_at_ms=1, cwd="/w", delegation_depth=0),
        SessionHeader(id="c", version=3),
    )
    assert list_logs(tmp_path / "none") == ()


@pytest.mark.parametrize(
    ("segment", "line", "kind"),
    [
        ("s", b"{bad\n", "corrupt-session-log-header-line-is"),
        ("s", {"type": "turn/start"}, "corrupt-session-log-first-line-is"),
        ("s", header("other"), "corrupt-session-log-header-id-and"),
        ("s", header("s", cwd="/other"), "corrupt-session-log-header-id-and"),
        ("s", header("s", sandboxMode="x"), "session-header-uses-retired-policy-baseline"),
    ],
    ids=["no JSON", "no header", "id", "cwd", "retired"],
)
def test_a_header_that_breaks_a_rule_stops_the_list(segment: str, line: Any, kind: str, tmp_path: Path) -> None:
    """A root with such a log is refused, and the error names the file."""
    put(tmp_path, "_no-cwd", segment, line)
    with pytest.raises(FormatError, match=r"session\.jsonl:1: ") as caught:
        list_logs(tmp_path)
    assert caught.value.kind == kind


def test_a_first_frame_holds_the_header_alone(tmp_path: Path) -> None:
    """A container whose first frame holds more than the header line is refused in a list too."""
    line = json.dumps(header("s")).encode() + b"\n"
    put(tmp_path, "_no-cwd", "s", line + b"{}\n", name="session.jsonl.zstd")
    with pytest.raises(FormatError) as caught:
        list_logs(tmp_path)
    assert caught.value.kind == "corrupt-zstandard-session-log-first-frame"

"""Show how a file's format is told from its first lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.logs import HEADER, line
from timectx.errors import FormatError
from timectx.formats import detect_format
from timectx.formats.dsh_store import compress_frame

TIME = "2026-07-16T09:31:00.000Z"
CLAUDE = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "isSidechain": False, "timestamp": TIME}
CODEX = {"timestamp": TIME, "type": "session_meta", "payload": {"id": "x"}}
PI = {"type": "session", "id": "x", "timestamp": TIME, "cwd": "/w", "provider": "p", "modelId": "m"}


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([HEADER], "dsh-0"),
        ([{**HEADER, "version": 4, "isSeeded": False}], "dsh-4"),
        ([{**HEADER, "version": -1}], "dsh--1"),
        ([{**HEADER, "version": "0"}], "dsh-0"),
        ([{"version": 0, "id": "s", "createdAt": 5, "type": "session"}], "dsh-0"),
        ([b"\n \r\n", HEADER], "dsh-0"),
        ([b"\xef\xbb\xbf" + line(HEADER)], "dsh-0"),
        ([line(HEADER)[:-1]], "dsh-0"),
        ([CLAUDE], "claude-code"),
        ([{"type": "summary", "summary": "x", "leafUuid": "u"}, CLAUDE], "claude-code"),
        ([{"type": "permission-mode", "mode": "x", "sessionId": "s"}], "claude-code"),
        ([b"half a li\n", CLAUDE], "claude-code"),
        ([CODEX], "codex"),
        ([{**CODEX, "type": "response_item"}], "codex"),
        ([PI], "pi"),
        ([{**PI, "version": 3}], "pi"),
    ],
    ids=[
        *("dsh 0", "dsh 4", "dsh -1", "text version", "key order", "blank lines", "bom", "no newline"),
        *("claude", "claude summary", "claude mode", "claude torn", "codex", "codex later", "pi", "pi 3"),
    ],
)
@pytest.mark.parametrize("zstd", [False, True], ids=["plain", "zstd"])
def test_the_first_lines_tell_the_format(tmp_path: Path, lines: list[Any], found: str, zstd: bool) -> None:
    """By what they hold; the name says nothing, and compression changes nothing."""
    data = b"".join(map(line, lines))
    path = tmp_path / "whatever.txt"
    path.write_bytes(compress_frame(data) if zstd else data)
    assert detect_format(path) == found
    assert detect_format(str(path)) == found


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"", "empty-or-header-less-session-log", "the file is empty"),
        (b"\n\n  \n", "empty-or-header-less-session-log", "the file is empty"),
        (b"hello\nworld\n", "not-a-session", "not JSON"),
        (b'{"a":1}\n', "not-a-session", "no header"),
        (b"[1,2]\n", "not-a-session", "no JSON object"),
        (b'{"type":["session"],"x":1}\n', "not-a-session", "no header"),
        (bytes(3_000_000), "not-a-session", "NUL"),
        ("{}".encode("utf-16"), "not-a-session", "UTF-16"),
        (b"\x1f\x8b\x08\x00rest", "not-a-session", "gzip"),
        (b"PK\x03\x04rest", "not-a-session", "zip"),
        (b"SQLite format 3\x00rest", "not-a-session", "database"),
        (b"\x28\xb5\x2f\xfd\x04", "empty-or-header-less-zstandard-session", "cut off"),
    ],
    ids=[
        "empty",
        "blank",
        "prose",
        "json",
        "list",
        "odd type",
        "nul",
        "utf-16",
        "gzip",
        "zip",
        "sqlite",
        "half a frame",
    ],
)
def test_a_file_of_no_known_tool_is_refused(tmp_path: Path, content: bytes, kind: str, words: str) -> None:
    """One line names the file, the line, what it looks like, and what was expected."""
    path = tmp_path / "f"
    path.write_bytes(content)
    with pytest.raises(FormatError) as error:
        detect_format(path)
    assert error.value.kind == kind
    assert str(error.value).startswith(f"{path}:1: ")
    assert words in str(error.value)
    assert "expected a" in str(error.value)


def test_only_the_beginning_of_a_file_is_looked_at(tmp_path: Path) -> None:
    """A huge file without a line end is refused at once."""
    path = tmp_path / "f"
    with path.open("wb") as stream:
        stream.truncate(1 << 36)
    with pytest.raises(FormatError) as error:
        detect_format(path)
    assert error.value.kind == "not-a-session"


def test_real_files_are_told_apart(transcripts: Path) -> None:
    """Each folder of real transcripts holds one format."""
    found = {path.parent.name: set[str]() for path in transcripts.glob("*/*.jsonl*")}
    for path in transcripts.glob("*/*.jsonl*"):
        found[path.parent.name].add(detect_format(path))
    assert found == {name: {name.replace("dsh-v", "dsh-")} for name in found}
    assert found

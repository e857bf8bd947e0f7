"""Show which files `read_session` takes and how it refuses the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.logs import HEADER, turn, write_frames, write_log
from timectx.errors import FormatError, UnsupportedFormatError
from timectx.formats import read_session

CLAUDE = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s"}


@pytest.mark.parametrize("name", ["session.jsonl", "session.jsonl.zstd", "notes.txt"])
@pytest.mark.parametrize("zstd", [False, True], ids=["plain", "zstd"])
def test_a_file_is_read_for_what_it_is_whatever_its_name(tmp_path: Path, name: str, zstd: bool) -> None:
    """A log that was unpacked or renamed still loads."""
    path = tmp_path / name
    if zstd:
        write_frames(path, turn())
    else:
        write_log(path, turn())
    session = read_session(path)
    assert [event.seq for event in session.events] == [0, 1, 2, 5, 6, 7, 8]
    assert (session.path, session.format, session.problems) == (str(path), "dsh-0", ())


def test_a_path_may_be_text_bytes_or_a_path(tmp_path: Path) -> None:
    """And is shown as it was given."""
    path = write_log(tmp_path / "a.jsonl", turn())
    for given in (path, str(path), bytes(path)):
        assert read_session(given).path == str(path)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "kind", "words"),
    [
        ({**HEADER, "version": 1}, "session-uses-log-format-v-but", "dsh format 1"),
        ({**HEADER, "version": 4}, "session-uses-log-format-v-but", "dsh format 4"),
        ({**HEADER, "version": 0.5}, "session-uses-log-format-v-but", "dsh format 0.5"),
        ({**HEADER, "version": -1}, "session-uses-log-format-v-older", "dsh format -1"),
        (CLAUDE, "unsupported-format", "claude-code"),
    ],
    ids=["1", "4", "fraction", "negative", "claude"],
)
@pytest.mark.parametrize("options", [{}, {"strict": True}, {"format": "dsh-0"}], ids=["tolerant", "strict", "named"])
def test_other_formats_are_recognised_and_refused(
    tmp_path: Path, header: Any, kind: str, words: str, options: dict[str, Any]
) -> None:
    """One sentence names the file, the format it is in and the one that is read."""
    path = write_log(tmp_path / "a.jsonl", [], header=header)
    with pytest.raises(FormatError) as error:
        read_session(path, **options)
    if header is CLAUDE and "format" in options:
        assert error.value.kind == "not-a-session"
        return
    assert isinstance(error.value, UnsupportedFormatError)
    assert error.value.kind == kind
    assert str(error.value).startswith(f"{path}:1: ")
    assert words in str(error.value)
    assert "0" in str(error.value).rpartition("read")[0] or "dsh-0" in str(error.value)


@pytest.mark.parametrize("name", ["dsh-4", "claude-code", "nonsense"])
def test_a_named_format_must_be_one_that_is_read(tmp_path: Path, name: str) -> None:
    """Naming another one is refused before the file is looked into."""
    path = write_log(tmp_path / "a.jsonl", turn())
    with pytest.raises(UnsupportedFormatError, match=f"format {name}") as error:
        read_session(path, format=name)
    assert error.value.kind == "unsupported-format"
    assert read_session(path, format="dsh-0").events == read_session(path, format="dsh").events


@pytest.mark.parametrize(
    ("content", "strict", "kind"),
    [
        (b"", False, "empty-or-header-less-session-log"),
        (b"", True, "empty-or-header-less-session-log"),
        (b"\n\n", False, "empty-or-header-less-session-log"),
        (b"hello\n", False, "not-a-session"),
        (b"hello\n", True, "corrupt-session-log-header-line-is"),
        (b"\xff\xfe\x00\n", True, "corrupt-session-log-header-line-is"),
        (b'{"type":"turn/start"}\n', False, "not-a-session"),
        (b'{"type":"turn/start"}\n', True, "corrupt-session-log-first-line-is"),
        (b"null\n", True, "corrupt-session-log-first-line-is"),
        (b'{"type":"session","version":0,', False, "not-a-session"),
        (b'{"type":"session","version":0,', True, "empty-or-header-less-session-log"),
    ],
    ids=[
        *("empty", "empty strict", "blank", "prose", "prose strict", "binary strict", "no header", "no header strict"),
        *("null strict", "torn header", "torn header strict"),
    ],
)
def test_a_file_without_header_is_no_session(tmp_path: Path, content: bytes, strict: bool, kind: str) -> None:
    """An error, never an empty session."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(FormatError) as error:
        read_session(path, strict=strict)
    assert error.value.kind == kind
    assert str(error.value).startswith(f"{path}:1: ")


def test_what_is_no_file_is_refused_with_its_cure(tmp_path: Path) -> None:
    """A folder is read by another function, and the error says by which."""
    with pytest.raises(FormatError, match="read_sessions reads folders"):
        read_session(tmp_path)
    with pytest.raises(FormatError, match="no such file") as error:
        read_session(tmp_path / "none.jsonl")
    assert str(error.value).startswith(f"{tmp_path / 'none.jsonl'}:0: ")


def test_every_real_file_of_format_0_loads(transcripts: Path) -> None:
    """With events, turns and steps, and without a problem."""
    paths = sorted((transcripts / "dsh-v0").glob("*.jsonl"))
    assert len(paths) >= 7
    for path in paths:
        session = read_session(path, check=True)
        assert session.problems == (), path.name
        assert session.turns, path.name
        assert session.steps, path.name
        assert session.surface.nodes, path.name


def test_every_real_file_of_another_format_is_refused(transcripts: Path) -> None:
    """Each with one sentence that names it."""
    others = [path for path in sorted(transcripts.glob("*/*.jsonl*")) if path.parent.name != "dsh-v0"]
    assert others
    for path in others:
        with pytest.raises(UnsupportedFormatError) as error:
            read_session(path)
        assert str(error.value).startswith(f"{path}:1: ")

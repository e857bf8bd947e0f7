"""Show the names of dsh's folders beyond the recorded ones, and which header fits a place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.errors import SessionError
from timectx.formats.dsh_names import derives_path, encode_segment, log_path, project_key
from timectx.session import SessionHeader

TEXT = st.text(st.characters() | st.sampled_from("/\\:~.-_ "), min_size=1)


@given(TEXT)
def test_an_id_can_be_read_back_from_its_folder(text: str) -> None:
    """Every unit is written as itself or as four digits."""
    name = encode_segment(text)
    assert re.fullmatch(r"(?:[A-Za-z0-9._-]|~[0-9A-F]{4})+", name)
    assert name not in (".", "..")
    units = b"".join(
        bytes.fromhex(part[1:]) if part[0] == "~" else part.encode("utf-16-be")
        for part in re.findall(r"~[0-9A-F]{4}|[^~]", name)
    )
    assert units == text.encode("utf-16-be", "surrogatepass")


@given(TEXT)
def test_a_project_folder_is_a_short_plain_name(text: str) -> None:
    """Never longer than a file system takes, never a way out of the folder."""
    name = project_key(text)
    assert re.fullmatch(r"--[A-Za-z0-9._~-]{1,251}--", name)


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/", "--root--"),
        ("///", "--root--"),
        ("-/-", "--root--"),
        ("/a/-b", "--a--b--"),
        ("C:\\Users\\dev", "--C-Users-dev--"),
        ("/home/dev/", "--home-dev---"),
        ("/" + "x" * 300, "--" + "x" * 251 + "--"),
        ("/" + "x" * 249 + "\u00e9", "--" + "x" * 249 + "~0--"),
    ],
    ids=["root", "slashes", "dashes", "dash", "windows", "trailing", "long", "cut escape"],
)
def test_a_working_folder_gives_its_project(cwd: str, name: str) -> None:
    """Separators join, leading dashes go, the rest is cut."""
    assert project_key(cwd) == name


def test_no_working_folder_is_a_project_of_its_own() -> None:
    """An empty one is an error."""
    assert project_key(None) == "_no-cwd"
    with pytest.raises(SessionError) as error:
        project_key("")
    assert error.value.kind == "cannot-encode-an-empty-project-path"


@given(TEXT, st.none() | TEXT, st.booleans())
def test_a_header_fits_the_path_that_is_made_from_it(session_id: str, cwd: str | None, compress: bool) -> None:
    """Whatever its id and working folder."""
    header = SessionHeader(id=session_id, cwd=cwd)
    path = log_path("/base", header, compress=compress)
    assert path.parts[:2] == ("/", "base")
    assert len(path.parts) == 5
    assert derives_path(header, str(path)) is None
    assert derives_path(SessionHeader(id=session_id + "x", cwd=cwd), str(path)) == "id"


def test_only_dshs_own_places_say_anything() -> None:
    """Other names of files or folders fit any header."""
    header = SessionHeader(id="s", cwd="/w")
    for path in ("--v--/s/other.jsonl", "v/s/session.jsonl", "----/s/session.jsonl", "session.jsonl"):
        assert derives_path(header, path) is None
    assert derives_path(header, "--v--/s/session.jsonl") == "cwd"


def test_a_relative_path_is_judged_by_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file opened from inside its folder lies in that folder."""
    folder = tmp_path / "--w--" / "s"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert derives_path(SessionHeader(id="s", cwd="/w"), "session.jsonl") is None
    assert derives_path(SessionHeader(id="t", cwd="/w"), "session.jsonl") == "id"

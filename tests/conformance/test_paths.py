"""Hold the names of folders and files to those the original gave to the same ids and working folders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.errors import TimectxError
from timectx.formats import encode_segment, log_path, project_key
from timectx.session import SessionHeader


def outcome(name: Callable[[], object]) -> dict[str, Any]:
    """Return a name, or why there is none, in the form of the rows."""
    try:
        return {"ok": str(name())}
    except TimectxError as error:
        return {"error": {"name": "Error", "kind": error.kind}}


@pytest.mark.parametrize("row", rows("paths.jsonl"), ids=lambda row: ascii(row["input"]))
def test_an_id_and_a_working_folder_give_the_names_of_the_original(row: dict[str, Any]) -> None:
    """The text as an id, as a working folder, in a whole path of either kind: equal, or refused alike."""
    text = row["input"]
    with_cwd, without = SessionHeader(id="session-1", cwd=text), SessionHeader(id=text)
    assert {
        "input": text,
        "encodeSegment": outcome(lambda: encode_segment(text)),
        "projectKey": outcome(lambda: project_key(text)),
        "zstdPath": outcome(lambda: log_path("/base", with_cwd)),
        "rawNoCwd": outcome(lambda: log_path("/base", without, compress=False)),
    } == row

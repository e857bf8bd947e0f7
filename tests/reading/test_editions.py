"""Show how the editions differ."""

from __future__ import annotations

from typing import Any

import pytest

from timectx.errors import ReadingError
from timectx.reading import default_interval_ms, line_count
from timectx.reading.editions import check_edition


def test_editions_have_two_or_three_lines() -> None:
    """Old texts have two or four."""
    editions: list[Any] = ["note", "note-v2", "readme", "current", "recorded", "four-line"]
    assert [line_count(edition) for edition in editions] == [2, 2, 3, 3, 2, 4]


def test_only_the_current_edition_has_an_interval_of_its_own() -> None:
    """Ten minutes; in the others every attempt is due."""
    editions: list[Any] = ["note", "note-v2", "readme", "current"]
    assert [default_interval_ms(edition) for edition in editions] == [0, 0, 0, 600_000]


@pytest.mark.parametrize("name", ["", "readme ", "v4", "recorded"])
def test_an_edition_nobody_writes_is_refused(name: str) -> None:
    """The message lists those that can be written."""
    with pytest.raises(ReadingError) as caught:
        check_edition(name)
    assert (caught.value.kind, str(caught.value)) == (
        "edition-unknown",
        f"unknown edition: {name!r}; expected one of note, note-v2, readme, current",
    )

"""Hold the companion checks to the readings the original's checker accepts or refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.errors import TimectxError
from timectx.replay.companion import Companion
from timectx.session import event_from_record


@pytest.mark.parametrize("row", rows("reading_invariant.jsonl"), ids=lambda row: row["name"])
def test_a_reading_is_accepted_or_refused_as_by_the_original(row: dict[str, Any]) -> None:
    """The same readings pass, and the others break the same rule."""
    companion, broken = Companion(), None
    for record in row["events"]:
        try:
            companion.apply(event_from_record(record))
        except TimectxError as error:
            broken = broken or error.kind
    assert broken == row.get("error", {}).get("kind")

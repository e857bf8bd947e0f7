"""Hold the token estimate of edition ``current`` to the original's prices."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.rows import rows
from timectx.replay.compaction.edition_prices import price_header, price_message
from timectx.session import Message

ROWS = rows("current_tokens.jsonl")
MESSAGES = [row for row in ROWS if row["kind"] == "message"]
HEADERS = [row for row in ROWS if row["kind"] == "header"]


@pytest.mark.parametrize("row", MESSAGES, ids=range(len(MESSAGES)))
def test_message_price_equals_the_original(row: dict[str, Any]) -> None:
    """A message of any role and content costs what the original's estimate says."""
    message = row["message"]
    known = Message(content=tuple(message["content"]), source=message["source"], role=message["role"])
    assert price_message(known, "current") == row["tokens"]


@pytest.mark.parametrize("row", HEADERS, ids=range(len(HEADERS)))
def test_header_price_equals_the_original(row: dict[str, Any]) -> None:
    """A request header costs what its tools cost."""
    assert price_header(row["header"], "current") == row["tokens"]

"""Hold the fixed token estimate to the original's prices."""

from __future__ import annotations

import msgspec
import pytest

from tests.conformance.rows import rows
from timectx.replay import estimate_header_tokens, estimate_message_tokens
from timectx.session import Message


@pytest.mark.parametrize("row", [row for row in rows("tokens.jsonl") if row["kind"] == "message"])
def test_message_price_equals_the_original(row: dict) -> None:
    """A message of any content costs what the original's estimate says."""
    message = msgspec.convert({**row["message"]}, Message)
    assert estimate_message_tokens(message) == row["tokens"]


@pytest.mark.parametrize("row", [row for row in rows("tokens.jsonl") if row["kind"] == "header"])
def test_header_price_equals_the_original(row: dict) -> None:
    """A request header costs what the original's estimate says; none costs nothing."""
    assert estimate_header_tokens(row["header"]) == row["tokens"]

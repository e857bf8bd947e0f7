"""Compare time text with an independent implementation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import whenever
from hypothesis import given

from tests.reading.strategies import CANONICAL, instants
from timectx.reading import format_timestamp
from timectx.reading.database import database_names

SHARED = [zone for zone in CANONICAL if zone in database_names()]


@pytest.fixture(scope="module", autouse=True)
def _package_rules() -> Iterator[None]:
    """Let the oracle read the same database, not the host's."""
    whenever.reset_tzpath(())
    yield
    whenever.reset_tzpath()


@given(instants)
def test_every_zone_shows_what_an_independent_library_shows(time_ms: int) -> None:
    """Years 1 to 9999: same local time, same offset, also where it has seconds."""
    instant = whenever.Instant.from_timestamp(time_ms // 1000)
    theirs = [instant.to_tz(zone).format_iso().lstrip("0") for zone in SHARED]
    assert [format_timestamp(time_ms, zone) for zone in SHARED] == theirs

"""Draw instants, zones and readings of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from timectx.reading import BrowserZone, Reading
from timectx.reading.zones import spelled_zones
from timectx.units import MAX_INSTANT_MS

CANONICAL = sorted(set(spelled_zones().values()))
BROWSER_ZONES = [zone for zone in CANONICAL if "/" in zone or zone == "UTC"]
FIRST_MS = -62_135_596_800_000 + 86_400_000
LAST_MS = 253_402_300_799_999 - 86_400_000

offsets = st.builds(
    lambda sign, hour, minute: f"{sign}{hour:02d}:{minute:02d}",
    st.sampled_from("+-"),
    st.integers(0, 23),
    st.integers(1, 59),
)
zones = st.sampled_from(CANONICAL) | offsets
any_instants = st.integers(-MAX_INSTANT_MS, MAX_INSTANT_MS)
instants = st.integers(0, 4_102_444_800_000) | st.integers(FIRST_MS, LAST_MS)
"""Instants whose local year is between 1 and 9999 in every zone."""

browser_zones = st.lists(st.sampled_from(BROWSER_ZONES), unique=True, max_size=3).map(
    lambda found: BrowserZone(("missing", "resolved", "mixed")[min(2, len(found))], tuple(sorted(found)))
)
counts = st.integers(1, 2**53 - 1) | st.integers(1, 40)
elapsed = st.none() | st.integers(0, 10**15)

two_line_readings = st.builds(
    Reading, counts, counts, instants, zones, elapsed, st.none(), st.sampled_from(["note", "note-v2"])
)
three_line_readings = st.builds(
    Reading, counts, counts, instants, zones, elapsed, browser_zones, st.sampled_from(["readme", "current"])
)
readings = two_line_readings | three_line_readings

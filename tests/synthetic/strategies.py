"""Draw made-up sessions with anything that can happen to one."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from timectx.session import Session
from timectx.synthetic import Happening, HappeningKind, synthetic_session

__all__ = ["EDITIONS", "INTERVALS_MS", "happenings", "plans", "sessions"]

EDITIONS = ("readme", "note", "note-v2")
KINDS = get_args(HappeningKind)
LONGEST = 18
INTERVALS_MS = (0, 1, 999, 5000, 60_000, 600_000, 3_600_000, 7_777_777)
LENGTHS_MS = (0, 1, 1500, 90_000, 3_600_000, 86_400_000)
ZONES = ("Asia/Tokyo", "America/New_York", "Asia/Calcutta", "UTC")
BAD_ZONES = ("Asia/Kolkata", "Nope/Zone", "tokyo")


def happenings(*kinds: str, backwards: bool = True) -> st.SearchStrategy[Happening]:
    """Draw one happening of some kinds (none = any); the clock goes back only where it may."""
    named = st.sampled_from([kind for kind in kinds or KINDS if kind != "clock"])
    zones = st.sampled_from((None, *ZONES, *BAD_ZONES))
    steps, lengths = st.integers(1, LONGEST + 1), st.sampled_from(LENGTHS_MS)
    other = st.builds(Happening, named, steps, lengths, st.sampled_from((0, 60, 400)), st.just(""), zones)
    if "clock" not in (kinds or KINDS):
        return other
    signed = lengths.flatmap(lambda ms: st.sampled_from((ms, -ms) if backwards else (ms,)))
    return other | st.builds(Happening, st.just("clock"), steps, signed)


@st.composite
def plans(draw: st.DrawFn, *, backwards: bool = True, **fixed: Any) -> dict[str, Any]:
    """Draw the arguments of `synthetic_session`, seed included; those in `fixed` are as given."""
    first = draw(st.lists(st.sampled_from((None, *ZONES, *BAD_ZONES)), max_size=3))
    plan = {
        "seed": draw(st.integers(-(10**6), 10**6)),
        "steps": draw(st.integers(0, LONGEST)),
        "interval_ms": draw(st.sampled_from(INTERVALS_MS)),
        "edition": draw(st.sampled_from(EDITIONS)),
        "time_zone": draw(st.sampled_from(ZONES)),
        "start_ms": draw(st.integers(0, 4 * 10**12)),
        "browser_zones": (*first, draw(st.sampled_from((None, *ZONES)))) if first else (),
        "happenings": tuple(draw(st.lists(happenings(backwards=backwards), max_size=8))),
        "lag_ms": draw(st.sampled_from((0, 0, 3, 40))),
        "stream": draw(st.booleans()),
    }
    return plan | fixed


def sessions(**fixed: Any) -> st.SearchStrategy[Session]:
    """Draw a whole session."""
    return plans(**fixed).map(lambda plan: synthetic_session(plan.pop("seed"), **plan))

"""Make streams of prompts that grow, are cut back, go quiet and carry a line of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice

from hypothesis import strategies as st

from tests.cost.oracle import Request, Tokens
from timectx.cost.cache import CacheRule

RULES = st.builds(
    CacheRule,
    name=st.just("drawn"),
    step_tokens=st.sampled_from([0, 0, 1, 3, 4]),
    minimum_tokens=st.sampled_from([0, 1, 4, 9]),
    ttl_ms=st.sampled_from([0, 5, 10]),
    lookback_nodes=st.sampled_from([0, 1, 2, 4]),
    lookback_marks=st.sampled_from([0, 1, 2, 3]),
    marks_prompt=st.booleans(),
    marks_output=st.booleans(),
    marks_common=st.booleans(),
    marks_header=st.booleans(),
    spares_line=st.booleans(),
    charges_writes=st.booleans(),
)


@st.composite
def streams(draw: Callable[..., int], most: int = 12) -> list[Request]:
    """Draw requests whose prompts differ from those before at one place, with tokens never seen before."""
    fresh = count(1)
    requests: list[Request] = []
    body: Tokens = ()
    header = previous = 0
    for _ in range(draw(st.integers(1, most))):
        keep = draw(st.integers(0, max(previous - 1, 0))) if draw(st.integers(0, 2)) == 0 else len(body)
        if keep < header or not requests:
            header = draw(st.integers(0, 6))
        body = body[:keep] + take(fresh, max(draw(st.integers(0, 6)), header - keep))
        line = take(fresh, draw(st.sampled_from([0, 0, 0, 1, 3])))
        reply = () if line else take(fresh, draw(st.sampled_from([0, 0, 1, 2, 5])))
        idle_ms = draw(st.sampled_from([0, 1, 4, 5, 6, 9, 10])) if requests else 0
        requests.append(Request(body + line, idle_ms, draw(st.integers(1, 3)), reply, header, len(line)))
        previous = len(body)
        body += reply
    return requests


def take(fresh: Iterator[int], number: int) -> Tokens:
    """Return some tokens that were in no prompt yet."""
    return tuple(islice(fresh, number))

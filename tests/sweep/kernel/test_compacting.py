"""A surface kept as sums is cut where `plan_compaction` cuts the surface itself."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from timectx.errors import SessionError
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.compaction.regions import plan_compaction
from timectx.sweep.flat.simulated_ledger import next_lower, previous_lower
from timectx.sweep.kernel.compacting import region_of, savings_of

NODES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(-1, 2), st.booleans()), max_size=14)
"""Of each node of the log its price, what shortening saves, its calls, and whether a reading stands before it."""


@given(NODES, st.integers(0, 14), st.integers(0, 14), st.integers(-1, 40), st.integers(0, 60), st.integers(0, 3))
def test_a_region_is_the_one_that_is_planned(
    nodes: list[tuple[int, int, int, bool]], gone: int, pruned: int, checkpoint: int, retain: int, spare: int
) -> None:
    """Behind a checkpoint or not, with readings in between, results shortened up to some node, calls open or not."""
    tail = min(gone, len(nodes)) if checkpoint >= 0 else 0
    shortened = [max(0, price - saved) for price, saved, _, _ in nodes]
    surface, kinds, places, prices = [], list[int](), list[int](), list[int]()
    if checkpoint >= 0:
        surface.append(Node(-1, checkpoint))
    for at, (price, _, calls, has_reading) in enumerate(nodes):
        if has_reading and at >= tail:
            surface.append(Node(1000 + at, 7))
            kinds.append(0)
            places.append(at)
            prices.append(7)
        if at >= tail:
            surface.append(Node(at, shortened[at] if at < pruned else price, calls))
    sums = [
        [0, *accumulate(values)] for values in ([node[0] for node in nodes], shortened, [node[2] for node in nodes])
    ]
    lower = (next_lower(sums[2]), previous_lower(sums[2]))
    stays, stays_reading, tokens = region_of(
        tail, checkpoint, len(nodes), pruned, retain, spare, len(kinds), kinds, places, prices, *sums, *lower
    )
    try:
        planned = plan_compaction(surface, retain, spare=spare)
    except SessionError:
        planned = None
    if planned is None:
        assert stays == -1
        return
    left = surface[len(planned.nodes) :]
    assert tokens == planned.tokens
    assert (stays, stays_reading) == (
        next((node.seq for node in left if node.seq < 1000), len(nodes)),
        len(kinds) - sum(node.seq >= 1000 for node in left),
    )


def test_nothing_is_saved_over_an_empty_range() -> None:
    """A range that ends before it begins saves nothing."""
    assert (savings_of([0, 9, 19], [0, 4, 14], 0, 2), savings_of([0, 9, 19], [0, 4, 14], 2, 1)) == (5, 0)

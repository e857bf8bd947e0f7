"""Where a surface can be cut: only where no tool call waits for its result."""

from __future__ import annotations

import pytest

from timectx.errors import SessionError
from timectx.replay.compaction.pairing import balanced_cuts
from timectx.replay.compaction.priced_surface import Node


def nodes(*calls: int) -> list[Node]:
    """Return nodes that open and close as many calls as said."""
    return [Node(seq, 10, calls=count) for seq, count in enumerate(calls)]


@pytest.mark.parametrize(
    ("calls", "cuts"),
    [
        ((), (True,)),
        ((0, 0), (True, True, True)),
        ((1, -1), (True, False, True)),
        ((2, -1, -1), (True, False, False, True)),
        ((1, -1, 1, -1), (True, False, True, False, True)),
        ((1, 0, -1), (True, False, False, True)),
        ((2, -1), (True, False, False)),
    ],
    ids=["nothing", "messages", "one", "a-batch", "one-after-another", "a-message-between", "left-waiting"],
)
def test_a_cut_is_balanced_where_nothing_waits(calls: tuple[int, ...], cuts: tuple[bool, ...]) -> None:
    """A batch of calls stays together with all its results, and with whatever stands between."""
    assert balanced_cuts(nodes(*calls)) == cuts


def test_a_result_without_a_call_is_no_surface_to_cut() -> None:
    """More results than calls: the surface is corrupt, whatever comes after."""
    with pytest.raises(SessionError) as refused:
        balanced_cuts(nodes(1, -1, -1, 1))
    assert refused.value.kind == "tool-pairing-balance-tool-result-at"
    assert "seq 2" in str(refused.value)

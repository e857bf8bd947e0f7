"""Which nodes a compaction takes: all but the retained tail, and never half of a tool call."""

from __future__ import annotations

import pytest

from timectx.errors import SessionError
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.regions import Region, plan_compaction, region_between


def surface(*parts: str | int) -> list[Node]:
    """Return nodes: a price is a message, ``2c`` a reply with two calls, ``r`` a result, ``s`` a system prompt."""
    found = []
    for seq, part in enumerate(parts):
        match part:
            case int():
                found.append(Node(seq, part))
            case "r":
                found.append(Node(seq, 10, calls=-1))
            case "s":
                found.append(Node(seq, 10, is_system=True))
            case _:
                found.append(Node(seq, 10, calls=int(part[0])))
    return found


@pytest.mark.parametrize(
    ("nodes", "retain", "taken"),
    [
        (surface(10, 10, 10), 0, (0, 1)),
        (surface(10, 10, 10), 10, (0, 1)),
        (surface(10, 10, 10), 11, (0,)),
        (surface(10, 10, 10), 20, (0,)),
        (surface(10, 10, 10), 21, None),
        (surface(10), 0, None),
        (surface(), 0, None),
        (surface(10, "1c", "r", 10), 11, (0,)),
        (surface(10, "1c", "r", 10), 10, (0, 1, 2)),
        (surface(10, "2c", "r", "r", 10), 20, (0,)),
        (surface("1c", "r"), 0, None),
        (surface(10, "1c", "r", "1c", "r"), 0, (0, 1, 2)),
        (surface(10, "2c", "r"), 0, (0,)),
        (surface("s", 10, 10), 0, (1,)),
        (surface("s", 10), 0, None),
        (surface(10, "s", 10), 0, (0, 1)),
        (surface("s", "1c", "r", 10), 11, None),
    ],
    ids=[
        "retain-0-keeps-the-last", "the-node-that-reaches-it", "the-node-that-crosses-it", "exactly", "everything-kept",
        "one-node", "no-node", "not-between-call-and-result", "after-the-result", "not-inside-a-batch", "one-pair",
        "back-to-the-last-balanced-cut", "a-call-that-still-waits", "not-the-system-prompt", "only-one-after-it",
        "a-later-system-prompt", "nothing-left-after-the-system-prompt",
    ],
)  # fmt: skip
def test_the_newest_nodes_stay_and_calls_keep_their_results(
    nodes: list[Node], retain: int, taken: tuple[int, ...] | None
) -> None:
    """The tail is kept by price; the cut then moves to the left until no call is parted from its result."""
    region = plan_compaction(nodes, retain)
    assert (None if region is None else region.seqs) == taken


@pytest.mark.parametrize(("spare", "taken"), [(0, (0, 1, 2)), (1, (0, 1)), (2, (0,)), (3, None)])
def test_the_last_nodes_can_be_spared_whatever_they_cost(spare: int, taken: tuple[int, ...] | None) -> None:
    """So that a prompt in front of a reading can be kept; no fewer stay than the tail says."""
    region = plan_compaction(surface(10, 10, 10, 10), 0, spare=spare)
    assert (None if region is None else region.seqs) == taken


def test_the_walk_ends_before_a_corrupt_surface_is_looked_at() -> None:
    """Where everything is kept anyhow, nothing is checked; else a result without a call is refused."""
    nodes = surface("r", 10, 10)
    assert plan_compaction(nodes, 1000) is None
    with pytest.raises(SessionError) as refused:
        plan_compaction(nodes, 0)
    assert refused.value.kind == "tool-pairing-balance-tool-result-at"


def test_a_region_adds_up_its_nodes() -> None:
    """Seqs in surface order, and the sum of the prices."""
    region = Region((Node(9, 5), Node(3, 20)))
    assert (region.seqs, region.tokens) == ((9, 3), 25)


@pytest.mark.parametrize(
    ("start", "end", "kind"),
    [
        (9, 1, "replace-start-not-found"),
        (0, 9, "replace-end-not-found"),
        (3, 1, "replace-start-after-end"),
    ],
)
def test_a_range_has_to_be_one(start: int, end: int, kind: str) -> None:
    """Both its ends stand on the surface, in order."""
    with pytest.raises(SessionError) as refused:
        region_between(surface(10, "1c", "r", 10), start, end, "readme")
    assert refused.value.kind == kind


@pytest.mark.parametrize(
    ("start", "end", "kind"),
    [
        (0, 1, "compactregion-end-seq-is-not-a"),
        (2, 3, "compactregion-start-seq-is-not-a"),
        (2, 2, "compactregion-start-seq-is-not-a"),
    ],
)
def test_a_range_may_not_part_a_call_from_its_result(start: int, end: int, kind: str) -> None:
    """At neither edge; where both are wrong, the first is named."""
    with pytest.raises(CompactionError) as refused:
        region_between(surface(10, "2c", "r", "r", 10), start, end, "readme")
    assert refused.value.kind == kind


def test_a_sound_range_is_returned_in_surface_order() -> None:
    """A whole batch, and a single message."""
    nodes = surface(10, "1c", "r", 10)
    assert region_between(nodes, 1, 2, "readme") == Region(tuple(nodes[1:3]))
    assert region_between(nodes, 3, 3, "readme") == Region((nodes[3],))

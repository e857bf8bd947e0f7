"""Choose which nodes a compaction takes off the surface."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from timectx.reading import Edition
from timectx.replay.compaction.pairing import balanced_cuts
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.compaction.refusals import refusal
from timectx.session.events import Replace
from timectx.session.surface import span_of

__all__ = ["Region", "plan_compaction", "region_between"]


class Region(Struct, frozen=True):
    """Hold the nodes that one compaction shadows, in surface order; never empty."""

    nodes: tuple[Node, ...]

    @property
    def seqs(self) -> tuple[int, ...]:
        """Their seqs; since that is surface order, they need not rise."""
        return tuple(node.seq for node in self.nodes)

    @property
    def tokens(self) -> int:
        """The sum of their prices."""
        return sum(node.tokens for node in self.nodes)


def plan_compaction(nodes: Sequence[Node], retain_tokens: int, *, spare: int = 0) -> Region | None:
    """
    Choose what a compaction shadows: all but the newest nodes.

    Parameters
    ----------
    nodes : sequence of Node
        The surface, in order.
    retain_tokens : int
        The least that the newest nodes keep, in tokens; the node that reaches it is kept whole. 0
        keeps the last node alone.
    spare : int, optional
        How many nodes beside the last stay whatever they cost; 0 leaves that to `retain_tokens`.

    Returns
    -------
    Region or None
        From the first node (the one after it, where that is a system prompt) to the last place
        before the retained tail where no tool call is parted from its result; None when
        nothing is left to take.

    Raises
    ------
    SessionError
        Kind ``tool-pairing-balance-tool-result-at`` when a tool result stands where no call is open.

    Notes
    -----
    Readings are nodes like any other: they use up the retained tail, and where 0 is retained after a
    request that did not fit, the one node kept is the reading and the prompt before it goes [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/region.ts,
       `selectCompactableRange`.

    Examples
    --------
    >>> surface = [Node(0, 50), Node(1, 20, calls=1), Node(2, 30, calls=-1), Node(3, 10)]
    >>> plan_compaction(surface, 15).seqs, plan_compaction(surface, 10).seqs
    ((0,), (0, 1, 2))
    >>> plan_compaction(surface, 1000) is None
    True
    """
    first = 1 if nodes and nodes[0].is_system else 0
    keep_from = min(_tail_start(nodes, retain_tokens), len(nodes) - 1 - spare)
    if keep_from <= first:
        return None
    cuts = balanced_cuts(nodes)
    while keep_from > first and not cuts[keep_from]:
        keep_from -= 1
    return Region(tuple(nodes[first:keep_from])) if keep_from > first else None


def region_between(nodes: Sequence[Node], start: int, end: int, edition: Edition) -> Region:
    """
    Return a range of the surface, if it can be compacted.

    Parameters
    ----------
    nodes : sequence of Node
        The surface, in order.
    start, end : int
        Seqs of the first and the last node of the range.
    edition : {"note", "note-v2", "readme", "current"}
        Whose words an error's kind takes.

    Returns
    -------
    Region
        The nodes from `start` to `end`.

    Raises
    ------
    SessionError
        Kinds ``replace-start-not-found``, ``replace-end-not-found``, ``replace-start-after-end``.
    CompactionError
        Rules ``start-unbalanced`` and ``end-unbalanced``, where the range would part a tool call from
        its result.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/region.ts, `compactSurfaceRegion`.
    """
    first, last = span_of([node.seq for node in nodes], Replace(start, end))
    cuts = balanced_cuts(nodes)
    if not cuts[first]:
        raise refusal("start-unbalanced", f"a tool call before seq {start} has its result after it", edition)
    if not cuts[last + 1]:
        raise refusal("end-unbalanced", f"a tool call up to seq {end} has its result after it", edition)
    return Region(tuple(nodes[first : last + 1]))


def _tail_start(nodes: Sequence[Node], retain_tokens: int) -> int:
    """Return the position of the first node that the retained tail keeps."""
    kept = 0
    for at in range(len(nodes) - 1, -1, -1):
        kept += nodes[at].tokens
        if kept >= retain_tokens:
            return at
    return 0

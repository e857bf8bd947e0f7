"""Keep the surface as priced nodes, so that appending and replacing cost no more than what they touch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from timectx.errors import SessionError
from timectx.reading import Edition
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.meter import Pricing
from timectx.session.events import AssistantMessage, SurfaceEvent, ToolResult
from timectx.session.surface import message_of

__all__ = ["Node", "PricedSurface", "node_of"]

_END: Final = None
"""The key before the first and after the last node."""


class Node(Struct, frozen=True, gc=False):
    """
    Describe one node of the surface by what compaction needs to know of it.

    `seq` names it, `tokens` is its price, `calls` is how many tool calls it opens (-1 for a tool's
    result, which closes one), and `is_system` marks a system prompt that is a message.
    """

    seq: int
    tokens: int
    calls: int = 0
    is_system: bool = False


def node_of(event: SurfaceEvent, edition: Edition, counter: Pricing | None = None) -> Node:
    """
    Describe a message event as a node.

    Parameters
    ----------
    event : SurfaceEvent
        The event.
    edition : {"note", "note-v2", "readme", "current"}
        Whose prices.
    counter : callable or Scaled, optional
        Counts texts in place of the edition's rule, or scales what that says; None uses the rule.

    Returns
    -------
    Node
        Of price 0 where the event sends no message.

    References
    ----------
    .. [1] deepseek-harness, packages/llm/token-meter/src/surface-fold.ts.
    .. [2] deepseek-harness, packages/compaction/compaction/src/tool-pairing.ts.
    """
    message = message_of(event)
    if message is None:
        return Node(event.seq, 0)
    calls = 0
    if isinstance(event, AssistantMessage):
        calls = sum(block.get("type") == "tool-call" for block in message.content)
    elif isinstance(event, ToolResult):
        calls = -1
    return Node(event.seq, price_message(message, edition, counter), calls, message.role == "system")


class PricedSurface:
    """
    Hold the nodes the model sees, in order, with the sum of their prices.

    Notes
    -----
    A chain of nodes rather than a list: an append takes constant time and a replacement time in
    proportion to what it takes off, wherever it stands. A whole log costs time in proportion to its length.

    Examples
    --------
    >>> surface = PricedSurface()
    >>> for node in (Node(0, 10), Node(1, 20), Node(2, 30)):
    ...     surface.append(node)
    >>> surface.replace(0, 1, Node(7, 5))
    (Node(seq=0, tokens=10, calls=0, is_system=False), Node(seq=1, tokens=20, calls=0, is_system=False))
    >>> [node.seq for node in surface], surface.tokens
    ([7, 2], 35)
    """

    def __init__(self) -> None:
        self.tokens = 0
        self.replace_generation = 0
        self._nodes: dict[int, Node] = {}
        self._next: dict[int | None, int | None] = {_END: _END}
        self._previous: dict[int | None, int | None] = {_END: _END}

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        """Yield the nodes from the first to the last."""
        return self._walk(self._next)

    def __reversed__(self) -> Iterator[Node]:
        """Yield the nodes from the last to the first."""
        return self._walk(self._previous)

    def __contains__(self, seq: int) -> bool:
        """Tell whether a node with that seq is on the surface."""
        return seq in self._nodes

    def nodes(self) -> tuple[Node, ...]:
        """
        Return the nodes as they stand.

        Returns
        -------
        tuple of Node
            From the first to the last; takes time in proportion to their number.
        """
        return tuple(self)

    def append(self, node: Node) -> None:
        """
        Add a node at the end.

        Parameters
        ----------
        node : Node
            With a seq that is not on the surface.
        """
        self._nodes[node.seq] = node
        self._link(self._previous[_END], node.seq)
        self._link(node.seq, _END)
        self.tokens += node.tokens

    def insert(self, node: Node) -> None:
        """
        Add a node at the end, but before the nodes there that a log has later.

        Parameters
        ----------
        node : Node
            With a seq that is not on the surface.
        """
        after: int | None = _END
        while (before := self._previous[after]) is not None and before > node.seq:
            after = before
        self._nodes[node.seq] = node
        self._link(before, node.seq)
        self._link(node.seq, after)
        self.tokens += node.tokens

    def replace(self, start: int, end: int, node: Node) -> tuple[Node, ...]:
        """
        Put a node in the place of a range.

        Parameters
        ----------
        start, end : int
            Seqs of the first and the last node to take off, in surface order.
        node : Node
            What stands for them from here on.

        Returns
        -------
        tuple of Node
            Those taken off.

        Raises
        ------
        SessionError
            Kind ``token-surface-replace-at-seq-has`` when they are no range of the surface, which is
            then unchanged.
        """
        gone = self._range(start, end)
        if gone is None:
            raise SessionError(
                f"seq {node.seq} replaces the nodes from {start} to {end}, which are no range of the surface",
                kind="token-surface-replace-at-seq-has",
            )
        before, after = self._previous[start], self._next[end]
        for old in gone:
            del self._nodes[old.seq], self._next[old.seq], self._previous[old.seq]
        self._nodes[node.seq] = node
        self._link(before, node.seq)
        self._link(node.seq, after)
        self.tokens += node.tokens - sum(old.tokens for old in gone)
        self.replace_generation += 1
        return gone

    def _range(self, start: int, end: int) -> tuple[Node, ...] | None:
        if start not in self._nodes or end not in self._nodes:
            return None
        found, at = [], start
        while at != end:
            found.append(self._nodes[at])
            following = self._next[at]
            if following is None:
                return None
            at = following
        return (*found, self._nodes[end])

    def _link(self, first: int | None, second: int | None) -> None:
        self._next[first], self._previous[second] = second, first

    def _walk(self, links: dict[int | None, int | None]) -> Iterator[Node]:
        at = links[_END]
        while at is not None:
            yield self._nodes[at]
            at = links[at]

"""Find where a surface can be cut without parting a tool call from its result."""

from __future__ import annotations

from collections.abc import Iterable

from timectx.errors import SessionError
from timectx.replay.compaction.priced_surface import Node

__all__ = ["balanced_cuts"]


def balanced_cuts(nodes: Iterable[Node]) -> tuple[bool, ...]:
    """
    Tell of each place between nodes whether a cut there leaves every tool call with its result.

    Parameters
    ----------
    nodes : iterable of Node
        The surface, from its first node.

    Returns
    -------
    tuple of bool
        One more than there are nodes: the first is the place before all of them, the last the
        place after them; between, True where no call is waiting for its result.

    Raises
    ------
    SessionError
        Kind ``tool-pairing-balance-tool-result-at`` when a result stands where no call is open.

    Notes
    -----
    Calls and results are counted, not matched by id: every call opens, every result closes one.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction/src/tool-pairing.ts.

    Examples
    --------
    >>> balanced_cuts([Node(0, 9), Node(1, 20, calls=2), Node(2, 5, calls=-1), Node(3, 5, calls=-1)])
    (True, True, False, False, True)
    """
    waiting, cuts = 0, [True]
    for node in nodes:
        waiting += node.calls
        if waiting < 0:
            raise SessionError(
                f"the tool result at seq {node.seq} has no call before it on the surface, which is therefore corrupt",
                kind="tool-pairing-balance-tool-result-at",
            )
        cuts.append(waiting == 0)
    return tuple(cuts)

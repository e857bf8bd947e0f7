"""Derive what the model sees: the ordered nodes left after every append and replacement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import UNSET, Struct

from timectx.errors import SessionError
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantMessage,
    Event,
    Message,
    Replace,
    SurfaceEvent,
    ToolResult,
    UserMessage,
)
from timectx.session.records import json_numbers, parse_replace, record_of
from timectx.units import is_safe_integer

__all__ = ["Surface", "apply_to_nodes", "check_surface", "fold_surface", "message_of", "span_of"]


class Surface(Struct, frozen=True):
    """
    Hold the nodes the model sees, as seqs in the order it sees them.

    Seqs need not rise: a checkpoint takes the place of older nodes. `replace_generation`
    counts the replacements so far.
    """

    nodes: tuple[int, ...] = ()
    replace_generation: int = 0


def fold_surface(events: Iterable[Event], surface: Surface | None = None) -> Surface:
    """
    Fold events into the surface they leave.

    Parameters
    ----------
    events : iterable of Event
        In log order; events without a surface marker change nothing.
    surface : Surface, optional
        Where to start; None starts empty.

    Returns
    -------
    Surface
        The nodes and the number of replacements.

    Raises
    ------
    SessionError
        Kinds ``replace-start-not-found``, ``replace-end-not-found``, ``replace-start-after-end``.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/surface.ts.
    """
    start = surface or Surface()
    nodes, generation = list(start.nodes), start.replace_generation
    for event in events:
        generation += apply_to_nodes(nodes, event)
    return Surface(tuple(nodes), generation)


def apply_to_nodes(nodes: list[int], event: Event) -> bool:
    """
    Change a list of nodes the way one event changes the surface; for folds that run along a log.

    Parameters
    ----------
    nodes : list of int
        The surface so far; changed in place.
    event : Event
        The next event.

    Returns
    -------
    bool
        True when the event replaced nodes.

    Raises
    ------
    SessionError
        As `fold_surface`; `nodes` is then unchanged.
    """
    if not isinstance(event, SURFACE_CLASSES) or event.surface_op is None:
        return False
    if isinstance(event.surface_op, Replace):
        first, last = span_of(nodes, event.surface_op)
        nodes[first : last + 1] = [event.seq]
        return True
    nodes.append(event.seq)
    return False


def span_of(nodes: Sequence[int], op: Replace) -> tuple[int, int]:
    """
    Return the positions of the first and the last node a replacement takes off the surface.

    Parameters
    ----------
    nodes : sequence of int
        The surface just before the replacement.
    op : Replace
        The replacement.

    Returns
    -------
    tuple of int
        Two positions, the first not after the last.

    Raises
    ------
    SessionError
        As `fold_surface`.
    """
    first = _position(nodes, op.start, "start")
    last = first if op.end == op.start else _position(nodes, op.end, "end")
    if first > last:
        raise SessionError(
            f"replacement starts at seq {op.start} (position {first}), after its end, seq {op.end} (position {last})",
            kind="replace-start-after-end",
        )
    return first, last


def message_of(event: SurfaceEvent) -> Message | None:
    """
    Return the message a node sends to the model.

    Parameters
    ----------
    event : SurfaceEvent
        A node's event.

    Returns
    -------
    Message or None
        None for a reply without content, which is a node but sends nothing.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/surface.ts, `deriveEventMessage`.
    """
    if isinstance(event, UserMessage):
        return event.data
    if isinstance(event, AssistantMessage) and not event.data.message.content:
        return None
    return event.data.message


def check_surface(
    event: Event,
    nodes: Sequence[int],
    find: Callable[[int], Event | None],
    *,
    record: Mapping[str, object] | None = None,
) -> None:
    """
    Refuse an event whose surface marker or sources break a rule.

    Parameters
    ----------
    event : Event
        The event about to be appended.
    nodes : sequence of int
        The surface just before it.
    find : callable
        Returns the event with a seq, or None.
    record : Mapping, optional
        The JSON object the event came from; None takes the event's own markers, malformed ones
        from its `extra`.

    Raises
    ------
    SessionError
        Its kind names the broken rule: ``not-surface-eligible``, ``op-missing``, ``op-invalid``,
        ``op-invalid-replace``, ``replace-start-not-found``, ``replace-end-not-found``,
        ``replace-start-after-end``, ``sources-not-array``, ``sources-empty``,
        ``sources-not-integers``, ``sources-duplicate``, ``sources-not-earlier``,
        ``sources-miss-shadowed``, ``tool-result-not-one``, ``tool-result-wrong-target``,
        ``tool-result-other-change``.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/surface.ts, `planSurfaceEvent`.
    """
    marks = _marks_of(event) if record is None else record
    op, sources = marks.get("surfaceOp", UNSET), marks.get("sourceEventSeqs", UNSET)
    if not isinstance(event, SURFACE_CLASSES):
        if op is not UNSET or sources is not UNSET:
            raise _fault(event, "not-surface-eligible", "only message events can carry a surface marker")
        return
    replace = _checked_op(event, op)
    shadowed: Sequence[int] = ()
    if replace:
        first, last = span_of(nodes, replace)
        shadowed = nodes[first : last + 1]
    _check_sources(event, shadowed, sources)
    if replace and isinstance(event, ToolResult):
        _check_rewrite(event, shadowed, find)


def _position(nodes: Sequence[int], seq: int, edge: str) -> int:
    try:
        return nodes.index(seq)
    except ValueError:
        raise SessionError(
            f"replacement {edge}s at seq {seq}, which is not on the surface", kind=f"replace-{edge}-not-found"
        ) from None


def _marks_of(event: Event) -> Mapping[str, object]:
    marks = dict(event.extra or {})
    if isinstance(event, SURFACE_CLASSES):
        if event.surface_op is not None:
            marks["surfaceOp"] = event.surface_op
        if event.source_event_seqs is not None:
            marks["sourceEventSeqs"] = event.source_event_seqs
    return marks


def _checked_op(event: SurfaceEvent, op: object) -> Replace | None:
    if op is UNSET:
        raise _fault(event, "op-missing", "a message event needs a surface marker")
    if op == "append":
        return None
    if isinstance(op, Replace):
        return op
    if not isinstance(op, dict):
        raise _fault(event, "op-invalid", f"a surface marker is 'append' or a replacement, not {op!r}")
    replace = parse_replace(json_numbers(op))
    if replace is None:
        raise _fault(event, "op-invalid-replace", f"a replacement names its start and end seq alone, not {op!r}")
    return replace


def _check_sources(event: SurfaceEvent, shadowed: Sequence[int], sources: object) -> None:
    cited = set() if sources is UNSET else _cited(event, sources)
    missing = [str(seq) for seq in shadowed if seq not in cited]
    if missing:
        named = ", ".join(missing)
        raise _fault(event, "sources-miss-shadowed", f"a replacement cites every node it shadows; missing {named}")


def _cited(event: SurfaceEvent, sources: object) -> set[int]:
    if not isinstance(sources, list | tuple):
        raise _fault(event, "sources-not-array", f"sourceEventSeqs is a list, not {sources!r}")
    if not sources and not isinstance(event, AssistantMessage):
        raise _fault(event, "sources-empty", "an empty sourceEventSeqs is for replies only")
    seqs = [json_numbers(seq) for seq in sources]
    if not all(is_safe_integer(seq) and seq >= 0 for seq in seqs):
        raise _fault(event, "sources-not-integers", "sourceEventSeqs holds seqs, whole numbers from 0")
    if len(set(seqs)) != len(seqs):
        raise _fault(event, "sources-duplicate", "sourceEventSeqs names no seq twice")
    if any(seq >= event.seq for seq in seqs):
        raise _fault(event, "sources-not-earlier", "sourceEventSeqs names earlier events")
    return set(seqs)


def _check_rewrite(event: ToolResult, shadowed: Sequence[int], find: Callable[[int], Event | None]) -> None:
    if len(shadowed) != 1:
        raise _fault(event, "tool-result-not-one", "a tool result replaces exactly one node")
    target = find(shadowed[0])
    if not isinstance(target, ToolResult):
        raise _fault(event, "tool-result-wrong-target", "a tool result replaces a tool result")
    if _without_content(event) != _without_content(target):
        raise _fault(event, "tool-result-other-change", "a rewritten tool result changes only its content")


def _without_content(event: ToolResult) -> str:
    """Return all a rewrite has to keep, as text: there 1 and true differ, and key order does not count."""
    data = record_of(event)["data"]
    blocks = [{**block, "content": None} for block in data["message"]["content"]]
    return json.dumps({**data, "message": {**data["message"], "content": blocks}}, sort_keys=True)


def _fault(event: Event, kind: str, rule: str) -> SessionError:
    return SessionError(f"{event.type} at seq {event.seq}: {rule}", kind=kind)

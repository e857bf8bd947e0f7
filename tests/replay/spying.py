"""Write down, beside a replay, each prompt piece by piece."""

from __future__ import annotations

from typing import Any, TypeAlias

from timectx.replay import Compaction, Run, Scenario, resolve_scenario, timeline_for
from timectx.replay.recorded_walk import RecordedWalk
from timectx.replay.simulated_walk import SimulatedWalk
from timectx.replay.walk import Walk
from timectx.session import Session

__all__ = ["Piece", "shared_tokens", "spied"]

Piece: TypeAlias = tuple[object, int]
"""What stands in a prompt, and its price; pieces of another text differ."""


def spied(session: Session, scenario: Scenario) -> tuple[Run, list[tuple[Piece, ...]]]:
    """Return the run of a session, and the prompt of each of its requests."""
    timeline = timeline_for(session, scenario)
    resolved = resolve_scenario(timeline, scenario)
    walk: Walk
    if isinstance(resolved.compaction, Compaction):
        walk = SimulatedWalk(timeline, resolved, resolved.compaction)
    else:
        walk = RecordedWalk(timeline, resolved)
    prompts: list[tuple[Piece, ...]] = []
    headers = 0
    send = walk.sender.book.send

    def spy(*args: Any, **given: Any) -> None:
        prompts.append(_prompt(walk, headers))
        send(*args, **given)

    walk.sender.book.send = spy  # type: ignore[method-assign]
    for cue in timeline.cues:
        headers += cue.act == "header" and cue.changed
        walk.follow(cue)
    return walk.run(), prompts


def shared_tokens(one: tuple[Piece, ...], other: tuple[Piece, ...]) -> int:
    """Return the price of what two prompts begin with, not counting a line that ends the first one."""
    shared = 0
    for piece, beside in zip(one, other, strict=False):
        if piece != beside or _is_line(piece):
            break
        shared += piece[1]
    return shared


def _prompt(walk: Walk, headers: int) -> tuple[Piece, ...]:
    account, name = walk.conversation, walk.scenario.delivery
    held = () if account.held is None else (((name, account.held.key), account.held.price_tokens),)
    above, below = ((), held) if name == "request-line" else (held, ())
    return ((("header", headers), walk.sender.header_tokens), *above, *account.nodes, *below)


def _is_line(piece: Piece) -> bool:
    return isinstance(piece[0], tuple) and piece[0][0] == "request-line"

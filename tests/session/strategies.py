"""Draw whole session logs, legal ones, in either layout of format 0."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.builders import Layout, LogBuilder, log
from timectx.session.events import ToolResult
from timectx.session.surface import fold_surface

__all__ = ["histories", "logs"]

LAYOUTS: tuple[Layout, ...] = ("late", "early")
TURN_ENDS = ["completed", "error", "aborted", "blocked", "max-tokens", "interrupted", "open"]
"""How a turn ends; ``open`` only where the log stops."""


@st.composite
def logs(draw: st.DrawFn, layout: Layout | None = None) -> LogBuilder:
    """
    Draw a log of a few turns: readings, prompts, tools, retries, skipped output, compactions, pruning.

    Its clock moves by any amount, backwards too.
    """
    layouts = st.sampled_from(LAYOUTS) if layout is None else st.just(layout)
    built = log(draw(layouts), start_ms=draw(st.integers(-1000, 10**12)))
    for _ in range(draw(st.integers(0, 3))):
        _draw_turn(draw, built)
    return built


def histories() -> st.SearchStrategy[tuple[LogBuilder, int]]:
    """Draw a log and a place at which to cut it: how many events stand before."""
    return logs().flatmap(lambda built: st.tuples(st.just(built), st.integers(0, len(built.events()))))


def _draw_turn(draw: st.DrawFn, built: LogBuilder) -> None:
    built.turn()
    for _ in range(draw(st.integers(0, 3))):
        _draw_pre_step(draw, built)
        built.step()
        _draw_messages(draw, built)
        _draw_reply(draw, built)
        built.wait(draw(st.integers(-5000, 10**7)))
        if draw(st.booleans()):
            built.end_step()
    _draw_pre_step(draw, built)
    end = draw(st.sampled_from(TURN_ENDS))
    if end != "open":
        built.end_turn(end)


def _draw_pre_step(draw: st.DrawFn, built: LogBuilder) -> None:
    _draw_messages(draw, built)
    prune, compact = draw(st.booleans()), draw(st.booleans())
    visible = fold_surface(built.events()).nodes
    results = [event.seq for event in built.events() if isinstance(event, ToolResult) and event.seq in visible]
    if results and prune:
        built.prune(draw(st.sampled_from(results)))
    nodes = fold_surface(built.events()).nodes
    if nodes and compact:
        first = draw(st.integers(0, len(nodes) - 1))
        last = draw(st.integers(first, len(nodes) - 1))
        built.compaction(nodes[first], nodes[last], shadowed=nodes[first : last + 1])


def _draw_messages(draw: st.DrawFn, built: LogBuilder) -> None:
    for kind in draw(st.lists(st.sampled_from(["prompt", "reading", "stray"]), max_size=2)):
        if kind == "stray":  # in the log alone
            built.event("user/message", {"content": [], "source": {"kind": "user"}})
        else:
            (built.prompt if kind == "prompt" else built.reading)("text")


def _draw_reply(draw: st.DrawFn, built: LogBuilder) -> None:
    for piece in draw(st.lists(st.sampled_from(["skip", "chunk", "failure", "retry", "header"]), max_size=4)):
        if piece == "skip":
            built.skip(draw(st.integers(1, 5)))
        elif piece == "chunk":
            built.chunk("text-delta", text="t")
        else:
            {"failure": built.failure, "retry": built.retry, "header": built.header}[piece]()
    if draw(st.booleans()):
        calls = [f"c{built.next_seq}-{number}" for number in range(draw(st.integers(0, 2)))]
        built.reply(draw(st.sampled_from(["", "text"])), calls)
        for call in calls:
            built.tool(call)

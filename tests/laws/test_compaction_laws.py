"""What holds for every compaction: the surface's price adds up, calls keep their results, and it comes to an end."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import LogBuilder, log
from tests.replay.stage import Stage
from tests.session.strategies import logs
from timectx.errors import TimectxError
from timectx.replay.compaction.pairing import balanced_cuts
from timectx.replay.compaction.policy import Capacity
from timectx.replay.compaction.pressure import PressureFold
from timectx.replay.compaction.priced_surface import Node
from timectx.replay.compaction.pruning import PruneSettings
from timectx.replay.compaction.regions import plan_compaction
from timectx.replay.compaction.summaries import ShareOfShadowed
from timectx.replay.compaction.transaction import Compacted
from timectx.replay.meter import estimate_node_tokens
from timectx.session.data import Replace
from timectx.session.events import SURFACE_CLASSES, CompactionPrune, CompactionSummary, Event
from timectx.session.surface import Surface, check_surface, fold_surface

SIZES = st.integers(0, 120)
PRUNE = PruneSettings(threshold_chars=120, head_chars=40, tail_chars=20)


@st.composite
def conversations(draw: st.DrawFn) -> LogBuilder:
    """Draw a log of prompts, readings, replies and batches of tool calls, all of some size, inside an open turn."""
    built = log().turn().step().header(system="x" * draw(SIZES))
    for kind in draw(st.lists(st.sampled_from(["prompt", "reading", "reply", "batch", "turn"]), max_size=12)):
        text = "x" * draw(SIZES)
        if kind in ("prompt", "reading"):
            (built.prompt if kind == "prompt" else built.reading)(text)
        elif kind == "turn":
            built.turn().step()
        else:
            usage = draw(st.none() | st.fixed_dictionaries({"inputTokens": SIZES, "outputTokens": SIZES}))
            calls = [f"c{built.next_seq}-{number}" for number in range(draw(st.integers(0, 3)) * (kind == "batch"))]
            built.reply(text, calls, usage=usage)
            answered = draw(st.integers(0, len(calls))) if draw(st.booleans()) else len(calls)
            for call in calls[:answered]:
                built.tool(call, "x" * draw(st.integers(0, 600)))
    return built


@st.composite
def stages(draw: st.DrawFn) -> Stage:
    """Draw a conversation, settings, and a model that writes summaries of some share of what they stand for."""
    threshold = draw(st.sampled_from([0.2, 0.5, 1]))
    config: dict[str, Any] = {"thresholdRatio": threshold, "compactionRetries": draw(st.integers(0, 3))}
    config |= draw(st.sampled_from([{"retainTokens": 0}, {"retainTokens": 19}, {"retainRatio": 0.15}]))
    return Stage(
        draw(conversations()),
        capacity=Capacity(draw(st.integers(100, 1000))),
        pruning=draw(st.sampled_from([None, PRUNE])),
        model=ShareOfShadowed(draw(st.sampled_from([0.001, 0.3, 0.9, 1.1]))),
        **config,
    )


def independent_price(events: list[Event]) -> int:
    """Return the surface's price by another way: the fold of the log, and the price of each node's event."""
    found = (events[seq] for seq in fold_surface(events).nodes)
    return sum(estimate_node_tokens(event) for event in found if isinstance(event, SURFACE_CLASSES))


# The surface's price


@given(logs())
def test_the_surface_costs_what_its_nodes_cost_after_every_event(built: LogBuilder) -> None:
    """An append adds its price; a replacement adds its price less those of the nodes it shadows."""
    pressure, surface = PressureFold(), Surface()
    prices: dict[int, int] = {}
    for event in built.events():
        before, nodes = pressure.surface.tokens, surface.nodes
        pressure.apply(event)
        surface = fold_surface([event], surface)
        change = 0
        if isinstance(event, SURFACE_CLASSES) and event.surface_op is not None:
            change = prices[event.seq] = estimate_node_tokens(event)
            if isinstance(event.surface_op, Replace):
                low, high = nodes.index(event.surface_op.start), nodes.index(event.surface_op.end)
                change -= sum(prices[seq] for seq in nodes[low : high + 1])
        assert pressure.measure().surface_tokens - before == change
        assert [(node.seq, node.tokens) for node in pressure.surface] == [(seq, prices[seq]) for seq in surface.nodes]
        assert pressure.surface.tokens == sum(prices[seq] for seq in surface.nodes)


@given(stages())
def test_the_price_of_a_compacted_surface_adds_up(stage: Stage) -> None:
    """What the compactor measures is what the log it wrote costs."""
    run_to_the_end(stage)
    assert stage.memory.view.pressure.surface.tokens == independent_price(stage.memory.events)


# Cuts


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 3)), max_size=20), st.integers(0, 300), st.integers(0, 5))
def test_no_cut_parts_a_call_from_its_result(parts: list[tuple[int, int]], retain: int, spare: int) -> None:
    """What is taken and what stays are both balanced; enough stays, and no shorter tail would have done."""
    nodes: list[Node] = []
    for tokens, calls in parts:
        nodes.append(Node(len(nodes), tokens, calls))
        nodes += [Node(len(nodes) + number, tokens, -1) for number in range(calls)]
    region = plan_compaction(nodes, retain, spare=spare)
    taken = 0 if region is None else len(region.nodes)
    assert sum(node.calls for node in nodes[:taken]) == 0
    assert balanced_cuts(nodes[taken:])[-1] == balanced_cuts(nodes)[-1]
    for more in range(taken + 1, len(nodes) + 1):
        kept = nodes[more:]
        is_enough = bool(kept) and sum(node.tokens for node in kept) >= retain and len(kept) > spare
        assert not (is_enough and balanced_cuts(nodes)[more])


# Compactions


def run_to_the_end(stage: Stage) -> list[Compacted]:
    """Relieve the pressure, then make room until nothing more is done; return what was done."""
    done = []
    for action in [stage.compactor.relieve_pressure, *[stage.compactor.make_room] * 50]:
        try:
            found = action()
        except TimectxError:
            break
        if found is None and action is not stage.compactor.relieve_pressure:
            break
        done += [found] if found else []
    else:
        raise AssertionError("fifty compactions in a row, and each found something to take")
    return done


@given(stages())
def test_a_compaction_always_shrinks_what_the_model_sees(stage: Stage) -> None:
    """Each takes more tokens off than its checkpoint puts on; what the log says was shadowed adds up to the change."""
    surface = stage.memory.view.pressure.surface
    before = surface.tokens
    for done in run_to_the_end(stage):
        assert done.checkpoint_tokens < done.region.tokens
    shadowed = replaced = 0
    for event in stage.written:
        if isinstance(event, CompactionPrune | CompactionSummary):
            shadowed += event.data.shadowed_token_count
        elif isinstance(event, SURFACE_CLASSES):
            replaced += estimate_node_tokens(event)
    assert before - surface.tokens == shadowed - replaced
    assert (surface.tokens < before) == (surface.replace_generation > 0)


@given(stages())
def test_pressure_is_relieved_in_a_bounded_number_of_rounds(stage: Stage) -> None:
    """As many as the retries and one; a success leaves the pressure below the threshold."""
    rounds = stage.compactor.policy.compaction_retries + 1
    try:
        done = stage.compactor.relieve_pressure()
    except TimectxError:
        done = None
    assert stage.types.count("compaction/start") <= rounds
    assert stage.types.count("compaction/start") == stage.types.count("compaction/end")
    if done is not None and stage.capacity is not None:
        assert stage.load < stage.capacity.context_window * stage.compactor.policy.threshold_ratio


@given(stages())
def test_what_compaction_writes_is_a_legal_log(stage: Stage) -> None:
    """Every event may stand where it stands, no compaction stays open, and no result is left without its call."""
    run_to_the_end(stage)
    events = stage.memory.events
    surface = fold_surface(events[: stage.before])
    for event in stage.written:
        check_surface(event, surface.nodes, dict(enumerate(events)).get)
        surface = fold_surface([event], surface)
    assert stage.memory.view.open_id is None
    assert len(balanced_cuts(stage.memory.view.nodes())) == len(surface.nodes) + 1

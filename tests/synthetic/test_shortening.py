"""Hold the compactions and prunes of made-up sessions to the rules of the original."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.synthetic.strategies import happenings, sessions
from timectx.replay import estimate_node_tokens
from timectx.session import Session, fold_surface
from timectx.session.events import (
    SURFACE_CLASSES,
    AssistantMessage,
    CompactionEnd,
    CompactionPrune,
    CompactionStart,
    CompactionSummary,
    Replace,
    ToolResult,
    UserMessage,
)
from timectx.synthetic import Habits, Happening, synthetic_session
from timectx.synthetic.shortening import _CLOSING, _OPENING

EMPTY_CHECKPOINT_TOKENS = 98
MARKER = "\n\n[... tool result middle pruned ...]\n\n"


def compacted(**options: Any) -> Session:
    """Return a session that is compacted once, before its step 12."""
    return synthetic_session(3, steps=14, happenings=(Happening("compaction", 12),), **options)


def around(session: Session) -> list[str]:
    """Return the types of events from the opening of the compaction to the next step's header or output."""
    [start] = [event.seq for event in session.events if isinstance(event, CompactionStart)]
    types = [event.type for event in session.events if event.seq >= start - 1]
    return types[: types.index("assistant/chunk")]


def test_compaction_happens_before_the_step_and_its_reading() -> None:
    """Inside the turn: opened, summed up, replaced, closed; then the step starts and the reading enters."""
    assert around(compacted()) == [
        *("step/end", "compaction/start", "compaction/summary", "user/message", "compaction/end"),
        *("step/start", "user/message"),
    ]


def test_compaction_in_the_early_order_happens_after_the_reading() -> None:
    """There the reading is on the surface already, and can be shadowed with the rest."""
    assert around(compacted(edition="note")) == [
        *("user/message", "compaction/start", "compaction/summary", "user/message", "compaction/end"),
        "step/start",
    ]


@given(sessions(happenings=(Happening("compaction", 5), Happening("prune", 6, size=200), Happening("compaction", 11))))
def test_a_compaction_shadows_the_older_part_and_parts_no_call_from_its_result(session: Session) -> None:
    """Its range starts at the first node, covers what it names, ends at a balanced cut, and shrinks the surface."""
    for index, event in enumerate(session.events):
        if not isinstance(event, CompactionSummary):
            continue
        nodes = fold_surface(session.events[:index]).nodes
        gone, checkpoint = nodes[: len(event.data.shadowed_seqs)], session.events[index + 1]
        assert (event.data.shadowed_seqs, event.data.shadowed_range.start, event.data.shadowed_range.end) == (
            gone,
            gone[0],
            gone[-1],
        )
        assert balance(session, gone) == 0
        price = sum(estimate_node_tokens(node) for node in map(session.find, gone) if isinstance(node, SURFACE_CLASSES))
        assert isinstance(checkpoint, UserMessage)
        assert (event.data.shadowed_token_count, estimate_node_tokens(checkpoint) < price) == (price, True)
        assert checkpoint.surface_op == Replace(gone[0], gone[-1])
        assert checkpoint.source_event_seqs == (index_of(session, index - 1), event.seq, *gone)


def balance(session: Session, seqs: tuple[int, ...]) -> int:
    """Return how many calls among some nodes have no result among them."""
    nodes = [session.find(seq) for seq in seqs]
    calls = sum(
        block["type"] == "tool-call"
        for node in nodes
        if isinstance(node, AssistantMessage)
        for block in node.data.message.content
    )
    return calls - sum(isinstance(node, ToolResult) for node in nodes)


def index_of(session: Session, index: int) -> int:
    """Return the seq of an event by its place."""
    return session.events[index].seq


def test_an_empty_checkpoint_costs_what_it_costs_in_the_original() -> None:
    """The frame has the original's length, so prices agree although its words do not."""
    texts = (_OPENING, _CLOSING)
    tokens = sum(-(-len(text) // 4) + 4 for text in texts) + 4
    assert (tokens, len(_OPENING)) == (EMPTY_CHECKPOINT_TOKENS, 321)


def test_a_compaction_that_would_not_shrink_is_recorded_as_failed() -> None:
    """Two short messages are not worth a checkpoint: opened and closed with an error, and the surface stays."""
    short = Habits(
        prompt_chars=((0, 4), (1000, 4)), text_chars=((0, 9), (1000, 9)), reasoning_permille=0,
        steps_per_turn_tenths=((0, 10), (1000, 10)),
    )  # fmt: skip
    session = synthetic_session(1, steps=3, habits=short, readings=False, happenings=(Happening("compaction", 2),))
    [end] = [event for event in session.events if isinstance(event, CompactionEnd)]
    assert (end.data.error is None, session.surface.replace_generation) == (False, 0)
    assert [event for event in session.events if isinstance(event, CompactionSummary)] == []


def test_a_prune_keeps_head_and_tail_of_a_long_result_and_all_else() -> None:
    """Half of what is allowed stays in front, an eighth at the end, the marker between; call and ids stay."""
    long = Habits(
        result_chars=((0, 5000), (1000, 5000)), more_calls_permille=0, steps_per_turn_tenths=((0, 30), (1000, 30))
    )
    session = synthetic_session(1, steps=3, habits=long, happenings=(Happening("prune", 3, size=800),))
    prunes = [event for event in session.events if isinstance(event, CompactionPrune)]
    assert len(prunes) == 2
    for prune in prunes:
        [seq] = prune.data.shadowed_seqs
        before, after = session.find(seq), session.find(prune.seq + 1)
        assert isinstance(before, ToolResult)
        assert isinstance(after, ToolResult)
        text = text_of(before)
        assert text_of(after) == f"{text[:400]}{MARKER}{text[-100:]}"
        assert (after.data.turn, after.data.step, after.data.message.id) == (
            before.data.turn,
            before.data.step,
            before.data.message.id,
        )
        assert prune.data.shadowed_token_count == estimate_node_tokens(before)


def text_of(event: ToolResult) -> str:
    """Return what a tool printed."""
    text = event.data.message.content[0]["content"][0]["text"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("size", [0, 40, 90_000])
def test_a_prune_that_has_nothing_to_cut_leaves_the_log_alone(size: int) -> None:
    """No result is that long, or no room would be left beside the marker."""
    small = Habits(longest_result_chars=50)
    plain = synthetic_session(1, steps=9, habits=small)
    pruned = synthetic_session(1, steps=9, habits=small, happenings=(Happening("prune", 6, size=size),))
    assert pruned.events == plain.events


@given(happenings("compaction", "prune"))
def test_shortening_moves_no_instant_before_it(happening: Happening) -> None:
    """The log up to the happening is the same with it and without it."""
    plain, changed = (synthetic_session(5, steps=18, happenings=each) for each in ((), (happening,)))
    same = 0
    while same < len(plain.events) and plain.events[same] == changed.events[same]:
        same += 1
    starts = [step.start_seq for step in plain.steps]
    assert same == len(plain.events) or plain.events[same].seq >= [0, *starts][max(0, happening.step - 1)]

"""What the model sees follows from the log: every append, every replacement, and the rules both obey."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import log
from timectx.errors import SessionError
from timectx.session.data import Replace
from timectx.session.events import AssistantMessage, Event, ToolResult, UserMessage
from timectx.session.records import event_from_record
from timectx.session.surface import Surface, apply_to_nodes, check_surface, fold_surface, message_of, span_of

SOURCE = {"kind": "user"}


def user(seq: int, **marks: object) -> Event:
    """Return a prompt with some surface marker."""
    data = {"content": [{"type": "text", "text": f"u{seq}"}], "source": SOURCE, "role": "user", "id": f"u{seq}"}
    return event_from_record({"type": "user/message", "seq": seq, "time": 0, "data": data, **marks})


def replace(start: float, end: float) -> dict[str, object]:
    """Return a replacement's marker."""
    return {"op": "replace", "start": start, "end": end}


def broken_rule(event: Event, nodes: list[int], log: dict[int, Event] | None = None, **options: Any) -> str:
    """Return the kind of the rule that an event breaks; "" when it breaks none."""
    try:
        check_surface(event, nodes, (log or {}).get, **options)
    except SessionError as error:
        return error.kind
    return ""


# Folding


def test_messages_stand_in_the_order_they_were_appended() -> None:
    """Everything but the three message types leaves the surface alone."""
    events = log().turn().prompt("a").step().header().reply("b", calls=["c"]).tool("c").end_turn().events()
    assert [event.type for event in events if event.seq in (2, 4, 6)] == [
        "user/message",
        "assistant/message",
        "tool/result",
    ]
    assert fold_surface(events) == Surface((2, 4, 6), 0)


def test_an_empty_log_has_an_empty_surface() -> None:
    """No node, no replacement."""
    assert fold_surface([]) == Surface((), 0)


def test_a_message_without_marker_only_stands_in_the_log() -> None:
    """Early logs hold such messages: not seen by the model, still history."""
    assert fold_surface([user(0, surfaceOp="append"), user(1), user(2, surfaceOp="append")]) == Surface((0, 2), 0)


def test_a_checkpoint_takes_the_place_of_what_it_shadows() -> None:
    """Its seq is larger than those of the nodes after it: seqs on a surface need not rise."""
    built = log().turn().prompt("a").step().reply("b").prompt("c").reply("d")
    assert fold_surface(built.events()).nodes == (2, 3, 4, 5)
    assert fold_surface(built.compaction(2, 3).events()) == Surface((8, 4, 5), 1)


def test_a_checkpoint_is_visible_exactly_once() -> None:
    """The summary itself is neither lost nor counted twice, whatever stands before and behind it."""
    built = log().turn().prompt("a").step().reply("b")
    whole = built.compaction(2, 3).events()
    assert fold_surface(whole) == Surface((6,), 1)
    assert fold_surface(built.prompt("c").events()) == Surface((6, 8), 1)


def test_a_checkpoint_can_be_compacted_again() -> None:
    """A later range may start at a checkpoint whose seq is larger than that of its end."""
    built = log().turn().prompt("a").step().reply("b").prompt("c").reply("d").compaction(2, 3)
    assert fold_surface(built.compaction(8, 4).events()) == Surface((12, 5), 2)


def test_a_shortened_result_stands_where_the_long_one_stood() -> None:
    """Pruning replaces one node by one node."""
    built = log().turn().prompt("a").step().reply("b", calls=["c", "d"]).tool("c").tool("d")
    assert fold_surface(built.prune(5).events()) == Surface((2, 3, 9, 7), 1)


def test_folding_goes_on_from_a_surface() -> None:
    """A log folded in two pieces gives what it gives in one, and the first piece stays as it was."""
    events = log().turn().prompt("a").step().reply("b").compaction(2, 3).prompt("c").events()
    for cut in range(len(events) + 1):
        first = fold_surface(events[:cut])
        kept = first.nodes
        assert fold_surface(events[cut:], first) == fold_surface(events) == Surface((6, 8), 1)
        assert first.nodes == kept


@pytest.mark.parametrize(
    ("start", "end", "kind"),
    [
        (1, 4, "replace-start-not-found"),
        (0, 1, "replace-end-not-found"),
        (9, 9, "replace-start-not-found"),
        (4, 0, "replace-start-after-end"),
    ],
)
def test_a_replacement_needs_both_its_ends_on_the_surface_in_order(start: int, end: int, kind: str) -> None:
    """A refused one leaves the nodes untouched."""
    nodes = [0, 8, 4]
    with pytest.raises(SessionError) as caught:
        apply_to_nodes(nodes, user(9, surfaceOp=replace(start, end)))
    assert (caught.value.kind, nodes) == (kind, [0, 8, 4])


@pytest.mark.parametrize(
    ("start", "end", "span"), [(0, 0, (0, 0)), (0, 4, (0, 2)), (8, 4, (1, 2)), (4, 4, (2, 2))], ids=str
)
def test_a_span_is_a_range_of_positions(start: int, end: int, span: tuple[int, int]) -> None:
    """Order on the surface counts, not the order of seqs."""
    assert span_of([0, 8, 4], Replace(start, end)) == span


# Messages


def test_a_node_sends_its_message_unless_it_is_an_empty_reply() -> None:
    """A reply without content is a node, and can be the edge of a range, but the model gets nothing."""
    events = log().turn().prompt("a").step().reply("b", calls=["c"]).tool("c").step().reply().events()
    nodes = [event for event in events if isinstance(event, UserMessage | AssistantMessage | ToolResult)]
    assert [message.id if (message := message_of(node)) else None for node in nodes] == ["m1", "m3", "t-c", None]
    assert fold_surface(events).nodes == tuple(node.seq for node in nodes)


# Rules


@pytest.mark.parametrize(
    ("marks", "kind"),
    [
        ({"surfaceOp": "append"}, ""),
        ({}, "op-missing"),
        ({"surfaceOp": None}, "op-invalid"),
        ({"surfaceOp": "prepend"}, "op-invalid"),
        ({"surfaceOp": []}, "op-invalid"),
        ({"surfaceOp": {}}, "op-invalid-replace"),
        ({"surfaceOp": {"start": 1, "end": 1}}, "op-invalid-replace"),
        ({"surfaceOp": {"op": "insert", "start": 1, "end": 1}}, "op-invalid-replace"),
        ({"surfaceOp": {**replace(1, 1), "x": 1}}, "op-invalid-replace"),
        ({"surfaceOp": replace(-1, 1)}, "op-invalid-replace"),
        ({"surfaceOp": replace(4, 4)}, "replace-start-not-found"),
        ({"surfaceOp": replace(1, 4)}, "replace-end-not-found"),
        ({"surfaceOp": replace(3, 1)}, "replace-start-after-end"),
        ({"surfaceOp": "append", "sourceEventSeqs": None}, "sources-not-array"),
        ({"surfaceOp": "append", "sourceEventSeqs": {"0": 1}}, "sources-not-array"),
        ({"surfaceOp": "append", "sourceEventSeqs": []}, "sources-empty"),
        ({"surfaceOp": "append", "sourceEventSeqs": [1, "2"]}, "sources-not-integers"),
        ({"surfaceOp": "append", "sourceEventSeqs": [-1]}, "sources-not-integers"),
        ({"surfaceOp": "append", "sourceEventSeqs": [True]}, "sources-not-integers"),
        ({"surfaceOp": "append", "sourceEventSeqs": [[1, 3]]}, "sources-not-integers"),
        ({"surfaceOp": "append", "sourceEventSeqs": [1, 1]}, "sources-duplicate"),
        ({"surfaceOp": "append", "sourceEventSeqs": [1, 1.0]}, "sources-duplicate"),
        ({"surfaceOp": "append", "sourceEventSeqs": [9]}, "sources-not-earlier"),
        ({"surfaceOp": replace(1, 3)}, "sources-miss-shadowed"),
        ({"surfaceOp": replace(1, 3), "sourceEventSeqs": [1, 2]}, "sources-miss-shadowed"),
        ({"surfaceOp": replace(1, 3), "sourceEventSeqs": [0, 3, 2, 1]}, ""),
        ({"surfaceOp": replace(2.0, 2), "sourceEventSeqs": [2.0]}, ""),
    ],
    ids=str,
)
def test_every_illegal_marker_has_its_rule(marks: dict[str, Any], kind: str) -> None:
    """The event alone tells as much as the record it came from."""
    event, record = user(9, **marks), {"type": "user/message", **marks}
    assert (broken_rule(event, [1, 2, 3]), broken_rule(event, [1, 2, 3], record=record)) == (kind, kind)


def test_a_reply_may_cite_that_it_has_no_source() -> None:
    """An empty list is a known empty stream; only a reply has one."""
    (event,) = log().event("assistant/message", reply_data(), surfaceOp="append", sourceEventSeqs=[]).events()
    assert broken_rule(event, []) == ""


@pytest.mark.parametrize("mark", [{"surfaceOp": "append"}, {"sourceEventSeqs": [0]}, {"surfaceOp": None}], ids=str)
@pytest.mark.parametrize("kind", ["turn/start", "future/thing"])
def test_only_messages_can_stand_on_the_surface(kind: str, mark: dict[str, object]) -> None:
    """A marker on any other type, known or not, is refused whatever it says."""
    plain, *_ = log().event(kind, {"turn": 1}).events()
    marked, *_ = log().event(kind, {"turn": 1}, **mark).events()
    assert (broken_rule(plain, []), broken_rule(marked, [])) == ("", "not-surface-eligible")


def reply_data() -> dict[str, object]:
    """Return the data of an empty reply."""
    source = {"kind": "model", "provider": "p", "model": "m"}
    return {"turn": 1, "step": 1, "message": {"role": "assistant", "content": [], "source": source, "id": "a"}}


def result(seq: int, text: str, **data: object) -> Event:
    """Return a tool result at a seq that replaces the node 1."""
    block = {"type": "tool-result", "toolCallId": "c", "content": [{"type": "text", "text": text}], "isError": False}
    message = {"source": {"kind": "tool", "callId": "c"}, "content": [block], "role": "user", "id": "t"}
    whole = {"turn": 1, "step": 1, "message": message, "meta": {"a": 1, "b": 2}} | data
    marks = {"surfaceOp": replace(1, 1), "sourceEventSeqs": [1]}
    return event_from_record({"type": "tool/result", "seq": seq, "time": seq, "data": whole, **marks})


@pytest.mark.parametrize(
    ("rewrite", "kind"),
    [
        (result(5, "short"), ""),
        (result(5, "short", meta={"b": 2, "a": 1}), ""),
        (result(5, "short", meta={"a": True, "b": 2}), "tool-result-other-change"),
        (result(5, "short", meta={"a": 1}), "tool-result-other-change"),
        (result(5, "short", step=2), "tool-result-other-change"),
        (result(5, "short", error={"name": "E", "code": "X"}), "tool-result-other-change"),
        (result(5, "short", new=1), "tool-result-other-change"),
    ],
    ids=["content", "key order", "true for 1", "meta", "step", "error", "unknown field"],
)
def test_a_rewritten_result_changes_its_content_alone(rewrite: Event, kind: str) -> None:
    """All else must be equal as JSON, the order of keys aside."""
    assert broken_rule(rewrite, [1], {1: result(1, "long")}) == kind


def test_a_result_replaces_one_result() -> None:
    """Not a message of another type, and not a range."""
    assert broken_rule(result(5, "short"), [1], {1: user(1, surfaceOp="append")}) == "tool-result-wrong-target"
    assert broken_rule(result(5, "short"), [1]) == "tool-result-wrong-target"
    marks = {"surfaceOp": replace(1, 2), "sourceEventSeqs": [1, 2]}
    data = log().turn().step().result("c").records()[-1]["data"]
    (wide,) = log().event("tool/result", data, **marks).events()
    later = event_from_record({"type": "tool/result", "seq": 5, "time": 0, "data": data, **marks})
    assert broken_rule(later, [1, 2], {1: result(1, "long"), 2: result(2, "long")}) == "tool-result-not-one"
    assert broken_rule(wide, [1, 2]) == "sources-not-earlier"


def test_a_fault_names_the_event_and_what_is_missing() -> None:
    """The message is for people: type, seq, rule and the seqs in question."""
    with pytest.raises(SessionError) as caught:
        check_surface(user(9, surfaceOp=replace(1, 3), sourceEventSeqs=[2]), [1, 2, 3], lambda seq: None)
    assert str(caught.value) == "user/message at seq 9: a replacement cites every node it shadows; missing 1, 3"

"""Records become events and come back whole, whatever a log holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import log
from timectx.errors import SessionError
from timectx.session.data import Replace, SeqRange, StepData, SummaryData, Usage
from timectx.session.events import (
    EVENT_CLASSES,
    CompactionSummary,
    Event,
    OtherEvent,
    StepStart,
    TurnStart,
    UserMessage,
)
from timectx.session.records import (
    event_from_record,
    json_numbers,
    other_event_from_record,
    parse_replace,
    parse_usage,
    record_of,
)

PLACE = {"turn": 1, "step": 2}
USER = {"content": [{"type": "text", "text": "hi"}], "source": {"kind": "user"}, "role": "user", "id": "u"}
RESULT = {
    "source": {"kind": "tool", "callId": "c"},
    "content": [{"type": "tool-result", "toolCallId": "c", "content": [], "isError": False}],
    "role": "user",
    "id": "t",
}
REPLY = {"role": "assistant", "content": [], "source": {"kind": "model", "provider": "p", "model": "m"}, "id": "a"}
SPAN = {"shadowedRange": {"start": 3, "end": 1}, "shadowedSeqs": [3, 1], "shadowedTokenCount": 20}

DATA: dict[str, list[dict[str, Any]]] = {
    "turn/start": [{"turn": 1}],
    "turn/end": [{"turn": 1, "reason": {"kind": "completed"}}],
    "step/start": [PLACE],
    "step/end": [PLACE],
    "user/message": [USER, {"content": [], "source": {}}],
    "assistant/message": [
        {**PLACE, "message": REPLY},
        {**PLACE, "message": REPLY, "usage": {"inputTokens": 1, "outputTokens": 0}, "interrupted": True},
        {**PLACE, "message": REPLY, "interrupted": False},
    ],
    "tool/result": [
        {**PLACE, "message": RESULT},
        {**PLACE, "message": RESULT, "error": {"name": "E", "code": "X"}, "meta": {"a": [1]}},
        {**PLACE, "message": RESULT, "meta": ["any", {"json": 1}]},
        {**PLACE, "message": RESULT, "meta": "text"},
        {**PLACE, "message": RESULT, "meta": 0},
    ],
    "assistant/chunk": [{**PLACE, "chunk": {"type": "usage", "usage": {"inputTokens": 1}}}],
    "tool/call": [{**PLACE, "callId": "c", "name": "n", "arguments": "{not json"}],
    "request/header": [{"header": {"config": {"provider": "p"}, "tools": []}, "reason": "initial"}],
    "request/header-delta": [{"system": {"keepStart": 1, "keepEnd": 0, "insert": ["a", "b"]}}, {"tools": []}, {}],
    "request/context": [{"provider": "p", "model": "m"}, {"provider": "p", "model": "m", "contextWindow": 9}],
    "session/end-seed": [{}, {"inherited": True}],
    "agent/inbox/spliced": [
        {"target": "next-turn", "start": 0, "inserted": [USER]},
        {"target": "next-step", "start": 0, "removedCount": 1, "inserted": [], "outcome": "canceled"},
    ],
    "llm/retry-started": [{**PLACE, "retryId": "r", "retry": 1}],
    "compaction/start": [{"compactionId": "c", "turn": 4}, {"compactionId": "c", "sourceCommandId": "k", "turn": None}],
    "compaction/summary": [
        {"compactionId": "c", "summary": [], **SPAN, "provider": "p", "model": "m"},
        {"compactionId": "c", "summary": [], "rawOutput": "", **SPAN, "provider": "p", "model": "m", "maxTokens": 8},
    ],
    "compaction/end": [{"compactionId": "c", "turn": None}, {"compactionId": "c", "turn": 4, "error": "no"}],
    "compaction/prune": [SPAN],
}
CASES = [(kind, data) for kind, samples in DATA.items() for data in samples]


def record(kind: str, data: object, **more: object) -> dict[str, Any]:
    """Return a record at seq 5."""
    return {"type": kind, "seq": 5, "time": -7, "data": data, **more}


def text(value: object) -> str:
    """Return a value as JSON text, in which 1 and true differ."""
    return json.dumps(value, sort_keys=True)


def test_the_samples_cover_every_type() -> None:
    """A new event class needs a sample here."""
    assert DATA.keys() == EVENT_CLASSES.keys()


@pytest.mark.parametrize(("kind", "data"), CASES, ids=[kind for kind, _ in CASES])
def test_a_record_comes_back_as_it_was(kind: str, data: dict[str, Any]) -> None:
    """Each type has its class, and writing undoes reading."""
    event = event_from_record(record(kind, data))
    assert (type(event), event.type, event.seq, event.time_ms) == (EVENT_CLASSES[kind], kind, 5, -7)
    assert text(record_of(event)) == text(record(kind, data))


@pytest.mark.parametrize(("kind", "data"), CASES, ids=[kind for kind, _ in CASES])
def test_unknown_fields_are_kept_at_every_level(kind: str, data: dict[str, Any]) -> None:
    """Whatever a newer release adds to a record, to its data, or to an object in that, comes back."""
    deeper = {key: {**value, "new": [1]} if isinstance(value, dict) else value for key, value in data.items()}
    strange = record(kind, {**deeper, "new": {"a": None}, "(extra)": 1}, new=None, ignorable=True)
    event = event_from_record(strange)
    assert type(event) is EVENT_CLASSES[kind]
    assert text(record_of(event)) == text(strange)


def test_an_unknown_type_is_kept_whole() -> None:
    """It becomes an `OtherEvent` with its data and its further fields untouched."""
    strange = record("future/thing", [1, {"a": None}], ignorable=True)
    event = event_from_record(strange)
    assert event == OtherEvent(type="future/thing", seq=5, time_ms=-7, data=[1, {"a": None}], extra={"ignorable": True})
    assert record_of(event) == strange


def test_keys_are_written_in_the_order_of_the_original() -> None:
    """The envelope has a fixed order, sources before the marker, and content keeps its own."""
    shuffled = {
        "surfaceOp": {"end": 1, "start": 3, "op": "replace"},
        "sourceEventSeqs": [3, 1],
        "data": {"id": "u", "role": "user", "source": {"b": 1, "a": 2}, "content": [{"text": "x", "type": "text"}]},
        "time": 2,
        "seq": 4,
        "type": "user/message",
    }
    assert json.dumps(record_of(event_from_record(shuffled)), separators=(",", ":")) == (
        '{"type":"user/message","seq":4,"time":2,"data":{"content":[{"text":"x","type":"text"}],'
        '"source":{"b":1,"a":2},"role":"user","id":"u"},"sourceEventSeqs":[3,1],'
        '"surfaceOp":{"op":"replace","start":3,"end":1}}'
    )


def test_whole_floats_are_integers() -> None:
    """A log may write 1 as 1.0 or 1e0: to the original system they are one number."""
    floats = {"type": "step/start", "seq": 5.0, "time": 1.7e12, "data": {"turn": 1e0, "step": 2.0, "x": [0.5, 3.0]}}
    event = event_from_record(floats)
    assert event == StepStart(seq=5, time_ms=1_700_000_000_000, data=StepData(turn=1, step=2, extra={"x": [0.5, 3]}))
    assert text(record_of(event)["data"]) == '{"step": 2, "turn": 1, "x": [0.5, 3]}'


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (True, "true"),
        ({"a": [{"b": 2.0}]}, '{"a": [{"b": 2}]}'),
    ],
    ids=str,
)
def test_numbers_print_as_javascript_prints_them(value: object, plain: str) -> None:
    """Whole floats below 1e21 lose their point, at any depth; nothing else changes."""
    assert json.dumps(json_numbers(value)) == plain


@pytest.mark.parametrize(
    "envelope",
    [
        {"type": 5},
        {"type": None},
        {"seq": -1},
        {"seq": 0.5},
        {"seq": "1"},
        {"seq": True},
        {"seq": 2**53},
        {"time": None},
        {"time": 1.5},
        {"time": float("nan")},
        {"time": float("inf")},
        {"time": -(2**53)},
    ],
    ids=str,
)
def test_a_record_without_a_sound_envelope_is_no_event(envelope: dict[str, Any]) -> None:
    """Type, seq and time are checked before anything else, for known and unknown types alike."""
    for build in (event_from_record, other_event_from_record):
        with pytest.raises(SessionError, match="an event needs a type") as caught:
            build({**record("turn/start", {"turn": 1}), **envelope})
        assert caught.value.kind == "bad-envelope"


@pytest.mark.parametrize("missing", ["type", "seq", "time", "data"])
def test_no_part_of_the_envelope_may_be_missing(missing: str) -> None:
    """All four are there in every event, null data included."""
    whole = record("turn/start", {"turn": 1})
    del whole[missing]
    with pytest.raises(SessionError) as caught:
        event_from_record(whole)
    assert caught.value.kind == "bad-envelope"
    assert str(caught.value).endswith(", no data") == (missing == "data")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("turn/start", None),
        ("turn/start", []),
        ("turn/start", {}),
        ("turn/start", {"turn": "1"}),
        ("turn/start", {"turn": True}),
        ("turn/start", {"turn": 1.5}),
        ("turn/start", {"turn": 2**53}),
        ("turn/end", {"turn": 1, "reason": "completed"}),
        ("user/message", {**USER, "content": "hi"}),
        ("user/message", {**USER, "content": ["hi"]}),
        ("user/message", {**USER, "source": None}),
        ("user/message", {**USER, "id": 7}),
        ("assistant/message", {**PLACE, "content": [], "usage": {}}),  # the early form, before it is rewrapped
        ("tool/result", {**PLACE, "callId": "c", "content": [], "isError": False}),
        ("compaction/summary", {"compactionId": "c"}),
        ("request/header-delta", {"system": {"keepStart": -1, "keepEnd": 0, "insert": []}}),
    ],
    ids=str,
)
def test_data_of_another_shape_is_refused_but_can_be_kept(kind: str, data: object) -> None:
    """The typed reading names the type and the seq; the untyped one keeps the record whole."""
    with pytest.raises(SessionError, match=f"{kind} at seq 5 has data of another shape") as caught:
        event_from_record(record(kind, data))
    assert caught.value.kind == "bad-data"
    assert record_of(other_event_from_record(record(kind, data, more=1))) == record(kind, data, more=1)


def test_data_nested_too_deeply_is_refused() -> None:
    """A hostile line costs one error, not the reader."""
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for kind in ("turn/start", "future/thing"):
        with pytest.raises(SessionError) as caught:
            event_from_record(record(kind, {"turn": 1, "x": deep}))
        assert caught.value.kind == "too-deep"


@pytest.mark.parametrize(
    ("marks", "surface_op", "sources"),
    [
        ({}, None, None),
        ({"surfaceOp": "append"}, "append", None),
        ({"surfaceOp": {"op": "replace", "start": 4, "end": 2.0}}, Replace(4, 2), None),
        ({"surfaceOp": "append", "sourceEventSeqs": []}, "append", ()),
        ({"surfaceOp": "append", "sourceEventSeqs": [1, -1]}, "append", (1, -1)),
        ({"surfaceOp": "prepend"}, None, None),
        ({"surfaceOp": None}, None, None),
        ({"surfaceOp": {"start": 4, "end": 2}}, None, None),
        ({"surfaceOp": {"op": "replace", "start": 4, "end": 2, "x": 1}}, None, None),
        ({"surfaceOp": {"op": "replace", "start": -1, "end": 2}}, None, None),
        ({"surfaceOp": {"op": "replace", "start": True, "end": 2}}, None, None),
        ({"surfaceOp": "append", "sourceEventSeqs": "x"}, "append", None),
        ({"surfaceOp": "append", "sourceEventSeqs": [0.5]}, "append", None),
        ({"surfaceOp": "append", "sourceEventSeqs": None}, "append", None),
    ],
    ids=str,
)
def test_an_illegal_surface_marker_counts_as_none_and_is_kept(
    marks: dict[str, Any], surface_op: object, sources: tuple[int, ...] | None
) -> None:
    """The event says only what is legal; its record still says it all."""
    event = event_from_record(record("user/message", USER, **marks))
    assert isinstance(event, UserMessage)
    assert (event.surface_op, event.source_event_seqs) == (surface_op, sources)
    assert record_of(event) == record("user/message", USER, **marks)


def test_an_extra_field_never_overrides_a_known_one() -> None:
    """The place where extra fields are kept cannot be used to forge an event."""
    event = StepStart(seq=5, time_ms=-7, data=StepData(turn=1, step=2), extra={"seq": 9, "new": 1})
    assert record_of(event) == record("step/start", PLACE, new=1)


def test_a_marker_on_another_type_is_just_an_unknown_field() -> None:
    """Only messages have markers; elsewhere one is kept for the check that refuses it."""
    event = event_from_record(record("turn/start", {"turn": 1}, surfaceOp="append"))
    assert isinstance(event, TurnStart)
    assert event.extra == {"surfaceOp": "append"}


@pytest.mark.parametrize(
    ("op", "replace"),
    [
        ({"op": "replace", "start": 0, "end": 0}, Replace(0, 0)),
        ({"op": "insert", "start": 0, "end": 0}, None),
        ({"op": "replace", "start": 0}, None),
        ({"op": "replace", "start": 0, "end": 2**53}, None),
        ({"op": "replace", "start": "0", "end": 0}, None),
        ("append", None),
        ([], None),
        (None, None),
    ],
    ids=str,
)
def test_a_replacement_names_its_start_and_end_and_nothing_else(op: object, replace: Replace | None) -> None:
    """Exactly three keys, both seqs whole and not negative."""
    assert parse_replace(op) == replace


@pytest.mark.parametrize(
    ("value", "usage"),
    [
        ({"inputTokens": 5, "outputTokens": 2}, Usage(input_tokens=5, output_tokens=2)),
        ({"inputTokens": 5.0}, Usage(input_tokens=5)),
        ({"outputTokens": 2, "costUsd": 0.5}, Usage(output_tokens=2, extra={"costUsd": 0.5})),
        ({"inputTokens": "5"}, None),
        ({"inputTokens": True}, None),
        (None, None),
        ([], None),
    ],
    ids=str,
)
def test_usage_is_read_as_far_as_it_is_known(value: object, usage: Usage | None) -> None:
    """Unknown parts are kept; a count that is none makes the whole unreadable."""
    assert parse_usage(value) == usage


def test_the_prompt_is_input_and_cache_together() -> None:
    """The three parts are disjoint; output and reasoning are not in it."""
    usage = Usage(
        input_tokens=50, output_tokens=7, cache_read_tokens=150_000, cache_write_tokens=100, reasoning_tokens=3
    )
    assert (usage.prompt_tokens, Usage(input_tokens=5).prompt_tokens) == (150_150, 5)


def test_a_summary_is_read_down_to_its_range() -> None:
    """The range is in surface order, so its start may be the larger seq."""
    summary, _ = DATA["compaction/summary"]
    assert event_from_record(record("compaction/summary", summary)) == CompactionSummary(
        seq=5,
        time_ms=-7,
        data=SummaryData(
            compaction_id="c",
            summary=(),
            shadowed_range=SeqRange(3, 1),
            shadowed_seqs=(3, 1),
            shadowed_token_count=20,
            provider="p",
            model="m",
        ),
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    kind=st.sampled_from(sorted(EVENT_CLASSES)),
    spoil=st.dictionaries(st.sampled_from(["turn", "step", "message", "usage", "content", "system", "new"]), JSON),
    marks=st.dictionaries(st.sampled_from(["surfaceOp", "sourceEventSeqs", "ignorable", "(extra)"]), JSON),
)
def test_a_hostile_record_is_an_event_or_one_named_fault(
    kind: str, spoil: dict[str, Any], marks: dict[str, Any]
) -> None:
    """Whatever stands in its fields: it reads and writes back the same, or is refused for its data."""
    hostile = record(kind, {**DATA[kind][0], **spoil}, **marks)
    build, broken = event_from_record, ""
    try:
        event: Event = event_from_record(hostile)
    except SessionError as error:
        build, broken = other_event_from_record, error.kind
        event = other_event_from_record(hostile)
        assert text(record_of(event)) == text(json_numbers(hostile))
    assert broken in ("", "bad-data")
    assert build(record_of(event)) == event


def test_what_a_builder_writes_comes_back() -> None:
    """Events of a whole session, both layouts, read back as they were."""
    for layout in ("late", "early"):
        built = log(layout).turn().prompt("a").reading("now").step().header("sys").reply("b", calls=["c"]).tool("c")
        built.step().failure().retry().skip(2).reply("d", usage={"inputTokens": 1, "outputTokens": 2}).end_turn()
        built.compaction(1, 2).turn()
        assert tuple(event_from_record(record) for record in built.records()) == built.events()


SAID = {"turn": 1, "step": 1, "message": {"role": "assistant", "content": [], "source": {}, "id": "a"}}
LONE = "\ud800"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("turn/end", LONE),
        ("step/start", {"turn": LONE, "step": 1}),
        ("assistant/message", {**SAID, "usage": LONE}),
        ("assistant/message", {**SAID, "usage": {"inputTokens": LONE}}),
    ],
    ids=["data", "number", "usage", "usage-part"],
)
def test_a_lone_surrogate_where_a_number_belongs_is_a_named_fault(kind: str, data: object) -> None:
    """A text that cannot be encoded is refused like any other value of the wrong shape."""
    with pytest.raises(SessionError) as refused:
        event_from_record({"type": kind, "seq": 0, "time": 0, "data": data})
    assert refused.value.kind == "bad-data"


def test_a_lone_surrogate_in_a_marker_makes_it_no_marker() -> None:
    """As with any other illegal marker the message only stands in the log."""
    marker = {"op": "replace", "start": LONE, "end": 0}
    record = {"type": "user/message", "seq": 0, "time": 0, "data": {"content": [], "source": {}}, "surfaceOp": marker}
    event = event_from_record(record)
    assert isinstance(event, UserMessage)
    assert event.surface_op is None


def test_usage_that_is_no_text_to_encode_is_none() -> None:
    """A streamed count with a lone surrogate in it reports nothing."""
    assert parse_usage({"inputTokens": LONE}) is None

"""What holds for every session log: its surface, its turns and its attempts are folds of the past alone."""

from __future__ import annotations

from hypothesis import given

from tests.builders import LogBuilder
from tests.session.strategies import histories, logs
from timectx.session.attempts import Attempt, attempts_of, is_reading_event
from timectx.session.closers import closing_events
from timectx.session.data import Replace
from timectx.session.events import SURFACE_CLASSES, Event, StepEnd, StepStart, TurnEnd, TurnStart
from timectx.session.records import event_from_record, record_of
from timectx.session.surface import Surface, check_surface, fold_surface, message_of
from timectx.session.turns import Step, turns_of


def shadowed_seqs(events: tuple[Event, ...]) -> list[int]:
    """Return every node a replacement took off the surface, told from the log by a way of its own."""
    gone: list[int] = []
    for number, event in enumerate(events):
        if isinstance(event, SURFACE_CLASSES) and isinstance(event.surface_op, Replace):
            before = fold_surface(events[:number]).nodes
            first, last = before.index(event.surface_op.start), before.index(event.surface_op.end)
            gone += before[first : last + 1]
    return gone


def surface_seqs(events: tuple[Event, ...]) -> list[int]:
    """Return the seqs of all events that ever stood on the surface."""
    return [event.seq for event in events if isinstance(event, SURFACE_CLASSES) and event.surface_op is not None]


# Visible and shadowed


@given(logs())
def test_visible_and_shadowed_share_nothing_and_make_up_all(built: LogBuilder) -> None:
    """Every message with a marker is either seen or was replaced once; none is lost, none is there twice."""
    events = built.events()
    visible = fold_surface(events).nodes
    assert sorted([*visible, *shadowed_seqs(events)]) == surface_seqs(events)


@given(logs())
def test_kept_nodes_keep_their_order(built: LogBuilder) -> None:
    """An event appends one node, or puts one in the place of a run of nodes; all others stay as they stood."""
    nodes: tuple[int, ...] = ()
    surface = Surface()
    for event in built.events():
        surface = fold_surface([event], surface)
        marked = isinstance(event, SURFACE_CLASSES) and event.surface_op is not None
        kept = [seq for seq in surface.nodes if seq != event.seq]
        assert kept == [seq for seq in nodes if seq in kept]
        assert (event.seq in surface.nodes) == marked
        nodes = surface.nodes


@given(logs())
def test_the_logs_drawn_here_break_no_rule(built: LogBuilder) -> None:
    """So the laws are laws of legal logs: each event may be appended where it stands."""
    session = built.build()
    surface = Surface()
    for event in session.events:
        if not (isinstance(event, SURFACE_CLASSES) and event.surface_op is None):
            check_surface(event, surface.nodes, session.find)
        surface = fold_surface([event], surface)
    assert surface == session.surface


# Past only


@given(histories())
def test_the_surface_of_a_past_is_the_past_of_the_surface(history: tuple[LogBuilder, int]) -> None:
    """Folding on from a cut gives what folding the whole gives."""
    built, cut = history
    events = built.events()
    assert fold_surface(events[cut:], fold_surface(events[:cut])) == fold_surface(events)


@given(histories())
def test_turns_of_a_past_are_the_past_of_the_turns(history: tuple[LogBuilder, int]) -> None:
    """What has started by then has started the same; a step that is closed by then never changes."""
    built, cut = history
    events = built.events()
    past, whole = steps_of(events[:cut]), steps_of(events)
    assert list(past) == list(whole)[: len(past)]
    closed = {start: step for start, step in past.items() if step.end_seq is not None}
    assert closed == {start: whole[start] for start in closed}


def steps_of(events: tuple[Event, ...]) -> dict[int, Step]:
    """Return the steps of a log by the seqs they start at, in order."""
    return {step.start_seq: step for turn in turns_of(events) for step in turn.steps}


@given(histories())
def test_attempts_of_a_past_are_the_past_of_the_attempts(history: tuple[LogBuilder, int]) -> None:
    """Once the next boundary is there, nothing that comes later changes an attempt."""
    built, cut = history
    events = built.events()
    boundary = max((event.seq for event in events[:cut] if isinstance(event, BOUNDARIES)), default=-1)
    settled = [found for found in attempts_of(events[:cut]) if found.seq < boundary or found.kind == "turn-end"]
    assert settled == list(attempts_of(events))[: len(settled)]


BOUNDARIES = (TurnStart, TurnEnd, StepEnd)


@given(logs())
def test_every_step_is_an_attempt(built: LogBuilder) -> None:
    """One each, in order, at its step/start; and every reading of an attempt stands in its window."""
    events = built.events()
    attempts = attempts_of(events)
    starts = [event for event in events if isinstance(event, StepStart)]
    assert [(found.seq, found.turn, found.step) for found in attempts if found.kind == "step"] == [
        (start.seq, start.data.turn, start.data.step) for start in starts
    ]
    assert [found.seq for found in attempts] == sorted({found.seq for found in attempts})
    for found in attempts:
        assert all(seq > found.boundary_seq for seq in (*found.entered, *found.readings))


# The log and the surface


def without_compaction(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return a log in which every checkpoint only stands in the log: it shadows nothing."""
    return tuple(
        event_from_record({key: value for key, value in record_of(event).items() if key != "surfaceOp"})
        if isinstance(event, SURFACE_CLASSES) and isinstance(event.surface_op, Replace)
        else event
        for event in events
    )


@given(logs())
def test_shadowing_a_reading_changes_the_surface_but_no_attempt(built: LogBuilder) -> None:
    """The schedule reads the log, where every reading stays; what the model sees is another matter."""
    events = built.events()
    bare = without_compaction(events)
    assert readings_of(attempts_of(bare)) == readings_of(attempts_of(events))
    readings = [event.seq for event in events if is_reading_event(event)]
    shadowed = shadowed_seqs(events)
    seen, seen_bare = fold_surface(events).nodes, fold_surface(bare).nodes
    assert [seq for seq in readings if seq in seen_bare] == readings
    assert [seq for seq in readings if seq in seen] == [seq for seq in readings if seq not in shadowed]


def readings_of(attempts: tuple[Attempt, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the readings of each attempt."""
    return [(found.seq, found.readings) for found in attempts]


# Closing


@given(logs())
def test_closing_a_log_once_closes_it(built: LogBuilder) -> None:
    """Whatever was open: the closed log has no open turn, step or call, and begins as the open one."""
    events = built.events()
    closing = closing_events(events)
    closed = (*events, *closing)
    assert closing_events(closed) == ()
    assert [event.seq for event in closing] == [
        closed[len(events) - 1].seq + 1 + place for place in range(len(closing))
    ]
    assert [turn.turn for turn in turns_of(closed) if turn.end_seq is None] == []


@given(logs())
def test_a_request_holds_what_stood_before_its_output(built: LogBuilder) -> None:
    """For every step: the messages of the surface that the events before it leave."""
    session = built.build()
    for step in steps_of(session.events).values():
        before = tuple(event for event in session.events if event.seq < step.request_seq)
        nodes = [session.find(seq) for seq in fold_surface(before).nodes]
        messages = [message_of(node) for node in nodes if isinstance(node, SURFACE_CLASSES)]
        assert list(session.request_at(step.turn, step.step)) == [message for message in messages if message]

"""Test the log an agent writes: stamped, checked, shown to watchers, and given out as a session."""

from __future__ import annotations

import pytest

from tests.loop.scenes import EDITIONS, play
from timectx.errors import SessionError
from timectx.formats import full_log
from timectx.loop import Call, HandClock, LiveLog, Reply
from timectx.reading import Edition
from timectx.session import Event, Message, SessionHeader
from timectx.session.data import ChunkData, Replace, StepData, TurnData
from timectx.session.events import AssistantChunk, EndSeed, StepStart, TurnStart, UserMessage

HEADER = SessionHeader(id="s", created_at_ms=5)
HI = Message(content=({"type": "text", "text": "hi"},), source={"kind": "user"}, role="user", id="m")


def live(**fields: object) -> LiveLog:
    """Return an empty log on a clock at 100 ms."""
    return LiveLog(HEADER, HandClock(100), **fields)  # type: ignore[arg-type]


def test_events_get_the_next_seq_and_the_present_time() -> None:
    """Whoever adds them."""
    clock = HandClock(100)
    log = LiveLog(HEADER, clock)
    log.add(TurnStart, TurnData(turn=1))
    clock.advance(-30)
    log.say(HI)
    assert [(event.seq, event.time_ms) for event in log.events] == [(0, 100), (1, 70)]
    assert (log.next_seq, log.now_ms, log.view.turn) == (2, 70, 1)


@pytest.mark.parametrize(("seq", "kind"), [(1, "seq-gap"), (-0, None)])
def test_another_seq_is_refused(seq: int, kind: str | None) -> None:
    """A log goes on without gaps."""
    log = live()
    event = TurnStart(seq=seq, time_ms=0, data=TurnData(turn=1))
    if kind is None:
        log.append(event)
        event, kind = TurnStart(seq=0, time_ms=0, data=TurnData(turn=2)), "seq-repeated"
    before = tuple(log.events)
    with pytest.raises(SessionError) as refused:
        log.append(event)
    assert (refused.value.kind, tuple(log.events)) == (kind, before)


def test_an_event_that_breaks_the_surface_changes_nothing() -> None:
    """It is checked before anything has taken it in."""
    log = live()
    log.say(HI)
    wrong = UserMessage(seq=1, time_ms=0, data=HI, surface_op=Replace(7, 7), source_event_seqs=(0,))
    with pytest.raises(SessionError, match="not on the surface"):
        log.append(wrong)
    assert (len(log.events), log.next_seq, len(log.view.pressure.surface)) == (1, 1, 1)


def test_a_guard_sees_each_event_before_it_is_in_and_can_keep_it_out() -> None:
    """What it raises goes on to whoever appends."""
    log, seen = live(), list[tuple[str, int]]()

    def guard(event: Event) -> None:
        seen.append((event.type, len(log.events)))
        if event.type == "step/start":
            raise RuntimeError("no steps")

    end = log.guard(guard)
    log.add(TurnStart, TurnData(turn=1))
    with pytest.raises(RuntimeError, match="no steps"):
        log.add(StepStart, StepData(turn=1, step=1))
    end()
    end()
    log.add(StepStart, StepData(turn=1, step=1))
    assert seen == [("turn/start", 0), ("step/start", 1)]
    assert [event.type for event in log.events] == ["turn/start", "step/start"]


def test_a_guard_may_append_nothing() -> None:
    """The event it was shown would lose its place; afterwards the log goes on."""
    log = live()
    end = log.guard(lambda event: log.say(HI))
    with pytest.raises(SessionError, match="a guard appends user/message") as refused:
        log.add(TurnStart, TurnData(turn=1))
    end()
    assert (refused.value.kind, log.events) == ("append-by-guard", [])
    log.add(TurnStart, TurnData(turn=1))
    assert len(log.events) == 1


def test_a_watcher_sees_each_event_once_it_is_in() -> None:
    """One that appends others does not disturb the order in which everybody sees them."""
    log, seen = live(), list[tuple[str, str]]()

    def answer(event: Event) -> None:
        seen.append(("first", event.type))
        if event.type == "turn/start":
            log.say(HI)

    log.watch(answer)
    log.watch(lambda event: seen.append(("second", event.type)))
    log.add(TurnStart, TurnData(turn=1))
    assert seen == [
        ("first", "turn/start"),
        ("second", "turn/start"),
        ("first", "user/message"),
        ("second", "user/message"),
    ]


def test_what_a_watcher_raises_reaches_whoever_appends_and_the_event_stays() -> None:
    """Watching goes on with the next event."""
    log, seen = live(), list[str]()

    def watch(event: Event) -> None:
        seen.append(event.type)
        if event.type == "turn/start":
            raise RuntimeError("odd")

    log.watch(watch)
    with pytest.raises(RuntimeError, match="odd"):
        log.add(TurnStart, TurnData(turn=1))
    log.say(HI)
    assert seen == [event.type for event in log.events] == ["turn/start", "user/message"]


def test_the_same_watcher_can_watch_twice() -> None:
    """Ending one leaves the other."""
    log, seen = live(), list[Event]()
    first = log.watch(seen.append)
    log.watch(seen.append)
    first()
    first()
    log.add(TurnStart, TurnData(turn=1))
    assert len(seen) == 1


def test_ids_differ_and_the_same_run_gives_the_same() -> None:
    """Nothing random is in them."""
    one, other = live(), live()
    made = [one.new_id() for _ in range(3)]
    assert (len(set(made)), made) == (3, [other.new_id() for _ in range(3)])
    assert LiveLog(SessionHeader(id="t"), HandClock(0)).new_id() not in made


def test_the_mark_of_a_history_stands_once() -> None:
    """A log that ends with it gets no second one."""
    log = live()
    log.end_seed()
    log.end_seed()
    assert [type(event) for event in log.events] == [EndSeed]


def test_only_note_takes_a_message_that_is_logged_alone() -> None:
    """Later editions want a marker on every message."""
    log = live(edition="note")
    log.say(HI, surface_op=None)
    assert (len(log.events), len(log.session().surface.nodes), log.context.last_message_ms) == (1, 0, 100)
    with pytest.raises(SessionError, match="needs a surface marker"):
        live().say(HI, surface_op=None)


def test_a_session_has_the_shape_a_reader_gives() -> None:
    """Pieces of replies stand apart; together they are the log, without a gap."""
    session = play(Reply(text="x" * 300))
    assert not [event for event in session.events if isinstance(event, AssistantChunk) and "text" in event.data.chunk]
    assert (dict(session.skipped), len(session.stream), session.tail) == ({"assistant/chunk": 9}, 9, None)
    assert [event.seq for event in full_log(session)] == list(range(session.events[-1].seq + 1))


def test_a_log_that_ends_in_the_middle_of_a_reply_says_where() -> None:
    """The last entry is streamed output, which is not among the events."""
    log = live()
    chunk = {"type": "text-delta", "index": 0, "text": "x"}
    log.append(AssistantChunk(seq=0, time_ms=7, data=ChunkData(turn=1, step=1, chunk=chunk)))
    assert (log.session().events, log.session().tail) == ((), (0, 7))


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_log_opened_on_a_history_knows_what_the_first_one_knew(edition: Edition) -> None:
    """Schedule, baselines, surface and prices are folds of the events, whoever folds them."""
    session = play(Reply(text="look", calls=(Call(),)), Reply(text="ok"), edition=edition)
    again = LiveLog(session.header, HandClock(0), edition=edition, events=full_log(session))
    read = LiveLog(session.header, HandClock(0), edition=edition, events=session.events)
    for log in (again, read):
        assert log.next_seq == session.events[-1].seq + 1
        assert log.context.last_reading_ms == 2000
        assert log.context.baseline_ms(1, 2) == (None if edition == "current" else 2000)
        assert tuple(node.seq for node in log.view.nodes()) == session.surface.nodes
    assert again.view.pressure.measure() == read.view.pressure.measure()
    assert again.session().events == session.events

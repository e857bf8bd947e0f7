"""Test the two lists of waiting messages and the log of their changes."""

from __future__ import annotations

import pytest

from tests.loop.scenes import message
from timectx.errors import SessionError
from timectx.loop import HandClock, Inbox, LiveLog
from timectx.session import Message, SessionHeader
from timectx.session.data import InboxData
from timectx.session.events import InboxSpliced


def live(edition: str = "readme", **header: int) -> LiveLog:
    """Return an empty log."""
    return LiveLog(SessionHeader(id="s", **header), HandClock(0), edition=edition)  # type: ignore[arg-type]


def ids(inbox: Inbox) -> tuple[list[str], list[str]]:
    """Return the ids of what waits for a step, and for a turn."""
    return [each.id for each in inbox.waiting("next-step")], [each.id for each in inbox.waiting("next-turn")]


def changes(log: LiveLog) -> list[tuple[object, ...]]:
    """Return what the log says of each change: list, place, how many left, who came, and how it was meant."""
    return [
        (data.target, data.start, data.removed_count, [each["id"] for each in data.inserted], data.outcome)
        for data in (event.data for event in log.events if isinstance(event, InboxSpliced))
    ]


def filled(log: LiveLog) -> Inbox:
    """Return an inbox with two messages for a turn and two for a step."""
    inbox = Inbox(log)
    for name in ("t1", "t2"):
        inbox.insert("next-turn", message(name))
    for name in ("s1", "s2"):
        inbox.insert("next-step", message(name))
    return inbox


def test_messages_arrive_at_the_end_of_their_list() -> None:
    """The log has the whole message, its place, and nothing of removals."""
    log = live()
    filled(log)
    assert changes(log) == [
        ("next-turn", 0, None, ["t1"], None),
        ("next-turn", 1, None, ["t2"], None),
        ("next-step", 0, None, ["s1"], None),
        ("next-step", 1, None, ["s2"], None),
    ]
    assert isinstance(log.events[0], InboxSpliced)
    assert log.events[0].data.inserted == (
        {"content": [{"type": "text", "text": "t1"}], "source": {"kind": "user"}, "role": "user", "id": "t1"},
    )


@pytest.mark.parametrize(
    ("new_turn", "claimed", "logged"),
    [
        (True, ["s1", "s2", "t1"], [("next-step", 0, 2, [], None), ("next-turn", 0, 1, [], None)]),
        (False, ["s1", "s2"], [("next-step", 0, 2, [], None)]),
    ],
    ids=["first step", "later step"],
)
def test_a_step_claims_all_that_waits_for_it_and_a_turn_one_message_more(
    new_turn: bool, claimed: list[str], logged: list[tuple[object, ...]]
) -> None:
    """Plain removals, one for each list that gave something; nobody cancelled anything."""
    log = live()
    inbox = filled(log)
    assert [each.id for each in inbox.claim(new_turn=new_turn)] == claimed
    assert changes(log)[4:] == logged


def test_claiming_from_empty_lists_logs_nothing() -> None:
    """A change of nothing is none."""
    log = live()
    assert (Inbox(log).claim(new_turn=True), log.events) == ((), [])


@pytest.mark.parametrize(
    ("start", "removed", "inserted", "left", "logged"),
    [
        (0, 1, (), ["t2"], (0, 1, [], "canceled")),
        (-1, 1, (), ["t1"], (1, 1, [], "canceled")),
        (-9, 1, ("x",), ["x", "t2"], (0, 1, ["x"], "canceled")),
        (9, 9, ("x",), ["t1", "t2", "x"], (2, None, ["x"], None)),
        (0, 9, (), [], (0, 2, [], "canceled")),
        (1, -3, ("x",), ["t1", "x", "t2"], (1, None, ["x"], None)),
        (5, 5, (), ["t1", "t2"], None),
        (0, 0, (), ["t1", "t2"], None),
    ],
    ids=["first", "from the end", "before all", "behind all", "too many", "fewer than none", "outside", "nothing"],
)
def test_a_change_is_brought_into_range_as_javascript_does(
    start: int, removed: int, inserted: tuple[str, ...], left: list[str], logged: tuple[object, ...] | None
) -> None:
    """The log has the place and the count that held; what leaves was cancelled; a change of nothing is not logged."""
    log = live()
    inbox = filled(log)
    inbox.splice("next-turn", start, removed, tuple(map(message, inserted)))
    assert ids(inbox)[1] == left
    assert changes(log)[4:] == ([] if logged is None else [("next-turn", *logged)])


def test_a_message_can_be_taken_back_wherever_it_waits() -> None:
    """Once; afterwards nothing with its id waits."""
    log = live()
    inbox = filled(log)
    assert [inbox.withdraw("t2"), inbox.withdraw("s1"), inbox.withdraw("t2")] == [True, True, False]
    assert ids(inbox) == (["s2"], ["t1"])
    assert changes(log)[4:] == [("next-turn", 1, 1, [], "canceled"), ("next-step", 0, 1, [], "canceled")]


def test_clearing_cancels_steps_before_turns() -> None:
    """One change for each list that had something."""
    log = live()
    inbox = filled(log)
    inbox.clear()
    inbox.clear()
    assert inbox.is_empty
    assert changes(log)[4:] == [("next-step", 0, 2, [], "canceled"), ("next-turn", 0, 2, [], "canceled")]


@pytest.mark.parametrize("target", ["next-turn", "next-step"])
def test_a_message_waits_once_in_both_lists_together(target: str) -> None:
    """The second time it is refused, and the log has nothing of it."""
    log = live()
    inbox = filled(log)
    with pytest.raises(SessionError, match="message 't1' waits already") as refused:
        inbox.insert(target, message("t1"))  # type: ignore[arg-type]
    assert refused.value.kind == "already-pending"
    assert (ids(inbox), len(log.events)) == ((["s1", "s2"], ["t1", "t2"]), 4)


def test_a_message_may_take_its_own_place() -> None:
    """It is gone before it comes again."""
    inbox = filled(live())
    inbox.splice("next-turn", 0, 1, (message("t1"),))
    assert ids(inbox)[1] == ["t1", "t2"]


def test_a_history_leaves_waiting_what_it_had_not_taken() -> None:
    """An inbox on a log that has events is what these events left."""
    log = live()
    filled(log).claim(new_turn=False)
    again = LiveLog(log.header, HandClock(0), events=log.events)
    assert ids(Inbox(again)) == ([], ["t1", "t2"])


def test_a_fork_does_not_take_over_what_waited_in_its_parent() -> None:
    """Only what was logged behind the copied part counts."""
    log = live()
    filled(log)
    child = LiveLog(SessionHeader(id="c", seed_length=3), HandClock(0), events=log.events)
    with pytest.raises(SessionError):
        Inbox(child)  # s2 is put behind an s1 that the child never had
    child = LiveLog(SessionHeader(id="c", seed_length=4), HandClock(0), events=log.events)
    assert Inbox(child).is_empty


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (InboxData(target="next-turn", start=1, inserted=()), "inbox-splice"),
        (InboxData(target="next-turn", start=0, inserted=(), removed_count=1), "inbox-splice"),
        (InboxData(target="next-turn", start=-1, inserted=()), "inbox-splice"),
        (InboxData(target="someday", start=0, inserted=()), "inbox-splice"),
        (
            InboxData(
                target="next-turn", start=0, inserted=({"content": [], "source": {}, "role": "", "id": "a"},) * 2
            ),
            "already-pending",
        ),
    ],
    ids=["behind the end", "more than there are", "before the start", "no such list", "twice"],
)
def test_a_history_that_contradicts_itself_is_refused(data: InboxData, kind: str) -> None:
    """The change cannot have happened to what waited."""
    log = live()
    log.add(InboxSpliced, data)
    with pytest.raises(SessionError) as refused:
        Inbox(log)
    assert refused.value.kind == kind


def test_an_early_log_has_no_such_events() -> None:
    """In edition note the lists work without a trace, and messages have no ids."""
    log = live("note")
    inbox = Inbox(log)
    bare = Message(content=({"type": "text", "text": "hi"},), source={"kind": "user"})
    inbox.insert("next-turn", bare)
    inbox.insert("next-turn", bare)
    assert (inbox.claim(new_turn=True), inbox.waiting("next-turn"), log.events) == ((bare,), (bare,), [])

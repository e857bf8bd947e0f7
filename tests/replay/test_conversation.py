"""The surface of a replay next to that of the log: what a replacement shadows, and what the account then says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.builders import LogBuilder, log
from timectx.errors import SessionError
from timectx.replay.account import Shown
from timectx.replay.conversation import Conversation, Shadowing
from timectx.session.events import SURFACE_CLASSES, Replace, SurfaceEvent, UserMessage

SOURCES = {"m": {"kind": "user"}, "r": {"kind": "plugin", "plugin": "time-context"}}


class Stage:
    """Act out a log by letters: ``m`` is a message, ``r`` a recorded reading, a number the scenario's reading of it."""

    def __init__(self, twins: Mapping[int, int] | None = None) -> None:
        """Start with nothing; every message costs 10, every reading 7."""
        self.log: LogBuilder = log("early")
        self.conversation = Conversation(self.price, {-1 - index: seq for index, seq in (twins or {}).items()})
        self.done: list[Shadowing] = []

    def price(self, event: SurfaceEvent) -> int:
        """Return 7 for a recorded reading, 3 for a replacement, else 10."""
        if isinstance(event.surface_op, Replace):
            return 3
        return 7 if isinstance(event, UserMessage) and event.data.source == SOURCES["r"] else 10

    def play(self, *acts: str | int) -> Stage:
        """Let these happen in order; seqs count the messages and recorded readings from 0."""
        for act in acts:
            if isinstance(act, int):
                self.conversation.add_reading(Shown(-1 - act, act, "UTC", 7, self.conversation.requests))
            else:
                event = self.message(act)
                (self.conversation.record_own if act == "r" else self.conversation.add)(event)
        return self

    def message(self, act: str) -> SurfaceEvent:
        """Append a message to the log."""
        event = self.log.message("x", SOURCES[act]).events()[-1]
        assert isinstance(event, UserMessage)
        return event

    def replace(self, start: int, end: int, *, with_result: bool = False) -> Stage:
        """Replace a range by a checkpoint, or by a tool result."""
        op = {"op": "replace", "start": start, "end": end}
        if with_result:
            built = self.log.turn().step()
            event = built.result("c", surfaceOp=op, sourceEventSeqs=[start]).events()[-1]
        else:
            data = {"content": [], "source": {"kind": "plugin", "plugin": "compact"}}
            event = self.log.event("user/message", data, surfaceOp=op).events()[-1]
        assert isinstance(event, SURFACE_CLASSES)
        self.done.append(self.conversation.replace(event, Replace(start, end)))
        return self

    def account(self) -> tuple[int, int, int, int]:
        """Return the prices of surface, readings, added readings and the log's own readings."""
        kept = self.conversation
        return (kept.surface_tokens, kept.reading_tokens, kept.added_tokens, kept.recorded_reading_tokens)

    def visible(self) -> list[int]:
        """Return the scenario's readings on the surface, by attempt."""
        return [index for index in range(9) if self.conversation.shows(-1 - index)]


def test_an_empty_conversation_shows_nothing() -> None:
    """No reading, no price."""
    stage = Stage()
    assert (stage.account(), stage.conversation.newest, stage.conversation.visible_readings) == ((0, 0, 0, 0), None, 0)


def test_a_recorded_reading_is_accounted_for_but_not_shown() -> None:
    """The scenario's reading takes its place."""
    stage = Stage({0: 1}).play("m", "r", 0)
    assert (stage.account(), stage.visible(), stage.conversation.newest) == (
        (17, 7, 7, 7),
        [0],
        Shown(-1, 0, "UTC", 7, 0),
    )


@pytest.mark.parametrize(
    ("twins", "acts", "span", "visible", "account", "shadowing"),
    [
        ({}, ["m", "m", "m"], (0, 1), [], (13, 0, 0, 0), (2, 0, 30, 13)),
        ({}, ["m", 0, "m", "m"], (0, 1), [], (13, 0, 0, 0), (2, 1, 37, 13)),
        ({}, [0, "m", "m", 1, "m"], (0, 1), [], (13, 0, 0, 0), (2, 2, 44, 13)),
        ({}, ["m", "m", "m", 0], (0, 1), [0], (20, 7, 7, 0), (2, 0, 37, 20)),
        ({}, ["m", 0, 1, "m", 2], (0, 0), [2], (20, 7, 7, 0), (1, 2, 41, 20)),
        ({0: 2}, ["m", "m", "r", 0, "m"], (0, 2), [], (13, 0, 0, 0), (2, 1, 37, 13)),
        ({0: 2}, ["m", "m", "r", 0, "m"], (0, 1), [0], (20, 7, 7, 7), (2, 0, 37, 20)),
        ({0: 0}, ["r", 0, "m", "m"], (0, 1), [], (13, 0, 0, 0), (1, 1, 27, 13)),
        ({0: 0}, ["r", 0, "m", "m"], (1, 1), [0], (20, 7, 7, 7), (1, 0, 27, 20)),
        ({}, ["m", "r", "m"], (1, 1), [], (23, 0, 0, 0), (0, 0, 20, 23)),
        ({}, ["m", "r", 0, "m"], (1, 1), [], (23, 0, 0, 0), (0, 1, 27, 23)),
        ({}, ["m", "r"], (1, 1), [], (13, 0, 0, 0), (0, 0, 10, 13)),
        ({0: 1}, ["m", "r", 0, "r", 1, "m"], (1, 2), [], (23, 0, 0, 0), (0, 2, 34, 23)),
        ({0: 9}, ["m", "m", 0], (0, 1), [0], (10, 7, 7, 0), (2, 0, 27, 10)),
    ],
    ids=[
        "messages", "between", "before-and-directly-after", "not-directly-after", "a-row-of-them", "twin-shadowed",
        "twin-kept", "starts-with-a-reading", "twin-kept-before", "only-readings", "only-readings-next-to-one",
        "only-readings-at-the-end", "several-readings", "twin-still-to-come",
    ],
)  # fmt: skip
def test_a_checkpoint_shadows_the_same_messages_and_the_readings_around_them(
    twins: dict[int, int],
    acts: list[str | int],
    span: tuple[int, int],
    visible: list[int],
    account: tuple[int, int, int, int],
    shadowing: tuple[int, int, int, int],
) -> None:
    """Those before, between and directly after, but none whose recorded twin the log kept."""
    stage = Stage(twins).play(*acts).replace(*span)
    assert (stage.visible(), stage.account(), stage.done) == (visible, account, [Shadowing(*shadowing)])


def test_a_rewritten_tool_result_shadows_its_one_node_only() -> None:
    """Readings beside it stay."""
    stage = Stage().play("m", 0, "m", 1, "m").replace(1, 1, with_result=True)
    assert (stage.visible(), stage.account(), stage.done) == ([0, 1], (37, 14, 14, 0), [Shadowing(1, 0, 44, 37)])


def test_a_checkpoint_may_shadow_another_with_what_was_kept_before() -> None:
    """The first stands before nodes with lower seqs, so the second's range starts with the higher seq."""
    stage = Stage().play("m", 0, "m", "m", 1, "m").replace(0, 1).replace(4, 2)
    assert (stage.visible(), stage.account(), stage.done) == (
        [],
        (13, 0, 0, 0),
        [Shadowing(2, 1, 54, 30), Shadowing(2, 1, 30, 13)],
    )


def test_a_twin_shadowed_by_an_earlier_checkpoint_protects_no_more() -> None:
    """The scenario's reading outlived its twin; the next checkpoint takes it."""
    stage = Stage({0: 1}).play("m", "r", "m", 0, "m").replace(0, 1)
    assert stage.visible() == [0]
    assert stage.replace(4, 2).visible() == []
    assert stage.account() == (13, 0, 0, 0)


def test_a_reading_that_only_stood_in_the_log_is_on_no_surface() -> None:
    """It costs nothing there and protects nothing."""
    stage = Stage({0: 1}).play("m")
    event = stage.log.event("user/message", {"content": [], "source": SOURCES["r"]}).events()[-1]
    assert isinstance(event, UserMessage)
    stage.conversation.record_own(event)
    stage.play(0, "m")
    assert stage.account() == (27, 7, 7, 0)
    assert (stage.replace(0, 0).visible(), stage.account()) == ([], (13, 0, 0, 0))


def test_a_stray_reading_is_seen_and_shadowed_like_a_message() -> None:
    """It counts among the visible readings and not among those the scenario added."""
    stage = Stage().play("m", 0)
    stage.conversation.add(stage.message("m"), Shown(1, 50, "UTC", 10, 0))
    assert (stage.account(), stage.conversation.newest) == ((27, 17, 7, 0), Shown(1, 50, "UTC", 10, 0))
    stage.play("m").replace(0, 1)
    assert (stage.account(), stage.done) == ((13, 0, 0, 0), [Shadowing(1, 2, 37, 13)])


def test_a_reading_is_held_by_the_requests_made_while_it_was_visible() -> None:
    """Until it is shadowed, or until the end."""
    stage = Stage().play("m", 0)
    stage.conversation.requests += 2
    stage.play("m", 1)
    stage.conversation.requests += 1
    stage.replace(0, 0)
    stage.conversation.requests += 4
    assert stage.conversation.holds == {-1: 3}
    stage.conversation.end()
    assert stage.conversation.holds == {-1: 3, -2: 5}


@pytest.mark.parametrize(
    ("span", "kind"),
    [((7, 1), "replace-start-not-found"), ((0, 7), "replace-end-not-found"), ((1, 0), "replace-start-after-end")],
)
def test_a_range_the_log_never_had_is_refused(span: tuple[int, int], kind: str) -> None:
    """A log that contradicts itself cannot be replayed; nothing is changed by trying."""
    stage = Stage().play("m", 0, "m")
    with pytest.raises(SessionError) as caught:
        stage.replace(*span)
    assert (caught.value.kind, stage.account()) == (kind, (27, 7, 7, 0))

"""Test who is asked first, who decides last, and that a registration ends alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loop.scenes import message
from timectx.loop import AbortedError, Enter, PreStep, Reject, Signal, Waterfall

CALL = PreStep(1, 1, (), Signal())


def listening(name: str, seen: list[str]) -> Any:
    """Return a listener that writes down when it is asked and when it is answered."""

    def listen(call: PreStep, go_on: Any) -> Any:
        seen.append(f"{name} in")
        decision = go_on(call)
        seen.append(f"{name} out")
        return decision

    return listen


def test_listeners_are_asked_from_the_last_prepended_on_and_answered_the_other_way() -> None:
    """Registered a, b in front, c in front, d: in c, b, a, d and out d, a, b, c."""
    seen: list[str] = []
    waterfall = Waterfall()
    for name, prepend in (("a", False), ("b", True), ("c", True), ("d", False)):
        waterfall.register(listening(name, seen), prepend=prepend)
    assert waterfall.run(CALL) == Enter(())
    assert seen == ["c in", "b in", "a in", "d in", "d out", "a out", "b out", "c out"]


def test_without_a_listener_the_messages_enter() -> None:
    """The innermost answer is to let in what was claimed."""
    call = PreStep(1, 1, (message("hi"),), Signal())
    assert Waterfall().run(call) == Enter(call.messages)


def test_a_listener_can_answer_for_all_behind_it() -> None:
    """The others are not asked."""
    seen: list[str] = []
    waterfall = Waterfall()
    waterfall.register(lambda call, go_on: Reject())
    waterfall.register(listening("behind", seen))
    assert (waterfall.run(CALL), seen) == (Reject(), [])


def test_a_listener_can_hand_on_another_call() -> None:
    """Those behind it see what it passed, and so does the innermost answer."""
    waterfall = Waterfall()
    waterfall.register(lambda call, go_on: go_on(PreStep(call.turn, call.step, (message("new"),), call.signal)))
    assert waterfall.run(CALL) == Enter((message("new"),))


def test_removing_one_of_two_registrations_of_a_listener_leaves_the_other() -> None:
    """Each registration ends alone, and ending it twice changes nothing."""
    seen: list[str] = []
    waterfall, listener = Waterfall(), listening("a", seen)
    first, second = waterfall.register(listener), waterfall.register(listener)
    first()
    first()
    waterfall.run(CALL)
    assert seen == ["a in", "a out"]
    second()
    waterfall.run(CALL)
    assert seen == ["a in", "a out"]


def test_who_comes_or_goes_during_a_call_does_so_for_the_next_one() -> None:
    """The call under way keeps the listeners it began with."""
    seen: list[str] = []
    waterfall = Waterfall()

    def swap(call: PreStep, go_on: Any) -> Any:
        remove()
        waterfall.register(listening("new", seen))
        return go_on(call)

    waterfall.register(swap)
    remove = waterfall.register(listening("old", seen))
    waterfall.run(CALL)
    assert seen == ["old in", "old out"]


def test_the_first_reason_to_cancel_stays() -> None:
    """A second cancel changes nothing, and whoever checks is stopped."""
    signal = Signal()
    signal.check()
    signal.abort("parent")
    signal.abort()
    assert (signal.aborted, signal.reason) == (True, {"kind": "parent"})
    with pytest.raises(AbortedError):
        signal.check()

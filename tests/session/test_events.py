"""The union of events is closed, and every name stays importable from where it always was."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.builders import log
from timectx.session import data, events
from timectx.session.events import EVENT_CLASSES, SURFACE_CLASSES, Event, OtherEvent, SurfaceEvent


def test_every_class_of_the_union_has_its_type_and_only_one_is_for_the_rest() -> None:
    """A class that is missing in the table would never be decoded."""
    assert {*EVENT_CLASSES.values(), OtherEvent} == set(get_args(Event))
    assert {kind: found.type for kind, found in EVENT_CLASSES.items()} == {kind: kind for kind in EVENT_CLASSES}


def test_three_types_can_stand_on_the_surface() -> None:
    """The tuple for isinstance and the type for annotations name the same classes."""
    assert set(SURFACE_CLASSES) == set(get_args(SurfaceEvent))
    assert [found.type for found in SURFACE_CLASSES] == ["user/message", "assistant/message", "tool/result"]


def test_what_events_carry_can_be_imported_with_them() -> None:
    """One import serves for an event and its data."""
    inner = {"EXTRA", "LogStruct", "SafeInt", "SeqInt"}
    assert set(data.__all__) - inner <= set(events.__all__)
    assert all(getattr(events, name) is getattr(data, name) for name in set(data.__all__) - inner)


@pytest.mark.parametrize("name", ["seq", "time_ms", "data", "extra"])
def test_an_event_cannot_be_changed(name: str) -> None:
    """A log is append-only, in memory too."""
    (event,) = log().turn().events()
    with pytest.raises(AttributeError):
        setattr(event, name, None)

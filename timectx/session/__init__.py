"""Hold a session as an event log, and everything that follows from the log alone."""

from timectx.session.attempts import Attempt, is_current_reading_source, is_reading_event, is_reading_source
from timectx.session.events import Event, Message, Usage
from timectx.session.header import SessionHeader
from timectx.session.log import Problem, Session, StreamRow
from timectx.session.records import event_from_record, record_of
from timectx.session.surface import Surface, fold_surface
from timectx.session.turns import Step, Turn

__all__ = [
    "Attempt",
    "Event",
    "Message",
    "Problem",
    "Session",
    "SessionHeader",
    "Step",
    "StreamRow",
    "Surface",
    "Turn",
    "Usage",
    "event_from_record",
    "fold_surface",
    "is_current_reading_source",
    "is_reading_event",
    "is_reading_source",
    "record_of",
]

"""Check readings as strictly as the original's own companion checker does."""

from __future__ import annotations

from typing import Final, NoReturn

from msgspec import Struct

from timectx.errors import SessionError, ZoneError
from timectx.reading import (
    DurableText,
    baseline_name,
    browser_line,
    derive_browser_zone,
    format_timestamp,
    parse_date,
    parse_durable,
)
from timectx.session import is_reading_event
from timectx.session.events import (
    Event,
    JsonObject,
    Message,
    RequestHeader,
    StepEnd,
    StepStart,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from timectx.units import MAX_SAFE_INTEGER

__all__ = ["Companion"]

_SOURCE_KEYS: Final = frozenset({"kind", "plugin", "form", "sections"})


class _Position(Struct):
    """Where in its turn the log stands."""

    turn: int | None = None
    step: int | None = None
    header_sent: bool = False


class Companion:
    """
    Keep what the companion checker knows of a log, and judge each reading before it is taken in.

    Notes
    -----
    Only the three-line form passes. The first broken rule is the one reported. The elapsed time's
    value is never checked [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/invariant.ts.
    """

    def __init__(self) -> None:
        self._at = _Position()
        self._sources: list[JsonObject] = []

    def apply(self, event: Event) -> None:
        """
        Judge an event if it is a reading, then take it in.

        Parameters
        ----------
        event : Event
            The next event of the log.

        Raises
        ------
        SessionError
            Kind ``invariant-violated-by-time-context-…``, where the rest names the rule.
        ZoneError
            If a message of the turn names a zone that is not canonical.
        """
        if isinstance(event, UserMessage) and is_reading_event(event):
            self._judge(event)
        match event:
            case TurnStart():
                self._at, self._sources = _Position(turn=event.data.turn), []
            case TurnEnd():
                self._at = _Position()
            case StepStart():
                self._at = _Position(turn=event.data.turn, step=event.data.step)
            case StepEnd():
                self._at = _Position(turn=self._at.turn)
            case RequestHeader():
                self._at.header_sent = True
            case UserMessage():
                self._sources.append(event.data.source)
            case _:
                pass

    def _judge(self, event: UserMessage) -> None:
        text = _only_text(event.data)
        if text is None:
            _refuse(event, "messages", "a reading is one text block")
        durable = parse_durable(text)
        if durable is None:
            _refuse(event, "message", "the text is not a three-line reading")
        self._judge_place(event, durable)
        _judge_source(event, text)
        zone = derive_browser_zone(self._sources)
        if durable.browser_line != browser_line(zone):
            _refuse(event, "browser", "the second line does not match the turn's messages")
        if durable.baseline != baseline_name(durable.step):
            _refuse(event, "step", f"step {durable.step} counts from another baseline than {durable.baseline!r}")
        instant_ms = parse_date(durable.date)
        if instant_ms is None or instant_ms > event.time_ms:
            _refuse(event, "rendered", "the timestamp is no date, or lies after its own event")
        if zone.kind == "resolved" and _shown(instant_ms, zone.zones[0]) != durable.timestamp:
            _refuse(event, "rendered", "the timestamp is not what the turn's browser zone shows")

    def _judge_place(self, event: UserMessage, durable: DurableText) -> None:
        at = self._at
        if not (1 <= durable.turn <= MAX_SAFE_INTEGER and 1 <= durable.step <= MAX_SAFE_INTEGER):
            _refuse(event, "turn", "turn and step count from 1")
        if at.turn is None or at.step is None or at.header_sent:
            _refuse(event, "reading", "a reading stands in an open turn, after step/start and before request/header")
        if (durable.turn, durable.step) != (at.turn, at.step):
            _refuse(
                event,
                "reading",
                f"it names turn {durable.turn}, step {durable.step} but stands at turn {at.turn}, step {at.step}",
            )


def _only_text(message: Message) -> str | None:
    match message.content:
        case ({"type": "text", "text": str(text)} as block,) if len(block) == 2:
            return text
        case _:
            return None


def _judge_source(event: UserMessage, text: str) -> None:
    source = event.data.source
    sections = [{"name": "time-context", "text": text}]
    if set(source) != _SOURCE_KEYS or source.get("form") != "snapshot" or source.get("sections") != sections:
        _refuse(event, "source", "the source holds exactly one snapshot section with the same text")


def _shown(instant_ms: int, zone: str) -> str:
    try:
        return format_timestamp(instant_ms, zone)
    except ZoneError:
        return ""


def _refuse(event: Event, rule: str, message: str) -> NoReturn:
    raise SessionError(f"seq {event.seq}: {message}", kind=f"invariant-violated-by-time-context-{rule}")

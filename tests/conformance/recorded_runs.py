"""Run a recorded scenario of the original against this package, action by action."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from timectx.errors import TimectxError
from timectx.reading import Edition, canonical_zone, default_interval_ms, format_reading
from timectx.replay import TimeContext, is_due, reading_message
from timectx.session import Event, event_from_record, is_reading_source, record_of
from timectx.session.closers import closing_events
from timectx.session.events import UserMessage
from timectx.session.surface import fold_surface

Json = dict[str, Any]


def late(record: Json) -> Json:
    """
    Return a record of the earliest logs in the layout that came after.

    Those logs have types of their own for context and steering, and take only a ``context/message`` for
    a reading, so that a ``user/message`` with a reading's source is none there.
    """
    if record["type"] == "user/message" and is_reading_source(record["data"]["source"]):
        return {**record, "data": {**record["data"], "source": {"kind": "plugin", "plugin": "another"}}}
    if record["type"] in ("context/message", "steering/message"):
        return {**record, "type": "user/message"}
    return record


class StoppedError(Exception):
    """Stand for whatever the recorded downstream listener threw."""

    kind = "later-pre-step-failure"


@dataclass
class Log:
    """Keep one session of the run: its events and what readings depend on."""

    edition: Edition
    events: list[Event] = field(default_factory=list)
    context: TimeContext = field(init=False)

    def __post_init__(self) -> None:
        """Start with nothing in the log."""
        self.context = TimeContext(self.edition)

    def append(self, record: Json, time_ms: int) -> None:
        """Append a record at the present clock."""
        event = event_from_record({**record, "seq": len(self.events), "time": time_ms})
        self.events.append(event)
        self.context.apply(event)


class RecordedRun:
    """Carry out the actions of one row and collect what the original recorded for them."""

    def __init__(self, row: Json, edition: Edition) -> None:
        self.row, self.edition = row, edition
        self.is_earliest = str(row.get("variant")).startswith("durable-")
        self.now_ms: int = row["startAt"]
        settings = row["config"].get("timeContext") or {}
        interval_ms = settings.get("refreshIntervalMs")
        self.interval_ms = default_interval_ms(edition) if interval_ms is None else interval_ms
        self.fallback = canonical_zone(settings.get("timeZone") or "UTC")
        self.logs = {session["id"]: Log(edition) for session in row["sessions"]}
        self.first = next(iter(self.logs))
        self.readings = 0

    def results(self) -> list[Json]:
        """Return one result for each action that has one."""
        found = []
        for index, action in enumerate(self.row["actions"]):
            self.now_ms = action.get("at", self.now_ms)
            result = getattr(self, "do_" + action["op"])(action, self.logs[action.get("session", self.first)])
            if result is not None:
                found.append({"action": index, **result})
        return found

    def final(self) -> Json:
        """Return the event count and the surface of every session."""
        return {
            name: {"eventCount": len(log.events), "surface": list(fold_surface(map(_as_node, log.events)).nodes)}
            for name, log in self.logs.items()
        }

    def do_append(self, action: Json, log: Log) -> None:
        """Append an event at the present clock."""
        kept = ("type", "data", "surfaceOp", "sourceEventSeqs")
        record = {key: action[key] for key in kept if key in action}
        if isinstance(record.get("surfaceOp"), dict) and "startSeq" in record["surfaceOp"]:
            marker = record["surfaceOp"]
            record["surfaceOp"] = {"op": marker["op"], "start": marker["startSeq"], "end": marker["endSeq"]}
        log.append(late(record) if self.is_earliest else record, self.now_ms)

    def do_resume(self, action: Json, log: Log) -> Json:
        """Rebuild a session from its own log, closing an open turn where asked."""
        for event in closing_events(log.events) if action.get("closers") else ():
            log.events.append(event)
            log.context.apply(event)
        return self._seeded(log)

    def do_fork(self, action: Json, log: Log) -> Json:
        """Copy a prefix of a log into a new session."""
        child = Log(self.edition)
        for event in log.events[: action.get("boundary", len(log.events) - 1) + 1]:
            child.events.append(event)
            child.context.apply(event)
        self.logs[action["as"]] = child
        if self.edition == "current":
            _close_fork(child)
            return {"seq": len(child.events)}
        return self._seeded(child)

    def _seeded(self, log: Log) -> Json:
        if not log.events or log.events[-1].type != "session/end-seed":
            log.append({"type": "session/end-seed", "data": {}}, self.now_ms)
        return {"seq": len(log.events)}

    def do_prestep(self, action: Json, log: Log) -> Json:
        """Let the pre-step happen and return what came of it."""
        if self.edition == "note":
            return self._note_prestep(action, log)
        first = len(log.events)
        try:
            decision, messages, reading = self._delegated(action, log)
        except (TimectxError, StoppedError) as error:
            return {"error": error.kind}
        self._commit(action, log, messages, reading, how=action["commit"] if decision == "enter" else "none")
        return {"decision": decision, "reading": reading, "seqs": [first, len(log.events)]}

    def _delegated(self, action: Json, log: Log) -> tuple[str, list[Json], Json | None]:
        """Run the inner listeners first, then decide on a reading."""
        aborted, messages = action.get("signal") == "aborted", list(action.get("proposed") or [])
        for inner in action.get("downstream") or ():
            match inner["op"]:
                case "advance":
                    self.now_ms += inner["ms"]
                case "append":
                    self.do_append(inner, log)
                case "abort":
                    aborted = True
                case "reject":
                    return "reject", [], None
                case "throw":
                    raise StoppedError(inner.get("message"))
                case "messages":
                    messages = list(inner["messages"])
        if aborted or not is_due(self.now_ms, log.context.last_reading_ms, self.interval_ms):
            return "enter", messages, None
        return "enter", messages, self._reading(action, log, tuple(message["source"] for message in messages))

    def _reading(self, action: Json, log: Log, entering: tuple[Json, ...] = ()) -> Json:
        reading = log.context.reading_at(
            self.now_ms, action["turn"], action["step"], fallback=self.fallback, entering=entering
        )
        self.readings += 1
        message = reading_message(format_reading(reading), self.edition, f"reading-{self.readings}")
        event = UserMessage(seq=0, time_ms=self.now_ms, data=message)
        data: Json = record_of(event)["data"]
        return data

    def _commit(self, action: Json, log: Log, messages: list[Json], reading: Json | None, *, how: str) -> None:
        if how == "step":
            log.append({"type": "step/start", "data": {"turn": action["turn"], "step": action["step"]}}, self.now_ms)
        entering = messages if how in ("step", "messages") else []
        for message in [*entering, *([reading] if reading and how != "none" else [])]:
            log.append({"type": "user/message", "data": message, "surfaceOp": "append"}, self.now_ms)

    def _note_prestep(self, action: Json, log: Log) -> Json:
        if action.get("signal") == "aborted" or not is_due(self.now_ms, log.context.last_reading_ms, self.interval_ms):
            return {"reading": None, "seq": None}
        reading = self._reading(action, log)
        log.append({"type": "user/message", "data": reading, "surfaceOp": "append"}, self.now_ms)
        return {"reading": reading, "seq": len(log.events) - 1}


def _as_node(event: Event) -> Event:
    """Let a system or developer message, which format 0 does not have, stand on the surface as a user's."""
    if event.type not in ("system/message", "developer/message"):
        return event
    marks = {"surfaceOp": (event.extra or {})["surfaceOp"]}
    data = {"content": [], "source": {}}
    return event_from_record({"type": "user/message", "seq": event.seq, "time": event.time_ms, "data": data, **marks})


def _close_fork(child: Log) -> None:
    """Mark the part that was taken over, and close the turn it may have left open, at the time of its last event."""
    if not child.events:
        return
    time_ms = child.events[-1].time_ms
    child.append({"type": "session/end-seed", "data": {"inherited": True}}, time_ms)
    for event in closing_events(child.events):
        child.events.append(event)
        child.context.apply(event)


def comparable(result: Json) -> Json:
    """Return a recorded result without what may differ: generated ids, and how an error is worded."""
    bare = {key: value for key, value in result.items() if key != "aborted"}
    if isinstance(bare.get("error"), dict):
        bare["error"] = bare["error"]["kind"]
    if bare.get("reading"):
        bare["reading"] = {key: value for key, value in bare["reading"].items() if key != "id"}
    return bare

"""Hold the loop's own listener, on a live log, to the recorded runs of the original."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conformance.recorded_runs import Json, RecordedRun, StoppedError, comparable
from tests.conformance.rows import rows
from timectx.errors import TimectxError
from timectx.loop.listeners import time_listener
from timectx.loop.live_log import LiveLog
from timectx.loop.waterfall import Decision, Enter, Next, PreStep, Reject, Signal, Waterfall
from timectx.reading import Edition
from timectx.session import Event, SessionHeader, event_from_record, record_of
from timectx.session.closers import closing_events
from timectx.session.data import StepData
from timectx.session.events import SURFACE_CLASSES, Message, StepStart, UserMessage
from timectx.session.surface import fold_surface
from timectx.units import EpochMs

MESSAGES = {kind.type for kind in SURFACE_CLASSES}


def message_of(data: Json) -> Message:
    """Return a message from the JSON object a row has for it."""
    event = event_from_record({"type": "user/message", "seq": 0, "time": 0, "data": data})
    assert isinstance(event, UserMessage)
    return event.data


def data_of(message: Message) -> Json:
    """Return the JSON object a row would have for a message."""
    data: Json = record_of(UserMessage(seq=0, time_ms=0, data=message))["data"]
    return data


class LoopLog(LiveLog):
    """
    A live log that takes the records of a row.

    Of messages that format 0 does not have it keeps only that they are there; `recorded` is the surface with
    them, by which a row names what it replaces.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        self.recorded: list[int] = []
        super().__init__(*arguments, **keywords)

    def append(self, event: Event) -> None:
        """Append an event, of a row or of the listener."""
        super().append(event)
        if isinstance(event, SURFACE_CLASSES) and event.surface_op == "append":
            self.recorded.append(event.seq)

    def append_record(self, record: Json, time_ms: int) -> None:
        """Append a record at the present clock."""
        record = {**record, "seq": self.next_seq, "time": time_ms}
        marker, is_message = record.get("surfaceOp"), record["type"] in MESSAGES
        if isinstance(marker, dict):
            first, last = self.recorded.index(marker["start"]), self.recorded.index(marker["end"])
            kept = [each for each in self.recorded[first : last + 1] if isinstance(self.events[each], SURFACE_CLASSES)]
            self.recorded[first : last + 1] = [record["seq"]]
            record["surfaceOp"] = {"op": "replace", "start": kept[0], "end": kept[-1]} if is_message else None
        elif marker == "append" and not is_message:
            self.recorded.append(record["seq"])
        if not is_message:
            record = {key: value for key, value in record.items() if key not in ("surfaceOp", "sourceEventSeqs")}
        self.append(event_from_record(record))


class LoopRun(RecordedRun):
    """Carry out the actions of one row on live logs, with the loop's listener around the row's own."""

    logs: dict[str, Any]

    def __init__(self, row: Json, edition: Edition) -> None:
        super().__init__(row, edition)
        self.logs = {session["id"]: self._live(session["id"]) for session in row["sessions"]}

    def final(self) -> Json:
        """Return the event count and the surface of every session, with the nodes that format 0 does not have."""
        for log in self.logs.values():
            messages = [seq for seq in log.recorded if isinstance(log.events[seq], SURFACE_CLASSES)]
            assert list(fold_surface(log.events).nodes) == messages
        return {name: {"eventCount": log.next_seq, "surface": log.recorded} for name, log in self.logs.items()}

    def do_append(self, action: Json, log: Any) -> None:
        """Append an event at the present clock."""
        super().do_append(action, SimpleNamespace(append=log.append_record))  # type: ignore[arg-type]

    def do_resume(self, action: Json, log: Any) -> Json:
        """Open a log on the history of the one before."""
        closing = closing_events(log.events) if action.get("closers") else ()
        name = action.get("session", self.first)
        self.logs[name] = self._live(name, tuple(log.events))
        self.logs[name].recorded = log.recorded
        for event in closing:
            self.logs[name].append(event)
        self.logs[name].end_seed()
        return {"seq": self.logs[name].next_seq}

    def do_fork(self, action: Json, log: Any) -> Json:
        """Open a log on the beginning of another one; in `current` what it left open is closed after the mark."""
        prefix = tuple(log.events[: action.get("boundary", len(log.events) - 1) + 1])
        child = self.logs[action["as"]] = self._live(action["as"], prefix)
        if len(prefix) == len(log.events):
            child.recorded = list(log.recorded)
        if self.edition != "current":
            child.end_seed()
        elif prefix:
            child.append_record({"type": "session/end-seed", "data": {"inherited": True}}, prefix[-1].time_ms)
            for event in closing_events(child.events):
                child.append(event)
        return {"seq": child.next_seq}

    def do_prestep(self, action: Json, log: Any) -> Json:
        """Let the listeners decide, and enter what they let in."""
        signal, first = Signal(), log.next_seq
        if action.get("signal") == "aborted":
            signal.abort()
        waterfall, inner = Waterfall(), list[Message]()
        waterfall.register(self._row_listener(action, log, inner))
        listener = time_listener(log, interval_ms=self.interval_ms, time_zone=self.fallback)
        waterfall.register(listener, prepend=True)
        proposed = tuple(map(message_of, action.get("proposed") or ()))
        try:
            decision = waterfall.run(PreStep(action["turn"], action["step"], proposed, signal))
        except (TimectxError, StoppedError) as error:
            return {"error": error.kind}
        if self.edition == "note":
            added = log.events[first:]
            return {"reading": data_of(added[0].data) if added else None, "seq": added[0].seq if added else None}
        if not isinstance(decision, Enter):
            return {"decision": "reject", "reading": None, "seqs": [first, log.next_seq]}
        reading = data_of(decision.messages[-1]) if len(decision.messages) > len(inner) else None
        self._enter(action, log, decision.messages, is_read=reading is not None)
        return {"decision": "enter", "reading": reading, "seqs": [first, log.next_seq]}

    def _row_listener(self, action: Json, log: LiveLog, inner: list[Message]) -> Any:
        """Return a listener that does what the row has for those behind the reading's, and keeps what it let in."""

        def listen(call: PreStep, go_on: Next) -> Decision:
            messages = call.messages
            for step in action.get("downstream") or ():
                match step["op"]:
                    case "advance":
                        self.now_ms += step["ms"]
                    case "append":
                        self.do_append(step, log)
                    case "abort":
                        call.signal.abort()
                    case "reject":
                        return Reject()
                    case "throw":
                        raise StoppedError(step.get("message"))
                    case "messages":
                        messages = tuple(map(message_of, step["messages"]))
            inner.extend(messages)
            return go_on(PreStep(call.turn, call.step, messages, call.signal))

        return listen

    def _enter(self, action: Json, log: LoopLog, messages: tuple[Message, ...], *, is_read: bool) -> None:
        how = action["commit"]
        if how == "step":
            log.add(StepStart, StepData(turn=action["turn"], step=action["step"]))
        entering: tuple[Message, ...] = (
            messages if how in ("step", "messages") else messages[-1:] if how == "reading" and is_read else ()
        )
        for message in entering:
            log.append_record({"type": "user/message", "data": data_of(message), "surfaceOp": "append"}, self.now_ms)

    def _live(self, name: str, events: tuple[Event, ...] = ()) -> LoopLog:
        header = SessionHeader(id=name, created_at_ms=self.row["startAt"])
        log = LoopLog(header, lambda: EpochMs(self.now_ms), edition=self.edition, events=events)
        log.recorded = list(fold_surface(events).nodes)
        return log


def _cases() -> list[Any]:
    editions: dict[str, Edition] = {"durable-760dd8f5de": "note", "npm-0.0.1-rc.1": "note-v2"}
    runs: list[tuple[Json, Edition]] = [(row, "readme") for row in rows("schedule.jsonl")]
    runs += [(row, "note") for row in rows("note_schedule.jsonl")]
    runs += [(row, "current") for row in rows("current_schedule.jsonl")]
    runs += [(row, editions[row["variant"]]) for row in rows("v1_schedule.jsonl") if row["variant"] in editions]
    return [pytest.param(row, edition, id=f"{edition}-{row['id']}") for row, edition in runs]


@pytest.mark.parametrize(("row", "edition"), _cases())
def test_the_listener_of_the_loop_does_what_the_original_did(row: Json, edition: Edition) -> None:
    """Decisions, readings, errors, seqs and the surface at the end equal the recorded ones."""
    run = LoopRun(row, edition)
    assert [comparable(result) for result in run.results()] == [comparable(result) for result in row["results"]]
    if "final" in row:
        assert run.final() == row["final"]

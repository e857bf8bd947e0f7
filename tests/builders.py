"""
Write a session out in a test, short, in the order things happened.

``log().turn().prompt("hi").step().reading("…").reply("ok").end_turn().build()`` is a Session of one step. The same
chain gives the late layout of format 0 (messages after ``step/start``) or, with ``log("early")``, the early one
(messages before it, without role and id).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from timectx.session.events import Event
from timectx.session.header import SessionHeader
from timectx.session.log import Session
from timectx.session.records import event_from_record, record_of

__all__ = ["LogBuilder", "log"]

Layout = Literal["late", "early"]
MODEL = {"kind": "model", "provider": "p", "model": "m"}


def log(layout: Layout = "late", *, start_ms: int = 0, tick_ms: int = 0, session_id: str = "s") -> LogBuilder:
    """Open an empty log; each event moves the clock on by `tick_ms` milliseconds after it was written."""
    return LogBuilder(layout, start_ms, tick_ms, session_id)


class LogBuilder:
    """Append events one call at a time; every call but the last few returns the builder."""

    def __init__(self, layout: Layout, start_ms: int, tick_ms: int, session_id: str) -> None:
        self.layout, self.now_ms, self.tick_ms, self.session_id = layout, start_ms, tick_ms, session_id
        self.next_seq = 0
        self._events: list[Event] = []
        self._turn = self._step = 0
        self._turn_open = self._step_open = False
        self._step_due = False  # early layout: step/start waits for the messages of its step
        self._held: list[dict[str, Any]] = []  # late layout: messages wait for step/start

    # -- time -------------------------------------------------------------------------------------------------

    def at(self, time_ms: int) -> LogBuilder:
        """Set the clock; it may go backwards."""
        self._flush()
        self.now_ms = time_ms
        return self

    def wait(self, duration_ms: int) -> LogBuilder:
        """Move the clock on."""
        return self.at(self.now_ms + duration_ms)

    # -- turns and steps --------------------------------------------------------------------------------------

    def turn(self, number: int | None = None) -> LogBuilder:
        """Start a turn, after closing an open one; None counts on."""
        if self._turn_open:
            self.end_turn()
        self._turn, self._step, self._turn_open = number or self._turn + 1, 0, True
        return self.event("turn/start", {"turn": self._turn})

    def step(self, number: int | None = None) -> LogBuilder:
        """Start a step, after closing an open one; None counts on."""
        if self._step_open:
            self.end_step()
        self._step, self._step_open = number or self._step + 1, True
        if self.layout == "early":
            self._step_due = True
            return self
        self.event("step/start", self._place())
        held, self._held = self._held, []
        for message in held:
            self.event("user/message", message, surfaceOp="append")
        return self

    def end_step(self) -> LogBuilder:
        """Close the open step."""
        self.event("step/end", self._place())
        self._step_open = False
        return self

    def end_turn(self, reason: str = "completed") -> LogBuilder:
        """Close the open step, if any, and the turn; messages that no step took up are lost, as in the original."""
        if self._step_open:
            self.end_step()
        self._held, self._turn_open = [], False
        return self.event("turn/end", {"turn": self._turn, "reason": {"kind": reason}})

    # -- messages ---------------------------------------------------------------------------------------------

    def message(self, text: str, source: Mapping[str, object]) -> LogBuilder:
        """Add a message in the role of the user; before its step, the layout says where it lands."""
        data: dict[str, Any] = {"content": [{"type": "text", "text": text}], "source": dict(source)}
        if self.layout == "late":
            data |= {"role": "user", "id": f"m{self.next_seq + len(self._held)}"}
        if self.layout == "late" and self._turn_open and not self._step_open:
            self._held.append(data)
            return self
        self._append("user/message", data, {"surfaceOp": "append"})  # early: before the step/start that is due
        return self

    def prompt(self, text: str, zone: str | None = None) -> LogBuilder:
        """Add what a person wrote, in a browser of a zone if one is given."""
        browser = {"rpcId": "r", "clientTimeZone": zone} if zone else {}
        return self.message(text, {"kind": "user", **browser})

    def reading(self, text: str) -> LogBuilder:
        """Add a message with a reading's source."""
        late = {"form": "snapshot", "sections": [{"name": "time-context", "text": text}]}
        source = {"kind": "plugin", "plugin": "time-context", **(late if self.layout == "late" else {})}
        return self.message(text, source)

    # -- the model and its tools ------------------------------------------------------------------------------

    def header(self, system: str = "", tools: Iterable[object] = (), reason: str = "initial") -> LogBuilder:
        """Log what requests carry beside messages."""
        config = {"provider": "p", "model": "m"}
        return self.event(
            "request/header", {"header": {"config": config, "system": system, "tools": list(tools)}, "reason": reason}
        )

    def chunk(self, kind: str, **fields: object) -> LogBuilder:
        """Log one piece of streamed output."""
        return self.event("assistant/chunk", {**self._place(), "chunk": {"type": kind, **fields}})

    def skip(self, count: int) -> LogBuilder:
        """Leave out that many streamed entries: the seqs go on, the events are not there."""
        self._flush()
        self.next_seq += count
        return self

    def failure(self) -> LogBuilder:
        """Log that a request failed at the provider."""
        return self.chunk("finish", reason={"kind": "error", "error": {"message": "busy", "code": "RATE_LIMITED"}})

    def retry(self) -> LogBuilder:
        """Log that the step asks again."""
        return self.event("llm/retry-started", {"retryId": "r", **self._place(), "retry": 1})

    def reply(
        self, text: str = "", calls: Iterable[str] = (), usage: Mapping[str, int] | None = None, **fields: object
    ) -> LogBuilder:
        """Log a whole reply: a text, unless empty, and a call of the tool ``t`` for each id."""
        blocks: list[object] = [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool-call", "id": call, "name": "t", "arguments": "{}"} for call in calls]
        message = {"role": "assistant", "content": blocks, "source": MODEL, "id": f"m{self.next_seq}"}
        data = {**self._place(), "message": message, **({"usage": dict(usage)} if usage else {}), **fields}
        return self.event("assistant/message", data, surfaceOp="append")

    def call(self, call_id: str) -> LogBuilder:
        """Log that a tool run starts."""
        return self.event("tool/call", {**self._place(), "callId": call_id, "name": "t", "arguments": "{}"})

    def result(self, call_id: str, text: str = "done", **marks: object) -> LogBuilder:
        """Log what a tool returned; `marks` are ``surfaceOp`` and ``sourceEventSeqs`` of a shortened one."""
        content = [{"type": "text", "text": text}]
        block = {"type": "tool-result", "toolCallId": call_id, "content": content, "isError": False}
        source = {"kind": "tool", "callId": call_id}
        message = {"source": source, "content": [block], "role": "user", "id": f"t-{call_id}"}
        return self.event("tool/result", {**self._place(), "message": message}, **({"surfaceOp": "append"} | marks))

    def tool(self, call_id: str, text: str = "done") -> LogBuilder:
        """Log a whole tool run: its start and its result."""
        return self.call(call_id).result(call_id, text)

    # -- compaction -------------------------------------------------------------------------------------------

    def compaction(self, start: int, end: int, summary: str = "summary", shadowed: Iterable[int] = ()) -> LogBuilder:
        """Replace the nodes from `start` to `end` (seqs) by a checkpoint; `shadowed` are they, if more than two."""
        seqs = list(shadowed) or sorted({start, end})
        turn = self._turn if self._turn_open else None
        self.event("compaction/start", {"compactionId": "c", "turn": turn})
        opened = self.next_seq - 1
        span = {"shadowedRange": {"start": start, "end": end}, "shadowedSeqs": seqs, "shadowedTokenCount": 1}
        block = {"type": "text", "text": summary}
        self.event(
            "compaction/summary",
            {"compactionId": "c", "summary": [block], **span, "provider": "p", "model": "m"},
        )
        self.event(
            "user/message",
            {
                "content": [block],
                "source": {"kind": "plugin", "plugin": "compact", "compactionId": "c"},
                "role": "user",
                "id": f"m{self.next_seq}",
            },
            sourceEventSeqs=[opened, opened + 1, *seqs],
            surfaceOp={"op": "replace", "start": start, "end": end},
        )
        return self.event("compaction/end", {"compactionId": "c", "turn": turn})

    def prune(self, seq: int, text: str = "short") -> LogBuilder:
        """Shorten the tool result with a seq."""
        old = next(record_of(event) for event in self._events if event.seq == seq)
        span = {"shadowedRange": {"start": seq, "end": seq}, "shadowedSeqs": [seq], "shadowedTokenCount": 1}
        self.event("compaction/prune", span)
        message = old["data"]["message"]
        block = {**message["content"][0], "content": [{"type": "text", "text": text}]}
        data = {**old["data"], "message": {**message, "content": [block]}}
        marks = {"sourceEventSeqs": [seq], "surfaceOp": {"op": "replace", "start": seq, "end": seq}}
        return self.event("tool/result", data, **marks)

    # -- anything, and the end --------------------------------------------------------------------------------

    def event(self, kind: str, data: object, **marks: object) -> LogBuilder:
        """Append an event of any type, now, odd ones included."""
        self._flush()
        return self._append(kind, data, marks)

    @property
    def last_seq(self) -> int:
        """Seq of the newest entry."""
        self._flush()
        return self.next_seq - 1

    def events(self) -> tuple[Event, ...]:
        """Return the events so far; whatever is open stays open."""
        self._flush()
        return tuple(self._events)

    def records(self) -> list[dict[str, Any]]:
        """Return the JSON objects of the log's lines."""
        return [record_of(event) for event in self.events()]

    def build(self, **fields: Any) -> Session:
        """Return the Session, with other fields of it as given."""
        events = self.events()
        header = SessionHeader(id=self.session_id, created_at_ms=events[0].time_ms if events else self.now_ms)
        whole: dict[str, Any] = {"header": header, "events": events} | fields
        return Session(**whole)

    def _place(self) -> dict[str, int]:
        return {"turn": self._turn, "step": self._step}

    def _flush(self) -> None:
        if self._step_due:
            self._step_due = False
            self._append("step/start", self._place(), {})

    def _append(self, kind: str, data: object, marks: Mapping[str, object]) -> LogBuilder:
        record = {"type": kind, "seq": self.next_seq, "time": self.now_ms, "data": data, **marks}
        self._events.append(event_from_record(record))
        self.next_seq += 1
        self.now_ms += self.tick_ms
        return self

"""Run a recorded scenario with compaction of the original against this package, action by action."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from tests.conformance.recorded_runs import Json, Log, RecordedRun
from timectx.errors import TimectxError
from timectx.reading import Edition
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.open_log import LogView
from timectx.replay.compaction.pairing import balanced_cuts
from timectx.replay.compaction.policy import Capacity, CompactionSettings, Target
from timectx.replay.compaction.pruning import prune_settings
from timectx.replay.compaction.refusals import CompactionError
from timectx.replay.compaction.regions import plan_compaction
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import SummaryReply, SummaryRequest
from timectx.replay.compaction.transaction import Compacted
from timectx.session import Event, event_from_record, record_of
from timectx.session.closers import closing_events
from timectx.session.data import EXTRA
from timectx.session.events import Usage, UserMessage
from timectx.session.records import parse_usage
from timectx.session.surface import fold_surface

GENERATED = re.compile(r"reading-\d+|[ac]0000000-0000-4000-8000-[0-9a-f]{12}")
PREAMBLE = re.compile(r"[\s\S]*(?=\n\n<compacted-summary>$)")
DEFAULT_INTERVAL_MS = 600_000
NODE_TYPES = ("system/message", "developer/message")


class AdapterError(Exception):
    """Stand for what the recorded model adapter threw; its kind is its text's first words."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.kind, self.code = slug(message), "UNKNOWN"


def slug(text: str) -> str:
    """Return an error's text as the recorder turned it into a kind: its first six words, letters alone."""
    return "-".join(re.findall("[a-z]+", text.lower())[:6])


def in_format_0(record: Json) -> Json:
    """
    Return a record of format 4 as what stands for it here.

    System and developer messages become messages in the role of the user's that keep their own role, and a
    replacement's edges get the names of format 0.
    """
    if record["type"] in NODE_TYPES:
        record = {**record, "type": "user/message", "data": record["data"]["message"]}
    op = record.get("surfaceOp")
    if isinstance(op, dict) and "startSeq" in op:
        record = {**record, "surfaceOp": {"op": "replace", "start": op["startSeq"], "end": op["endSeq"]}}
    return record


class CompactedLog(Log):
    """Keep one session of the run, with what compaction reads from it; the compactor writes to it."""

    def __init__(self, edition: Edition, clock: Callable[[], int], ids: Iterator[str]) -> None:
        super().__init__(edition)
        self.view = LogView(edition)
        self._clock, self._ids = clock, ids

    def append(self, record: Json, time_ms: int) -> None:
        """Append a record at the present clock."""
        record = in_format_0(record)
        self.add(event_from_record({**record, "seq": len(self.events), "time": time_ms}))

    def add(self, event: Event) -> None:
        """Append an event as it stands."""
        self.events.append(event)
        self.view.apply(event)
        role = event.data.role if isinstance(event, UserMessage) else ""
        if role in ("system", "developer"):
            return  # in `current` these never count as messages of the conversation
        if isinstance(event, UserMessage) and event.data.source.get("kind") == "time-context":
            self.context.add_reading(event.time_ms)
        else:
            self.context.apply(event)

    @property
    def desk(self) -> Desk:
        """Return the log as the compactor writes to it."""
        return Desk(self, self._clock, self._ids)


class Desk:
    """Let the compactor write to a log of the run."""

    def __init__(self, log: CompactedLog, clock: Callable[[], int], ids: Iterator[str]) -> None:
        self._log, self._clock, self._ids = log, clock, ids

    @property
    def now_ms(self) -> int:
        """The run's clock."""
        return self._clock()

    def append(self, event: Event) -> None:
        """Append an event."""
        self._log.add(event)

    def new_id(self) -> str:
        """Return an id that looks like the recorded ones."""
        return next(self._ids)


class CompactionRun(RecordedRun):
    """Carry out the actions of one row and collect what the original recorded for them."""

    logs: dict[str, CompactedLog]

    def __init__(self, row: Json, edition: Edition) -> None:
        super().__init__(row, edition)
        self.settings: CompactionSettings = compaction_settings(row["config"].get("compaction"), edition=edition)
        self.adapter: Json = row["config"].get("adapter") or {}
        self.pruning = prune_settings(row["config"].get("pruner")) if "pruner" in row["mounts"] else None
        if edition == "current" and (row["config"].get("timeContext") or {}).get("refreshIntervalMs") is None:
            self.interval_ms = DEFAULT_INTERVAL_MS
        self.ids = (f"c0000000-0000-4000-8000-{number:012x}" for number in range(1 << 20))
        self.logs = {session["id"]: self._log() for session in row["sessions"]}
        self.on_summary: list[Json] = []
        self.summary_log = self.logs[self.first]
        self.summary_requests: list[Json] = []

    def __getattr__(self, name: str) -> Any:
        """Find the method for an action whose recorded name has capitals."""
        plain = re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)
        if plain == name:
            raise AttributeError(name)
        return getattr(self, plain)

    def final(self) -> Json:
        """Return the event count, the surface and the last measurement of the run's session."""
        log = self.logs[self.first]
        surface = fold_surface(log.events)
        whole: Json = {
            "eventCount": len(log.events),
            "surface": list(surface.nodes),
            "replaceGeneration": surface.replace_generation,
        }
        assert log.view.pressure.surface.replace_generation == surface.replace_generation
        try:
            return {**whole, "measure": self._measured(log)}
        except TimectxError as error:
            return {**whole, "measureError": error.kind}

    def do_append(self, action: Json, log: Log) -> None:
        """Append an event at the present clock."""
        kept = ("type", "data", "surfaceOp", "sourceEventSeqs")
        log.append({key: action[key] for key in kept if key in action}, self.now_ms)

    def do_resume(self, action: Json, log: Log) -> Json:
        """Rebuild a session from its own log, closing an open turn where asked."""
        assert isinstance(log, CompactedLog)
        for event in closing_events(log.events) if action.get("closers") else ():
            log.add(event)
        return self._seeded(log)

    def do_measure(self, action: Json, log: CompactedLog) -> Json:
        """Measure the pressure."""
        try:
            return {"measure": self._measured(log, action.get("header"))}
        except TimectxError as error:
            return {"error": error.kind}

    def do_select(self, action: Json, log: CompactedLog) -> Json:
        """Choose what a compaction would take."""
        region = plan_compaction(log.view.nodes(), action["retainTokens"])
        return {"range": None if region is None else {"start": region.seqs[0], "end": region.seqs[-1]}}

    def do_balance(self, action: Json, log: CompactedLog) -> Json:
        """Tell where the surface can be cut."""
        nodes = log.view.nodes()
        cuts = balanced_cuts(nodes)
        return {"balance": [[node.seq, *cuts[at : at + 2]] for at, node in enumerate(nodes)]}

    def do_messages(self, action: Json, log: CompactedLog) -> Json:
        """Return what the model would see."""
        messages = log.view.messages(log.view.nodes())
        events = (UserMessage(seq=0, time_ms=0, data=message) for message in messages)
        return {"messages": [record_of(event)["data"] for event in events]}

    def do_prune(self, action: Json, log: CompactedLog) -> Json:
        """Shorten long tool results."""
        first = len(log.events)
        done = self._compactor(log).prune()
        pruned = [
            {
                "originalSeq": item.prune.event.seq,
                "replacementSeq": item.replacement_seq,
                "callId": item.prune.call_id,
                "charsBefore": item.prune.chars_before,
                "charsAfter": item.prune.chars_after,
            }
            for item in done
        ]
        removed = sum(item["charsBefore"] - item["charsAfter"] for item in pruned)
        return {"prune": {"pruned": pruned, "charsRemoved": removed}, **self._since(log, first)}

    def do_compact(self, action: Json, log: CompactedLog) -> Json:
        """Compact under pressure, or after a request that did not fit."""
        overflow = action.get("trigger") == "context-overflow"

        def compact(compactor: Compactor) -> Compacted | None:
            if action.get("aborted"):
                return None
            return compactor.make_room() if overflow else compactor.relieve_pressure()

        return self._compacting(action, log, compact)

    def do_compact_now(self, action: Json, log: CompactedLog) -> Json:
        """Compact by hand."""
        return self._compacting(action, log, lambda compactor: compactor.compact_now(action.get("sourceCommandId")))

    def do_compact_region(self, action: Json, log: CompactedLog) -> Json:
        """Compact a given range."""
        return self._compacting(action, log, lambda compactor: compactor.compact_region(action["start"], action["end"]))

    def do_prestep(self, action: Json, log: Log) -> Json:
        """Let automatic compaction run, then the rest of the pre-step."""
        assert isinstance(log, CompactedLog)
        first = len(log.events)
        if self.settings.auto and action.get("signal") != "aborted":
            with contextlib.suppress(TimectxError, AdapterError):  # the original only warns, and the turn goes on
                self._compactor(log).relieve_pressure()
        return {**super().do_prestep(action, log), **self._since(log, first)}

    def _log(self) -> CompactedLog:
        return CompactedLog(self.edition, lambda: self.now_ms, self.ids)

    def _commit(self, action: Json, log: Log, messages: list[Json], reading: Json | None, *, how: str) -> None:
        if how == "step" and "system" in action:
            log.append({"type": "step/start", "data": {"turn": action["turn"], "step": action["step"]}}, self.now_ms)
            log.append({"type": "system/message", "data": action["system"], "surfaceOp": "append"}, self.now_ms)
            how = "messages"
        super()._commit(action, log, messages, reading, how=how)

    def _compacting(self, action: Json, log: CompactedLog, compact: Callable[[Compactor], Compacted | None]) -> Json:
        first, self.on_summary = len(log.events), list(action.get("onSummary") or ())
        try:
            outcome = {"result": described(compact(self._compactor(log)))}
        except (TimectxError, AdapterError) as error:
            outcome = {"error": fault(error)}
        return {**outcome, **self._since(log, first)}

    def _compactor(self, log: CompactedLog) -> Compactor:
        self.summary_log = log
        return Compactor(
            log.desk,
            log.view,
            self.settings,
            summarize=self._summarize,
            capacity_of=self._capacity,
            pruning=self.pruning,
        )

    def _capacity(self, target: Target) -> Capacity | None:
        window = self.adapter.get("windows", {}).get(target.provider, self.adapter.get("contextWindow"))
        reply = self.adapter.get("defaultMaxTokensBy", {}).get(target.provider, self.adapter.get("defaultMaxTokens", 0))
        return None if window is None else Capacity(window, reply)

    def _summarize(self, request: SummaryRequest) -> SummaryReply:
        """Answer as the recorded adapter did, the summaries in call order and the last again and again."""
        answers = self.adapter.get("summaries") or [{"text": "small checkpoint"}]
        answer = answers[min(len(self.summary_requests), len(answers) - 1)]
        self.summary_requests.append(self._requested(request))
        for inner in self.on_summary:
            if inner["op"] == "append":
                self.do_append(inner, self.summary_log)
        self.now_ms += answer.get("advanceMs", 0)
        if "throw" in answer:
            raise AdapterError(answer["throw"])
        finish = answer.get("finish") or {"kind": "stop"}
        failure = finish.get("failure") or {}
        return SummaryReply(
            blocks=tuple(answered(answer)),
            usage=parse_usage(answer.get("usage")),
            finish=finish["kind"],
            failure=failure.get("message", ""),
            code=failure.get("code", ""),
        )

    def _requested(self, request: SummaryRequest) -> Json:
        """Return a request as the recorded adapter got it: its route never takes developer messages."""
        messages = [message for message in request.messages if message.role != "developer"]
        header = request.header or {}
        found: Json = {
            "purpose": "compaction",
            "provider": request.provider,
            "model": request.model,
            "maxTokens": request.max_tokens,
            "messageIds": [message.id for message in messages[:-1]],
        }
        if self.edition == "current":
            found["roles"] = [message.role for message in messages]
        elif "system" in header:
            found["system"] = header["system"]
        if "tools" in header:
            found["toolNames"] = [tool["name"] for tool in header["tools"]]
        return found

    def _measured(self, log: CompactedLog, header: Json | None = None) -> Json:
        measured = log.view.pressure.measure(header)
        baseline: Json = {"kind": measured.baseline.kind, "tokens": measured.baseline.tokens}
        if measured.baseline.usage is not None:
            baseline["usage"] = as_json(measured.baseline.usage)
        return {
            "logRevision": len(log.events),
            "baseline": baseline,
            "surfaceDeltaTokens": measured.surface_delta_tokens,
            "totalTokens": measured.total_tokens,
            "surfaceTokens": measured.surface_tokens,
            "nodes": [[node.seq, node.tokens] for node in log.view.pressure.surface],
        }

    def _since(self, log: Log, first: int) -> Json:
        return {"seqs": [first, len(log.events)], "appended": [record_of(event) for event in log.events[first:]]}


def answered(answer: Json) -> list[Json]:
    """Return the blocks of a recorded answer."""
    if "blocks" in answer:
        return list(answer["blocks"])
    texts = answer.get("texts", [answer.get("text", "x" * answer.get("length", 0))])
    return [{"type": "text", "text": text} for text in texts]


def described(done: Compacted | None) -> Json | None:
    """Return a compaction as the recorded results describe it."""
    if done is None:
        return None
    command = {} if done.life.command_id is None else {"sourceCommandId": done.life.command_id}
    return {
        "compactionId": done.life.compaction_id,
        **command,
        "startSeq": done.start_seq,
        "summarySeq": done.summary_seq,
        "summary": list(done.summary),
        "shadowedRange": {"start": done.region.seqs[0], "end": done.region.seqs[-1]},
        "shadowedSeqs": list(done.region.seqs),
        "shadowedTokenCount": done.region.tokens,
        "endSeq": done.end_seq,
    }


def fault(error: TimectxError | AdapterError) -> Json:
    """Return an error's kind and code; that of a failed model is what the model said."""
    code = error.code if isinstance(error, CompactionError | AdapterError) else ""
    kind = slug(str(error)) if error.kind == "summary-failed" else error.kind
    return {"kind": kind, "code": code}


def as_json(usage: Usage) -> Json:
    """Return a usage without the counts that are 0, which the original writes or leaves out."""
    whole: Json = msgspec.to_builtins(usage)
    return {key: count for key, count in whole.items() if count and key != EXTRA}


def comparable(found: Any) -> Any:
    """
    Return results without what may differ.

    Generated ids become numbers in the order of their first place, so that they must still agree with each
    other; errors keep their kind and code; the preamble of a checkpoint keeps its length.
    """
    names: dict[str, str] = {}
    return _comparable(found, names)


def _comparable(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_comparable(item, names) for item in value]
    if isinstance(value, dict):
        if "type" in value and "seq" in value:
            value = _event(value)
        return {key: _entry(key, item, names) for key, item in value.items()}
    if isinstance(value, str):
        value = PREAMBLE.sub(lambda found: f"{len(found[0].encode('utf-16-le')) // 2} units", value)
        return GENERATED.sub(lambda found: names.setdefault(found[0], f"generated {len(names)}"), value)
    return value


def _entry(key: str, item: Any, names: dict[str, str]) -> Any:
    if key in ("error", "configError", "measureError"):
        faulty = item if isinstance(item, dict) else {"kind": item}
        return {"kind": faulty["kind"], "code": faulty.get("code") or ""}
    if key == "usage":
        usage = parse_usage(item)
        assert usage is not None
        return as_json(usage)
    return _comparable(item, names)


def _event(record: Json) -> Json:
    """Return a recorded event as this package writes it; of an error in it, only that there is one."""
    whole = record_of(event_from_record(in_format_0(record)))
    if whole["type"] == "compaction/end" and "error" in whole["data"]:
        whole["data"] = {**whole["data"], "error": {"kind": "any"}}
    return whole

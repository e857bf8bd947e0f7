"""Walk a timeline: decide at every attempt, count at every request, and sum up at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import assert_never

from msgspec.structs import replace

from timectx.errors import ReadingError, ZoneError
from timectx.reading import zone_database_release
from timectx.replay.account import ReadingAccount, Shown, reading_key
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.deciding import Decider
from timectx.replay.deliveries import DELIVERIES, clock_call, clock_tool_tokens, is_idle
from timectx.replay.due import DueRules
from timectx.replay.measures import measure_run
from timectx.replay.moments import Moment
from timectx.replay.run import Decision, RequestKind, Run, RunAttempt, RunCompaction, RunReading, RunStep
from timectx.replay.scenario import Scenario, ZoneSpans
from timectx.replay.schedule import TimeContext
from timectx.replay.seeing import seen_step
from timectx.replay.sender import Sender
from timectx.replay.taking import ReadingTaker
from timectx.replay.timeline import Act, Cue, Timeline
from timectx.session import Problem, Step, is_reading_source
from timectx.session.events import Event, SurfaceEvent, UserMessage

__all__ = ["Walk"]


class Walk(ABC):
    """
    Walk a timeline once; the surface, the schedule and the account move together.

    Parameters
    ----------
    timeline : Timeline
        What happens, in order.
    scenario : Scenario
        Every knob, resolved.
    conversation : ReadingAccount
        What the model sees; how it changes is up to the kind of walk.
    """

    def __init__(self, timeline: Timeline, scenario: Scenario, conversation: ReadingAccount) -> None:
        self.timeline, self.scenario = timeline, scenario
        self.prices = timeline.prices
        self.context = TimeContext(scenario.edition, is_reading_source)
        self.conversation = conversation
        spans = _spans(scenario)
        self.due = DueRules(scenario, self.context, spans)
        self.taker = ReadingTaker(scenario, self.context, spans, self.prices)
        self.decider = Decider(scenario, self.due, self.taker)
        schema_tokens = clock_tool_tokens(self.prices.memory) if scenario.delivery == "tool" else 0
        self.sender = Sender(scenario, conversation, schema_tokens)
        self.design = DELIVERIES[scenario.delivery]
        self.attempts: list[RunAttempt] = []
        self.pending: dict[int, RunReading] = {}
        self.readings: list[tuple[int, RunReading]] = []
        self.turn_zones: dict[int, str | None] = {}
        self.steps: list[RunStep] = []
        self.compactions: list[RunCompaction] = []
        self.problems: list[Problem] = []
        self.peak_pressure_tokens = 0
        self.first_compaction_step: int | None = None
        self.calls: dict[int, RunReading] = {}

    def follow(self, cue: Cue) -> None:
        """
        Let one thing happen.

        Parameters
        ----------
        cue : Cue
            The next of the timeline.
        """
        match cue.act:
            case "event" | "surface" | "context" | "own":
                if cue.event is not None:
                    self._tell(cue.act, cue.event)
            case "header":
                self.sender.set_header(cue)
            case "decide":
                self._weigh(cue)
                self._decide(cue.index)
            case "insert":
                self._insert(cue.index)
                self._weigh(cue)
            case "compact":
                self._compact(cue.index)
            case "request":
                self._request(self.timeline.session.steps[cue.index], cue)
            case _:
                assert_never(cue.act)

    def run(self) -> Run:
        """
        Close the account.

        Returns
        -------
        Run
            The result.
        """
        self.conversation.end()
        holds = self.conversation.holds
        readings = tuple(
            replace(reading, resent_requests=max(0, holds.get(key, 0) - 1)) for key, reading in self.readings
        )
        self.sender.book.settle()
        requests = tuple(self.sender.book.requests)
        return Run(
            session_id=self.timeline.session.header.id,
            scenario=self.scenario,
            attempts=tuple(self.attempts),
            readings=readings,
            steps=tuple(self.steps),
            compactions=tuple(self.compactions),
            measures=measure_run(
                self.attempts,
                readings,
                self.steps,
                self.compactions,
                requests,
                peak_pressure_tokens=self.peak_pressure_tokens,
                first_compaction_step=self.first_compaction_step,
                extra_tokens=self.sender.extra_tokens,
            ),
            requests=requests,
            problems=(*self.timeline.moments.problems, *self.problems, *self.sender.problems()),
            zone_database=zone_database_release(),
        )

    @abstractmethod
    def _tell(self, act: Act, event: Event) -> None:
        """Let an event of the log happen."""

    @abstractmethod
    def _show(self, shown: Shown, reading: RunReading) -> None:
        """Put a reading at the end of the surface."""

    @abstractmethod
    def _overwrite(self, key: int, shown: Shown, reading: RunReading) -> None:
        """Put a reading in the place of another that is still on the surface."""

    @abstractmethod
    def _compact(self, index: int) -> None:
        """Let a compaction happen before an attempt's step, where the replay compacts on its own."""

    def _learn(self, event: Event) -> None:
        """Let an event of the log enter what the schedule reads."""
        self.context.apply(event)
        if event.seq in self.timeline.moments.strays and isinstance(event, UserMessage):
            self.due.stray(event, self.timeline.moments.strays[event.seq])

    def _compacted(self, compaction: RunCompaction) -> None:
        """Note that a checkpoint took the place of messages."""
        self.compactions.append(compaction)
        self.due.compact()
        if self.first_compaction_step is None:
            self.first_compaction_step = len(self.steps) + 1

    def _weigh(self, cue: Cue) -> None:
        """Measure the pressure at a step: before its reading, in ``note`` with it."""
        is_late = self.scenario.edition == "note"
        if (cue.act == "insert") == is_late and self.timeline.moments.moments[cue.index].attempt.kind == "step":
            tokens = self.sender.plain_header_tokens + self.conversation.surface_tokens
            self.peak_pressure_tokens = max(self.peak_pressure_tokens, tokens)

    def _decide(self, index: int) -> None:
        moment = self.timeline.moments.moments[index]
        last_ms = self.context.last_reading_ms
        age_ms = None if last_ms is None else moment.now_ms - last_ms
        self.turn_zones[index] = self.taker.turn_zone(moment)
        if self.scenario.delivery == "request-line":
            self.conversation.release()
        try:
            taken = self.decider.readings(moment, self.turn_zones[index])
        except (ZoneError, ReadingError) as error:
            self._conclude(moment, age_ms, "failed", str(error))
            where = f"turn {moment.attempt.turn}, step {moment.attempt.step}"
            self.problems.append(Problem(0, error.kind, f"{where}: no reading, because {error}"))
            return
        if not taken:
            self._conclude(moment, age_ms, "suppressed" if moment.eligible else "ineligible")
            return
        self._conclude(moment, age_ms, "added")
        if self.scenario.delivery == "timer":
            self._add_ticks(index, taken)
        else:
            self.pending[index] = taken[0]

    def _add_ticks(self, index: int, ticks: list[RunReading]) -> None:
        attempts, silence = self.timeline.moments.moments, self.timeline.moments.moments[index].silence
        ended_ms, started_ms = silence.idle_from_ms, silence.idle_until_ms
        for tick in ticks:
            self._enter(reading_key(len(attempts) + len(self.readings)), index, tick)
            if is_idle(tick.now_ms, ended_ms is not None, ended_ms or 0, started_ms is not None, started_ms or 0):
                self.sender.send("timer", turn=tick.turn, step=tick.step, time_ms=tick.now_ms, output_tokens=0)

    def _conclude(self, moment: Moment, age_ms: int | None, decision: Decision, error: str | None = None) -> None:
        attempt = moment.attempt
        self.attempts.append(
            RunAttempt(
                turn=attempt.turn,
                step=attempt.step,
                kind=attempt.kind,
                now_ms=moment.now_ms,
                age_ms=age_ms,
                decision=decision,
                error=error,
            )
        )

    def _insert(self, index: int) -> None:
        reading = self.pending.pop(index, None)
        if reading is not None:
            self._enter(reading_key(index), index, reading)

    def _enter(self, key: int, index: int, reading: RunReading) -> None:
        """Let a reading become the newest, and reach the model the way its delivery goes."""
        self.context.add_reading(reading.time_ms, is_message=self.design.is_logged)
        self.decider.note(reading, self.turn_zones[index])
        last_key = self.readings[-1][0] if self.readings else 0
        self.readings.append((key, reading))
        shown = Shown(key, reading.now_ms, reading.zone, reading.price_tokens, self.conversation.requests)
        if self.scenario.delivery == "tool":
            self.calls[index] = reading
        elif not self.design.is_logged:
            self.sender.hold(shown)
        elif self.scenario.delivery == "replaced" and last_key and self.conversation.shows(last_key):
            self._overwrite(last_key, shown, reading)
        else:
            self._show(shown, reading)

    def _request(self, step: Step, cue: Cue) -> None:
        now_ms = self.attempts[cue.attempt].now_ms
        asked = self._call_clock(step, cue.attempt, now_ms)
        kind: RequestKind = "step" if cue.first else "retry"
        reported = step if cue.last else None
        sent = self.sender.send(kind, turn=step.turn, step=step.step, time_ms=now_ms, reported=reported)
        if cue.first:
            seen = self._seen(step, cue.attempt, sent)
            self.steps.append(seen if asked is None else _with_request(seen, asked))
        else:
            seen = self.steps[-1]
            self.steps[-1] = replace(seen, input_tokens=seen.input_tokens + sent)
        if cue.last and self.scenario.delivery == "request-line":
            self.conversation.release()

    def _call_clock(self, step: Step, index: int, now_ms: int) -> int | None:
        """Send the request whose answer calls the clock, and add call and result; None where it is not called."""
        reading = self.calls.pop(index, None)
        if reading is None:
            return None
        call_tokens = price_message(clock_call(), self.scenario.edition, self.prices.memory)
        asked = self.sender.send("tool", turn=step.turn, step=step.step, time_ms=now_ms, output_tokens=call_tokens)
        key, requests = reading_key(index), self.conversation.requests
        self._show(Shown(key, reading.now_ms, reading.zone, reading.price_tokens, requests), reading)
        return asked

    def _seen(self, step: Step, index: int, sent: int) -> RunStep:
        return seen_step(
            step,
            self.attempts[index],
            self.conversation,
            key=reading_key(index),
            turn_zone=self.turn_zones[index],
            before_first=self.context.last_reading_ms is None,
            header_tokens=self.sender.header_tokens,
            input_tokens=sent,
        )

    def _stray(self, event: SurfaceEvent) -> Shown | None:
        """Describe a recorded message that reads the time and is no attempt's; None for all else."""
        stray = self.timeline.moments.strays.get(event.seq)
        if stray is None:
            return None
        price = self.prices.node(event)
        return Shown(event.seq, stray.time_ms, stray.zone, price, self.conversation.requests)


def _with_request(step: RunStep, input_tokens: int) -> RunStep:
    return replace(step, requests=step.requests + 1, input_tokens=step.input_tokens + input_tokens)


def _spans(scenario: Scenario) -> ZoneSpans:
    zone = scenario.time_zone
    return zone if isinstance(zone, tuple) else ((0, "UTC" if zone is None else zone),)

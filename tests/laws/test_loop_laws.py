"""What holds for everything the loop writes, whatever happens to its agent."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from tests.loop.scenes import EDITIONS, is_reading
from tests.loop.strategies import SPANS, ZONES, described, replies, scripts
from timectx.errors import TimectxError
from timectx.formats import full_log, read_session, write_session
from timectx.loop import (
    Agent,
    CrashError,
    HandClock,
    LiveLog,
    Reply,
    Script,
    agent_of,
    header_of,
    parse_start,
    play_prompts,
    span_ms,
)
from timectx.reading import parse_reading
from timectx.replay import Scenario, as_recorded, replay_session
from timectx.replay.check import check_session
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.compaction.pairing import balanced_cuts
from timectx.replay.compaction.pressure import PressureFold
from timectx.replay.compaction.priced_surface import Node, node_of
from timectx.session import Event, Message, Session
from timectx.session.closers import closing_events
from timectx.session.data import Replace
from timectx.session.events import SURFACE_CLASSES, AssistantChunk, RequestHeader, UserMessage
from timectx.session.surface import fold_surface, message_of

many = settings(max_examples=200)

FORMAT_0 = {"kind": "plugin", "plugin": "time-context"}


class Watch:
    """Keep what an agent's requests carried: the place, the nodes and the messages, request by request."""

    def __init__(self, agent: Agent) -> None:
        self.requests: list[tuple[tuple[int, int], tuple[int, ...], tuple[Message, ...], int]] = []
        view, ask = agent.log.view, agent.requests.ask

        def watched(place: Any, *arguments: Any, reply_of: Any, **keywords: Any) -> Any:
            def seen() -> Reply:
                nodes = view.nodes()
                messages = view.messages(nodes)
                seqs = tuple(node.seq for node in nodes)
                self.requests.append(((place.turn, place.step), seqs, messages, view.next_seq))
                reply: Reply = reply_of()
                return reply

            return ask(place, *arguments, reply_of=seen, **keywords)

        agent.requests.ask = watched  # type: ignore[method-assign]


def played(script: Script) -> tuple[Session, Watch]:
    """Play a script and keep what its requests carried."""
    clock = HandClock(parse_start(script.start))
    agent = agent_of(script, LiveLog(header_of(script), clock, edition=script.edition), clock)
    watch = Watch(agent)
    play_prompts(agent, script.prompts)
    return agent.log.session(), watch


def in_format_0(session: Session) -> Session:
    """Return a session whose readings have the source that format 0 gives them; only `current` has another."""
    return Session(session.header, tuple(map(_in_format_0, session.events)), stream=session.stream, tail=session.tail)


def _in_format_0(event: Event) -> Event:
    if not isinstance(event, UserMessage) or event.data.source.get("kind") != "time-context":
        return event
    source = {name: value for name, value in event.data.source.items() if name != "kind"}
    return replace(event, data=replace(event.data, source={**FORMAT_0, **source}))


def own_readings(session: Session) -> list[tuple[int, str]]:
    """Return seq and text of every reading of a log."""
    events = (event for event in session.events if isinstance(event, UserMessage) and is_reading(event.data.source))
    return [(event.seq, str(event.data.content[0]["text"])) for event in events]


# Loop and replay


def assert_replays_as_recorded(session: Session) -> None:
    """Hold the replay of the scenario that explains a log against the log."""
    run = replay_session(in_format_0(session), as_recorded(in_format_0(session)))
    assert [(reading.recorded_seq, reading.text) for reading in run.readings] == own_readings(session)


@many
@given(scripts)
def test_replaying_what_the_loop_wrote_gives_exactly_its_readings(script: Script) -> None:
    """By the scenario that explains the log, and by the one the loop followed."""
    session, _ = played(script)
    assert_replays_as_recorded(session)
    edition = "readme" if script.edition == "current" else script.edition
    interval_ms = span_ms(script.interval or 0)
    followed = Scenario(edition=edition, interval_ms=interval_ms, time_zone=script.time_zone)
    run = replay_session(in_format_0(session), followed)
    assert [(reading.recorded_seq, reading.text) for reading in run.readings] == own_readings(session)


@many
@given(scripts)
def test_a_log_of_the_loop_breaks_no_rule(script: Script) -> None:
    """Neither of order nor of readings; three lines pass the original's own stricter checks too."""
    session, _ = played(script)
    assert check_session(in_format_0(session), companion=script.edition in ("readme", "current")) == ()


def assert_requests_are_told(session: Session, watch: Watch) -> None:
    """Hold what the log gives for each step against its last request; one that came to no output left no trace."""
    pieces = {event.seq for event in full_log(session) if isinstance(event, AssistantChunk)}
    sent: dict[tuple[int, int], tuple[Message, ...]] = {}
    for place, _, messages, seq in watch.requests:
        if seq in pieces or place not in sent:
            sent[place] = messages
    assert {place: session.request_at(*place) for place in sent} == sent


@many
@given(scripts)
def test_the_messages_of_a_request_are_those_the_log_gives_for_it(script: Script) -> None:
    """Derived afterwards from the log alone, they are what the loop sent."""
    assert_requests_are_told(*played(script))


# Surface and compaction


def assert_prices_add_up(session: Session, edition: Any) -> None:
    """Hold the price of the surface after every event against the prices of its nodes, told by another way."""
    pressure, prices = PressureFold(edition), dict[int, int]()
    for event in session.events:
        before = pressure.surface.tokens
        nodes = {node.seq for node in pressure.surface}
        pressure.apply(event)
        if not isinstance(event, SURFACE_CLASSES) or event.surface_op is None:
            assert pressure.surface.tokens == before
            continue
        message = message_of(event)
        prices[event.seq] = 0 if message is None else price_message(message, edition)
        gone = nodes - {node.seq for node in pressure.surface}
        assert pressure.surface.tokens == before + prices[event.seq] - sum(prices[seq] for seq in gone)
    assert pressure.surface.tokens == sum(prices[seq] for seq in fold_surface(session.events).nodes)


def assert_cuts_are_clean(session: Session, edition: Any) -> None:
    """Hold every replacement to taking whole calls with their results, and to being smaller than what it took."""
    nodes: list[Node] = []
    for event in session.events:
        if not isinstance(event, SURFACE_CLASSES) or event.surface_op is None:
            continue
        node = node_of(event, edition)
        if not isinstance(event.surface_op, Replace):
            nodes.append(node)
            continue
        seqs = [each.seq for each in nodes]
        first, last = seqs.index(event.surface_op.start), seqs.index(event.surface_op.end)
        taken = nodes[first : last + 1]
        if isinstance(event, UserMessage):
            assert sum(each.calls for each in taken) == 0
            assert min(balanced_sums(taken)) >= 0
        assert node.tokens < sum(each.tokens for each in taken)
        nodes[first : last + 1] = [node]
        balanced_cuts(nodes)


def balanced_sums(nodes: list[Node]) -> list[int]:
    """Return how many calls are open after each node."""
    return [sum(node.calls for node in nodes[: at + 1]) for at in range(len(nodes))]


@many
@given(scripts)
def test_the_surface_costs_what_its_nodes_cost_after_every_event(script: Script) -> None:
    """An append adds its price, a replacement takes those of what it shadows away."""
    session, _ = played(script)
    assert_prices_add_up(session, script.edition)


@many
@given(scripts)
def test_what_a_compaction_takes_is_whole_and_what_it_leaves_is_smaller(script: Script) -> None:
    """No call is parted from its result, and every replacement shrinks."""
    session, _ = played(script)
    assert_cuts_are_clean(session, script.edition)


# Write, then read


def assert_comes_back(session: Session) -> None:
    """Hold a log against what a strict reader makes of its file."""
    with TemporaryDirectory() as folder:
        path = write_session(session, Path(folder) / "session.jsonl.zstd")
        back = read_session(path, strict=True, check=True)
    assert (back.header, back.problems) == (session.header, ())
    assert list(full_log(back)) == list(map(partial(named, session.header.id), full_log(session)))


def named(session_id: str, event: Event) -> Event:
    """Return an event with the role and id that a reader gives to a message of the early layout."""
    if not isinstance(event, UserMessage) or event.data.id:
        return event
    return replace(event, data=replace(event.data, role="user", id=f"legacy-message:{session_id}:{event.seq}"))


@settings(max_examples=60)
@given(scripts)
def test_writing_then_reading_returns_what_the_loop_wrote(script: Script) -> None:
    """Every event, streamed pieces in their places, under dsh's own refusals."""
    session, _ = played(script)
    assert_comes_back(session)


# The reusable prefix


def assert_prefix_kept(session: Session, watch: Watch) -> None:
    """Hold every request against the one before it: what was sent is sent again, unless something was replaced."""
    replaced = [
        event.seq
        for event in session.events
        if isinstance(event, RequestHeader)
        or (isinstance(event, SURFACE_CLASSES) and isinstance(event.surface_op, Replace))
    ]
    for (_, nodes, _, seq), (_, later, _, later_seq) in pairwise(watch.requests):
        if not any(seq <= each < later_seq for each in replaced):
            assert later[: len(nodes)] == nodes


def assert_no_header_tells_the_time(session: Session) -> None:
    """Hold every header to being about the model alone."""
    headers = [json.dumps(event.data.header) for event in session.events if isinstance(event, RequestHeader)]
    lines = [line for _, text in own_readings(session) for line in text.split("\n")]
    assert [line for line in lines if any(line in header for header in headers)] == []


@many
@given(scripts)
def test_a_request_begins_with_all_of_the_one_before_it(script: Script) -> None:
    """Readings are appended, so only a replacement or a new header costs the provider's cache."""
    session, watch = played(script)
    assert_prefix_kept(session, watch)
    assert_no_header_tells_the_time(session)


# The schedule


@many
@given(scripts)
def test_two_readings_are_an_interval_apart_unless_the_clock_went_back(script: Script) -> None:
    """By the times of their events, shadowed or not."""
    session, _ = played(script)
    times = [session.find(seq).time_ms for seq, _ in own_readings(session)]  # type: ignore[union-attr]
    interval_ms = span_ms(script.interval or 0)
    assert [gap for gap in (later - one for one, later in pairwise(times)) if 0 <= gap < interval_ms] == []
    for seq, text in own_readings(session):
        event = session.find(seq)
        assert event is not None
        assert parse_reading(text, edition=script.edition).time_ms == event.time_ms // 1000 * 1000


# Anything, in any order


class LoopMachine(RuleBasedStateMachine):
    """Let an agent live through whatever comes, in processes that end and are taken up again."""

    def __init__(self) -> None:
        super().__init__()
        self.script: Script = Script(session="s", prompts=())
        self.watch: Watch | None = None

    @initialize(script=st.sampled_from(EDITIONS).flatmap(partial(described, asked=st.just(()))))
    def start(self, script: Script) -> None:
        """Begin a session."""
        self.script, self.clock = script, HandClock(parse_start(script.start))
        self.open(LiveLog(header_of(script), self.clock, edition=script.edition))

    def open(self, log: LiveLog) -> None:
        """Set an agent up on a log."""
        before = [] if self.watch is None else self.watch.requests
        self.agent = agent_of(self.script, log, self.clock)
        self.watch = Watch(self.agent)
        self.watch.requests.extend(before)

    def run(self, answers: list[Reply]) -> None:
        """Let the agent work, and take its session up again where its process ended."""
        try:
            self.agent.run(answers)
        except CrashError:
            self.resume()
        self.agent.replies.clear()

    @rule(text=st.sampled_from(["hi", "x" * 300]), zone=ZONES, answers=st.lists(replies(crashing=True), max_size=4))
    def ask(self, text: str, zone: str | None, answers: list[Reply]) -> None:
        """Send a prompt and let the agent answer."""
        self.agent.send(text, zone)
        self.run(answers)

    @rule(zone=ZONES)
    def queue(self, zone: str | None) -> None:
        """Send a prompt that waits."""
        self.agent.send("later", zone)

    @rule(zone=ZONES)
    def steer(self, zone: str | None) -> None:
        """Send a message for a step while none runs."""
        self.agent.steer("this way", zone)

    @rule(answers=st.lists(replies(crashing=True), max_size=3))
    def work(self, answers: list[Reply]) -> None:
        """Let the agent take up what waits."""
        self.run(answers)

    @precondition(lambda self: self.watch is not None and self.agent.inbox.waiting("next-turn"))
    @rule()
    def withdraw(self) -> None:
        """Take the oldest waiting prompt back."""
        self.agent.inbox.withdraw(self.agent.inbox.waiting("next-turn")[0].id)

    @rule()
    def cancel(self) -> None:
        """Cancel all that waits."""
        self.agent.cancel()

    @rule(span=SPANS)
    def wait(self, span: Any) -> None:
        """Let time pass, or step the clock back."""
        self.clock.advance(span_ms(span))

    @rule()
    def compact(self) -> None:
        """Compact by hand, where that is possible and gains anything."""
        with suppress(TimectxError):
            self.agent.compact_now()

    @rule(system=st.sampled_from(["", "be brief", "be long"]))
    def instruct(self, system: str) -> None:
        """Give the model other instructions."""
        self.agent.route = replace(self.agent.route, system=system)

    @rule()
    def resume(self) -> None:
        """End the process and take the session up again in another one."""
        events = [*self.agent.log.events, *closing_events(self.agent.log.events)]
        log = LiveLog(self.agent.log.header, self.clock, edition=self.script.edition, events=events)
        log.end_seed()
        self.open(log)

    @invariant()
    def keeps_every_rule(self) -> None:
        """Check the contract, the laws, and that replay and loop agree."""
        if self.watch is None:
            return
        session = self.agent.log.session()
        three_lines = self.script.edition in ("readme", "current")
        assert check_session(in_format_0(session), companion=three_lines) == ()
        assert_replays_as_recorded(session)
        assert_prices_add_up(session, self.script.edition)
        assert_cuts_are_clean(session, self.script.edition)
        assert_prefix_kept(session, self.watch)
        assert_no_header_tells_the_time(session)
        assert_requests_are_told(session, self.watch)

    def teardown(self) -> None:
        """Hold the whole log against its file."""
        if self.watch is not None:
            assert_comes_back(self.agent.log.session())


TestLoopMachine = LoopMachine.TestCase
TestLoopMachine.settings = settings(max_examples=120, stateful_step_count=16)

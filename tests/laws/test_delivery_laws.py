"""What holds for every policy and every delivery, whatever happened in a session."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, get_args

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import LogBuilder
from tests.replay.spying import Piece, shared_tokens, spied
from tests.session.strategies import logs
from tests.synthetic.strategies import sessions
from timectx.replay import Compaction, Run, Scenario, replay_session, resolve_scenario, timeline_for
from timectx.replay.deliveries import Delivery
from timectx.replay.policies import RULES
from timectx.session import Session

DELIVERIES = get_args(Delivery)
EDITIONS = ("readme", "note", "note-v2", "current")
INTERVALS_MS = (60_000, 600_000, 3_600_000, 7_777_777)
SMALL = Compaction(settings={"thresholdRatio": 0.5, "retainRatio": 0.1}, context_window=1500)


def policies() -> st.SearchStrategy[str]:
    """Draw an expression of rules, or the readings of the log."""
    terms = st.lists(st.sampled_from(RULES), min_size=1, max_size=3).map(" & ".join)
    return st.lists(terms, min_size=1, max_size=3).map(" | ".join) | st.just("recorded")


@st.composite
def scenarios(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """Draw a scenario of any policy and delivery."""
    knobs = {
        "edition": draw(st.sampled_from(EDITIONS)),
        "interval_ms": draw(st.sampled_from(INTERVALS_MS)),
        "policy": draw(policies()),
        "gap_ms": draw(st.sampled_from((0, 1000, 1_800_000))),
        "delivery": draw(st.sampled_from(DELIVERIES)),
        "tool_calls": draw(st.integers(0, 2)),
        "time_zone": draw(st.sampled_from(("UTC", "Asia/Tokyo", None))),
        "compaction": draw(st.sampled_from(("recorded", "off", SMALL))),
    }
    return Scenario(**knobs | fixed)


anything = sessions() | logs().map(LogBuilder.build)


# Law 1: past only


def cut(session: Session, index: int) -> Session:
    """Return what the log held once the first output of a step had been written."""
    seq = session.steps[index].request_seqs[0]
    return Session(session.header, session.events[: session.position(seq) + 1])


def comparable(run: Run) -> list[object]:
    """Return the requests of a run without what came of the last one, and its readings without what came later."""
    requests = [*run.requests[:-1], *(replace(each, reply_tokens=0, output_tokens=0) for each in run.requests[-1:])]
    return [*run.attempts, *(replace(reading, resent_requests=0) for reading in run.readings), *requests]


@given(anything, scenarios(), st.data())
def test_every_policy_and_delivery_depends_on_the_past_alone(
    session: Session, scenario: Scenario, data: st.DataObject
) -> None:
    """A log cut after a step's first output gives the run of the whole log up to there."""
    answered = [index for index, step in enumerate(session.steps) if step.has_output]
    answered = [index for index in answered if session.find(session.steps[index].request_seqs[0]) is not None]
    assume(answered)
    index = data.draw(st.sampled_from(answered))
    resolved = resolve_scenario(timeline_for(session, scenario), scenario)
    whole, part = replay_session(session, resolved), replay_session(cut(session, index), resolved)
    shortened = replace(
        whole,
        attempts=whole.attempts[: len(part.attempts)],
        readings=whole.readings[: len(part.readings)],
        requests=whole.requests[: len(part.requests)],
    )
    assert comparable(part) == comparable(shortened)
    assert part.steps[:index] == whole.steps[:index]
    assert part.compactions == whole.compactions[: len(part.compactions)]


# Law 3: what is due


@given(anything, scenarios(delivery="appended", interval_ms=0), st.sampled_from(RULES))
def test_a_policy_joined_with_another_gives_no_fewer_readings_before_they_part(
    session: Session, scenario: Scenario, rule: str
) -> None:
    """Where one more rule may make an attempt due, the first attempt decided otherwise is one that gained a reading."""
    assume(scenario.policy != "recorded")
    fewer, more = (
        replay_session(session, scenario.replace(policy=policy))
        for policy in (scenario.policy, f"{scenario.policy} | {rule}")
    )
    parted = [
        (one.decision, other.decision)
        for one, other in zip(fewer.attempts, more.attempts, strict=True)
        if one.decision != other.decision
    ]
    assert parted[:1] in ([], [("suppressed", "added")], [("suppressed", "failed")])


@given(anything, scenarios(policy="interval"))
def test_an_interval_of_0_leaves_no_attempt_suppressed(session: Session, scenario: Scenario) -> None:
    """Whatever the delivery that asks the policy, nothing is ever not due."""
    assume(scenario.delivery not in ("session-prefix", "tool", "timer"))
    run = replay_session(session, scenario.replace(interval_ms=0))
    assert {attempt.decision for attempt in run.attempts} <= {"added", "ineligible", "failed"}


ASKING = ("appended", "system-prompt", "replaced", "request-line")


@given(anything, scenarios())
def test_where_a_reading_goes_does_not_change_when_it_is_due(session: Session, scenario: Scenario) -> None:
    """Under the log's own compactions all deliveries that ask the policy decide alike."""
    assume(not isinstance(scenario.compaction, Compaction))
    knobs = scenario.replace(interval_ms=scenario.interval)
    runs = [replay_session(session, knobs.replace(delivery=delivery)) for delivery in ASKING]
    assert [run.attempts for run in runs] == [runs[0].attempts] * len(ASKING)


@given(anything, scenarios(delivery="timer"))
def test_a_timer_never_skips_a_tick(session: Session, scenario: Scenario) -> None:
    """From one reading to the next it is the interval, unless the clock went back."""
    run = replay_session(session, scenario)
    steps_ms = [after.now_ms - before.now_ms for before, after in pairwise(run.readings)]
    assert [ms for ms in steps_ms if ms >= 0 and ms != scenario.interval] == []
    assert [reading.elapsed_ms for reading, ms in zip(run.readings[1:], steps_ms, strict=True) if ms > 0] == [
        ms for ms in steps_ms if ms > 0
    ]


@given(anything, scenarios(delivery="tool"))
def test_a_clock_is_called_so_often_a_turn_and_no_more(session: Session, scenario: Scenario) -> None:
    """Each call is one reading, one node, and one request more; the others are suppressed."""
    run = replay_session(session, scenario)
    turns = Counter(reading.turn for reading in run.readings)
    assert max(turns.values(), default=0) <= scenario.tool_calls
    calls = [request for request in run.requests if request.kind == "tool"]
    assert [(call.turn, call.step) for call in calls] == [(each.turn, each.step) for each in run.readings]
    assert run.measures.requests == len(calls) + sum(step.requests for step in session.steps)


# Law 5: what requests hold


@given(anything, scenarios())
def test_each_request_is_its_prompt_and_stays_as_far_as_the_prompt_does(session: Session, scenario: Scenario) -> None:
    """Sizes and unchanged beginnings are those of the prompts, written out piece by piece."""
    run, prompts = spied(session, scenario)
    assert [request.input_tokens for request in run.requests] == [
        sum(price for _, price in prompt) for prompt in prompts
    ]
    shared = [0, *(shared_tokens(one, other) for one, other in pairwise(prompts))]
    assert [request.stable_tokens for request in run.requests] == shared[: len(prompts)]


@given(anything, scenarios())
def test_requests_are_those_of_the_steps_and_a_timers_own(session: Session, scenario: Scenario) -> None:
    """The sums of a run count each request once."""
    run = replay_session(session, scenario)
    idle = [request.input_tokens for request in run.requests if request.kind == "timer"]
    assert run.measures.input_tokens == sum(request.input_tokens for request in run.requests)
    assert run.measures.input_tokens == sum(step.input_tokens for step in run.steps) + sum(idle)
    assert run.measures.requests == len(run.requests) == sum(step.requests for step in run.steps) + len(idle)


@given(anything, scenarios())
def test_resent_tokens_are_what_requests_hold_of_readings_they_held_before(
    session: Session, scenario: Scenario
) -> None:
    """Each reading is resent with every request that holds it but its first."""
    assume(not isinstance(scenario.compaction, Compaction))
    run, prompts = spied(session, scenario)
    held = Counter(piece for prompt in prompts for piece in prompt if is_reading(piece))
    assert run.measures.resent_tokens == sum(price * (count - 1) for (_, price), count in held.items())


def is_reading(piece: Piece) -> bool:
    """Tell whether a piece of a prompt is a reading of the scenario."""
    name = piece[0]
    return name < 0 if isinstance(name, int) else isinstance(name, tuple) and name[0] != "header"


# Law 12: the reusable prefix


@given(anything, scenarios(delivery="appended", compaction="off"))
def test_appended_readings_never_shorten_the_prefix(session: Session, scenario: Scenario) -> None:
    """Each request begins with all of the one before, unless the header changed."""
    run, prompts = spied(session, scenario)
    broken = [
        (before.input_tokens, request.stable_tokens)
        for (before, request), (one, other) in zip(pairwise(run.requests), pairwise(prompts), strict=True)
        if one[0] == other[0] and request.stable_tokens != before.input_tokens
    ]
    assert broken == []


@given(anything, scenarios())
def test_one_place_holds_one_reading(session: Session, scenario: Scenario) -> None:
    """Replaced and in a place of its own, the model never sees two readings of the scenario."""
    assume(scenario.delivery in ("system-prompt", "replaced", "session-prefix", "request-line"))
    run = replay_session(session, scenario)
    strays = sum(problem.kind in ("stray-reading", "old-edition") for problem in run.problems)
    assert [step for step in run.steps if step.visible_readings > 1 + strays] == []

"""What holds for the replay of every session, whatever happened in it."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import LogBuilder, log
from tests.laws.telling import told
from tests.session.strategies import logs
from tests.synthetic.strategies import EDITIONS, INTERVALS_MS, KINDS, happenings, plans, sessions
from timectx.formats import read_session, write_session
from timectx.reading import Reading, derive_browser_zone, format_reading, parse_reading
from timectx.replay import Run, Scenario, as_recorded, replay_session, resolve_scenario, timeline_of
from timectx.replay.moments import reading_text
from timectx.session import Event, Session, fold_surface, is_reading_event
from timectx.session.events import SURFACE_CLASSES, Replace, RequestHeader, UserMessage
from timectx.synthetic import Happening, synthetic_session

intervals = st.sampled_from(INTERVALS_MS)
editions = st.sampled_from(EDITIONS)


def recorded_texts(session: Session) -> list[tuple[int, str | None]]:
    """Return seq and text of every reading a log holds."""
    found = (event for event in session.events if isinstance(event, UserMessage) and is_reading_event(event))
    return [(event.seq, reading_text(event.data)) for event in found]


def replayed_texts(run: Run) -> list[tuple[int | None, str]]:
    """Return the seq of its recorded twin and the text of every reading a run gives."""
    return [(reading.recorded_seq, reading.text) for reading in run.readings]


# Law 1: past only


def cut(session: Session, index: int) -> Session:
    """Return what the log held once the first output of a step had been written."""
    seq = session.steps[index].request_seqs[0]
    return Session(session.header, session.events[: session.position(seq) + 1])


def assert_prefix(session: Session, scenario: Scenario, index: int) -> None:
    """Hold the run of a log up to a step against that part of the run of all of it."""
    resolved = resolve_scenario(timeline_of(session, scenario.edition), scenario)
    whole, part = replay_session(session, resolved), replay_session(cut(session, index), resolved)
    readings = [replace(reading, resent_requests=0) for reading in part.readings]
    assert part.attempts == whole.attempts[: len(part.attempts)]
    assert readings == [replace(reading, resent_requests=0) for reading in whole.readings[: len(readings)]]
    assert part.steps[:index] == whole.steps[:index]
    seen, now = part.steps[index], whole.steps[index]
    assert seen == replace(now, requests=seen.requests, input_tokens=seen.input_tokens)
    assert part.compactions == whole.compactions[: len(part.compactions)]


@given(sessions(), intervals, editions, st.data())
def test_a_replay_depends_on_the_past_alone(
    session: Session, interval_ms: int, edition: Any, data: st.DataObject
) -> None:
    """A log cut after a step's first output gives the run of the whole log up to there."""
    answered = [index for index, step in enumerate(session.steps) if step.has_output]
    assume(answered)
    scenario = Scenario(edition=edition, interval_ms=interval_ms)
    assert_prefix(session, scenario, data.draw(st.sampled_from(answered)))


@given(logs(), intervals, editions, st.data())
def test_a_replay_of_an_odd_log_depends_on_the_past_alone(
    built: LogBuilder, interval_ms: int, edition: Any, data: st.DataObject
) -> None:
    """The same holds where steps stay open, output is missing and readings say nothing."""
    session = built.build()
    answered = [index for index, step in enumerate(session.steps) if step.has_output]
    answered = [index for index in answered if session.find(session.steps[index].request_seqs[0]) is not None]
    assume(answered)
    scenario = Scenario(edition=edition, interval_ms=interval_ms)
    assert_prefix(session, scenario, data.draw(st.sampled_from(answered)))


# Law 2: as recorded


@given(sessions())
def test_as_recorded_gives_the_readings_of_the_log_byte_for_byte(session: Session) -> None:
    """Replaying the scenario that explains a log yields each of its readings again, and no other."""
    assert replayed_texts(replay_session(session, as_recorded(session))) == recorded_texts(session)


@given(sessions(lag_ms=0, backwards=False), st.sampled_from(("recorded", "off")))
def test_the_explaining_interval_explains_every_attempt(session: Session, compaction: Any) -> None:
    """Where readings were written down at once and the clock never went back, some interval explains the log."""
    scenario = as_recorded(session)
    assert (scenario.policy == "interval") == bool(recorded_texts(session))
    again = replay_session(session, scenario.replace(compaction=compaction))
    assert [reading.recorded_seq for reading in again.readings] == [seq for seq, _ in recorded_texts(session)]


@given(logs(), intervals, editions)
def test_what_a_replay_adds_is_as_recorded_once_it_is_in_the_log(
    built: LogBuilder, interval_ms: int, edition: Any
) -> None:
    """An odd log with the readings of a run written into it gives these readings back."""
    session = built.build()
    scenario = Scenario(edition=edition, interval_ms=interval_ms, time_zone="Asia/Shanghai")
    run = replay_session(session, scenario)
    written = told(session, run)
    again = replay_session(written, scenario.replace(policy="recorded"))
    assert [reading.text for reading in again.readings] == [reading.text for reading in run.readings]
    explained = replay_session(written, as_recorded(written))
    assert [reading.text for reading in explained.readings] == [reading.text for reading in run.readings]


steady = st.lists(
    happenings(*(kind for kind in KINDS if kind not in ("compaction", "abort", "error", "steer"))), max_size=6
)
"""What can happen without changing what the next draw is for, or leaving open whether there was an attempt."""


@given(plans(lag_ms=0, browser_zones=("Asia/Tokyo", None, "UTC")), steady, intervals)
def test_replaying_one_recording_gives_the_readings_of_the_other(
    plan: dict[str, Any], events: list[Happening], interval_ms: int
) -> None:
    """A session recorded under one interval, replayed under another, has what was recorded under the other."""
    seed, plan = plan["seed"], {key: value for key, value in plan.items() if key != "seed"} | {"happenings": events}
    one, other = synthetic_session(seed, **plan), synthetic_session(seed, **plan | {"interval_ms": interval_ms})
    scenario = Scenario(edition=plan["edition"], interval_ms=interval_ms, time_zone=plan["time_zone"])
    run = replay_session(one, scenario)
    assert [reading.text for reading in run.readings] == [text for _, text in recorded_texts(other)]


def test_messages_an_edition_moves_forward_leave_the_ranges_of_the_log_alone() -> None:
    """In the early order a prompt overtakes a stray reading; a checkpoint of both, in the log's order, hides both."""
    built = log().turn().reading("no time at all").prompt("hi").step().reply("ok", calls=["c"]).tool("c").end_step()
    built = built.compaction(2, 3).step().reply("done").end_turn()
    run = replay_session(built.build(), Scenario(edition="note", interval_ms=0))
    [compaction] = run.compactions
    assert (compaction.shadowed_nodes, compaction.shadowed_readings) == (2, 1)
    assert [step.visible_readings for step in run.steps] == [1, 1]


# Law 3: longer intervals


@given(sessions(), editions)
def test_interval_0_puts_a_reading_at_every_eligible_attempt(session: Session, edition: Any) -> None:
    """Nothing is ever not due, so an attempt has a reading unless it could carry none."""
    run = replay_session(session, Scenario(edition=edition, interval_ms=0))
    assert {attempt.decision for attempt in run.attempts} <= {"added", "ineligible", "failed"}
    added = [(attempt.turn, attempt.step) for attempt in run.attempts if attempt.decision == "added"]
    assert [(reading.turn, reading.step) for reading in run.readings] == added


@given(sessions(backwards=False), editions, intervals, intervals)
def test_a_longer_interval_never_gives_more_readings(
    session: Session, edition: Any, one_ms: int, other_ms: int
) -> None:
    """While the clock never goes back, fewer readings come of a longer interval, or as many."""
    counts = [
        replay_session(session, Scenario(edition=edition, interval_ms=interval_ms)).measures.readings
        for interval_ms in sorted((one_ms, other_ms))
    ]
    assert counts == sorted(counts, reverse=True)


def test_a_longer_interval_can_give_more_readings_when_the_clock_goes_back() -> None:
    """At 11 s only the longer interval takes a reading; back at 10.5 s that one lies ahead, so another is due."""
    built = log().turn().prompt("hi")
    for now_ms in (0, 10_000, 11_000, 10_500):
        built = built.at(now_ms).step().reply("ok", calls=[f"c{now_ms}"]).tool(f"c{now_ms}")
    session = built.end_turn().build()
    runs = {ms: replay_session(session, Scenario(interval_ms=ms)) for ms in (10_000, 11_000)}
    assert {ms: [reading.now_ms for reading in run.readings] for ms, run in runs.items()} == {
        10_000: [0, 10_000],
        11_000: [0, 11_000, 10_500],
    }


# Law 7: elapsed and instants


@given(sessions(), intervals, editions)
def test_elapsed_is_never_below_0(session: Session, interval_ms: int, edition: Any) -> None:
    """Whatever the clock does, no reading says that less than nothing has passed."""
    run = replay_session(session, Scenario(edition=edition, interval_ms=interval_ms))
    assert [reading for reading in run.readings if reading.elapsed_ms is not None and reading.elapsed_ms < 0] == []


YEAR_1_MS, YEAR_9999_MS = -62_135_510_400_000, 253_402_214_400_000  # a day inside, whatever the zone
zone_names = st.sampled_from(
    ("UTC", "Asia/Calcutta", "America/St_Johns", "Pacific/Apia", "Africa/Monrovia", "Asia/Shanghai")
)


@given(st.integers(YEAR_1_MS, YEAR_9999_MS), zone_names, st.none() | st.integers(0, 10**13), editions)
def test_a_reading_says_its_instant_to_the_second(
    time_ms: int, zone: str, elapsed_ms: int | None, edition: Any
) -> None:
    """Written and read back, instant and elapsed time are the same but for parts of a second."""
    browser = derive_browser_zone([]) if edition == "readme" else None
    text = format_reading(Reading(3, 2, time_ms, zone, elapsed_ms, browser, edition))
    back = parse_reading(text, edition=edition)
    whole_s = None if elapsed_ms is None else elapsed_ms // 1000 * 1000
    assert (back.time_ms, back.elapsed_ms) == (time_ms // 1000 * 1000, whole_s)
    assert format_reading(back) == text


# Law 8: the schedule reads the log, staleness the surface


@given(sessions(), intervals, editions)
def test_shadowing_a_reading_never_changes_an_age(session: Session, interval_ms: int, edition: Any) -> None:
    """With the log's compactions or without them, the same attempts are due at the same age."""
    scenario = Scenario(edition=edition, interval_ms=interval_ms)
    shadowed, kept = (replay_session(session, scenario.replace(compaction=mode)) for mode in ("recorded", "off"))
    assert shadowed.attempts == kept.attempts


@given(sessions(backwards=False, lag_ms=0), intervals, editions)
def test_shadowing_a_reading_only_ever_makes_the_model_wait_longer(
    session: Session, interval_ms: int, edition: Any
) -> None:
    """A step sees no newer reading for having lost some; without compaction no step is blind after the first one."""
    scenario = Scenario(edition=edition, interval_ms=interval_ms)
    shadowed, kept = (replay_session(session, scenario.replace(compaction=mode)) for mode in ("recorded", "off"))
    fresher = [
        (less.turn, less.step)
        for less, more in zip(shadowed.steps, kept.steps, strict=True)
        if less.staleness_ms is not None and (more.staleness_ms is None or less.staleness_ms < more.staleness_ms)
    ]
    assert fresher == []
    assert [step for step in kept.steps if step.staleness_ms is None and not step.before_first] == []


def test_a_shadowed_reading_still_counts_for_the_schedule_and_no_longer_for_staleness() -> None:
    """After a compaction the next step is blind, and as old as before."""
    built = log().turn().prompt("hi").step().reply("ok", calls=["c"]).tool("c").end_step().wait(30_000)
    built = built.compaction(2, 5, shadowed=[2, 3, 5]).step().reply("done").end_turn()
    shadowed, kept = (
        replay_session(built.build(), Scenario(interval_ms=60_000, compaction=mode)) for mode in ("recorded", "off")
    )
    assert [(step.age_ms, step.staleness_ms) for step in shadowed.steps] == [(None, 0), (30_000, None)]
    assert [(step.age_ms, step.staleness_ms) for step in kept.steps] == [(None, 0), (30_000, 30_000)]


# Law 11: write, then read


@given(sessions(), st.sampled_from((".jsonl", ".jsonl.zstd")), st.booleans())
def test_writing_then_reading_returns_the_same_session(session: Session, ending: str, strict: bool) -> None:
    """Events, header and streamed output come back, tolerantly or strictly read; reading leaves the file as it is."""
    with TemporaryDirectory() as folder:
        path = write_session(session, Path(folder) / f"session{ending}")
        content = path.read_bytes()
        back = read_session(path, strict=strict, check=True)
        assert path.read_bytes() == content
    named = name_early_messages(session)
    assert (back.header, back.events, back.stream) == (session.header, named.events, session.stream)
    assert (back.problems, dict(back.skipped)) == ((), dict(session.skipped))


def name_early_messages(session: Session) -> Session:
    """Return a session whose messages have the role and id that readers give to those without."""
    return Session(session.header, tuple(map(partial(named_event, session.header.id), session.events)))


def named_event(session_id: str, event: Event) -> Event:
    """Return an event with a role and an id where it is a message that lacks them."""
    if not isinstance(event, UserMessage) or event.data.id:
        return event
    message = replace(event.data, role="user", id=f"legacy-message:{session_id}:{event.seq}")
    return replace(event, data=message)


# Law 12: the reusable prefix


def requests(session: Session) -> list[tuple[tuple[int, ...], int]]:
    """Return for each step the nodes its last request sent, and how many replacements and headers came before."""
    found = []
    for step in session.steps:
        before = session.events[: session.position(step.request_seq)]
        changes = sum(
            isinstance(event, RequestHeader)
            or (isinstance(event, SURFACE_CLASSES) and isinstance(event.surface_op, Replace))
            for event in before
        )
        found.append((fold_surface(before).nodes, changes))
    return found


def assert_prefix_kept(session: Session) -> None:
    """Hold every request against the one before it."""
    sent = requests(session)
    broken = [
        later for (nodes, changes), (later, now) in pairwise(sent) if changes == now and later[: len(nodes)] != nodes
    ]
    assert broken == []


@given(sessions())
def test_a_request_begins_with_all_of_the_one_before_unless_something_was_replaced(session: Session) -> None:
    """Readings are only ever appended: the cached prefix grows until a compaction, a prune or a new header."""
    assert_prefix_kept(session)


@given(sessions(readings=False), intervals, editions)
def test_readings_a_replay_adds_keep_the_prefix_as_well(session: Session, interval_ms: int, edition: Any) -> None:
    """The same holds for the log as it would have been under any scenario."""
    assert_prefix_kept(told(session, replay_session(session, Scenario(edition=edition, interval_ms=interval_ms))))


@given(sessions())
def test_no_header_holds_a_text_about_the_time(session: Session) -> None:
    """What every request carries beside messages stays the same as time goes by: it changes with the model alone."""
    headers = [event.data.header for event in session.events if isinstance(event, RequestHeader)]
    by_model = {header["config"]["model"]: header for header in headers}
    assert [header for header in headers if header != by_model[header["config"]["model"]]] == []
    texts = [line for _, text in recorded_texts(session) for line in str(text).split("\n")]
    assert [line for line in texts if any(line in json.dumps(header) for header in headers)] == []

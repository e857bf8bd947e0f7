"""Settle, for every attempt of a log, its instant, its own reading and whether it can carry one."""

from __future__ import annotations

from msgspec import Struct

from timectx.errors import ReadingError
from timectx.reading import Edition, Reading, parse_reading
from timectx.replay.schedule import TimeContext
from timectx.replay.silence import Silence, silences_of
from timectx.session import Attempt, Problem, Session, is_reading_event
from timectx.session.events import Event, JsonObject, Message, Replace, TurnEnd, UserMessage

__all__ = ["Moment", "Moments", "moments_of", "reading_text"]

_BEFORE_STEP: frozenset[str] = frozenset({"note"})
"""Editions whose reading stands before the step's start."""


class Moment(Struct, frozen=True, kw_only=True, gc=False):
    """
    Describe one attempt as a replay under one edition sees it.

    `now_ms` is its instant and `time_ms` the event time a reading added there gets, both epoch
    milliseconds. `own` is the reading the log holds for it and `own_seq` its seq, both None
    when it holds none. `eligible` is False where the edition could not have added one, `reached`
    tells whether its step reached a message (on either side of its start) or a request,
    `entering` holds the sources of the messages admitted with it, `silence` says what went before it.
    """

    attempt: Attempt
    now_ms: int
    time_ms: int
    eligible: bool
    reached: bool
    entering: tuple[JsonObject, ...] = ()
    own: Reading | None = None
    own_seq: int | None = None
    silence: Silence = Silence()


class Moments(Struct, frozen=True, kw_only=True):
    """Hold the moments of a log in order, and the messages that look like readings but are no attempt's."""

    moments: tuple[Moment, ...]
    strays: dict[int, Reading | None]
    problems: tuple[Problem, ...]


def reading_text(message: Message) -> str | None:
    """
    Return the text of a message that is one text block.

    Parameters
    ----------
    message : Message
        Any message.

    Returns
    -------
    str or None
        None when it has another shape.
    """
    match message.content:
        case ({"type": "text", "text": str(text)},):
            return text
        case _:
            return None


def moments_of(session: Session, edition: Edition) -> Moments:
    """
    Settle the attempts of a log for a replay under one edition.

    Parameters
    ----------
    session : Session
        The log.
    edition : {"note", "note-v2", "readme", "current"}
        Whose place in the order attempts take.

    Returns
    -------
    Moments
        One moment an attempt; strays by seq with what they parse as (None = no reading), each
        reported as a problem too.

    Notes
    -----
    An attempt's instant is that of its step's start; in ``note`` its own reading's event time, else
    that of the first compaction or prune event before the step. Where the log holds the attempt's
    own reading, it is moved to the nearest instant that prints the reading's second and, if possible,
    its elapsed time. A message that only looks like a reading marks no attempt.

    In ``note`` the reading stands before all else that can fail, so an attempt is eligible unless it was
    cancelled; in the others only if its step began for good: it reached a message or a request, or it was
    closed by the agent itself and not because the log broke off; in ``current`` that last sort of step has
    lost its reading, because messages are admitted later [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `apply`, and
       packages/core/agent-loop/src/agent.ts, `preStep` and `step`.
    """
    owned = _owned_readings(session)
    baselines = _recorded_baselines(session, owned)
    reached = {step.start_seq: step.reached for step in session.steps}
    closed = frozenset[int]() if edition == "current" else _closed_steps(session)
    silences = silences_of(session)
    moments = []
    for at, attempt in enumerate(session.attempts):
        event, own = owned.get(at, (None, None))
        if own is None and attempt.kind == "reading":
            continue
        base_ms = _base_ms(attempt, event, edition)
        now_ms = _nearest_ms(base_ms, own, baselines.get(at)) if own else base_ms
        was_reached = attempt.kind == "step" and (bool(attempt.entered) or reached.get(attempt.seq, False))
        moments.append(
            Moment(
                attempt=attempt,
                now_ms=now_ms,
                time_ms=event.time_ms if event else now_ms,
                eligible=_is_eligible(
                    session, attempt, edition, begun=was_reached or attempt.seq in closed, owning=own is not None
                ),
                reached=was_reached,
                entering=tuple(_sources(session, attempt)),
                own=own,
                own_seq=event.seq if event else None,
                silence=silences[at],
            )
        )
    strays = _strays(session, {event.seq for event, _ in owned.values()})
    return Moments(moments=tuple(moments), strays=strays, problems=tuple(map(_stray_problem, strays.items())))


def _owned_readings(session: Session) -> dict[int, tuple[UserMessage, Reading]]:
    owned: dict[int, tuple[UserMessage, Reading]] = {}
    for at, attempt in enumerate(session.attempts):
        for seq in attempt.readings:
            event = session.find(seq)
            if not isinstance(event, UserMessage) or isinstance(event.surface_op, Replace):
                continue
            reading = _parsed(event)
            if reading is not None and _belongs(attempt, event, reading):
                owned[at] = (event, _placed(reading, attempt, event))
                break
    return owned


def _parsed(event: UserMessage) -> Reading | None:
    text = reading_text(event.data)
    try:
        return None if text is None else parse_reading(text)
    except ReadingError:
        return None


def _belongs(attempt: Attempt, event: UserMessage, reading: Reading) -> bool:
    if (reading.turn, reading.step) != (attempt.turn, attempt.step):
        return False
    follows_start = attempt.kind == "step" and event.seq > attempt.seq
    return reading.edition == "note" or (reading.edition == "readme" and follows_start)


def _placed(reading: Reading, attempt: Attempt, event: UserMessage) -> Reading:
    if reading.edition == "note" and attempt.kind == "step" and event.seq > attempt.seq:
        return Reading(reading.turn, reading.step, reading.time_ms, reading.zone, reading.elapsed_ms, None, "note-v2")
    return reading


def _closed_steps(session: Session) -> frozenset[int]:
    """Return the starts of the steps that the agent closed, rather than a repair of a log that broke off."""
    return frozenset(
        step.start_seq
        for turn in session.turns
        for step in (turn.steps[:-1] if turn.reason == "interrupted" else turn.steps)
        if step.end_seq is not None
    )


def _recorded_baselines(session: Session, owned: dict[int, tuple[UserMessage, Reading]]) -> dict[int, int | None]:
    """Return, for each attempt with a reading, the baseline its edition had when that was taken."""
    asked: dict[int, list[int]] = {}
    held: dict[int, int] = {}
    for at, (event, reading) in owned.items():
        attempt = session.attempts[at]
        place = min(event.seq, attempt.seq)
        asked.setdefault(place, []).append(at)
        if reading.edition not in _BEFORE_STEP:
            held.update((seq, place) for seq in attempt.entered if seq < place)
    context, baselines = TimeContext("readme"), dict[int, int | None]()
    waiting: list[Event] = []
    for recorded in session.events if asked else ():
        for at in asked.get(recorded.seq, ()):
            attempt = session.attempts[at]
            baselines[at] = context.baseline_ms(attempt.turn, attempt.step)
        if recorded.seq in held:
            waiting.append(recorded)
            continue
        context.apply(recorded)
        if waiting and recorded.seq >= held[waiting[0].seq]:
            for event_before in waiting:
                context.apply(event_before)
            waiting = []
    return baselines


def _base_ms(attempt: Attempt, own: UserMessage | None, edition: Edition) -> int:
    if edition not in _BEFORE_STEP:
        return attempt.time_ms
    if own is not None:
        return own.time_ms
    return attempt.time_ms if attempt.prestep_ms is None else attempt.prestep_ms


def _nearest_ms(base_ms: int, own: Reading, baseline_ms: int | None) -> int:
    low, high = own.time_ms, own.time_ms + 999
    if own.elapsed_ms is not None and baseline_ms is not None:
        last = min(high, baseline_ms + own.elapsed_ms + 999)
        first = max(low, baseline_ms + own.elapsed_ms) if own.elapsed_ms else low
        if first <= last:
            low, high = first, last
    return min(max(base_ms, low), high)


def _is_eligible(session: Session, attempt: Attempt, edition: Edition, *, begun: bool, owning: bool) -> bool:
    if edition not in _BEFORE_STEP:
        return begun
    if owning or attempt.kind != "turn-end":
        return True
    end = session.find(attempt.seq)
    return isinstance(end, TurnEnd) and end.data.reason.get("kind") != "aborted"


def _sources(session: Session, attempt: Attempt) -> list[JsonObject]:
    events = (session.find(seq) for seq in attempt.entered)
    return [event.data.source for event in events if isinstance(event, UserMessage)]


def _strays(session: Session, owned: set[int]) -> dict[int, Reading | None]:
    return {
        event.seq: _parsed(event)
        for event in session.events
        if isinstance(event, UserMessage) and is_reading_event(event) and event.seq not in owned
    }


def _stray_problem(stray: tuple[int, Reading | None]) -> Problem:
    seq, reading = stray
    if reading is None:
        return Problem(0, "no-reading", f"seq {seq} has a reading's source but says no time; it stays and counts")
    if reading.edition in ("recorded", "four-line"):
        return Problem(
            0, "old-edition", f"seq {seq} is a reading of an edition that is not replayed; it stays and counts"
        )
    named = f"turn {reading.turn}, step {reading.step}"
    return Problem(
        0, "stray-reading", f"seq {seq} reads {named} but is not that attempt's one reading; it stays and counts"
    )

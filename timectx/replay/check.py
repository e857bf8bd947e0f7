"""Check a whole log: its order, and its readings against the rules of the edition each one follows."""

from __future__ import annotations

from collections.abc import Iterator

from timectx.errors import TimectxError
from timectx.reading import Edition, Reading
from timectx.replay.companion import Companion
from timectx.replay.contract import check_contract
from timectx.replay.fault import Fault
from timectx.replay.moments import Moment, moments_of, reading_text
from timectx.replay.replay import replay_timeline
from timectx.replay.run import RunReading
from timectx.replay.scenario import Scenario
from timectx.replay.timeline import timeline_of
from timectx.session import Session
from timectx.session.events import UserMessage

__all__ = ["Fault", "check_session"]


def check_session(session: Session, *, companion: bool = False) -> tuple[Fault, ...]:
    """
    Check the order of a log, and its readings.

    Parameters
    ----------
    session : Session
        The log.
    companion : bool, optional
        Also apply the original's own stricter checks, which only the three-line form can pass.

    Returns
    -------
    tuple of Fault
        In order of seq; empty when nothing is out of order and every reading is what its edition would
        have written.

    Notes
    -----
    The rules of order are those of `check_contract`.

    A reading is taken again at its own instant, and the two texts are compared line by line: rules
    ``position`` and ``timestamp`` (line 1), ``browser-zone`` (line 2 of three), ``elapsed`` (the last),
    ``postdated`` (it prints a later second than its event's), ``source`` (the message's shape),
    and ``no-reading`` or ``stray-reading`` for messages that carry a reading's source
    but are not at home anywhere.
    """
    faults = [*check_contract(session), *_stray_faults(session), *_edition_faults(session)]
    if companion:
        faults.extend(_companion_faults(session))
    return tuple(sorted(faults))


def _stray_faults(session: Session) -> Iterator[Fault]:
    for seq, reading in moments_of(session, "readme").strays.items():
        if reading is None:
            yield Fault(seq, "no-reading", "carries a reading's source but no reading")
        elif reading.edition in ("note", "readme"):
            named = f"turn {reading.turn}, step {reading.step}"
            yield Fault(seq, "stray-reading", f"names {named}, but is not that attempt's one reading")


def _edition_faults(session: Session) -> Iterator[Fault]:
    moments = moments_of(session, "readme").moments
    present = dict.fromkeys(moment.own.edition for moment in moments if moment.own is not None)
    for edition in ("note", "note-v2", "readme", "current"):
        if edition in present:
            yield from _faults_of(session, edition)


def _faults_of(session: Session, edition: Edition) -> Iterator[Fault]:
    timeline = timeline_of(session, edition)
    run = replay_timeline(timeline, Scenario(edition=edition, policy="recorded"))
    retaken = {reading.recorded_seq: reading for reading in run.readings}
    for moment, attempt in zip(timeline.moments.moments, run.attempts, strict=True):
        event = None if moment.own_seq is None else session.find(moment.own_seq)
        if moment.own is None or moment.own.edition != edition or not isinstance(event, UserMessage):
            continue
        again = retaken.get(event.seq)
        if again is None:
            why = attempt.error or "the edition takes none here"
            yield Fault(event.seq, "browser-zone", f"no reading could have been taken: {why}")
        else:
            yield from _compared(event, moment, moment.own, again)


def _compared(event: UserMessage, moment: Moment, own: Reading, again: RunReading) -> Iterator[Fault]:
    text = reading_text(event.data) or ""
    written, expected = text.split("\n"), again.text.split("\n")
    if written[0] != expected[0]:
        yield Fault(event.seq, "timestamp", f"reads {written[0]!r}, expected {expected[0]!r}")
    if len(written) > 2 and written[1] != expected[1]:
        yield Fault(event.seq, "browser-zone", f"reads {written[1]!r}, expected {expected[1]!r}")
    if written[-1] != expected[-1]:
        yield Fault(event.seq, "elapsed", f"reads {written[-1]!r}, expected {expected[-1]!r}")
    if own.time_ms > event.time_ms:
        yield Fault(event.seq, "postdated", f"prints an instant {own.time_ms - event.time_ms} ms after its event")
    if own.edition != "note" and not _is_sound_source(event, text):
        yield Fault(event.seq, "source", "the source's snapshot section differs from the text")


def _is_sound_source(event: UserMessage, text: str) -> bool:
    source = event.data.source
    if "form" not in source and "sections" not in source:
        return True
    return source.get("form") == "snapshot" and source.get("sections") == [{"name": "time-context", "text": text}]


def _companion_faults(session: Session) -> Iterator[Fault]:
    companion = Companion()
    for event in session.events:
        try:
            companion.apply(event)
        except TimectxError as error:
            yield Fault(event.seq, error.kind, str(error))

"""Write the readings of a run into the log it was made from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from timectx.replay import Run, RunReading, reading_message, timeline_of
from timectx.replay.moments import Moment
from timectx.session import Session, event_from_record, record_of
from timectx.session.events import UserMessage

__all__ = ["told"]


def told(session: Session, run: Run) -> Session:
    """
    Return the session as if it had been recorded under the run's scenario.

    The session must hold no reading that belongs to an attempt. Seqs after an added reading move up, and with them
    every seq an event names; gaps that stand for streamed output stay gaps.
    """
    edition = run.scenario.edition
    moments = timeline_of(session, edition).moments.moments
    pairs = zip(moments, run.attempts, strict=True)
    places = [_place(moment, edition) for moment, attempt in pairs if attempt.decision == "added"]
    ordered = sorted(zip(places, run.readings, strict=True), key=lambda pair: pair[0])
    points = [place for place, _ in ordered]
    events = [
        event_from_record(_moved(record_of(event), lambda seq: seq + bisect_right(points, seq)))
        for event in session.events
    ]
    events += [_event(place + number, reading, run) for number, (place, reading) in enumerate(ordered)]
    return replace(session, events=tuple(sorted(events, key=lambda event: event.seq)))


def _place(moment: Moment, edition: str) -> int:
    """Return the seq that a reading of the moment takes, were it the only one added."""
    attempt = moment.attempt
    if edition == "note":
        return attempt.seq if attempt.prestep_seq is None else attempt.prestep_seq
    return max(attempt.seq, *attempt.entered, 0) + 1


def _event(seq: int, reading: RunReading, run: Run) -> UserMessage:
    message = reading_message(reading.text, run.scenario.edition, f"told-{seq}")
    return UserMessage(seq=seq, time_ms=reading.time_ms, data=message, surface_op="append")


def _moved(record: dict[str, Any], new: Callable[[int], int]) -> dict[str, Any]:
    moved = {**record, "seq": new(record["seq"])}
    if "sourceEventSeqs" in record:
        moved["sourceEventSeqs"] = [new(seq) for seq in record["sourceEventSeqs"]]
    if isinstance(record.get("surfaceOp"), dict):
        moved["surfaceOp"] = _span(record["surfaceOp"], new)
    if "shadowedSeqs" in record["data"]:
        seqs = [new(seq) for seq in record["data"]["shadowedSeqs"]]
        span = _span(record["data"]["shadowedRange"], new)
        moved["data"] = {**record["data"], "shadowedSeqs": seqs, "shadowedRange": span}
    return moved


def _span(span: dict[str, Any], new: Callable[[int], int]) -> dict[str, Any]:
    return {**span, "start": new(span["start"]), "end": new(span["end"])}

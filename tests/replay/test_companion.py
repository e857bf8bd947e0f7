"""The original's own stricter checks of a reading, one broken rule at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.builders import LogBuilder, log
from tests.replay.texts import NO_ZONE, three, two, zone_line
from timectx.errors import TimectxError
from timectx.replay.companion import Companion

TEXT = three(1, 1, "00:00:05")
TOKYO = "+09:00[Asia/Tokyo]"


def broken(built: LogBuilder) -> list[tuple[int, str]]:
    """Return seq and kind of every refusal."""
    companion, found = Companion(), []
    for event in built.events():
        try:
            companion.apply(event)
        except TimectxError as error:
            found.append((event.seq, error.kind.removeprefix("invariant-violated-by-time-context-")))
    return found


def reading(text: str = TEXT, **source: object) -> LogBuilder:
    """Return a log with one reading at 5 s in turn 1, step 1, as seq 2; `source` changes its source."""
    snapshot = {"form": "snapshot", "sections": [{"name": "time-context", "text": text}]}
    whole = {"kind": "plugin", "plugin": "time-context", **snapshot, **source}
    kept = {key: value for key, value in whole.items() if value is not None}
    return log(start_ms=5_000).turn().step().message(text, kept)


def blocks(*content: Mapping[str, Any]) -> LogBuilder:
    """Return a log whose reading has these blocks."""
    source = {"kind": "plugin", "plugin": "time-context", "form": "snapshot", "sections": []}
    data = {"content": list(content), "source": source, "role": "user", "id": "m"}
    return log(start_ms=5_000).turn().step().event("user/message", data, surfaceOp="append")


@pytest.mark.parametrize(
    "built",
    [
        reading(),
        reading(three(1, 1, "00:00:04", "0s")),
        reading(three(1, 1, "00:00:05", "1d 0s")),
        log(start_ms=5_000).turn().prompt("hi", "Asia/Tokyo").step()
        .reading(three(1, 1, "09:00:05", browser=zone_line("Asia/Tokyo"), offset=TOKYO)),
        log(start_ms=5_000).turn().step().end_step().step().reading(three(1, 2, "00:00:05")),
        log(start_ms=5_000).turn().step().header().end_step().step().reading(three(1, 2, "00:00:05")),
        log(start_ms=5_000).turn().step().end_turn().turn().prompt("hi").step().reading(three(2, 1, "00:00:05", "3s")),
    ],
    ids=["plain", "sampled-before", "any-elapsed", "resolved", "second-step", "header-of-the-step-before", "next-turn"],
)  # fmt: skip
def test_a_reading_as_the_original_writes_it_passes(built: LogBuilder) -> None:
    """The value of its elapsed time is not looked at."""
    assert broken(built) == []


@pytest.mark.parametrize(
    ("built", "rule"),
    [
        (blocks(), "messages"),
        (blocks({"type": "text", "text": TEXT}, {"type": "text", "text": ""}), "messages"),
        (blocks({"type": "reasoning", "text": TEXT}), "messages"),
        (blocks({"type": "text", "text": 5}), "messages"),
        (blocks({"type": "text", "text": TEXT, "cache": True}), "messages"),
        (reading("half past nine"), "message"),
        (reading(two(1, 1, "00:00:05")), "message"),
        (reading(TEXT + "\n"), "message"),
        (reading(three(0, 1, "00:00:05")), "turn"),
        (reading(TEXT.replace("turn 1", "turn 9007199254740992")), "turn"),
        (reading(three(2, 1, "00:00:05")), "reading"),
        (reading(three(1, 2, "00:00:05")), "reading"),
        (reading(form="full"), "source"),
        (reading(form=None), "source"),
        (reading(sections=[]), "source"),
        (reading(sections=[{"name": "time-context", "text": "other"}]), "source"),
        (reading(authority="request"), "source"),
        (reading(three(1, 1, "00:00:05", browser=zone_line("Asia/Tokyo"))), "browser"),
        (reading(TEXT.replace("model-visible message", "step context")), "step"),
        (reading(three(1, 1, "00:00:06")), "rendered"),
        (reading(TEXT.replace("T00:00:05", "T24:00:01")), "rendered"),
    ],
    ids=["no-block", "two-blocks", "reasoning", "number", "more-keys", "no-reading", "two-lines", "newline", "turn-0",
         "unsafe-turn", "other-turn", "other-step", "form", "no-form", "no-section", "other-text", "more-source",
         "browser", "baseline", "postdated", "no-date"],
)  # fmt: skip
def test_a_reading_that_breaks_a_rule_is_refused_for_it(built: LogBuilder, rule: str) -> None:
    """The first rule it breaks is the one that is named."""
    assert broken(built) == [(2, rule)]


@pytest.mark.parametrize(
    ("built", "seq"),
    [
        (log("early", start_ms=5_000).turn().reading(TEXT).step(), 1),
        (log(start_ms=5_000).turn().step().header().reading(TEXT), 3),
        (log(start_ms=5_000).reading(TEXT), 0),
    ],
    ids=["before-the-step", "after-the-header", "outside-turns"],
)
def test_a_reading_stands_in_its_step_before_the_request_header(built: LogBuilder, seq: int) -> None:
    """Anywhere else it is refused."""
    assert broken(built) == [(seq, "reading")]


def test_the_zone_line_goes_by_the_messages_of_the_turn_before_the_reading() -> None:
    """A prompt of an earlier turn, or one that comes later, says nothing."""
    built = log(start_ms=5_000).turn().prompt("hi", "Asia/Tokyo").step().end_turn().turn().step()
    assert broken(built.reading(three(2, 1, "00:00:05", browser=NO_ZONE)).prompt("hi", "Asia/Tokyo")) == []


def test_a_zone_that_is_not_canonical_speaks_for_itself() -> None:
    """The error is that of the zone check."""
    built = log(start_ms=5_000).turn().prompt("hi", "Asia/Kolkata").step().reading(TEXT)
    assert broken(built) == [(3, "zone-not-canonical")]


def test_a_resolved_zone_has_to_be_the_one_that_is_shown() -> None:
    """Label and offset; with a mixed or missing zone any may be shown."""
    shown = three(1, 1, "00:00:05", browser=zone_line("Asia/Tokyo"))
    built = log(start_ms=5_000).turn().prompt("hi", "Asia/Tokyo").step().reading(shown)
    assert broken(built) == [(3, "rendered")]
    assert broken(reading(three(1, 1, "09:00:05", offset=TOKYO))) == []


def test_a_refused_reading_does_not_spoil_the_next() -> None:
    """The log goes on, and the next one is judged by itself."""
    built = reading("half past nine").end_step().step().reading(three(1, 2, "00:00:05"))
    assert broken(built) == [(2, "message")]

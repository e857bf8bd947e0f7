"""Events of whole recorded files come back as they were."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from tests.conformance.rows import logs
from timectx.errors import SessionError
from timectx.session.events import Event, OtherEvent
from timectx.session.records import event_from_record, json_numbers, other_event_from_record, record_of

STREAM_ROWS = {"text-chunks", "reasoning-chunks", "tool-call-chunks"}


def lines_of(path: Path) -> Iterator[Any]:
    """Yield every line of a log file that is JSON, as far as the file can be decompressed."""
    data = path.read_bytes()
    if path.suffix == ".zstd":
        whole, data = data, b""
        try:
            with zstandard.ZstdDecompressor().stream_reader(whole, read_across_frames=True) as stream:
                while piece := stream.read(1 << 16):
                    data += piece
        except zstandard.ZstdError:
            pass  # the file is meant to be torn: what came out counts
    for line in data.split(b"\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue


def round_trips(paths: list[Path]) -> Counter[str]:
    """Read and write every event of some logs; count what became of them."""
    counts: Counter[str] = Counter()
    for path in paths:
        for line in lines_of(path):
            if not isinstance(line, dict) or line.get("type") in {"session", *STREAM_ROWS}:
                continue
            try:
                event: Event = event_from_record(line)
                counts["typed" if type(event) is not OtherEvent else "other"] += 1
            except SessionError as error:
                counts[error.kind] += 1
                if error.kind == "bad-envelope":
                    continue
                event = other_event_from_record(line)
            assert json.dumps(record_of(event), sort_keys=True) == json.dumps(json_numbers(line), sort_keys=True), path
    return counts


def test_every_event_of_the_recorded_logs_comes_back() -> None:
    """Whole files of the original, torn and odd ones included; early messages wait to be rewrapped."""
    counts = round_trips(
        sorted(path for path in logs().glob("/".join(("*", "root", "**", "session.jsonl*"))) if path.is_file())
    )
    assert counts["typed"] > 1000
    assert counts.keys() <= {"typed", "other", "bad-data", "bad-envelope"}


def test_every_event_of_the_real_transcripts_comes_back(transcripts: Path) -> None:
    """The same for sessions that people had."""
    counts = round_trips(sorted((transcripts / "dsh-v0").glob("*.jsonl*")))
    assert counts["typed"] > 1000
    assert counts.keys() <= {"typed", "other", "bad-data"}

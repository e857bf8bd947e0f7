"""
Play a script in processes that are killed at random points, and print how far each one said it had come.

``python -m tests.loop.killed_runs ROOT SEED plain|container COUNT``: every trial is a forked child that plays one
script to a log below its own root, reports how many events are durable after each flush, and dies before, halfway
through or after one of the calls that change a file.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from tests.loop.crashes import dying, trial
from tests.loop.disk import Disk
from timectx.loop import header_of, open_log, parse_script, play_script
from timectx.loop.store import file as store_file

SCRIPT = parse_script(
    f"""
session: killed
start: "2026-07-14T08:00:00Z"
interval: 1m
context_window: 1200
compaction: {{settings: {{thresholdRatio: 0.5, retainRatio: 0.2}}, summary_tokens: 20}}
prompts:
- say: Look at the failing build.
  zone: Europe/Paris
  replies:
  - {{text: {"reading " * 20}, calls: [{{result: {"line " * 80}, takes: 30s}}, {{result: ok}}]}}
  - {{error: {{code: SERVER, retry: true, wait: 5s}}}}
  - {{text: {"found " * 30}, calls: [{{result: {"test " * 60}}}], steers: [{{say: Also the docs.}}]}}
  - {{text: Both are mended.}}
- {{say: And now, after: 20m, replies: [{{text: {"cut " * 40}, cancel: stream}}]}}
- {{say: Go on., after: 1m, replies: [{{calls: [{{}}, {{}}], parallel: true}}, {{text: Done., finish: max-tokens}}]}}
"""
)


def play(root: Path, *, compress: bool, report: int) -> None:
    """Play the script to a log, reporting the number of durable events after each flush."""
    with open_log(root, header_of(SCRIPT), compress=compress) as log:
        flush = log.flush

        def reported() -> int:
            size = flush()
            os.write(report, f"{log.next_seq}\n".encode())
            return size

        log.flush = reported  # type: ignore[method-assign]
        play_script(SCRIPT, durable=log)


def calls(root: Path, *, compress: bool) -> int:
    """Return how many calls change a file when nothing goes wrong."""
    disk = Disk(lambda *_: None)
    store_file.os = disk
    play(root, compress=compress, report=os.open(os.devnull, os.O_WRONLY))
    return disk.count


def killed(folder: Path, at: int, phase: str, *, compress: bool) -> int:
    """Play the script in a child that dies at one call; return how many events it reported as durable."""

    def work(report: int) -> None:
        store_file.os = dying(at, phase)
        play(folder, compress=compress, report=report)

    return trial(work, lambda *_: None)[0]


if __name__ == "__main__":
    base, seed, kind, count = sys.argv[1:]
    draw, packed = random.Random(int(seed)), kind == "container"
    total = calls(Path(base) / "whole", compress=packed)
    for number in range(int(count)):
        phase = draw.choice(("before", "half", "after"))
        told = killed(Path(base) / str(number), draw.randrange(total), phase, compress=packed)
        print(json.dumps([str(number), told]))

"""
Write logs in processes that are killed, and print how far each one said it had come.

``python -m tests.loop.crashes PLAN ROOT SEED plain|container COUNT``: every trial is a forked child that
writes one script below its own root and reports each batch once it is durable. PLAN says how it dies:

``point``
    At call number N of those that change a file: before it, after half of a write, or after it. Trials
    go through all of them; COUNT is not used.
``moment``
    From outside, some time after a batch that the seed chooses; COUNT trials.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.loop.disk import Disk
from tests.loop.scripts import HEADER, batches
from timectx.loop import open_log
from timectx.loop.store import file as store_file

SCRIPT = {"point": (5, 2, 120), "moment": (6, 3, 24)}
"""Arguments of `batches` for each plan."""


def write(root: Path, plan: str, *, compress: bool, report: int) -> None:
    """Write the plan's script, reporting the number of durable events after each flush."""
    with open_log(root, HEADER, compress=compress) as log:
        for batch in batches(*SCRIPT[plan]):
            log.append(batch)
            log.flush()
            os.write(report, f"{log.next_seq}\n".encode())


def die() -> None:
    """End this process the way a crash does."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying(at: int, phase: str) -> Disk:
    """Return a disk whose call number `at` kills the process: before, halfway or after."""

    def before(number: int, name: str, arguments: tuple[Any, ...]) -> None:
        if number == at and phase == "half" and name == "write":
            os.write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        if number == at + (phase == "after"):
            die()

    return Disk(before)


def trial(work: Callable[[int], None], kill: Callable[[int, Any], None]) -> tuple[int, bool]:
    """Run `work` in a forked child that `kill` may end; return the last report, and whether the child got through."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        work(writing)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as reports:
        first = kill(child, reports)
        lines = [*(first or []), *reports.read().split()]
    _, status = os.waitpid(child, 0)
    return int(lines[-1]) if lines else 0, status == 0


def points(root: Path, *, compress: bool) -> None:
    """Kill a writer at every call that changes a file."""
    for phase in ("before", "half", "after"):
        for at in range(10_000):
            folder = root / f"{phase}-{at}"

            def work(report: int, at: int = at, phase: str = phase, folder: Path = folder) -> None:
                store_file.os = dying(at, phase)
                write(folder, "point", compress=compress, report=report)

            told, done = trial(work, lambda *_: None)
            if done:
                break
            print(json.dumps([folder.name, told]))


def moments(root: Path, draw: random.Random, count: int, *, compress: bool) -> None:
    """Kill a writer soon after a batch that chance chooses."""
    for number in range(count):
        folder = root / f"moment-{number}"
        batch, turns = draw.randrange(len(batches(*SCRIPT["moment"]))), draw.randrange(20_000)

        def kill(child: int, reports: Any, batch: int = batch, turns: int = turns) -> list[str]:
            lines = [reports.readline() for _ in range(batch)]
            for _ in range(turns):  # some time, but no clock
                pass
            os.kill(child, signal.SIGKILL)
            return [line for line in lines if line]

        told, _ = trial(lambda report, folder=folder: write(folder, "moment", compress=compress, report=report), kill)
        print(json.dumps([folder.name, told]))


if __name__ == "__main__":
    chosen, base, seed, kind, trials = sys.argv[1:]
    if chosen == "point":
        points(Path(base), compress=kind == "container")
    else:
        moments(Path(base), random.Random(int(seed)), int(trials), compress=kind == "container")

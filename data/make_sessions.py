"""
Make the sample sessions in ``data/sessions``, byte for byte the same each time.

Run it as ``python data/make_sessions.py [FOLDER]``. The compressed files are written at
zstandard's level 3, and their bytes depend on its release, which constraints.txt pins.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from timectx.formats import write_session
from timectx.session import Session
from timectx.synthetic import Habits, Happening, Table, synthetic_session

FOLDER: Final = Path(__file__).parent / "sessions"

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE


def terse(chars: int, longest_result_chars: int) -> Habits:
    """Return people who pause only when the story says so, and a model and tools that write no more than that."""
    plain = Habits()
    return Habits(
        break_permille=0,
        night_permille=0,
        text_chars=clipped(plain.text_chars, chars),
        reasoning_chars=clipped(plain.reasoning_chars, chars),
        argument_chars=clipped(plain.argument_chars, chars),
        longest_result_chars=longest_result_chars,
    )


def clipped(table: Table, most: int) -> Table:
    """Return a distribution whose values stop at `most`."""
    return tuple((part, min(value, most)) for part, value in table)


BRIEF: Final = terse(230, longest_result_chars=720)
"""What most of the stories are drawn from; the files stay small."""

GOING_ON: Final = (
    "looks good, go on",
    "next one please",
    "run the tests again",
    "that broke the build, have a look",
    "commit this and continue",
    "hm, why did you touch that file? undo it, then go on",
)


def bug_hunt() -> Session:
    """Tell of ten minutes after a bug: a reading at every step."""
    return synthetic_session(
        6,
        steps=36,
        interval_ms=0,
        time_zone="Europe/Berlin",
        start_ms=1_788_342_131_000,  # Wednesday, 2 September 2026, 11:42:11 in Berlin
        prompts=(
            "the export has an empty last column since yesterday, please find out why",
            "it only happens with more than 100 rows, if that helps",
            "ok, fix it and add a test that would have caught it",
            "does the test fail without the fix? check",
            "great. write the commit message",
            "one more thing: is the import affected as well?",
            *GOING_ON,
        ),
        browser_zones=("Europe/Berlin",),
        habits=replace(BRIEF, idle_ms=clipped(Habits().idle_ms, 60 * SECOND), tool_ms=clipped(Habits().tool_ms, 9000)),
        happenings=(Happening("retry", 12, ms=2 * SECOND), Happening("interrupt", 22)),
        session_id="bug-hunt",
    )


def lunch_and_overnight() -> Session:
    """Tell of a day with a lunch break and a meeting, and a night before the rest; a reading every ten minutes."""
    return synthetic_session(
        21,
        steps=44,
        interval_ms=10 * MINUTE,
        time_zone="Europe/Paris",
        start_ms=1_788_858_600_000,  # Tuesday, 8 September 2026, 11:10 in Paris
        prompts=(
            "hello again! what did we leave open in the importer?",
            "start with the date columns: they come out one day early for some users",
            "which users are affected? look at the fixtures",
            "please write down what you would change before you change it",
            "fine, do it",
            *islice(cycle(GOING_ON), 40),
        ),
        browser_zones=("Europe/Paris",),
        habits=BRIEF,
        happenings=(
            Happening("pause", 22, ms=52 * MINUTE),
            Happening("pause", 32, ms=3 * HOUR + 55 * MINUTE),
            Happening("pause", 40, ms=15 * HOUR + 45 * MINUTE),
        ),
        session_id="lunch-and-overnight",
    )


def long_refactor() -> Session:
    """Tell of five hundred steps over three days; a reading every minute."""
    return synthetic_session(
        3,
        steps=500,
        interval_ms=MINUTE,
        time_zone="UTC",
        start_ms=1_789_372_800_000,  # Monday, 14 September 2026, 08:00 UTC
        prompts=(
            "we split the store package in three: reader, writer and index. Begin with a plan, no changes yet",
            "agreed. move the reader first, keep the old names working",
            *islice(cycle(GOING_ON), 120),
        ),
        habits=replace(terse(100, longest_result_chars=280), break_permille=60),
        happenings=(
            Happening("pause", 170, ms=22 * HOUR),
            Happening("steer", 205, text="wait, leave the index alone for now"),
            Happening("failure", 260),
            Happening("model", 261),
            Happening("pause", 340, ms=21 * HOUR),
            Happening("prune", 400, size=240),
            Happening("max-tokens", 431),
        ),
        session_id="long-refactor",
    )


def dst_fold() -> Session:
    """Tell of a night in New York in which 01:00 to 02:00 happens twice; a reading every minute."""
    return synthetic_session(
        11,
        steps=40,
        interval_ms=MINUTE,
        time_zone="America/New_York",
        start_ms=1_793_507_400_000,  # Sunday, 1 November 2026, 00:30-04:00 in New York
        prompts=(
            "the nightly job is due at 01:30. watch it and tell me when it has started",
            "has it run? the log says 01:30 but I cannot tell which one",
            "so which of the two is it?",
            "please make the log print the offset",
            *islice(cycle(GOING_ON), 30),
        ),
        browser_zones=("America/New_York",),
        habits=BRIEF,
        happenings=(
            Happening("pause", 12, ms=36 * MINUTE),
            Happening("pause", 25, ms=41 * MINUTE),
            Happening("pause", 33, ms=29 * MINUTE),
        ),
        session_id="dst-fold",
    )


def two_browser_zones() -> Session:
    """Tell of a user who flies from Shanghai to New York and opens a second browser there; a reading at every step."""
    shanghai, new_york = "Asia/Shanghai", "America/New_York"
    return synthetic_session(
        8,
        steps=40,
        interval_ms=0,
        time_zone="Asia/Shanghai",
        start_ms=1_790_132_700_000,  # Wednesday, 23 September 2026, 11:05 in Shanghai
        prompts=(
            "帮我看一下登录测试为什么偶尔失败",
            "好的。先修这个",
            "I am at the airport now, leave the branch as it is until I am back",
            "landed. what is the state of the branch?",
            "remind me what we said about Friday's release",
            "my phone still shows the old time, never mind that",
            *islice(cycle(GOING_ON), 30),
        ),
        browser_zones=(shanghai, shanghai, shanghai, new_york, None, new_york),
        habits=replace(BRIEF, cjk_permille=200),
        happenings=(
            Happening("pause", 12, ms=19 * HOUR),
            Happening("pause", 24, ms=2 * HOUR),
            Happening("steer", 34, text="sent from the other laptop: skip the slow tests", zone=shanghai),
        ),
        session_id="two-browser-zones",
    )


def clock_steps_back() -> Session:
    """Tell of a machine whose clock is set back twice, by ninety seconds and by a day; a reading every minute."""
    return synthetic_session(
        5,
        steps=40,
        interval_ms=MINUTE,
        time_zone="America/Sao_Paulo",
        start_ms=1_789_751_040_000,  # Friday, 18 September 2026, 14:04 in Sao Paulo
        prompts=(
            "the container's clock looks wrong. compare it with the host",
            "set up time synchronisation and restart the service",
            "why do the tests say they took minus forty seconds?",
            "use the monotonic clock there",
            *islice(cycle(GOING_ON), 30),
        ),
        habits=BRIEF,
        happenings=(Happening("clock", 14, ms=-90 * SECOND), Happening("clock", 28, ms=-24 * HOUR)),
        session_id="clock-steps-back",
    )


def two_compactions() -> Session:
    """Tell of a session that is compacted twice, with its readings; a reading at every step."""
    return synthetic_session(
        13,
        steps=84,
        interval_ms=0,
        time_zone="Asia/Calcutta",
        start_ms=1_790_564_400_000,  # Monday, 28 September 2026, 08:30 in Kolkata
        prompts=(
            "we get timeouts from the search service under load. find the slow part",
            "measure before you change anything",
            "try the cache, but keep the old path behind a flag",
            *islice(cycle(GOING_ON), 60),
        ),
        browser_zones=("Asia/Calcutta",),
        habits=terse(230, longest_result_chars=1800),
        happenings=(
            Happening("prune", 30, size=1600),
            Happening("compaction", 38),
            Happening("pause", 56, ms=40 * MINUTE),
            Happening("compaction", 68),
        ),
        session_id="two-compactions",
    )


def resumed_three_times() -> Session:
    """Tell of a session closed and taken up again three times, once after a crash; a reading every ten minutes."""
    return synthetic_session(
        17,
        steps=42,
        interval_ms=10 * MINUTE,
        time_zone="Europe/London",
        start_ms=1_791_190_800_000,  # Monday, 5 October 2026, 10:00 in London
        prompts=(
            "please bring the docs of the command line up to date",
            "take the examples from the tests, they are checked",
            *islice(cycle(GOING_ON), 40),
        ),
        habits=BRIEF,
        happenings=(
            Happening("resume", 18, ms=3 * HOUR),
            Happening("crash", 29, ms=12 * MINUTE),
            Happening("block", 33),
            Happening("resume", 37, ms=20 * HOUR),
        ),
        session_id="resumed-three-times",
    )


SESSIONS: Final[dict[str, Callable[[], Session]]] = {
    "bug-hunt.jsonl": bug_hunt,
    "clock-steps-back.jsonl": clock_steps_back,
    "dst-fold.jsonl": dst_fold,
    "long-refactor.jsonl.zstd": long_refactor,
    "lunch-and-overnight.jsonl": lunch_and_overnight,
    "resumed-three-times.jsonl": resumed_three_times,
    "two-browser-zones.jsonl": two_browser_zones,
    "two-compactions.jsonl.zstd": two_compactions,
}


def make_sessions(folder: Path = FOLDER) -> list[Path]:
    """Write all sample sessions into a folder and return their paths."""
    return [write_session(make(), folder / name) for name, make in SESSIONS.items()]


if __name__ == "__main__":
    for path in make_sessions(*map(Path, sys.argv[1:])):
        print(f"{path.stat().st_size:8,} bytes  {path}")

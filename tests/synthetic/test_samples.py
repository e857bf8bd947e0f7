"""Hold the sample sessions to their script, their size and their stories."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
import zstandard

from timectx.errors import FormatError
from timectx.formats import read_session
from timectx.reading import parse_reading
from timectx.replay import Run, explain_recorded, replay_session
from timectx.replay.check import check_session
from timectx.session import Session, is_reading_event
from timectx.session.events import CompactionPrune, EndSeed, UserMessage
from timectx.synthetic import sample_paths, samples

ROOT = Path(__file__).parents[2]
NAMES = [
    "bug-hunt", "clock-steps-back", "dst-fold", "long-refactor", "lunch-and-overnight", "resumed-three-times",
    "two-browser-zones", "two-compactions",
]  # fmt: skip
INTERVALS_MS = {
    "bug-hunt": 0, "clock-steps-back": 60_000, "dst-fold": 60_000, "long-refactor": 60_000,
    "lunch-and-overnight": 600_000, "resumed-three-times": 600_000, "two-browser-zones": 0, "two-compactions": 0,
}  # fmt: skip
PINNED_ZSTANDARD = "0.25.0"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    """Return the script that makes the samples, as a module."""
    spec = importlib.util.spec_from_file_location("make_sessions", ROOT / "data" / "make_sessions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def sample(name: str) -> Session:
    """Return a sample session."""
    return read_session(sample_paths()[name], strict=True, check=True)


def as_recorded_run(session: Session) -> Run:
    """Return the run that explains a session."""
    return replay_session(session, explain_recorded(session).scenario)


def test_all_samples_are_found_by_name() -> None:
    """In a checkout they lie beside the package; each file is one sample."""
    assert list(sample_paths()) == NAMES
    assert {path.parent for path in sample_paths().values()} == {ROOT / "data" / "sessions"}


def test_an_installation_without_samples_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One line that names the folder."""
    monkeypatch.setattr(samples, "_FOLDERS", (tmp_path,))
    with pytest.raises(FormatError) as refused:
        sample_paths()
    assert (refused.value.kind, str(tmp_path) in str(refused.value)) == ("no-samples", True)


def test_the_script_makes_the_same_bytes_again(script: ModuleType, tmp_path: Path) -> None:
    """All files, compressed ones too; under another release of zstandard than the pinned one only their contents."""
    made = {path.name: path for path in script.make_sessions(tmp_path)}
    kept = {path.name: path for path in sample_paths().values()}
    assert sorted(made) == sorted(kept)
    is_pinned = zstandard.__version__ == PINNED_ZSTANDARD
    differing = [
        name
        for name in made
        if (made[name].read_bytes() != kept[name].read_bytes()) is (is_pinned or name.endswith("l"))
    ]
    assert differing == []
    assert [name for name in made if read_session(made[name]).events != read_session(kept[name]).events] == []


def test_the_samples_are_small() -> None:
    """Less than 1.5 MB in all, no file above 600 kB, and two of them compressed."""
    sizes = {path.name: path.stat().st_size for path in sample_paths().values()}
    assert (sum(sizes.values()) < 1_500_000, max(sizes.values()) < 600_000) == (True, True)
    assert [name for name in sizes if name.endswith(".zstd")] == [
        "long-refactor.jsonl.zstd",
        "two-compactions.jsonl.zstd",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_sound(name: str) -> None:
    """The strict reader takes it, its readings pass every check, and its interval is found again."""
    session = sample(name)
    assert (session.problems, check_session(session, companion=True)) == ((), ())
    explained = explain_recorded(session)
    assert (explained.scenario.policy, explained.scenario.interval_ms) == ("interval", INTERVALS_MS[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_replays_as_recorded(name: str) -> None:
    """Every reading comes out byte for byte."""
    session = sample(name)
    recorded = [event.data.content[0]["text"] for event in session.events if is_told(event)]
    assert [reading.text for reading in as_recorded_run(session).readings] == recorded


def is_told(event: object) -> bool:
    """Tell whether an event is a reading."""
    return isinstance(event, UserMessage) and is_reading_event(event)


def test_the_bug_hunt_takes_ten_minutes() -> None:
    """With one retry, and one turn the person stops."""
    session = sample("bug-hunt")
    span_min = (session.events[-1].time_ms - session.events[0].time_ms) / 60_000
    assert (9 < span_min < 11, max(step.requests for step in session.steps)) == (True, 2)
    assert [turn.reason for turn in session.turns].count("aborted") == 1


def test_the_day_has_a_lunch_break_and_a_night() -> None:
    """Gaps of about an hour, four hours and sixteen hours between turns."""
    session = sample("lunch-and-overnight")
    starts, ends = [turn.start_ms for turn in session.turns], [turn.end_ms or 0 for turn in session.turns]
    gaps_min = sorted((start - end) // 60_000 for start, end in zip(starts[1:], ends[:-1], strict=True))
    assert gaps_min[-3:] == [52, 235, 945]


def test_the_refactor_has_five_hundred_steps() -> None:
    """With a provider's failure, a limit that was hit, and shortened results."""
    session = sample("long-refactor")
    prunes = sum(isinstance(event, CompactionPrune) for event in session.events)
    assert (len(session.steps), prunes > 0) == (500, True)
    assert {turn.reason for turn in session.turns} == {"completed", "error", "max-tokens"}


def test_the_fold_repeats_an_hour() -> None:
    """Readings at 01 o'clock come with both offsets, and local time goes back between them."""
    texts = [reading.text.split("\n")[0] for reading in as_recorded_run(sample("dst-fold")).readings]
    hours = [text.split(": ")[1] for text in texts]
    offsets = [hour[19:25] for hour in hours if hour.startswith("2026-11-01T01:")]
    assert offsets == sorted(offsets, reverse=False)
    assert set(offsets) == {"-04:00", "-05:00"}
    assert [hour[:19] for hour in hours] != sorted(hour[:19] for hour in hours)


def test_two_browsers_disagree() -> None:
    """Shanghai, New York, none, and for some steps both."""
    told = [parse_reading(reading.text) for reading in as_recorded_run(sample("two-browser-zones")).readings]
    zones = {reading.browser_zone.zones for reading in told if reading.browser_zone}
    assert zones == {("Asia/Shanghai",), ("America/New_York",), (), ("America/New_York", "Asia/Shanghai")}


def test_the_clock_steps_back_twice() -> None:
    """Two instants lie before the ones they follow, and a reading is due at once."""
    session = sample("clock-steps-back")
    times = [event.time_ms for event in session.events]
    back = [now - before for before, now in pairwise(times) if now < before]
    assert [round(ms / 1000) for ms in back] == [-90, -86_400]
    ages = [attempt.age_ms for attempt in as_recorded_run(session).attempts if (attempt.age_ms or 0) < 0]
    assert len(ages) == 2


def test_the_compacted_session_loses_its_readings_twice() -> None:
    """Both times most readings are shadowed."""
    run = as_recorded_run(sample("two-compactions"))
    assert [compaction.shadowed_readings > 20 for compaction in run.compactions] == [True, True]


def test_the_resumed_session_was_taken_up_three_times() -> None:
    """Once after a crash, and one prompt was refused."""
    session = sample("resumed-three-times")
    assert sum(isinstance(event, EndSeed) for event in session.events) == 3
    assert {turn.reason for turn in session.turns} == {"completed", "interrupted", "blocked"}

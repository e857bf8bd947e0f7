"""A session's rows are the same by whichever way they were measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import log
from tests.sweep.logs import content, write_fork, write_logs
from timectx.replay import Compaction, Scenario, SummaryReply, SummaryRequest, deliveries
from timectx.replay.deliveries import too_many_ticks
from timectx.sweep import measuring, sweep_sessions
from timectx.sweep.measuring import parts_of


def own_summary(request: SummaryRequest) -> SummaryReply:
    """Write a summary in a way that only a replay can ask for."""
    return SummaryReply("Summary.")


SMALL = Compaction(context_window=6000, settings={"thresholdRatio": 0.5, "retainTokens": 500})
ASKED = [
    *(Scenario(interval_ms=ms) for ms in (0, 30_000, 600_000)),
    Scenario(policy="turn"),
    Scenario(interval_ms=60_000, policy="interval | after-compaction", compaction=SMALL),
    Scenario(compaction=Compaction(context_window=6000, summary=own_summary)),
    Scenario(edition="note", interval_ms=60_000),
    Scenario(edition="current", model="claude-opus-4-5"),
    Scenario(delivery="system-prompt", interval_ms=60_000),
    Scenario(delivery="tool", tool_calls=2),
    Scenario(counter="chars/3", interval_ms=60_000),
    Scenario(meter="reported", interval_ms=60_000),
    "as-recorded",
]


@pytest.mark.parametrize("compiles", [False, True])
def test_columns_and_replays_give_the_same_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiles: bool
) -> None:
    """Whether or not the kernel takes a scenario, and whether or not it is compiled; forks count their part alone."""
    if compiles:
        pytest.importorskip("numba")
        monkeypatch.setattr(measuring, "_least_work", lambda: 0)
    monkeypatch.setattr(measuring, "is_compiled", lambda: False)
    monkeypatch.setattr(measuring, "_compiles", lambda: compiles)
    write_logs(tmp_path, 2, steps=20)
    write_fork(tmp_path)
    by_columns = content(sweep_sessions(tmp_path, ASKED))
    monkeypatch.setattr(measuring, "misfit", lambda scenario, facts: "not today")
    assert by_columns == content(sweep_sessions(tmp_path, ASKED))


def test_a_fork_without_a_step_of_its_own_counts_nothing(tmp_path: Path) -> None:
    """Whatever it took over counts with its parent, all of it."""
    parent, child = write_fork(tmp_path, turns=10**6)
    assert len(parent.read_bytes().splitlines()) == len(child.read_bytes().splitlines())
    frame = sweep_sessions([parent, child], [Scenario(), Scenario(interval_ms=60_000)])
    own = frame[frame["session"] == "child"]
    sums = ["attempts", "steps", "requests", "readings", "input_tokens", "blind_steps", "cached_input_tokens"]
    assert own[sums].sum().sum() == 0
    assert own["inherited_steps"].tolist() == frame["steps"][:2].tolist()


@pytest.mark.parametrize("fits", [True, False])
def test_a_timer_that_ticks_too_often_costs_only_its_row(monkeypatch: pytest.MonkeyPatch, fits: bool) -> None:
    """The other rows of the session stay, and one problem says what would do."""
    if not fits:
        monkeypatch.setattr(measuring, "misfit", lambda scenario, facts: "not today")
    first = log().turn().prompt("hi").step().reply("ok").end_turn()
    long = first.at(200_002_000).turn().prompt("hi").step().reply("ok").end_turn().build()
    asked = [Scenario(delivery="timer", interval_ms=ms) for ms in (1500, 3000, 1000)]
    frame = sweep_sessions([long], [*asked, Scenario()], cache=False)
    text = f"{too_many_ticks(200_002_000, 1000)} (1 more of the scenarios would make too many)"
    problem = {"path": "a session in memory", "line": 0, "kind": "timer", "message": text, "refused": False}
    assert frame[["interval_ms", "delivery"]].values.tolist() == [[3000, "timer"], [0, "appended"]]
    assert frame.attrs["problems"] == [problem]
    alone = sweep_sessions([long], asked[2], cache=False)
    message = f"a session in memory: {too_many_ticks(200_002_000, 1000)}"
    assert len(alone) == 0
    assert alone.attrs["problems"] == [{**problem, "message": message, "refused": True}]


def test_a_fork_leaves_out_the_same_timers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows that count its own part alone are as many as the others."""
    monkeypatch.setattr(deliveries, "MOST_TICKS", 3)
    asked = [Scenario(delivery="timer", interval_ms=1000), Scenario(interval_ms=60_000), Scenario()]
    frame = sweep_sessions(write_fork(tmp_path), asked)
    assert content(frame)[0] == content(sweep_sessions(write_fork(tmp_path), asked[1:]))[0]
    assert [each["kind"] for each in frame.attrs["problems"]] == ["timer"] * 2


def test_only_what_does_not_fit_is_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One function of one's own does not slow the rest down."""
    replayed: list[Scenario] = []

    def replaying(session: object, scenarios: list[Scenario], **rest: object) -> Any:
        replayed.extend(scenarios)
        return replay(session, scenarios, **rest)

    replay: Any = measuring.replay_columns
    monkeypatch.setattr(measuring, "replay_columns", replaying)
    frame = sweep_sessions(write_logs(tmp_path, 2), ASKED)
    assert len(frame) == 2 * len(ASKED)
    assert replayed == [ASKED[5]] * 2


def test_a_numba_that_does_not_work_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel runs as plain Python then, and nothing is lost but time."""

    def broken() -> object:
        raise ImportError("Numba needs NumPy 2.4 or less")

    for name, value in (("compiled_kernel", broken), ("is_compiled", lambda: False), ("can_compile", lambda: True)):
        monkeypatch.setattr(measuring, name, value)
    monkeypatch.setattr(measuring, "_least_work", lambda: 0)
    measuring._compiles.cache_clear()
    frame = sweep_sessions(write_logs(tmp_path, 1), Scenario())
    measuring._compiles.cache_clear()
    assert (len(frame), frame.attrs["problems"]) == (1, [])


def test_scenarios_of_one_key_share_columns() -> None:
    """Counters of one's own are told apart by what they are, not by what they are called."""
    first, second = (lambda text: 1), (lambda text: 2)
    asked = [Scenario(counter=first), Scenario(counter=second), Scenario(counter=first, interval_ms=1000), Scenario()]
    parts = parts_of(list(enumerate(asked)))
    assert [[place for place, _ in part.scenarios] for part in parts] == [[0, 2], [1], [3]]
    assert [part.name is None for part in parts] == [True, True, False]

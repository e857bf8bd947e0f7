"""Test that sessions are drawn the same way everywhere, and that doubt about a choice shows."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.sweep.advice.frames import CURVE, Row, row, sweep
from timectx.sweep.advice.bootstrap import drawings
from timectx.sweep.advice.tuning import tune


def halves(fresh: int, stale: int) -> list[Row]:
    """Return sessions that need a short interval, and some that a long one serves as well."""
    rows = []
    for at in range(fresh + stale):
        name = f"s-{at:02}"
        late = 200_000 if at < fresh else 50_000
        rows += [row(0, [0] * 10, spent=9000, session=name), row(600_000, [late] * 10, spent=100, session=name)]
    return rows


def splitmix(state: int, count: int) -> list[int]:
    """Return the first numbers of SplitMix64 as its authors wrote it down."""
    numbers = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
        numbers.append(mixed ^ (mixed >> 31))
    return numbers


@pytest.mark.parametrize("seed", [0, 1_234_567])
def test_drawings_follow_from_the_generator_that_is_named(seed: int) -> None:
    """The numbers come from a rule that is written down, so they are the same with every release."""
    assert splitmix(1_234_567, 2) == [6457827717110365317, 3203168211198807973]
    places = [(number >> 32) * 3 >> 32 for number in splitmix(seed, 12)]
    counts = [Counter(places[at : at + 3]) for at in range(0, 12, 3)]
    expected = [[each[0], each[1], 0, each[2]] for each in counts]
    assert drawings([True, True, False, True], 4, seed).tolist() == [[1, 1, 1, 1], *expected]


@pytest.mark.parametrize("seed", [0, -1, 2**64 + 5])
def test_each_drawing_takes_as_many_sessions_as_there_are(seed: int) -> None:
    """Those that cannot be drawn are in none."""
    active = [True] * 40 + [False] * 3
    drawn = drawings(active, 300, seed)[1:]
    assert (drawn.sum(axis=1) == 40).all()
    assert drawn[:, 40:].sum() == 0
    assert 0.8 < drawn[:, :40].mean(axis=0).min() < drawn[:, :40].mean(axis=0).max() < 1.2


def test_fewer_than_two_sessions_are_not_drawn() -> None:
    """There is nothing to draw from; every session once is all there is."""
    assert drawings([True, False], 5, 1).tolist() == [[1, 1]]
    assert drawings([], 5, 1).tolist() == [[]]


def test_sessions_that_disagree_show_as_doubt() -> None:
    """One session in ten tips the limit at 95 %, so most drawings hold too many of them, and some none."""
    found = tune(sweep(*halves(2, 18)), max_staleness_ms=60_000)
    assert (found.interval_ms, found.low_ms, found.high_ms, found.resamples) == (0, 0, 600_000, 200)
    assert found.same_ratio is not None
    assert 0.5 < found.same_ratio < 0.95
    assert (
        f"With the 20 sessions drawn again 200 times, {100 * found.same_ratio:.1f} % of the choices are the same, "
        in (found.reasons[-1])
    )
    assert found.reasons[-1].endswith("and nine of ten lie from 0 to 10m.")


def test_sessions_that_agree_leave_no_doubt() -> None:
    """The same session twenty times gives one choice in all drawings."""
    rows = [{**each, "session": f"s-{at}"} for at in range(20) for each in CURVE]
    found = tune(sweep(*rows))
    assert (found.low_ms, found.high_ms, found.same_ratio, found.unmet_ratio) == (300_000, 300_000, 1.0, 0.0)


def test_drawings_in_which_no_setting_keeps_the_limits_are_counted() -> None:
    """A limit that is kept only just is not kept by every set of sessions."""
    rows = [each for each in halves(1, 19) if each["interval_ms"]]
    found = tune(sweep(*rows), max_staleness_ms=60_000)
    assert found.unmet_ratio is not None
    assert found.same_ratio == 1 - found.unmet_ratio
    assert 0.1 < found.unmet_ratio < 0.5
    assert f"; in {100 * found.unmet_ratio:.1f} % no setting keeps the limits." in " ".join(found.reasons)


def test_the_seed_decides_the_drawings_and_nothing_else_does() -> None:
    """The same seed gives the same shares, another one others; the choice does not depend on it."""
    frame = sweep(*halves(2, 18))
    shares = {seed: tune(frame, max_staleness_ms=60_000, seed=seed).same_ratio for seed in (0, 1, 2)}
    assert len(set(shares.values())) > 1
    assert tune(frame, max_staleness_ms=60_000, seed=1).same_ratio == shares[1]
    assert tune(frame, max_staleness_ms=60_000, resamples=0).same_ratio is None


def test_the_range_is_that_of_settings_alike() -> None:
    """An interval of another delivery says nothing about this one."""
    rows = []
    for each in halves(2, 18):
        other = {"scenario": "10m, replaced", "delivery": "replaced"} if each["interval_ms"] else {}
        rows.append({**each, **other})
    found = tune(sweep(*rows), max_staleness_ms=60_000)
    assert (found.low_ms, found.high_ms) == (0, 0)
    assert found.same_ratio is not None
    assert found.same_ratio < 1

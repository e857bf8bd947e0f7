"""Steps are passed over up to the first that a look at each one by itself would stop at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from timectx.replay import Compaction, Scenario, ShareOfShadowed
from timectx.replay.policies import interval_holds
from timectx.sweep.flat.codes import CLEAR_TOKENS
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.kernel.passing import calling_step, clear_until, due_step, pressing_step
from timectx.synthetic import synthetic_session

COLUMNS = columns_of(
    synthetic_session(5, steps=140),
    Scenario(compaction=Compaction(context_window=10**6, summary=ShareOfShadowed(0.5))),
).lists
STEPS = len(COLUMNS["p_now"])
BLOCKS = tuple(COLUMNS[name] for name in ("b_plain", "b_late", "b_least", "b_most"))
PRESSED = tuple(COLUMNS[name] for name in ("p_compact", "p_header", "p_prompt", "p_ahead", "p_there", "p_late"))
rows = st.integers(1, STEPS - 1)
surfaces = st.integers(-200_000, 50_000)


def pressure(row: int, on_surface: int) -> int:
    """Return the pressure before a step as it is defined."""
    p_compact, p_header, p_prompt, p_ahead, p_there, late = (values[row] for values in PRESSED)
    return max(p_compact + p_header + on_surface, late + p_prompt * (p_ahead + on_surface) // p_there)


@given(rows, rows, st.integers(-(10**6), 10**7), st.integers(0, 10**7))
def test_a_reading_is_due_at_the_first_step_at_which_it_is(
    row: int, stop: int, before_ms: int, interval_ms: int
) -> None:
    """Old enough, or the clock before it."""
    now, base_ms = COLUMNS["p_now"], COLUMNS["p_now"][row] - before_ms
    found = due_step(row, stop, base_ms, interval_ms, now, COLUMNS["b_first"], COLUMNS["b_last"])
    due = [step for step in range(row, stop) if interval_holds(now[step], base_ms, interval_ms)]
    assert found == (due[0] if due else stop)


@given(rows, rows, surfaces, st.integers(0, 400_000), st.integers(0, 400_000), st.sampled_from((0, 70)))
def test_pressure_is_found_where_it_is_and_its_peak_kept(
    row: int, stop: int, on_surface: int, threshold: int, peak: int, more: int
) -> None:
    """The first step that reaches the threshold, and the largest pressure before it."""
    stop = max(stop, row + 1)
    usage = PRESSED[5][row] + PRESSED[2][row] * (PRESSED[3][row] + on_surface) // PRESSED[4][row] + more
    first = max(PRESSED[0][row] + PRESSED[1][row] + on_surface, usage)
    measured = [first, *(pressure(step, on_surface) for step in range(row + 1, stop))]
    reaching = [at for at, each in enumerate(measured) if each >= threshold]
    passed = measured[: reaching[0]] if reaching else measured
    found = pressing_step(row, stop, on_surface, more, threshold, peak, PRESSED, BLOCKS)
    assert found == (row + len(passed), max([peak, *passed]))


@given(rows, rows, surfaces, st.integers(0, 400_000), st.integers(0, CLEAR_TOKENS))
def test_where_it_is_clear_no_reading_brings_the_pressure_to_the_limit(
    row: int, stop: int, on_surface: int, limit: int, grown: int
) -> None:
    """With as many tokens more as may come, and as many again in the first step."""
    stop = max(stop, row + 1)
    until = clear_until(row, stop, on_surface, limit, BLOCKS)
    assert row <= until <= stop
    assert all(pressure(step, on_surface + grown) + grown < limit for step in range(row, until))


def test_the_clock_is_called_again_in_the_next_turn() -> None:
    """A turn that has called as often as it may is passed over."""
    attempts, turns = [0, 1, 2, 3], [5, 5, 6, 6]
    assert [calling_step(0, 4, 5, calls, 1, attempts, turns) for calls in (0, 1)] == [0, 2]
    assert calling_step(0, 4, 5, 0, 0, attempts, turns) == 4

"""Readings that the model sees are entries; those that go leave the others in their order."""

from __future__ import annotations

from timectx.sweep.flat.codes import HELD, NEVER, NONE, STRAY, SURFACE
from timectx.sweep.kernel.holding import keep_entry, let_go, loose_from, shadow_entries


def entries(*kinds: int) -> tuple[list[int], ...]:
    """Return one entry a kind, each of its own place, time, price and attempt."""
    count = range(len(kinds))
    return (
        list(kinds),
        [10 * at for at in count],
        [1000 * at for at in count],
        [0 for _ in count],
        [70 + at for at in count],
        list(count),
        [0 for _ in count],
        list(count),
        [500 for _ in count],
        list(count),
    )


def test_an_entry_moves_whole() -> None:
    """All its columns go along."""
    table = entries(SURFACE, STRAY, HELD)
    keep_entry(table, 0, 2)
    assert [column[0] for column in table] == [column[2] for column in table]


def test_the_reading_beside_the_surface_goes_alone() -> None:
    """What entered after it moves up."""
    table = entries(SURFACE, HELD, STRAY)
    assert let_go(3, table) == 2
    assert (table[0][:2], table[5][:2]) == ([SURFACE, STRAY], [0, 2])


def test_a_replacement_takes_the_readings_between_its_first_and_last_node() -> None:
    """Those before it stay where they are; those behind it are as far off as the surface has shrunk."""
    table = entries(SURFACE, SURFACE, SURFACE, SURFACE)
    found = shadow_entries(4, 1, 99, 0, (5, 25, 0, NEVER, -300), table, [NONE] * 4, [])
    assert found == (2, 71 + 72, 0, 70)
    assert (table[5][:2], table[8][:2]) == ([0, 3], [500, 200])


def test_loose_readings_at_the_edges_go_with_it_up_to_one_that_the_log_kept() -> None:
    """A reading without a counterpart in the log is loose, and so is one whose counterpart is gone."""
    table = entries(*(SURFACE,) * 5)
    gone = [NEVER, 50, NONE, NONE, NEVER]  # the log kept the first and the last
    found = shadow_entries(5, 1, 99, 1, (25, 25, 0, NEVER, 0), table, gone, [])
    assert (found[0], table[5][:2]) == (2, [0, 4])


def test_of_what_goes_the_part_that_no_request_has_held_is_told() -> None:
    """It was never sent, and so not sent for the first time either."""
    table = entries(SURFACE, SURFACE)
    table[6][1] = 3
    assert shadow_entries(2, 3, 99, 0, (0, 20, 0, NEVER, 0), table, [NONE] * 2, []) == (0, 141, 71, 0)


def test_a_stray_goes_when_its_own_node_does() -> None:
    """Its place does not matter."""
    table = entries(STRAY, STRAY)
    assert shadow_entries(2, 1, 99, 1, (0, 5, 0, NEVER, 0), table, [], [7, 99])[0] == 1
    assert table[5][0] == 0


def test_a_reading_of_no_attempt_is_always_loose() -> None:
    """A timer's ticks have no counterpart."""
    assert (loose_from(NONE, []), loose_from(0, [8])) == (NONE, 8)

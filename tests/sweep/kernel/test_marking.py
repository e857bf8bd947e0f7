"""Marks noted in passing are those that a cache would have set one by one."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timectx.cost.cache import CACHE_RULES, FIRST_MARK, new_marks, split_input
from timectx.sweep.kernel.marking import add_marks, rule_from

GROWTHS = st.lists(st.tuples(st.integers(0, 900), st.integers(0, 300), st.integers(1, 5)), min_size=1, max_size=9)
"""Of each further request what its prompt gains beside the last reply, its reply, and its new nodes."""


@pytest.mark.parametrize("name", ["deepseek-units", "anthropic-1h", "openai-breakpoints"])
@given(GROWTHS, st.integers(0, 500), st.integers(0, 9))
def test_requests_that_only_grew_leave_the_marks_of_each(
    name: str, growths: list[tuple[int, int, int]], shift: int, more: int
) -> None:
    """Positions, times and nodes, as if each request had been split by itself."""
    rule = CACHE_RULES[name].ints
    replies = [7, *(reply for _, reply, _ in growths)]
    grown = [gained + last for (gained, _, _), last in zip(growths, replies, strict=False)]
    prompts = [1500, *(1500 + total for total in accumulate(grown))]
    nodes = [2, *(2 + total for total in accumulate(count for _, _, count in growths))]
    times = [1000 * at for at in range(len(prompts))]
    marks, count = new_marks(len(prompts)), FIRST_MARK
    for at, prompt in enumerate(prompts):
        came = nodes[at] + more if at == 0 else nodes[at] - nodes[at - 1]
        count = split_input(
            rule, *marks, count, 1000 if at else 0, prompt + shift, prompts[at - 1] + shift if at else 0, came,
            replies[at], 0, 0,
        )[2]  # fmt: skip
        if at == 0:
            begun, first = tuple(list(part) for part in marks), count
    runs_of = ([1], [len(prompts)], [shift], [more])
    added = add_marks(rule, begun, first, 10**9, 1, runs_of, (prompts, replies, times, nodes), 0)
    assert added == count
    assert [part[FIRST_MARK:added] for part in begun] == [part[FIRST_MARK:count] for part in marks]


def test_marks_beyond_the_reach_are_left_out() -> None:
    """They would be dropped with the next prompt."""
    rule = CACHE_RULES["deepseek-units"].ints
    marks = new_marks(4)
    requests_of = ([100, 250, 400], [20, 0, 30], [0, 1000, 2000], [1, 3, 5])
    counts = [
        add_marks(rule, marks, FIRST_MARK, reach, 1, ([0], [3], [0], [0]), requests_of, 0) for reach in (99, 110, 399)
    ]
    assert [count - FIRST_MARK for count in counts] == [0, 1, 3]


def test_a_rule_comes_out_of_a_row_of_rules() -> None:
    """Eleven numbers from the place where it begins."""
    rows = [number for rule in CACHE_RULES.values() for number in rule.ints]
    assert [rule_from(rows, 11 * at) for at in range(len(CACHE_RULES))] == [rule.ints for rule in CACHE_RULES.values()]

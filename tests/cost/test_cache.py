"""Hold the cache function to the rules of the providers, and to a slow cache that stores whole texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.cost.oracle import NaiveCache, Request, Tokens, common_tokens
from tests.cost.strategies import RULES, streams
from timectx.cost.cache import CACHE_RULES, FIRST_MARK, MARKS_PER_REQUEST, CacheRule, new_marks, split_input

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


def splits(rule: CacheRule, rows: Iterable[tuple[int, ...]], split: Callable[..., Any] = split_input) -> list[Any]:
    """Return what each request reads and writes; a row is what the function takes after the marks."""
    rows = list(rows)
    marks, count, found = new_marks(len(rows)), FIRST_MARK, []
    for row in rows:
        hit, written, count = split(rule.ints, *marks, count, *row)
        found.append((hit, written))
    return found


def rows_of(requests: Iterable[Request]) -> list[tuple[int, ...]]:
    """Return requests the way the cache function is told of them."""
    rows: list[tuple[int, ...]] = []
    previous: Tokens = ()
    for request in requests:
        stable = common_tokens(previous, request.prompt)
        rest = (request.new_nodes, len(request.reply), request.header_tokens, request.line_tokens)
        rows.append((request.idle_ms, len(request.prompt), stable, *rest))
        previous = request.prompt
    return rows


def row(
    input_tokens: int,
    stable_tokens: int = 0,
    *,
    idle_ms: int = 0,
    nodes: int = 2,
    reply: int = 0,
    header: int = 0,
    line: int = 0,
) -> tuple[int, ...]:
    """Return one request for `splits`."""
    return (idle_ms, input_tokens, stable_tokens, nodes, reply, header, line)


@given(RULES, streams())
def test_positions_say_what_whole_texts_would(rule: CacheRule, requests: list[Request]) -> None:
    """Under any rule, every request reads and writes what a cache of whole prefixes finds."""
    slow = NaiveCache(rule)
    assert splits(rule, rows_of(requests)) == [slow.split(request) for request in requests]


@given(RULES, streams())
def test_read_and_written_are_parts_of_the_prompt(rule: CacheRule, requests: list[Request]) -> None:
    """Neither is negative, and together they are never more than the prompt."""
    rows = rows_of(requests)
    for (hit, written), request in zip(splits(rule, rows), rows, strict=True):
        assert hit >= 0
        assert written >= 0
        assert hit + written <= request[1]


@pytest.fixture(scope="module")
def compiled() -> Callable[..., Any]:
    """Compile the function as it stands."""
    numba = pytest.importorskip("numba", reason="numba is not installed")
    compiled: Callable[..., Any] = numba.njit(split_input)
    return compiled


@given(RULES, streams())
def test_compiled_it_answers_the_same(compiled: Callable[..., Any], rule: CacheRule, requests: list[Request]) -> None:
    """The same source, compiled and fed arrays, gives the same numbers and the same marks."""
    rows = rows_of(requests)
    lists, count = new_marks(len(rows)), FIRST_MARK
    arrays, rule_array = [np.array(column, dtype=np.int64) for column in lists], np.array(rule.ints)
    for request in rows:
        expected = split_input(rule.ints, *lists, count, *request)
        assert compiled(rule_array, *arrays, count, *request) == expected
        count = expected[2]
        assert [column[:count].tolist() for column in arrays] == [column[:count] for column in lists]


@given(RULES, streams(most=40))
def test_a_request_adds_no_more_rows_than_it_says(rule: CacheRule, requests: list[Request]) -> None:
    """The memory for a session can be set aside before."""
    marks, count = new_marks(len(requests)), FIRST_MARK
    for request in rows_of(requests):
        before = count
        _, _, count = split_input(rule.ints, *marks, count, *request)
        assert FIRST_MARK <= count <= before + MARKS_PER_REQUEST


def test_no_rule_reads_or_writes_nothing() -> None:
    """Under ``none`` every prompt is paid in full."""
    assert splits(CACHE_RULES["none"], [row(5000), row(6000, 5000)]) == [(0, 0), (0, 0)]


def test_deepseek_finds_the_end_of_the_last_reply() -> None:
    """A prompt that only grew reads the previous prompt and its reply; nothing is billed for writing."""
    rule = CACHE_RULES["deepseek-units"]
    assert splits(rule, [row(100, reply=20), row(150, 100, reply=10), row(170, 150)]) == [(0, 0), (120, 0), (160, 0)]


def test_deepseek_misses_a_common_prefix_the_first_time() -> None:
    """A + B, then A + C reads nothing; the third, A + D, reads A."""
    rule = CACHE_RULES["deepseek-units"]
    assert splits(rule, [row(100), row(100, 40), row(100, 40)]) == [(0, 0), (0, 0), (40, 0)]


def test_deepseek_lags_by_one_request_behind_a_line_of_its_own() -> None:
    """A line at the end of each request leaves the place before it to be found at the request after the next."""
    rule = CACHE_RULES["deepseek-units"]
    rows = [row(110, line=10), row(160, 100, line=10), row(210, 150, line=10)]
    assert splits(rule, rows) == [(0, 0), (0, 0), (100, 0)]


def test_blocks_are_read_as_far_as_they_are_full() -> None:
    """The older rule keeps every 64 tokens, wherever prompts end."""
    rule = CACHE_RULES["deepseek-blocks-64"]
    assert splits(rule, [row(200), row(300, 200), row(90, 63), row(400, 90)]) == [(0, 0), (192, 0), (0, 0), (64, 0)]


def test_anthropic_reads_up_to_the_last_breakpoint_and_writes_the_rest() -> None:
    """What a prompt adds is written, as far as its end."""
    rule = CACHE_RULES["anthropic-5m"]
    assert splits(rule, [row(2000, header=1500), row(2600, 2000, header=1500)]) == [(0, 2000), (2000, 600)]


def test_anthropic_keeps_the_header_when_everything_behind_it_changes() -> None:
    """A clock in the system prompt rewrites the conversation, but not the tools before it."""
    rule = CACHE_RULES["anthropic-5m"]
    assert splits(rule, [row(9000, header=1500), row(9100, 1500, header=1500)]) == [(0, 9000), (1500, 7600)]


def test_anthropic_looks_no_further_back_than_twenty_blocks() -> None:
    """Nineteen nodes later the last breakpoint is found, twenty later only the header's."""
    rule = CACHE_RULES["anthropic-5m"]
    for nodes, hit in ((19, 2000), (20, 1500)):
        second = row(4000, 2000, nodes=nodes, header=1500)
        assert splits(rule, [row(2000, header=1500), second]) == [(0, 2000), (hit, 4000 - hit)]


def test_anthropic_keeps_nothing_below_its_minimum_and_says_nothing() -> None:
    """A prompt of 1023 tokens is neither read nor written."""
    rule = CACHE_RULES["anthropic-5m"]
    assert splits(rule, [row(1023, header=900), row(1023, 1023, header=900)]) == [(0, 0), (0, 0)]


def test_anthropic_marks_the_place_before_a_line_of_one_request() -> None:
    """The line itself is paid in full; the next prompt reads all before it."""
    rule = CACHE_RULES["anthropic-5m"]
    assert splits(rule, [row(2070, line=70), row(2570, 2000, line=70)]) == [(0, 2000), (2000, 500)]


def test_a_use_keeps_a_mark_alive() -> None:
    """Five minutes count from the last use, and are over at five minutes."""
    rule, four = CACHE_RULES["anthropic-5m"], 4 * MINUTE_MS
    rows = [row(2000), row(2000, 2000, idle_ms=four), row(2000, 2000, idle_ms=four)]
    assert splits(rule, rows)[1:] == [(2000, 0), (2000, 0)]
    assert splits(rule, [row(2000), row(2000, 2000, idle_ms=5 * MINUTE_MS - 1)])[1] == (2000, 0)
    assert splits(rule, [row(2000), row(2000, 2000, idle_ms=5 * MINUTE_MS)])[1] == (0, 2000)


def test_openai_counts_in_steps_of_128_after_the_first_1024() -> None:
    """An automatic cache reads whole steps of the common prefix, and nothing below 1024."""
    rule = CACHE_RULES["openai-automatic"]
    assert splits(rule, [row(1300), row(1500, 1300), row(1500, 1023)]) == [(0, 0), (1024 + 256, 0), (0, 0)]


def test_openai_breakpoints_match_only_exactly() -> None:
    """A change just before the newest breakpoint loses everything after the breakpoint before."""
    rule = CACHE_RULES["openai-breakpoints"]
    rows = [row(2000), row(3000, 2000), row(4000, 2999)]
    assert splits(rule, rows) == [(0, 2000), (2000, 1000), (2000, 2000)]


@pytest.mark.parametrize(("newer", "hit"), [(79, 1024), (80, 0)])
def test_openai_looks_at_the_newest_eighty_breakpoints(newer: int, hit: int) -> None:
    """A mark that lives is found behind 79 that are over, and not behind 80."""
    positions, times, nodes = new_marks(newer)
    row_count = FIRST_MARK + 1 + newer
    positions[1], times[1] = 9000, HOUR_MS
    positions[FIRST_MARK:row_count] = range(1024, 1024 + newer + 1)
    times[FIRST_MARK] = HOUR_MS
    rule = CACHE_RULES["openai-breakpoints"].ints
    assert split_input(rule, positions, times, nodes, row_count, *row(9000, 9000))[0] == hit


def test_every_rule_that_comes_along_has_its_own_name() -> None:
    """The rules are known by name, in the order of the documents."""
    assert list(CACHE_RULES) == [
        "none",
        "deepseek-units",
        "deepseek-blocks-64",
        "anthropic-5m",
        "anthropic-1h",
        "openai-automatic",
        "openai-breakpoints",
    ]
    assert all(name == rule.name for name, rule in CACHE_RULES.items())

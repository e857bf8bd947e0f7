"""Hold the bills of whole replays to their measures, and to what their compactions and headers say."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from timectx.cost import CACHE_RULES, bill_requests, bill_run, billed_table, packaged_prices
from timectx.formats import read_session
from timectx.replay import Compaction, FixedTokens, Run, Scenario, replay_session
from timectx.synthetic import sample_paths

HEADER = 2004


def ten_steps() -> LogBuilder:
    """Return a log of ten steps of 100 tokens each, under a header of `HEADER` tokens."""
    written = log(tick_ms=1000).turn().prompt("hi")
    for step in range(10):
        written.step()
        if step == 0:
            written.header(system="s" * 8000)
        written.reply("y" * 368)
    return written.end_turn()


def replayed(**knobs: object) -> Run:
    """Return the run of that log under a scenario of some knobs."""
    return replay_session(ten_steps().build(), Scenario().replace(**knobs))


def compacted(**knobs: object) -> Run:
    """Return the same with a compaction whenever header and surface come to 2500 tokens."""
    settings = {"thresholdRatio": 0.5, "retainTokens": 100}
    compaction = Compaction(settings=settings, context_window=5000, summary=FixedTokens(30))
    return replayed(compaction=compaction, **knobs)


@pytest.mark.parametrize("name", list(sample_paths()))
@pytest.mark.parametrize("cache", list(CACHE_RULES))
def test_the_parts_of_a_bill_are_the_tokens_of_its_run(name: str, cache: str) -> None:
    """Read, written and uncached are all that was sent, under every rule and either meter."""
    session = read_session(sample_paths()[name])
    for meter in ("estimate", "reported"):
        run = replay_session(session, Scenario(interval_ms=60_000, meter=meter, cache=cache))
        bill = bill_run(run)
        parts = bill.cached_input_tokens + bill.written_input_tokens + bill.uncached_input_tokens
        assert parts == run.measures.input_tokens
        assert bill.output_tokens == sum(request.output_tokens for request in run.requests)
        assert bill.unpriced == ()
        assert bill.meter == meter


def test_requests_know_their_header() -> None:
    """A cache that marks the header's end needs its length."""
    assert {request.header_tokens for request in replayed().requests} == {HEADER}


def test_a_simulated_compaction_is_on_the_bill() -> None:
    """Its summary is asked of the model in force, and paid in full."""
    run = compacted(cache="none")
    bill = bill_run(run)
    asked, written = run.measures.compaction_input_tokens, run.measures.compaction_output_tokens
    assert (asked > HEADER, written) == (True, 30 * len(run.compactions))
    assert bill.uncached_input_tokens == run.measures.input_tokens + asked
    assert bill.output_tokens == sum(request.output_tokens for request in run.requests) + written
    assert {(each.provider, each.model) for each in run.compactions} == {("p", "m")}


def test_a_compaction_makes_the_cache_forget_all_but_the_header() -> None:
    """What stands behind the header is written anew in the next request."""
    run = compacted(cache="anthropic-5m")
    table = billed_table(run, packaged_prices())
    split = bill_requests(run.requests, table)
    after = [number for number, request in enumerate(run.requests) if number and request.stable_tokens == HEADER]
    assert len(after) == len(run.compactions)
    assert [split[number] for number in after] == [
        (HEADER, run.requests[number].input_tokens - HEADER) for number in after
    ]


def test_appended_readings_leave_the_cache_alone() -> None:
    """Every request reads all of the prompt before it, however often a reading is added."""
    run = replayed(interval_ms=0, cache="deepseek-units")
    split = bill_requests(run.requests, billed_table(run, packaged_prices()))
    before = [request.input_tokens + request.reply_tokens for request in run.requests]
    assert [hit for hit, _ in split] == [0, *before[:-1]]


@pytest.mark.parametrize(
    ("cache", "cached"),
    [
        ("anthropic-5m", {"system-prompt": 9 * HEADER, "request-line": 21_717, "appended": 24_768}),
        ("deepseek-units", {"system-prompt": 8 * HEADER, "request-line": 18_904, "appended": 25_668}),
        ("openai-breakpoints", {"system-prompt": 0, "request-line": 0, "appended": 24_768}),
    ],
)
def test_where_the_reading_stands_decides_what_the_cache_gives(cache: str, cached: dict[str, int]) -> None:
    """In the system prompt it costs all that follows, and in a line of its own what the provider stored with it."""
    runs = {name: replayed(interval_ms=0, cache=cache, delivery=name) for name in cached}
    assert {name: bill_run(run).cached_input_tokens for name, run in runs.items()} == cached
    for name, run in runs.items():
        assert any(request.line_tokens for request in run.requests) == (name == "request-line")

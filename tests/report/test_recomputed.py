"""Every number of a report can be recomputed by hand from what ``timectx replay --json`` prints of one session."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

import pytest

from tests.cli.logs import run_json
from tests.report.reading import Page
from timectx import Scenario
from timectx.report import report_html
from timectx.sweep import sweep_sessions, tune
from timectx.synthetic import sample_paths

INTERVALS = {"every attempt": "0", "1m": "1m", "10m": "10m"}
SAMPLES = ("two-compactions", "two-browser-zones")
Document = dict[str, Any]


@cache
def document(sample: str, interval: str) -> Document:
    """Return what the command line prints of a sample; an empty interval means as recorded."""
    how = ("--interval", interval) if interval else ("--as-recorded",)
    return run_json("replay", sample_paths()[sample], *how, "--json")


@cache
def report(sample: str) -> tuple[Page, str]:
    """Return the report on a sample under three intervals, and the name of the one it recommends."""
    intervals_ms = (0, 60_000, 600_000)
    frame = sweep_sessions(
        sample_paths()[sample], [*(Scenario(interval_ms=each) for each in intervals_ms), "as-recorded"], cache=False
    )
    found = tune(frame)
    return Page(report_html(frame, found)), {0: "every attempt", 60_000: "1m", 600_000: "10m"}[found.interval_ms]


# ---- by hand ----


def words(value_ms: int | None) -> str:
    """Write a duration: days, hours, minutes, seconds, milliseconds, those that are not 0."""
    if value_ms is None:
        return "none"
    sizes = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
    parts, rest = [], abs(value_ms)
    for unit, size in sizes.items():
        if rest // size:
            parts.append(f"{rest // size}{unit}")
        rest %= size
    return ("-" if value_ms < 0 else "") + (" ".join(parts) or "0")


def percent(part: int, whole: int) -> str:
    """Write a share with two digits, halves up."""
    hundredths = int(Fraction(10_000 * part, whole) + Fraction(1, 2))
    return f"{hundredths // 100:,}.{hundredths % 100:02d} %"


def rank(values: list[int], quantile: Fraction) -> int | None:
    """Return the smallest value that so many of the values do not exceed."""
    return sorted(values)[ceil(quantile * len(values)) - 1] if values else None


def rounded_up(value_ms: int | None) -> int | None:
    """Round up to the next second, 5 seconds, minute, 10 minutes or hour, the longer the coarser."""
    if value_ms is None:
        return None
    minute = 60_000
    for below, size in ((minute, 1000), (10 * minute, 5000), (60 * minute, minute), (360 * minute, 10 * minute)):
        if value_ms <= below:
            return -(-value_ms // size) * size
    return -(-value_ms // (60 * minute)) * 60 * minute


def dollars(pico_usd: int) -> str:
    """Write an amount with four digits, halves up."""
    tenths_of_a_mill = int(Fraction(pico_usd, 10**8) + Fraction(1, 2))
    return f"${tenths_of_a_mill // 10_000:,}.{tenths_of_a_mill % 10_000:04d}"


def staleness(of: Document) -> list[int]:
    """Return the staleness of every step that sees a reading."""
    return [step["staleness_ms"] for step in of["steps"] if step["staleness_ms"] is not None]


def added(of: Document) -> int:
    """Sum the prices of the readings."""
    return sum(reading["price_tokens"] for reading in of["readings"])


def resent(of: Document) -> int:
    """Sum what later requests paid for them again."""
    return sum(reading["price_tokens"] * reading["resent_requests"] for reading in of["readings"])


def sent(of: Document) -> int:
    """Sum what all requests held."""
    return sum(step["input_tokens"] for step in of["steps"])


def blind(of: Document) -> int:
    """Count the steps that see no reading."""
    return sum(step["staleness_ms"] is None for step in of["steps"])


def longest_blind(of: Document) -> tuple[int, int]:
    """Return the most blind steps in a row, and the longest time from one until a step that sees a reading."""
    longest_steps = longest_ms = row = 0
    began = None
    for step in of["steps"]:
        if began is not None:
            longest_ms = max(longest_ms, step["now_ms"] - began)
        if step["staleness_ms"] is None:
            row, began = row + 1, step["now_ms"] if began is None else began
            longest_steps = max(longest_steps, row)
        else:
            row, began = 0, None
    return longest_steps, longest_ms


def spending(of: Document) -> dict[str, str]:
    """Return what a row says of tokens."""
    return {
        "readings": f"{len(of['readings']):,}",
        "added, tokens": f"{added(of):,}",
        "resent, tokens": f"{resent(of):,}",
        "share, % of input": percent(added(of) + resent(of), sent(of)),
    }


def freshness(of: Document, *, exact: bool) -> dict[str, str]:
    """Return what a row says of staleness; quantiles over sessions are rounded up, the largest never is."""
    values = staleness(of)
    quantiles = [rank(values, Fraction(1, 2)), rank(values, Fraction(95, 100))]
    median, p95 = quantiles if exact else [rounded_up(each) for each in quantiles]
    return {
        "staleness, median": words(median),
        "staleness, 95 %": words(p95),
        "staleness, largest": words(max(values, default=None)),
        "blind, steps": f"{blind(of):,}",
    }


each_sample = pytest.mark.parametrize("sample", SAMPLES)


@each_sample
def test_each_setting_is_what_its_replay_says(sample: str) -> None:
    """Tokens, share, staleness and blind steps of all three intervals, and of what was recorded."""
    rows = {row.pop("setting"): row for row in report(sample)[0].tables["settings"]}
    for row in rows.values():
        row.pop("standing")
    expected = {name: document(sample, interval) for name, interval in {**INTERVALS, "as recorded": ""}.items()}
    assert rows == {name: {**spending(of), **freshness(of, exact=False)} for name, of in expected.items()}


@each_sample
def test_further_measures_are_what_the_replay_says(sample: str) -> None:
    """Requests, input, blind rows, elapsed values, zones, compactions, and the largest surface and pressure."""
    rows = {row.pop("setting"): row for row in report(sample)[0].tables["details"]}
    for name, interval in INTERVALS.items():
        of = document(sample, interval)
        unavailable = sum(reading["elapsed_ms"] is None for reading in of["readings"])
        steps, time_ms = longest_blind(of)
        assert rows[name] == {
            "requests": f"{len(of['requests']):,}",
            "all input, tokens": f"{sum(request['input_tokens'] for request in of['requests']):,}",
            "longest blind, steps": f"{steps:,}",
            "longest blind, time": words(time_ms),
            "no elapsed, % of readings": percent(unavailable, len(of["readings"])),
            "other zone, steps": f"{sum(step['zone_mismatch'] for step in of['steps']):,}",
            "compactions": f"{len(of['compactions']):,}",
            "peak surface, tokens": f"{max(step['surface_tokens'] for step in of['steps']):,}",
            "peak pressure, tokens": f"{of['measures']['peak_pressure_tokens']:,}",
        }


@each_sample
def test_the_bill_is_the_sum_of_its_requests(sample: str) -> None:
    """Cached and other input, output and cost of every request add up to the row."""
    rows = {row.pop("setting"): row for row in report(sample)[0].tables["bill"]}
    for name, interval in INTERVALS.items():
        requests = document(sample, interval)["requests"]
        cached, written = (
            sum(each[key] for each in requests) for key in ("cached_input_tokens", "written_input_tokens")
        )
        assert rows[name] == {
            "cached input, tokens": f"{cached:,}",
            "written input, tokens": f"{written:,}",
            "uncached input, tokens": f"{sum(each['input_tokens'] for each in requests) - cached - written:,}",
            "output, tokens": f"{sum(each['output_tokens'] for each in requests):,}",
            "bill, USD": dollars(sum(each["cost_pico_usd"] for each in requests)),
            "without a price, tokens": "0",
        }


@each_sample
def test_the_cost_of_a_request_is_its_tokens_at_their_rates(sample: str) -> None:
    """What the bill adds up can itself be recomputed."""
    for request in document(sample, "1m")["requests"]:
        rates, cached, written = (
            request["rates_pico_usd"],
            request["cached_input_tokens"],
            request["written_input_tokens"],
        )
        rest = request["input_tokens"] - cached - written
        parts = (cached * rates["cached"], written * rates["write"], rest * rates["input"])
        assert request["cost_pico_usd"] == sum(parts) + request["output_tokens"] * rates["output"]


@each_sample
def test_the_row_of_a_session_is_exact(sample: str) -> None:
    """Under the recommended setting, with quantiles that are not rounded."""
    page, chosen = report(sample)
    of = document(sample, INTERVALS[chosen])
    (row,) = page.tables["session-rows"]
    assert row.pop("as recorded") == document(sample, "")["as_recorded"]["explanation"].partition(" (")[0]
    assert row == {
        "session": "session 1",
        "steps": f"{len(of['steps']):,}",
        "all input, tokens": f"{sent(of):,}",
        **spending(of),
        **freshness(of, exact=True),
    }


@each_sample
def test_the_neighbours_differ_by_what_their_replays_differ(sample: str) -> None:
    """More or less of tokens, staleness, blind steps and cost, each the neighbour's minus the choice's."""
    page, chosen = report(sample)
    ours = document(sample, INTERVALS[chosen])
    for row in page.tables["neighbours"]:
        of = document(sample, INTERVALS[row["next setting"]])
        more = added(of) + resent(of) - added(ours) - resent(ours)
        stale, ours_stale = (rounded_up(rank(staleness(each), Fraction(95, 100))) or 0 for each in (of, ours))
        cost = sum(each["cost_pico_usd"] for each in of["requests"]) - sum(
            each["cost_pico_usd"] for each in ours["requests"]
        )
        assert row == {
            "next setting": row["next setting"],
            "side": "fresher" if stale < ours_stale else "cheaper",
            "share, % of input": percent(added(of) + resent(of), sent(of)),
            "tokens, more or less": f"{more:+,}",
            "tokens, %": f"{100 * more / (added(ours) + resent(ours)):+.1f} %",
            "staleness, 95 %": words(stale),
            "staleness, more or less": ("+" if stale > ours_stale else "") + words(stale - ours_stale),
            "blind steps, more or less": f"{blind(of) - blind(ours):+,}",
            "bill, more or less": ("-" if cost < 0 else "+") + dollars(abs(cost)),
            "limits it breaks": "none",
        }


@each_sample
def test_today_is_the_replay_as_recorded(sample: str) -> None:
    """Each measure of what was recorded stands beside that of the choice."""
    page, chosen = report(sample)
    columns = {"as recorded": document(sample, ""), "recommended": document(sample, INTERVALS[chosen])}
    assert page.tables["today"] == [
        {"measure": name, **{column: today(of)[name] for column, of in columns.items()}}
        for name in today(columns["recommended"])
    ]


def today(of: Document) -> dict[str, str]:
    """Return what the comparison with today says of one replay."""
    fresh = freshness(of, exact=False)
    return {
        "readings": f"{len(of['readings']):,}",
        "tokens added": f"{added(of):,}",
        "tokens resent": f"{resent(of):,}",
        "all input tokens": f"{sent(of):,}",
        "share of tokens": percent(added(of) + resent(of), sent(of)),
        "staleness, median": fresh["staleness, median"],
        "staleness, 95 %": fresh["staleness, 95 %"],
        "staleness, largest": fresh["staleness, largest"],
        "blind steps": f"{blind(of):,}",
        "bill": dollars(sum(each["cost_pico_usd"] for each in of["requests"])),
    }


@each_sample
def test_the_answer_repeats_the_numbers_of_its_row(sample: str) -> None:
    """The figures at the top are those of the recommended setting."""
    page, chosen = report(sample)
    of = document(sample, INTERVALS[chosen])
    spent = f"{added(of) + resent(of):,} of {sent(of):,} input tokens tell the time"
    fresh = freshness(of, exact=False)
    shown = {
        *(chosen, percent(added(of) + resent(of), sent(of)), spent),
        *(fresh["staleness, 95 %"], fresh["blind, steps"], f"of {len(of['steps']):,} steps see no reading"),
    }
    assert shown <= set(page.texts)

"""
Sweep intervals the way one would write it down at first: a frame of all that happens, and a loop over its rows.

One row a thing, in the order of edition ``readme``: a turn or a step that starts, a message that enters, a request with
the reading before it, a reply. The loop keeps what the model sees as a list, compacts it, and splits each prompt into
what the provider's cache holds and the rest. It knows no forks, strays, retries, other deliveries or other policies.
"""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd

from timectx.cost import packaged_prices
from timectx.reading import format_duration, format_reading
from timectx.reading.text import Reading
from timectx.replay import Scenario, nearest_rank, resolve_scenario, timeline_for
from timectx.replay.compaction.priced_surface import node_of
from timectx.replay.schedule import TimeContext
from timectx.results.edges import bin_of, pack_counts
from timectx.session import Session
from timectx.session.events import SURFACE_CLASSES, AssistantMessage, TurnStart

CHECKPOINT_TOKENS: Final = 102
INSTRUCTION_TOKENS: Final = 459
UNAVAILABLE: Final = len("unavailable")
DAY_MS: Final = 86_400_000
INTEGERS: Final = (
    *("time_ms", "tokens", "calls", "step", "length", "header", "prompt", "output", "there"),
    *("input_rate", "cached_rate", "output_rate"),
)


def frame_of(session: Session, scenario: Scenario) -> pd.DataFrame:
    """Return all that happens in a plain session, one row a thing."""
    timeline = timeline_for(session, scenario)
    zone = resolve_scenario(timeline, scenario).time_zone
    context, header, recorded = TimeContext("readme"), 0, 0
    model = ("", "")
    rows: list[dict[str, Any]] = []
    for cue in timeline.cues:
        event = cue.event
        if cue.act == "header":
            header, model = cue.tokens, (cue.provider, cue.model)
        elif cue.act == "own" and event is not None:
            recorded += node_of(event, "readme").tokens  # type: ignore[arg-type]
        elif cue.act == "decide":
            moment = timeline.moments.moments[cue.index]
            reading = context.reading_at(
                moment.now_ms, moment.attempt.turn, moment.attempt.step, fallback=str(zone), entering=moment.entering
            )
            bare = Reading(
                reading.turn, reading.step, reading.time_ms, reading.zone, None, reading.browser_zone, "readme"
            )
            length = len(format_reading(bare)) - UNAVAILABLE
            row = {"kind": "step", "time_ms": moment.now_ms, "header": header}
            row |= _rates(*model, moment.now_ms) | {"zone": reading.zone}
            rows.append(row | {"step": moment.attempt.step, "length": length})
        elif cue.act == "request":
            now_ms = timeline.moments.moments[cue.attempt].now_ms
            rows.append({"kind": "request", "time_ms": now_ms, "header": header} | _rates(*model, now_ms))
        elif event is not None:
            context.apply(event)
            if isinstance(event, TurnStart):
                rows.append({"kind": "turn", "time_ms": event.time_ms})
            elif isinstance(event, SURFACE_CLASSES):
                node = node_of(event, "readme")
                row = {"kind": "message", "time_ms": event.time_ms, "tokens": node.tokens, "calls": node.calls}
                if isinstance(event, AssistantMessage) and event.data.usage is not None:
                    usage = event.data.usage
                    there = header + recorded
                    row |= {"kind": "reply", "prompt": usage.prompt_tokens, "output": usage.output_tokens}
                    row |= {"there": there, "header": header}
                rows.append(row)
                recorded += node.tokens
    frame = pd.DataFrame(rows, columns=["kind", "zone", *INTEGERS])
    return frame.fillna(dict.fromkeys(INTEGERS, 0)).astype(dict.fromkeys(INTEGERS, "int64"))


def replay_interval(frame: pd.DataFrame, interval_ms: int, *, window: int, share: float = 0.1) -> dict[str, Any]:
    """Replay one interval row by row, and return what it comes to."""
    threshold, retain = math.floor(window * 0.8), math.floor(window * 0.16)
    surface: list[tuple[str, int, int, int]] = []  # kind, tokens, calls, and of a reading the request before it
    seen: list[tuple[int, str]] = []  # of each visible reading, time and zone
    marks: list[tuple[int, int]] = []  # what the cache holds: how far, and since when
    staleness: list[int] = []
    ages: list[int] = []
    surface_tokens = overhead = start_tokens = previous_input = 0
    last_reading_ms = last_message_ms = turn_reading_ms = began_ms = first_compaction = None
    changed, due, price, decided_ms, zone, output_rate = True, False, 0, 0, "", 0
    attempts = requests = readings = reading_tokens = resent_tokens = input_tokens = unavailable = mismatches = 0
    compactions = asked_tokens = written_tokens = cached = output = cost = peak_surface = peak_pressure = 0
    blind = blind_first = blind_row = longest_blind = longest_ms = 0
    for row in frame.itertuples(index=False):
        if row.kind == "turn":
            turn_reading_ms = None
        elif row.kind == "step":
            attempts += 1
            pressure = surface_tokens + overhead
            peak_pressure = max(peak_pressure, pressure)
            if surface and pressure >= threshold:
                for _ in range(2):
                    cut = _cut(surface, retain)
                    if cut == 0:
                        break
                    region = sum(tokens for _, tokens, _, _ in surface[:cut])
                    summary = max(1, math.floor(region * share))
                    if CHECKPOINT_TOKENS + summary >= region:
                        break
                    for kind, tokens, _, since in surface[:cut]:
                        if kind == "reading":
                            resent_tokens += tokens * max(0, requests - since - 1)
                            seen.pop(0)
                    surface[:cut] = [("checkpoint", CHECKPOINT_TOKENS + summary, 0, 0)]
                    surface_tokens += CHECKPOINT_TOKENS + summary - region
                    compactions += 1
                    asked = region + row.header + INSTRUCTION_TOKENS
                    asked_tokens += asked
                    written_tokens += summary
                    output += summary
                    cost += asked * row.input_rate + summary * row.output_rate
                    first_compaction = first_compaction or attempts
                    last_message_ms = row.time_ms
                    changed = True
                    if surface_tokens + overhead < threshold:
                        break
            start_tokens = surface_tokens
            age_ms = None if last_reading_ms is None else row.time_ms - last_reading_ms
            if age_ms is not None:
                ages.append(age_ms)
            decided_ms, zone = row.time_ms, row.zone
            due = age_ms is None or age_ms < 0 or age_ms >= interval_ms
            if due:
                since_ms = last_message_ms if row.step == 1 else turn_reading_ms
                unavailable += since_ms is None
                elapsed = UNAVAILABLE if since_ms is None else len(format_duration(max(0, row.time_ms - since_ms)))
                price = math.ceil((row.length + elapsed) / 4) + 8
        elif row.kind == "request":
            if due:
                surface.append(("reading", price, 0, requests))
                surface_tokens += price
                seen.append((decided_ms, zone))
                last_reading_ms = last_message_ms = turn_reading_ms = decided_ms
                readings += 1
                reading_tokens += price
            prompt = row.header + surface_tokens
            if changed:
                stable = row.header if previous_input else 0
                marks = [mark for mark in marks if mark[0] <= stable]
            hit = marks[-1][0] if marks and row.time_ms - marks[-1][1] < DAY_MS else 0
            if changed and previous_input > 0 and (not marks or marks[-1][0] < row.header):
                marks.append((row.header, row.time_ms))
            elif marks:
                marks[-1] = (marks[-1][0], row.time_ms)
            marks.append((prompt, row.time_ms))
            cached += hit
            cost += (prompt - hit) * row.input_rate + hit * row.cached_rate
            changed, previous_input, output_rate = False, prompt, row.output_rate
            input_tokens += prompt
            requests += 1
            peak_surface = max(peak_surface, surface_tokens)
            if began_ms is not None:
                longest_ms = max(longest_ms, decided_ms - began_ms)
            if seen:
                seen_ms, seen_zone = seen[-1]
                staleness.append(0 if due else max(0, decided_ms - seen_ms))
                mismatches += seen_zone != zone
                blind_row, began_ms = 0, None
            else:
                blind += 1
                blind_first += last_reading_ms is None
                blind_row += 1
                longest_blind = max(longest_blind, blind_row)
                began_ms = decided_ms if began_ms is None else began_ms
        else:
            if row.kind == "reply":
                counted = row.prompt * (row.header + surface_tokens) // row.there
                overhead = max(row.header, counted + row.output - start_tokens - row.tokens)
                marks.append((marks[-1][0] + row.tokens, marks[-1][1]))
                output += row.tokens
                cost += row.tokens * output_rate
            surface.append((row.kind, row.tokens, row.calls, 0))
            surface_tokens += row.tokens
            last_message_ms = row.time_ms
    for kind, tokens, _, since in surface:
        if kind == "reading":
            resent_tokens += tokens * max(0, requests - since - 1)
    counts: dict[int, int] = {}
    for value in staleness:
        counts[bin_of(value)] = counts.get(bin_of(value), 0) + 1
    return {
        "attempts": attempts,
        "steps": requests,
        "requests": requests,
        "readings": readings,
        "reading_tokens": reading_tokens,
        "resent_tokens": resent_tokens,
        "input_tokens": input_tokens,
        "reading_ratio": (reading_tokens + resent_tokens) / input_tokens if input_tokens else 0.0,
        "staleness_median_ms": nearest_rank(staleness, 0.5),
        "staleness_p95_ms": nearest_rank(staleness, 0.95),
        "staleness_max_ms": max(staleness, default=None),
        "age_median_ms": nearest_rank(ages, 0.5),
        "age_p95_ms": nearest_rank(ages, 0.95),
        "age_max_ms": max(ages, default=None),
        "blind_steps": blind,
        "blind_before_first_steps": blind_first,
        "longest_blind_steps": longest_blind,
        "longest_blind_ms": longest_ms,
        "unavailable_readings": unavailable,
        "unavailable_ratio": unavailable / readings if readings else 0.0,
        "zone_mismatch_steps": mismatches,
        "compactions": compactions,
        "compaction_input_tokens": asked_tokens,
        "compaction_output_tokens": written_tokens,
        "peak_surface_tokens": peak_surface,
        "peak_pressure_tokens": peak_pressure,
        "first_compaction_step": first_compaction,
        "cached_input_tokens": cached,
        "written_input_tokens": 0,
        "uncached_input_tokens": input_tokens + asked_tokens - cached,
        "output_tokens": output,
        "cost_usd": cost / 10**12,
        "unpriced_tokens": 0,
        "staleness_counts": pack_counts(counts),
    }


def _rates(provider: str, model: str, time_ms: int) -> dict[str, int]:
    rates = packaged_prices().rates_at(provider, model, time_ms)
    if rates is None:
        return {}
    return {"input_rate": rates.input, "cached_rate": rates.cached, "output_rate": rates.output}


def _cut(surface: list[tuple[str, int, int, int]], retain: int) -> int:
    """Return where the surface is cut: all before goes, no call is parted from its result."""
    kept, at = 0, len(surface)
    while at > 0 and kept < retain:
        at -= 1
        kept += surface[at][1]
    waiting = sum(calls for _, _, calls, _ in surface[:at])
    while at > 0 and waiting != 0:
        at -= 1
        waiting -= surface[at][2]
    return at

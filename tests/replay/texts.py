"""Write readings out as a model reads them, and put runs into short lists a test can show whole."""

from __future__ import annotations

from timectx.replay import Run

__all__ = ["NO_ZONE", "decisions", "readings", "seen", "three", "two", "zone_line"]

NO_ZONE = "unavailable. Ask the user to clarify otherwise-unqualified dates and times."


def zone_line(zone: str) -> str:
    """Return what follows the colon of line 2 where the browsers of a turn agree."""
    return f"{zone}. Interpret otherwise-unqualified dates and times in this zone."


def two(turn: int, step: int, clock: str, elapsed: str = "unavailable", *, offset: str = "+00:00[UTC]") -> str:
    """Return a two-line reading of the first day of 1970."""
    baseline = "model-visible message" if step == 1 else "step context"
    return (
        f"Time sampled while preparing turn {turn}, step {step}: 1970-01-01T{clock}{offset}\n"
        f"Elapsed since the preceding {baseline}: {elapsed}."
    )


def three(
    turn: int,
    step: int,
    clock: str,
    elapsed: str = "unavailable",
    *,
    browser: str = NO_ZONE,
    offset: str = "+00:00[UTC]",
) -> str:
    """Return a three-line reading of the first day of 1970."""
    first, last = two(turn, step, clock, elapsed, offset=offset).split("\n")
    return f"{first}\nBrowser time zone for this request: {browser}\n{last}"


def decisions(run: Run) -> list[tuple[int, int, str, int | None]]:
    """Return turn, step, decision and age of every attempt."""
    return [(attempt.turn, attempt.step, attempt.decision, attempt.age_ms) for attempt in run.attempts]


def readings(run: Run) -> list[str]:
    """Return the text of every reading."""
    return [reading.text for reading in run.readings]


def seen(run: Run) -> list[tuple[int, int, int | None, int]]:
    """Return turn, step, staleness and surface price of every step."""
    return [(step.turn, step.step, step.staleness_ms, step.surface_tokens) for step in run.steps]

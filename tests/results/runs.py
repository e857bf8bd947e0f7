"""Make small runs by hand, every value in sight."""

from __future__ import annotations

from msgspec.structs import replace

from timectx.replay.run import Measures, Run, RunAttempt, RunCompaction, RunReading, RunRequest, RunStep
from timectx.replay.scenario import Scenario

STEP = RunStep(
    turn=1,
    step=1,
    now_ms=1000,
    added=True,
    age_ms=None,
    staleness_ms=0,
    before_first=False,
    visible_readings=1,
    reading_tokens=71,
    surface_tokens=171,
    header_tokens=50,
    requests=1,
    input_tokens=221,
)
READING = RunReading(
    turn=1,
    step=1,
    now_ms=1000,
    time_ms=1004,
    zone="UTC",
    browser="missing",
    elapsed_ms=None,
    text="Time sampled",
    price_tokens=71,
    resent_requests=2,
    recorded_seq=7,
)
ATTEMPT = RunAttempt(turn=1, step=1, kind="step", now_ms=1000, age_ms=None, decision="added")
COMPACTION = RunCompaction(
    seq=40,
    time_ms=9000,
    turn=None,
    shadowed_nodes=12,
    shadowed_readings=1,
    checkpoint_tokens=300,
    before_tokens=5000,
    after_tokens=900,
)
REQUEST = RunRequest(
    turn=1,
    step=1,
    time_ms=1000,
    kind="step",
    input_tokens=221,
    stable_tokens=0,
    nodes=2,
    reply_tokens=9,
    output_tokens=9,
    provider="p",
    model="m",
    header_tokens=50,
)
MEASURES = Measures(
    attempts=2,
    steps=2,
    requests=3,
    readings=1,
    reading_tokens=71,
    resent_tokens=142,
    input_tokens=710,
    reading_ratio=0.3,
    staleness_median_ms=0,
    staleness_p95_ms=5000,
    staleness_max_ms=5000,
    age_median_ms=5000,
    age_p95_ms=5000,
    age_max_ms=5000,
    blind_steps=0,
    blind_before_first_steps=0,
    longest_blind_steps=0,
    longest_blind_ms=0,
    unavailable_readings=1,
    unavailable_ratio=1.0,
    zone_mismatch_steps=0,
    compactions=1,
    peak_surface_tokens=171,
    compaction_input_tokens=0,
    compaction_output_tokens=0,
    peak_pressure_tokens=121,
    first_compaction_step=2,
)


def run(session_id: str = "s-1", *, interval_ms: int = 60_000, **parts: object) -> Run:
    """Return a run of two steps, the first with a reading; `parts` replaces whole fields."""
    later = replace(
        STEP, step=2, now_ms=6000, added=False, age_ms=4996, staleness_ms=5000, requests=2, input_tokens=442
    )
    made = Run(
        session_id=session_id,
        scenario=Scenario(interval_ms=interval_ms, time_zone="UTC"),
        attempts=(ATTEMPT, replace(ATTEMPT, step=2, now_ms=6000, age_ms=4996, decision="suppressed")),
        readings=(READING,),
        steps=(STEP, later),
        compactions=(COMPACTION,),
        measures=MEASURES,
        requests=(REQUEST, *(replace(REQUEST, step=2, time_ms=6000, kind=kind) for kind in ("step", "retry"))),
        zone_database="2026.2",
    )
    return replace(made, **parts)


def with_steps(*staleness_ms: int | None, measures: Measures = MEASURES) -> Run:
    """Return a run whose steps and attempts have the given staleness and age."""
    return run(
        steps=tuple(replace(STEP, staleness_ms=each) for each in staleness_ms),
        attempts=tuple(replace(ATTEMPT, age_ms=each) for each in staleness_ms),
        measures=measures,
    )

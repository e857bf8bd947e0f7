"""Hold recommendations to their laws, for sweeps of every shape."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.sweep.advice.frames import Row, row, sweep
from timectx.errors import TuneError
from timectx.sweep.advice.recommendation import Recommendation
from timectx.sweep.advice.totals import totals_frame
from timectx.sweep.advice.tuning import tune

INTERVALS = (0, 10_000, 60_000, 600_000, 3_600_000)
STALE = st.one_of(st.none(), st.sampled_from([0, 1000, 30_000, 55_000, 300_000, 3_600_000]), st.integers(0, 10**7))


@st.composite
def sweeps(draw: st.DrawFn) -> list[Row]:
    """Draw the rows of a few sessions under a few intervals; each interval has as many steps as the others."""
    count = draw(st.integers(1, len(INTERVALS)))
    rows = []
    for session in range(draw(st.integers(1, 4))):
        steps = draw(st.integers(0, 6))
        for interval_ms in INTERVALS[:count]:
            stale = draw(st.lists(STALE, min_size=steps, max_size=steps))
            spent = draw(st.integers(0, 1000)) if steps else 0
            rows.append(row(interval_ms, stale, spent=spent, sent=5000 if steps else 0, session=f"s-{session}"))
    assume(any(each["steps"] > each["blind_steps"] for each in rows))
    return rows


limits = st.fixed_dictionaries(
    {},
    optional={
        "max_staleness_ms": st.sampled_from([0, 30_000, 55_000, 300_000, 10**7]),
        "quantile": st.sampled_from([0.5, 0.95, 1]),
        "max_blind_ratio": st.sampled_from([0, 0.1, 0.34, 1]),
        "max_blind_steps": st.integers(0, 5),
        "budget_ratio": st.sampled_from([0, 0.01, 0.05, 0.1, 1]),
    },
)


def found_or_refused(rows: list[Row], given: dict[str, Any], **more: Any) -> Recommendation | str:
    """Return the recommendation, or the words of the refusal."""
    try:
        return tune(sweep(*rows), resamples=5, **given, **more)
    except TuneError as error:
        return str(error)


def found(rows: list[Row], given: dict[str, Any]) -> Recommendation:
    """Return the recommendation; pass over sweeps that have none."""
    answer = found_or_refused(rows, given)
    assume(isinstance(answer, Recommendation))
    assert isinstance(answer, Recommendation)
    return answer


def share(answer: Recommendation | str) -> Fraction | float:
    """Return the share of tokens of the choice; without one, more than any."""
    if isinstance(answer, str):
        return inf
    totals = answer.totals
    return Fraction(totals.spent_tokens, totals.input_tokens) if totals.input_tokens else Fraction(0)


@settings(max_examples=60)
@given(sweeps(), limits, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[Row], given: dict[str, Any], random: Any) -> None:
    """Everything a recommendation says, or a refusal, is the same."""
    shuffled = random.sample(rows, len(rows))
    assert found_or_refused(shuffled, given) == found_or_refused(rows, given)


@settings(max_examples=60)
@given(sweeps(), limits, st.data())
def test_a_scenario_that_another_beats_in_everything_changes_nothing(
    rows: list[Row], given: dict[str, Any], data: st.DataObject
) -> None:
    """No dearer, no staler and no blinder one is ever missed: choice, front and neighbours stay."""
    like = data.draw(st.sampled_from(sorted({each["interval_ms"] for each in rows})))
    dearer, staler = data.draw(st.integers(0, 50)), data.draw(st.integers(0, 10**6))
    beaten = []
    for each in rows:
        if each["interval_ms"] == like:
            top = each["staleness_max_ms"]
            seen = [] if top is None else [top + staler] * (each["steps"] - each["blind_steps"])
            spent = each["reading_tokens"] + (dearer if each["steps"] else 0)
            cells = {"sent": each["input_tokens"], "session": each["session"], "scenario": "beaten"}
            beaten.append(row(7_200_000, [*seen, *[None] * each["blind_steps"]], spent=spent, **cells))
    before, after = found(rows, given), found([*rows, *beaten], given)
    assert (after.scenario, after.front, after.neighbours, after.binding) == (
        before.scenario, before.front, before.neighbours, before.binding,
    )  # fmt: skip


@settings(max_examples=60)
@given(sweeps(), st.integers(0, 10**7), st.integers(0, 10**7), limits)
def test_a_tighter_limit_on_staleness_never_takes_fewer_tokens(
    rows: list[Row], one: int, other: int, given: dict[str, Any]
) -> None:
    """Who asks for fresher readings pays as much or more, up to where nothing keeps the limit."""
    tight, loose = (found_or_refused(rows, {**given, "max_staleness_ms": each}) for each in sorted((one, other)))
    assert share(tight) >= share(loose)


@settings(max_examples=60)
@given(sweeps(), st.integers(0, 20), st.integers(0, 20), limits)
def test_a_tighter_limit_on_blind_steps_never_takes_fewer_tokens(
    rows: list[Row], one: int, other: int, given: dict[str, Any]
) -> None:
    """Who lets fewer steps go blind pays as much or more, where no budget asks for the freshest."""
    given = {name: value for name, value in given.items() if name not in ("budget_ratio", "max_blind_ratio")}
    tight, loose = (found_or_refused(rows, {**given, "max_blind_steps": each}) for each in sorted((one, other)))
    assert share(tight) >= share(loose)


@settings(max_examples=60)
@given(sweeps(), st.floats(0, 1), st.floats(0, 1))
def test_a_smaller_budget_never_gets_fresher_readings(rows: list[Row], one: float, other: float) -> None:
    """Who pays less gets readings as stale or staler."""
    small, large = (found_or_refused(rows, {"budget_ratio": each}) for each in sorted((one, other)))
    assert staleness(small) >= staleness(large)


def staleness(answer: Recommendation | str) -> float:
    """Return the staleness of the choice; without one, more than any."""
    return inf if isinstance(answer, str) else answer.totals.staleness_ms or 0


@settings(max_examples=60)
@given(sweeps(), limits)
def test_the_choice_keeps_the_limits_and_none_that_keeps_them_is_better(rows: list[Row], given: dict[str, Any]) -> None:
    """Held against every row of the totals by plain arithmetic."""
    answer = found(rows, given)
    quantile = given.get("quantile", 0.95)
    kept = [
        each
        for each in totals_frame(sweep(*rows), quantile).to_dict("records")
        if each["steps"] > each["blind_steps"] and keeps(each, given)
    ]
    assert answer.scenario in {each["scenario"] for each in kept}
    if answer.rule == "cheapest" and {"max_blind_ratio", "max_blind_steps"} & set(given):
        assert share(answer) == min(Fraction(each["reading_tokens"], each["input_tokens"]) for each in kept)
    if answer.rule == "freshest" and {"max_blind_ratio", "max_blind_steps"} & set(given):
        assert answer.totals.staleness_ms == min(each["staleness_ms"] for each in kept)


def keeps(totals: dict[Any, Any], given: dict[str, Any]) -> bool:
    """Tell whether totals keep what was asked for."""
    return (
        totals["staleness_ms"] <= given.get("max_staleness_ms", 10**9)
        and totals["blind_steps"] <= given.get("max_blind_steps", 10**9)
        and Fraction(totals["blind_steps"], totals["steps"]) <= Fraction(str(given.get("max_blind_ratio", 1)))
        and Fraction(totals["reading_tokens"], totals["input_tokens"]) <= Fraction(str(given.get("budget_ratio", 1)))
    )


@settings(max_examples=60)
@given(sweeps(), limits)
def test_the_choice_lies_on_the_front_and_in_its_range(rows: list[Row], given: dict[str, Any]) -> None:
    """Along the front staleness rises and spending falls; the range holds the choice."""
    answer = found(rows, given)
    stale = [each.staleness_ms or 0 for each in answer.front]
    spent = [each.spent_ratio for each in answer.front]
    assert answer.low_ms <= answer.interval_ms <= answer.high_ms
    assert answer.totals in answer.front
    assert stale == sorted(set(stale))
    assert spent == sorted(set(spent), reverse=True)


@settings(max_examples=60)
@given(sweeps(), limits)
def test_what_a_refusal_says_would_do_does(rows: list[Row], given: dict[str, Any]) -> None:
    """Each nearest value alone, or all of them together where no single one is enough, leaves a choice."""
    wider = {_parameter(name): _value(name, value) for name, value in nearest(rows, given).items()}
    assert wider
    alone = [found_or_refused(rows, {**given, name: value}) for name, value in wider.items()]
    together = found_or_refused(rows, {**given, **wider})
    assert all(isinstance(each, Recommendation) for each in alone) or isinstance(together, Recommendation)


def nearest(rows: list[Row], given: dict[str, Any]) -> dict[str, float]:
    """Return what a refusal says would do; pass over sweeps that are not refused."""
    try:
        tune(sweep(*rows), resamples=0, **given)
    except TuneError as error:
        return {name: value for name, (value, _) in error.nearest.items()}
    assume(False)
    return {}


def _parameter(name: str) -> str:
    return "max_blind_ratio" if name == "blind_guard" else name


def _value(name: str, value: float) -> float:
    return value if name.endswith(("ratio", "guard")) else int(value)

"""Test what is recommended, and that it is explained."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.sweep.advice.frames import CURVE, Row, recorded, row, sweep
from timectx.errors import FrameError, TuneError
from timectx.replay import Scenario
from timectx.sweep import sweep_sessions
from timectx.sweep.advice.recommendation import Neighbour, Setting
from timectx.sweep.advice.tuning import tune
from timectx.synthetic import synthetic_session

FIVE = {0, 60_000, 300_000, 600_000, 3_600_000}


def with_blind(interval_ms: int, blind: int) -> list[dict[str, object]]:
    """Return the curve over a thousand steps, of which one interval leaves some blind."""
    rows = []
    for each in CURVE:
        stale = [each["staleness_max_ms"]] * 1000
        if each["interval_ms"] == interval_ms:
            stale[:blind] = [None] * blind
        rows.append(row(each["interval_ms"], stale, spent=each["reading_tokens"]))
    return rows


def test_without_limits_the_knee_of_the_curve_is_chosen_and_explained() -> None:
    """The choice is where share and staleness, each scaled to its range, sum to the least."""
    found = tune(sweep(*CURVE))
    assert found.reasons == (
        "At 5m readings take 3.0 % of all tokens (30,000 of 1,000,000), "
        "and 95 % of the steps see one at most 4m 40s old.",
        "The next fresher setting, 1m: 8.0 % of all tokens; 50,000 tokens more (+167 %); "
        "staleness at 95 % 55s, 3m 45s less (-80 %).",
        "The next cheaper setting, 10m: 2.0 % of all tokens; 10,000 tokens less (-33 %); "
        "staleness at 95 % 9m 20s, 4m 40s more (+100 %).",
        "Rule: of the settings that no other beats in both, the one where share of tokens and staleness, "
        "each scaled to its range here (at least 1 % and one minute), have the smallest sum.",
        "Only one session has steps, so there is nothing to draw again, and the range is the choice alone.",
    )
    assert (found.scenario, found.interval_ms, found.policy, found.delivery) == ("5m", 300_000, "interval", "appended")
    assert [each.interval_ms for each in found.front] == sorted(FIVE)
    assert (found.rule, found.binding, found.set_aside, found.outliers, found.today) == ("knee", (), (), (), None)
    assert found.snippet() == "config:\n  refreshIntervalMs: 300000  # 5m"


def test_a_limit_on_staleness_takes_the_cheapest_that_keeps_it() -> None:
    """Up to and including the limit; the next cheaper one says what it would break."""
    found = tune(sweep(*CURVE), max_staleness_ms=560_000)
    assert (found.scenario, found.rule, found.binding) == ("10m", "cheapest", ("max_staleness_ms",))
    assert found.neighbours[1].breaks == ("max_staleness_ms",)
    assert found.reasons[2:5] == (
        "The next cheaper setting, 1h: 1.0 % of all tokens; 10,000 tokens less (-50 %); "
        "staleness at 95 % 47m 0s, 37m 40s more (+404 %); "
        "it does not keep a staleness of at most 9m 20s at 95 %.",
        "Rule: the cheapest setting with a staleness of at most 9m 20s at 95 %.",
        "Without the limit of a staleness of at most 9m 20s at 95 %, the choice would be 1h.",
    )
    assert tune(sweep(*CURVE), max_staleness_ms=559_999).scenario == "5m"


def test_the_quantile_says_how_many_steps_must_keep_the_limit() -> None:
    """One stale step in twenty is let pass at 95 %, not at all at 100 %."""
    frame = sweep(row(0, [0] * 20, spent=300), row(60_000, [30_000] * 19 + [900_000], spent=20))
    assert tune(frame, max_staleness_ms=60_000).scenario == "1m"
    assert tune(frame, max_staleness_ms=60_000, quantile=1).scenario == "0"
    assert tune(frame, max_staleness_ms=60_000, quantile=0.96).scenario == "0"


def test_a_budget_alone_takes_the_freshest_within_it() -> None:
    """The cheapest would leave the budget unused."""
    found = tune(sweep(*CURVE), budget_ratio=0.08)
    assert (found.scenario, found.rule, found.binding) == ("1m", "freshest", ("budget_ratio",))
    assert "Rule: the freshest setting with at most 8 % of all tokens for readings." in found.reasons
    assert tune(sweep(*CURVE), budget_ratio=0.0799).scenario == "5m"


def test_a_budget_beside_a_limit_on_staleness_leaves_the_cheapest() -> None:
    """What keeps the limit for less is better, and here the budget changes nothing."""
    found = tune(sweep(*CURVE), max_staleness_ms=300_000, budget_ratio=0.1)
    assert (found.scenario, found.rule, found.binding) == ("5m", "cheapest", ("max_staleness_ms",))


@pytest.mark.parametrize("limit", [{"max_blind_steps": 20}, {"max_blind_ratio": 0.02}], ids=["steps", "share"])
def test_a_limit_on_blind_steps_takes_the_cheapest_that_keeps_it(limit: dict[str, float]) -> None:
    """Twenty of a thousand are let pass, twenty-one are not."""
    assert tune(sweep(*with_blind(3_600_000, 20)), **limit).scenario == "1h"
    found = tune(sweep(*with_blind(3_600_000, 21)), **limit)
    assert (found.scenario, found.set_aside, found.binding) == ("10m", ("1h",), tuple(limit))


def test_what_leaves_more_steps_blind_is_set_aside_even_where_no_limit_is_given() -> None:
    """What the staleness of the seeing steps hides counts first; up to one step in a hundred is let pass."""
    assert tune(sweep(*with_blind(300_000, 10))).scenario == "5m"
    found = tune(sweep(*with_blind(300_000, 11)))
    assert (found.scenario, found.set_aside, found.binding) == ("10m", ("5m",), ("blind_guard",))
    assert "Set aside, because they leave more steps without any reading: 5m." in found.reasons
    assert "Without the limit of at most 1 % more blind steps than the best leaves, the choice would be 5m." in (
        found.reasons
    )


def test_steps_that_are_blind_under_every_setting_set_nothing_aside() -> None:
    """Only what a setting adds to the least possible counts; the steps that see none are told of."""
    stale = {ms: [None, *([value] * 20)] for ms, value in ((0, 0), (60_000, 55_000), (300_000, 280_000))}
    found = tune(sweep(*(row(ms, each, spent=400_000 // (1 + ms // 30_000)) for ms, each in stale.items())))
    assert (found.set_aside, found.scenario) == ((), "1m")
    assert found.reasons[0] == (
        "At 1m readings take 13.3 % of all tokens (133,333 of 1,000,000), and 95 % of the steps that see a reading "
        "see one at most 55s old; 1 step (4.8 %) sees none."
    )


def test_neighbours_say_what_they_cost_and_buy() -> None:
    """Differences are the neighbour's minus the choice's, absolute and relative."""
    costs = {0: 1.5, 60_000: 0.75, 300_000: 0.5, 600_000: 0.4, 3_600_000: 0.375}
    found = tune(sweep(*({**each, "cost_usd": costs[each["interval_ms"]]} for each in CURVE)))
    fresher, cheaper = found.neighbours
    assert fresher == Neighbour(
        side="fresher",
        totals=found.front[1],
        more_tokens=50_000,
        more_tokens_ratio=50_000 / 30_000,
        more_staleness_ms=-225_000,
        more_staleness_ratio=-225_000 / 280_000,
        more_blind_steps=0,
        more_cost_usd=0.25,
        more_cost_ratio=0.5,
    )
    assert (cheaper.side, cheaper.totals, cheaper.more_cost_usd) == ("cheaper", found.front[3], 0.4 - 0.5)
    assert "bill 0.2500 USD more (+50 %)" in found.reasons[1]


def test_the_bill_can_be_weighed_in_place_of_tokens() -> None:
    """A delivery that spoils the provider's cache is cheap in tokens and dear in money."""
    rows = (
        row(0, [0] * 20, spent=300_000, cost_usd=1.0),
        row(0, [0] * 20, spent=1000, cost_usd=9.0, scenario="0, system-prompt", delivery="system-prompt"),
        row(600_000, [560_000] * 20, spent=20_000, cost_usd=0.5),
    )
    assert tune(sweep(*rows), max_staleness_ms=1000).scenario == "0, system-prompt"
    assert tune(sweep(*rows), max_staleness_ms=1000, by="cost").scenario == "0"
    assert tune(sweep(*rows), max_staleness_ms=1000).reasons[-1] == (
        "Deliveries differ in what they do to a provider's cache (appended, system-prompt), "
        "which shares of tokens do not show; the lowest bill is that of 10m."
    )


def test_a_bill_without_a_price_cannot_be_weighed() -> None:
    """A model without a price never costs nothing."""
    with pytest.raises(TuneError, match=r"unpriced: 's-1'; give prices") as caught:
        tune(sweep(*CURVE), by="cost")
    assert caught.value.kind == "unpriced"


def test_costs_say_which_sessions_they_leave_out() -> None:
    """Sums cover the sessions with a price under every setting, and the others are counted."""
    priced = [{**each, "cost_usd": 0.5, "unpriced_tokens": 0} for each in CURVE]
    other = [{**each, "session": "s-2", "unpriced_tokens": 7} for each in CURVE]
    found = tune(sweep(*priced, *other))
    assert (found.totals.cost_usd, found.totals.unpriced_sessions, found.totals.unpriced_tokens) == (0.5, 1, 7)
    assert found.reasons[-1] == "Costs leave out 1 session without a price (7 tokens)."


@pytest.mark.parametrize(
    ("limits", "kind", "message", "nearest"),
    [
        (
            {"max_staleness_ms": 30_000},
            "max_staleness_ms",
            "no setting tried keeps a staleness of at most 30s at 95 %; the nearest has a staleness of 55s at 95 %: 1m",
            {"max_staleness_ms": (55_000.0, "1m")},
        ),
        (
            {"budget_ratio": 0.005},
            "budget_ratio",
            "no setting tried keeps at most 0.5 % of all tokens for readings; "
            "the nearest has 1.0 % of all tokens for readings: 1h",
            {"budget_ratio": (0.01, "1h")},
        ),
        (
            {"max_staleness_ms": 60_000, "budget_ratio": 0.025},
            "together",
            "no setting tried keeps a staleness of at most 1m at 95 % and at most 2.5 % of all tokens for readings "
            "at once; the nearest that keeps the other limits has a staleness of 9m 20s at 95 %: 10m; "
            "the nearest that keeps the other limits has 8.0 % of all tokens for readings: 1m",
            {"max_staleness_ms": (560_000.0, "10m"), "budget_ratio": (0.08, "1m")},
        ),
        (
            {"max_staleness_ms": 30_000, "budget_ratio": 0.025},
            "max_staleness_ms",
            "no setting tried keeps a staleness of at most 30s at 95 %; "
            "the nearest that keeps the other limits has a staleness of 9m 20s at 95 %: 10m",
            {"max_staleness_ms": (560_000.0, "10m")},
        ),
        (
            {"max_staleness_ms": 30_000, "budget_ratio": 0.005},
            "together",
            "no setting tried keeps a staleness of at most 30s at 95 % or at most 0.5 % of all tokens for readings; "
            "no single one is to blame; "
            "the nearest has a staleness of 47m at 95 % and 1.0 % of all tokens for readings: 1h",
            {"max_staleness_ms": (2_820_000.0, "1h"), "budget_ratio": (0.01, "1h")},
        ),
    ],
    ids=["staleness", "budget", "together", "one of two", "neither of two"],
)
def test_limits_that_leave_nothing_say_which_binds_and_what_would_do(
    limits: dict[str, float], kind: str, message: str, nearest: dict[str, tuple[float, str]]
) -> None:
    """The message names the limit, the value that could be had, and the setting that has it."""
    with pytest.raises(TuneError) as caught:
        tune(sweep(*CURVE[1:]), **limits)
    assert (caught.value.kind, str(caught.value), caught.value.nearest) == (kind, message, nearest)


def test_a_limit_on_blind_steps_that_none_keeps_names_the_least_there_are() -> None:
    """Every setting leaves the first step blind."""
    frame = sweep(*(row(ms, [None, ms], spent=9 - ms) for ms in (0, 1)))
    with pytest.raises(TuneError, match=r"keeps at most 0 blind steps; the nearest has 1 blind step: 1ms") as caught:
        tune(frame, max_blind_steps=0)
    assert caught.value.kind == "max_blind_steps"


def test_what_is_set_aside_for_its_blind_steps_is_no_way_out_unless_it_is_said() -> None:
    """The cheapest of all is not the nearest, because it would leave more steps without any reading."""
    rows = [row(0, [0] * 10, spent=500_000), row(60_000, [None, *[55_000] * 9], spent=1000)]
    with pytest.raises(TuneError) as caught:
        tune(sweep(*rows), budget_ratio=0)
    assert str(caught.value) == (
        "no setting tried keeps at most 0 % of all tokens for readings; "
        "the nearest that is not set aside for its blind steps has 50.0 % of all tokens for readings: 0"
    )


def test_the_guard_against_blind_steps_can_be_what_binds() -> None:
    """Then the message says how to allow more of them."""
    rows = [row(0, [0] * 10, spent=500_000), row(60_000, [None, *[55_000] * 9], spent=1000)]
    with pytest.raises(TuneError) as caught:
        tune(sweep(*rows), budget_ratio=0.1)
    assert (caught.value.kind, str(caught.value)) == (
        "together",
        "no setting tried keeps at most 10 % of all tokens for readings and at most 1 % more blind steps than the "
        "best leaves at once; the nearest that is not set aside for its blind steps has 50.0 % of all tokens for "
        "readings: 0; the nearest that keeps the other "
        "limits has 10.0 % of all steps blind: 1m, which max_blind_ratio would allow",
    )


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"max_staleness_ms": -1}, "max_staleness_ms"),
        ({"max_staleness_ms": 1.5}, "max_staleness_ms"),
        ({"max_blind_steps": True}, "max_blind_steps"),
        ({"max_blind_ratio": 1.01}, "max_blind_ratio"),
        ({"budget_ratio": float("nan")}, "budget_ratio"),
        ({"budget_ratio": "2%"}, "budget_ratio"),
        ({"quantile": 0}, "quantile"),
        ({"quantile": 1.1}, "quantile"),
        ({"by": "money"}, "by"),
        ({"resamples": -1}, "resamples"),
        ({"seed": 0.5}, "seed"),
    ],
)
def test_what_is_no_limit_is_refused(given: dict[str, object], kind: str) -> None:
    """The kind is the parameter's name."""
    with pytest.raises(TuneError) as caught:
        tune(sweep(*CURVE), **given)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([], "empty"),
        ([recorded()], "empty"),
        ([row(0), row(1, session="s-2")], "empty"),
        ([row(0, []), row(1, [])], "no-reading"),
        ([row(0, [None, None])], "no-reading"),
    ],
    ids=["no row", "as recorded alone", "nothing in common", "no step", "all blind"],
)
def test_where_there_is_nothing_to_compare_the_error_says_so(rows: list[dict[str, object]], kind: str) -> None:
    """None of it is a division by zero, or a recommendation from nothing."""
    with pytest.raises(TuneError) as caught:
        tune(sweep(*rows) if rows else sweep(*CURVE).iloc[:0])
    assert caught.value.kind == kind


def test_numbers_of_numpy_are_numbers() -> None:
    """Limits often come out of an array or a frame."""
    given = {"max_staleness_ms": np.int64(300_000), "quantile": np.float64(0.95), "budget_ratio": np.float32(0.5)}
    expected = tune(sweep(*CURVE), max_staleness_ms=300_000, quantile=0.95, budget_ratio=0.5)
    assert tune(sweep(*CURVE), **given).to_dict() == expected.to_dict()


def test_one_setting_is_its_own_recommendation() -> None:
    """There is no neighbour, and nothing that beats it."""
    found = tune(sweep(row(60_000, [5000], spent=10, sent=1000)))
    assert (found.scenario, found.neighbours) == ("1m", ())
    assert "It is the only setting tried." in found.reasons


def test_settings_that_change_nothing_leave_the_shortest() -> None:
    """A session shorter than all intervals gives them one outcome; the shortest stands for all."""
    found = tune(sweep(*(row(ms, [70_000], spent=1000) for ms in (600_000, 3_600_000, 60_000))))
    assert (found.scenario, [each.scenario for each in found.front]) == ("1m", ["1m"])


def test_sessions_that_sent_nothing_cost_nothing() -> None:
    """No input tokens is a share of 0, not a division by zero."""
    found = tune(sweep(row(0, [0], sent=0), row(1, [0], sent=0)))
    assert (found.scenario, found.totals.spent_ratio) == ("0", 0.0)


def test_sessions_without_a_step_are_counted_apart() -> None:
    """They are in the sums, as nothing, and are said to be there."""
    empty = [row(each["interval_ms"], [], sent=0, session="s-0") for each in CURVE]
    found = tune(sweep(*CURVE, *empty))
    assert (found.totals.sessions, found.scenario, found.resamples) == (2, "5m", 0)
    assert found.reasons[-1] == "Without any step: 1 session."


def test_sessions_that_lack_a_setting_are_left_out_and_said_to_be() -> None:
    """Sums over different sessions are not compared."""
    found = tune(sweep(*CURVE, row(0, [0], spent=9, session="s-2")))
    assert (found.totals.sessions, found.front[0].readings) == (1, 1)
    assert found.reasons[-1] == "Left out, for want of a row under every setting: 1 session."


def test_what_was_recorded_stands_beside_the_choice_over_the_same_sessions() -> None:
    """A session without readings says nothing about the setting in force, on neither side."""
    other = [{**each, "session": "s-2"} for each in CURVE]
    found = tune(sweep(*CURVE, *other, recorded([0] * 20, spent=300_000)))
    assert found.today is not None
    assert found.today.settings == (Setting("interval", 0, "readme", 1),)
    assert (found.today.recorded.spent_tokens, found.today.recommended.spent_tokens) == (300_000, 30_000)
    assert (found.today.saved_tokens, found.today.recommended.sessions) == (270_000, 1)
    assert [each for each in found.reasons if "recorded" in each or "same sessions" in each] == [
        "As recorded, 1 session (1 with interval 0, edition readme): 30.0 % of all tokens (300,000 of 1,000,000), "
        "and 95 % of the steps see one at most 0s old.",
        "Over the same sessions the recommendation takes 3.0 % of all tokens (30,000 of 1,000,000), "
        "and 95 % of the steps see one at most 4m 40s old: 270,000 tokens less (-90 %).",
    ]


def test_settings_of_today_are_counted_the_most_frequent_first() -> None:
    """A log whose readings follow no interval counts under its policy."""
    sessions = [{**each, "session": name} for name in ("a", "b", "c") for each in CURVE]
    now = [recorded(session="a", policy="recorded"), recorded(session="b"), recorded(session="c")]
    found = tune(sweep(*sessions, *now)).today
    assert found is not None
    assert found.settings == (Setting("interval", 0, "readme", 2), Setting("recorded", 0, "readme", 1))


def test_the_longest_interval_says_that_a_longer_one_may_do() -> None:
    """The best of what was tried may lie at the end of it."""
    found = tune(sweep(*CURVE), max_staleness_ms=3_600_000)
    assert (found.scenario, found.binding) == ("1h", ())
    assert found.reasons[2:5] == (
        "Rule: the cheapest setting with a staleness of at most 1h at 95 %.",
        "No limit binds: among the settings tried the choice would be the same without any one of them.",
        "It is the longest interval tried; a longer one may do, too.",
    )


def tool_row(**cells: object) -> Row:
    """Return a row of a clock tool whose calls double the requests."""
    named = {"scenario": "0, tool", "delivery": "tool", "requests": 40, "extra_tokens": 1_000_000}
    return row(0, [0] * 20, spent=20_000, sent=2_020_000, **{**named, **cells})


def test_a_tool_pays_for_the_requests_it_needs() -> None:
    """Its readings are few, but each call sends the whole prompt once more."""
    found = tune(sweep(row(0, [0] * 20, spent=300_000, sent=1_300_000, extra_tokens=0), tool_row()), max_staleness_ms=0)
    assert found.scenario == "0"
    extra = {each.scenario: (each.extra_tokens, each.spent_tokens) for each in found.front}
    assert extra == {"0": (0, 300_000)}


def test_a_tool_alone_pays_for_them_too() -> None:
    """No other setting is needed to see them, neither in the share nor beside what is recorded."""
    found = tune(sweep(tool_row(), recorded([0] * 20, spent=300_000, sent=1_300_000, extra_tokens=0)))
    assert (found.totals.spent_tokens, found.totals.spent_ratio) == (1_020_000, 1_020_000 / 2_020_000)
    assert found.today is not None
    assert (found.today.recommended, found.today.saved_tokens) == (found.totals, 300_000 - 1_020_000)
    assert any("720,000 tokens more" in each for each in found.reasons)


@pytest.mark.parametrize("gap", ["no column", "a missing value"])
def test_a_frame_that_does_not_say_what_a_tool_sends_is_said_to(gap: str) -> None:
    """An older file counts none of it; an appended reading sends nothing that could be missing."""
    appended, tool = row(0, [0] * 20, spent=300_000, sent=1_300_000), tool_row(extra_tokens=None)
    if gap == "no column":
        del tool["extra_tokens"]
    told = "Spending is a lower bound: 1 row of deliveries tool and timer without extra_tokens, "
    assert f"{told}whose own requests count as 0." in tune(sweep(appended, tool)).reasons
    assert not any("extra_tokens" in each for each in tune(sweep(appended)).reasons)


@pytest.mark.parametrize("form", ["csv", "csv without counts", "shuffled", "joined from parts"])
def test_the_answer_does_not_depend_on_how_the_frame_came(form: str) -> None:
    """Files, orders and parts give the same choice; without counts an upper bound says that it is one."""
    rows = [{**each, "session": name} for name in ("a", "b", "c") for each in CURVE]
    frame = sweep(*rows)
    made = {
        "csv": lambda: pd.read_csv(_csv(frame)),
        "csv without counts": lambda: pd.read_csv(_csv(frame)).drop(columns="staleness_counts"),
        "shuffled": lambda: frame.sample(frac=1, random_state=3),
        "joined from parts": lambda: pd.concat([frame.iloc[7:], frame.iloc[:7]]),
    }[form]()
    found, expected = tune(made), tune(frame)
    if "csv" in form:
        assert found.reasons[-1] == (
            "Staleness is an upper bound: 15 rows without counts, "
            "of which only the median, the 95th percentile and the largest value are known."
        )
        assert (found.scenario, found.front, found.low_ms, found.high_ms) == (
            expected.scenario, expected.front, expected.low_ms, expected.high_ms,
        )  # fmt: skip
    else:
        assert found == expected


def _csv(frame: pd.DataFrame) -> object:
    from io import StringIO

    return StringIO(frame.to_csv(index=False))


def test_a_frame_that_lacks_a_column_names_it() -> None:
    """What is needed is listed with what is not there."""
    with pytest.raises(FrameError, match=r"this frame lacks steps, input_tokens$") as caught:
        tune(sweep(*CURVE).drop(columns=["steps", "input_tokens", "cost_usd"]))
    assert caught.value.kind == "columns"


def test_a_column_of_words_is_refused() -> None:
    """A sum over words would be one long word."""
    with pytest.raises(FrameError, match=r"the column steps holds what is no number"):
        tune(sweep(*CURVE).assign(steps="many"))


def test_a_row_given_twice_is_refused() -> None:
    """Two parts that overlap would count a session twice."""
    with pytest.raises(FrameError, match=r"'s-1' has several under '5m'") as caught:
        tune(sweep(*CURVE, CURVE[2]))
    assert caught.value.kind == "rows"


def test_everything_can_be_written_as_json() -> None:
    """Plain values without NaN, the snippet among them."""
    found = tune(sweep(*CURVE, recorded([0] * 20))).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["interval_ms"], found["snippet"]) == (300_000, "config:\n  refreshIntervalMs: 300000  # 5m")
    assert [each["scenario"] for each in found["front"]] == ["0", "1m", "5m", "10m", "1h"]


def test_an_odd_staleness_past_sixty_days_is_still_one() -> None:
    """What lies beyond the last edge is the largest value there is."""
    year = 365 * 86_400_000
    found = tune(sweep(row(0, [0, 0], spent=10), row(year, [0, year], spent=1)), quantile=1)
    assert [each.staleness_ms for each in found.front] == [0, year]


def test_one_setting_leaves_nothing_to_choose() -> None:
    """Neither the drawings nor the front say that it is any better than others."""
    frame = sweep_sessions([synthetic_session(seed, steps=6) for seed in (1, 2)], [Scenario()], cache=False)
    reasons = " ".join(tune(frame).reasons)
    assert "It is the only setting tried." in reasons
    assert "With one setting there is nothing to choose from, whichever sessions are drawn." in reasons
    assert "drawn again" not in reasons


def test_what_is_no_frame_is_refused() -> None:
    """The error says what is expected."""
    with pytest.raises(FrameError, match="tuning takes the frame of a sweep; got 'x'"):
        tune("x")  # type: ignore[arg-type]

"""Every knob of a replay: what it may be, what is refused, and how it travels through a file."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from timectx.errors import ScenarioError, TimectxError, ZoneError
from timectx.reading import ZoneLabel
from timectx.replay import Compaction, Scenario, parse_scenario
from timectx.replay.counters import NamedCounter

SPANS = ((0, "UTC"), (40, ZoneLabel("Mars/Base", "+02:00")), (90, "Asia/Tokyo"))


def knobs(scenario: Scenario) -> dict[str, object]:
    """Return all values of a scenario, with the clock of a zone that is only a label."""
    values = {field.name: getattr(scenario, field.name) for field in dataclasses.fields(scenario)}
    zone = scenario.time_zone
    named = zone if isinstance(zone, tuple) else ((0, zone),)
    return values | {"clocks": [getattr(name, "clock", None) for _, name in named]}


def refusal(error: type[TimectxError], make: Any) -> tuple[str, str]:
    """Return kind and text of the error a call raises."""
    with pytest.raises(error) as caught:
        make()
    return caught.value.kind, str(caught.value)


def test_a_scenario_without_knobs_is_that_of_the_readme() -> None:
    """A reading at every attempt, the log's own compactions, prices by the fixed estimate."""
    assert knobs(Scenario()) == {
        "edition": "readme",
        "interval_ms": 0,
        "policy": "interval",
        "gap_ms": 1_800_000,
        "delivery": "appended",
        "tool_calls": 1,
        "time_zone": None,
        "compaction": "recorded",
        "meter": "estimate",
        "scale": None,
        "counter": None,
        "skip_empty": False,
        "model": None,
        "cache": None,
        "clocks": [None],
    }


@pytest.mark.parametrize(
    ("edition", "given", "interval_ms"),
    [
        ("note", None, 0),
        ("note-v2", None, 0),
        ("readme", None, 0),
        ("current", None, 600_000),
        ("current", 0, 0),
        ("readme", 60_000, 60_000),
    ],
)
def test_the_edition_says_the_interval_where_none_is_given(edition: Any, given: int | None, interval_ms: int) -> None:
    """Ten minutes in ``current``, every attempt in the others; 0 is a value of its own."""
    scenario = Scenario(edition=edition, interval_ms=given)
    assert (scenario.interval_ms, scenario.interval) == (interval_ms, interval_ms)


@pytest.mark.parametrize("value", [-1, 0.5, 60_000.0, True, "10m", 2**53])
def test_an_interval_that_is_no_whole_number_from_0_is_refused(value: Any) -> None:
    """Negative, fractional, boolean, written out or too long: one sentence names the value."""
    text = f"a refresh interval is a whole number of milliseconds from 0 (0 = every attempt), got {value!r}"
    assert refusal(ScenarioError, lambda: Scenario(interval_ms=value)) == ("interval", text)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("edition", "v3"),
        ("edition", None),
        ("policy", "gap-ish"),
        ("delivery", "by-mail"),
        ("compaction", True),
        ("compaction", ["off"]),
        ("meter", "guess"),
    ],
)
def test_a_value_that_is_none_of_the_choices_is_refused_with_the_choices(knob: str, value: object) -> None:
    """The kind of the error is the knob's name; the text lists what it may be and shows what it was."""
    kind, text = refusal(ScenarioError, lambda: Scenario(**{knob: value}))
    assert kind == knob
    assert text.startswith(f"{knob} is one of ")
    assert text.endswith(f"; got {value!r}")


@pytest.mark.parametrize("edition", ["note", "note-v2", "readme", "current"])
def test_the_choices_a_refusal_lists_all_pass(edition: Any) -> None:
    """Each word of the sentence makes a scenario."""
    wrong: Any = "v3"
    _, text = refusal(ScenarioError, lambda: Scenario(edition=wrong))
    assert text == "edition is one of note, note-v2, readme, current; got 'v3'"
    assert Scenario(edition=edition).edition == edition


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("UTC", "UTC"),
        ("Etc/GMT", "UTC"),
        ("asia/kolkata", "Asia/Calcutta"),
        ("Europe/Kyiv", "Europe/Kiev"),
        ("+0530", "+05:30"),
        ("undefined", "undefined"),
        ("Etc/Unknown", "Etc/Unknown"),
        (((0, "Etc/UTC"), (7, "Asia/Kolkata")), ((0, "UTC"), (7, "Asia/Calcutta"))),
    ],
    ids=["utc", "old", "case", "new", "offset", "odd-process", "unset-process", "spans"],
)
def test_a_zone_is_stored_under_the_name_readings_print(given: Any, stored: object) -> None:
    """By whatever name it was given; labels of a process that cannot name its zone stay."""
    assert Scenario(time_zone=given).time_zone == stored


def test_a_label_keeps_the_clock_it_is_shown_with() -> None:
    """Alone or in spans: the text in brackets says nothing about the time beside it."""
    alone = Scenario(time_zone=ZoneLabel("undefined", "-05:00"))
    spans = Scenario(time_zone=SPANS)
    assert knobs(alone)["clocks"] == ["-05:00"]
    assert knobs(spans)["clocks"] == [None, "+02:00", None]
    assert spans.time_zone == SPANS


@pytest.mark.parametrize(
    ("zone", "named"),
    [
        ("Mars/Base", "Mars/Base"),
        ("", ""),
        ("CEST", "CEST"),
        (" UTC", " UTC"),
        (ZoneLabel("UTC", "Mars/Base"), "Mars/Base"),
    ],
    ids=["unknown", "empty", "abbreviation", "blank", "unknown-clock"],
)
def test_an_impossible_zone_is_refused_by_name(zone: str, named: str) -> None:
    """The sentence shows the value and says what was expected; nothing falls back to UTC."""
    expected = "expected an IANA name such as Europe/Berlin or an offset such as +05:30"
    assert refusal(ZoneError, lambda: Scenario(time_zone=zone)) == (
        "config-zone-invalid",
        f"unknown time zone: {named!r}; {expected}",
    )


@pytest.mark.parametrize(
    "zone",
    [7, b"UTC", (), [(0, "UTC")], ((0, "UTC"), (0, "Asia/Tokyo")), ((9, "UTC"), (3, "UTC")), ((True, "UTC"),),
     ((0, None),), ((0, "UTC", 1),), ("UTC",)],
    ids=["number", "bytes", "no-span", "list", "equal-seqs", "falling-seqs", "bool-seq", "no-zone", "three", "no-seq"],
)  # fmt: skip
def test_spans_that_are_none_are_refused(zone: Any) -> None:
    """A zone is a name, or pairs of a seq and a name with rising seqs."""
    assert refusal(ZoneError, lambda: Scenario(time_zone=zone)) == (
        "zone",
        f"a time zone is an IANA name, or spans of (seq, name) with rising seqs; got {zone!r}",
    )


def test_reported_sizes_need_the_logs_own_compactions() -> None:
    """Without them the provider's counts say nothing about the surface of the replay."""
    text = "reported sizes hold only for the compactions the log has; use meter estimate with any other"
    assert refusal(ScenarioError, lambda: Scenario(meter="reported", compaction="off")) == ("meter", text)


@pytest.mark.parametrize("counter", [4, "len", "chars/0"])
def test_a_counter_is_a_function_or_a_name_that_is_known(counter: Any) -> None:
    """Anything else is refused at once, not when the first message is priced."""
    names = "o200k, cl100k, deepseek, cjk, chars/N"
    assert refusal(ScenarioError, lambda: Scenario(counter=counter)) == (
        "counter",
        f"counter is a function from text to tokens, or one of {names}; got {counter!r}",
    )


@pytest.mark.parametrize("name", ["o200k", "cl100k", "deepseek", "cjk", "chars/2.8"])
def test_a_counter_with_a_name_fits_into_a_file_and_into_another_process(name: str) -> None:
    """A name brings it back, and equal names are equal counters; nothing is loaded for that."""
    scenario = Scenario(counter=name)
    assert f'counter = "{name}"' in scenario.to_toml().splitlines()
    assert parse_scenario(scenario.to_toml()) == pickle.loads(pickle.dumps(scenario)) == scenario
    assert isinstance(pickle.loads(pickle.dumps(scenario)).counter, NamedCounter)


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ({"gap_ms": -1}, "gap_ms", "gap_ms is a whole number of milliseconds from 0; got -1"),
        ({"gap_ms": True}, "gap_ms", "gap_ms is a whole number of milliseconds from 0; got True"),
        ({"tool_calls": 0.5}, "tool_calls", "tool_calls is a whole number of calls from 0; got 0.5"),
        (
            {"delivery": "timer", "interval_ms": 999},
            "interval",
            "a timer needs an interval of 1000 ms at least; got 999",
        ),
        ({"delivery": "timer"}, "interval", "a timer needs an interval of 1000 ms at least; got 0"),
        ({"scale": 1.5}, "scale", "scale goes with meter scaled alone; the meter is estimate"),
        ({"scale": 0, "meter": "scaled"}, "scale", "scale is a number above 0; got 0"),
        ({"scale": float("nan"), "meter": "scaled"}, "scale", "scale is a number above 0; got nan"),
        ({"scale": True, "meter": "scaled"}, "scale", "scale is a number above 0; got True"),
        ({"model": ""}, "model", "model is a name, or none; got ''"),
        ({"cache": 5}, "cache", "cache is a name, or none; got 5"),
    ],
)
def test_a_knob_out_of_range_is_refused_by_name(given: dict[str, Any], kind: str, text: str) -> None:
    """Each says what it may be."""
    assert refusal(ScenarioError, lambda: Scenario(**given)) == (kind, text)


def test_a_policy_is_kept_in_one_spelling() -> None:
    """However it was given, two scenarios of the same rules are equal."""
    assert Scenario(policy="after-compaction|turn&interval|interval") == Scenario(policy="interval | after-compaction")


def test_a_copy_has_the_knobs_that_were_turned_and_is_checked() -> None:
    """The old one stays as it was."""
    before = Scenario(interval_ms=60_000)
    after = before.replace(time_zone="Asia/Kolkata", policy="recorded")
    assert knobs(after) == knobs(before) | {"time_zone": "Asia/Calcutta", "policy": "recorded"}
    assert before == Scenario(interval_ms=60_000)
    assert refusal(ScenarioError, lambda: before.replace(interval_ms=-5))[0] == "interval"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("intervall_ms", "; did you mean interval_ms?"),
        ("timezone", "; did you mean time_zone?"),
        ("xyzzy", f"; the knobs are {', '.join(field.name for field in dataclasses.fields(Scenario))}"),
    ],
)
def test_an_unknown_knob_is_refused_with_a_hint(name: str, hint: str) -> None:
    """In a copy and in a file alike."""
    expected = ("unknown-knob", f"a scenario has no {name!r}{hint}")
    assert refusal(ScenarioError, lambda: Scenario().replace(**{name: 1})) == expected
    assert refusal(ScenarioError, lambda: parse_scenario(f"{name} = 1")) == expected


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(),
        Scenario(edition="current"),
        Scenario(edition="note", interval_ms=60_000, policy="recorded", time_zone="Asia/Tokyo", compaction="off"),
        Scenario(meter="reported", time_zone="+05:30"),
        Scenario(time_zone=ZoneLabel("", "+00:00")),
        Scenario(time_zone=ZoneLabel("undefined", "-05:00")),
        Scenario(time_zone=SPANS),
        Scenario(policy="gap & calendar-day | after-compaction", gap_ms=5, delivery="replaced", tool_calls=0),
        Scenario(meter="scaled", scale=1.25, model="deepseek-v4", cache="none"),
    ],
    ids=["plain", "current", "all", "reported", "no-label", "label", "spans", "rules", "scaled"],
)
def test_a_scenario_comes_back_from_its_file_and_from_copies(scenario: Scenario) -> None:
    """All knobs, the clock of a mere label included."""
    for again in (parse_scenario(scenario.to_toml()), copy.deepcopy(scenario), pickle.loads(pickle.dumps(scenario))):
        assert knobs(again) == knobs(scenario)


def test_a_file_has_one_line_a_knob() -> None:
    """What is left to the log or to the edition is not written."""
    assert Scenario(interval_ms=60_000, time_zone=SPANS).to_toml() == (
        'edition = "readme"\n'
        "interval_ms = 60000\n"
        'policy = "interval"\n'
        "gap_ms = 1800000\n"
        'delivery = "appended"\n'
        "tool_calls = 1\n"
        'time_zone = [[0, "UTC"], [40, { label = "Mars/Base", clock = "+02:00" }], [90, "Asia/Tokyo"]]\n'
        'compaction = "recorded"\n'
        'meter = "estimate"\n'
        "skip_empty = false\n"
    )


def test_a_counter_fits_into_no_file() -> None:
    """A function has no text that would bring it back."""

    def counter(text: str) -> int:
        return len(text)

    assert refusal(ScenarioError, Scenario(counter=counter).to_toml) == (
        "counter",
        "a scenario with its own counter cannot be written to a file",
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("interval_ms = 1.5", "interval"),
        ("interval_ms = true", "interval"),
        ('interval_ms = "10m"', "interval"),
        ("interval_ms = -1", "interval"),
        ('edition = "v3"', "edition"),
        ('time_zone = "Mars/Base"', "config-zone-invalid"),
        ('time_zone = [0, "UTC"]', "zone"),
        ("time_zone = []", "zone"),
        ('time_zone = [["a", "UTC"]]', "zone"),
        ('time_zone = { label = "UTC" }', "zone"),
        ('time_zone = { label = "UTC", clock = "UTC", other = 1 }', "zone"),
        ('time_zone = { label = "UTC", clock = "Mars/Base" }', "config-zone-invalid"),
        ('counter = "len"', "counter"),
    ],
)
def test_a_file_with_an_impossible_value_is_refused_like_the_value(text: str, kind: str) -> None:
    """The same errors as in code."""
    assert refusal(TimectxError, lambda: parse_scenario(text))[0] == kind


def test_a_text_that_is_no_toml_is_refused_with_an_example() -> None:
    """The parser's own words say where it stopped."""
    kind, text = refusal(ScenarioError, lambda: parse_scenario("interval_ms 60000"))
    assert kind == "toml"
    assert text.startswith("not a scenario: ")
    assert text.endswith("; expected TOML such as interval_ms = 600000")


def test_a_scenario_cannot_be_changed() -> None:
    """It may key a dict and be shared between runs."""
    scenario: Any = Scenario()
    with pytest.raises(dataclasses.FrozenInstanceError):
        scenario.interval_ms = 5
    assert len({Scenario(), Scenario(interval_ms=0), Scenario(interval_ms=1)}) == 2


def test_scenarios_that_compact_can_be_kept_in_sets() -> None:
    """Equal ones count once, whatever mappings their settings came in."""
    one = Scenario(compaction=Compaction(settings={"thresholdRatio": 0.5, "retainTokens": 9}, pruning={}))
    other = Scenario(compaction=Compaction(settings={"retainTokens": 9, "thresholdRatio": 0.5}, pruning={}))
    assert len({one, other, one.replace(interval_ms=60_000)}) == 2

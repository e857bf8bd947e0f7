"""A report holds everything it shows, tells nothing it should not, and is the same in every run."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from msgspec import structs

from tests.builders import log
from tests.report.reading import Page
from timectx import Scenario, read_session, replay_session
from timectx.cost.prices import packaged_prices
from timectx.errors import FrameError
from timectx.report import report_html, write_report
from timectx.report.sessions import MOST_SESSIONS
from timectx.session import Session
from timectx.sweep import Recommendation, sweep_sessions, tune
from timectx.synthetic import sample_paths, synthetic_session

HOSTILE = '"><script>alert(1)</script><img src=http:' + "//evil.example/x.png onerror=alert(2)>&amp;\u202e\x1b[31m"
SCENARIOS = [*(Scenario(interval_ms=each) for each in (0, 10_000, 60_000, 600_000)), "as-recorded"]
LOADS = {"src", "srcset", "href", "action", "data", "poster", "background", "formaction", "cite", "ping"}


@cache
def swept() -> tuple[pd.DataFrame, Recommendation]:
    """Return a sweep over all samples, and what tuning makes of it."""
    frame = sweep_sessions(list(sample_paths().values()), SCENARIOS, cache=False)
    return frame, tune(frame)


@cache
def whole() -> str:
    """Return a report with every section in it."""
    frame, found = swept()
    run = replay_session(read_session(sample_paths()["two-compactions"]), Scenario(interval_ms=60_000))
    prices = packaged_prices().named("", "deepseek-v4-flash")
    frame = frame.copy()
    frame.attrs["problems"] = [
        {"path": "/a/b.jsonl", "line": 3, "kind": "bad-json", "message": "/a/b.jsonl:3: no JSON", "refused": True}
    ]
    return report_html(frame, found, scenarios=SCENARIOS, inputs={"since": "2026-01-01"}, prices=prices, runs=[run])


def hostile() -> tuple[pd.DataFrame, Recommendation]:
    """Return a sweep whose ids, paths, models, zones, labels and problems are all hostile."""
    sessions = [_renamed(synthetic_session(at, steps=12), f"{HOSTILE}{at}") for at in range(3)]
    frame = sweep_sessions(sessions, SCENARIOS, cache=False)
    for column in ("path", "model", "time_zone", "edition", "meter", "zone_database"):
        frame[column] = HOSTILE
    frame["scenario"] = [f"{HOSTILE}{label}" if label != "as-recorded" else label for label in frame["scenario"]]
    text = f"\ud800{HOSTILE}"  # a lone surrogate cannot be in a column, but in what stands beside it
    problem = {"path": text, "line": 1, "kind": text, "message": text, "refused": True}
    frame.attrs["problems"] = [problem]
    frame.attrs["as_recorded"] = [{"session": f"{HOSTILE}0", "path": text, "scenario": text, "explanation": text}]
    frame.attrs["versions"] = {text: text}
    return frame, tune(frame, resamples=5, max_staleness_ms=3_600_000)


def _renamed(session: Session, name: str) -> Session:
    return replace(session, header=structs.replace(session.header, id=name))


def test_a_report_has_every_section_in_order() -> None:
    """The contents name them, and each one is there."""
    page = Page(whole())
    named = [value.removeprefix("#") for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    there = [value for tag, name, value in page.attributes if (tag, name) == ("section", "id")]
    assert (
        named
        == there
        == [
            *("answer", "tradeoff", "configuration", "settings", "choice", "as-recorded", "staleness", "inside"),
            *("sessions", "inputs", "problems", "prices", "words", "method", "versions"),
        ]
    )
    assert page.open == []


def test_a_report_loads_nothing_and_runs_nothing() -> None:
    """Whatever could load something points into the page; no script, no handler, and a policy forbids the rest."""
    page = Page(whole())
    loaded = [value for _, name, value in page.attributes if name in LOADS]
    assert {value[:5] if value.startswith("data:") else value[0] for value in loaded} == {"data:", "#"}
    assert not {"script", "iframe", "object", "embed", "link", "base", "form", "video", "audio"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    policy = [value for tag, name, value in page.attributes if (tag, name) == ("meta", "content")]
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'" in policy
    styles = re.findall(r"<style>(.*?)</style>", whole(), re.DOTALL)
    assert not [word for style in styles for word in ("url(", "@import", "://") if word in style]


def test_figures_are_drawings_with_words_for_those_who_do_not_see_them() -> None:
    """Each has a light and a dark twin inside, its size, and a text with its numbers."""
    page = Page(whole())
    images = [value for tag, name, value in page.attributes if tag in ("img", "source") and name in ("src", "srcset")]
    drawings = [b64decode(value.partition("base64,")[2]) for value in images]
    assert len(drawings) == 8
    assert all(drawing.startswith(b"<?xml") and b"<script" not in drawing for drawing in drawings)
    seen = [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")]
    assert seen[0].startswith("Share of tokens against staleness. every attempt: 32.44 % of all tokens, staleness 0; ")
    assert all(seen)


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    """Neither a clock nor the path gets into the page."""
    frame, found = swept()
    paths = [tmp_path / "a.html", tmp_path / "b" / "c.html"]
    paths[1].parent.mkdir()
    for path in paths:
        write_report(path, frame, found)
    first, second = (path.read_bytes() for path in paths)
    assert first == second == report_html(frame, found).encode()
    assert b"\r" not in first


def test_the_order_of_rows_changes_only_the_numbers_sessions_go_by() -> None:
    """Totals are those of the sweep, however its rows are sorted."""
    frame, found = swept()
    shuffled = frame.sample(frac=1, random_state=1)
    shuffled.attrs = frame.attrs
    one, other = (Page(report_html(each, found)).tables for each in (frame, shuffled))
    assert one["settings"] == other["settings"]


def test_names_are_given_only_when_asked_for() -> None:
    """Neither an id nor a path of a session is in the page, in its figures or in its sentences, unless wanted."""
    frame, found = swept()
    nameless, named = whole(), report_html(frame, found, names=True)
    assert any("long-refactor" in reason for reason in found.reasons)
    for name, path in sample_paths().items():
        assert name not in nameless
        assert path.name not in nameless
        assert named.count(name) >= 2
    assert "/a/b.jsonl" not in nameless
    assert [row["session"] for row in Page(nameless).tables["session-rows"]] == [f"session {at}" for at in range(1, 9)]
    assert [row["session"] for row in Page(nameless).tables["outliers"]] == ["session 4"]


@pytest.mark.parametrize("names", [True, False])
def test_hostile_text_stays_text(names: bool) -> None:
    """Ids, paths, models, labels and messages that are markup open no element and load nothing."""
    frame, found = hostile()
    html = report_html(frame, found, names=names, inputs={HOSTILE: HOSTILE}, scenarios=[Scenario()])
    page = Page(html)
    assert page.open == []
    assert "script" not in page.tags
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert {value[:5] for _, name, value in page.attributes if name == "src"} == {"data:"}
    assert not set(html) & {"\u202e", "\x1b", "\ud800"}
    html.encode("utf-8")
    assert ("alert(1)" in page.text(), f"{HOSTILE[:8]}" in page.text()) == (True, True)


def test_a_report_without_a_recommendation_says_why() -> None:
    """Figures and tables are there all the same; what follows from a choice is not."""
    frame, _ = swept()
    html = report_html(frame, None, refusal="no setting keeps <5m>")
    page = Page(html)
    assert "There is no recommendation: " in page.text()
    assert "no setting keeps <5m>" in page.text()
    assert {"settings", "details", "bill", "session-rows"} <= set(page.tables)
    assert not {"limits", "neighbours", "today"} & set(page.tables)


def test_sessions_without_steps_are_listed() -> None:
    """Zeros and missing values stand as such; nothing is divided by zero."""
    sessions = [log(session_id="empty").build(), synthetic_session(1, steps=8)]
    frame = sweep_sessions(sessions, SCENARIOS[:2], cache=False)
    page = Page(report_html(frame, tune(frame)))
    assert [row["steps"] for row in page.tables["session-rows"]] == ["0", "8"]
    assert page.tables["session-rows"][0]["staleness, largest"] == "none"
    assert "2, 1 of them without any step" in page.text()


@pytest.mark.parametrize("sessions", [[], [log().build()]], ids=["none", "empty"])
def test_nothing_to_report_is_a_report(sessions: list[Session]) -> None:
    """No session, or none with a step, gives a page without a recommendation."""
    frame = sweep_sessions(sessions, SCENARIOS[:2], cache=False)
    page = Page(report_html(frame, None))
    assert page.open == []
    assert f"over {len(sessions)} session" in page.text()


def test_of_many_sessions_the_first_are_listed() -> None:
    """A page stays readable; it says how many more there are."""
    frame, found = swept()
    rows = frame[frame["scenario"] == found.scenario].iloc[:1]
    many = pd.concat([rows.assign(session=f"s{at}") for at in range(MOST_SESSIONS + 7)])
    page = Page(report_html(many, found))
    assert len(page.tables["session-rows"]) == MOST_SESSIONS
    assert "7 more sessions are not listed." in page.text()


def test_prices_and_versions_say_where_numbers_come_from() -> None:
    """Source and day of reading are text, not links; the zone database is named by its release."""
    page = Page(whole())
    assert page.tables["prices"][0] == {
        "model": "deepseek deepseek-v4-flash",
        "when": "until 2026-08-16T16:00Z",
        "what, and the cache rule, USD per million tokens": (
            "input 0.14, cached 0.0028, output 0.28; cache deepseek-units"
        ),
        "source": "api-docs.deepseek.com/quick_start/pricing",
        "read on": "2026-11-30",
    }
    for name in ("zone database (tzdata)", "timectx", "pandas", "numba", "Python"):
        assert name in page.texts


def test_the_scenario_shown_can_be_read_back() -> None:
    """It is the recommended one, as the file that sets it."""
    _, found = swept()
    toml = next(text for text in Page(whole()).texts if text.startswith("edition = "))
    assert toml == Scenario(interval_ms=found.interval_ms).to_toml()


def test_a_frame_that_is_no_sweep_is_refused() -> None:
    """Nothing is written then."""
    with pytest.raises(FrameError):
        report_html(pd.DataFrame({"session": ["a"]}), None)

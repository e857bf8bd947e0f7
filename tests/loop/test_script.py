"""Test that a script is read whole, and that a refusal names the field."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from timectx.errors import ScenarioError
from timectx.loop import Call, CompactionPlan, Failure, Prompt, Reply, Script, Steer, check_script, parse_script
from timectx.session import Usage

SCRIPTS = sorted((Path(__file__).parents[2] / "data" / "scripts").glob("*.yaml"))

WHOLE = """
session: one
start: 2026-07-15T09:00:00+08:00
cwd: /w
edition: note-v2
interval: 10m
time_zone: asia/kolkata
skip_empty: true
provider: p
model: m
context_window: 1000
max_tokens: 50
system: be brief
tools: [{name: ls, description: list, parameters: {}}]
compaction: {settings: {thresholdRatio: 0.5}, pruning: {thresholdChars: 9000}, summary_tokens: 30, takes: 3s, spare: 1}
anchor: reply
prompts:
  - say: hello
    after: 1h 30m
    zone: Europe/Berlin
    compact: true
    replies:
      - text: look
        reasoning: hm
        takes: 250
        parallel: true
        usage: {inputTokens: 5, outputTokens: 7}
        steers: [{say: wait, zone: UTC}]
        calls: [{name: ls, arguments: {path: "."}, takes: 1s, result: a, fails: true, concludes: true}]
      - error: {code: RATE, message: slow down, retry: true, wait: 2s}
      - {before: empty}
  - {say: bye, withdrawn: true, replies: []}
"""


def test_every_field_of_a_script_can_be_written_in_yaml() -> None:
    """Names are those of the parts; usage has the names it has in a log."""
    assert parse_script(WHOLE) == Script(
        session="one",
        start="2026-07-15T09:00:00+08:00",
        cwd="/w",
        edition="note-v2",
        interval="10m",
        time_zone="asia/kolkata",
        skip_empty=True,
        provider="p",
        model="m",
        context_window=1000,
        max_tokens=50,
        system="be brief",
        tools=({"name": "ls", "description": "list", "parameters": {}},),
        compaction=CompactionPlan(
            settings={"thresholdRatio": 0.5}, pruning={"thresholdChars": 9000}, summary_tokens=30, takes="3s", spare=1
        ),
        anchor="reply",
        prompts=(
            Prompt(
                say="hello",
                after="1h 30m",
                zone="Europe/Berlin",
                compact=True,
                replies=(
                    Reply(
                        text="look",
                        reasoning="hm",
                        takes=250,
                        parallel=True,
                        usage=Usage(input_tokens=5, output_tokens=7),
                        steers=(Steer(say="wait", zone="UTC"),),
                        calls=(
                            Call(
                                name="ls", arguments={"path": "."}, takes="1s", result="a", fails=True, concludes=True
                            ),
                        ),
                    ),
                    Reply(error=Failure(code="RATE", message="slow down", retry=True, wait="2s")),
                    Reply(before="empty"),
                ),
            ),
            Prompt(say="bye", withdrawn=True, replies=()),
        ),
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("", "expected object, got null"),
        ("[1]", "expected object, got array"),
        ("prompts: []", "object missing required field session"),
        ("session: ''\nprompts: []", "at session: a session has a name"),
        ("session: a\nprompts: [{say: 5}]", "at prompts[0].say: expected str, got int"),
        ("session: a\nprompts: [{say: a}, {say: a, sayy: b}]", "at prompts[1]: object contains unknown field sayy"),
        ("session: a\nprompts: []\nedition: old", "at edition: invalid enum value 'old'"),
        (
            "session: a\nprompts: [{say: a, replies: [{}, {takes: 3 lightyears}]}]",
            "at prompts[0].replies[1].takes: not a duration: '3 lightyears'; expected 0, or numbers with d, h, m, s or "
            "ms, as in 10m or 1h 30m",
        ),
        (
            "session: a\nprompts: [{say: a, replies: [{calls: [{takes: 9999999999999999}]}]}]",
            "at prompts[0].replies[0].calls[0].takes: not a duration in whole milliseconds: 9999999999999999",
        ),
        (
            "session: a\nprompts: [{say: a, after: soon}]",
            "at prompts[0].after: not a duration: 'soon'; expected 0, or numbers with d, h, m, s or ms, as in 10m or "
            "1h 30m",
        ),
        (
            "session: a\nprompts: [{say: a, replies: [{error: {wait: x}}]}]",
            "at prompts[0].replies[0].error.wait: not a duration: 'x'; expected 0, or numbers with d, h, m, s or "
            "ms, as in 10m or 1h 30m",
        ),
        (
            "session: a\nprompts: []\nstart: 2026-07-15T09:00:00",
            "at start: not an instant: '2026-07-15T09:00:00'; expected epoch milliseconds, or ISO 8601 with an offset",
        ),
        ("session: a\nprompts: []\ninterval: -5s", "at interval: a refresh interval is 0 or more, got '-5s'"),
        (
            "session: a\nprompts: []\ntime_zone: Mars",
            "at time_zone: unknown time zone: 'Mars'; expected an IANA name such as Europe/Berlin or an offset such as "
            "+05:30",
        ),
        (
            "session: a\nprompts: []\ncompaction: {settings: {thresholdRatio: 2}}",
            "at compaction.settings: thresholdRatio is a number above 0 and up to 1; got 2",
        ),
        (
            "session: a\nprompts: []\ncompaction: {summary: x, summary_ratio: 0.5}",
            "at compaction: a summary has one size, got summary and summary_ratio",
        ),
        (
            "session: a\nprompts: []\ncompaction: {summary_tokens: 0}",
            "at compaction.summary_tokens: a summary's size is a whole number of tokens from 1; got 0",
        ),
        (
            "session: a\nprompts: []\ncompaction: {summary_ratio: 0}",
            "at compaction.summary_ratio: a summary's share is a number above 0; got 0",
        ),
        (
            "session: a\nprompts: []\ncompaction: {spare: -1}",
            "at compaction.spare: a number of messages is 0 or more, got -1",
        ),
        (
            "session: a\nprompts: [{say: a, replies: [{error: {}, cancel: tools}]}]",
            "at prompts[0].replies[0]: a request that failed has no calls, steers, finish or cancel",
        ),
        (
            "session: a\nprompts: [{say: a, replies: [{cancel: tools}]}]",
            "at prompts[0].replies[0].cancel: there are no tools to cancel",
        ),
        (
            "session: a\nprompts: [{say: a, replies: [{cancel: stream, finish: max-tokens}]}]",
            "at prompts[0].replies[0]: a reply that was cancelled in its stream has no steers or finish",
        ),
        (
            "session: a\nprompts: [{say: a, replies: [{crash: true, before: reject}]}]",
            "at prompts[0].replies[0].crash: the step never starts",
        ),
        ("session: a\nprompts: [\n{say: a, say: b}]", "line 3: 'say' is given twice"),
        ("session: a\nprompts: [", "line 2: expected the node content, but found '<stream end>'"),
    ],
    ids=lambda text: text.replace("\n", " "),
)
def test_a_script_that_does_not_fit_is_refused_in_one_line_that_names_the_field(change: str, why: str) -> None:
    """Where it is, what was expected and what was there."""
    with pytest.raises(ScenarioError) as refused:
        parse_script(change)
    assert (refused.value.kind, str(refused.value)) == ("script", f"not a script: {why}")


def test_bytes_that_are_no_text_are_refused_too() -> None:
    """A control character is none of YAML's."""
    with pytest.raises(ScenarioError, match="not a script: unacceptable character"):
        parse_script("session: \x01")


def test_a_script_made_in_python_is_checked_when_it_is_played() -> None:
    """The same rules, whoever made it."""
    with pytest.raises(ScenarioError, match=r"at prompts\[0\].after"):
        check_script(Script(session="a", prompts=(Prompt(say="x", after="never"),)))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_that_comes_along_is_named_like_its_session(path: Path) -> None:
    """Each begins with a line that says what happens, and gives every time and zone."""
    text = path.read_text(encoding="utf-8")
    script = parse_script(text)
    assert (script.session, text[:2]) == (path.stem, "# ")
    assert {"session", "start", "time_zone", "interval", "prompts"} <= set(yaml.safe_load(text))


def test_there_are_scripts_to_begin_with() -> None:
    """One has two turns."""
    turns = {path.stem: len(parse_script(path.read_text(encoding="utf-8")).prompts) for path in SCRIPTS}
    assert (len(turns) >= 6, turns["two-turns"], turns["single-task"]) == (True, 2, 1)

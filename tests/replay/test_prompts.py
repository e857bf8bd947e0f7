"""The requests of a run: how much of each prompt stayed, what was added, and what answered it."""

from __future__ import annotations

import pytest

from tests.builders import LogBuilder, log
from timectx.replay import Run, RunRequest, Scenario, replay_session
from timectx.replay.changes import NOWHERE, PromptChanges
from timectx.replay.prompts import RequestBook

HI, OK, CALL, DONE, FIRST, SUM, SHORT = 9, 9, 15, 13, 71, 9, 14
HOUR_MS = 3_600_000


def replayed(built: LogBuilder, **knobs: object) -> Run:
    """Return the run of a log with one reading, at its first step."""
    return replay_session(built.build(), Scenario(interval_ms=HOUR_MS).replace(**knobs))


def stayed(run: Run) -> list[tuple[int, int, int]]:
    """Return size, unchanged beginning and new nodes of each request."""
    return [(each.input_tokens, each.stable_tokens, each.nodes) for each in run.requests]


def answered(run: Run) -> list[tuple[str, int, int]]:
    """Return the kind of each request, the reply directly after it, and its output."""
    return [(each.kind, each.reply_tokens, each.output_tokens) for each in run.requests]


def opened() -> LogBuilder:
    """Return the first step of a turn, with a header of 5 tokens and a tool."""
    return log().turn().prompt("hi").step().header("abcd").reply("ok", calls=["c"]).tool("c").end_step()


# what stays


def test_a_request_says_all_of_itself() -> None:
    """Its step, its instant, its sizes and the model it went to."""
    [request] = replayed(log(start_ms=7000).turn().prompt("hi").step().header("abcd").reply("ok").end_turn()).requests
    assert request == RunRequest(
        turn=1,
        step=1,
        time_ms=7000,
        kind="step",
        input_tokens=5 + HI + FIRST,
        stable_tokens=0,
        nodes=2,
        reply_tokens=OK,
        output_tokens=OK,
        provider="p",
        model="m",
        header_tokens=5,
    )


def test_a_new_header_leaves_nothing_as_it_was_and_the_same_one_everything() -> None:
    """A header that is only logged again, as after a restart, changes no prompt."""
    built = opened().step().header("abcd", reason="resume").reply("ok", calls=["d"]).tool("d").end_step()
    built = built.step().header("abcdefgh", reason="change").reply("ok").end_turn()
    first = 5 + HI + FIRST
    second = first + CALL + DONE
    assert stayed(replayed(built)) == [(first, 0, 2), (second, first, 2), (second + 1 + CALL + DONE, 0, 2)]


def test_a_compaction_changes_all_from_its_place_on() -> None:
    """A checkpoint at the front leaves the header alone, and counts as one node."""
    built = opened().compaction(2, 6, "sum", shadowed=[2, 4, 6]).step().reply("ok").end_turn()
    assert stayed(replayed(built)) == [(5 + HI + FIRST, 0, 2), (5 + SUM, 5, 3)]
    assert stayed(replayed(built, compaction="off"))[1] == (5 + HI + FIRST + CALL + DONE, 5 + HI + FIRST, 2)


def test_a_shortened_result_changes_all_from_its_place_on() -> None:
    """What came after it is read anew, though it is the same."""
    built = opened().step().reply("ok", calls=["d"]).tool("d").end_step().prune(6).step().reply("ok").end_turn()
    first = 5 + HI + FIRST
    second = first + CALL + DONE
    assert stayed(replayed(built)) == [
        (first, 0, 2),
        (second, first, 2),
        (second + SHORT - DONE + CALL + DONE, first + CALL, 3),
    ]


def test_what_was_added_and_changed_since_leaves_the_request_before_it_whole() -> None:
    """A result that is shortened before any request held it is no change of a prefix."""
    built = opened().prune(6).step().reply("ok").end_turn()
    first = 5 + HI + FIRST
    assert stayed(replayed(built)) == [(first, 0, 2), (first + CALL + SHORT, first, 3)]


def test_where_the_provider_counted_the_unchanged_part_is_its_share_of_that_count() -> None:
    """Twice as many tokens as estimated in all are twice as many in that part; uncounted requests are as estimated."""
    first = 5 + HI + FIRST
    usage = {"inputTokens": 2 * (5 + HI), "outputTokens": 5}
    built = log().turn().prompt("hi").step().header("abcd").reply("ok", usage=usage).end_step()
    built = built.compaction(2, 4, "sum", shadowed=[2, 4]).step().reply("ok").end_turn()
    counted = 2 * (5 + HI) + FIRST
    assert stayed(replayed(built, meter="reported")) == [(counted, 0, 2), (5 + SUM, 5 * counted // first, 2)]
    assert [each.header_tokens for each in replayed(built, meter="reported").requests] == [5 * counted // first, 5]


# what answers


def test_the_reply_is_the_first_thing_after_its_request() -> None:
    """Where another message came between, it was paid for, and no prompt goes on right after the request."""
    built = log().turn().prompt("hi").step().chunk("text-delta", text="o").message("wait", {"kind": "user"}).reply("ok")
    assert answered(replayed(built.end_turn())) == [("step", 0, OK)]


def test_a_request_that_failed_has_no_reply() -> None:
    """The one sent again has; both hold the same."""
    built = log().turn().prompt("hi").step().failure().retry().reply("ok").end_turn()
    run = replayed(built)
    assert answered(run) == [("step", 0, 0), ("retry", OK, OK)]
    assert stayed(run) == [(HI + FIRST, 0, 2), (HI + FIRST, HI + FIRST, 0)]


def test_the_last_request_has_its_reply_and_one_without_output_has_none() -> None:
    """At the end of a log nothing more is waited for."""
    built = log().turn().prompt("hi").step().reply("ok").end_turn().turn().prompt("hi").step().end_turn("aborted")
    assert answered(replayed(built)) == [("step", OK, OK), ("step", 0, 0)]


def test_each_request_goes_to_the_model_its_header_names() -> None:
    """Before any header there is none; one without a name is empty."""
    built = log().turn().prompt("hi").step().reply("ok").end_step()
    for config in ({"provider": "p", "model": "other"}, {"provider": 5}, {}):
        header = {"header": {"config": config}, "reason": "change"}
        built = built.step().event("request/header", header).reply("ok").end_step()
    run = replayed(built.end_turn())
    assert [(each.provider, each.model) for each in run.requests] == [("", ""), ("p", "other"), ("", ""), ("", "")]


# the book itself


def test_changes_begin_anew_with_each_request() -> None:
    """The smallest place counts, and a replacement as one node."""
    changes = PromptChanges()
    assert (changes.changed_at, changes.nodes) == (NOWHERE, 0)
    changes.append(10)
    changes.append(7, is_reply=True)
    changes.rewrite(40)
    changes.rewrite(90, nodes=2)
    assert (changes.changed_at, changes.nodes, changes.output_tokens, changes.reply_tokens) == (40, 5, 7, 0)
    changes.clear()
    changes.append(8, is_reply=True)
    changes.append(9, is_reply=True)
    assert (changes.changed_at, changes.nodes, changes.output_tokens, changes.reply_tokens) == (NOWHERE, 2, 8, 8)


@pytest.mark.parametrize(("estimate", "counted", "stable"), [(100, 100, 60), (100, 250, 150), (0, 250, 0)])
def test_a_place_in_the_prompt_is_told_in_the_size_that_was_counted(estimate: int, counted: int, stable: int) -> None:
    """An estimate of nothing has no places."""
    changes = PromptChanges()
    book = RequestBook(changes)
    for _ in range(2):
        book.send(
            "step",
            turn=1,
            step=1,
            time_ms=0,
            route=("", ""),
            input_tokens=counted,
            above_tokens=20,
            estimate_tokens=estimate,
        )
        changes.rewrite(40)
    assert [request.stable_tokens for request in book.requests] == [0, stable]

"""How full the window is: the baseline of the last reply, and what the surface gained or lost since."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import LogBuilder, log
from timectx.errors import SessionError
from timectx.reading import Edition
from timectx.replay.compaction.pressure import Anchor, Baseline, Measurement, PressureFold
from timectx.session.records import parse_usage

USAGE = {"inputTokens": 5000, "outputTokens": 12}
REPORTED = Baseline("usage", 5012, parse_usage(USAGE))
OTHER = {"config": {"provider": "p", "model": "another"}}


def fold(built: LogBuilder, edition: Edition = "readme", **options: Any) -> PressureFold:
    """Return a fold that has read a log."""
    pressure = PressureFold(edition, **options)
    for event in built.events():
        pressure.apply(event)
    return pressure


def asked() -> LogBuilder:
    """Return a log that stands before its first reply: a prompt of 10 tokens, a reading of 10, a header of 5."""
    return log().turn().prompt("hello").step().reading("x" * 8).header(system="sys")


def streamed(built: LogBuilder, *texts: str) -> list[int]:
    """Stream a reply in pieces and return their seqs."""
    seqs = []
    for text in texts:
        built.chunk("text-delta", index=0, text=text)
        seqs.append(built.last_seq)
    return seqs


def test_nothing_measured_is_nothing() -> None:
    """Without a header and without a node there is no baseline to speak of."""
    assert fold(log()).measure() == Measurement(Baseline("none", 0), 0, 0)


def test_before_the_first_reply_everything_is_estimated() -> None:
    """The header's price and the nodes' make the baseline."""
    assert fold(asked()).measure() == Measurement(Baseline("estimated", 25), 0, 20)
    assert fold(log().turn().prompt("hello").step()).measure() == Measurement(Baseline("estimated", 10), 0, 10)
    assert fold(log().header(system="sys")).measure() == Measurement(Baseline("estimated", 5), 0, 0)


def test_a_reported_reply_is_the_baseline_from_then_on() -> None:
    """The step's own prompt and reading came after its start: they are counted by the provider and in the delta."""
    built = asked().reply("on it", usage=USAGE)
    assert fold(built).measure() == Measurement(REPORTED, 20, 30)
    assert fold(built.end_turn().turn()).measure().total_tokens == 5032


def test_in_current_the_prompt_is_not_counted_twice() -> None:
    """There the provider's count stands for the surface just before the reply."""
    assert fold(asked().reply("on it", usage=USAGE), "current").measure() == Measurement(REPORTED, 0, 30)


@pytest.mark.parametrize(("anchor", "delta"), [("step-start", 20), ("reply", 0)])
def test_the_anchor_can_be_chosen_against_the_edition(anchor: Anchor, delta: int) -> None:
    """To see either world without the other's rules."""
    for edition in ("readme", "current"):
        measured = fold(asked().reply("on it", usage=USAGE), edition, anchor=anchor).measure()
        assert measured.surface_delta_tokens == delta


def test_a_count_below_the_estimate_is_not_believed() -> None:
    """Mock providers report next to nothing; then the estimate is the baseline, and it adds up."""
    measured = fold(asked().reply("on it", usage={"inputTokens": 1, "outputTokens": 1})).measure()
    assert measured == Measurement(Baseline("estimated", 15), 20, 30)
    assert measured.total_tokens == 35


def test_without_a_header_no_count_is_believed() -> None:
    """Nobody knows what it was a count of."""
    measured = fold(log().turn().step().reply("on it", usage=USAGE)).measure()
    assert measured == Measurement(Baseline("estimated", 10), 0, 10)


def test_a_count_equal_to_the_estimate_is_believed() -> None:
    """It has to reach the estimate, not to pass it; the parts of the prompt add up, reasoning does not."""
    usage = {"inputTokens": 4, "cacheReadTokens": 3, "cacheWriteTokens": 2, "outputTokens": 6, "reasoningTokens": 5}
    measured = fold(asked().reply("on it", usage=usage)).measure()
    assert (measured.baseline.kind, measured.baseline.tokens) == ("usage", 15)


def test_another_header_starts_over_from_prices() -> None:
    """Whether it is in the log or only asked about; the same header again takes the baseline up again."""
    built = asked().reply("on it", usage=USAGE)
    assert fold(built).measure(OTHER) == Measurement(Baseline("estimated", 30), 0, 30)
    built.event("request/header", {"header": OTHER, "reason": "change"})
    assert fold(built).measure() == Measurement(Baseline("estimated", 30), 0, 30)
    assert fold(built.header(system="sys", reason="change")).measure().baseline == REPORTED


def test_the_order_of_keys_in_tools_makes_another_header() -> None:
    """Headers are compared as they would be sent."""
    tools = [{"name": "t", "description": "d"}]
    built = log().turn().step().header(tools=tools).reply("ok", usage=USAGE)
    swapped = {"config": {"provider": "p", "model": "m"}, "tools": [{"description": "d", "name": "t"}]}
    assert fold(built).measure(swapped).baseline.kind == "estimated"
    assert fold(built).measure({**swapped, "tools": tools}).baseline.kind == "usage"


def test_a_compaction_lowers_the_pressure_by_what_it_saves() -> None:
    """The baseline stays, the delta falls; pressure is never below 0."""
    built = asked().reply("x" * 800, usage=USAGE).end_turn().turn()
    before = fold(built).measure()
    built.compaction(2, 3)
    after = fold(built).measure()
    assert (before.surface_tokens, after.surface_tokens) == (228, 218)
    assert before.total_tokens - after.total_tokens == 10
    assert Measurement(Baseline("estimated", 5), -10, 0).total_tokens == 0
    low = log().turn().step().reply("x" * 800).end_turn().turn()
    low.compaction(2, 2, summary="")
    assert fold(low).measure() == Measurement(Baseline("estimated", 208), -200, 8)


def test_a_reply_without_usage_is_estimated_from_its_message() -> None:
    """Even if chunks were streamed: they only count where the provider reported."""
    built = asked()
    seqs = streamed(built, "x" * 400)
    measured = fold(built.reply("on it", sourceEventSeqs=seqs)).measure()
    assert measured == Measurement(Baseline("estimated", 15), 20, 30)


def reply_of(built: LogBuilder, seqs: list[int], **extra: Any) -> LogBuilder:
    """Log a reply of 10 tokens that cites these seqs and reports a usage of 30."""
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "on it"}],
        "source": {"kind": "model"},
        "id": "a",
    }
    data = {"turn": 1, "step": 1, "message": message, "usage": {"inputTokens": 30, "outputTokens": 0}, **extra}
    return built.event("assistant/message", data, surfaceOp="append", sourceEventSeqs=seqs)


def test_a_reported_reply_is_priced_from_what_was_streamed() -> None:
    """Chunks of 8 tokens in place of a message of 10: the surface behind the baseline is smaller, the delta larger."""
    built = asked()
    measured = fold(reply_of(built, streamed(built, "he", "y"))).measure()
    assert measured == Measurement(Baseline("usage", 30, parse_usage({"inputTokens": 30, "outputTokens": 0})), 21, 30)


def test_a_reply_that_cites_nothing_streamed_nothing() -> None:
    """Its part of the surface behind the baseline is 0, so that all of it is in the delta."""
    assert fold(reply_of(asked(), [])).measure().surface_delta_tokens == 30


def test_where_stream_rows_were_left_out_the_message_counts() -> None:
    """A gap in the log stands for chunks that were not read; one read beside it does not make up for them."""
    for skipped in (1, 2):
        built = asked().skip(skipped)
        seqs = [*range(built.next_seq - skipped, built.next_seq), *streamed(built, "on it, and more")]
        assert fold(reply_of(built, seqs)).measure().surface_delta_tokens == 20


def test_in_current_the_stream_stands_in_the_reply() -> None:
    """It is priced like chunks; an empty one is nothing."""
    stream = [{"type": "text-chunks", "time0": 0, "index": 0, "dt": [1], "texts": ["he", "y"]}]
    assert fold(reply_of(asked(), [], stream=stream), "current").measure().surface_delta_tokens == 1
    assert fold(reply_of(asked(), [], stream=[]), "current").measure().surface_delta_tokens == 10


@pytest.mark.parametrize("cited", ["twice", "later", "header", "earlier-step"])
def test_a_reply_that_cites_no_chunk_of_its_own_is_refused(cited: str) -> None:
    """Where the cited seq is in the log but is none of the open step's chunks."""
    built = log().turn().step(1).header()
    early = streamed(built, "a")
    built.end_step().step(1)
    seq = streamed(built, "b")[0]
    seqs = {"twice": [seq, seq], "later": [seq, 99], "header": [seq, 2], "earlier-step": [*early, seq]}[cited]
    with pytest.raises(SessionError) as refused:
        fold(reply_of(built, seqs)).measure()
    assert refused.value.kind == "token-meter-assistant-message-at-seq"


@pytest.mark.parametrize(
    ("types", "readme", "current"),
    [
        (["step/start", "step/start"], "token-meter-step-start-at-seq", "step-start-twice"),
        (["step/end"], "token-meter-step-end-at-seq", "token-meter-step-end-at-seq"),
        (["step/start", "step/end", "step/end"], "token-meter-step-end-at-seq", "token-meter-step-end-at-seq"),
    ],
    ids=["opened-twice", "never-opened", "closed-twice"],
)
def test_steps_out_of_order_are_refused_when_measured(types: list[str], readme: str, current: str) -> None:
    """Not before, and ever after: the rest of the log is not taken in."""
    for edition, kind in (("readme", readme), ("current", current)):
        built = log().turn()
        for type_ in types:
            built.event(type_, {"turn": 1, "step": 1})
        pressure = fold(built.prompt("hello").step(), edition)
        assert pressure.surface.tokens == 0
        for _ in range(2):
            with pytest.raises(SessionError) as refused:
                pressure.measure()
            assert refused.value.kind == kind


def test_a_reply_outside_its_step_is_refused() -> None:
    """A reply belongs to the step that is open."""
    place = {"turn": 1, "step": 7}
    message = {"role": "assistant", "content": [], "source": {}, "id": "a"}
    built = log().turn().step().event("assistant/message", {**place, "message": message}, surfaceOp="append")
    with pytest.raises(SessionError) as refused:
        fold(built).measure()
    assert refused.value.kind == "token-meter-assistant-message-at-seq"


def test_a_message_in_the_log_alone_costs_nothing() -> None:
    """It is not on the surface."""
    built = log().event("user/message", {"content": [{"type": "text", "text": "hello"}], "source": {}})
    assert fold(built).measure() == Measurement(Baseline("none", 0), 0, 0)


def test_a_counter_prices_nodes_and_replies() -> None:
    """Headers, too."""
    built = asked().reply("on it", usage={"inputTokens": 1, "outputTokens": 0})
    assert fold(built, counter=lambda text: 100).measure() == Measurement(Baseline("estimated", 200), 200, 300)

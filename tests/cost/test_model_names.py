"""Hold models to one name, however a log spells it."""

from __future__ import annotations

import pytest

from timectx.cost.model_names import model_key, provider_rank, split_model


@pytest.mark.parametrize(
    ("spelled", "key"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("claude-opus-4.5", "claude-opus-4-5"),
        ("Claude-Opus-4-5", "claude-opus-4-5"),
        (" anthropic/claude-opus-4.5 ", "claude-opus-4-5"),
        ("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("eu.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("claude-opus-4-5[1m]", "claude-opus-4-5"),
        ("claude-opus-4-5-latest", "claude-opus-4-5"),
        ("gpt-5.4-2026-03-05", "gpt-5-4"),
        ("deepseek-v4-flash", "deepseek-v4-flash"),
    ],
)
def test_gateway_region_date_and_context_size_are_no_part_of_a_name(spelled: str, key: str) -> None:
    """The same model is found under each of its spellings."""
    assert model_key(spelled) == key


@pytest.mark.parametrize("spelled", ["gpt-5.4-mini", "gpt-5.4-fast", "gpt-5.4:free", "my-gpt-5.4"])
def test_a_variant_is_another_model(spelled: str) -> None:
    """A small, a fast, a free or a renamed one is not billed as the one whose name it contains."""
    assert model_key(spelled) != model_key("gpt-5.4")


@pytest.mark.parametrize(
    ("named", "rank"), [("deepseek", 0), ("DeepSeek", 0), ("deepseek-official", 0), ("deepseekers", 1), ("", 1)]
)
def test_a_provider_fits_with_a_suffix_of_its_own(named: str, rank: int) -> None:
    """What a log calls deepseek-official is deepseek."""
    assert provider_rank(named, "deepseek") == rank


def test_a_typed_name_may_name_its_provider() -> None:
    """What stands before the last slash is the provider."""
    assert split_model("openrouter/anthropic/claude-opus-5") == ("anthropic", "claude-opus-5")
    assert split_model("claude-opus-5") == ("", "claude-opus-5")

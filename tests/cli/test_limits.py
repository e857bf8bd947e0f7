"""Test how shares, counts and quantiles are read."""

from __future__ import annotations

import pytest

from timectx.cli.limits import parse_blind, parse_quantile, parse_share
from timectx.errors import UnitError


@pytest.mark.parametrize(
    ("text", "share"),
    [("0", 0.0), ("2%", 0.02), (" 2.5 % ", 0.025), ("0.02", 0.02), ("100%", 1.0), ("0%", 0.0)],
)
def test_a_share_is_a_percentage_or_below_one(text: str, share: float) -> None:
    """Exactly the number a person would write."""
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["", "2", "1", "1.0", "-1%", "101%", "2 %%", "two", "nan", "1e-2", "٢%"])
def test_what_could_mean_two_things_is_no_share(text: str) -> None:
    """A bare 2 is neither 2 % nor 200 %, and a bare 1 neither 1 % nor all."""
    with pytest.raises(UnitError) as caught:
        parse_share(text)
    assert (caught.value.kind, repr(text) in str(caught.value)) == ("share", True)


def test_blind_steps_are_counted_or_a_share() -> None:
    """Whole numbers count steps, percentages and fractions are shares."""
    found = [parse_blind(text) for text in ("0", " 17 ", "2%", "0.02")]
    steps, ratio = "max_blind_steps", "max_blind_ratio"
    assert found == [(steps, 0), (steps, 17), (ratio, 0.02), (ratio, 0.02)]


@pytest.mark.parametrize("text", ["", "-1", "1.5", "200%", "none", "1" * 16])
def test_what_is_no_number_of_steps_is_refused(text: str) -> None:
    """The value stands in the one line, with what is expected."""
    with pytest.raises(UnitError, match="expected 0, 12 or 2%"):
        parse_blind(text)


@pytest.mark.parametrize(("text", "quantile"), [("0.95", 0.95), ("95%", 0.95), ("1", 1.0), ("50 %", 0.5)])
def test_a_quantile_is_above_zero_and_up_to_one(text: str, quantile: float) -> None:
    """As a number or a percentage."""
    assert parse_quantile(text) == quantile


@pytest.mark.parametrize("text", ["0", "1.01", "95", "", "-0.5", "p95"])
def test_what_is_no_quantile_is_refused(text: str) -> None:
    """95 without its sign is no quantile."""
    with pytest.raises(UnitError) as caught:
        parse_quantile(text)
    assert caught.value.kind == "quantile"

"""Hold the draws of made-up sessions to their seeds and their distributions."""

from __future__ import annotations

import random
import re

import pytest

from timectx.replay import nearest_rank
from timectx.synthetic.dice import Dice

TABLE = ((0, 10), (500, 20), (900, 100), (1000, 1100))


def test_the_same_seed_gives_the_same_draws_for_ever() -> None:
    """The numbers are pinned: another platform or Python must come to the very same ones."""
    dice = Dice("timectx", 7)
    drawn = [dice.below(10), dice.between(3, 4), dice.chance(500), dice.pick("abc"), dice.name("xyz", 5), dice.uuid()]
    assert [*drawn, *(dice.draw(TABLE) for _ in range(5))] == PINNED


PINNED = [4, 3, False, "a", "xxxxx", "584028ea-4684-475d-963e-274253aade0f", 88, 96, 10, 16, 16]


def test_seeds_that_differ_only_in_their_sign_differ() -> None:
    """Python's own seeding takes -1 for 1; a session of seed -1 is another one."""
    assert [Dice(-1).below(10**6), Dice(1).below(10**6)] == [Dice("-1").below(10**6), Dice("1").below(10**6)]
    assert Dice(-1).below(10**6) != Dice(1).below(10**6)


def test_draws_leave_the_global_generator_alone() -> None:
    """Whoever seeds Python's own generator gets the numbers of that seed."""
    random.seed(5)
    expected = random.random()
    random.seed(5)
    Dice(1).draw(TABLE)
    assert random.random() == expected


@pytest.mark.parametrize(("permille", "value"), TABLE[1:-1])
def test_draws_have_the_quantiles_of_their_table(permille: int, value: int) -> None:
    """Of ten thousand draws the share below a quantile is the quantile's."""
    dice = Dice("quantiles")
    found = nearest_rank([dice.draw(TABLE) for _ in range(10_000)], permille / 1000)
    assert value * 0.9 <= found <= value * 1.1


def test_draws_stay_within_their_table() -> None:
    """Nothing is smaller than the first value or larger than the last."""
    dice = Dice("bounds")
    drawn = [dice.draw(TABLE) for _ in range(10_000)]
    assert (min(drawn), max(drawn) > 900, max(drawn) <= 1100) == (10, True, True)


def test_names_have_the_form_of_random_uuids() -> None:
    """Version 4, and the variant that goes with it; no two alike."""
    dice = Dice("names")
    names = {dice.uuid() for _ in range(1000)}
    odd = [
        name
        for name in names
        if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4})-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", name)
    ]
    assert (len(names), odd) == (1000, [])

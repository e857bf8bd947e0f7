"""Say how people, models and tools behave in made-up sessions: quantiles measured on real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from timectx.synthetic.dice import Dice, Table

__all__ = ["Habits"]

_BREAK_MS: Final[Table] = ((0, 300_000), (250, 480_000), (500, 900_000), (750, 1_800_000), (1000, 3_600_000))
_NIGHT_MS: Final[Table] = ((0, 3_600_000), (300, 14_400_000), (700, 46_800_000), (1000, 86_400_000))


@dataclass(frozen=True, kw_only=True)
class Habits:
    """
    Hold the distributions a made-up session is drawn from.

    Parameters
    ----------
    steps_per_turn_tenths : Table
        Steps of a turn, in tenths, so that rounding falls between whole ones.
    latency_ms : Table
        From a request to the end of the model's reply.
    tool_ms : Table
        How long a tool runs; the far end is a wait for a person's approval.
    idle_ms : Table
        From the end of a turn to the next prompt, pauses aside.
    break_permille, night_permille : int
        Idle gaps, in a thousand, that are a pause of 5 to 60 minutes or of 1 to 24 hours instead.
    prompt_chars, text_chars, reasoning_chars, argument_chars, result_chars : Table
        Lengths of a prompt, of a reply's text and reasoning, of a call's arguments and of a tool's result.
    longest_result_chars : int
        Where a tool cuts its result.
    reasoning_permille, remark_permille : int
        Replies, in a thousand, that show reasoning; replies with calls that say something as well.
    more_calls_permille : int
        Replies with a call, in a thousand, that make one more (and again).
    cjk_permille : int
        Pieces of prose, in a thousand, that are Chinese.

    Notes
    -----
    The defaults are quantiles over ten real interactive sessions of four tools: 286 prompts and 2,070 steps. Their
    long pauses were few, so the shares of pauses follow the advice to assume more of them.

    Examples
    --------
    >>> Habits(break_permille=0, night_permille=0).idle_ms == Habits().idle_ms
    True
    """

    steps_per_turn_tenths: Table = (
        (0, 10), (50, 10), (250, 20), (500, 40), (750, 70), (900, 178), (950, 280), (990, 550), (1000, 810)
    )  # fmt: skip
    latency_ms: Table = (
        (0, 1200), (50, 2700), (250, 3900), (500, 5000), (750, 7300), (900, 12_900), (950, 18_000), (990, 49_000),
        (1000, 414_000),
    )  # fmt: skip
    tool_ms: Table = (
        (0, 3), (50, 6), (250, 11), (500, 19), (680, 50), (750, 240), (830, 1000), (900, 4200), (950, 6100),
        (980, 10_000), (990, 27_000), (1000, 3_906_000),
    )  # fmt: skip
    idle_ms: Table = (
        (0, 1200), (50, 4500), (250, 16_000), (500, 38_000), (750, 82_000), (900, 170_000), (950, 260_000),
        (1000, 1_200_000),
    )  # fmt: skip
    break_permille: int = 75
    night_permille: int = 15
    prompt_chars: Table = (
        (0, 2), (50, 5), (250, 36), (500, 76), (750, 144), (900, 320), (950, 476), (990, 1824), (1000, 2160)
    )  # fmt: skip
    text_chars: Table = (
        (0, 8), (50, 24), (250, 48), (500, 88), (750, 224), (900, 528), (950, 944), (990, 2220), (1000, 16_008)
    )  # fmt: skip
    reasoning_chars: Table = (
        (0, 12), (50, 36), (250, 88), (500, 204), (750, 648), (900, 1612), (950, 2796), (990, 4564), (1000, 5848)
    )  # fmt: skip
    argument_chars: Table = (
        (0, 24), (50, 68), (250, 100), (500, 140), (750, 468), (900, 1496), (950, 2808), (990, 7760), (1000, 55_800)
    )  # fmt: skip
    result_chars: Table = (
        (0, 4), (50, 14), (250, 108), (500, 187), (750, 1196), (900, 2922), (950, 6501), (990, 27_960), (1000, 51_300)
    )  # fmt: skip
    longest_result_chars: int = 51_300
    reasoning_permille: int = 590
    remark_permille: int = 350
    more_calls_permille: int = 60
    cjk_permille: int = 0

    def steps(self, dice: Dice) -> int:
        """
        Draw how many steps a turn takes.

        Parameters
        ----------
        dice : Dice
            Draws it.

        Returns
        -------
        int
            At least 1.
        """
        return (dice.draw(self.steps_per_turn_tenths) + 5) // 10

    def idle(self, dice: Dice) -> int:
        """
        Draw how long a person waits before the next prompt.

        Parameters
        ----------
        dice : Dice
            Draws it.

        Returns
        -------
        int
            Milliseconds.
        """
        kind = dice.below(1000)
        if kind < self.night_permille:
            return dice.draw(_NIGHT_MS)
        return dice.draw(_BREAK_MS if kind < self.night_permille + self.break_permille else self.idle_ms)

    def calls(self, dice: Dice) -> int:
        """
        Draw how many tools a reply calls.

        Parameters
        ----------
        dice : Dice
            Draws it.

        Returns
        -------
        int
            From 1 to 10.
        """
        calls = 1
        while calls < 10 and dice.chance(self.more_calls_permille):
            calls += 1
        return calls

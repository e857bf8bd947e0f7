"""Let a person write to a made-up session: prompts that open turns, and messages into a running one."""

from __future__ import annotations

from collections.abc import Iterable

from timectx.session.events import (
    InboxData,
    InboxSpliced,
    JsonObject,
    Message,
    TurnData,
    TurnStart,
    UserMessage,
)
from timectx.synthetic.dice import Dice
from timectx.synthetic.happenings import Happening
from timectx.synthetic.ledger import Ledger
from timectx.synthetic.plan import Plan
from timectx.synthetic.words import Words

__all__ = ["Inbox"]


class Inbox:
    """
    Keep what was written until a step takes it in.

    Parameters
    ----------
    plan : Plan
        Says what the person asks, and from which zones.
    ledger : Ledger
        The log.
    dice : Dice
        Draws how long filler is.
    words : Words
        Writes it.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent/src/inbox.ts.
    """

    def __init__(self, plan: Plan, ledger: Ledger, dice: Dice, words: Words) -> None:
        self.plan, self.ledger, self.dice, self.words = plan, ledger, dice, words
        self._claimed: list[Message] = []
        self._steering: list[Message] = []

    def open_turn(self, turn: int) -> None:
        """
        Admit the prompt of a turn: it waits for its step, in the early order it is in the log at once.

        Parameters
        ----------
        turn : int
            The turn's number, from 1.
        """
        text = self._text(self.plan.prompts[turn - 1] if turn <= len(self.plan.prompts) else "")
        zones = self.plan.browser_zones
        prompt = self.ledger.message(text, _source(turn, zones[min(turn, len(zones)) - 1] if zones else None))
        start = TurnData(turn=turn)
        if self.plan.is_early:
            self.ledger.add(TurnStart, start)
            self.ledger.show(UserMessage, prompt)
            return
        self._splice("next-turn", inserted=(prompt,))
        self.ledger.wait(self.dice.below(3))
        self.ledger.add(TurnStart, start)
        self._splice("next-turn", removed=1)
        self._claimed, self._steering = [prompt], []

    def steer(self, turn: int, happenings: Iterable[Happening]) -> None:
        """
        Write while a turn runs: it waits for the next step, in the early order it is in the log at once.

        Parameters
        ----------
        turn : int
            The running turn.
        happenings : iterable of Happening
            What the person writes, and from which zone.
        """
        for happening in happenings:
            message = self.ledger.message(self._text(happening.text), _source(turn, happening.zone))
            if self.plan.is_early:
                self.ledger.show(UserMessage, message)
            else:
                self._splice("next-step", start=len(self._steering), inserted=(message,))
                self._steering.append(message)

    def claim(self) -> None:
        """Log that the coming step takes what was written into the running turn."""
        if self._steering:
            self._splice("next-step", removed=len(self._steering))
            self._claimed, self._steering = self._steering, []

    def take(self) -> list[Message]:
        """
        Return the messages that the coming step takes in, once.

        Returns
        -------
        list of Message
            In the order they were written.
        """
        claimed, self._claimed = self._claimed, []
        return claimed

    def _text(self, given: str) -> str:
        chars = self.dice.draw(self.plan.habits.prompt_chars)  # drawn in any case: a given text moves nothing else
        return given or self.words.prompt(chars)

    def _splice(self, target: str, *, start: int = 0, removed: int = 0, inserted: tuple[Message, ...] = ()) -> None:
        waiting = tuple(_plain(message) for message in inserted)
        data = InboxData(target=target, start=start, inserted=waiting, removed_count=removed or None)
        self.ledger.add(InboxSpliced, data)


def _source(turn: int, zone: str | None) -> JsonObject:
    return {"kind": "user"} if zone is None else {"kind": "user", "rpcId": f"rpc-{turn}", "clientTimeZone": zone}


def _plain(message: Message) -> JsonObject:
    return {"content": list(message.content), "source": message.source, "role": message.role, "id": message.id}

"""Keep the prompts that wait: for the next turn, or for the next step of the open one."""

from __future__ import annotations

from typing import Literal, TypeAlias

from timectx.loop.live_log import LiveLog
from timectx.session.data import InboxData
from timectx.session.events import InboxSpliced, Message, UserMessage
from timectx.session.records import record_of

__all__ = ["Inbox", "Target"]

Target: TypeAlias = Literal["next-turn", "next-step"]


class Inbox:
    """
    Keep two lists of waiting messages, and log every change of them.

    Parameters
    ----------
    log : LiveLog
        Where the changes go; an early log (edition ``note``) has no such events.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent/src/inbox.ts.
    """

    def __init__(self, log: LiveLog) -> None:
        self._log = log
        self._waiting: dict[Target, list[Message]] = {"next-turn": [], "next-step": []}

    def waiting(self, target: Target) -> tuple[Message, ...]:
        """
        Return what waits.

        Parameters
        ----------
        target : {"next-turn", "next-step"}
            Which list.

        Returns
        -------
        tuple of Message
            Oldest first.
        """
        return tuple(self._waiting[target])

    def insert(self, target: Target, message: Message) -> None:
        """
        Put a message at the end of a list.

        Parameters
        ----------
        target : {"next-turn", "next-step"}
            Which list.
        message : Message
            What arrived.
        """
        self._splice(target, len(self._waiting[target]), (message,))
        self._waiting[target].append(message)

    def claim(self, *, new_turn: bool) -> tuple[Message, ...]:
        """
        Take what the coming step answers.

        Parameters
        ----------
        new_turn : bool
            Whether the step opens a turn: then one message that waited for it is taken as well.

        Returns
        -------
        tuple of Message
            All that waited for a step, then that one.
        """
        claimed = [*self._take("next-step", None), *(self._take("next-turn", 1) if new_turn else ())]
        return tuple(claimed)

    def _take(self, target: Target, count: int | None) -> list[Message]:
        waiting = self._waiting[target]
        taken, self._waiting[target] = waiting[:count], waiting[len(waiting[:count]) :]
        if taken:
            self._splice(target, 0, (), removed=len(taken))
        return taken

    def _splice(self, target: Target, start: int, messages: tuple[Message, ...], removed: int | None = None) -> None:
        if self._log.edition == "note":
            return
        inserted = tuple(record_of(UserMessage(seq=0, time_ms=0, data=message))["data"] for message in messages)
        self._log.add(InboxSpliced, InboxData(target=target, start=start, inserted=inserted, removed_count=removed))

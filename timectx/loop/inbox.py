"""Keep the prompts that wait: for the next turn, or for the next step of the open one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from timectx.errors import SessionError
from timectx.loop.live_log import LiveLog
from timectx.session.data import InboxData, JsonObject
from timectx.session.events import InboxSpliced, Message, UserMessage
from timectx.session.records import event_from_record, record_of

__all__ = ["Inbox", "Target"]

Target: TypeAlias = Literal["next-turn", "next-step"]

_TARGETS: Final[tuple[Target, ...]] = ("next-step", "next-turn")


class Inbox:
    """
    Keep two lists of waiting messages, and log every change of them.

    Parameters
    ----------
    log : LiveLog
        Where the changes go; an early log (edition ``note``) has no such events. What its history left
        waiting still waits, without what a fork took over from its parent.

    Raises
    ------
    SessionError
        Kind ``inbox-splice`` where the history changes what was not waiting, ``already-pending`` where
        it lets one message wait twice.

    Notes
    -----
    A change is logged before it happens. Taking messages for a step is a plain removal; one that a
    person asked for says that they were cancelled. A change of nothing is not logged [1]_.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent/src/inbox.ts, `mutate`.
    """

    def __init__(self, log: LiveLog) -> None:
        self._log = log
        self._waiting: dict[Target, tuple[Message, ...]] = {"next-turn": (), "next-step": ()}
        for event in log.events:
            if isinstance(event, InboxSpliced) and event.seq >= (log.header.seed_length or 0):
                self._replay(event)

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits at all."""
        return not any(self._waiting.values())

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
        return self._waiting[target]

    def insert(self, target: Target, message: Message) -> None:
        """
        Put a message at the end of a list.

        Parameters
        ----------
        target : {"next-turn", "next-step"}
            Which list.
        message : Message
            What arrived.

        Raises
        ------
        SessionError
            Kind ``already-pending``.
        """
        self.splice(target, len(self._waiting[target]), 0, (message,))

    def withdraw(self, message_id: str) -> bool:
        """
        Take a message back that still waits.

        Parameters
        ----------
        message_id : str
            Its id.

        Returns
        -------
        bool
            False where none with that id waits.
        """
        for target in _TARGETS:
            for at, message in enumerate(self._waiting[target]):
                if message.id == message_id:
                    self.splice(target, at, 1)
                    return True
        return False

    def clear(self) -> None:
        """Cancel all that waits, first what waits for a step."""
        for target in _TARGETS:
            self.splice(target, 0, len(self._waiting[target]))

    def splice(self, target: Target, start: int, removed: int, inserted: Sequence[Message] = ()) -> None:
        """
        Change a list the way JavaScript's `splice` does.

        Parameters
        ----------
        target : {"next-turn", "next-step"}
            Which list.
        start : int
            Where; negative counts from the end, and what lies outside is moved to the nearest end.
        removed : int
            How many messages leave from there on, at most; these count as cancelled.
        inserted : sequence of Message, optional
            What takes their place.

        Raises
        ------
        SessionError
            Kind ``already-pending`` where one of them waits already.
        """
        self._change(target, start, removed, tuple(inserted), cancelled=True)

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
        claimed = self._change("next-step", 0, len(self._waiting["next-step"]), (), cancelled=False)
        return (*claimed, *self._change("next-turn", 0, 1, (), cancelled=False)) if new_turn else claimed

    def _change(
        self, target: Target, start: int, removed: int, inserted: tuple[Message, ...], *, cancelled: bool
    ) -> tuple[Message, ...]:
        waiting = self._waiting[target]
        first = max(len(waiting) + start, 0) if start < 0 else min(start, len(waiting))
        count = min(max(removed, 0), len(waiting) - first)
        if not count and not inserted:
            return ()
        changed = (*waiting[:first], *inserted, *waiting[first + count :])
        self._check_ids(target, changed)
        if self._log.edition != "note":
            self._log.add(
                InboxSpliced,
                InboxData(
                    target=target,
                    start=first,
                    inserted=tuple(map(_data_of, inserted)),
                    removed_count=count or None,
                    outcome="canceled" if cancelled and count else None,
                ),
            )
        self._waiting[target] = changed
        return waiting[first : first + count]

    def _replay(self, event: InboxSpliced) -> None:
        data, removed = event.data, event.data.removed_count or 0
        target = next((each for each in _TARGETS if each == data.target), None)
        waiting = () if target is None else self._waiting[target]
        if target is None or not 0 <= data.start <= data.start + removed <= len(waiting):
            raise SessionError(
                f"seq {event.seq} takes {removed} from position {data.start} of {data.target!r}, "
                f"where {len(waiting)} wait",
                kind="inbox-splice",
            )
        changed = (*waiting[: data.start], *map(_message_of, data.inserted), *waiting[data.start + removed :])
        self._check_ids(target, changed)
        self._waiting[target] = changed

    def _check_ids(self, target: Target, changed: Sequence[Message]) -> None:
        other = self._waiting["next-step" if target == "next-turn" else "next-turn"]
        ids = [message.id for message in (*changed, *other) if message.id]
        if len(set(ids)) != len(ids):
            twice = next(each for each in ids if ids.count(each) > 1)
            raise SessionError(f"message {twice!r} waits already; a message waits once", kind="already-pending")


def _data_of(message: Message) -> JsonObject:
    data: JsonObject = record_of(UserMessage(seq=0, time_ms=0, data=message))["data"]
    return data


def _message_of(data: JsonObject) -> Message:
    event = event_from_record({"type": "user/message", "seq": 0, "time": 0, "data": data})
    assert isinstance(event, UserMessage)
    return event.data

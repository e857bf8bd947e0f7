"""Let listeners decide together what enters a step: each calls the next, and the last prepended comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from timectx.session.events import JsonObject, Message

__all__ = ["Decision", "Enter", "Listener", "Next", "PreStep", "Reject", "Signal", "Waterfall"]


class Signal:
    """Tell whether, and why, a turn was cancelled: `reason` is None until it is."""

    def __init__(self) -> None:
        self.reason: JsonObject | None = None

    @property
    def aborted(self) -> bool:
        """Whether the turn was cancelled."""
        return self.reason is not None

    def abort(self, kind: str = "user") -> None:
        """
        Cancel the turn; the first reason stays.

        Parameters
        ----------
        kind : str, optional
            Who cancelled: ``user``, ``parent``, ``hook`` or ``disposed``.
        """
        if self.reason is None:
            self.reason = {"kind": kind}


class PreStep(Struct, frozen=True):
    """Hold what listeners may look at: the step about to start and the messages claimed for it."""

    turn: int
    step: int
    messages: tuple[Message, ...]
    signal: Signal


class Enter(Struct, frozen=True):
    """Let the step start with these messages."""

    messages: tuple[Message, ...]


class Reject(Struct, frozen=True):
    """Refuse the step; the turn ends as blocked."""


Decision: TypeAlias = Enter | Reject
Next: TypeAlias = Callable[[PreStep], Decision]
Listener: TypeAlias = Callable[[PreStep, Next], Decision]


class Waterfall:
    """
    Keep listeners in order.

    Notes
    -----
    A listener placed in front stands before all that were there, so the one placed last is outermost:
    it sees the call first and the decision last [1]_.

    References
    ----------
    .. [1] deepseek-harness, vendor/cordis/src/events.ts.

    Examples
    --------
    >>> order, waterfall = [], Waterfall()
    >>> def named(name):
    ...     return lambda call, go_on: (order.append(name), go_on(call))[1]
    >>> for name, first in [("a", False), ("b", True), ("c", True), ("d", False)]:
    ...     _ = waterfall.register(named(name), prepend=first)
    >>> _ = waterfall.run(PreStep(1, 1, (), Signal()))
    >>> order
    ['c', 'b', 'a', 'd']
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def register(self, listener: Listener, *, prepend: bool = False) -> Callable[[], None]:
        """
        Add a listener.

        Parameters
        ----------
        listener : callable
            Takes the call and the rest of the waterfall, returns a decision.
        prepend : bool, optional
            Whether to stand before all others rather than after them.

        Returns
        -------
        callable
            Removes it again; calling it twice changes nothing.
        """
        self._listeners.insert(0 if prepend else len(self._listeners), listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def run(self, call: PreStep) -> Decision:
        """
        Ask the listeners, and let the messages enter where none objects.

        Parameters
        ----------
        call : PreStep
            The step about to start.

        Returns
        -------
        Enter or Reject
            What the outermost listener returns.
        """
        return _run(tuple(self._listeners), call)


def _run(listeners: tuple[Listener, ...], call: PreStep) -> Decision:
    if not listeners:
        return Enter(call.messages)
    return listeners[0](call, lambda further: _run(listeners[1:], further))

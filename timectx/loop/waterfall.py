"""Let listeners decide together what enters a step: each calls the next, and the last prepended comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from timectx.session.events import JsonObject, Message

__all__ = ["AbortedError", "Decision", "Enter", "Listener", "Next", "PreStep", "Reject", "Signal", "Waterfall"]


class AbortedError(Exception):
    """Stop what was being done, because the turn was cancelled."""


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

    def check(self) -> None:
        """
        Go on only if the turn was not cancelled.

        Raises
        ------
        AbortedError
            If it was.
        """
        if self.aborted:
            raise AbortedError


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
    it sees the call first and the decision last [1]_. Whoever registers or leaves while a call is under
    way does so from the next call on.

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
        self._places: list[_Place] = []

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
        place = _Place(listener)
        self._places.insert(0 if prepend else len(self._places), place)

        def remove() -> None:
            self._places = [other for other in self._places if other is not place]

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
        return _run([place.listener for place in self._places], 0, call)


class _Place:
    """Where one registration of a listener stands; the same listener may stand twice."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener


def _run(listeners: list[Listener], at: int, call: PreStep) -> Decision:
    if at == len(listeners):
        return Enter(call.messages)
    return listeners[at](call, lambda further: _run(listeners, at + 1, further))

"""Give the loop its two listeners: the one that tells the time and the one that compacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from timectx.errors import ScenarioError, StoreError
from timectx.loop.live_log import LiveLog
from timectx.loop.waterfall import Decision, Enter, Listener, Next, PreStep, Reject
from timectx.reading import format_reading
from timectx.replay import is_due, reading_message
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.policy import Target
from timectx.replay.compaction.refusals import CompactionError, rule_word

__all__ = ["compaction_listener", "time_listener"]

_CAPACITY: Final = frozenset((rule_word("capacity-missing", "readme"), rule_word("capacity-missing", "current")))


def time_listener(log: LiveLog, *, interval_ms: int, time_zone: str, skip_empty: bool = False) -> Listener:
    """
    Return the listener that adds time readings, by the rules of the log's edition.

    Parameters
    ----------
    log : LiveLog
        The agent's log.
    interval_ms : int
        Refresh interval in milliseconds; 0 = a reading at every attempt.
    time_zone : str
        Fallback zone, settled once.
    skip_empty : bool, optional
        Whether to add none to a first step that has no other message. The original adds one, so that the
        model is asked, and paid, for a turn in which nobody said anything.

    Returns
    -------
    Listener
        To be registered in front of the others.

    Notes
    -----
    In ``note`` the reading is logged at once, before the other listeners run, and stays whatever they
    do. In the other editions the others run first; then the reading joins the messages that enter, so
    that nothing is kept of a step that does not start.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `apply`.
    """

    def taken(call: PreStep) -> str | None:
        now_ms = log.now_ms
        if not is_due(now_ms, log.context.last_reading_ms, interval_ms):
            return None
        entering = tuple(message.source for message in call.messages)
        reading = log.context.reading_at(now_ms, call.turn, call.step, fallback=time_zone, entering=entering)
        return format_reading(reading)

    def before(call: PreStep, go_on: Next) -> Decision:
        text = None if call.signal.aborted else taken(call)
        if text is not None:
            log.say(reading_message(text, log.edition, ""))
        return go_on(call)

    def after(call: PreStep, go_on: Next) -> Decision:
        decision = go_on(call)
        if isinstance(decision, Reject) or call.signal.aborted:
            return decision
        if skip_empty and call.step == 1 and not decision.messages:
            return decision
        text = taken(PreStep(call.turn, call.step, decision.messages, call.signal))
        if text is None:
            return decision
        return Enter((*decision.messages, reading_message(text, log.edition, log.new_id())))

    return before if log.edition == "note" else after


def compaction_listener(compactor: Compactor, warn: Callable[[str], None]) -> Listener:
    """
    Return the listener that compacts before a step when the pressure has reached the threshold.

    Parameters
    ----------
    compactor : Compactor
        Of the agent's log.
    warn : callable
        Takes the text of a compaction that failed; the turn goes on. That a model's window is not known,
        or too small for the settings, is said once.

    Returns
    -------
    Listener
        To be registered behind the others.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/index.ts, `_registerAutomaticCompaction`.
    """
    warned: set[Target] = set()

    def is_known(error: Exception, target: Target) -> bool:
        """Tell whether a target's window was complained about before: it is the same at every step."""
        if not isinstance(error, ScenarioError) and not (
            isinstance(error, CompactionError) and error.kind in _CAPACITY
        ):
            return False
        known = target in warned
        warned.add(target)
        return known

    def listen(call: PreStep, go_on: Next) -> Decision:
        if not call.signal.aborted:
            target = compactor.view.target
            try:
                compactor.relieve_pressure()
            except StoreError:
                raise
            except Exception as error:  # whatever fails a compaction, the turn goes on
                if not is_known(error, target):
                    warn(f"compaction failed, the turn goes on: {error}")
        return go_on(call)

    return listen

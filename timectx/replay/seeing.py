"""Say what the model saw at a step."""

from __future__ import annotations

from timectx.replay.account import ReadingAccount
from timectx.replay.run import RunAttempt, RunStep
from timectx.session import Step

__all__ = ["seen_step"]


def seen_step(
    step: Step,
    attempt: RunAttempt,
    conversation: ReadingAccount,
    *,
    key: int,
    turn_zone: str | None,
    before_first: bool,
    header_tokens: int,
    input_tokens: int,
) -> RunStep:
    """
    Say what the model saw at a step, at its first request.

    Parameters
    ----------
    step : Step
        The step.
    attempt : RunAttempt
        What was decided at its attempt.
    conversation : ReadingAccount
        As the request carries it.
    key : int
        Of the attempt's own reading, whether or not there is one.
    turn_zone : str or None
        The label of the turn's zone; None where that is refused.
    before_first : bool
        Whether there was no reading up to here.
    header_tokens : int
        The price of the header.
    input_tokens : int
        The size of the request.

    Returns
    -------
    RunStep
        With as many requests as the log has of it.
    """
    newest, staleness_ms = conversation.newest, None
    if newest is not None:
        staleness_ms = 0 if conversation.shows(key) else max(0, attempt.now_ms - newest.now_ms)
    return RunStep(
        turn=step.turn,
        step=step.step,
        now_ms=attempt.now_ms,
        added=attempt.decision == "added",
        age_ms=attempt.age_ms,
        staleness_ms=staleness_ms,
        before_first=before_first,
        visible_readings=conversation.visible_readings,
        reading_tokens=conversation.reading_tokens,
        surface_tokens=conversation.surface_tokens,
        header_tokens=header_tokens,
        requests=step.requests,
        input_tokens=input_tokens,
        zone_mismatch=newest is not None and turn_zone is not None and newest.zone != turn_zone,
    )
